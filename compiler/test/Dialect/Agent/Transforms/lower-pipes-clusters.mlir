// CTAs of a cluster fill each other's slots.
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes --split-input-file | FileCheck %s

// Four CTAs on Blackwell, two along m and two along n. Each CTA gets parts from
// three: itself, the other of its row and the other of its column.

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

// CHECK-LABEL: tile.kernel @blackwell
// CHECK:       %[[FULL:.*]] = agent.barriers "operands.full" count(2) arrivals(1) at(98304) scope(cluster) :
// MMAs have read a slot before TMA fills it.
// CHECK-NEXT:  %[[EMPTY:.*]] = agent.barriers "operands.empty" count(2) arrivals(3) at(98320) scope(cluster) orders(execution) :
// CHECK:       agent.barriers "result.full" count(1) arrivals(1) at(98336) : !agent.barriers
// The CTAs synchronize before one sends something, and don't when they leave.
// CHECK:       agent.fence tensor_before
// CHECK-NEXT:  agent.sync cluster
tile.kernel @blackwell(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %ab = agent.pipe "operands" slots(2) smem scope(cluster) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    {place = #agent.place<start = 0, stride = 49152, full = 98304, empty = 98320>}
  %acc = agent.pipe "result" slots(1) tmem : (tensor<128x256xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 98336, empty = 98344>}
  agent.switch cluster(2, 2) attributes {warps = 8 : i64, tensor_columns = 256 : i64, tensor_address = 98352 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(1) at(0) {
      // CHECK:     %[[ROW:.*]], %[[ROW_PLACE:.*]] = agent.peers of [2, 2] along [1]
      // CHECK:     %[[COLUMN:.*]], %[[COLUMN_PLACE:.*]] = agent.peers of [2, 2] along [0]
      // CHECK:     %[[RING:.*]]:2 = scf.for
      scf.for %j = %c0 to %k step %c64 {
        // All bytes of the slot, whichever CTAs load them.
        // CHECK:   %[[BYTES:.*]] = arith.constant 49152 : i32
        // CHECK:   agent.expect %{{.*}} bytes(%[[BYTES]])
        // CHECK:   agent.load {{.*}} part(%[[ROW_PLACE]] of 2) in(%[[ROW]])
        // CHECK:   agent.load {{.*}} part(%[[COLUMN_PLACE]] of 2) in(%[[COLUMN]])
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %j] multicast [0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
        }
      }
      // All slots come back before this CTA leaves.
      // CHECK:     %[[LAST:.*]] = agent.barrier %[[EMPTY]][%[[RING]]#0]
      // CHECK-NEXT: agent.wait %[[LAST]] parity(%[[RING]]#1)
      // CHECK-NEXT: %[[NEXT:.*]], %[[FLIP:.*]] = agent.advance %[[RING]]#0, %[[RING]]#1 of 2
      // CHECK-NEXT: %[[LAST:.*]] = agent.barrier %[[EMPTY]][%[[NEXT]]]
      // CHECK-NEXT: agent.wait %[[LAST]] parity(%[[FLIP]])
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(1) {
      // CHECK:     %[[ROW:.*]], %{{.*}} = agent.peers of [2, 2] along [1]
      // CHECK:     %[[COLUMN:.*]], %{{.*}} = agent.peers of [2, 2] along [0]
      // CHECK:     %[[ALL:.*]] = arith.ori %[[ROW]], %[[COLUMN]]
      agent.produce %acc by(tensor_core) : !result {
        %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
          %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
            %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %t : tensor<128x256xf32>
          }
          // CHECK: agent.multiply
          // CHECK: agent.arrive %{{.*}} by(tensor_core) in(%[[ALL]])
          scf.yield %next : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
      // CHECK:     agent.arrive %{{.*}} by(tensor_core){{$}}
    }
    // CHECK: agent.role @epilogue
    // CHECK-NOT: agent.peers
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
      }
      // CHECK: agent.arrive %{{.*}} by(threads){{$}}
    }
  }
  // CHECK: agent.sync cta
}

// -----

// Two CTAs on Hopper: eight warps of each release a slot in both.

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<64x64xbf16>>

