// Two loops add to one sum: their slot of tensor memory is for both, and with
// K = 0 and L = 0 it is never written.
tile.kernel @two_loops(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %E: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %L = tile.dim %C, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %D : !tile.view<?x?xf32> {
    %one = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    %two = scf.for %l = %c0 to %L step %c64 iter_args(%s = %one) -> (tensor<128x64xf32>) {
      %a = tile.load %C[%m, %l] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %E[%n, %l] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %two, %D[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
