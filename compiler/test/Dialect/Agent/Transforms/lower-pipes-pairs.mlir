// Two CTAs multiply together: the first one issues for both.
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | FileCheck %s

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

// Half of B is in each CTA.
// CHECK-LABEL: tile.kernel @pair
// CHECK:       agent.slots "operands" count(2) at(0) stride(32768) offsets [0, 16384] : !agent.slots<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>
// CHECK-NEXT:  %[[FULL:.*]] = agent.barriers "operands.full" count(2) arrivals(1) at(65536) scope(pair) :
// CHECK-NEXT:  %[[EMPTY:.*]] = agent.barriers "operands.empty" count(2) arrivals(1) at(65552) scope(pair) orders(execution) :
// The fences of tcgen05 order tensor memory.
// CHECK:       %[[RESULT:.*]] = agent.barriers "result.full" count(1) arrivals(1) at(65568) scope(pair) orders(execution) :
// The warps of both epilogues.
// CHECK-NEXT:  %[[FREE:.*]] = agent.barriers "result.empty" count(1) arrivals(8) at(65576) scope(pair) orders(execution) :
// CHECK:       agent.sync cluster
tile.kernel @pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    {place = #agent.place<start = 0, stride = 32768, full = 65536, empty = 65552>}
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 65568, empty = 65576>}
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, tensor_columns = 256 : i64, tensor_address = 65584 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(1) at(0) {
      // CHECK:     %{{.*}}, %[[RANK:.*]] = agent.peers of [2, 1, 1] along [0, 1, 2]
      // CHECK:     %[[LEADER:.*]] = arith.andi %[[RANK]], %c-2_i32
      // CHECK:     %[[PLACE:.*]] = arith.andi %[[RANK]], %c1_i32
      // CHECK:     %[[LEADS:.*]] = arith.cmpi eq, %[[PLACE]]
      // CHECK:     %[[ANNOUNCES:.*]] = arith.andi %elected, %[[LEADS]]
      // CHECK:     %[[RING:.*]]:2 = scf.for
      scf.for %j = %c0 to %k step %c64 {
        // The leader announces the bytes of both; both tell it.
        // CHECK:   %[[OWN:.*]] = agent.barrier %[[FULL]][%[[SLOT:.*]]]
        // CHECK:   %[[BYTES:.*]] = arith.constant 65536 : i32
        // CHECK:   scf.if %[[ANNOUNCES]] {
        // CHECK-NEXT: agent.expect %[[OWN]] bytes(%[[BYTES]])
        // CHECK-NEXT: }
        // CHECK-NEXT: scf.if %elected {
        // CHECK-NEXT: %[[THERE:.*]] = agent.barrier %[[FULL]][%[[SLOT]]] in(%[[LEADER]])
        // CHECK:   agent.load %a[0, %{{.*}}] {{.*}} tells %[[THERE]]
        // The second half begins 128 rows further on.
        // CHECK:   %[[INDEX:.*]] = arith.index_cast %[[PLACE]]
        // CHECK:   %[[MORE:.*]] = arith.muli %[[INDEX]], %c128
        // CHECK:   %[[FIRST:.*]] = arith.addi %[[MORE]], %c0
        // CHECK:   agent.load %b[%[[FIRST]], %{{.*}}] {{.*}} tells %[[THERE]] {{.*}} !tile.buffer<128x64xbf16
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %j] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
        }
      }
      // All slots come back before this CTA leaves.
      // CHECK:     %[[LAST:.*]] = agent.barrier %[[EMPTY]][%[[RING]]#0]
      // CHECK-NEXT: agent.wait %[[LAST]] parity(%[[RING]]#1)
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(1) scope(pair) {
      // CHECK:     %[[LEADS:.*]] = arith.cmpi eq
      // CHECK:     %[[BOTH:.*]], %{{.*}} = agent.peers of [2, 1, 1] along [0]
      // CHECK:     scf.if %[[LEADS]] {
      agent.produce %acc by(tensor_core) : !result {
        %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
          %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
            %t = tile.mma %x, %y, %s pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %t : tensor<128x256xf32>
          }
          // CHECK: agent.multiply {{.*}} pair : tensor<128x64xbf16>, tensor<128x64xbf16>, !tile.buffer<128x256xf32, tmem>
          // CHECK: agent.arrive %{{.*}} by(tensor_core) in(%[[BOTH]])
          scf.yield %next : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
      // CHECK:     agent.arrive %{{.*}} by(tensor_core) in(%[[BOTH]])
    }
    // CHECK: agent.role @epilogue
    agent.role @epilogue warps(4) at(4) {
      // CHECK:     %[[LEADER:.*]] = arith.andi
      // CHECK:     %[[BIT:.*]] = arith.shli %{{.*}}, %[[LEADER]]
      // CHECK:     %[[MINE:.*]] = agent.barrier %[[RESULT]]
      // CHECK:     agent.wait %[[MINE]]
      agent.consume %acc as (%r) by(threads) : !result {
      }
      // CHECK:     %[[ITS:.*]] = agent.barrier %[[FREE]]
      // CHECK:     agent.arrive %[[ITS]] by(threads) in(%[[BIT]])
    }
  }
  // No CTA deallocates tensor memory while the other one may still arrive.
  // CHECK: agent.fence tensor_before
  // CHECK-NEXT: agent.sync cluster
  // CHECK-NEXT: agent.fence tensor_after
  // CHECK-NEXT: agent.free_tensor
}

