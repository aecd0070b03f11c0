// RUN: drawloom-opt %s | drawloom-opt | FileCheck %s
// RUN: drawloom-opt %s -mlir-print-op-generic | drawloom-opt | FileCheck %s

!operands = !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!sums = !agent.slots<tmem, tensor<128x256xf32>>

// CHECK-LABEL: func.func @any
func.func @any(%differ: tensor<128xi1>) -> i1 {
  // CHECK-NEXT: %{{.*}} = agent.any %{{.*}} : tensor<128xi1>
  %any = agent.any %differ : tensor<128xi1>
  return %any : i1
}

// CHECK-LABEL: func.func @memory
func.func @memory(%i: i32, %phase: i32) {
  // CHECK-NEXT: %operands = agent.slots "operands" count(4) at(0) stride(49152) offsets [0, 16384] : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
  %operands = agent.slots "operands" count(4) at(0) stride(49152) offsets [0, 16384] : !operands
  // CHECK-NEXT: %sums = agent.slots "sums" count(2) at(0) stride(256) offsets [0] : !agent.slots<tmem, tensor<128x256xf32>>
  %sums = agent.slots "sums" count(2) at(0) stride(256) offsets [0] : !sums
  // CHECK-NEXT: %operands.full = agent.barriers "operands.full" count(4) arrivals(1) at(196608) : !agent.barriers
  %full = agent.barriers "operands.full" count(4) arrivals(1) at(196608) : !agent.barriers
  // CHECK-NEXT: %far = agent.barriers "far" count(1) arrivals(2) at(8) scope(cluster) : !agent.barriers
  %far = agent.barriers "far" count(1) arrivals(2) at(8) scope(cluster) : !agent.barriers
  // CHECK-NEXT: %done = agent.barriers "done" count(1) arrivals(2) at(16) scope(pair) orders(execution) : !agent.barriers
  %done = agent.barriers "done" count(1) arrivals(2) at(16) scope(pair) orders(execution) : !agent.barriers
  // A barrier has the name of its end.
  // CHECK-NEXT: %full = agent.barrier %operands.full[%[[I:.*]]]
  %b = agent.barrier %full[%i]
  // CHECK-NEXT: %{{.*}} = agent.slot %operands[%[[I]]], 1 : !agent.slots<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> !tile.buffer<256x64xbf16, smem>
  %y = agent.slot %operands[%i], 1 : !operands -> !tile.buffer<256x64xbf16, smem>
  // CHECK-NEXT: %{{.*}}, %{{.*}} = agent.advance %[[I]], %{{.*}} of 4
  %next, %flip = agent.advance %i, %phase of 4
  return
}

// CHECK-LABEL: func.func @messages
// CHECK-SAME: (%[[I:.*]]: i32, %[[THERE:.*]]: i1, %[[M:.*]]: index, %[[F:.*]]: f32, %[[B:.*]]: !agent.barrier)
func.func @messages(%i: i32, %there: i1, %m: index, %f: f32, %b: !agent.barrier) {
  // CHECK-NEXT: %work = agent.slots "work" count(2) at(0) stride(16) offsets [4, 8] : !agent.slots<message, index, f32>
  %work = agent.slots "work" count(2) at(0) stride(16) offsets [4, 8] : !agent.slots<message, index, f32>
  // CHECK-NEXT: agent.write_message %work[%[[I]]] there(%[[THERE]]) values(%[[M]], %[[F]]) : !agent.slots<message, index, f32>
  agent.write_message %work[%i] there(%there) values(%m, %f) : !agent.slots<message, index, f32>
  // CHECK-NEXT: %there:3 = agent.read_message %work[%[[I]]] : !agent.slots<message, index, f32>
  %more, %values:2 = agent.read_message %work[%i] : !agent.slots<message, index, f32>
  // CHECK-NEXT: agent.clc_try_cancel to(32) tells %[[B]]
  agent.clc_try_cancel to(32) tells %b
  // CHECK-NEXT: agent.clc_try_cancel to(32) tells %[[B]] multicast
  agent.clc_try_cancel to(32) tells %b multicast
  // CHECK-NEXT: %next = agent.clc_query from(32)
  %number = agent.clc_query from(32)
  // CHECK-NEXT: %drawn = agent.atomic_next_tile
  %drawn = agent.atomic_next_tile
  // CHECK-NEXT: agent.cluster_broadcast %drawn to(32) in(%[[I]])
  agent.cluster_broadcast %drawn to(32) in(%i)
  // CHECK-NEXT: %received = agent.cluster_receive from(32)
  %received = agent.cluster_receive from(32)
  return
}

