// D = silu(A B^T) * (A C^T): two products that share A, and one store.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @gated(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %c: !tile.view<?x?xbf16>,
                   %d: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %t = %zero)
        -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %z = tile.load %c[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %v = tile.mma %x, %z, %t : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %u, %v : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %minus = arith.negf %acc#0 : tensor<128x128xf32>
    %e = math.exp %minus : tensor<128x128xf32>
    %denominator = arith.addf %e, %one : tensor<128x128xf32>
    %gate = arith.divf %acc#0, %denominator : tensor<128x128xf32>
    %p = arith.mulf %gate, %acc#1 : tensor<128x128xf32>
    %o = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}
