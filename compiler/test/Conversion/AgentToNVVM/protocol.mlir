// Each operation of a protocol is an instruction or two.
// RUN: drawloom-opt %s --convert-agent-to-nvvm | FileCheck %s

#rows = #tile.layout<128x256,
  register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

!x = !tile.buffer<128x64xbf16, smem, #tile.panels<128x1, swizzle 16>>
!y = !tile.buffer<256x64xbf16, smem, #tile.panels<128x1, swizzle 16>>

// CHECK-LABEL: llvm.func @blackwell
// Maps are numbered as the copies come.
// CHECK-SAME: %[[MAP_B:.*]]: !llvm.ptr {{{.*}}}, %[[MAP_A:.*]]: !llvm.ptr {
// CHECK-SAME: agent.parameters = [#agent.parameter<map, argument = 0, box = [64, 256], swizzle = 128, atom = 16>, #agent.parameter<map, argument = 0, box = [64, 128], swizzle = 128, atom = 16>
tile.kernel @blackwell(%a: !tile.view<1024x64xbf16>, %d: !tile.view<128x256xf32>) attributes {tile.target = "sm_100a"} {
  %operands = agent.slots "operands" count(2) at(1024) stride(49152) offsets [0, 16384] : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
  %operands.full = agent.barriers "operands.full" count(2) arrivals(1) at(0) : !agent.barriers
  %sums = agent.slots "sums" count(2) at(0) stride(256) offsets [0] : !agent.slots<tmem, tensor<128x256xf32>>
  %sums.full = agent.barriers "sums.full" count(1) arrivals(3) at(16) : !agent.barriers
  // CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @shared_memory
  // CHECK: scf.if
  // CHECK: nvvm.elect.sync
  // CHECK: scf.if
  // CHECK: %[[B0:.*]] = llvm.getelementptr %[[SHARED]][0]
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: nvvm.mbarrier.init %[[B0]], %[[ONE]]
  // CHECK: %[[B1:.*]] = llvm.getelementptr %[[SHARED]][8]
  // CHECK: nvvm.mbarrier.init %[[B1]], %{{.*}}
  // CHECK: %[[B2:.*]] = llvm.getelementptr %[[SHARED]][16]
  // CHECK: %[[THREE:.*]] = arith.constant 3 : i32
  // CHECK: nvvm.mbarrier.init %[[B2]], %[[THREE]]
  // CHECK: nvvm.fence.mbarrier.init
  agent.init_barriers %operands.full, %sums.full
  // CHECK: nvvm.tcgen05.alloc
  // CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit
  agent.alloc_tensor columns(512) to(32) by_warp(7)
  // CHECK: nvvm.tcgen05.fence <before>
  agent.fence tensor_before
  // CHECK-NEXT: nvvm.barrier
  agent.sync cta
  // CHECK-NEXT: nvvm.tcgen05.fence <after>
  agent.fence tensor_after
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[SHARED]][32]
  // CHECK-NEXT: %[[TENSOR:.*]] = llvm.load %[[PLACE]]
  %tensor = agent.tensor_address from(32)
  agent.switch attributes {warps = 8 : i64} {
    agent.role @load warps(1) at(0) {
      // CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
      %one = agent.elect warp
      %slot = arith.constant 1 : i32
      %phase = arith.constant 0 : i32
      %bytes = arith.constant 49152 : i32
      // CHECK: %[[SLOT:.*]] = arith.constant 1 : i32
      // CHECK: %[[PHASE:.*]] = arith.constant 0 : i32
      // CHECK: %[[BYTES:.*]] = arith.constant 49152 : i32
      // Barriers are 8 bytes apart.
      // CHECK: %[[FAR:.*]] = arith.shli %[[SLOT]], %{{.*}}
      // CHECK: %[[RING:.*]] = llvm.getelementptr %[[SHARED]][0]
      // CHECK: %[[FULL:.*]] = llvm.getelementptr %[[RING]][%[[FAR]]]
      %full = agent.barrier %operands.full[%slot]
      // CHECK: scf.while
      // CHECK: %[[DONE:.*]] = nvvm.mbarrier.try_wait %[[FULL]], %[[PHASE]]
      // CHECK: %[[AGAIN:.*]] = arith.xori %[[DONE]]
      // CHECK: scf.condition(%[[AGAIN]])
      agent.wait %full parity(%phase)
      // CHECK: scf.if %[[ELECTED]] {
      scf.if %one {
        // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %[[FULL]], %[[BYTES]]
        agent.expect %full bytes(%bytes)
        // CHECK: %[[START:.*]] = llvm.getelementptr %[[SHARED]][17408]
        %y = agent.slot %operands[%slot], 1 : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> !y
        // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP_B]], %[[FULL]], box[
        agent.load %a[128, 0] dims [0, 1] pad(0.0 : bf16) to %y by(tma) tells %full : !tile.view<1024x64xbf16>, !y
        %x = agent.slot %operands[%slot], 0 : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> !x
        // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP_A]], %[[FULL]], box[
        agent.load %a[0, 0] dims [0, 1] pad(0.0 : bf16) to %x by(tma) tells %full : !tile.view<1024x64xbf16>, !x
      }
    }
    agent.role @mma warps(1) at(1) {
      %slot = arith.constant 0 : i32
      %more = arith.constant true
      %x = agent.slot %operands[%slot], 0 : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> !x
      %y = agent.slot %operands[%slot], 1 : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> !y
      %s = agent.slot %sums[%slot], 0 : !agent.slots<tmem, tensor<128x256xf32>> -> !tile.buffer<128x256xf32, tmem>
      // 64 elements of k are four instructions.
      // CHECK-COUNT-4: nvvm.tcgen05.mma
      // CHECK-NOT: nvvm.tcgen05.mma
      agent.multiply %x, %y into %s accumulate(%more) : !x, !y, !tile.buffer<128x256xf32, tmem>
      // CHECK: %[[FULL:.*]] = llvm.getelementptr
      %full = agent.barrier %sums.full[%slot]
      // CHECK: %[[ISSUES:.*]] = nvvm.elect.sync
      // CHECK: scf.if %[[ISSUES]] {
      // CHECK: nvvm.tcgen05.commit
      agent.arrive %full by(tensor_core)
    }
    agent.role @epilogue warps(4) at(4) {
      // CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
      %slot = arith.constant 0 : i32
      %phase = arith.constant 0 : i32
      // The slot goes back to 0 after the last one, and the phase flips then.
      // CHECK: %[[NEXT:.*]] = arith.addi
      // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %{{.*}}
      // CHECK: arith.select %[[WRAPS]], %{{.*}}, %[[NEXT]]
      // CHECK: %[[FLIP:.*]] = arith.extui %[[WRAPS]]
      // CHECK: arith.xori %{{.*}}, %[[FLIP]]
      %next, %flip = agent.advance %slot, %phase of 2
      %s = agent.slot %sums[%slot], 0 : !agent.slots<tmem, tensor<128x256xf32>> -> !tile.buffer<128x256xf32, tmem>
      // CHECK: nvvm.tcgen05.ld
      %rows = tile.read %s[0, 0] : !tile.buffer<128x256xf32, tmem> -> tensor<128x256xf32, #rows>
      tile.store %rows, %d[0, 0] : tensor<128x256xf32, #rows>, !tile.view<128x256xf32>
      // CHECK: nvvm.fence.proxy
      agent.fence async
      %full = agent.barrier %sums.full[%slot]
      // CHECK: nvvm.bar.warp.sync
      // CHECK: scf.if %[[ELECTED]] {
      // CHECK: nvvm.mbarrier.arrive
      agent.arrive %full by(threads)
    }
  }
  // CHECK: nvvm.tcgen05.dealloc
  agent.free_tensor %tensor columns(512) by_warp(7)
}
