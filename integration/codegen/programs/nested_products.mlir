// D = (A B^T) C^T, block by block: the accumulator of the outer loop waits while
// the inner one fills another.
tile.kernel @nested_products(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %L = tile.dim %B, 0 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %r = scf.for %l = %c0 to %L step %c128 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %p = scf.for %k = %c0 to %K step %c64 iter_args(%u = %zero) -> (tensor<128x128xf32>) {
        %x = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %B[%l, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %x, %y, %u : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      %p16 = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %c = tile.load %C[%n, %l] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
      %q = tile.mma %p16, %c, %s : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      scf.yield %q : tensor<128x128xf32>
    }
    tile.store %r, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
