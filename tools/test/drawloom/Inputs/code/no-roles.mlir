// Threads load what they multiply; the transpose is the descriptor's.
tile.kernel @no_roles(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.schedule = #tile.schedule<roles = none>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %0 = tile.load %B[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.transpose %0 [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
