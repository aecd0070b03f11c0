// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// Threads add the MMA of each K tile to the total, in four parts of 64
// columns. A part is waited for and added before the next one starts. The third
// is made in the registers of the first, from zero, and the fourth in those of
// the second.

// Nothing is in flight at the end of an iteration, so the loop keeps no slot:
// it carries slot, phase, and 128 numbers of each thread.
// CHECK-LABEL: llvm.func @gemm(
// CHECK:       scf.for {{.*}} -> (i32, i32, vector<128xf32>)
// CHECK-NOT:   wgmma.wait_group
// CHECK:       %[[P:.+]] = llvm.inline_asm has_side_effects {{.*}}setp.ne.b32 first, 0, 0;{{.*}}wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3{{.*}}wgmma.commit_group{{.*}}"=&f,
// CHECK:       %[[P0:.+]] = llvm.extractvalue %[[P]][0]
// CHECK:       llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;\0Aadd.rn.f32 $0, $0, $64;{{.*}}add.rn.f32 $31, $31, $95;", "=f,{{.*}}%[[P0]],
// CHECK:       %[[Q:.+]] = llvm.inline_asm has_side_effects {{.*}}setp.ne.b32 first, 0, 0;{{.*}}wgmma.mma_async{{.*}}"=&f,
// CHECK:       %[[Q0:.+]] = llvm.extractvalue %[[Q]][0]
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Aadd.rn.f32
// CHECK:       llvm.inline_asm has_side_effects {{.*}}setp.ne.b32 first, 0, 0;{{.*}}wgmma.mma_async{{.*}}"=f,{{.*}}" %[[P0]],
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Aadd.rn.f32
// CHECK:       llvm.inline_asm has_side_effects {{.*}}setp.ne.b32 first, 0, 0;{{.*}}wgmma.mma_async{{.*}}"=f,{{.*}}" %[[Q0]],
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Aadd.rn.f32
// CHECK-NOT:   wgmma
// CHECK:       nvvm.mbarrier.arrive
// CHECK:       scf.yield
// CHECK-NOT:   wgmma

tile.kernel @gemm(%A: !tile.view<?x?xf8E4M3FN>, %B: !tile.view<?x?xf8E4M3FN>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<256x128xf8E4M3FN>
      %t = tile.mma %a, %b, %s : tensor<128x128xf8E4M3FN>, tensor<256x128xf8E4M3FN> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
  }
}
