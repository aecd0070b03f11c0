// What MMAs read and write, and no pipe holds, needs room too.
// RUN: drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-layouts,place-memory))' | FileCheck %s

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

// A kernel without roles: both operands in shared memory, the accumulator in
// registers.
// CHECK-LABEL: tile.kernel @hopper
tile.kernel @hopper(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  // CHECK: agent.switch attributes {shared_bytes = 24576 : i64}
  agent.switch {
    // CHECK: scratch = #agent.scratch<offset = 0, bytes = 24576, column = 0, columns = 0>
    agent.role @compute warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %a[128, 0] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      tile.store %t, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// The same where results are in tensor memory.
// CHECK-LABEL: tile.kernel @blackwell
tile.kernel @blackwell(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  // CHECK: agent.switch
  // CHECK-SAME: shared_bytes = 24580 : i64
  // CHECK-SAME: tensor_address = 24576 : i64
  // CHECK-SAME: tensor_columns = 64 : i64
  agent.switch {
    // CHECK: scratch = #agent.scratch<offset = 0, bytes = 24576, column = 0, columns = 64>
    agent.role @compute warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %a[128, 0] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      tile.store %t, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// wgmma takes a computed A from registers, and what is in a slot stays there.
// CHECK-LABEL: tile.kernel @from_registers
tile.kernel @from_registers(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xbf16>)
  // CHECK-NOT: #agent.scratch
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x : tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%y) : !tiles {
        %x = arith.negf %y : tensor<128x64xbf16>
        %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        tile.store %t, %d[0, 0] : tensor<128x128xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
