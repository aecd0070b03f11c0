// What CTAs of a cluster do to each other's barriers and slots.
// RUN: drawloom-opt %s --convert-agent-to-nvvm | FileCheck %s

!y = !tile.buffer<256x64xbf16, smem, #tile.panels<128x1, swizzle 16>>

// The box is a part of the tile, and a cluster is a row of CTAs.
// CHECK-LABEL: llvm.func @clusters
// CHECK-SAME: agent.parameters = [#agent.parameter<map, argument = 0, box = [64, 64], swizzle = 128, atom = 16>
// CHECK-SAME: nvvm.cluster_dim = array<i32: 8, 1, 1>
tile.kernel @clusters(%b: !tile.view<1024x64xbf16>) attributes {tile.target = "sm_100a"} {
  %operands = agent.slots "operands" count(2) at(1024) stride(32768) offsets [0] : !agent.slots<smem, tensor<256x64xbf16>>
  %operands.full = agent.barriers "operands.full" count(2) arrivals(1) at(0) scope(cluster) : !agent.barriers
  %operands.empty = agent.barriers "operands.empty" count(2) arrivals(4) at(16) scope(cluster) : !agent.barriers
  agent.init_barriers %operands.full, %operands.empty
  // CHECK: nvvm.cluster.arrive {aligned}
  // CHECK-NEXT: nvvm.cluster.wait {aligned}
  agent.sync cluster
  agent.switch cluster(4, 2) attributes {warps = 4 : i64} {
    agent.role @load warps(1) at(0) {
      // CTAs of rank 0 to 3, or of 4 to 7: 0b1111, moved by the first of them.
      // CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
      // CHECK: %[[PLACE:.*]] = arith.remui %[[RANK]], %{{.*}}
      // CHECK: %[[BITS:.*]] = arith.constant 15 : i32
      // CHECK: %[[CTAS:.*]] = arith.shli %[[BITS]], %{{.*}}
      // CHECK: %[[LOW:.*]] = llvm.inline_asm "and.b32 $0, $1, 0xffff;", "=r,r" %[[CTAS]]
      // CHECK: %[[MASK:.*]] = arith.trunci %[[LOW]] : i32 to i16
      %ctas, %place = agent.peers of [4, 2] along [0]
      %slot = arith.constant 1 : i32
      %phase = arith.constant 0 : i32
      %full = agent.barrier %operands.full[%slot]
      // CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>}
      // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
      agent.wait %full parity(%phase)
      %y = agent.slot %operands[%slot], 0 : !agent.slots<smem, tensor<256x64xbf16>> -> !y
      // 64 rows of 128 bytes.
      // CHECK: %[[ROWS:.*]] = arith.constant 64 : i32
      // CHECK: arith.muli %{{.*}}, %[[ROWS]]
      // CHECK: %[[BYTES:.*]] = arith.constant 8192 : i32
      // CHECK: arith.muli %{{.*}}, %[[BYTES]]
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[MASK]]
      // CHECK-NOT: nvvm.cp.async.bulk
      agent.load %b[0, 0] dims [0, 1] pad(0.0 : bf16) to %y by(tma) tells %full part(%place of 4) in(%ctas) : !tile.view<1024x64xbf16>, !y
    }
    agent.role @use warps(1) at(1) {
      // Rank r and r + 4: 0b10001. There are four places before the second one.
      // CHECK: nvvm.read.ptx.sreg.cluster.ctarank
      // CHECK: arith.constant 17 : i32
      %ctas, %place = agent.peers of [4, 2] along [1]
      %slot = arith.constant 0 : i32
      %empty = agent.barrier %operands.empty[%slot]
      // CHECK: nvvm.tcgen05.commit %{{.*}}, multicast_mask = %{{.*}}
      agent.arrive %empty by(tensor_core) in(%ctas)
      // A lane for each CTA.
      // CHECK: nvvm.bar.warp.sync
      // CHECK: %[[BIT:.*]] = arith.shrui %{{.*}}, %[[LANE:.*]] :
      // CHECK: %[[MINE:.*]] = arith.trunci %[[BIT]] : i32 to i1
      // CHECK: scf.if %[[MINE]] {
      // CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %[[LANE]] : !llvm.ptr<3> -> !llvm.ptr<7>
      // CHECK-NEXT: nvvm.fence.sync_restrict {order = #nvvm.mem_order<release>}
      // CHECK-NEXT: nvvm.mbarrier.arrive %[[THERE]] {relaxed = true, scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7>
      agent.arrive %empty by(threads) in(%ctas)
    }
  }
}

