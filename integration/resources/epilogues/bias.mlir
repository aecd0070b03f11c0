// D = A * B^T + bias, rounded to bf16.

tile.kernel @bias(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %bias: !tile.view<?xbf16>, %D: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %c = tile.load %bias[%n] : !tile.view<?xbf16> -> tensor<256xbf16>
    %c32 = arith.extf %c : tensor<256xbf16> to tensor<256xf32>
    %row = tile.expand_dims %c32 axis 0 : tensor<256xf32> -> tensor<1x256xf32>
    %rows = tile.broadcast %row : tensor<1x256xf32> -> tensor<128x256xf32>
    %x = arith.addf %acc, %rows : tensor<128x256xf32>
    %d = arith.truncf %x : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
