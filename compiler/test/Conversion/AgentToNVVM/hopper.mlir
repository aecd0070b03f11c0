// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// Two warp groups multiply; the sum is in their registers and stays there while
// the loop runs.

// CHECK-LABEL: llvm.func @gemm(
// CHECK-SAME:    nvvm.maxnreg = 168
// CHECK-SAME:    nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK:       nvvm.setmaxregister increase 232

// The loop carries slot, phase, the slot that is kept, and 128 numbers of each
// thread. It starts with zeros.
// CHECK:       scf.for {{.*}} -> (i32, i32, i32, vector<128xf32>)
// CHECK:       nvvm.mbarrier.try_wait
// CHECK:       llvm.inline_asm has_side_effects {{.*}}wgmma.fence.sync.aligned{{.*}}wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16{{.*}}wgmma.commit_group

// The slot before this one goes back: the newest MMA may go on.
// CHECK:       wgmma.wait_group.sync.aligned 1;
// CHECK:       nvvm.mbarrier.arrive
// CHECK:       scf.yield

// Behind the loop all are done, and the sum goes through the wait.
// CHECK:       llvm.inline_asm has_side_effects {{.*}}wgmma.wait_group.sync.aligned 0;{{.*}}"=&f,=&f,

// Registers have no addresses: the four parts of the epilogue are written down
// one behind the other.
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT:   nvvm.cp.async.bulk.tensor.global.shared.cta

tile.kernel @gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
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
    %o = arith.truncf %acc : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
