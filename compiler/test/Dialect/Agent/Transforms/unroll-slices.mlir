// RUN: drawloom-opt %s --unroll-slices --split-input-file | FileCheck %s

#whole = #tile.layout<32x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#part = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// The iterations one after the other; what is carried goes from one to the next.

// CHECK-LABEL: tile.kernel @cuts
// CHECK: %[[X:.*]] = arith.constant dense<1.000000e+00>
// CHECK-NOT: scf.for
// CHECK: %[[J0:.*]] = arith.constant 0 : index
// CHECK: %[[P0:.*]] = tensor.extract_slice %[[X]][0, %[[J0]]]
// CHECK: tile.store %[[P0]], %{{.*}}[%[[I0:.*]], %[[J0]]]
// CHECK: %[[I1:.*]] = arith.addi %[[I0]]
// CHECK: %[[J1:.*]] = arith.constant 4 : index
// CHECK: %[[P1:.*]] = tensor.extract_slice %[[X]][0, %[[J1]]]
// CHECK: tile.store %[[P1]], %{{.*}}[%[[I1]], %[[J1]]]
// CHECK: %[[I2:.*]] = arith.addi %[[I1]]
// CHECK: tile.store %[[X]], %{{.*}}[%[[I2]], 0]
tile.kernel @cuts(%d: !tile.view<?x?xf32>) {
  agent.switch {
    agent.role @a warps(1) {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %x = arith.constant dense<1.0> : tensor<32x8xf32, #whole>
      %last = scf.for %j = %c0 to %c8 step %c4 iter_args(%i = %c0) -> (index) {
        %p = tensor.extract_slice %x[0, %j] [32, 4] [1, 1] : tensor<32x8xf32, #whole> to tensor<32x4xf32, #part>
        tile.store %p, %d[%i, %j] : tensor<32x4xf32, #part>, !tile.view<?x?xf32>
        %next = arith.addi %i, %c8 : index
        scf.yield %next : index
      }
      tile.store %x, %d[%last, 0] : tensor<32x8xf32, #whole>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Columns of tensor memory are addresses, so the loop stays.

// CHECK-LABEL: tile.kernel @addresses
// CHECK: scf.for
// CHECK: tensor.extract_slice
tile.kernel @addresses(%d: !tile.view<?x?xf32>, %b: i32) {
  %slots = agent.slots "sums" count(1) at(0) stride(32) offsets [0] : !agent.slots<tmem, tensor<128x8xf32>>
  agent.switch {
    agent.role @a warps(4) {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %s = agent.slot %slots[%b], 0 : !agent.slots<tmem, tensor<128x8xf32>> -> !tile.buffer<128x8xf32, tmem>
      %x = tile.read %s[0, 0] : !tile.buffer<128x8xf32, tmem> -> tensor<128x8xf32>
      scf.for %j = %c0 to %c8 step %c4 {
        %p = tensor.extract_slice %x[0, %j] [128, 4] [1, 1] : tensor<128x8xf32> to tensor<128x4xf32>
        %y = tile.convert_layout %p : tensor<128x4xf32> -> tensor<128x4xf32, #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>>
      }
    }
  }
}

// -----

#whole = #tile.layout<32x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#part = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

// Nor is a loop unrolled whose bounds are data, or that has more steps than a
// tile has registers: its slices go through memory.

// CHECK-LABEL: tile.kernel @open
// CHECK: scf.for
// CHECK: tensor.extract_slice
// CHECK: scf.for
// CHECK: tensor.extract_slice
tile.kernel @open(%d: !tile.view<?x?xf32>, %n: index) {
  agent.switch {
    agent.role @a warps(1) {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c1024 = arith.constant 1024 : index
      %x = arith.constant dense<1.0> : tensor<32x8xf32, #whole>
      scf.for %j = %c0 to %n step %c4 {
        %p = tensor.extract_slice %x[0, %j] [32, 4] [1, 1] : tensor<32x8xf32, #whole> to tensor<32x4xf32, #part>
        tile.store %p, %d[0, %j] : tensor<32x4xf32, #part>, !tile.view<?x?xf32>
      }
      scf.for %j = %c0 to %c1024 step %c4 {
        %p = tensor.extract_slice %x[0, %j] [32, 4] [1, 1] : tensor<32x8xf32, #whole> to tensor<32x4xf32, #part>
        tile.store %p, %d[0, %j] : tensor<32x4xf32, #part>, !tile.view<?x?xf32>
      }
    }
  }
}
