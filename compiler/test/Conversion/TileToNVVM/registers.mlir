// Elements that stay in their thread: registers in another order, copies, and
// registers that a thread chooses by its number.
// RUN: drawloom-opt %s --convert-tile-to-nvvm | FileCheck %s

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#other = #tile.layout<32x4, register = [[0, 2], [0, 0], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#swizzled = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 1], [2, 0], [4, 1], [8, 0], [16, 0]], warp = []>

// CHECK-LABEL: llvm.func @nothing
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>) -> vector<4xf32>
llvm.func @nothing(%v: vector<4xf32>) -> vector<4xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<4xf32> to tensor<32x4xf32, #row>
  %1 = tile.convert_layout %0 : tensor<32x4xf32, #row> -> tensor<32x4xf32, #row>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #row> to vector<4xf32>
  // CHECK-NEXT: llvm.return %[[X]]
  llvm.return %2 : vector<4xf32>
}

// CHECK-LABEL: llvm.func @moves
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>) -> vector<8xf32>
llvm.func @moves(%v: vector<4xf32>) -> vector<8xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<4xf32> to tensor<32x4xf32, #row>
  // CHECK-NEXT: %[[Y:.*]] = vector.shuffle %[[X]], %[[X]] [0, 2, 0, 2, 1, 3, 1, 3]
  %1 = tile.convert_layout %0 : tensor<32x4xf32, #row> -> tensor<32x4xf32, #other>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #other> to vector<8xf32>
  // CHECK-NEXT: llvm.return %[[Y]]
  llvm.return %2 : vector<8xf32>
}

// Lanes for which an odd number of bits 0 and 2 are set have their columns in
// pairs the other way round.
// CHECK-LABEL: llvm.func @selects
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
llvm.func @selects(%v: vector<4xf32>) -> vector<4xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<4xf32> to tensor<32x4xf32, #row>
  // CHECK-DAG: %[[E:.*]]:4 = vector.to_elements %[[X]]
  // CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK-DAG: %[[C31:.*]] = arith.constant 31 : i32
  // CHECK-DAG: %[[LANE:.*]] = arith.andi %[[THREAD]], %[[C31]]
  // CHECK-DAG: %[[C5:.*]] = arith.constant 5 : i32
  // CHECK: %[[BITS:.*]] = arith.andi %[[LANE]], %{{.*}}
  // CHECK: %[[SUM:.*]] = llvm.intr.ctpop(%[[BITS]])
  // CHECK: %[[PARITY:.*]] = arith.andi %[[SUM]], %{{.*}}
  // CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[PARITY]], %{{.*}}
  // CHECK-DAG: %[[A:.*]] = arith.select %[[ODD]], %[[E]]#1, %[[E]]#0
  // CHECK-DAG: %[[B:.*]] = arith.select %[[ODD]], %[[E]]#0, %[[E]]#1
  // CHECK-DAG: %[[C:.*]] = arith.select %[[ODD]], %[[E]]#3, %[[E]]#2
  // CHECK-DAG: %[[D:.*]] = arith.select %[[ODD]], %[[E]]#2, %[[E]]#3
  // CHECK: vector.from_elements %[[A]], %[[B]], %[[C]], %[[D]]
  // CHECK-NOT: shfl
  %1 = tile.convert_layout %0 : tensor<32x4xf32, #row> -> tensor<32x4xf32, #swizzled>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x4xf32, #swizzled> to vector<4xf32>
  llvm.return %2 : vector<4xf32>
}
