// Work tiles that are found at run time: one warp takes their numbers and tells all roles.
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | FileCheck %s
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | drawloom-opt --split-input-file | FileCheck %s

!items = !agent.items<index>
!work = !agent.pipe<message, index>
!signal = !agent.pipe<message>

// Cluster launch control gives the number of a CTA that has not started.

// CHECK-LABEL: tile.kernel @dynamic
tile.kernel @dynamic(%x: !tile.view<?xf32>) attributes {tile.target = "sm_100a"} {
  // CHECK-NEXT: %[[WORK:.*]] = agent.slots "work" count(2) at(0) stride(16) offsets [4] : !agent.slots<message, index>
  // Two roles of one warp take each message.
  // CHECK-NEXT: %[[FULL:.*]] = agent.barriers "work.full" count(2) arrivals(1) at(56)
  // CHECK-NEXT: %[[EMPTY:.*]] = agent.barriers "work.empty" count(2) arrivals(3) at(72)
  // A signal has barriers and no memory.
  // CHECK-NEXT: %[[GO:.*]] = agent.barriers "throttle.full" count(1) arrivals(1) at(88)
  // CHECK-NEXT: %[[GONE:.*]] = agent.barriers "throttle.empty" count(1) arrivals(1) at(96)
  // CHECK-NEXT: %[[NEXT_FULL:.*]] = agent.barriers "next_tile.full" count(1) arrivals(1) at(48)
  // CHECK-NEXT: agent.init_barriers %[[FULL]], %[[EMPTY]], %[[GO]], %[[GONE]], %[[NEXT_FULL]]
  %c64 = arith.constant 64 : index
  // CHECK: %[[COUNT:.*]] = tile.dim
  %count = tile.dim %x, 0 : !tile.view<?xf32>
  %items = agent.items dynamic %i of %count -> (index) {
    %at = arith.muli %i, %c64 : index
    agent.yield %at : index
  }
  %work = agent.pipe "work" slots(2) message : (index)
    {place = #agent.place<start = 0, stride = 16, full = 56, empty = 72>}
  %throttle = agent.pipe "throttle" slots(1) message : ()
    {place = #agent.place<start = 32, stride = 0, full = 88, empty = 96>}
  agent.switch attributes {warps = 4 : i64, next_tile = 32 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @scheduler
    agent.role @scheduler warps(1) at(0) {
      // CHECK: %[[CTA:.*]] = gpu.block_id x
      // The rings of 'throttle', of the answers, and of 'work'.
      // CHECK: scf.while (%[[NUMBER:[^ ]*]] = %[[CTA]], %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[SLOT:[^ ]*]] = %{{[^ ]*}}, %[[PHASE:[^ ]*]] = %{{[^ ]*}})
      // CHECK-NEXT: %[[THERE:.*]] = arith.cmpi ult, %[[NUMBER]], %[[COUNT]] : index
      // Only an item has values.
      // CHECK-NEXT: %[[AT:.*]] = scf.if %[[THERE]] -> (index)
      // CHECK-NEXT: %[[LOCATED:.*]] = arith.muli %[[NUMBER]]
      // CHECK-NEXT: scf.yield %[[LOCATED]]
      // CHECK-NEXT: } else {
      // The end is a message like the others.
      // CHECK: %[[FULL_S:.*]] = agent.barrier %[[FULL]][%[[SLOT]]]
      // CHECK-NEXT: %[[EMPTY_S:.*]] = agent.barrier %[[EMPTY]][%[[SLOT]]]
      // CHECK-NEXT: agent.wait %[[EMPTY_S]] parity(%[[PHASE]])
      // CHECK-NEXT: agent.write_message %[[WORK]][%[[SLOT]]] there(%[[THERE]]) values(%[[AT]])
      // CHECK-NEXT: agent.arrive %[[FULL_S]] by(threads)
      // CHECK-NEXT: agent.advance %[[SLOT]], %[[PHASE]] of 2
      // CHECK-NEXT: scf.condition(%[[THERE]]) %[[NUMBER]],
      // CHECK-NEXT: } do {
      agent.for_each_item (%i) in %items publish %work : !items, !work {
        // CHECK: agent.wait
        // CHECK: agent.arrive
        agent.consume %throttle : !signal {
        }
      }
      // With fewer CTAs than items, a CTA stands for more of them.
      // CHECK: %[[NEXT:.*]] = arith.addi
      // CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ult, %[[NEXT]], %[[COUNT]]
      // CHECK-NEXT: scf.if %[[MORE]] -> (index, i32, i32)
      // CHECK: } else {
      // CHECK-NEXT: %[[BARRIER:.*]] = agent.barrier %[[NEXT_FULL]]
      // CHECK-NEXT: scf.if
      // CHECK-NEXT: %[[BYTES:.*]] = arith.constant 16 : i32
      // CHECK-NEXT: agent.expect %[[BARRIER]] bytes(%[[BYTES]])
      // CHECK-NEXT: agent.clc_try_cancel to(32) tells %[[BARRIER]]
      // CHECK-NEXT: }
      // CHECK-NEXT: agent.wait %[[BARRIER]]
      // CHECK-NEXT: agent.advance {{.*}} of 1
      // CHECK-NEXT: %[[TAKEN:.*]] = agent.clc_query from(32)
      // CHECK-NEXT: agent.fence async
      // CHECK-NEXT: scf.yield %[[TAKEN]]
      // CHECK-NEXT: }
      // All lanes have read it before the next one is asked for.
      // CHECK-NEXT: agent.sync warp
      // CHECK-NEXT: scf.yield
    }
    // CHECK: agent.role @first
    agent.role @first warps(1) at(1) {
      // CHECK: scf.while (%{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[SLOT:[^ ]*]] = %{{[^ ]*}}, %[[PHASE:[^ ]*]] = %{{[^ ]*}})
      // CHECK-NEXT: %[[FULL_S:.*]] = agent.barrier %[[FULL]][%[[SLOT]]]
      // CHECK-NEXT: agent.wait %[[FULL_S]] parity(%[[PHASE]])
      // CHECK-NEXT: %[[MESSAGE:.*]]:2 = agent.read_message %[[WORK]][%[[SLOT]]]
      // CHECK-NEXT: %[[EMPTY_S:.*]] = agent.barrier %[[EMPTY]][%[[SLOT]]]
      // CHECK-NEXT: agent.arrive %[[EMPTY_S]] by(threads)
      // CHECK-NEXT: agent.advance
      // CHECK-NEXT: scf.condition(%[[MESSAGE]]#0) {{.*}}, %[[MESSAGE]]#1 :
      agent.for_each_item (%i) in %work : !work {
        // CHECK: agent.barrier %[[GO]]
        agent.produce %throttle : !signal {
        }
      }
    }
    agent.role @second warps(2) at(2) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}

// -----

// Without launch control a counter gives the numbers after those that CTAs begin with.

!items = !agent.items<index>
!work = !agent.pipe<message, index>

// CHECK-LABEL: tile.kernel @counted
tile.kernel @counted(%x: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %count = tile.dim %x, 0 : !tile.view<?xf32>
  %items = agent.items dynamic %i of %count -> (index) {
    agent.yield %i : index
  }
  %work = agent.pipe "work" slots(2) message : (index)
    {place = #agent.place<start = 0, stride = 16, full = 32, empty = 48>}
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @scheduler
    agent.role @scheduler warps(1) at(0) {
      // CHECK: scf.while
      // CHECK: } do {
      // CHECK: %[[CTAS:.*]] = gpu.grid_dim x
      // CHECK-NEXT: %[[DRAWN:.*]] = agent.atomic_next_tile
      // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[DRAWN]], %[[CTAS]]
      // CHECK-NEXT: agent.sync warp
      // CHECK-NEXT: scf.yield %[[NEXT]],
      // CHECK-NOT: agent.clc_try_cancel
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(1) at(1) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}

// -----

// A stream at a fixed stride may also be published. Roles that take turns receive every message.

!items = !agent.items<index>
!work = !agent.pipe<message, index>

// CHECK-LABEL: tile.kernel @turns
// CHECK: agent.barriers "work.empty" count(2) arrivals(2)
tile.kernel @turns(%x: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %count = tile.dim %x, 0 : !tile.view<?xf32>
  %items = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  %work = agent.pipe "work" slots(2) message : (index)
    {place = #agent.place<start = 0, stride = 16, full = 32, empty = 48>}
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @scheduler
    agent.role @scheduler warps(1) at(0) {
      // CHECK: } do {
      // CHECK: %[[NEXT:.*]] = arith.addi
      // CHECK-NEXT: agent.sync warp
      // CHECK-NEXT: scf.yield %[[NEXT]],
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    // CHECK: agent.role @even
    agent.role @even warps(1) at(1) {
      agent.for_each_item (%i) in %work every 2 from 0 : !work {
      }
    }
    // CHECK: agent.role @odd
    agent.role @odd warps(1) at(2) {
      // CHECK: scf.while (%[[TURN:[^ ]*]] =
      // CHECK: } do {
      // CHECK-NEXT: ^bb0(%[[OURS:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: index):
      // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: %[[MINE:.*]] = arith.cmpi eq, %[[OURS]], %[[ONE]]
      // CHECK-NEXT: scf.if %[[MINE]]
      // CHECK: agent.advance %[[OURS]], {{.*}} of 2
      agent.for_each_item (%i) in %work every 2 from 1 : !work {
      }
    }
  }
}

// -----

// Any message: what a produce writes, a consume reads.

!signal = !agent.pipe<message, i32>

// CHECK-LABEL: tile.kernel @message
tile.kernel @message(%x: !tile.view<?xf32>, %n: i32) attributes {tile.target = "sm_90a"} {
  // CHECK-NEXT: %[[GO:.*]] = agent.slots "go" count(1) at(0) stride(16) offsets [4]
  %p = agent.pipe "go" slots(1) message : (i32) {place = #agent.place<start = 0, stride = 16, full = 16, empty = 24>}
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    agent.role @first warps(1) at(0) {
      // CHECK: agent.wait
      // CHECK: agent.write_message %[[GO]][{{.*}}] there(%true) values(%{{.*}}) : !agent.slots<message, i32>
      // CHECK-NEXT: agent.arrive
      agent.produce %p : !signal {
        agent.yield %n : i32
      }
    }
    agent.role @second warps(1) at(1) {
      // CHECK: agent.wait
      // CHECK: agent.read_message %[[GO]][
      // CHECK: agent.arrive
      agent.consume %p as (%m) : !signal {
      }
    }
  }
}

// -----

// In a cluster each CTA has a scheduler. The first one asks, for all of them,
// when all have said that they are ready for the answer.

!items = !agent.items<index>
!work = !agent.pipe<message, index>

// CHECK-LABEL: tile.kernel @dynamic_cluster
tile.kernel @dynamic_cluster(%x: !tile.view<?xf32>) attributes {tile.target = "sm_100a"} {
  // CHECK: %[[NEXT_FULL:.*]] = agent.barriers "next_tile.full" count(1) arrivals(1) at(48) scope(cluster) :
  // CHECK-NEXT: %[[READY:.*]] = agent.barriers "next_tile.empty" count(1) arrivals(4) at(56) scope(cluster) :
  // CHECK-NEXT: agent.init_barriers {{.*}}, %[[NEXT_FULL]], %[[READY]]
  %count = tile.dim %x, 0 : !tile.view<?xf32>
  %items = agent.items dynamic %i of %count -> (index) {
    agent.yield %i : index
  }
  %work = agent.pipe "work" slots(2) message : (index)
    {place = #agent.place<start = 0, stride = 16, full = 64, empty = 80>}
  agent.switch cluster(2, 2) attributes {warps = 4 : i64, next_tile = 32 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @scheduler
    // CHECK: %{{.*}}, %[[RANK:.*]] = agent.peers of [2, 2] along [0, 1]
    agent.role @scheduler warps(1) at(0) {
      // CHECK: scf.if %{{.*}} -> (index, i32, i32)
      // CHECK: } else {
      // CHECK-NEXT: %[[ANSWER:.*]] = agent.barrier %[[NEXT_FULL]][%[[SLOT:.*]]]
      // CHECK-NEXT: scf.if %elected {
      // CHECK: agent.expect %[[ANSWER]]
      // CHECK-NEXT: }
      // CHECK-NEXT: %[[ALL:.*]] = agent.barrier %[[READY]][%[[SLOT]]]
      // CHECK-NEXT: %[[FIRST:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: agent.arrive %[[ALL]] by(threads) in(%[[FIRST]])
      // CHECK: %[[ASKS:.*]] = arith.cmpi eq, %[[RANK]]
      // CHECK-NEXT: scf.if %[[ASKS]] {
      // CHECK-NEXT: agent.wait %[[ALL]] parity(%[[PHASE:.*]])
      // CHECK-NEXT: scf.if %elected {
      // CHECK-NEXT: agent.clc_try_cancel to(32) tells %[[ANSWER]] multicast
      // CHECK: agent.wait %[[ANSWER]] parity(%[[PHASE]])
      // A refusal is one for every CTA; else they take neighbors.
      // CHECK: %[[NUMBER:.*]] = agent.clc_query from(32)
      // CHECK: %[[REFUSED:.*]] = arith.cmpi eq, %[[NUMBER]], %[[NONE:.*]] : index
      // CHECK: %[[OWN:.*]] = arith.addi %[[NUMBER]]
      // CHECK-NEXT: arith.select %[[REFUSED]], %[[NONE]], %[[OWN]]
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    agent.role @take warps(1) at(1) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}

// -----

// Without cluster launch control, the first CTA draws for all and broadcasts the number: each draw stands for four neighbors.

!items = !agent.items<index>
!work = !agent.pipe<message, index>

// CHECK-LABEL: tile.kernel @counted_for_a_cluster
tile.kernel @counted_for_a_cluster(%x: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  // CHECK: %[[NEXT_FULL:.*]] = agent.barriers "next_tile.full" count(1) arrivals(1) at(48) scope(cluster) orders(remote) :
  // CHECK-NEXT: %[[READY:.*]] = agent.barriers "next_tile.empty" count(1) arrivals(4) at(56) scope(cluster) :
  %count = tile.dim %x, 0 : !tile.view<?xf32>
  %items = agent.items dynamic %i of %count -> (index) {
    agent.yield %i : index
  }
  %work = agent.pipe "work" slots(2) message : (index)
    {place = #agent.place<start = 0, stride = 16, full = 64, empty = 80>}
  agent.switch cluster(2, 2) attributes {warps = 4 : i64, next_tile = 32 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @scheduler
    // CHECK: %{{.*}}, %[[RANK:.*]] = agent.peers of [2, 2] along [0, 1]
    agent.role @scheduler warps(1) at(0) {
      // CHECK: %[[CTAS:.*]] = gpu.grid_dim x
      // CHECK-NEXT: %[[ANSWER:.*]] = agent.barrier %[[NEXT_FULL]][%[[SLOT:.*]]]
      // CHECK-NEXT: %[[ALL:.*]] = agent.barrier %[[READY]][%[[SLOT]]]
      // CHECK-NEXT: %[[FIRST:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: agent.arrive %[[ALL]] by(threads) in(%[[FIRST]])
      // CHECK: %[[DRAWS:.*]] = arith.cmpi eq, %[[RANK]]
      // CHECK-NEXT: scf.if %[[DRAWS]] {
      // CHECK-NEXT: agent.wait %[[ALL]] parity(%[[PHASE:.*]])
      // CHECK-NEXT: %[[FOUR:.*]] = arith.constant 15 : i32
      // CHECK-NEXT: %[[DRAWN:.*]] = agent.atomic_next_tile
      // CHECK-NEXT: agent.cluster_broadcast %[[DRAWN]] to(32) in(%[[FOUR]])
      // CHECK-NEXT: agent.arrive %[[ANSWER]] by(threads) in(%[[FOUR]])
      // CHECK-NEXT: }
      // CHECK-NEXT: agent.wait %[[ANSWER]] parity(%[[PHASE]])
      // CHECK-NEXT: agent.advance {{.*}} of 1
      // CHECK-NEXT: %[[RECEIVED:.*]] = agent.cluster_receive from(32)
      // CHECK-NEXT: %[[SIZE:.*]] = arith.constant 4 : index
      // CHECK-NEXT: %[[NEIGHBOR:.*]] = arith.muli %[[RECEIVED]], %[[SIZE]]
      // CHECK-NEXT: %[[OWN:.*]] = arith.index_cast %[[RANK]]
      // CHECK-NEXT: %[[MINE:.*]] = arith.addi %[[NEIGHBOR]], %[[OWN]]
      // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[MINE]], %[[CTAS]]
      // CHECK-NEXT: agent.sync warp
      // CHECK-NEXT: scf.yield %[[NEXT]],
      agent.for_each_item (%i) in %items publish %work : !items, !work {
      }
    }
    agent.role @take warps(1) at(1) {
      agent.for_each_item (%i) in %work : !work {
      }
    }
  }
}
