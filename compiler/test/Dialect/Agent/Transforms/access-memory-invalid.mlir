// RUN: drawloom-opt %s --access-memory --split-input-file --verify-diagnostics

#sum = #tile.layout<64x64, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

tile.kernel @no_scratch() attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    // expected-error@+1 {{multiplies what takes 8 KiB of scratch memory; it has 0 B: run 'place-memory' [pass-order]}}
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #sum>
      %y = arith.constant dense<2.0> : tensor<64x64xbf16, #sum>
      %p = agent.issue %x, %y : tensor<64x64xbf16, #sum>, tensor<64x64xbf16, #sum> -> !agent.in_flight<tensor<64x64xf32, #sum>>
    }
  }
}

// -----

#rows = #tile.layout<128x64, register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

tile.kernel @blackwell(%more: i1) attributes {tile.target = "sm_100a"} {
  %i0 = arith.constant 0 : i32
  %sums = agent.slots "sum" count(1) at(0) stride(128) offsets [0] : !agent.slots<tmem, tensor<128x128xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %s = agent.slot %sums[%i0], 0 : !agent.slots<tmem, tensor<128x128xf32>> -> !tile.buffer<128x128xf32, tmem>
      %x = arith.constant dense<1.0> : tensor<128x64xbf16, #rows>
      // expected-error@+1 {{that is neither in memory nor has scratch memory to go to}}
      agent.multiply %x, %x into %s accumulate(%more) : tensor<128x64xbf16, #rows>, tensor<128x64xbf16, #rows>, !tile.buffer<128x128xf32, tmem>
    }
  }
}
