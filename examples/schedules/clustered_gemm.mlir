// D = A * B^T, by clusters of CTAs with TMA multicast
//
//   A  M x K, bf16        B  N x K, bf16        D  M x N, f32
//
// The same program as ../gemm.mlir; the schedule takes four CTAs together, two
// along M and two along N. The CTAs of a row need the same tile of A, those of a
// column the same of B. Each loads half of a tile and multicasts it to both, so a CTA
// loads 16 KiB for a K tile, where it loads 32 KiB alone.

tile.kernel @clustered_gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [2, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
