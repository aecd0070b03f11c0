// RUN: drawloom-opt %s --assign-layouts --assign-slot-phase --lower-pipes --split-input-file | FileCheck %s

// The last commit of @mma releases q. No role would wait for it, so @load does before it leaves, for the slot that it filled last:
// slot - 1 with the other parity, or the last one of the ring with the same. Commits arrive in order, so k's have arrived by then.

!q = !agent.pipe<smem, tensor<128x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x128xf32>>

// CHECK-LABEL: tile.kernel @tail
tile.kernel @tail(%a: !tile.view<?x?xbf16>, %n: index, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK: %[[EMPTY:.*]] = agent.barriers "q.empty"
  %q = agent.pipe "q" slots(3) smem : (tensor<128x64xbf16>)
    {place = #agent.place<start = 0, stride = 16384, full = 98304, empty = 98328>}
  %k = agent.pipe "k" slots(3) smem : (tensor<128x64xbf16>)
    {place = #agent.place<start = 49152, stride = 16384, full = 98352, empty = 98376>}
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x128xf32>)
    {place = #agent.place<start = 0, stride = 128, full = 98400, empty = 98416>}
  agent.switch attributes {warps = 8 : i64, tensor_columns = 256 : i64, tensor_address = 98432 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(1) at(0) {
      // CHECK: %[[LOOP:.*]]:4 = scf.for
      scf.for %i = %c0 to %n step %c1 {
        agent.produce %q by(tma) : !q {
          %x = tile.load %a[%i, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x : tensor<128x64xbf16>
        }
        // CHECK: scf.for
        scf.for %j = %c0 to %n step %c1 {
          agent.produce %k by(tma) : !q {
            %x = tile.load %a[%j, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            agent.yield %x : tensor<128x64xbf16>
          }
          // CHECK: scf.yield
        }
        // CHECK: scf.yield
      }
      // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
      // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: %[[END:.*]] = arith.constant 2 : i32
      // CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[LOOP]]#0, %[[ZERO]] : i32
      // CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %[[LOOP]]#0, %[[ONE]] : i32
      // CHECK-NEXT: %[[LAST:.*]] = arith.select %[[FIRST]], %[[END]], %[[BEFORE]] : i32
      // CHECK-NEXT: %[[FLIP:.*]] = arith.select %[[FIRST]], %[[ZERO]], %[[ONE]] : i32
      // CHECK-NEXT: %[[PARITY:.*]] = arith.xori %[[LOOP]]#1, %[[FLIP]] : i32
      // CHECK-NEXT: %[[BACK:.*]] = agent.barrier %[[EMPTY]][%[[LAST]]]
      // CHECK-NEXT: agent.wait %[[BACK]] parity(%[[PARITY]])
      // CHECK-NEXT: }
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(1) {
      scf.for %i = %c0 to %n step %c1 {
        agent.consume %q as (%x) by(tensor_core) : !q {
          scf.for %j = %c0 to %n step %c1 {
            agent.consume %k as (%y) by(tensor_core) : !q {
              agent.produce %acc by(tensor_core) : !result {
                %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
                agent.yield %t : tensor<128x128xf32>
              }
              // The result, then k.
              // CHECK: agent.arrive %{{.*}} by(tensor_core)
              // CHECK: agent.arrive %{{.*}} by(tensor_core)
            }
          }
          // CHECK: %[[GIVEN:.*]] = agent.barrier %[[EMPTY]]
          // CHECK-NEXT: agent.arrive %[[GIVEN]] by(tensor_core)
        }
      }
      // CHECK-NOT: agent.wait
      // CHECK: agent.role @epilogue
    }
    agent.role @epilogue warps(4) at(4) {
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          agent.consume %acc as (%r) by(threads) : !result {
            tile.store %r, %d[%i, %j] : tensor<128x128xf32>, !tile.view<?x?xf32>
          }
        }
      }
    }
  }
}

// -----

// With a lag the last slot goes back after the loop, and so after the last result.

!x = !agent.pipe<smem, tensor<128x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x128xf32>>

// CHECK-LABEL: tile.kernel @late
tile.kernel @late(%a: !tile.view<?x?xbf16>, %n: index, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK: %[[EMPTY:.*]] = agent.barriers "x.empty"
  %p = agent.pipe "x" slots(3) smem : (tensor<128x64xbf16>)
    {place = #agent.place<start = 0, stride = 16384, full = 98304, empty = 98328>}
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x128xf32>)
    {place = #agent.place<start = 0, stride = 128, full = 98400, empty = 98416>}
  agent.switch attributes {warps = 8 : i64, tensor_columns = 256 : i64, tensor_address = 98432 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(1) at(0) {
      // CHECK: scf.yield
      scf.for %i = %c0 to %n step %c1 {
        agent.produce %p by(tma) : !x {
          %x = tile.load %a[%i, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x : tensor<128x64xbf16>
        }
      }
      // CHECK: %[[BACK:.*]] = agent.barrier %[[EMPTY]]
      // CHECK-NEXT: agent.wait %[[BACK]]
      // CHECK-NEXT: }
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(1) {
      scf.for %i = %c0 to %n step %c1 {
        agent.produce %acc by(tensor_core) : !result {
          %t = agent.consume %p as (%x) lag(1) by(tensor_core) : !x -> tensor<128x128xf32> {
            %u = tile.mma %x, %x, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %u : tensor<128x128xf32>
          }
          agent.yield %t : tensor<128x128xf32>
        }
      }
    }
    agent.role @epilogue warps(4) at(4) {
      scf.for %i = %c0 to %n step %c1 {
        agent.consume %acc as (%r) by(threads) : !result {
          tile.store %r, %d[%i, 0] : tensor<128x128xf32>, !tile.view<?x?xf32>
        }
      }
    }
  }
}
