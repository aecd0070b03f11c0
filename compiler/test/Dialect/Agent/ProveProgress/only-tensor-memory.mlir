// The second proof is of kernels that allocate tensor memory; the first one's
// verdict on others stands.
// RUN: drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-engines,prove-progress{only-tensor-memory}))' | FileCheck %s

// CHECK-LABEL: tile.kernel @shared
// CHECK-NOT:   verdict
// CHECK-LABEL: tile.kernel @tensor
// CHECK:       tensor_columns = 256
// CHECK-SAME:  verdict = #agent.verdict<proved

tile.kernel @shared(%x: !tile.view<64x64xf32>) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "p" slots(1) smem : (tensor<64x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !agent.pipe<smem, tensor<64x64xf32>> {
        %t = tile.load %x[0, 0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
        agent.yield %t : tensor<64x64xf32>
      }
    }
    agent.role @read warps(4) {
      agent.consume %p as (%t) : !agent.pipe<smem, tensor<64x64xf32>> {
      }
    }
  }
}

tile.kernel @tensor(%x: !tile.view<128x256xf32>) attributes {tile.target = "sm_100a"} {
  %p = agent.pipe "p" slots(1) tmem : (tensor<128x256xf32>)
  agent.switch attributes {tensor_columns = 256 : i64} {
    agent.role @fill warps(4) {
      agent.produce %p : !agent.pipe<tmem, tensor<128x256xf32>> {
        %t = tile.load %x[0, 0] : !tile.view<128x256xf32> -> tensor<128x256xf32>
        agent.yield %t : tensor<128x256xf32>
      }
    }
    agent.role @read warps(4) {
      agent.consume %p as (%t) : !agent.pipe<tmem, tensor<128x256xf32>> {
      }
    }
  }
}
