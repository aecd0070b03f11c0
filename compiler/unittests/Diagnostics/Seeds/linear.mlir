// D = bf16(A * B^T + bias), with the schedules that a person would write.

tile.kernel @planned(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
    %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}

tile.kernel @single(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
    %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = single>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}

tile.kernel @dynamic(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
    %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<persistent = dynamic, slots = {operands = 3, bias = 1}, epilogue_tile = 64>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}

tile.kernel @fallback(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
    %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<fallback = unspecialized, together = [[a, b]], warps = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
