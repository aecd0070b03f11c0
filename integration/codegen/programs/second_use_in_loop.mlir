// D is what a loop adds to by two products, E the largest that D was between the
// two.
tile.kernel @second_use_in_loop(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>, %E: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %r:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %u = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
      %x = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %y = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %z = tile.load %C[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %p = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %q = tile.mma %x, %z, %p : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %e = arith.maximumf %u, %p : tensor<64x64xf32>
      scf.yield %q, %e : tensor<64x64xf32>, tensor<64x64xf32>
    }
    tile.store %r#0, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %r#1, %E[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
