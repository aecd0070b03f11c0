// D = bf16(A B^T): what the plans @ping_pong and @pair compute. The order of the
// sum is that of k in both, so the size of a tile of D does not matter.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @product(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %o = arith.truncf %sum : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
