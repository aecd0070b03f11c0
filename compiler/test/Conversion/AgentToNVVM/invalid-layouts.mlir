// Layouts and buffers that the passes before don't choose.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics -convert-agent-to-nvvm

tile.kernel @none(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{has a tile without a layout; run 'assign-layouts' and 'access-memory' first}}
      %x = arith.constant dense<1.0> : tensor<32x4xf32>
    }
  }
}

// -----

#offsets = #tile.layout<32x4, offset = [[0, 1] by 4, [1, 0] by 32]>

tile.kernel @offsets(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{has a layout that is not of registers, lanes and warps; run 'assign-layouts' and 'access-memory' first}}
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #offsets>
    }
  }
}

// -----

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

tile.kernel @warps(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      // expected-error@+1 {{has a layout of 32 lanes and 1 warps; @a has 32 and 4; run 'assign-layouts' and 'access-memory' first}}
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #rows>
    }
  }
}

// -----

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#vector = #tile.layout<32, register = [], lane = [[16], [8], [4], [2], [1]], warp = []>

tile.kernel @reduce(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #rows>
      // expected-error@+1 {{gives its result another layout than what is left of its operand's; run 'assign-layouts' and 'access-memory' first}}
      %y = tile.reduce addf %x axis 1 : tensor<32x4xf32, #rows> -> tensor<32xf32, #vector>
    }
  }
}

// -----

#a = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#b = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>

tile.kernel @moves(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<128x4xf32, #a>
      // expected-error@+1 {{moves elements from warp to warp: 'stage-conversions' has them go through memory; run 'assign-layouts' and 'access-memory' first}}
      %y = tile.convert_layout %x : tensor<128x4xf32, #a> -> tensor<128x4xf32, #b>
    }
  }
}

// -----

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#columns = #tile.layout<32x4, register = [[8, 0], [16, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>

tile.kernel @short(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1> : tensor<32x4xi4, #rows>
      // expected-error@+1 {{moves elements of type i4, which are no whole bytes; run 'assign-layouts' and 'access-memory' first}}
      %y = tile.convert_layout %x : tensor<32x4xi4, #rows> -> tensor<32x4xi4, #columns>
    }
  }
}

// -----

#columns = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

tile.kernel @reads_tensor_memory(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  agent.alloc_tensor columns(32) to(0) by_warp(0)
  %t = agent.tensor_address from(0)
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "sums" count(1) at(0) stride(32) offsets [0] : !agent.slots<tmem, tensor<128x4xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<tmem, tensor<128x4xf32>> -> !tile.buffer<128x4xf32, tmem>
      // expected-error@+1 {{reads tensor memory in another layout than rows of lanes; run 'assign-layouts' and 'access-memory' first}}
      %x = tile.read %s[0, 0] : !tile.buffer<128x4xf32, tmem> -> tensor<128x4xf32, #columns>
    }
  }
}

// -----

#columns = #tile.layout<128x4, register = [[32, 0], [64, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>

tile.kernel @writes_tensor_memory(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  agent.alloc_tensor columns(32) to(0) by_warp(0)
  %t = agent.tensor_address from(0)
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "sums" count(1) at(0) stride(32) offsets [0] : !agent.slots<tmem, tensor<128x4xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<tmem, tensor<128x4xf32>> -> !tile.buffer<128x4xf32, tmem>
      %x = arith.constant dense<1.0> : tensor<128x4xf32, #columns>
      // expected-error@+1 {{writes tensor memory in another layout than rows of lanes; run 'assign-layouts' and 'access-memory' first}}
      tile.write %x, %s[0, 0] : tensor<128x4xf32, #columns>, !tile.buffer<128x4xf32, tmem>
    }
  }
}

// -----

#rows = #tile.layout<64x16, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 8]]>
!a = !tile.buffer<64x64xbf16, smem, #tile.panels<128x1, swizzle 16>>
!b = !tile.buffer<16x64xbf16, smem, #tile.panels<128x1, swizzle 16>>

tile.kernel @sum(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "operands" count(1) at(0) stride(10240) offsets [0, 8192] : !agent.slots<smem, tensor<64x64xbf16>, tensor<16x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>, tensor<16x64xbf16>> -> !a
      %y = agent.slot %slots[%i0], 1 : !agent.slots<smem, tensor<64x64xbf16>, tensor<16x64xbf16>> -> !b
      // expected-error@+1 {{has a tile in registers that is not in the layout of wgmma; run 'assign-layouts' and 'access-memory' first}}
      %s = agent.issue %x, %y : !a, !b -> !agent.in_flight<tensor<64x16xf32, #rows>>
    }
  }
}

