// D = exp(A B^T), each row of a tile divided by its sum. The sum needs all columns
// of the tile before the first of them can be divided.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @normalized(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %e = math.exp %acc : tensor<128x128xf32>
    %sum = tile.reduce addf %e axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %column = tile.expand_dims %sum axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %sums = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %o = arith.divf %e, %sums : tensor<128x128xf32>
    tile.store %o, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
