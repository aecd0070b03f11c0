// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// Three roles: parameters, set-up, and the handshake of each pipe.

// CHECK: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @gemm(
// CHECK-SAME:    %[[A:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME:    agent.parameters = [#agent.parameter<map, argument = 0, box = [64, 128], swizzle = 128, atom = 16>, #agent.parameter<map, argument = 1, box = [64, 256], swizzle = 128, atom = 16>, #agent.parameter<map, argument = 2, box = [64, 128], swizzle = 128, atom = 16>
// CHECK-SAME:    nvvm.kernel
// CHECK-SAME:    nvvm.maxnreg = 144
// CHECK-SAME:    nvvm.reqntid = array<i32: 256, 1, 1>

// A full and an empty barrier for each of 4 + 2 slots, and none for the output's.
// CHECK-COUNT-12: nvvm.mbarrier.init
// CHECK-NOT:      nvvm.mbarrier.init
// CHECK:          nvvm.fence.mbarrier.init
// CHECK:          nvvm.tcgen05.alloc

// The operands: wait for an empty slot, expect the bytes, copy.
// CHECK:       nvvm.setmaxregister decrease 40
// CHECK:       nvvm.mbarrier.try_wait
// CHECK:       nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global

// The MMAs: 64 elements of k are four instructions, then the slot is empty.
// CHECK:       nvvm.tcgen05.fence <after>
// CHECK:       nvvm.mbarrier.try_wait
// CHECK-COUNT-4: nvvm.tcgen05.mma
// CHECK:       nvvm.tcgen05.commit
// CHECK:       nvvm.tcgen05.commit

// The epilogue: out of tensor memory, through staging, to the store. One wait is
// for all loads of a subtile. Where K is 0, zeros are written first.
// It reads its CTA's number for itself, so that the number of its item is in a
// register of its own.
// CHECK:       nvvm.setmaxregister increase 248
// CHECK:       %[[CTA:.*]] = llvm.inline_asm has_side_effects "mov.u32 $0, %ctaid.x;"
// CHECK:       scf.for %{{.*}} = %[[CTA]] to
// CHECK-COUNT-8: nvvm.tcgen05.st
// CHECK:       nvvm.tcgen05.wait <store>
// CHECK:       scf.for
// CHECK:       nvvm.tcgen05.ld
// CHECK-NOT:   inline_asm
// CHECK:       nvvm.tcgen05.ld
// CHECK:       tcgen05.wait::ld.sync.aligned
// The accumulator goes back as soon as the last columns are loaded.
// CHECK:       scf.if
// CHECK:       nvvm.tcgen05.fence <before>
// CHECK:       nvvm.mbarrier.arrive
// CHECK:       arith.truncf {{.*}} : vector<64xf32> to vector<64xbf16>
// CHECK:       nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK:       nvvm.barrier id = %{{.*}} number_of_threads
// CHECK-COUNT-8: llvm.store
// CHECK:       nvvm.fence.proxy
// CHECK:       nvvm.barrier id
// CHECK:       nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK:       nvvm.cp.async.bulk.commit.group
// CHECK-NOT:   nvvm.mbarrier.arrive
// CHECK:       nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK:       nvvm.tcgen05.dealloc
tile.kernel @gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
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
