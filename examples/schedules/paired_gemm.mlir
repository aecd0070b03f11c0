// D = A * B^T, by CTA pairs that multiply together
//
//   A  M x K, bf16        B  N x K, bf16        D  M x N, f32
//
// The same program as ../gemm.mlir; with the schedule, two CTAs along M multiply
// a tile of 256 x 256 together. Each has 128 rows of A and of the accumulator, and
// half of B: the tensor core of each takes the other half from its peer. So a slot
// is 32 KiB, where it is 48 KiB for a CTA alone, and nothing of B is loaded twice.
// Blackwell has such products; on Hopper the schedule is refused.

tile.kernel @paired_gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
  }
}
