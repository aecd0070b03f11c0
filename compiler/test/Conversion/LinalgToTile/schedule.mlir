// Tile sizes: from the schedule, with or without the axes along which a tile has
// one element; from the planner if the schedule has none.

// RUN: drawloom-opt %s -convert-linalg-to-tile | FileCheck %s


// CHECK-LABEL: tile.kernel @short(
// CHECK:       tile.for_each (%{{.*}}, %{{.*}}, %{{.*}}) tiles [1, 64, 128] of %out
// CHECK:         tile.mma {{.*}} : tensor<64x32xf16>, tensor<128x32xf16> -> tensor<64x128xf32>
func.func @short(%a: tensor<4x?x?xf16>, %b: tensor<4x?x?xf16>, %c: tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [64, 128, 32]>} {
  %d = linalg.batch_matmul ins(%a, %b : tensor<4x?x?xf16>, tensor<4x?x?xf16>) outs(%c : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  return %d : tensor<4x?x?xf32>
}

// The other fields of a schedule are kept.
// CHECK-LABEL: tile.kernel @long(
// CHECK-SAME:    #tile.schedule<tile = [1, 64, 128, 32], roles = single, slots = {operands = 3}>
// CHECK:       tile.for_each (%{{.*}}, %{{.*}}, %{{.*}}) tiles [1, 64, 128] of %out
func.func @long(%a: tensor<4x?x?xf16>, %b: tensor<4x?x?xf16>, %c: tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [1, 64, 128, 32], roles = single, slots = {operands = 3}>} {
  %d = linalg.batch_matmul ins(%a, %b : tensor<4x?x?xf16>, tensor<4x?x?xf16>) outs(%c : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  return %d : tensor<4x?x?xf32>
}

// The planner says why.
// CHECK-LABEL: tile.kernel @planned(
// CHECK-SAME:    tile.reasons = ["tile: [[M:[0-9]+]]x[[N:[0-9]+]]x[[K:[0-9]+]], {{[^"]*}}"]
// CHECK-SAME:    #tile.schedule<tile = {{\[}}[[M]], [[N]], [[K]]{{\]}}, roles = multi>
// CHECK:       tile.for_each (%{{.*}}, %{{.*}}, %{{.*}}) tiles [1, [[M]], [[N]]] of %out
func.func @planned(%a: tensor<4x?x?xf16>, %b: tensor<4x?x?xf16>, %c: tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = multi>} {
  %d = linalg.batch_matmul ins(%a, %b : tensor<4x?x?xf16>, tensor<4x?x?xf16>) outs(%c : tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  return %d : tensor<4x?x?xf32>
}

// Without a product, too.
// CHECK-LABEL: tile.kernel @copies(
// CHECK-SAME:    tile.reasons = ["tile: [[M:[0-9]+]]x[[N:[0-9]+]], {{[^"]*}}"]
// CHECK:       tile.for_each (%{{.*}}, %{{.*}}) tiles {{\[}}[[M]], [[N]]{{\]}} of %out
func.func @copies(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {tile.target = "sm_90a"} {
  %d = arith.addf %a, %b : tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// A function that reduces everything is one work tile.
// CHECK-LABEL: tile.kernel @everything(
// CHECK-NOT:   tile.for_each
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           tile.reduce addf
// CHECK:       tile.store %{{.*}}, %out[0] : f32, !tile.view<1xf32>
func.func @everything(%x: tensor<?x?xf32>, %init: tensor<1xf32>) -> tensor<1xf32>
    attributes {tile.schedule = #tile.schedule<tile = [8, 256]>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(u, m, n) -> (m, n)>, affine_map<(u, m, n) -> (u)>],
                       iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%init : tensor<1xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
