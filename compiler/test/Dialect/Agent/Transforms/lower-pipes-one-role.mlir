// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --assign-slot-phase --lower-pipes | FileCheck %s

// A role of four warps multiplies and reads the accumulator itself. A commit asks one thread only, so only that thread
// waits for operands, and for an accumulator to fill; all warps wait for the sum, and all of them give it back.

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x128xf32>>

// CHECK-LABEL: tile.kernel @one_role
tile.kernel @one_role(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>, %k: index)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // CHECK: %[[FULL:.*]] = agent.barriers "operands.full" count(4) arrivals(1)
  // CHECK: %[[EMPTY:.*]] = agent.barriers "operands.empty" count(4) arrivals(1)
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
    {place = #agent.place<start = 0, stride = 32768, full = 131072, empty = 131104>}
  // CHECK: %[[DONE:.*]] = agent.barriers "result.full" count(1) arrivals(1)
  // CHECK: %[[READ:.*]] = agent.barriers "result.empty" count(1) arrivals(4)
  %acc = agent.pipe "result" slots(1) tmem : (tensor<128x128xf32>)
    {place = #agent.place<start = 0, stride = 128, full = 131136, empty = 131144>}
  agent.switch attributes {warps = 8 : i64, tensor_columns = 128 : i64, tensor_address = 131152 : i64, verdict = #agent.verdict<proved>} {
    agent.role @load warps(1) at(0) {
      scf.for %j = %c0 to %k step %c64 {
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
        }
      }
    }
    // CHECK: agent.role @compute warps(4)
    // CHECK-NEXT: %[[LEADER:.*]] = agent.elect role
    agent.role @compute warps(4) at(4) {
      // CHECK: %[[READ_T:.*]] = agent.barrier %[[READ]]
      // CHECK-NEXT: scf.if %[[LEADER]] {
      // CHECK-NEXT: agent.wait %[[READ_T]]
      agent.produce %acc by(tensor_core) : !result {
        %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> tensor<128x128xf32> {
          // CHECK: %[[FULL_S:.*]] = agent.barrier %[[FULL]]
          // CHECK-NEXT: scf.if %[[LEADER]] {
          // CHECK-NEXT: agent.wait %[[FULL_S]]
          // CHECK-NEXT: }
          // CHECK: agent.multiply
          // CHECK: %[[EMPTY_S:.*]] = agent.barrier %[[EMPTY]]
          // CHECK-NEXT: agent.arrive %[[EMPTY_S]] by(tensor_core)
          %t = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x128xf32> {
            %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
            agent.yield %u : tensor<128x128xf32>
          }
          scf.yield %t : tensor<128x128xf32>
        }
        agent.yield %sum : tensor<128x128xf32>
      }
      // CHECK: agent.arrive %{{.*}} by(tensor_core)
      // CHECK: %[[DONE_T:.*]] = agent.barrier %[[DONE]]
      // CHECK-NEXT: agent.wait %[[DONE_T]]
      // CHECK: tile.convert_layout
      // CHECK: %[[READ_T:.*]] = agent.barrier %[[READ]]
      // CHECK: agent.arrive %[[READ_T]] by(threads)
      // CHECK: tile.store
      agent.consume %acc as (%r) by(threads) : !result {
        tile.store %r, %d[0, 0] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