// CHECK-LABEL: func.func @waits
// CHECK-SAME: (%[[B:.*]]: !agent.barrier, %[[N:.*]]: i32)
func.func @waits(%b: !agent.barrier, %n: i32) {
  // CHECK-NEXT: agent.wait %[[B]] parity(%[[N]])
  agent.wait %b parity(%n)
  // CHECK-NEXT: agent.arrive %[[B]] by(threads)
  agent.arrive %b by(threads)
  // CHECK-NEXT: agent.arrive %[[B]] by(cp_async)
  agent.arrive %b by(cp_async)
  // CHECK-NEXT: agent.arrive %[[B]] by(tensor_core)
  agent.arrive %b by(tensor_core)
  // CHECK-NEXT: agent.expect %[[B]] bytes(%[[N]])
  agent.expect %b bytes(%n)
  // CHECK-NEXT: agent.fence async
  agent.fence async
  // CHECK-NEXT: agent.fence tensor_before
  agent.fence tensor_before
  // CHECK-NEXT: agent.fence tensor_after
  agent.fence tensor_after
  // CHECK-NEXT: agent.drain cp_async{{$}}
  agent.drain cp_async
  // CHECK-NEXT: agent.drain stores pending(1)
  agent.drain stores pending(1)
  // CHECK-NEXT: agent.drain tensor_stores
  agent.drain tensor_stores
  // CHECK-NEXT: agent.drain wgmma pending(2)
  agent.drain wgmma pending(2)
  // CHECK-NEXT: agent.commit_stores
  agent.commit_stores
  // CHECK-NEXT: %{{.*}} = agent.elect warp
  %one = agent.elect warp
  // CHECK-NEXT: %{{.*}} = agent.elect role
  %leader = agent.elect role
  // CHECK-NEXT: agent.sync warp
  agent.sync warp
  // CHECK-NEXT: agent.sync role
  agent.sync role
  // CHECK-NEXT: agent.sync cta
  agent.sync cta
  // CHECK-NEXT: agent.sync cluster
  agent.sync cluster
  return
}

// CHECK-LABEL: func.func @clusters
// CHECK-SAME: (%[[B:.*]]: !agent.barrier, %[[A:.*]]: !tile.view<?x?xf32>, %[[X:.*]]: !tile.buffer<16x4xf32, smem>)
func.func @clusters(%b: !agent.barrier, %a: !tile.view<?x?xf32>, %x: !tile.buffer<16x4xf32, smem>) {
  // CHECK-NEXT: %ctas, %place = agent.peers of [4, 2] along [1]
  %ctas, %place = agent.peers of [4, 2] along [1]
  // CHECK-NEXT: agent.arrive %[[B]] by(tensor_core) in(%ctas)
  agent.arrive %b by(tensor_core) in(%ctas)
  // CHECK-NEXT: agent.load %[[A]][0, 0] dims [0, 1] pad(0.000000e+00 : f32) to %[[X]] by(tma) tells %[[B]] part(%place of 2) in(%ctas) : !tile.view<?x?xf32>, !tile.buffer<16x4xf32, smem>
  agent.load %a[0, 0] dims [0, 1] pad(0.0 : f32) to %x by(tma) tells %b part(%place of 2) in(%ctas) : !tile.view<?x?xf32>, !tile.buffer<16x4xf32, smem>
  return
}

// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[A:.*]]: !tile.view<?x?xf32>, %[[X:.*]]: !tile.buffer<4x4xf32, smem>, %[[B:.*]]: !agent.barrier, %[[K:.*]]: index)
func.func @copies(%a: !tile.view<?x?xf32>, %x: !tile.buffer<4x4xf32, smem>, %b: !agent.barrier, %k: index) {
  // CHECK-NEXT: agent.load %[[A]][0, %[[K]]] dims [0, 1] pad(0.000000e+00 : f32) to %[[X]] by(tma) tells %[[B]] : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  agent.load %a[0, %k] dims [0, 1] pad(0.0 : f32) to %x by(tma) tells %b : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  // CHECK-NEXT: agent.load %[[A]][0, %[[K]]] dims [0, 1] pad(1.000000e+00 : f32) to %[[X]] by(cp_async) aligned : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  agent.load %a[0, %k] dims [0, 1] pad(1.0 : f32) to %x by(cp_async) aligned : !tile.view<?x?xf32>, !tile.buffer<4x4xf32, smem>
  // CHECK-NEXT: agent.store %[[X]] to %[[A]][%[[K]], 0] dims [0, 1] by(threads) : !tile.buffer<4x4xf32, smem>, !tile.view<?x?xf32>
  agent.store %x to %a[%k, 0] dims [0, 1] by(threads) : !tile.buffer<4x4xf32, smem>, !tile.view<?x?xf32>
  // CHECK-NEXT: %{{.*}} = agent.fits %[[A]][%[[K]], 0] dims [0, 1] of [4, 4] : !tile.view<?x?xf32>
  %fits = agent.fits %a[%k, 0] dims [0, 1] of [4, 4] : !tile.view<?x?xf32>
  return
}

// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[A:.*]]: tensor<128x64xbf16>, %[[B:.*]]: tensor<256x64xbf16>, %[[S:.*]]: !tile.buffer<128x256xf32, tmem>, %[[MORE:.*]]: i1)
func.func @products(%a: tensor<128x64xbf16>, %b: tensor<256x64xbf16>, %s: !tile.buffer<128x256xf32, tmem>, %more: i1) {
  // CHECK-NEXT: agent.multiply %[[A]], %[[B]] into %[[S]] accumulate(%[[MORE]]) : tensor<128x64xbf16>, tensor<256x64xbf16>, !tile.buffer<128x256xf32, tmem>
  agent.multiply %a, %b into %s accumulate(%more) : tensor<128x64xbf16>, tensor<256x64xbf16>, !tile.buffer<128x256xf32, tmem>
  // CHECK-NEXT: %{{.*}} = agent.or_zero %[[A]] if(%[[MORE]]) : tensor<128x64xbf16>
  %0 = agent.or_zero %a if(%more) : tensor<128x64xbf16>
  return
}

