// The canonical forms, one function for each.
// RUN: drawloom-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @static_dim
// CHECK-NEXT:    %[[C:.*]] = arith.constant 16 : index
// CHECK-NEXT:    return %[[C]]
func.func @static_dim(%v: !tile.view<?x16xf32>) -> index {
  %0 = tile.dim %v, 1 : !tile.view<?x16xf32>
  return %0 : index
}

// -----

// CHECK-LABEL: @dim_of_subview
// CHECK-SAME:    %[[N:.*]]: index
// CHECK-NEXT:    return %[[N]]
func.func @dim_of_subview(%n: index, %v: !tile.view<?x16xf32>) -> index {
  %0 = tile.subview %v[0, 0] [%n, 16] : !tile.view<?x16xf32> -> !tile.view<?x16xf32>
  %1 = tile.dim %0, 0 : !tile.view<?x16xf32>
  return %1 : index
}

// -----

// CHECK-LABEL: @whole_subview
// CHECK-SAME:    %[[V:.*]]: !tile.view<8x16xf32>
// CHECK-NEXT:    return %[[V]]
func.func @whole_subview(%v: !tile.view<8x16xf32>) -> !tile.view<8x16xf32> {
  %0 = tile.subview %v[0, 0] [8, 16] : !tile.view<8x16xf32> -> !tile.view<8x16xf32>
  return %0 : !tile.view<8x16xf32>
}

// -----

// The sizes of a view that is not known may be smaller than the box.
// CHECK-LABEL: @not_the_whole
// CHECK:         tile.subview
func.func @not_the_whole(%v: !tile.view<?x16xf32>, %n: index) -> !tile.view<?x16xf32> {
  %0 = tile.subview %v[0, 0] [%n, 16] : !tile.view<?x16xf32> -> !tile.view<?x16xf32>
  return %0 : !tile.view<?x16xf32>
}

// -----

