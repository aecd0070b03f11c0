// A store in every step of a loop to the same place: the last one wins.
tile.kernel @running(%A: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %t = arith.addf %a, %s : tensor<64x64xf32>
      tile.store %t, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
      scf.yield %t : tensor<64x64xf32>
    }
  }
}
