// Elements change threads: sums of rows are used along the columns, what is computed is turned over, and one half is taken from the other.
tile.kernel @exchanged(%X: !tile.view<?x64xf32>, %Y: !tile.view<64x?xf32>, %Z: !tile.view<?x32xf32>) {
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    %x = tile.load %X[%m, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %twice = arith.addf %x, %x : tensor<64x64xf32>
    %sums = tile.reduce addf %twice axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %along = tile.expand_dims %sums axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %down = tile.expand_dims %sums axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %a = tile.broadcast %along : tensor<1x64xf32> -> tensor<64x64xf32>
    %b = tile.broadcast %down : tensor<64x1xf32> -> tensor<64x64xf32>
    %c = arith.mulf %a, %b : tensor<64x64xf32>
    %d = arith.addf %c, %twice : tensor<64x64xf32>
    %over = tile.transpose %d [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    tile.store %over, %Y[0, %m] : tensor<64x64xf32>, !tile.view<64x?xf32>
    %left = tile.extract_slice %d [0, 0] : tensor<64x64xf32> -> tensor<64x32xf32>
    %right = tile.extract_slice %d [0, 32] : tensor<64x64xf32> -> tensor<64x32xf32>
    %e = arith.subf %left, %right : tensor<64x32xf32>
    tile.store %e, %Z[%m, 0] : tensor<64x32xf32>, !tile.view<?x32xf32>
  }
}
