// D = A * B^T, by as many CTAs as the planner finds worth it
//
//   A  M x K, bf16        B  N x K, bf16        D  M x N, f32
//
// The same program as ../gemm.mlir with larger tiles. `cluster = auto` compares
// what a CTA loads for a K tile: 48 KiB alone, 32 KiB if two share B. On
// Blackwell the two issue 2-CTA MMAs, on Hopper they use TMA multicast; `drawloom
// explain` has the reason. `fallback_cluster` adds a second kernel with one CTA, which a
// launch takes where M has few tiles. A tile of B serves all rows of A, so its
// lines should stay in the L2 cache; D is not read again.

tile.kernel @planned_gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = auto, fallback_cluster = [1, 1], hints = {B = evict_last, D = evict_first}>} {
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
