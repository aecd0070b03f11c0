// Programs that are no plain matrix product.

// Two products that share A, and a gate (SwiGLU).
tile.kernel @dual(%a: !tile.view<?x?xbf16>, %gate: !tile.view<?x?xbf16>,
    %up: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    %g, %u = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %r = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %gate[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %z = tile.load %up[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %w = tile.mma %x, %z, %r : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t, %w : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %minus = arith.negf %g : tensor<128x128xf32>
    %e = math.exp %minus : tensor<128x128xf32>
    %below = arith.addf %e, %one : tensor<128x128xf32>
    %silu = arith.divf %g, %below : tensor<128x128xf32>
    %h = arith.mulf %silu, %u : tensor<128x128xf32>
    %o = arith.truncf %h : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// A product and the largest element of each of its rows.
tile.kernel @row_maximum(%a: !tile.view<?x?xbf16>, %b: !tile.view<128x?xbf16>,
    %d: !tile.view<?x128xf32>, %top: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %M = tile.dim %a, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[0, %k] : !tile.view<128x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %rows = tile.reduce maximumf %acc axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    tile.store %acc, %d[%m, 0] : tensor<128x128xf32>, !tile.view<?x128xf32>
    tile.store %rows, %top[%m] : tensor<128xf32>, !tile.view<?xf32>
  }
}

// Element by element, with a row that is the same for all.
tile.kernel @scale(%x: !tile.view<?x?xf32>, %w: !tile.view<?xf32>, %y: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [16, 256] of %x : !tile.view<?x?xf32> {
    %0 = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<16x256xf32>
    %1 = tile.load %w[%n] : !tile.view<?xf32> -> tensor<256xf32>
    %2 = tile.expand_dims %1 axis 0 : tensor<256xf32> -> tensor<1x256xf32>
    %3 = tile.broadcast %2 : tensor<1x256xf32> -> tensor<16x256xf32>
    %4 = arith.mulf %0, %3 : tensor<16x256xf32>
    tile.store %4, %y[%m, %n] : tensor<16x256xf32>, !tile.view<?x?xf32>
  }
}
