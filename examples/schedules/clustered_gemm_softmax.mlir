// D = softmax of the rows of A * B^T, each row by a cluster of CTAs
//
//   A  M x K, bf16        B  512 x K, bf16        D  M x 512, bf16
//
// The schedule gives the cluster one dimension more than the work tiles have.
// Two CTAs take an item together: each multiplies with 256 of the 512 rows of B
// and keeps its half of the accumulator, 128 x 256. A comes to both, each loads
// half of it. What they exchange is the largest element of each row, and later
// its sum: 128 numbers, where the accumulators are 65536.

tile.kernel @clustered_gemm_softmax(%A: !tile.view<?x?xbf16>, %B: !tile.view<512x?xbf16>, %D: !tile.view<?x512xbf16>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x512xf32>
  %M = tile.dim %A, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x512xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[0, %k] : !tile.view<512x?xbf16> -> tensor<512x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<512x64xbf16> -> tensor<128x512xf32>
      scf.yield %t : tensor<128x512xf32>
    }
    %max = tile.reduce maxnumf %acc axis 1 : tensor<128x512xf32> -> tensor<128xf32>
    %mc = tile.expand_dims %max axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %mb = tile.broadcast %mc : tensor<128x1xf32> -> tensor<128x512xf32>
    %d = arith.subf %acc, %mb : tensor<128x512xf32>
    %e = math.exp %d : tensor<128x512xf32>
    %sum = tile.reduce addf %e axis 1 : tensor<128x512xf32> -> tensor<128xf32>
    %sc = tile.expand_dims %sum axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %sb = tile.broadcast %sc : tensor<128x1xf32> -> tensor<128x512xf32>
    %q = arith.divf %e, %sb : tensor<128x512xf32>
    %o = arith.truncf %q : tensor<128x512xf32> to tensor<128x512xbf16>
    tile.store %o, %D[%m, 0] : tensor<128x512xbf16>, !tile.view<?x512xbf16>
  }
}
