// Shared memory with a layout: neighbors in memory are one access.
// RUN: drawloom-opt %s --convert-agent-to-nvvm | FileCheck %s

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#copies = #tile.layout<32x4, register = [[0, 1], [0, 2], [0, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]]>
#memory = #tile.layout<32x4, offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#column = #tile.layout<32x4, offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2]]>
#two = #tile.layout<32x8, offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]]>

// CHECK-LABEL: llvm.func @rows_and_columns
tile.kernel @rows_and_columns(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %rows = tile.alloc at(1024) : !tile.buffer<32x4xf32, smem, #memory>
      // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      // CHECK-NOT: llvm.load
      // CHECK: llvm.getelementptr %{{.*}}[2048]
      %0 = tile.read %rows[0, 0] : !tile.buffer<32x4xf32, smem, #memory> -> tensor<32x4xf32, #row>
      // Four accesses that differ by a constant.
      %columns = tile.alloc at(2048) : !tile.buffer<32x4xf32, smem, #column>
      // CHECK: llvm.getelementptr %{{.*}}[0]
      // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
      // CHECK: llvm.getelementptr %{{.*}}[128]
      // CHECK: llvm.load
      // CHECK: llvm.getelementptr %{{.*}}[256]
      // CHECK: llvm.load
      // CHECK: llvm.getelementptr %{{.*}}[384]
      // CHECK: llvm.load
      %1 = tile.read %columns[0, 0] : !tile.buffer<32x4xf32, smem, #column> -> tensor<32x4xf32, #row>
    }
  }
}

// Four warps have the tile, and each thread has each element twice. One warp
// writes, each element once.
// CHECK-LABEL: llvm.func @write
tile.kernel @write(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #copies>
      %0 = tile.alloc at(0) : !tile.buffer<32x4xf32, smem, #memory>
      // CHECK: %[[X:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
      // CHECK: %[[THREE:.*]] = arith.constant 3 : i32
      // CHECK: %[[WARP:.*]] = arith.andi %{{.*}}, %[[THREE]]
      // CHECK: %[[WRITES:.*]] = arith.cmpi eq, %[[WARP]], %{{.*}}
      // CHECK: scf.if %[[WRITES]] {
      // CHECK: %[[ONCE:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1, 2, 3]
      // CHECK: llvm.store %[[ONCE]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
      // CHECK-NOT: llvm.store
      // CHECK: }
      tile.write %x, %0[0, 0] : tensor<32x4xf32, #copies>, !tile.buffer<32x4xf32, smem, #memory>
    }
  }
}

// The second half of the columns is 512 bytes further; a part that is known
// when the kernel runs is computed element by element, and so is one of very
// many.
// CHECK-LABEL: llvm.func @part
tile.kernel @part(%v: !tile.view<32x4xf32>, %at: index) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %0 = tile.alloc at(0) : !tile.buffer<32x8xf32, smem, #two>
      // CHECK: llvm.getelementptr %{{.*}}[512]
      // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %1 = tile.read %0[0, 4] : !tile.buffer<32x8xf32, smem, #two> -> tensor<32x4xf32, #row>
      // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
      %2 = tile.read %0[0, %at] : !tile.buffer<32x8xf32, smem, #two> -> tensor<32x4xf32, #row>
      %many = tile.alloc at(0) : !tile.buffer<1048576x4xf32, smem, <1048576x4, offset = [[0, 1], [0, 2], [1, 0] by 1048576]>>
      // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
      %3 = tile.read %many[32, 0] : !tile.buffer<1048576x4xf32, smem, <1048576x4, offset = [[0, 1], [0, 2], [1, 0] by 1048576]>> -> tensor<32x4xf32, #row>
    }
  }
}
