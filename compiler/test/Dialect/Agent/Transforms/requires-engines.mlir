// Whatever reads the engines refuses a kernel that comes too early.
// RUN: not drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(prove-progress))' 2>&1 | FileCheck %s
// RUN: not drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(map-execution-units))' 2>&1 | FileCheck %s
// RUN: sed 's/warps(1)/warps(1) at(0)/; s/warps(4)/warps(4) at(4)/' %s | not drawloom-opt -pass-pipeline='builtin.module(tile.kernel(budget-registers))' 2>&1 | FileCheck %s
// CHECK: error: 'agent.{{produce' op of pipe 'one' doesn't say who fills|consume' op of pipe 'one' doesn't say who empties}} its slots: run assign-engines first, or add by(...)

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

tile.kernel @early(%a: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %one : !tiles {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x : tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %one as (%x) : !tiles {
      }
    }
  }
}
