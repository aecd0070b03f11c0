// RUN: drawloom-opt %s --convert-tile-to-nvvm --split-input-file --verify-diagnostics

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

func.func @f(%x: tensor<32x4xf32>) attributes {nvvm.reqntid = array<i32: 32>} {
  // expected-error @+1 {{has a 'tensor<32x4xf32>' without a layout: code needs to know where its elements are [layout]}}
  %0 = tile.convert_layout %x : tensor<32x4xf32> -> tensor<32x4xf32, #row>
  return
}

// -----

#few = #tile.layout<8x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0]], warp = []>

func.func @f(%x: tensor<8x4xf32, #few>) attributes {nvvm.reqntid = array<i32: 32>} {
  // expected-error @+1 {{has a tile in registers: the layout has 8 lanes: a warp has 32; lanes beyond the tile have copies, bases of zeros [layout]}}
  %0 = tile.convert_layout %x : tensor<8x4xf32, #few> -> tensor<8x4xf32, #few>
  return
}

// -----

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

func.func @f(%x: tensor<32x4xi4, #row>) attributes {nvvm.reqntid = array<i32: 32>} {
  // expected-error @+1 {{moves elements of type 'i4', which are no whole bytes: they have no code yet [layout]}}
  %0 = tile.convert_layout %x : tensor<32x4xi4, #row> -> tensor<32x4xi4, #row>
  return
}

// -----

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

func.func @f(%x: tensor<32x4xf32, #row>) attributes {nvvm.reqntid = array<i32: 48>} {
  // expected-error @+1 {{is in no placed role and in no kernel whose 'nvvm.reqntid' is a multiple of 32: there is no telling which warps run it [layout]}}
  %0 = tile.convert_layout %x : tensor<32x4xf32, #row> -> tensor<32x4xf32, #row>
  return
}

// -----

#row = #tile.layout<32x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>

func.func @f(%x: tensor<32x4xf32, #row>) attributes {nvvm.reqntid = array<i32: 256>} {
  // expected-error @+1 {{has a tile in the registers of 1 warps, but 8 run it [layout]}}
  %0 = tile.convert_layout %x : tensor<32x4xf32, #row> -> tensor<32x4xf32, #row>
  return
}

// -----

#a = #tile.layout<64x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>
#b = #tile.layout<64x4, register = [[0, 1], [0, 2]], lane = [[32, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[1, 0]]>

func.func @f(%x: tensor<64x4xf32, #a>) attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{moves elements from warp to warp: 'stage-conversions' has them go through 1024 bytes of shared memory [layout]}}
  %0 = tile.convert_layout %x : tensor<64x4xf32, #a> -> tensor<64x4xf32, #b>
  return
}

// -----

func.func @f() attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{has a buffer without a layout: code needs to know where its elements are [layout]}}
  %0 = tile.alloc at(0) : !tile.buffer<64x4xf32, smem>
  return
}

// -----

#memory = #tile.layout<4, offset = [[1], [2]]>

func.func @f() attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{has no place in shared memory: give it one with at(...) [pass-order]}}
  %0 = tile.alloc : !tile.buffer<4xf32, smem, #memory>
  return
}

// -----

#memory = #tile.layout<4, address = [[1], [2]]>

func.func @f() attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{has a buffer of shared memory whose layout has other inputs than offset}}
  %0 = tile.alloc at(0) : !tile.buffer<4xf32, smem, #memory>
  return
}

// -----

#memory = #tile.layout<4, offset = [[1], [0], [2]]>

func.func @f() attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{has a buffer whose layout has an element twice: in memory each has one place [layout]}}
  %0 = tile.alloc at(0) : !tile.buffer<4xf32, smem, #memory>
  return
}

// -----

#tmem = #tile.layout<128x4, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2]]>
#other = #tile.layout<128x4, register = [[0, 2], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

func.func @f(%b: !tile.buffer<128x4xf32, tmem, #tmem>) attributes {nvvm.reqntid = array<i32: 128>} {
  // expected-error @+1 {{moves a tile of tensor memory in a layout that its instructions don't have: 'stage-conversions' puts a conversion here [layout]}}
  %0 = tile.read %b[0, 0] : !tile.buffer<128x4xf32, tmem, #tmem> -> tensor<128x4xf32, #other>
  return
}

// -----

#tmem = #tile.layout<128x4, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2]]>
#half = #tile.layout<128x2, register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

func.func @f(%b: !tile.buffer<128x4xf32, tmem, #tmem>, %i: i32) attributes {nvvm.reqntid = array<i32: 128>} {
  %j = arith.index_castui %i : i32 to index
  // expected-error @+1 {{takes a part of tensor memory that is not known when the kernel is compiled: its offsets must be numbers [layout]}}
  %0 = tile.read %b[0, %j] : !tile.buffer<128x4xf32, tmem, #tmem> -> tensor<128x2xf32, #half>
  return
}

// -----

#tmem = #tile.layout<128x4, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2]]>
#half = #tile.layout<64x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 0]]>

func.func @f(%b: !tile.buffer<128x4xf32, tmem, #tmem>) attributes {nvvm.reqntid = array<i32: 128>} {
  // expected-error @+1 {{moves a tile of tensor memory: the part of the buffer is not whole lanes with some of their columns: its sizes and offsets must be multiples of what a digit of the layout steps over [layout]}}
  %0 = tile.read %b[0, 0] : !tile.buffer<128x4xf32, tmem, #tmem> -> tensor<64x4xf32, #half>
  return
}

// -----

#tmem = #tile.layout<128x4, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2]]>
#rows = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

tile.kernel @k() {
  %c0 = arith.constant 0 : i32
  agent.switch attributes {warps = 8 : i64} {
    agent.role @epilogue warps(4) at(2) {
      %b = builtin.unrealized_conversion_cast %c0 : i32 to !tile.buffer<128x4xf32, tmem, #tmem>
      // expected-error @+1 {{moves a tile of tensor memory by warps from 2 on: a group of four, each of which reaches its own lanes, begins at a multiple of four [layout]}}
      %0 = tile.read %b[0, 0] : !tile.buffer<128x4xf32, tmem, #tmem> -> tensor<128x4xf32, #rows>
    }
  }
}

// -----

#memory = #tile.layout<4, offset = [[1], [2]]>

func.func @f() attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{begins at byte 4294967296: addresses of shared memory have 32 bits [layout]}}
  %0 = tile.alloc at(4294967296) : !tile.buffer<4xf32, smem, #memory>
  return
}

// -----

#memory = #tile.layout<2147483648, offset = [[1] by 2147483648]>

func.func @f() attributes {nvvm.reqntid = array<i32: 64>} {
  // expected-error @+1 {{has a buffer of 8589934592 bytes: addresses of shared memory have 32 bits [layout]}}
  %0 = tile.alloc at(0) : !tile.buffer<2147483648xf32, smem, #memory>
  return
}
