// A tile in registers goes to another layout of its warps by shuffles: four
// registers, of which each lane keeps one.
// RUN: drawloom-opt %s --convert-agent-to-nvvm | FileCheck %s

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#columns = #tile.layout<32x4, register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0]], warp = []>

// CHECK-LABEL: llvm.func @turns
tile.kernel @turns(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #rows>
      // CHECK: vector.to_elements %{{.*}} : vector<4xf32>
      // CHECK-COUNT-3: nvvm.shfl.sync idx
      // CHECK-NOT: nvvm.shfl.sync idx
      // CHECK: %[[Y:.*]] = vector.from_elements %{{.*}} : vector<4xf32>
      // CHECK: vector.extract %[[Y]][0]
      %y = tile.convert_layout %x : tensor<32x4xf32, #rows> -> tensor<32x4xf32, #columns>
      tile.store %y, %d[0, 0] : tensor<32x4xf32, #columns>, !tile.view<?x?xf32>
    }
  }
}
