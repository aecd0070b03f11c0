// An MMA that is subtracted: a bit of the instruction, on both architectures.
// RUN: drawloom-opt %s --front-half --back-half=arch=sm_100a | FileCheck %s
// RUN: sed 's/sm_100a/sm_90a/' %s | drawloom-opt --front-half --back-half=arch=sm_90a | FileCheck %s --check-prefix=HOPPER

// Bit 13 of the descriptor, next to the types (1 << 7, 1 << 10) and f32 (1 << 4),
// 256 columns (32 << 17) and 128 rows (8 << 24). The operand comes as it was
// loaded: no thread touches it.
// CHECK-LABEL: llvm.func @difference
// CHECK-DAG:     llvm.mlir.constant(138421392 : i32)
// CHECK-NOT:     llvm.fneg
// HOPPER-LABEL: llvm.func @difference
// HOPPER:        wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{.*}}, first, -1, 1, 0, 0;
// HOPPER-NOT:    , 1, 1, 0, 0;
tile.kernel @difference(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %minus = arith.negf %a : tensor<128x64xbf16>
      %t = tile.mma %minus, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %o = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
