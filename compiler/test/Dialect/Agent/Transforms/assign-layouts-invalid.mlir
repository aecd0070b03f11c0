// RUN: drawloom-opt %s --assign-layouts --split-input-file --verify-diagnostics

tile.kernel @both_ways(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %a = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x32xf32>
      // expected-note@below {{it is used here}}
      %v = tile.reduce addf %a axis 1 : tensor<32x32xf32> -> tensor<32xf32>
      // expected-error@below {{uses a vector along the columns of the tiles of @compute that elsewhere runs along their rows: its elements would have to change threads; store it, and load it where it is used the other way}}
      %b0 = tile.expand_dims %v axis 0 : tensor<32xf32> -> tensor<1x32xf32>
      %b = tile.broadcast %b0 : tensor<1x32xf32> -> tensor<32x32xf32>
      tile.store %b, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

tile.kernel @rank_three(%x: !tile.view<?x?x?xf32>, %y: !tile.view<?x?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %a = tile.load %x[%c0, %c0, %c0] : !tile.view<?x?x?xf32> -> tensor<4x4x4xf32>
      // expected-error@below {{works on a 'tensor<4x4x4xf32>' in @compute: a tile of rank 3 has no layout in registers: ranks are one and two}}
      tile.store %a, %y[%c0, %c0, %c0] : tensor<4x4x4xf32>, !tile.view<?x?x?xf32>
    }
  }
}
