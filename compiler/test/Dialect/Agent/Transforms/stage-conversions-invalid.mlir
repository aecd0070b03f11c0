// RUN: drawloom-opt %s --stage-conversions --split-input-file --verify-diagnostics

#a = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#b = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>

tile.kernel @k(%v: !tile.view<128x4xf32>) {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) attributes {scratch = #agent.scratch<offset = 65536, bytes = 1024, column = 0, columns = 0>, named_barrier = #agent.named_barrier<barrier = 1, parts = 65536>} {
      %x = tile.load %v[0, 0] : !tile.view<128x4xf32> -> tensor<128x4xf32, #a>
      // expected-error @+1 {{, but has 1024 from byte 65536 on [pass-order]}}
      %0 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #b>
    }
  }
}

// -----

#a = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#b = #tile.layout<128x4, register = [[32, 0], [64, 0], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 2]]>

tile.kernel @k(%v: !tile.view<128x4xf32>) {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = tile.load %v[0, 0] : !tile.view<128x4xf32> -> tensor<128x4xf32, #a>
      // expected-error @+1 {{has layouts that nothing leads between: one layout has 4 warps, the other 2: a tile is converted by the warps that have it [layout]}}
      %0 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #b>
    }
  }
}

// -----

#a = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#b = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>

tile.kernel @k(%v: !tile.view<128x4xf32>) {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = tile.load %v[0, 0] : !tile.view<128x4xf32> -> tensor<128x4xf32, #a>
      // expected-error-re @+1 {{needs 2048 bytes of scratch to convert a 'tensor<128x4xf32, {{.*}}>', but has none}}
      %0 = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #b>
    }
  }
}
