// The operations of a body work on whole tiles, over no more dimensions than
// their operands have.

// RUN: drawloom-opt %s -convert-linalg-to-tile -canonicalize | FileCheck %s

// What depends on nothing stays a scalar, what depends on a row stays a row.
// CHECK-LABEL: tile.kernel @small(
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [32, 64]
// CHECK-DAG:     %[[X:.*]] = tile.load %arg0[%[[M]], %[[N]]]
// CHECK-DAG:     %[[ROW:.*]] = tile.load %arg1[%[[N]]]
// CHECK:         %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : tensor<32x64xf32>
// CHECK:         %[[SCALE:.*]] = arith.mulf %arg2, %arg2 : f32
// CHECK:         %[[SCALES:.*]] = tensor.splat %[[SCALE]] : tensor<64xf32>
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[ROW]], %[[SCALES]] : tensor<64xf32>
// CHECK:         %[[WIDE:.*]] = tile.broadcast
// CHECK:         arith.select %[[BELOW]], %[[WIDE]], %[[X]] : tensor<32x64xi1>, tensor<32x64xf32>
func.func @small(%x: tensor<?x?xf32>, %row: tensor<?xf32>, %alpha: f32) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %row : tensor<?x?xf32>, tensor<?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %zero = arith.constant 0.0 : f32
    %scale = arith.mulf %alpha, %alpha : f32
    %scaled = arith.mulf %b, %scale : f32
    %below = arith.cmpf olt, %a, %zero : f32
    %c = arith.select %below, %scaled, %a : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A tensor that is read and written the other way round is transposed; a dimension
// of size one that is read at 0 is no part of a tile.
// CHECK-LABEL: tile.kernel @turned(
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [32, 64] of %out
// CHECK:         %[[X:.*]] = tile.load %arg0[%[[N]], %[[M]]] : !tile.view<?x?xf32> -> tensor<64x32xf32>
// CHECK:         %[[T:.*]] = tile.transpose %[[X]] [1, 0]
// CHECK:         %[[C:.*]] = tile.load %arg1[%[[M]], 0] dims [0] : !tile.view<?x1xf32, strides = [1, 1]> -> tensor<32xf32>
// CHECK:         %[[E:.*]] = tile.expand_dims %[[C]] axis 1
// CHECK:         %[[B:.*]] = tile.broadcast %[[E]]
// CHECK:         arith.addf %[[T]], %[[B]]
func.func @turned(%x: tensor<?x?xf32>, %column: tensor<?x1xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, 0)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %column : tensor<?x?xf32>, tensor<?x1xf32>) outs(%out : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Two results of one operation, from an operation with two results; each is
// returned under its own name.
// CHECK-LABEL: tile.kernel @wide_product(
// CHECK:       %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended %{{.*}}, %{{.*}} : tensor<128xi32>
// CHECK-DAG:   tile.store %[[LOW]], %low
// CHECK-DAG:   tile.store %[[HIGH]], %high
func.func @wide_product(%x: tensor<?xi32>, %y: tensor<?xi32>)
    -> (tensor<?xi32> {tile.name = "low"}, tensor<?xi32> {tile.name = "high"})
    attributes {tile.schedule = #tile.schedule<tile = [128]>} {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xi32>, tensor<?xi32>) outs(%x, %x : tensor<?xi32>, tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32, %u: i32, %v: i32):
    %low, %high = arith.mulsi_extended %a, %b : i32
    linalg.yield %low, %high : i32, i32
  } -> (tensor<?xi32>, tensor<?xi32>)
  return %0#0, %0#1 : tensor<?xi32>, tensor<?xi32>
}

// A result that is returned twice is stored twice.
// CHECK-LABEL: tile.kernel @twice(
// CHECK:       tile.store %[[V:.*]], %out0
// CHECK:       tile.store %[[V]], %out1
func.func @twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {tile.schedule = #tile.schedule<tile = [128]>} {
  %0 = math.exp %x : tensor<?xf32>
  return %0, %0 : tensor<?xf32>, tensor<?xf32>
}

// The position of an element is where its tile begins, and a number.
// CHECK-LABEL: tile.kernel @positions(
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [32, 64]
// CHECK:         %[[I:.*]] = tile.iota : tensor<64xindex>
// CHECK:         %[[START:.*]] = tensor.splat %[[N]] : tensor<64xindex>
// CHECK:         %[[AT:.*]] = arith.addi %[[I]], %[[START]] : tensor<64xindex>
// CHECK:         arith.index_cast %[[AT]] : tensor<64xindex> to tensor<64xi32>
func.func @positions(%x: tensor<?x?xi32>) -> tensor<?x?xi32>
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xi32>) outs(%x : tensor<?x?xi32>) {
  ^bb0(%a: i32, %unused: i32):
    %n = linalg.index 1 : index
    %i = arith.index_cast %n : index to i32
    %c = arith.addi %a, %i : i32
    linalg.yield %c : i32
  } -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// Numbers of tensors are scalars that are loaded in the work tile, and what is
