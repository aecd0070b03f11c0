// D[m, n] = W[m, n] W[m, n + N] + U[m - 1, n], where N is the width of D.
tile.kernel @offsets(%W: !tile.view<?x?xf32>, %U: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  %minus1 = arith.constant -1 : index
  %N = tile.dim %D, 1 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [16, 128] of %D : !tile.view<?x?xf32> {
    %far = arith.addi %n, %N : index
    %before = arith.addi %m, %minus1 : index
    %a = tile.load %W[%m, %n] : !tile.view<?x?xf32> -> tensor<16x128xf32>
    %b = tile.load %W[%m, %far] : !tile.view<?x?xf32> -> tensor<16x128xf32>
    %u = tile.load %U[%before, %n] : !tile.view<?x?xf32> -> tensor<16x128xf32>
    %p = arith.mulf %a, %b : tensor<16x128xf32>
    %d = arith.addf %p, %u : tensor<16x128xf32>
    tile.store %d, %D[%m, %n] : tensor<16x128xf32>, !tile.view<?x?xf32>
  }
}
