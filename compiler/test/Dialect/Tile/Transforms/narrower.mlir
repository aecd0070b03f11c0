// Rows of a subtile have 128 bytes, or with `narrower` 64 or 32.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule))' | FileCheck %s --check-prefix=WIDE
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule{narrower=1}))' | FileCheck %s --check-prefix=NARROWER
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule{narrower=2}))' | FileCheck %s --check-prefix=NARROWEST
// RUN: not drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule{narrower=3}))' 2>&1 | FileCheck %s --check-prefix=NONE

!mat = !tile.view<?x?xbf16>

// WIDE: "epilogue_tile: the epilogue moves in subtiles of 64 columns"{{.*}} epilogue_tile = 64>
// NARROWER: "epilogue_tile: the epilogue moves in subtiles of 32 columns"{{.*}} epilogue_tile = 32>
// NARROWEST: "epilogue_tile: the epilogue moves in subtiles of 16 columns"{{.*}} epilogue_tile = 16>
// NONE: error: no narrower subtile is left
tile.kernel @gemm(%a: !mat, %b: !mat, %d: !mat) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 256] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %o = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !mat
  }
}
