// Rows of 8 bytes, and of 264 elements that are no boxes: threads copy them.
tile.kernel @thin(%X: !tile.view<?x4xbf16>, %Y: !tile.view<?x4xbf16>) {
  %M = tile.dim %X, 0 : !tile.view<?x4xbf16>
  tile.for_each (%m) tiles [64] of [%M] {
    %x = tile.load %X[%m, 0] : !tile.view<?x4xbf16> -> tensor<64x4xbf16>
    %y = arith.negf %x : tensor<64x4xbf16>
    tile.store %y, %Y[%m, 0] : tensor<64x4xbf16>, !tile.view<?x4xbf16>
  }
}
tile.kernel @long(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [1, 264] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<1x264xf32>
    %y = arith.negf %x : tensor<1x264xf32>
    tile.store %y, %Y[%m, %n] : tensor<1x264xf32>, !tile.view<?x?xf32>
  }
}
