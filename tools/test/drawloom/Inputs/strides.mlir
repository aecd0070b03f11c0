// Strides that types declare.
tile.kernel @columns(%X: !tile.view<64x32xf32, strides = [1, ?]>, %Y: !tile.view<64x32xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<64x32xf32, strides = [1, ?]> -> tensor<64x32xf32>
  tile.store %x, %Y[0, 0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}

// Rows of 32 with a gap of 5 on the way in and of 8 on the way out.
tile.kernel @gaps(%X: !tile.view<?x32xf32, strides = [37, 1]>, %Y: !tile.view<?x32xf32, strides = [40, 1]>) {
  %M = tile.dim %X, 0 : !tile.view<?x32xf32, strides = [37, 1]>
  tile.for_each (%m) tiles [64] of [%M] {
    %x = tile.load %X[%m, 0] : !tile.view<?x32xf32, strides = [37, 1]> -> tensor<64x32xf32>
    tile.store %x, %Y[%m, 0] : tensor<64x32xf32>, !tile.view<?x32xf32, strides = [40, 1]>
  }
}

// Every element of a column is the same one.
tile.kernel @overlap(%X: !tile.view<64x32xf32, strides = [0, 1]>, %Y: !tile.view<64x32xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<64x32xf32, strides = [0, 1]> -> tensor<64x32xf32>
  tile.store %x, %Y[0, 0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}

tile.kernel @far(%X: !tile.view<64x32xf32, strides = [1099511627776, 1]>, %Y: !tile.view<64x32xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<64x32xf32, strides = [1099511627776, 1]> -> tensor<64x32xf32>
  tile.store %x, %Y[0, 0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}
