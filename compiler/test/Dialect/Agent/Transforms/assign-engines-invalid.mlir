// What the program specifies and the hardware can't do.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(assign-engines))'

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

tile.kernel @many_warps(%a: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(4) {
      // expected-error@below {{'agent.produce' op of pipe 'one' is by(tma), but one warp starts what fills a slot, and @load has 4; use warps(1), or by(cp_async)}}
      agent.produce %one by(tma) : !tiles {
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

// -----

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

// What a program leaves out is by TMA, whatever the role's warps are.
tile.kernel @not_said(%a: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %one = agent.pipe "one" slots(1) smem : (tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(4) {
      // expected-error@below {{'agent.produce' op of pipe 'one' is by(tma), but one warp starts what fills a slot, and @load has 4; use warps(1), or by(cp_async)}}
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

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

tile.kernel @warp_groups(%a: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %operands = agent.pipe "operands" slots(1) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %operands : !operands {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(8) {
      // expected-error@below {{'agent.consume' op of pipe 'operands' is by(tensor_core), but the warp groups of sm_90a issue MMAs and arrive themselves; use by(threads) [engine]}}
      %t = agent.consume %operands as (%x, %y) by(tensor_core) : !operands -> tensor<128x128xf32> {
        %u = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        agent.yield %u : tensor<128x128xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xbf16>>

// expected-error@below {{'tile.kernel' op has no target to plan for}}
tile.kernel @no_target(%a: !tile.view<?x?xbf16>) {
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
