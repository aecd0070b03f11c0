// Tiles that begin before their view, or before the part of it that they are
// loaded from: what is before is the pad, and is not stored.

// By TMA, which knows the edges of a tensor.
tile.kernel @whole(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>, %first: index, %column: index) {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    %at = arith.addi %m, %first : index
    %t = tile.load %X[%at, %column] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    tile.store %t, %Y[%at, %column] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}

// A part that may begin before the tensor, and a tile that may begin before it.
tile.kernel @part(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>, %first: index, %column: index) {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    %a = tile.subview %X[%first, 4] [100, 56] : !tile.view<?x64xf32> -> !tile.view<100x56xf32>
    %b = tile.subview %Y[%first, 0] [90, 60] : !tile.view<?x64xf32> -> !tile.view<90x60xf32>
    %t = tile.load %a[%m, %column] : !tile.view<100x56xf32> -> tensor<64x64xf32>
    tile.store %t, %b[%m, %column] : tensor<64x64xf32>, !tile.view<90x60xf32>
  }
}

// The same of rows that threads copy, and of operands of products.
tile.kernel @copied(%X: !tile.view<?x?xbf16, strides = [?, 1]>, %W: !tile.view<64x?xbf16>, %Y: !tile.view<?x64xf32>, %first: index, %column: index) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  tile.for_each (%m, %n) tiles [128, 64] of %Y : !tile.view<?x64xf32> {
    %at = arith.addi %m, %first : index
    %p = tile.subview %X[%first, 8] [80, 40] : !tile.view<?x?xbf16, strides = [?, 1]> -> !tile.view<80x40xbf16, strides = [?, 1]>
    %x = tile.load %X[%at, %column] : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<128x64xbf16>
    %z = tile.load %p[%m, %column] : !tile.view<80x40xbf16, strides = [?, 1]> -> tensor<128x64xbf16>
    %w = tile.load %W[0, 0] : !tile.view<64x?xbf16> -> tensor<64x64xbf16>
    %s = tile.mma %x, %w, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %t = tile.mma %z, %w, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %t, %Y[%m, %n] : tensor<128x64xf32>, !tile.view<?x64xf32>
  }
}

// In a dimension that the tile has one element of.
tile.kernel @thick(%X: !tile.view<3x?x64xf32>, %Y: !tile.view<3x?x64xf32>, %first: index, %column: index) {
  %M = tile.dim %X, 1 : !tile.view<3x?x64xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    %a = tile.subview %X[%first, 0, 0] [2, 80, 64] : !tile.view<3x?x64xf32> -> !tile.view<2x80x64xf32>
    %b = tile.subview %Y[0, 0, 0] [2, 80, 64] : !tile.view<3x?x64xf32> -> !tile.view<2x80x64xf32>
    %t = tile.load %a[%column, %m, 0] : !tile.view<2x80x64xf32> -> tensor<64x64xf32>
    tile.store %t, %b[%column, %m, 0] : tensor<64x64xf32>, !tile.view<2x80x64xf32>
  }
}

// Vectors and scalars, which threads load where they are used.
tile.kernel @vectors(%X: !tile.view<?x?xf32>, %Y: !tile.view<?xf32>, %first: index, %column: index) {
  %M = tile.dim %Y, 0 : !tile.view<?xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    %a = tile.subview %X[%first, %column] [9, 70] : !tile.view<?x?xf32> -> !tile.view<9x70xf32>
    %x = tile.load %a[2, %m] : !tile.view<9x70xf32> -> tensor<64xf32>
    %s = tile.load %a[%column, 3] : !tile.view<9x70xf32> -> f32
    %v = tensor.splat %s : tensor<64xf32>
    %t = arith.addf %x, %v : tensor<64xf32>
    tile.store %t, %Y[%m] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// Indices that are computed in 64 bits.
tile.kernel @far(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>, %by: i64, %factor: index) {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    %i = arith.index_cast %m : index to i64
    %j = arith.addi %i, %by : i64
    %at = arith.index_cast %j : i64 to index
    %other = arith.muli %at, %factor : index
    %t = tile.load %X[%at, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %u = tile.load %X[%other, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %s = arith.addf %t, %u : tensor<64x64xf32>
    tile.store %s, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