// CHECK-LABEL: @constant_subview
// CHECK-SAME:    %[[V:.*]]: !tile.view<?x16xf32>
// CHECK-NEXT:    %[[S:.*]] = tile.subview %[[V]][8, 0] [32, 16] : !tile.view<?x16xf32> -> !tile.view<32x16xf32>
// CHECK-NEXT:    tile.load %[[S]][0, 0] : !tile.view<32x16xf32> -> tensor<4x4xf32>
func.func @constant_subview(%v: !tile.view<?x16xf32>) -> tensor<4x4xf32> {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %0 = tile.subview %v[%c8, 0] [%c32, 16] : !tile.view<?x16xf32> -> !tile.view<?x16xf32>
  %1 = tile.load %0[0, 0] : !tile.view<?x16xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Through a subview of the subview, which has a type of its own.
// CHECK-LABEL: @constant_subview_of_subview
// CHECK-NEXT:    %[[S:.*]] = tile.subview %{{.*}}[0, 0] [32, 16] : !tile.view<?x16xf32> -> !tile.view<32x16xf32>
// CHECK-NEXT:    tile.subview %[[S]][%{{.*}}, 0] [%{{.*}}, 8] : !tile.view<32x16xf32> -> !tile.view<?x8xf32>
func.func @constant_subview_of_subview(%v: !tile.view<?x16xf32>, %i: index) -> !tile.view<?x8xf32> {
  %c32 = arith.constant 32 : index
  %0 = tile.subview %v[0, 0] [%c32, 16] : !tile.view<?x16xf32> -> !tile.view<?x16xf32>
  %1 = tile.subview %0[%i, 0] [%i, 8] : !tile.view<?x16xf32> -> !tile.view<?x8xf32>
  return %1 : !tile.view<?x8xf32>
}

// -----

// A user outside the dialect needs the type as it is.
// CHECK-LABEL: @constant_subview_escapes
// CHECK:         tile.subview %{{.*}}[0, 0] [%{{.*}}, 16] : !tile.view<?x16xf32> -> !tile.view<?x16xf32>
func.func @constant_subview_escapes(%v: !tile.view<?x16xf32>) -> !tile.view<?x16xf32> {
  %c32 = arith.constant 32 : index
  %0 = tile.subview %v[0, 0] [%c32, 16] : !tile.view<?x16xf32> -> !tile.view<?x16xf32>
  return %0 : !tile.view<?x16xf32>
}

// -----

// CHECK-LABEL: @constant_offsets
// CHECK-NOT:     arith.constant
// CHECK:         %[[X:.*]] = tile.load %{{.*}}[%{{.*}}, 64] : !tile.view<?x?xf32> -> tensor<4x4xf32>
// CHECK:         tile.store %[[X]], %{{.*}}[64, %{{.*}}] : tensor<4x4xf32>, !tile.view<?x?xf32>
// CHECK:         tile.read %{{.*}}[64] : !tile.buffer<128xf32, smem> -> tensor<64xf32>
// CHECK:         tile.write %{{.*}}, %{{.*}}[64] : tensor<64xf32>, !tile.buffer<128xf32, smem>
func.func @constant_offsets(%v: !tile.view<?x?xf32>, %b: !tile.buffer<128xf32, smem>, %i: index) {
  %c64 = arith.constant 64 : index
  %0 = tile.load %v[%i, %c64] : !tile.view<?x?xf32> -> tensor<4x4xf32>
  tile.store %0, %v[%c64, %i] : tensor<4x4xf32>, !tile.view<?x?xf32>
  %1 = tile.read %b[%c64] : !tile.buffer<128xf32, smem> -> tensor<64xf32>
  tile.write %1, %b[%c64] : tensor<64xf32>, !tile.buffer<128xf32, smem>
  return
}

// -----

// CHECK-LABEL: @default_dims
// CHECK:         %[[X:.*]] = tile.load %{{.*}}[0, 0, 0] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
// CHECK:         tile.store %[[X]], %{{.*}}[0, 0, 0] : tensor<4x4xf32>, !tile.view<?x?x?xf32>
// CHECK:         tile.store %[[X]], %{{.*}}[0, 0, 0] dims [0, 2] : tensor<4x4xf32>, !tile.view<?x?x?xf32>
func.func @default_dims(%v: !tile.view<?x?x?xf32>) {
  %0 = tile.load %v[0, 0, 0] dims [1, 2] : !tile.view<?x?x?xf32> -> tensor<4x4xf32>
  tile.store %0, %v[0, 0, 0] dims [1, 2] : tensor<4x4xf32>, !tile.view<?x?x?xf32>
  tile.store %0, %v[0, 0, 0] dims [0, 2] : tensor<4x4xf32>, !tile.view<?x?x?xf32>
  return
}

// -----

// CHECK-LABEL: @zero_pad
// CHECK:         tile.load %{{.*}}[0] : !tile.view<?xf32> -> tensor<4xf32>
// CHECK:         tile.load %{{.*}}[4] pad(-0.000000e+00 : f32) : !tile.view<?xf32> -> tensor<4xf32>
func.func @zero_pad(%v: !tile.view<?xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tile.load %v[0] pad(0.0 : f32) : !tile.view<?xf32> -> tensor<4xf32>
  %1 = tile.load %v[4] pad(-0.0 : f32) : !tile.view<?xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @double_transpose
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT:    return %[[X]]
func.func @double_transpose(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = tile.transpose %0 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Not the identity: the second permutation acts on the first one's result.
// CHECK-LABEL: @transpose_of_transpose
// CHECK-NEXT:    tile.transpose %{{.*}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT:    return
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tile.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = tile.transpose %0 [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: @transpose_of_a_column
// CHECK-NEXT:    tile.expand_dims %{{.*}} axis 0 : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    return
func.func @transpose_of_a_column(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  %0 = tile.expand_dims %x axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %1 = tile.transpose %0 [1, 0] : tensor<8x1xf32> -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// -----

// A square transpose has the type of its source and still does something.
// CHECK-LABEL: @square_transpose
// CHECK-NEXT:    tile.transpose
func.func @square_transpose(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tile.transpose %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @transpose_of_broadcast
// CHECK-NEXT:    %[[T:.*]] = tile.transpose %{{.*}} [1, 0] : tensor<1x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    tile.broadcast %[[T]] : tensor<8x1xf32> -> tensor<8x4xf32>
func.func @transpose_of_broadcast(%x: tensor<1x8xf32>) -> tensor<8x4xf32> {
  %0 = tile.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = tile.transpose %0 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// The small tile is negated, before it gets its shape.
// CHECK-LABEL: @negate_small
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT:    %[[N:.*]] = arith.negf %[[X]] : tensor<8xf32>
// CHECK-NEXT:    %[[E:.*]] = tile.expand_dims %[[N]] axis 0 : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %[[B:.*]] = tile.broadcast %[[E]] : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    return %[[B]]
func.func @negate_small(%x: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = tile.expand_dims %x axis 0 : tensor<8xf32> -> tensor<1x8xf32>
  %1 = tile.broadcast %0 : tensor<1x8xf32> -> tensor<4x8xf32>
  %2 = arith.negf %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Who else reads the broadcast would need two.
// CHECK-LABEL: @negate_shared
// CHECK-NEXT:    %[[B:.*]] = tile.broadcast
// CHECK-NEXT:    %[[N:.*]] = arith.negf %[[B]]
// CHECK-NEXT:    return %[[B]], %[[N]]
func.func @negate_shared(%x: tensor<1x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tile.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = arith.negf %0 : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// An MMA of a negated operand is one that is subtracted, also through a
// transpose; twice is never.
// CHECK-LABEL: @subtract
// CHECK-SAME:    %[[A:[^ ]*]]: tensor<128x64xbf16>, %[[B:[^ ]*]]: tensor<64x128xbf16>, %[[S:[^ ]*]]: tensor<128x128xf32>
// CHECK:         %[[T:.*]] = tile.transpose %[[B]] [1, 0]
// CHECK:         %[[ONE:.*]] = tile.mma %[[A]], %[[T]], %[[S]] negated :
// CHECK:         %[[T2:.*]] = tile.transpose %[[B]] [1, 0]
// CHECK:         %[[TWO:.*]] = tile.mma %[[A]], %[[T2]], %[[ONE]] :
// CHECK-NOT:     arith.negf
// CHECK:         return %[[TWO]]
func.func @subtract(%a: tensor<128x64xbf16>, %b: tensor<64x128xbf16>, %s: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %minus = arith.negf %b : tensor<64x128xbf16>
  %t = tile.transpose %minus [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
  %one = tile.mma %a, %t, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %other = arith.negf %a : tensor<128x64xbf16>
  %two = tile.mma %other, %t, %one : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  return %two : tensor<128x128xf32>
}

// -----

// Block scales have no bit for it.
// CHECK-LABEL: @negated_scaled
// CHECK:         arith.negf
// CHECK:         tile.mma
// CHECK-NOT:     negated
func.func @negated_scaled(%a: tensor<128x64xf8E4M3FN>, %x: tensor<128x2xf8E8M0FNU>, %s: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %minus = arith.negf %a : tensor<128x64xf8E4M3FN>
  %0 = tile.mma %minus, %a, %s scales(%x, %x : tensor<128x2xf8E8M0FNU>, tensor<128x2xf8E8M0FNU>)
    : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

// CHECK-LABEL: @broadcast_same_shape
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT:    return %[[X]]
func.func @broadcast_same_shape(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @broadcast_of_broadcast
// CHECK-SAME:    %[[X:.*]]: tensor<1x1xf32>
// CHECK-NEXT:    tile.broadcast %[[X]] : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    return
func.func @broadcast_of_broadcast(%x: tensor<1x1xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<1x1xf32> -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @expand_of_broadcast
// CHECK-NEXT:    %[[E:.*]] = tile.expand_dims %{{.*}} axis 1 : tensor<1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    tile.broadcast %[[E]] : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    return
func.func @expand_of_broadcast(%x: tensor<1xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<1xf32> -> tensor<4xf32>
  %1 = tile.expand_dims %0 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = tile.broadcast %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @splat_constants
// CHECK-DAG:     %[[A:.*]] = arith.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK-DAG:     %[[B:.*]] = arith.constant dense<1.000000e+00> : tensor<4x1xf32>
// CHECK-DAG:     %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NOT:     tile.
// CHECK:         return %[[A]], %[[A]], %[[B]], %[[C]]
func.func @splat_constants() -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<2xf32>) {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  %1 = tile.expand_dims %0 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = tile.broadcast %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = tile.extract_slice %0 [1] : tensor<4xf32> -> tensor<2xf32>
  %4 = arith.constant dense<1.0> : tensor<8x4xf32>
  %5 = tile.transpose %4 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return %2, %5, %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @splat_values
// CHECK-SAME:    %[[S:.*]]: f32
// CHECK-DAG:     %[[A:.*]] = tensor.splat %[[S]] : tensor<8x4xf32>
// CHECK-DAG:     %[[B:.*]] = tensor.splat %[[S]] : tensor<2xf32>
// CHECK-NOT:     tile.
// CHECK:         return %[[A]], %[[B]]
func.func @splat_values(%s: f32) -> (tensor<8x4xf32>, tensor<2xf32>) {
  %0 = tensor.splat %s : tensor<4xf32>
  %1 = tile.expand_dims %0 axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = tile.broadcast %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = tile.transpose %2 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %4 = tile.extract_slice %0 [1] : tensor<4xf32> -> tensor<2xf32>
  return %3, %4 : tensor<8x4xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @whole_slice
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT:    return %[[X]]
func.func @whole_slice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tile.extract_slice %x [0, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @slice_of_slice
// CHECK-NEXT:    tile.extract_slice %{{.*}} [2, 5] : tensor<8x8xf32> -> tensor<1x2xf32>
// CHECK-NEXT:    return
func.func @slice_of_slice(%x: tensor<8x8xf32>) -> tensor<1x2xf32> {
  %0 = tile.extract_slice %x [2, 4] : tensor<8x8xf32> -> tensor<4x4xf32>
  %1 = tile.extract_slice %0 [0, 1] : tensor<4x4xf32> -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: @slice_of_broadcast
// CHECK-NEXT:    %[[S:.*]] = tile.extract_slice %{{.*}} [0, 4] : tensor<1x8xf32> -> tensor<1x4xf32>
// CHECK-NEXT:    tile.broadcast %[[S]] : tensor<1x4xf32> -> tensor<2x4xf32>
func.func @slice_of_broadcast(%x: tensor<1x8xf32>) -> tensor<2x4xf32> {
  %0 = tile.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %1 = tile.extract_slice %0 [2, 4] : tensor<4x8xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

#a = #tile.layout<2x2, register = [[0, 1], [1, 0]]>
#b = #tile.layout<2x2, register = [[1, 0], [0, 1]]>
// CHECK-LABEL: @convert_layout
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<2x2xf32, #{{[a-z0-9]+}}>,
// CHECK-SAME:    %[[Y:.*]]: tensor<2x2xf32>
// CHECK-NEXT:    %[[C:.*]] = tile.convert_layout %[[Y]] : tensor<2x2xf32> -> tensor<2x2xf32, #{{.*}}>
// CHECK-NEXT:    return %[[X]], %[[X]], %[[C]]
func.func @convert_layout(%x: tensor<2x2xf32, #a>, %y: tensor<2x2xf32>)
    -> (tensor<2x2xf32, #a>, tensor<2x2xf32, #a>, tensor<2x2xf32, #b>) {
  %0 = tile.convert_layout %x : tensor<2x2xf32, #a> -> tensor<2x2xf32, #a>
  %1 = tile.convert_layout %x : tensor<2x2xf32, #a> -> tensor<2x2xf32, #b>
  %2 = tile.convert_layout %1 : tensor<2x2xf32, #b> -> tensor<2x2xf32, #a>
  %3 = tile.convert_layout %y : tensor<2x2xf32> -> tensor<2x2xf32, #a>
  %4 = tile.convert_layout %3 : tensor<2x2xf32, #a> -> tensor<2x2xf32, #b>
  return %0, %2, %4 : tensor<2x2xf32, #a>, tensor<2x2xf32, #a>, tensor<2x2xf32, #b>
}

// -----

#a = #tile.layout<2x2, register = [[0, 1], [1, 0]]>
// CHECK-LABEL: @convert_splats
// CHECK-SAME:    %[[S:.*]]: f32
// CHECK-DAG:     arith.constant dense<1.000000e+00> : tensor<2x2xf32, #{{.*}}>
// CHECK-DAG:     tensor.splat %[[S]] : tensor<2x2xf32, #{{.*}}>
// CHECK-NOT:     tile.convert_layout
func.func @convert_splats(%s: f32) -> (tensor<2x2xf32, #a>, tensor<2x2xf32, #a>) {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  %1 = tile.convert_layout %0 : tensor<2x2xf32> -> tensor<2x2xf32, #a>
  %2 = tensor.splat %s : tensor<2x2xf32>
  %3 = tile.convert_layout %2 : tensor<2x2xf32> -> tensor<2x2xf32, #a>
  return %1, %3 : tensor<2x2xf32, #a>, tensor<2x2xf32, #a>
}

// -----

// Where a tile carries a layout, the order of the operations stays.
#a = #tile.layout<4, register = [[1], [2]]>
// CHECK-LABEL: @layouts_stay
// CHECK-NEXT:    tile.broadcast
// CHECK-NEXT:    tile.expand_dims
func.func @layouts_stay(%x: tensor<1xf32>) -> tensor<4x1xf32> {
  %0 = tile.broadcast %x : tensor<1xf32> -> tensor<4xf32, #a>
  %1 = tile.expand_dims %0 axis 1 : tensor<4xf32, #a> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// -----

// CHECK-LABEL: @reduce_of_one
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT:    return %[[X]]
func.func @reduce_of_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tile.expand_dims %x axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %1 = tile.reduce mulf %0 axis 1 : tensor<4x1xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A maximum is scaled, and not what it is the maximum of.
// CHECK-LABEL: @scaled_maximum
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-DAG:     %[[C:.*]] = arith.constant dense<2.500000e-01> : tensor<4x8xf32>
// CHECK-DAG:     %[[D:.*]] = arith.constant dense<2.500000e-01> : tensor<4xf32>
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[X]], %[[C]]
// CHECK:         %[[MAX:.*]] = tile.reduce maximumf %[[X]] axis 1
// CHECK:         %[[RESULT:.*]] = arith.mulf %[[MAX]], %[[D]]
// CHECK:         return %[[SCALED]], %[[RESULT]]
func.func @scaled_maximum(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %c = arith.constant dense<0.25> : tensor<4x8xf32>
  %0 = arith.mulf %x, %c : tensor<4x8xf32>
  %1 = tile.reduce maximumf %0 axis 1 : tensor<4x8xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// The mask is of what is scaled later.
// CHECK-LABEL: @scaled_maximum_of_some
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8xf32>, %[[MASK:.*]]: tensor<4x8xi1>)
// CHECK:         %[[SOME:.*]] = arith.select %[[MASK]], %[[X]], %{{.*}}
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[SOME]], %{{.*}}
// CHECK:         %[[MAX:.*]] = tile.reduce maxnumf %[[SOME]] axis 1
// CHECK:         %[[RESULT:.*]] = arith.mulf %[[MAX]], %{{.*}}
// CHECK:         return %[[SCALED]], %[[RESULT]]
func.func @scaled_maximum_of_some(%x: tensor<4x8xf32>, %mask: tensor<4x8xi1>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %c = arith.constant dense<0.25> : tensor<4x8xf32>
  %none = arith.constant dense<0xFF800000> : tensor<4x8xf32>
  %0 = arith.mulf %x, %c : tensor<4x8xf32>
  %1 = arith.select %mask, %0, %none : tensor<4x8xi1>, tensor<4x8xf32>
  %2 = tile.reduce maxnumf %1 axis 1 : tensor<4x8xf32> -> tensor<4xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4xf32>
}

// A factor below zero turns the order round, zero times infinity is no number,
// and what is finite elsewhere would have to be divided.
// CHECK-LABEL: @factors_that_stay
// CHECK:         %[[A:.*]] = arith.mulf
// CHECK:         tile.reduce maximumf %[[A]]
// CHECK:         %[[B:.*]] = arith.mulf
// CHECK:         tile.reduce maximumf %[[B]]
// CHECK:         %[[C:.*]] = arith.select
// CHECK:         tile.reduce maximumf %[[C]]
func.func @factors_that_stay(%x: tensor<4x8xf32>, %mask: tensor<4x8xi1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %below = arith.constant dense<-0.25> : tensor<4x8xf32>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %0 = arith.mulf %x, %below : tensor<4x8xf32>
  %1 = tile.reduce maximumf %0 axis 1 : tensor<4x8xf32> -> tensor<4xf32>
  %2 = arith.mulf %x, %zero : tensor<4x8xf32>
  %3 = tile.reduce maximumf %2 axis 1 : tensor<4x8xf32> -> tensor<4xf32>
  %4 = arith.mulf %x, %two : tensor<4x8xf32>
  %5 = arith.select %mask, %4, %two : tensor<4x8xi1>, tensor<4x8xf32>
  %6 = tile.reduce maximumf %5 axis 1 : tensor<4x8xf32> -> tensor<4xf32>
  return %1, %3, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @reduce_the_other_axis
// CHECK:         tile.reduce
func.func @reduce_the_other_axis(%x: tensor<4xf32>) -> tensor<1xf32> {
  %0 = tile.expand_dims %x axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %1 = tile.reduce mulf %0 axis 0 : tensor<4x1xf32> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// CHECK-LABEL: @integer_product_with_zero
// CHECK-SAME:    %{{.*}}: tensor<4x8xi8>, %[[ACC:.*]]: tensor<4x4xi32>
// CHECK-NEXT:    return %[[ACC]], %[[ACC]]
func.func @integer_product_with_zero(%x: tensor<4x8xi8>, %acc: tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<4x4xi32>) {
  %zero = arith.constant dense<0> : tensor<4x8xi8>
  %0 = tile.mma %x, %zero, %acc : tensor<4x8xi8>, tensor<4x8xi8> -> tensor<4x4xi32>
  %1 = tile.mma %zero, %x, %acc : tensor<4x8xi8>, tensor<4x8xi8> -> tensor<4x4xi32>
  return %0, %1 : tensor<4x4xi32>, tensor<4x4xi32>
}

// -----

// Zero times an infinity is not zero.
// CHECK-LABEL: @float_product_with_zero
// CHECK:         tile.mma
func.func @float_product_with_zero(%x: tensor<4x8xbf16>, %acc: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x8xbf16>
  %0 = tile.mma %x, %zero, %acc : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
