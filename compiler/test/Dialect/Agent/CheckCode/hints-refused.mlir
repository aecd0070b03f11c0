// RUN: drawloom-opt %s --front-half --verify-diagnostics

// Threads copy rows whose distance is open, and have no hint for the caches. The
// plan is refused, not only the code.
// expected-error @+1 {{hints: 'A' is not moved by TMA, so that there is no copy to give a hint to; leave it out}}
tile.kernel @refuse_hint_of_copied_view(%A: !tile.view<?x?xbf16, strides = [?, 1]>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<hints = {A = evict_first}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16, strides = [?, 1]>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
