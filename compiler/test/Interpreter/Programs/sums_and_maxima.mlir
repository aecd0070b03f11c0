// D = A B^T + C, the sum and the maximum of each of its rows in a tile, and the
// maximum of each of its columns in a tile. S, R and Q have a row for each tile
// of 256 columns or 128 rows.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @sums_and_maxima(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %c: !tile.view<?x?xf32>,
                             %d: !tile.view<?x?xbf16>, %s: !tile.view<?x?xf32>, %r: !tile.view<?x?xf32>,
                             %q: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %mi = arith.divui %m, %c128 : index
    %ni = arith.divui %n, %c256 : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%sum = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %sum : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %residual = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x256xf32>
    %e = arith.addf %acc, %residual : tensor<128x256xf32>
    %row_sum = tile.reduce addf %e axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    tile.store %row_sum, %s[%ni, %m] : tensor<128xf32>, !tile.view<?x?xf32>
    %row_max = tile.reduce maxnumf %e axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    tile.store %row_max, %r[%ni, %m] : tensor<128xf32>, !tile.view<?x?xf32>
    %column_max = tile.reduce maximumf %e axis 0 : tensor<128x256xf32> -> tensor<256xf32>
    tile.store %column_max, %q[%mi, %n] : tensor<256xf32>, !tile.view<?x?xf32>
    %o = arith.truncf %e : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
