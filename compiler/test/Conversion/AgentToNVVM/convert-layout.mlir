// Tiles that change their layout inside a warp.
// RUN: drawloom-opt %s --convert-agent-to-nvvm | FileCheck %s

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#other = #tile.layout<32x4, register = [[0, 2], [0, 0], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#swizzled = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 1], [2, 0], [4, 1], [8, 0], [16, 0]], warp = []>
#two = #tile.layout<32x2, register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#pair = #tile.layout<32x2, register = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#turned = #tile.layout<32x2, register = [[0, 1]], lane = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// Registers in another order, and copies.
// CHECK-LABEL: llvm.func @moves
tile.kernel @moves(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #row>
      // CHECK: %[[X:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
      // CHECK: %[[Y:.*]] = vector.shuffle %[[X]], %[[X]] [0, 2, 0, 2, 1, 3, 1, 3]
      %y = tile.convert_layout %x : tensor<32x4xf32, #row> -> tensor<32x4xf32, #other>
      // CHECK: arith.negf %[[Y]] : vector<8xf32>
      %z = arith.negf %y : tensor<32x4xf32, #other>
      // What is there already is taken as it is.
      // CHECK-NEXT: arith.negf %[[X]] : vector<4xf32>
      %same = tile.convert_layout %x : tensor<32x4xf32, #row> -> tensor<32x4xf32, #row>
      %w = arith.negf %same : tensor<32x4xf32, #row>
    }
  }
}

// Lanes for which an odd number of bits 0 and 2 are set have their columns in
// pairs the other way round.
// CHECK-LABEL: llvm.func @selects
tile.kernel @selects(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #row>
      // CHECK: %[[E:.*]]:4 = vector.to_elements
      // CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %{{.*}}
      // CHECK: %[[SUM:.*]] = llvm.intr.ctpop(%[[BITS]])
      // CHECK: %[[PARITY:.*]] = arith.andi %[[SUM]], %{{.*}}
      // CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[PARITY]], %{{.*}}
      // CHECK-DAG: %[[A:.*]] = arith.select %[[ODD]], %[[E]]#1, %[[E]]#0
      // CHECK-DAG: %[[B:.*]] = arith.select %[[ODD]], %[[E]]#0, %[[E]]#1
      // CHECK-DAG: %[[C:.*]] = arith.select %[[ODD]], %[[E]]#3, %[[E]]#2
      // CHECK-DAG: %[[D:.*]] = arith.select %[[ODD]], %[[E]]#2, %[[E]]#3
      // CHECK: vector.from_elements %[[A]], %[[B]], %[[C]], %[[D]]
      %y = tile.convert_layout %x : tensor<32x4xf32, #row> -> tensor<32x4xf32, #swizzled>
    }
  }
}

// Two lanes swap halves: each keeps one register and sends the other. An odd
// lane keeps its second register, and what it gets comes before it.
// CHECK-LABEL: llvm.func @swap
tile.kernel @swap(%v: !tile.view<32x2xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x2xf32, #two>
      // CHECK: %[[E:.*]]:2 = vector.to_elements
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
      %y = tile.convert_layout %x : tensor<32x2xf32, #two> -> tensor<32x2xf32, #pair>
    }
  }
}

// Bits 0 and 1 of the lane change places: both registers come from the same
// lane. Two of 16 bits are one word, one of 64 bits is two, and a truth value a
// byte of one.
// CHECK-LABEL: llvm.func @words
tile.kernel @words(%v: !tile.view<32x2xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %short = arith.constant dense<1.0> : tensor<32x2xbf16, #two>
      %wide = arith.constant dense<1.0> : tensor<32x2xf64, #two>
      %truth = arith.constant dense<true> : tensor<32x2xi1, #two>
      // CHECK: vector.bitcast %{{.*}} : vector<2xbf16> to vector<1xi32>
      // CHECK: nvvm.shfl.sync idx
      // CHECK-NOT: shfl
      // CHECK: vector.bitcast %{{.*}} : vector<1xi32> to vector<2xbf16>
      %0 = tile.convert_layout %short : tensor<32x2xbf16, #two> -> tensor<32x2xbf16, #turned>
      // CHECK-COUNT-4: nvvm.shfl.sync idx
      // CHECK-NOT: shfl
      %1 = tile.convert_layout %wide : tensor<32x2xf64, #two> -> tensor<32x2xf64, #turned>
      // CHECK-COUNT-2: arith.extui %{{.*}} : i1 to i8
      // CHECK: vector.bitcast %{{.*}} : vector<4xi8> to vector<1xi32>
      // CHECK: nvvm.shfl.sync idx
      // CHECK-NOT: shfl
      // CHECK-COUNT-2: arith.trunci %{{.*}} : i8 to i1
      %2 = tile.convert_layout %truth : tensor<32x2xi1, #two> -> tensor<32x2xi1, #turned>
    }
  }
}