// -----

// Pairs of a larger cluster. Pairs along m have the same halves of B, and load
// a part of them for each other; pairs along n share A. B is stored with k
// first, so it is halved by columns.

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<64x256xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

// CHECK-LABEL: tile.kernel @pairs
// CHECK:       !agent.slots<smem, tensor<128x64xbf16>, tensor<64x128xbf16>>
// Three pairs get a part from this CTA: its own, the other one of its row and
// the other one of its column.
// CHECK:       agent.barriers "operands.empty" count(2) arrivals(3) at(65552) scope(cluster)
tile.kernel @pairs(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %ab = agent.pipe "operands" slots(2) smem scope(cluster) : (tensor<128x64xbf16>, tensor<64x256xbf16>)
    {place = #agent.place<start = 0, stride = 32768, full = 65536, empty = 65552>}
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 65568, empty = 65576>}
  agent.switch cluster(4, 2) attributes {warps = 8 : i64, tensor_columns = 256 : i64, tensor_address = 65584 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(1) at(0) {
      // CHECK-DAG: %[[ROW:.*]], %[[ROW_PLACE:.*]] = agent.peers of [2, 2, 2] along [2]
      // CHECK-DAG: %[[COLUMN:.*]], %[[COLUMN_PLACE:.*]] = agent.peers of [2, 2, 2] along [1]
      scf.for %j = %c0 to %k step %c64 {
        // CHECK:   agent.load %a{{.*}} part(%[[ROW_PLACE]] of 2) in(%[[ROW]])
        // CHECK:   agent.load %b{{.*}} part(%[[COLUMN_PLACE]] of 2) in(%[[COLUMN]])
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[%j, 0] multicast [0] halved 1 : !tile.view<?x?xbf16> -> tensor<64x256xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<64x256xbf16>
        }
      }
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(1) scope(pair) {
      // What reaches one CTA of a pair goes back for both.
      // CHECK-DAG: %[[ROWS:.*]], %{{.*}} = agent.peers of [2, 2, 2] along [0, 2]
      // CHECK-DAG: %[[COLUMNS:.*]], %{{.*}} = agent.peers of [2, 2, 2] along [0, 1]
      // CHECK:     %[[ALL:.*]] = arith.ori %[[ROWS]], %[[COLUMNS]]
      agent.produce %acc by(tensor_core) : !result {
        %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
          %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
            // CHECK: tile.transpose {{.*}} : tensor<64x128xbf16> -> tensor<128x64xbf16>
            %z = tile.transpose %y [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
            %t = tile.mma %x, %z, %s pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %t : tensor<128x256xf32>
          }
          // CHECK: agent.arrive %{{.*}} by(tensor_core) in(%[[ALL]])
          scf.yield %next : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
    }
  }
}
