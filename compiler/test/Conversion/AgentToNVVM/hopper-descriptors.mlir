// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// X is A and B. As A it has a place for each warp group, as B one for all.

// CHECK-LABEL: llvm.func @both_operands(
// CHECK:         nvvm.setmaxregister increase
// CHECK-COUNT-2: llvm.inline_asm "mov.b32 $0, $1;"
// CHECK-NOT:     llvm.inline_asm "mov.b32 $0, $1;"
// CHECK:         wgmma.mma_async
tile.kernel @both_operands(%X: !tile.view<?x?xbf16>, %D: !tile.view<?x128x128xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %M = tile.dim %X, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %X, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %X[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %x, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %i = arith.divui %m, %c128 : index
    tile.store %acc, %D[%i, 0, 0] : tensor<128x128xf32>, !tile.view<?x128x128xf32>
  }
}
