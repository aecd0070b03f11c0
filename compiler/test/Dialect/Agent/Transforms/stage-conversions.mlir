// What takes several steps is written out, and what doesn't is left alone.
// RUN: drawloom-opt %s --stage-conversions | FileCheck %s

// CHECK-DAG: #[[A:.*]] = #tile.layout<128x4, register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}32, 0], [64, 0]]>
#a = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
// CHECK-DAG: #[[B:.*]] = #tile.layout<128x4, register = {{\[\[}}32, 0], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 1], [0, 2]]>
#b = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>
// CHECK-DAG: #[[C:.*]] = #tile.layout<128x4, register = {{\[\[}}0, 2], [0, 1]]
#c = #tile.layout<128x4, register = [[0, 2], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#tmem = #tile.layout<128x4, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2]]>

// 32 lanes are 128 bytes, all banks.
// CHECK-DAG: #[[SCRATCH:.*]] = #tile.layout<128x4, offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 1], [0, 2]]>

// CHECK-LABEL: func.func @scratch
// CHECK-SAME: (%[[X:.*]]: tensor<128x4xf32, #[[A]]>)
func.func @scratch(%x: tensor<128x4xf32, #a>) -> tensor<128x4xf32, #b>
    attributes {agent.scratch = #agent.scratch<offset = 1024, bytes = 2048, column = 0, columns = 0>} {
  // CHECK-NEXT: %[[BUFFER:.*]] = tile.alloc at(1024) : !tile.buffer<128x4xf32, smem, #[[SCRATCH]]>
  // CHECK-NEXT: tile.write %[[X]], %[[BUFFER]][0, 0] : tensor<128x4xf32, #[[A]]>
  // CHECK-NEXT: agent.sync cta
  // CHECK-NEXT: %[[Y:.*]] = tile.read %[[BUFFER]][0, 0] : {{.*}} -> tensor<128x4xf32, #[[B]]>
  // CHECK-NEXT: agent.sync cta
  // CHECK-NEXT: return %[[Y]]
  %0 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #b>
  return %0 : tensor<128x4xf32, #b>
}

// CHECK-LABEL: func.func @in_registers
func.func @in_registers(%x: tensor<128x4xf32, #a>) -> tensor<128x4xf32, #c> {
  // CHECK-NEXT: tile.convert_layout %{{.*}} : tensor<128x4xf32, #[[A]]> -> tensor<128x4xf32, #[[C]]>
  // CHECK-NEXT: return
  %0 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #c>
  return %0 : tensor<128x4xf32, #c>
}

// Tensor memory is read as its instructions have it, and written too.
// CHECK-LABEL: func.func @tensor_memory
// CHECK-SAME: (%[[BUFFER:.*]]: !tile.buffer
func.func @tensor_memory(%b: !tile.buffer<128x4xf32, tmem, #tmem>) {
  // CHECK-NEXT: %[[READ:.*]] = tile.read %[[BUFFER]][0, 0] : {{.*}} -> tensor<128x4xf32, #[[A]]>
  // CHECK-NEXT: %[[X:.*]] = tile.convert_layout %[[READ]] : tensor<128x4xf32, #[[A]]> -> tensor<128x4xf32, #[[C]]>
  %0 = tile.read %b[0, 0] : !tile.buffer<128x4xf32, tmem, #tmem> -> tensor<128x4xf32, #c>
  // CHECK-NEXT: %[[WRITTEN:.*]] = tile.convert_layout %[[X]] : tensor<128x4xf32, #[[C]]> -> tensor<128x4xf32, #[[A]]>
  // CHECK-NEXT: tile.write %[[WRITTEN]], %[[BUFFER]][0, 0] : tensor<128x4xf32, #[[A]]>
  tile.write %0, %b[0, 0] : tensor<128x4xf32, #c>, !tile.buffer<128x4xf32, tmem, #tmem>
  // CHECK-NEXT: tile.read %{{.*}} -> tensor<128x4xf32, #[[A]]>
  // CHECK-NEXT: return
  %1 = tile.read %b[0, 0] : !tile.buffer<128x4xf32, tmem, #tmem> -> tensor<128x4xf32, #a>
  return
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