!flying = !agent.in_flight<tensor<64x256xf32>>

// CHECK-LABEL: func.func @in_flight
// CHECK-SAME: (%[[A:.*]]: tensor<64x64xbf16>, %[[B:.*]]: tensor<256x64xbf16>, %[[S:.*]]: tensor<64x256xf32>)
func.func @in_flight(%a: tensor<64x64xbf16>, %b: tensor<256x64xbf16>, %s: tensor<64x256xf32>) {
  // CHECK-NEXT: %[[X:.*]] = agent.issue %[[A]], %[[B]] : tensor<64x64xbf16>, tensor<256x64xbf16> -> !agent.in_flight<tensor<64x256xf32>>
  %x = agent.issue %a, %b : tensor<64x64xbf16>, tensor<256x64xbf16> -> !flying
  // CHECK-NEXT: %[[Y:.*]] = agent.issue %[[A]], %[[B]] onto %[[X]] : tensor<64x64xbf16>, tensor<256x64xbf16>, !agent.in_flight<tensor<64x256xf32>> -> !agent.in_flight<tensor<64x256xf32>>
  %y = agent.issue %a, %b onto %x : tensor<64x64xbf16>, tensor<256x64xbf16>, !flying -> !flying
  // CHECK-NEXT: %[[Z:.*]] = agent.issue %[[A]], %[[B]] onto %[[S]] tf32 : tensor<64x64xbf16>, tensor<256x64xbf16>, tensor<64x256xf32> -> !agent.in_flight<tensor<64x256xf32>>
  %z = agent.issue %a, %b onto %s tf32 : tensor<64x64xbf16>, tensor<256x64xbf16>, tensor<64x256xf32> -> !flying
  // CHECK-NEXT: %[[P:.*]] = agent.as_in_flight %[[S]] : tensor<64x256xf32>
  %p = agent.as_in_flight %s : tensor<64x256xf32>
  // CHECK-NEXT: agent.await pending(2)
  agent.await pending(2)
  // CHECK-NEXT: %{{.*}}:2 = agent.await %[[Y]], %[[P]] pending(1) : !agent.in_flight<tensor<64x256xf32>>, !agent.in_flight<tensor<64x256xf32>> -> tensor<64x256xf32>, tensor<64x256xf32>
  %t:2 = agent.await %y, %p pending(1) : !flying, !flying -> tensor<64x256xf32>, tensor<64x256xf32>
  // CHECK-NEXT: %{{.*}} = agent.await %[[Z]] : !agent.in_flight<tensor<64x256xf32>> -> tensor<64x256xf32>
  %u = agent.await %z : !flying -> tensor<64x256xf32>
  // CHECK-NEXT: %{{.*}} = agent.add_mma %[[A]], %[[B]] onto %[[S]] columns(64) : tensor<64x64xbf16>, tensor<256x64xbf16> -> tensor<64x256xf32>
  %v = agent.add_mma %a, %b onto %s columns(64) : tensor<64x64xbf16>, tensor<256x64xbf16> -> tensor<64x256xf32>
  return
}

// CHECK-LABEL: func.func @set_up
// CHECK-SAME: (%[[R:.*]]: !agent.barriers)
func.func @set_up(%r: !agent.barriers) {
  // CHECK-NEXT: agent.init_barriers %[[R]], %[[R]]
  agent.init_barriers %r, %r
  // CHECK-NEXT: agent.alloc_tensor columns(512) to(64) by_warp(7)
  agent.alloc_tensor columns(512) to(64) by_warp(7)
  // CHECK-NEXT: %[[T:.*]] = agent.tensor_address from(64)
  %t = agent.tensor_address from(64)
  // CHECK-NEXT: agent.free_tensor %[[T]] columns(512) by_warp(7)
  agent.free_tensor %t columns(512) by_warp(7)
  return
}

// CHECK-LABEL: func.func @sends
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[TO:.*]]: !tile.buffer<8xf32, smem>)
func.func @sends(%x: tensor<8xf32>, %to: !tile.buffer<8xf32, smem>) {
  // CHECK-NEXT: %[[CTAS:.*]], %[[PLACE:.*]] = agent.peers of [2, 4] along [1]
  %ctas, %place = agent.peers of [2, 4] along [1]
  // CHECK-NEXT: agent.send %[[X]] to %[[TO]] at(%[[PLACE]]) stride(128) in(%[[CTAS]]) count(4) every(2) : tensor<8xf32>, !tile.buffer<8xf32, smem>
  agent.send %x to %to at(%place) stride(128) in(%ctas) count(4) every(2) : tensor<8xf32>, !tile.buffer<8xf32, smem>
  return
}
