// A sum is used as it is and turned over. Tensor memory can't be read across, so
// its elements change threads through scratch memory.
tile.kernel @turned_sum(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %sum = scf.for %k = %c0 to %K step %c32 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
      %b = tile.load %B[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
      %next = tile.mma %a, %b, %s : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    %turned = tile.transpose %sum [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %c = tile.load %C[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %e = arith.addf %turned, %c : tensor<64x64xf32>
    %d = arith.mulf %e, %sum : tensor<64x64xf32>
    tile.store %d, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
