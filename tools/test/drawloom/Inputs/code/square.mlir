// A tile that threads have is A and B of one product.
tile.kernel @square(%X: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) attributes {tile.schedule = #tile.schedule<slots = {X = 2}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %X, 1 : !tile.view<?x?xf32>
  %M = tile.dim %X, 0 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [128] of [%M] {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %X[%m, %k] : !tile.view<?x?xf32> -> tensor<128x64xf32>
      %a = arith.truncf %x : tensor<128x64xf32> to tensor<128x64xbf16>
      %t = tile.mma %a, %a, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, 0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
