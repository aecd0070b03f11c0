// Rows of four are read as columns: their places in shared memory have no
// swizzle.
tile.kernel @transposed(%A: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [256, 4] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%n, %m] : !tile.view<?x?xf32> -> tensor<4x256xf32>
    %d = tile.transpose %a [1, 0] : tensor<4x256xf32> -> tensor<256x4xf32>
    tile.store %d, %D[%m, %n] : tensor<256x4xf32>, !tile.view<?x?xf32>
  }
}
