// D = bf16(A * B^T + C) with an epilogue in parts of 96 columns: two of them and one of 64.
tile.kernel @leftover(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>)
    attributes {tile.schedule = #tile.schedule<epilogue_tile = 96>} {
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
    %r = tile.load %C[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
