// Work tiles become numbers, which a role counts or learns from another one. Pipes stay.
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --split-input-file | FileCheck %s
// RUN: drawloom-opt %s --assign-layouts --lower-work-tiles --split-input-file | drawloom-opt --split-input-file | FileCheck %s

!items = !agent.items<index>
!tiles = !agent.pipe<smem, tensor<128x64xf32>>

// Each CTA counts from its own number at the stride of the grid.
// CHECK-LABEL: tile.kernel @known
// CHECK-NEXT:  %[[C128:.*]] = arith.constant 128
// CHECK-NEXT:  %[[COUNT:.*]] = tile.dim
tile.kernel @known(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c128 = arith.constant 128 : index
  %count = tile.dim %a, 0 : !tile.view<?x?xf32>
  // CHECK-NOT: agent.items
  %items = agent.items static %i of %count -> (index) {
    %m = arith.muli %i, %c128 : index
    agent.yield %m : index
  }
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
    {place = #agent.place<start = 0, stride = 32768, full = 65536, empty = 65552>}
  agent.switch attributes {warps = 8 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @load
    agent.role @load warps(1) at(0) {
      // CHECK-NEXT: %[[CTA:.*]] = gpu.block_id x
      // CHECK-NEXT: %[[CTAS:.*]] = gpu.grid_dim x
      // CHECK-NEXT: scf.for %[[I:.*]] = %[[CTA]] to %[[COUNT]] step %[[CTAS]] {
      // CHECK-NEXT:   %[[M:.*]] = arith.muli %[[I]], %[[C128]] : index
      // CHECK-NEXT:   agent.produce %tiles by(tma)
      // CHECK-NEXT:     tile.load %{{.*}}[%[[M]], 0]
      agent.for_each_item (%m) in %items : !items {
        agent.produce %p by(tma) : !tiles {
          %x = tile.load %a[%m, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
          agent.yield %x : tensor<128x64xf32>
        }
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(4) at(4) {
      // CHECK: scf.for
      // CHECK-NEXT: %[[M:.*]] = arith.muli
      // CHECK-NEXT: agent.consume %tiles as (%[[X:.*]]) by(threads)
      // CHECK-NEXT: %[[READ:.*]] = tile.convert_layout %[[X]]
      // CHECK-NEXT: tile.store %[[READ]], %{{.*}}[%[[M]], 0]
      agent.for_each_item (%m) in %items : !items {
        agent.consume %p as (%x) by(threads) : !tiles {
          tile.store %x, %d[%m, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
        }
      }
    }
  }
}

// -----

!items = !agent.items<index>

// Of the numbers of a CTA, every third one from the second one on.
// CHECK-LABEL: tile.kernel @every
tile.kernel @every(%d: !tile.view<?x?xf32>, %x: f32) attributes {tile.target = "sm_90a"} {
  %count = tile.dim %d, 0 : !tile.view<?x?xf32>
  %items = agent.items static %i of %count -> (index) {
    agent.yield %i : index
  }
  agent.switch attributes {warps = 4 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @compute
    agent.role @compute warps(4) at(0) {
      // CHECK-NEXT: %[[CTA:.*]] = gpu.block_id x
      // CHECK-NEXT: %[[CTAS:.*]] = gpu.grid_dim x
      // CHECK-NEXT: %[[FROM:.*]] = arith.constant 1 : index
      // CHECK-NEXT: %[[EVERY:.*]] = arith.constant 3 : index
      // CHECK-NEXT: %[[SKIPPED:.*]] = arith.muli %[[CTAS]], %[[FROM]]
      // CHECK-NEXT: %[[FIRST:.*]] = arith.addi %[[CTA]], %[[SKIPPED]]
      // CHECK-NEXT: %[[STEP:.*]] = arith.muli %[[CTAS]], %[[EVERY]]
      // CHECK-NEXT: scf.for %[[I:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP]] {
      // CHECK-NEXT: tile.store %{{.*}}, %{{.*}}[%[[I]], 0]
      agent.for_each_item (%i) in %items every 3 from 1 : !items {
        tile.store %x, %d[%i, 0] : f32, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!items = !agent.items<index, i32>
!work = !agent.pipe<message, index, i32>

// One role asks whether there is a work tile, and tells the others, the end too.
// CHECK-LABEL: tile.kernel @dynamic
// CHECK-NEXT:  %[[COUNT:.*]] = tile.dim
tile.kernel @dynamic(%d: !tile.view<?x?xf32>, %x: f32, %n: i32) attributes {tile.target = "sm_100a"} {
  %count = tile.dim %d, 0 : !tile.view<?x?xf32>
  %items = agent.items dynamic %i of %count -> (index, i32) {
    %m = arith.addi %i, %i : index
    agent.yield %m, %n : index, i32
  }
  %work = agent.pipe "work" slots(2) message : (index, i32)
    {place = #agent.place<start = 0, stride = 16, full = 32, empty = 48>}
  agent.switch attributes {warps = 4 : i64, next_tile = 64 : i64, verdict = #agent.verdict<proved>} {
    // CHECK: agent.role @scheduler
    agent.role @scheduler warps(1) at(0) {
      // CHECK-NEXT: %[[CTA:.*]] = gpu.block_id x
      // CHECK-NEXT: scf.while (%[[NUMBER:.*]] = %[[CTA]]) : (index) -> (index, index, i32) {
      // CHECK-NEXT:   %[[THERE:.*]] = arith.cmpi ult, %[[NUMBER]], %[[COUNT]] : index
      // CHECK-NEXT:   %[[TILE:.*]]:2 = scf.if %[[THERE]] -> (index, i32) {
      // CHECK-NEXT:     %[[M:.*]] = arith.addi %[[NUMBER]], %[[NUMBER]]
      // CHECK-NEXT:     scf.yield %[[M]], %{{.*}} : index, i32
      // CHECK-NEXT:   } else {
      // CHECK-NEXT:     %[[NONE:.*]] = arith.constant 0 : index
      // CHECK-NEXT:     %[[ZERO:.*]] = arith.constant 0 : i32
      // CHECK-NEXT:     scf.yield %[[NONE]], %[[ZERO]] : index, i32
      // CHECK-NEXT:   }
      // CHECK-NEXT:   agent.publish %work there(%[[THERE]]) values(%[[TILE]]#0, %[[TILE]]#1) : !agent.pipe<message, index, i32>
      // CHECK-NEXT:   scf.condition(%[[THERE]]) %[[NUMBER]], %[[TILE]]#0, %[[TILE]]#1 : index, index, i32
      // CHECK-NEXT: } do {
      // CHECK-NEXT: ^bb0(%[[TAKEN:.*]]: index, %[[M:.*]]: index, %{{.*}}: i32):
      // CHECK-NEXT:   tile.store %{{.*}}, %{{.*}}[%[[M]], 0]
      // CHECK-NEXT:   %[[NEXT:.*]] = agent.next_tile after %[[TAKEN]] of %[[COUNT]]
      // CHECK-NEXT:   agent.sync warp
      // CHECK-NEXT:   scf.yield %[[NEXT]] : index
      agent.for_each_item (%m, %k) in %items publish %work : !items, !work {
        tile.store %x, %d[%m, 0] : f32, !tile.view<?x?xf32>
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(1) at(1) {
      // CHECK-NEXT: scf.while : () -> (index, i32) {
      // CHECK-NEXT:   %[[THERE:.*]]:3 = agent.receive %work : !agent.pipe<message, index, i32>
      // CHECK-NEXT:   scf.condition(%[[THERE]]#0) %[[THERE]]#1, %[[THERE]]#2 : index, i32
      // CHECK-NEXT: } do {
      // CHECK-NEXT: ^bb0(%[[M:.*]]: index, %{{.*}}: i32):
      // CHECK-NEXT:   tile.store %{{.*}}, %{{.*}}[%[[M]], 1]
      // CHECK-NEXT:   agent.sync warp
      // CHECK-NEXT:   scf.yield
      agent.for_each_item (%m, %k) in %work : !work {
        tile.store %x, %d[%m, 1] : f32, !tile.view<?x?xf32>
      }
    }
    // A role that takes turns receives every message.
    // CHECK: agent.role @turns
    agent.role @turns warps(1) at(2) {
      // CHECK-NEXT: %[[FIRST:.*]] = arith.constant 0 : i32
      // CHECK-NEXT: scf.while (%[[TURN:.*]] = %[[FIRST]]) : (i32) -> (i32, index, i32) {
      // CHECK-NEXT:   %[[THERE:.*]]:3 = agent.receive %work
      // CHECK-NEXT:   scf.condition(%[[THERE]]#0) %[[TURN]],
      // CHECK-NEXT: } do {
      // CHECK-NEXT: ^bb0(%[[OURS:.*]]: i32, %{{.*}}: index, %{{.*}}: i32):
      // CHECK-NEXT:   %[[ONE:.*]] = arith.constant 1 : i32
      // CHECK-NEXT:   %[[OWN:.*]] = arith.cmpi eq, %[[OURS]], %[[ONE]] : i32
      // CHECK-NEXT:   scf.if %[[OWN]] {
      // CHECK-NEXT:     tile.store
      // CHECK-NEXT:   }
      // CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0 : i32
      // CHECK-NEXT:   %[[NEXT:.*]], %{{.*}} = agent.advance %[[OURS]], %[[ZERO]] of 2
      // CHECK-NEXT:   agent.sync warp
      // CHECK-NEXT:   scf.yield %[[NEXT]] : i32
      agent.for_each_item (%m, %k) in %work every 2 from 1 : !work {
        tile.store %x, %d[%m, 2] : f32, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!items = !agent.items<index>
!work = !agent.pipe<message, index>

// Work tiles at a fixed stride may be published as well.
// CHECK-LABEL: tile.kernel @published
tile.kernel @published(%x: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
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
      // CHECK-NEXT: ^bb0(%[[NUMBER:.*]]: index, %{{.*}}: index):
      // CHECK-NEXT: %[[CTAS:.*]] = gpu.grid_dim x
      // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[NUMBER]], %[[CTAS]]
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

!items = !agent.items<index>
!work = !agent.pipe<message, index>
!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x256xf32>>

// Both CTAs of a pair take the messages, and one of them multiplies. Who reads the accumulator finds out from its own work tile
// whether the mainloop has run.
// CHECK-LABEL: tile.kernel @pair
tile.kernel @pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %count = tile.dim %a, 0 : !tile.view<?x?xbf16>
  %items = agent.items dynamic %i of %count -> (index) {
    agent.yield %i : index
  }
  %work = agent.pipe "work" slots(2) message : (index)
    {place = #agent.place<start = 65616, stride = 16, full = 65648, empty = 65664>}
  %ab = agent.pipe "operands" slots(2) smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)
    {place = #agent.place<start = 0, stride = 32768, full = 65536, empty = 65552>}
  %acc = agent.pipe "result" slots(1) tmem scope(pair) : (tensor<128x256xf32>)
    {place = #agent.place<start = 0, stride = 256, full = 65568, empty = 65576>}
  agent.switch cluster(2, 1) attributes {warps = 8 : i64, tensor_columns = 256 : i64, tensor_address = 65584 : i64, next_tile = 65680 : i64, verdict = #agent.verdict<proved>} {
    agent.role @scheduler warps(1) at(0) {
      agent.for_each_item (%m) in %items publish %work : !items, !work {
      }
    }
    agent.role @load warps(1) at(1) {
      agent.for_each_item (%m) in %work : !work {
        %k = arith.addi %m, %c64 : index
        scf.for %j = %c0 to %k step %c64 {
          agent.produce %ab by(tma) : !operands {
            %x = tile.load %a[0, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
            %y = tile.load %b[0, %j] halved 0 : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
            agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
          }
        }
      }
    }
    // CHECK: agent.role @mma
    agent.role @mma warps(1) at(2) scope(pair) {
      // CHECK: } do {
      // CHECK-NEXT: ^bb0(%[[M:.*]]: index):
      // CHECK-NEXT:   %[[LEADS:.*]] = agent.leads
      // CHECK-NEXT:   scf.if %[[LEADS]] {
      // CHECK-NEXT:     %[[K:.*]] = arith.addi %[[M]]
      // CHECK-NEXT:     agent.produce %result
      agent.for_each_item (%m) in %work : !work {
        %k = arith.addi %m, %c64 : index
        agent.produce %acc by(tensor_core) : !result {
          %sum = scf.for %j = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
            %next = agent.consume %ab as (%x, %y) by(tensor_core) : !operands -> tensor<128x256xf32> {
              %t = tile.mma %x, %y, %s pair : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
              agent.yield %t : tensor<128x256xf32>
            }
            scf.yield %next : tensor<128x256xf32>
          }
          agent.yield %sum : tensor<128x256xf32>
        }
      }
    }
    // CHECK: agent.role @epilogue
    agent.role @epilogue warps(4) at(4) {
      // CHECK: } do {
      // CHECK-NEXT: ^bb0(%[[OWN:.*]]: index):
      // CHECK-NEXT:   agent.consume %result as (%[[R:.*]]) by(threads)
      // CHECK-NEXT:     %[[K:.*]] = arith.addi %[[OWN]], %[[C64:.*]] : index
      // CHECK-NEXT:     %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[K]] : index
      // CHECK-NEXT:     %[[KNOWN:.*]] = agent.or_zero %[[R]] if(%[[RUNS]])
      // CHECK-NEXT:     %[[READ:.*]] = tile.convert_layout %[[KNOWN]]
      // CHECK-NEXT:     tile.store %[[READ]]
      agent.for_each_item (%m) in %work : !work {
        agent.consume %acc as (%r) by(threads) : !result {
          tile.store %r, %d[%m, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
        }
      }
    }
  }
}
