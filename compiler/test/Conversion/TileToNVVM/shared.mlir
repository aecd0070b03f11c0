// Tiles and buffers of shared memory.
// RUN: drawloom-opt %s --convert-tile-to-nvvm | FileCheck %s

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#copies = #tile.layout<32x4, register = [[0, 1], [0, 2], [0, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]]>
#memory = #tile.layout<32x4, offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#column = #tile.layout<32x4, offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2]]>
#two = #tile.layout<32x8, offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]]>

// CHECK: llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// A thread's row is 16 bytes, at 16 times its lane.
// CHECK-LABEL: llvm.func @read
llvm.func @read() -> vector<4xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  // CHECK: %[[START:.*]] = llvm.mlir.addressof @shared_memory
  // CHECK: %[[BUFFER:.*]] = llvm.getelementptr %[[START]][2048]
  %0 = tile.alloc at(2048) : !tile.buffer<32x4xf32, smem, #memory>
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[C31:.*]] = arith.constant 31 : i32
  // CHECK: %[[LANE:.*]] = arith.andi %[[THREAD]], %[[C31]]
  // CHECK: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK: %[[BYTES:.*]] = arith.shli %{{.*}}, %[[C4]]
  // CHECK: llvm.getelementptr %[[BUFFER]]
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  %1 = tile.read %0[0, 0] : !tile.buffer<32x4xf32, smem, #memory> -> tensor<32x4xf32, #row>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #row> to vector<4xf32>
  llvm.return %2 : vector<4xf32>
}

// In columns, four accesses that differ by a constant.
// CHECK-LABEL: llvm.func @columns
llvm.func @columns() -> vector<4xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = tile.alloc at(0) : !tile.buffer<32x4xf32, smem, #column>
  // CHECK: llvm.getelementptr %{{.*}}[0]
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
  // CHECK: llvm.getelementptr %{{.*}}[128]
  // CHECK: llvm.load
  // CHECK: llvm.getelementptr %{{.*}}[256]
  // CHECK: llvm.load
  // CHECK: llvm.getelementptr %{{.*}}[384]
  // CHECK: llvm.load
  %1 = tile.read %0[0, 0] : !tile.buffer<32x4xf32, smem, #column> -> tensor<32x4xf32, #row>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #row> to vector<4xf32>
  llvm.return %2 : vector<4xf32>
}

// Four warps have the tile, and each thread has each element twice. One warp
// writes, each element once.
// CHECK-LABEL: llvm.func @write
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>)
llvm.func @write(%v: vector<8xf32>) attributes {nvvm.reqntid = array<i32: 128>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<8xf32> to tensor<32x4xf32, #copies>
  %1 = tile.alloc at(0) : !tile.buffer<32x4xf32, smem, #memory>
  // CHECK: %[[ODD:.*]] = arith.cmpi eq
  // CHECK: %[[PAIR:.*]] = arith.cmpi eq
  // CHECK: %[[WRITES:.*]] = arith.andi %[[ODD]], %[[PAIR]] : i1
  // CHECK: scf.if %[[WRITES]] {
  // CHECK: %[[ONCE:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1, 2, 3]
  // CHECK: llvm.store %[[ONCE]], %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
  // CHECK-NOT: llvm.store
  // CHECK: }
  tile.write %0, %1[0, 0] : tensor<32x4xf32, #copies>, !tile.buffer<32x4xf32, smem, #memory>
  llvm.return
}

// The second half of the columns is 512 bytes further; a part that is known
// when the kernel runs is computed element by element.
// CHECK-LABEL: llvm.func @part
llvm.func @part(%at: i32) -> (!llvm.struct<(vector<4xf32>, vector<4xf32>)>) attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = tile.alloc at(0) : !tile.buffer<32x8xf32, smem, #two>
  // CHECK: llvm.getelementptr %{{.*}}[512]
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  %1 = tile.read %0[0, 4] : !tile.buffer<32x8xf32, smem, #two> -> tensor<32x4xf32, #row>
  // CHECK: arith.index_castui
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
  %j = arith.index_castui %at : i32 to index
  %2 = tile.read %0[0, %j] : !tile.buffer<32x8xf32, smem, #two> -> tensor<32x4xf32, #row>
  %3 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #row> to vector<4xf32>
  %4 = builtin.unrealized_conversion_cast %2 : tensor<32x4xf32, #row> to vector<4xf32>
  %5 = llvm.mlir.undef : !llvm.struct<(vector<4xf32>, vector<4xf32>)>
  %6 = llvm.insertvalue %3, %5[0] : !llvm.struct<(vector<4xf32>, vector<4xf32>)>
  %7 = llvm.insertvalue %4, %6[1] : !llvm.struct<(vector<4xf32>, vector<4xf32>)>
  llvm.return %7 : !llvm.struct<(vector<4xf32>, vector<4xf32>)>
}

// A part of very many.
// CHECK-LABEL: llvm.func @one_of_many
llvm.func @one_of_many() -> vector<4xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = tile.alloc at(0) : !tile.buffer<1048576x4xf32, smem, <1048576x4, offset = [[0, 1], [0, 2], [1, 0] by 1048576]>>
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
  %1 = tile.read %0[32, 0] : !tile.buffer<1048576x4xf32, smem, <1048576x4, offset = [[0, 1], [0, 2], [1, 0] by 1048576]>> -> tensor<32x4xf32, #row>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #row> to vector<4xf32>
  llvm.return %2 : vector<4xf32>
}

// CHECK-LABEL: llvm.func @sync
llvm.func @sync() attributes {nvvm.reqntid = array<i32: 32>} {
  // CHECK: nvvm.barrier
  agent.sync cta
  // CHECK: nvvm.bar.warp.sync
  agent.sync warp
  llvm.return
}