// Of execution alone, neither side needs a fence. What threads have written in
// other CTAs, no restricted fence releases.
// CHECK-LABEL: llvm.func @orders
tile.kernel @orders() attributes {tile.target = "sm_100a"} {
  %result = agent.barriers "result" count(1) arrivals(4) at(0) scope(pair) orders(execution) : !agent.barriers
  %sums = agent.barriers "sums" count(1) arrivals(4) at(8) scope(cluster) orders(remote) : !agent.barriers
  agent.switch cluster(2) attributes {warps = 4 : i64} {
    agent.role @use warps(1) at(0) {
      %ctas, %place = agent.peers of [2] along [0]
      %zero = arith.constant 0 : i32
      // CHECK-NOT: nvvm.fence.sync_restrict
      %empty = agent.barrier %result[%zero]
      // CHECK: nvvm.mbarrier.try_wait %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>}
      agent.wait %empty parity(%zero)
      // CHECK: nvvm.mbarrier.arrive %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>}
      agent.arrive %empty by(threads) in(%ctas)
      %full = agent.barrier %sums[%zero]
      // CHECK: nvvm.mbarrier.arrive %{{.*}} {scope = #nvvm.mem_scope<cluster>}
      agent.arrive %full by(threads) in(%ctas)
      // CHECK: nvvm.mbarrier.try_wait %{{.*}} {relaxed = true, scope = #nvvm.mem_scope<cluster>}
      // CHECK: nvvm.fence.sync_restrict {order = #nvvm.mem_order<acquire>}
      agent.wait %full parity(%zero)
    }
  }
}

// What a thread has of a vector goes to the same place of two CTAs, of rank r
// and r + 2. Each warp has two elements, and one lane writes them.
#rows = #tile.layout<8, register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[2], [4]]>
!part = tensor<8xf32, #rows>
!room = !tile.buffer<8xf32, smem, #tile.panels<32x1>>

// CHECK-LABEL: llvm.func @send
tile.kernel @send(%x: !tile.view<8xf32>) attributes {tile.target = "sm_90a"} {
  %exchange = agent.slots "exchange" count(1) at(1024) stride(256) offsets [0, 128] : !agent.slots<smem, tensor<8xf32>, tensor<8xf32>>
  agent.switch cluster(2, 2) attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %ctas, %place = agent.peers of [2, 2] along [1]
      %slot = arith.constant 0 : i32
      %part = arith.constant dense<1.0> : !part
      %room = agent.slot %exchange[%slot], 0 : !agent.slots<smem, tensor<8xf32>, tensor<8xf32>> -> !room
      // CHECK: %[[BITS:.*]] = arith.constant 5 : i32
      // CHECK: %[[CTAS:.*]] = arith.shli %[[BITS]]
      // CHECK: %[[STRIDE:.*]] = arith.constant 128 : i32
      // CHECK: %[[MOVED:.*]] = arith.muli %{{.*}}, %[[STRIDE]]
      // CHECK: %[[OWN:.*]] = llvm.getelementptr %{{.*}}[%[[MOVED]]]
      // CHECK: scf.if
      // CHECK: %[[FIRST:.*]] = "llvm.intr.cttz"(%[[CTAS]])
      // CHECK: %[[C0:.*]] = arith.constant 0 : i32
      // CHECK: %[[RANK:.*]] = arith.addi %[[FIRST]], %[[C0]]
      // CHECK: nvvm.mapa %[[OWN]], %[[RANK]] : !llvm.ptr<3> -> !llvm.ptr<7>
      // CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<7>
      // CHECK: %[[C2:.*]] = arith.constant 2 : i32
      // CHECK: %[[RANK:.*]] = arith.addi %[[FIRST]], %[[C2]]
      // CHECK: nvvm.mapa %[[OWN]], %[[RANK]]
      // CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<7>
      agent.send %part to %room at(%place) stride(128) in(%ctas) count(2) every(2) : !part, !room
    }
  }
}
