// A scan goes from a thread's elements to lanes to warps.
// RUN: drawloom-opt %s --convert-agent-to-nvvm | FileCheck %s

// Registers 0 and 1 are neighbors, then lanes.
#rows = #tile.layout<8x8, register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>

// CHECK-LABEL: llvm.func @lanes
tile.kernel @lanes(%v: !tile.view<8x8xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<8x8xf32, #rows>
      // CHECK: %[[A:.*]] = vector.extract %{{.*}}[0]
      // CHECK: %[[B:.*]] = vector.extract %{{.*}}[1]
      // CHECK: %[[AB:.*]] = arith.addf %[[A]], %[[B]] : f32
      // CHECK: %[[TOTAL:.*]] = arith.addf %[[A]], %[[B]] : f32
      // One shuffle for both registers: their block has one total.
      // CHECK: %[[SECOND:.*]] = arith.cmpi ne
      // CHECK: nvvm.shfl.sync bfly
      // CHECK: %[[OTHER:.*]] = arith.bitcast %{{.*}} : i32 to f32
      // CHECK: %[[BOTH:.*]] = arith.addf %[[TOTAL]], %[[OTHER]]
      // CHECK: %[[LATER:.*]] = arith.addf %[[OTHER]], %[[A]]
      // CHECK: arith.select %[[SECOND]], %[[LATER]], %[[A]]
      // CHECK: nvvm.shfl.sync bfly
      // CHECK-NOT: shfl
      // CHECK: vector.from_elements
      %y = tile.scan addf %x axis 1 : tensor<8x8xf32, #rows>
    }
  }
}

#warps = #tile.layout<128, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

// Each warp writes what it comes to, and reads what those before it do.
// CHECK-LABEL: llvm.func @warps
tile.kernel @warps(%v: !tile.view<128xi32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) attributes {scratch = #agent.scratch<offset = 0, bytes = 1024, column = 0, columns = 0>, named_barrier = #agent.named_barrier<barrier = 1, parts = 0>} {
      %x = arith.constant dense<1> : tensor<128xi32, #warps>
      // CHECK-COUNT-5: nvvm.shfl.sync bfly
      // CHECK: llvm.store
      // CHECK: nvvm.barrier
      // CHECK-COUNT-4: llvm.load
      // CHECK: nvvm.barrier
      %y = tile.scan addi %x axis 0 : tensor<128xi32, #warps>
    }
  }
}
