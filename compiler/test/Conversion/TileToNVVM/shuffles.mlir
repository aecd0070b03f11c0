// Elements that stay in their warp go by shuffles.
// RUN: drawloom-opt %s --convert-tile-to-nvvm | FileCheck %s

#row = #tile.layout<32x2, register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#pair = #tile.layout<32x2, register = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#turned = #tile.layout<32x2, register = [[0, 1]], lane = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// Two lanes swap halves: each keeps one register and sends the other. An odd
// lane keeps its second register, and what it gets comes before it.
// CHECK-LABEL: llvm.func @swap
// CHECK-SAME: (%[[X:.*]]: vector<2xf32>)
llvm.func @swap(%v: vector<2xf32>) -> vector<2xf32> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<2xf32> to tensor<32x2xf32, #row>
  // CHECK: %[[E:.*]]:2 = vector.to_elements %[[X]]
  // CHECK: %[[SENDS_ODD:.*]] = arith.cmpi ne
  // CHECK: %[[SENT0:.*]] = arith.select %[[SENDS_ODD]], %[[E]]#1, %[[E]]#0
  // CHECK: %[[SENT1:.*]] = arith.select %[[SENDS_ODD]], %[[E]]#0, %[[E]]#1
  // CHECK: nvvm.shfl.sync idx
  // CHECK-NOT: shfl
  // CHECK: %[[GOT:.*]] = vector.to_elements %{{.*}} : vector<1xf32>
  // CHECK: %[[KEEPS_ODD:.*]] = arith.cmpi ne
  // CHECK: %[[Y0:.*]] = arith.select %[[KEEPS_ODD]], %[[GOT]], %[[SENT0]]
  // CHECK: %[[Y1:.*]] = arith.select %[[KEEPS_ODD]], %[[SENT0]], %[[GOT]]
  // CHECK: vector.from_elements %[[Y0]], %[[Y1]]
  %1 = tile.convert_layout %0 : tensor<32x2xf32, #row> -> tensor<32x2xf32, #pair>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x2xf32, #pair> to vector<2xf32>
  llvm.return %2 : vector<2xf32>
}

// Both registers come from the same lane: halves of a word, one shuffle. Bits 0
// and 1 of the lane change places.
// CHECK-LABEL: llvm.func @packed
// CHECK-SAME: (%[[X:.*]]: vector<2xbf16>)
llvm.func @packed(%v: vector<2xbf16>) -> vector<2xbf16> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<2xbf16> to tensor<32x2xbf16, #row>
  // CHECK: vector.bitcast %{{.*}} : vector<2xbf16> to vector<1xi32>
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK-NOT: shfl
  // CHECK: vector.bitcast %{{.*}} : vector<1xi32> to vector<2xbf16>
  // CHECK-NOT: select
  %1 = tile.convert_layout %0 : tensor<32x2xbf16, #row> -> tensor<32x2xbf16, #turned>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x2xbf16, #turned> to vector<2xbf16>
  llvm.return %2 : vector<2xbf16>
}

// An element of 64 bits is two words, a truth value a byte of one.
// CHECK-LABEL: llvm.func @wide
llvm.func @wide(%v: vector<2xf64>) -> vector<2xf64> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<2xf64> to tensor<32x2xf64, #row>
  // CHECK-COUNT-4: nvvm.shfl.sync idx
  // CHECK-NOT: shfl
  %1 = tile.convert_layout %0 : tensor<32x2xf64, #row> -> tensor<32x2xf64, #turned>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x2xf64, #turned> to vector<2xf64>
  llvm.return %2 : vector<2xf64>
}

// CHECK-LABEL: llvm.func @truth
llvm.func @truth(%v: vector<2xi1>) -> vector<2xi1> attributes {nvvm.reqntid = array<i32: 32>} {
  %0 = builtin.unrealized_conversion_cast %v : vector<2xi1> to tensor<32x2xi1, #row>
  // CHECK-COUNT-2: arith.extui %{{.*}} : i1 to i8
  // CHECK: vector.bitcast %{{.*}} : vector<4xi8> to vector<1xi32>
  // CHECK: nvvm.shfl.sync idx
  // CHECK-NOT: shfl
  // CHECK-COUNT-2: arith.trunci %{{.*}} : i8 to i1
  %1 = tile.convert_layout %0 : tensor<32x2xi1, #row> -> tensor<32x2xi1, #turned>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<32x2xi1, #turned> to vector<2xi1>
  llvm.return %2 : vector<2xi1>
}
