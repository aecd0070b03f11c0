// What says which slot comes next becomes values, which loops carry and branches give.
// RUN: drawloom-opt %s --lower-pipes --split-input-file | FileCheck %s

!signal = !agent.pipe<message>

// Through two loops and a branch; what was there before comes after the variables in scf.for, and before them in scf.while.
// CHECK-LABEL: tile.kernel @loops
tile.kernel @loops(%n: index, %c: i1) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = agent.pipe "p" slots(3) message : () {place = #agent.place<start = 0, stride = 0, full = 0, empty = 24>}
  agent.switch attributes {warps = 4 : i64} {
    // CHECK: agent.role @fill
    agent.role @fill warps(1) at(0) {
      // CHECK-NOT:  agent.variable
      // CHECK:      %[[SLOT:.*]] = arith.constant 0 : i32
      // CHECK-NEXT: %[[PHASE:.*]] = arith.constant 1 : i32
      %at = agent.variable "p.fills" [0, 1]
      // CHECK-NEXT: %[[FOR:.*]]:3 = scf.for %{{.*}} iter_args(%[[S:.*]] = %[[SLOT]], %[[P:.*]] = %[[PHASE]], %[[SUM:.*]] = %{{.*}}) -> (i32, i32, index)
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
        // CHECK-NEXT: %[[IF:.*]]:3 = scf.if %{{.*}} -> (index, i32, i32) {
        // CHECK-NEXT:   %[[FULL:.*]] = agent.barrier %p.full[%[[S]]]
        // CHECK-NEXT:   %[[EMPTY:.*]] = agent.barrier %p.empty[%[[S]]]
        // CHECK-NEXT:   agent.wait %[[EMPTY]] parity(%[[P]])
        // CHECK-NEXT:   %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[S]], %[[P]] of 3
        // CHECK-NEXT:   agent.arrive %[[FULL]] by(threads)
        // CHECK-NEXT:   scf.yield %[[SUM]], %[[NEXT]], %[[FLIP]]
        // CHECK-NEXT: } else {
        // CHECK-NEXT:   scf.yield %{{.*}}, %[[S]], %[[P]]
        // CHECK-NEXT: }
        %t = scf.if %c -> (index) {
          agent.produce %p at(%at) : !signal {
          }
          scf.yield %s : index
        } else {
          scf.yield %c1 : index
        }
        // CHECK-NEXT: scf.yield %[[IF]]#1, %[[IF]]#2, %[[IF]]#0
        scf.yield %t : index
      }
      // CHECK: %[[WHILE:.*]]:4 = scf.while (%[[N:.*]] = %[[FOR]]#2, %[[S:.*]] = %[[FOR]]#0, %[[P:.*]] = %[[FOR]]#1) : (index, i32, i32) -> (index, i32, i32, i1) {
      // CHECK:        scf.condition(%{{.*}}) %[[N]], %[[S]], %[[P]], %{{.*}}
      // CHECK-NEXT: } do {
      // CHECK-NEXT: ^bb0(%[[N:.*]]: index, %[[S:.*]]: i32, %[[P:.*]]: i32, %{{.*}}: i1):
      // CHECK:        %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[S]], %[[P]] of 3
      // CHECK:        scf.yield %[[N]], %[[NEXT]], %[[FLIP]]
      %rest:2 = scf.while (%i = %sum) : (index) -> (index, i1) {
        %more = arith.cmpi slt, %i, %n : index
        scf.condition(%more) %i, %more : index, i1
      } do {
      ^bb0(%i: index, %more: i1):
        agent.produce %p at(%at) : !signal {
        }
        scf.yield %i : index
      }
      // CHECK: agent.barrier %p.full[%[[WHILE]]#1]
      agent.produce %p at(%at) : !signal {
      }
    }
    // CHECK: agent.role @empty
    agent.role @empty warps(1) at(1) {
      %at = agent.variable "p.empties" [0, 0]
      // CHECK: %[[FULL:.*]] = agent.barrier %p.full[%c0_i32]
      // CHECK-NEXT: agent.wait %[[FULL]] parity(%c0_i32{{.*}})
      // CHECK-NEXT: agent.advance %c0_i32, %c0_i32{{.*}} of 3
      agent.consume %p at(%at) : !signal {
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

// The slots that are kept are carried in the loop after which they go back, and in those inside.
// CHECK-LABEL: tile.kernel @lags
tile.kernel @lags(%a: !tile.view<?x?xf32>, %n: index, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = agent.pipe "p" slots(4) smem : (tensor<64x64xf32>) {place = #agent.place<start = 0, stride = 16384, full = 65536, empty = 65568>}
  agent.switch attributes {warps = 8 : i64} {
    agent.role @load warps(1) at(0) {
      %at = agent.variable "p.fills" [0, 1]
      scf.for %i = %c0 to %n step %c1 {
        agent.produce %p at(%at) by(tma) : !tiles {
          %x = tile.load %a[0, %i] : !tile.view<?x?xf32> -> tensor<64x64xf32>
          agent.yield %x : tensor<64x64xf32>
        }
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(4) at(4) {
      %at = agent.variable "p.empties" [0, 0]
      // CHECK: scf.for {{.*}} iter_args(%[[S0:.*]] = %c0_i32, %[[P0:.*]] = %c0_i32{{.*}}) -> (i32, i32)
      scf.for %i = %c0 to %n step %c1 {
        // CHECK-NEXT: %[[N0:.*]] = arith.constant -1 : i32
        // CHECK-NEXT: %[[N1:.*]] = arith.constant -1 : i32
        // CHECK-NEXT: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]], %[[NEWEST:.*]] = %[[N0]], %[[OLDEST:.*]] = %[[N1]]) -> (i32, i32, i32, i32)
        scf.for %j = %c0 to %n step %c1 {
          // CHECK: %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[S]], %[[P]] of 4
          // CHECK: %[[IS:.*]] = arith.cmpi sge, %[[OLDEST]], %{{.*}}
          // CHECK-NEXT: scf.if %[[IS]] {
          // CHECK-NEXT:   agent.barrier %p.empty[%[[OLDEST]]]
          // CHECK: scf.yield %[[NEXT]], %[[FLIP]], %[[S]], %[[NEWEST]]
          agent.consume %p as (%x) at(%at) lag(2) by(threads) : !tiles {
            tile.store %x, %d[%i, %j] : tensor<64x64xf32>, !tile.view<?x?xf32>
          }
        }
        // The oldest one first.
        // CHECK: agent.barrier %p.empty[%[[LOOP]]#3]
        // CHECK: agent.barrier %p.empty[%[[LOOP]]#2]
        // CHECK: scf.yield %[[LOOP]]#0, %[[LOOP]]#1 : i32, i32
      }
    }
  }
}
