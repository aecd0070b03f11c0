// Roles by hand, with engines: the pass's own input.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(assign-layouts,check-code))'

!rows = !agent.pipe<smem, tensor<1x264xf32>>

// 1056 bytes are more than one box, and no part of them is a multiple of 128.
tile.kernel @long_rows(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %pipe = agent.pipe "x" slots(1) smem : (tensor<1x264xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %pipe by(tma) : !rows {
        // expected-error@below {{moves rows of 'tensor<1x264xf32>', which TMA can't cut into boxes of at most 256 elements that begin at a multiple of 128 bytes; use by(cp_async), shorter rows, or a multiple of 128 bytes [tma-box]}}
        %0 = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<1x264xf32>
        agent.yield %0 : tensor<1x264xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %pipe as (%0) by(threads) : !rows {
        tile.store %0, %y[%c0, %c0] : tensor<1x264xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @padded(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %pipe = agent.pipe "x" slots(1) smem : (tensor<64x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %pipe by(tma) : !tiles {
        // expected-error@below {{pads with a number, and what TMA fills up is zero; use by(cp_async) [tma-pad]}}
        %0 = tile.load %x[%c0, %c0] pad(1.0 : f32) : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %0 : tensor<64x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %pipe as (%0) by(threads) : !tiles {
        tile.store %0, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

tile.kernel @branch(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>, %flag: i1) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %pipe = agent.pipe "x" slots(1) smem : (tensor<64x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      scf.if %flag {
        // expected-error@below {{stands in a branch, and roles that don't know whether it is taken would lose count of the slots; use masks}}
        agent.produce %pipe by(tma) : !tiles {
          %0 = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
          agent.yield %0 : tensor<64x64xf32>
        }
      }
    }
    agent.role @compute warps(4) {
      agent.consume %pipe as (%0) by(threads) : !tiles {
        tile.store %0, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<64x64xf32>>

// Three warps, and no size of the tile is a multiple of three.
tile.kernel @three_warps(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %pipe = agent.pipe "x" slots(1) smem : (tensor<64x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %pipe by(tma) : !tiles {
        %0 = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        agent.yield %0 : tensor<64x64xf32>
      }
    }
    agent.role @compute warps(3) {
      agent.consume %pipe as (%0) by(threads) : !tiles {
        // expected-error@below {{works on a 'tensor<64x64xf32>' in @compute: 3 warps cannot share 64 rows: neither is a multiple of 3 [unsupported-tile]}}
        tile.store %0, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// What is computed has more elements than any thread has registers.
tile.kernel @too_large(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch {
    agent.role @compute warps(4) {
      // expected-error@below {{works on a 'tensor<128x1024xf32>', of which each thread of the 4 warps of @compute has 1024 elements, more than twice its registers: 1024 > 512; use a smaller tile [register-limit]}}
      %0 = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<128x1024xf32>
      tile.store %0, %y[%c0, %c0] : tensor<128x1024xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// A slice whose elements change threads goes through memory, where they need an
// address.
tile.kernel @half_columns(%x: !tile.view<?x?xi4>, %y: !tile.view<?x?xi4>, %at: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch {
    agent.role @compute warps(4) {
      %0 = tile.load %x[%c0, %c0] : !tile.view<?x?xi4> -> tensor<32x128xi4>
      // expected-error@below {{takes a 'tensor<32x64xi4>' out of a 'tensor<32x128xi4>' in the registers of @compute, where elements would have to change threads: elements of 4 bits have no address; convert them to i8 first [register-layout]}}
      %part = tensor.extract_slice %0[0, %at] [32, 64] [1, 1] : tensor<32x128xi4> to tensor<32x64xi4>
      tile.store %part, %y[%c0, %c0] : tensor<32x64xi4>, !tile.view<?x?xi4>
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x64xf32>>

tile.kernel @no_tensor_memory(%y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  // expected-error@below {{pipe 'result' is in tensor memory, which sm_90a does not have; use smem [no-tensor-memory]}}
  %pipe = agent.pipe "result" slots(1) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @compute warps(4) {
      agent.produce %pipe by(threads) : !result {
        agent.yield %zero : tensor<128x64xf32>
      }
    }
    agent.role @store warps(4) {
      agent.consume %pipe as (%0) by(threads) : !result {
        tile.store %0, %y[%c0, %c0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// Slots and barriers instead of pipes, as lower-pipes leaves them.
tile.kernel @slots_in_tensor_memory() attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  // expected-error@below {{slots 'sum' are in tensor memory, which sm_90a does not have; use smem [no-tensor-memory]}}
  %sums = agent.slots "sum" count(1) at(0) stride(64) offsets [0] : !agent.slots<tmem, tensor<128x64xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @epilogue warps(4) at(0) {
      %s = agent.slot %sums[%i0], 0 : !agent.slots<tmem, tensor<128x64xf32>> -> !tile.buffer<128x64xf32, tmem>
      %x = tile.read %s[0, 0] : !tile.buffer<128x64xf32, tmem> -> tensor<128x64xf32>
      agent.yield
    }
  }
}

// -----

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<128x64xbf16>>

tile.kernel @no_slot(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %pipe = agent.pipe "operands" slots(1) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %pipe by(tma) : !operands {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<128x64xbf16>
      }
    }
    agent.role @compute warps(4) {
      %t = agent.consume %pipe as (%x, %y) by(tensor_core) : !operands -> tensor<128x128xf32> {
        // expected-error@below {{is an accumulator that no slot of tensor memory is for: its loop computes more than MMAs, in a role that does, too; let MMAs have a role of their own with 'roles = multi', or in roles by hand make it in an agent.produce of a pipe in tmem [mma-accumulator]}}
        %u = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        agent.yield %u : tensor<128x128xf32>
      }
      tile.store %t, %d[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
    }
  }
}
