// D = X Y^T and E = Y X^T: each tile is A of one product and B of the other. On
// sm_90a two warp groups take 64 rows each of A, and all of B.
tile.kernel @both_operands(%X: !tile.view<?x?xbf16>, %Y: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>, %E: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %X, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %r = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %x = tile.load %X[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %Y[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %u = tile.mma %y, %x, %r : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t, %u : tensor<128x128xf32>, tensor<128x128xf32>
    }
    tile.store %acc#0, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    tile.store %acc#1, %E[%n, %m] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