// CHECK-LABEL: tile.kernel @hopper
// CHECK:       agent.barriers "operands.empty" count(2) arrivals(16) at(49168) scope(cluster) :
// CHECK:       agent.sync cluster
tile.kernel @hopper(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %ab = agent.pipe "operands" slots(2) smem scope(cluster) : (tensor<128x64xbf16>, tensor<64x64xbf16>)
    {place = #agent.place<start = 0, stride = 24576, full = 49152, empty = 49168>}
  agent.switch cluster(2) attributes {warps = 12 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      scf.for %j = %c0 to %k step %c64 {
        // CHECK: agent.load {{.*}} tells %{{[a-z0-9_]*}} :
        // CHECK: agent.load {{.*}} part(%{{.*}} of 2) in(%{{.*}}) :
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %j] multicast [0] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<64x64xbf16>
        }
      }
    }
    agent.role @compute warps(8) at(4) {
      // CHECK: %[[BOTH:.*]], %{{.*}} = agent.peers of [2] along [0]
      %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
        %next = agent.consume %ab as (%x, %y) by(threads) : !operands -> tensor<128x64xf32> {
          %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
          agent.yield %t : tensor<128x64xf32>
        }
        // CHECK: agent.arrive %{{.*}} by(threads) in(%[[BOTH]])
        scf.yield %next : tensor<128x64xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Two CTAs along n of a cluster of four give each other what they have. Each
// writes to both, tells both, and reads what both have written; a slot is empty
// when both have read it. What is written in the other CTA takes a wider release
// than what is read in the own one.

!sums = !agent.pipe<smem, tensor<8xf32>, tensor<8xf32>>

// CHECK-LABEL: tile.kernel @exchange
// CHECK:       %[[FULL:.*]] = agent.barriers "exchange.full" count(2) arrivals(8) at(512) scope(cluster) orders(remote) :
// CHECK-NEXT:  %[[EMPTY:.*]] = agent.barriers "exchange.empty" count(2) arrivals(8) at(528) scope(cluster) :
// CHECK:       agent.sync cluster
tile.kernel @exchange(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %e = agent.pipe "exchange" slots(2) smem scope(cluster) : (tensor<8xf32>, tensor<8xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 512, empty = 528>}
  agent.switch cluster(2, 2) attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @compute
    agent.role @compute warps(4) at(0) {
      // CHECK:      %[[CTAS:.*]], %[[PLACE:.*]] = agent.peers of [2, 2] along [1]
      // CHECK:      %[[PART:.*]] = tile.load
      %part = tile.load %x[0] : !tile.view<?xf32> -> tensor<8xf32>
      // CHECK:      agent.wait %{{.*}} parity
      // CHECK:      %[[ROOM:.*]] = agent.slot %{{.*}}, 0 :
      // CHECK-NEXT: agent.send %[[PART]] to %[[ROOM]] at(%[[PLACE]]) stride(128) in(%[[CTAS]]) count(2) every(2)
      // CHECK-NEXT: agent.arrive %{{.*}} by(threads) in(%[[CTAS]])
      agent.produce %e by(threads) : !sums {
        %all:2 = tile.all_gather %part along 1 : tensor<8xf32> -> 2
        agent.yield %all#0, %all#1 : tensor<8xf32>, tensor<8xf32>
      }
      // CHECK:      agent.wait
      // CHECK:      tile.read
      // CHECK:      tile.read
      // CHECK:      agent.arrive %{{.*}} by(threads) in(%[[CTAS]])
      // CHECK:      arith.addf
      %sums:2 = agent.consume %e as (%a, %b) by(threads) : !sums -> (tensor<8xf32>, tensor<8xf32>) {
        agent.yield %a, %b : tensor<8xf32>, tensor<8xf32>
      }
      %sum = arith.addf %sums#0, %sums#1 : tensor<8xf32>
      tile.store %sum, %y[0] : tensor<8xf32>, !tile.view<?xf32>
      // No CTA leaves before the other one has read.
      // CHECK:      agent.barrier %[[EMPTY]]
      // CHECK-NEXT: agent.wait
      // CHECK:      agent.barrier %[[EMPTY]]
      // CHECK-NEXT: agent.wait
    }
  }
}

// -----

// Each of two CTAs gets columns of its own from both: the r-th operand goes to the r-th of them.

!parts = !agent.pipe<smem, tensor<64x32xf32>, tensor<64x32xf32>>

// CHECK-LABEL: tile.kernel @columns
tile.kernel @columns(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %e = agent.pipe "exchange" slots(1) smem scope(cluster) : (tensor<64x32xf32>, tensor<64x32xf32>)
    {place = #agent.place<start = 0, stride = 16384, full = 16384, empty = 16392>}
  agent.switch cluster(2, 2) attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    agent.role @compute warps(4) at(0) {
      // CHECK:      %[[CTAS:.*]], %[[PLACE:.*]] = agent.peers of [2, 2] along [1]
      // CHECK:      %[[LEFT:.*]] = tile.load
      // CHECK:      %[[RIGHT:.*]] = tile.load
      %left = tile.load %x[0, 0] : !tile.view<?x?xf32> -> tensor<64x32xf32>
      %right = tile.load %x[0, 32] : !tile.view<?x?xf32> -> tensor<64x32xf32>
      // CHECK:      %[[OTHERS:.*]] = arith.subi %{{.*}}, %[[CTAS]]
      // CHECK-NEXT: %[[FIRST:.*]] = arith.andi %[[CTAS]], %[[OTHERS]]
      // CHECK:      %[[ONE:.*]] = arith.shli %[[FIRST]]
      // CHECK:      agent.send %[[LEFT]] to %{{.*}} at(%[[PLACE]]) stride(8192) in(%[[ONE]]) count(1) every(2)
      // CHECK:      %[[BY:.*]] = arith.constant 2 : i32
      // CHECK-NEXT: %[[OTHER:.*]] = arith.shli %[[FIRST]], %[[BY]]
      // CHECK:      agent.send %[[RIGHT]] to %{{.*}} at(%[[PLACE]]) stride(8192) in(%[[OTHER]]) count(1) every(2)
      // CHECK-NEXT: agent.arrive %{{.*}} by(threads) in(%[[CTAS]])
      agent.produce %e by(threads) : !parts {
        %all:2 = tile.all_gather %left, %right along 1 : tensor<64x32xf32> -> 2
        agent.yield %all#0, %all#1 : tensor<64x32xf32>, tensor<64x32xf32>
      }
      %sums:2 = agent.consume %e as (%a, %b) by(threads) : !parts -> (tensor<64x32xf32>, tensor<64x32xf32>) {
        agent.yield %a, %b : tensor<64x32xf32>, tensor<64x32xf32>
      }
      %sum = arith.addf %sums#0, %sums#1 : tensor<64x32xf32>
      tile.store %sum, %y[0, 0] : tensor<64x32xf32>, !tile.view<?x?xf32>
    }
  }
}
