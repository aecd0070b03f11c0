// RUN: drawloom-opt %s --assign-layouts --split-input-file --verify-diagnostics

tile.kernel @rank_three(%x: !tile.view<?x?x?xf32>, %y: !tile.view<?x?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %a = tile.load %x[%c0, %c0, %c0] : !tile.view<?x?x?xf32> -> tensor<4x4x4xf32>
      // expected-error@below {{works on a 'tensor<4x4x4xf32>' in @compute: a tile of rank 3 has no layout in registers: ranks are one and two [unsupported-tile]}}
      tile.store %a, %y[%c0, %c0, %c0] : tensor<4x4x4xf32>, !tile.view<?x?x?xf32>
    }
  }
}