// -----

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#columns = #tile.layout<4x32, register = [[1, 0], [2, 0]], lane = [[0, 16], [0, 8], [0, 4], [0, 2], [0, 1]], warp = []>

tile.kernel @transpose(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #rows>
      // expected-error@+1 {{elements would have to change threads}}
      %y = tile.transpose %x [1, 0] : tensor<32x4xf32, #rows> -> tensor<4x32xf32, #columns>
    }
  }
}

// -----

// Two bits of a thread's number have the same step above a digit of three: the coordinate is their XOR, and no sum.
#meet = #tile.layout<6x16, register = [[1, 0] by 3], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [3, 0]], warp = [[3, 0], [0, 0]]>

tile.kernel @meet(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      // expected-error@+1 {{has a layout without code: two digits of a place meet above an odd digit of the offset: there is no sum for it; run 'assign-layouts' and 'access-memory' first}}
      %x = tile.load %d[0, 0] : !tile.view<?x?xf32> -> tensor<6x16xf32, #meet>
    }
  }
}

// -----

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

tile.kernel @no_panels(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "x" count(1) at(0) stride(512) offsets [0] : !agent.slots<smem, tensor<32x4xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<32x4xf32>> -> !tile.buffer<32x4xf32, smem>
      // expected-error@+1 {{between registers and shared memory: they have a multiple of 16 bytes, and a swizzle of 16 bytes at a time; run 'assign-layouts' and 'access-memory' first [pass-order]}}
      %x = tile.read %s[0, 0] : !tile.buffer<32x4xf32, smem> -> tensor<32x4xf32, #rows>
    }
  }
}

// -----

#rows = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
!x = !tile.buffer<32x8xf32, smem, #tile.panels<32x1>>

tile.kernel @part(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %s = tile.alloc at(0) : !x
      // expected-error@+1 {{moves a part of a buffer in shared memory, which has no code; run 'assign-layouts' and 'access-memory' first [pass-order]}}
      %x = tile.read %s[0, 4] : !x -> tensor<32x4xf32, #rows>
    }
  }
}

// -----

#rows = #tile.layout<128x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

tile.kernel @part_of_tensor_memory(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  agent.alloc_tensor columns(32) to(0) by_warp(0)
  %t = agent.tensor_address from(0)
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "sums" count(1) at(0) stride(32) offsets [0] : !agent.slots<tmem, tensor<128x16xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<tmem, tensor<128x16xbf16>> -> !tile.buffer<128x16xbf16, tmem>
      %x = arith.constant dense<1.0> : tensor<128x8xbf16, #rows>
      // expected-error@+1 {{writes a part of tensor memory that has no code; run 'assign-layouts' and 'access-memory' first [pass-order]}}
      tile.write %x, %s[0, 8] : tensor<128x8xbf16, #rows>, !tile.buffer<128x16xbf16, tmem>
    }
  }
}

// -----

!a = !tile.buffer<64x64xbf16, smem, #tile.panels<128x1, swizzle 16>>
#sum = #tile.layout<64x16, register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #tile.layout<64x64, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#b = #tile.layout<16x64, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]]>

tile.kernel @operand_in_registers(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = tile.alloc at(0) : !a
      %y = arith.constant dense<1.0> : tensor<16x64xbf16, #b>
      // expected-error-re@+1 {{multiplies by a tensor<16x64xbf16, {{.*}}>, which is no buffer that a matrix descriptor describes}}
      %s = agent.issue %x, %y : !a, tensor<16x64xbf16, #b> -> !agent.in_flight<tensor<64x16xf32, #sum>>
    }
  }
}

// -----

!b = !tile.buffer<16x64xf32, smem, #tile.panels<128x2, swizzle 16>>
#sum = #tile.layout<64x16, register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #tile.layout<64x64, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

tile.kernel @words_in_registers(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<64x64xf32, #a>
      %y = tile.alloc at(0) : !b
      // expected-error-re@+1 {{multiplies a tensor<64x64xf32, {{.*}}>, which is no buffer that a matrix descriptor describes}}
      %s = agent.issue %x, %y tf32 : tensor<64x64xf32, #a>, !b -> !agent.in_flight<tensor<64x16xf32, #sum>>
    }
  }
}