// computed of them stays one. A tensor without dimensions is a view of one element.
// CHECK-LABEL: tile.kernel @numbers(
// CHECK-SAME:    !tile.view<?xf32>, %{{[^:]*}}: !tile.view<1xf32>
// CHECK:       tile.for_each
// CHECK-DAG:     %[[THIRD:.*]] = tile.load %arg1[2] : !tile.view<?xf32> -> f32
// CHECK-DAG:     %[[SCALE:.*]] = tile.load %arg2[0] : !tile.view<1xf32> -> f32
// CHECK-DAG:     tensor.splat %[[SCALE]]
// CHECK-DAG:     %[[TWICE:.*]] = arith.addf %[[THIRD]], %[[THIRD]] : f32
// CHECK:         tensor.splat %[[TWICE]]
func.func @numbers(%x: tensor<?x?xf32>, %table: tensor<?xf32>, %scale: tensor<f32>) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %c2 = arith.constant 2 : index
  %third = tensor.extract %table[%c2] : tensor<?xf32>
  %twice = arith.addf %third, %third : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : tensor<?x?xf32>, tensor<f32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%a: f32, %s: f32, %unused: f32):
    %b = arith.mulf %a, %s : f32
    %c = arith.addf %b, %twice : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A part of an argument is a part of its view.
// CHECK-LABEL: tile.kernel @halves(
// CHECK-DAG:   %[[LEFT:.*]] = tile.subview %arg0[0, 0] [256, 100]
// CHECK-DAG:   %[[RIGHT:.*]] = tile.subview %arg0[0, 100] [256, 100]
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [32, 64]
// CHECK-DAG:     tile.load %[[LEFT]][%[[M]], %[[N]]]
// CHECK-DAG:     tile.load %[[RIGHT]][%[[M]], %[[N]]]
func.func @halves(%x: tensor<256x200xf32>) -> tensor<256x100xf32>
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %a = tensor.extract_slice %x[0, 0] [256, 100] [1, 1] : tensor<256x200xf32> to tensor<256x100xf32>
  %b = tensor.extract_slice %x[0, 100] [256, 100] [1, 1] : tensor<256x200xf32> to tensor<256x100xf32>
  %y = arith.mulf %a, %b : tensor<256x100xf32>
  return %y : tensor<256x100xf32>
}

// A result in another shape is stored as it is computed.
// CHECK-LABEL: tile.kernel @heads(
// CHECK-SAME:    %y: !tile.view<256x512xf32>
// CHECK:         tile.store %{{.*}}, %y[{{.*}}] : tensor<32x64xf32>, !tile.view<256x512xf32>
func.func @heads(%x: tensor<256x512xf32>) -> (tensor<256x8x64xf32> {tile.name = "y"})
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %empty = tensor.empty() : tensor<256x512xf32>
  %0 = linalg.exp ins(%x : tensor<256x512xf32>) outs(%empty : tensor<256x512xf32>) -> tensor<256x512xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [256, 8, 64] : tensor<256x512xf32> into tensor<256x8x64xf32>
  return %1 : tensor<256x8x64xf32>
}

// So is one that was made narrower on whole tensors before.
// CHECK-LABEL: tile.kernel @narrow_heads(
// CHECK-SAME:    %y: !tile.view<128x256xbf16>
// CHECK:         arith.truncf
// CHECK:         tile.store %{{.*}}, %y[{{.*}}] : tensor<32x64xbf16>, !tile.view<128x256xbf16>
func.func @narrow_heads(%x: tensor<128x256xf32>) -> (tensor<128x4x64xbf16> {tile.name = "y"})
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %0 = arith.truncf %x : tensor<128x256xf32> to tensor<128x256xbf16>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xbf16> into tensor<128x4x64xbf16>
  return %1 : tensor<128x4x64xbf16>
}

// Rows that may be any distance apart.
// CHECK-LABEL: tile.kernel @any_rows(
// CHECK-SAME:    %{{.*}}: !tile.view<128x256xf32, strides = [?, 1]>
// CHECK-SAME:    %y: !tile.view<128x256xbf16, strides = [?, 1]>
func.func @any_rows(%x: tensor<128x256xf32> {tile.open_strides}) -> (tensor<128x256xbf16> {tile.name = "y", tile.open_strides})
    attributes {tile.schedule = #tile.schedule<tile = [32, 64]>} {
  %0 = arith.truncf %x : tensor<128x256xf32> to tensor<128x256xbf16>
  return %0 : tensor<128x256xbf16>
}
