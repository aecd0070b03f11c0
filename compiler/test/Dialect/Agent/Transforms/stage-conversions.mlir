// What takes several steps is written out, and what doesn't is left alone.
// RUN: drawloom-opt %s --stage-conversions | FileCheck %s

// CHECK-DAG: #[[A:.*]] = #tile.layout<128x4, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}32, 0], [64, 0]]>
#a = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
// CHECK-DAG: #[[B:.*]] = #tile.layout<128x4, register = {{\[\[}}32, 0], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 1], [0, 2]]>
#b = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>
// CHECK-DAG: #[[C:.*]] = #tile.layout<128x4, register = {{\[\[}}0, 2], [0, 1]]
#c = #tile.layout<128x4, register = [[0, 2], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

// 32 lanes are 128 bytes, all banks.
// CHECK-DAG: #[[SCRATCH:.*]] = #tile.layout<128x4, offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 1], [0, 2]]>

// CHECK-LABEL: tile.kernel @in_registers
// CHECK: %[[X:.*]] = tile.load
tile.kernel @in_registers(%v: !tile.view<128x4xf32>) {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) attributes {scratch = #agent.scratch<offset = 1024, bytes = 2048, column = 0, columns = 0>, named_barrier = #agent.named_barrier<barrier = 1, parts = 1024>} {
      %x = tile.load %v[0, 0] : !tile.view<128x4xf32> -> tensor<128x4xf32, #a>
      // CHECK-NEXT: tile.convert_layout %[[X]] : tensor<128x4xf32, #[[A]]> -> tensor<128x4xf32, #[[C]]>
      %0 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #c>
      // CHECK-NEXT: %[[BUFFER:.*]] = tile.alloc at(1024) : !tile.buffer<128x4xf32, smem, #[[SCRATCH]]>
      // CHECK-NEXT: tile.write %[[X]], %[[BUFFER]][0, 0] : tensor<128x4xf32, #[[A]]>
      // CHECK-NEXT: agent.sync role
      // CHECK-NEXT: tile.read %[[BUFFER]][0, 0] : {{.*}} -> tensor<128x4xf32, #[[B]]>
      // CHECK-NEXT: agent.sync role
      %1 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #b>
    }
  }
}

// -----

#rows = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#columns = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>
#part = #tile.layout<64x4, register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 2]]>

// The warps of a role synchronize at their own barrier, and their memory is after the operands. A part whose elements are in other threads goes the same way.

// CHECK-LABEL: tile.kernel @role
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[ROOM:.*]] = tile.alloc at(4096) : !tile.buffer<128x4xf32, smem, #{{.*}}>
// CHECK-NEXT: tile.write %[[X]], %[[ROOM]][0, 0]
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: %[[Y:.*]] = tile.read %[[ROOM]][0, 0]
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: %[[PARTS:.*]] = tile.alloc at(4096) : !tile.buffer<128x4xf32, smem, #{{.*}}>
// CHECK-NEXT: tile.write %[[X]], %[[PARTS]][0, 0]
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: %[[PART:.*]] = tile.read %[[PARTS]][64, 0]
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: %[[ANY:.*]] = tile.alloc at(4096) : !tile.buffer<128x4xf32, smem, #{{.*}}>
// CHECK-NEXT: tile.write %[[X]], %[[ANY]][0, 0]
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: %[[COMPUTED:.*]] = tile.read %[[ANY]][%[[AT:.*]], 0]
// CHECK-NEXT: agent.sync role
// CHECK-NEXT: tile.store %[[Y]]
// CHECK-NEXT: tile.store %[[PART]]
// CHECK-NEXT: tile.store %[[COMPUTED]]
tile.kernel @role(%v: !tile.view<128x4xf32>, %at: index) {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) attributes {scratch = #agent.scratch<offset = 1024, bytes = 5120, column = 0, columns = 0>, named_barrier = #agent.named_barrier<barrier = 1, parts = 4096>} {
      %x = tile.load %v[0, 0] : !tile.view<128x4xf32> -> tensor<128x4xf32, #rows>
      %y = tile.convert_layout %x : tensor<128x4xf32, #rows> -> tensor<128x4xf32, #columns>
      %part = tile.extract_slice %x [64, 0] : tensor<128x4xf32, #rows> -> tensor<64x4xf32, #part>
      %computed = tensor.extract_slice %x[%at, 0] [64, 4] [1, 1] : tensor<128x4xf32, #rows> to tensor<64x4xf32, #part>
      tile.store %y, %v[0, 0] : tensor<128x4xf32, #columns>, !tile.view<128x4xf32>
      tile.store %part, %v[0, 0] : tensor<64x4xf32, #part>, !tile.view<128x4xf32>
      tile.store %computed, %v[0, 0] : tensor<64x4xf32, #part>, !tile.view<128x4xf32>
    }
  }
}
