// Each end of a pipe has a variable in its role: the next slot, and its phase.
// RUN: drawloom-opt %s --assign-slot-phase --split-input-file | FileCheck %s
// RUN: drawloom-opt %s --assign-slot-phase --split-input-file | drawloom-opt --split-input-file | FileCheck %s

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

// CHECK-LABEL: tile.kernel @gemm
tile.kernel @gemm(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %k = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
  agent.switch attributes {warps = 8 : i64} {
    // The role that fills the slots finds them empty at first: the phase before the first one is complete.
    // CHECK: agent.role @load
    // CHECK-NEXT: %[[FILLS:.*]] = agent.variable "operands.fills" [0, 1]
    // CHECK-NEXT: scf.for
    // CHECK-NEXT:   agent.produce %operands at(%[[FILLS]]) by(tma) :
    agent.role @load warps(1) at(0) {
      scf.for %j = %c0 to %k step %c64 {
        agent.produce %ab by(tma) : !operands {
          %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %j] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
        }
      }
    }
    // What ends first comes first.
    // CHECK: agent.role @mma
    // CHECK-NEXT: %[[EMPTIES:.*]] = agent.variable "operands.empties" [0, 0]
    // CHECK-NEXT: %[[FILLS:.*]] = agent.variable "result.fills" [0, 1]
    // CHECK-NEXT: agent.produce %result at(%[[FILLS]]) by(tensor_core) :
    // CHECK:        agent.consume %operands as (%{{.*}}, %{{.*}}) at(%[[EMPTIES]]) by(tensor_core) :
    agent.role @mma warps(1) at(1) {
      agent.produce %acc by(tensor_core) : !result {
        %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
          %t = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
            %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
            agent.yield %u : tensor<128x256xf32>
          }
          scf.yield %t : tensor<128x256xf32>
        }
        agent.yield %sum : tensor<128x256xf32>
      }
    }
    // CHECK: agent.role @epilogue
    // CHECK-NEXT: %[[EMPTIES:.*]] = agent.variable "result.empties" [0, 0]
    // CHECK-NEXT: agent.consume %result as (%{{.*}}) at(%[[EMPTIES]]) by(threads) :
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%r) by(threads) : !result {
        tile.store %r, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>
!work = !agent.pipe<message, index>

// Several pipes of one consume, one pipe in several places, and a pipe whose two ends are in one role. Messages and the answer about
// the next work tile come last.
// CHECK-LABEL: tile.kernel @ends
tile.kernel @ends(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>, %there: i1) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %p = agent.pipe "p" slots(2) smem : (tensor<64x64xf32>)
  %q = agent.pipe "q" slots(2) smem : (tensor<64x64xf32>)
  %out = agent.pipe "out" slots(2) smem : (tensor<64x64xf32>)
  %work = agent.pipe "work" slots(2) message : (index)
  agent.switch attributes {warps = 8 : i64} {
    // CHECK: agent.role @load
    // CHECK-NEXT: %[[P:.*]] = agent.variable "p.fills" [0, 1]
    // CHECK-NEXT: %[[Q:.*]] = agent.variable "q.fills" [0, 1]
    // CHECK-NEXT: %[[NEXT:.*]] = agent.variable "next_tile" [0, 0]
    // CHECK-NEXT: %[[WORK:.*]] = agent.variable "work.fills" [0, 1]
    // CHECK-NEXT: agent.publish %work at(%[[WORK]]) there(%{{.*}}) values(%{{.*}})
    // CHECK-NEXT: agent.next_tile after %{{.*}} of %{{.*}} at(%[[NEXT]])
    // CHECK-NEXT: agent.produce %p at(%[[P]])
    // CHECK:      agent.produce %q at(%[[Q]])
    // CHECK:      agent.produce %p at(%[[P]])
    agent.role @load warps(1) at(0) {
      agent.publish %work there(%there) values(%c0) : !work
      %next = agent.next_tile after %c0 of %c0
      agent.produce %p by(tma) : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
      agent.produce %q by(tma) : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
      agent.produce %p by(tma) : !tiles {
        %x = tile.load %a[0, 64] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %x : tensor<64x64xf32>
      }
    }
    // CHECK: agent.role @compute
    // CHECK-NEXT: %[[P:.*]] = agent.variable "p.empties" [0, 0]
    // CHECK-NEXT: %[[Q:.*]] = agent.variable "q.empties" [0, 0]
    // CHECK-NEXT: %[[FILLS:.*]] = agent.variable "out.fills" [0, 1]
    // CHECK-NEXT: %[[EMPTIES:.*]] = agent.variable "out.empties" [0, 0]
    // CHECK-NEXT: %[[WORK:.*]] = agent.variable "work.empties" [0, 0]
    // CHECK-NEXT: agent.receive %work at(%[[WORK]]) :
    // CHECK-NEXT: agent.consume %p, %q as (%{{.*}}, %{{.*}}) at(%[[P]], %[[Q]]) by(threads, threads) :
    // CHECK:      agent.consume %p as (%{{.*}}) at(%[[P]]) lag(1) by(threads) :
    // CHECK:      agent.produce %out at(%[[FILLS]])
    // CHECK:      agent.consume %out as (%{{.*}}) at(%[[EMPTIES]])
    agent.role @compute warps(4) at(4) {
      %more, %i = agent.receive %work : !work
      agent.consume %p, %q as (%x, %y) by(threads, threads) : !tiles, !tiles {
        %z = arith.addf %x, %y : tensor<64x64xf32>
      }
      %kept = agent.consume %p as (%x) lag(1) by(threads) : !tiles -> tensor<64x64xf32> {
        agent.yield %x : tensor<64x64xf32>
      }
      agent.produce %out by(threads) : !tiles {
        agent.yield %kept : tensor<64x64xf32>
      }
      agent.consume %out as (%x) by(tma) : !tiles {
        tile.store %x, %d[0, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