// -----

#vector = #tile.layout<128, register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

tile.kernel @no_room(%d: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<128xf32, #vector>
      // expected-error@+1 {{combines the parts of several warps, which takes 16 B of scratch memory; @a has 0 B for it; run 'assign-layouts' and 'access-memory' first [pass-order]}}
      %y = tile.reduce addf %x axis 0 : tensor<128xf32, #vector> -> f32
    }
  }
}

// -----

tile.kernel @no_meeting() attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      // expected-error@+1 {{waits for a role that has no named barrier; run 'assign-layouts' and 'access-memory' first [pass-order]}}
      agent.sync role
    }
  }
}

// -----

#whole = #tile.layout<32x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#part = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

tile.kernel @not_unrolled(%n: index) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x8xf32, #whole>
      // expected-error@+1 {{cuts registers at a number that is not known; run 'assign-layouts' and 'access-memory' first [pass-order]}}
      %y = tensor.extract_slice %x[0, %n] [32, 4] [1, 1] : tensor<32x8xf32, #whole> to tensor<32x4xf32, #part>
    }
  }
}

// -----

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

tile.kernel @halves_of_bytes(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1> : tensor<32x4xi4, #row>
      // expected-error@+1 {{moves elements of type i4, which are no whole bytes}}
      %0 = tile.convert_layout %x : tensor<32x4xi4, #row> -> tensor<32x4xi4, #row>
    }
  }
}

// -----

#memory = #tile.layout<4, offset = [[1], [2]]>

tile.kernel @no_place(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{has no memory placement}}
      %0 = tile.alloc : !tile.buffer<4xf32, smem, #memory>
    }
  }
}

// -----

#memory = #tile.layout<4, address = [[1], [2]]>

tile.kernel @other_inputs(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{has a buffer of shared memory whose layout has other inputs than offset}}
      %0 = tile.alloc at(0) : !tile.buffer<4xf32, smem, #memory>
    }
  }
}

// -----

#memory = #tile.layout<4, offset = [[1], [0], [2]]>

tile.kernel @twice(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{has a buffer whose layout has an element twice: in memory each has one place}}
      %0 = tile.alloc at(0) : !tile.buffer<4xf32, smem, #memory>
    }
  }
}

// -----

#memory = #tile.layout<4, offset = [[1], [2]]>

tile.kernel @too_far(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{begins at byte 4294967296: addresses of shared memory have 32 bits}}
      %0 = tile.alloc at(4294967296) : !tile.buffer<4xf32, smem, #memory>
    }
  }
}

// -----

#memory = #tile.layout<2147483648, offset = [[1] by 2147483648]>

tile.kernel @too_long(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      // expected-error@+1 {{has a buffer of 8589934592 bytes: addresses of shared memory have 32 bits}}
      %0 = tile.alloc at(0) : !tile.buffer<2147483648xf32, smem, #memory>
    }
  }
}

// -----

#large = #tile.layout<32x16384, register = [[0, 1] by 16384], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#memory = #tile.layout<32x16384, offset = [[0, 1] by 16384, [1, 0] by 32]>

tile.kernel @too_large(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %b = tile.alloc at(0) : !tile.buffer<32x16384xf32, smem, #memory>
      // expected-error@+1 {{has a tile in registers: a thread has 16384 elements of the tile: more than 8192 fit into no thread's registers}}
      %0 = tile.read %b[0, 0] : !tile.buffer<32x16384xf32, smem, #memory> -> tensor<32x16384xf32, #large>
    }
  }
}

// -----

#swizzled = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 1], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

tile.kernel @two_axes(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #swizzled>
      // expected-error@+1 {{combines elements along an axis, but a digit of its layout goes along two axes at once}}
      %y = tile.scan addf %x axis 1 : tensor<32x4xf32, #swizzled>
    }
  }
}

// -----

#shared = #tile.layout<32x4, register = [[0, 1], [0, 3]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

tile.kernel @shared(%v: !tile.view<32x4xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(1) at(0) {
      %x = arith.constant dense<1.0> : tensor<32x4xf32, #shared>
      // expected-error@+1 {{combines elements along an axis, but two digits of its layout share elements of the axis}}
      %y = tile.scan addf %x axis 1 : tensor<32x4xf32, #shared>
    }
  }
}
