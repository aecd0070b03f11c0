// What threads compute is turned over before it is multiplied. wgmma takes it from
// registers, so it goes through scratch memory on its way.
tile.kernel @turned_operand(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %M = tile.dim %A, 1 : !tile.view<?x?xf32>
  %N = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 0 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [64, 64] of [%M, %N] {
    %sum = scf.for %k = %c0 to %K step %c32 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %a = tile.load %A[%k, %m] : !tile.view<?x?xf32> -> tensor<32x64xf32>
      %t = math.tanh %a : tensor<32x64xf32>
      %narrow = arith.truncf %t : tensor<32x64xf32> to tensor<32x64xbf16>
      %x = tile.transpose %narrow [1, 0] : tensor<32x64xbf16> -> tensor<64x32xbf16>
      %y = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x32xbf16>
      %next = tile.mma %x, %y, %s : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %sum, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
