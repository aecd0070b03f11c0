// What stands in a tile past an edge must be the neutral element of what combines
// it: from the load's padding if that works, else from a mask.

// RUN: drawloom-opt %s -convert-linalg-to-tile -canonicalize | FileCheck %s

#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// Zero, which a load pads with anyway, is right for a sum, also after extf.
// CHECK-LABEL: tile.kernel @sum(
// CHECK:       tile.load %arg0[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<16x512xbf16>
// CHECK-NOT:   arith.select
// CHECK:       tile.reduce addf
func.func @sum(%x: tensor<?x?xbf16>, %init: tensor<?xf32>) -> tensor<?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [16, 512]>} {
  %0 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xbf16>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: bf16, %s: f32):
    %w = arith.extf %a : bf16 to f32
    %t = arith.addf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// For a maximum the load pads with minus infinity.
// CHECK-LABEL: tile.kernel @maximum(
// CHECK:       tile.load %arg0[%{{.*}}, %{{.*}}] pad(0xFF80 : bf16)
// CHECK-NOT:   arith.select
// CHECK:       tile.reduce maximumf
func.func @maximum(%x: tensor<?x?xbf16>, %init: tensor<?xf32>) -> tensor<?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [16, 512]>} {
  %0 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xbf16>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: bf16, %s: f32):
    %w = arith.extf %a : bf16 to f32
    %t = arith.maximumf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A load pads in one way. The sum came first, so the minimum gets a mask.
// CHECK-LABEL: tile.kernel @sum_and_minimum(
// CHECK:       scf.for
// CHECK-COUNT-1: tile.load
// CHECK-NOT:   tile.load
// CHECK:       tile.reduce addf
// CHECK:       arith.select {{.*}} : tensor<16x512xi1>, tensor<16x512xf32>
// CHECK:       tile.reduce minimumf
func.func @sum_and_minimum(%x: tensor<?x?xf32>, %zero: tensor<?xf32>, %large: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {tile.schedule = #tile.schedule<tile = [16, 512]>} {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%zero : tensor<?xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.minimumf } ins(%x : tensor<?x?xf32>) outs(%large : tensor<?xf32>) dimensions = [1]
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// exp(0) is 1, so the mask comes after it. It says how many elements of the tile
// are inside; no more than there are, which fits into 32 bits.
// CHECK-LABEL: tile.kernel @sum_of_exp(
// CHECK:       %[[N:.*]] = tile.dim %arg0, 1
// CHECK:       scf.for %[[J:[^ ]*]] =
// CHECK:         %[[X:.*]] = tile.load %arg0[%{{.*}}, %[[J]]] : !tile.view<?x?xf32> -> tensor<16x512xf32>
// CHECK:         %[[E:.*]] = math.exp %[[X]]
// CHECK:         %[[LEFT:.*]] = arith.subi %[[N]], %[[J]] : index
// CHECK:         %[[INSIDE:.*]] = arith.minsi %[[LEFT]], %c512
// CHECK:         %[[I32:.*]] = arith.index_cast %[[INSIDE]] : index to i32
// CHECK:         %[[IOTA:.*]] = tile.iota : tensor<512xi32>
// CHECK:         %[[BOUND:.*]] = tensor.splat %[[I32]] : tensor<512xi32>
// CHECK:         %[[ROW:.*]] = arith.cmpi slt, %[[IOTA]], %[[BOUND]]
// CHECK:         %[[MASK:.*]] = tile.broadcast %{{.*}} : tensor<1x512xi1> -> tensor<16x512xi1>
// CHECK:         %[[S:.*]] = arith.select %[[MASK]], %[[E]], %{{.*}}
// CHECK:         tile.reduce addf %[[S]] axis 1
func.func @sum_of_exp(%x: tensor<?x?xf32>, %init: tensor<?xf32>) -> tensor<?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [16, 512]>} {
  %0 = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %s: f32):
    %e = math.exp %a : f32
    %t = arith.addf %s, %e : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Sizes that are a multiple of the tile have no edge.
// CHECK-LABEL: tile.kernel @no_edge(
// CHECK-NOT:   arith.select
// CHECK-NOT:   pad
// CHECK:       tile.reduce maximumf
func.func @no_edge(%x: tensor<?x1024xf32>, %init: tensor<?xf32>) -> tensor<?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [16, 512]>} {
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<?x1024xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %0 : tensor<?xf32>
}

// A product has operands that are computed: both must be zero past the end of k.
// CHECK-LABEL: tile.kernel @computed(
// CHECK:       %[[E:.*]] = math.exp
// CHECK:       %[[A:.*]] = arith.select %{{.*}}, %[[E]], %{{.*}} : tensor<64x32xi1>, tensor<64x32xf16>
// CHECK:       %[[B:.*]] = tile.load %arg1
// CHECK:       %[[BT:.*]] = tile.transpose %[[B]]
// CHECK:       tile.mma %[[A]], %[[BT]]
func.func @computed(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [64, 128, 32]>} {
  %e = math.exp %a : tensor<?x?xf16>
  %d = linalg.matmul ins(%e, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
