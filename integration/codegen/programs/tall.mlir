// Larger than an instruction: 256 rows are two of 128, and N-major B of TF32.
tile.kernel @tall(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [256, 64] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%s = %zero) -> (tensor<256x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf32> -> tensor<256x32xf32>
      %0 = tile.load %B[%k, %n] : !tile.view<?x?xf32> -> tensor<32x64xf32>
      %b = tile.transpose %0 [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
      %t = tile.mma %a, %b, %s tf32 : tensor<256x32xf32>, tensor<64x32xf32> -> tensor<256x64xf32>
      scf.yield %t : tensor<256x64xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<256x64xf32>, !tile.view<?x?xf32>
  }
}
