// D = A * B^T
//
//   A  M x K, bf16        B  N x K, bf16        D  M x N, bf16
//
// The smallest tile program. Every work tile is one 128 x 256 tile of D; the
// loop walks along K. M, N and K are any sizes: loads past an edge read zero,
// stores past an edge are dropped.

tile.kernel @gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %o = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
