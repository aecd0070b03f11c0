// Tiles and buffers of tensor memory, in the layout of tcgen05.ld.32x32b.
// RUN: drawloom-opt %s --convert-tile-to-nvvm | FileCheck %s

#tmem = #tile.layout<128x8, lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], column = [[0, 1], [0, 2], [0, 4]]>
#rows = #tile.layout<128x8, register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>
#shared = #tile.layout<128x8, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 4]]>
#half = #tile.layout<128x4, register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]>

// The warp's lanes are in the upper half of the address.
// CHECK-LABEL: llvm.func @read
// CHECK-SAME: (%[[ADDRESS:.*]]: i32)
llvm.func @read(%a: i32) -> vector<8xf32> attributes {nvvm.reqntid = array<i32: 128>} {
  %0 = builtin.unrealized_conversion_cast %a : i32 to !tile.buffer<128x8xf32, tmem, #tmem>
  // CHECK: %[[C3:.*]] = arith.constant 3 : i32
  // CHECK: %[[PART:.*]] = arith.andi %{{.*}}, %[[C3]]
  // CHECK: %[[C21:.*]] = arith.constant 21 : i32
  // CHECK: %[[LANES:.*]] = arith.shli %[[PART]], %[[C21]]
  // CHECK: %[[MINE:.*]] = arith.addi %[[ADDRESS]], %[[LANES]]
  // CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[MINE]] : i32 to !llvm.ptr<6>
  // CHECK: %[[WORDS:.*]] = nvvm.tcgen05.ld %[[POINTER]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<8xi32>
  // CHECK: llvm.inline_asm has_side_effects "tcgen05.wait::ld.sync.aligned;"
  // CHECK: vector.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
  %1 = tile.read %0[0, 0] : !tile.buffer<128x8xf32, tmem, #tmem> -> tensor<128x8xf32, #rows>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<128x8xf32, #rows> to vector<8xf32>
  llvm.return %2 : vector<8xf32>
}

// Two groups of warps have half of the columns each. Of 16 bits, two elements
// are in a column.
// CHECK-LABEL: llvm.func @write
llvm.func @write(%a: i32, %v: vector<4xbf16>) attributes {nvvm.reqntid = array<i32: 256>} {
  %0 = builtin.unrealized_conversion_cast %a : i32 to !tile.buffer<128x8xbf16, tmem, #tmem>
  %1 = builtin.unrealized_conversion_cast %v : vector<4xbf16> to tensor<128x8xbf16, #shared>
  // CHECK: vector.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
  // CHECK: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK: %[[GROUP:.*]] = arith.divui %{{.*}}, %[[C4]]
  // CHECK: arith.remui %[[GROUP]]
  // CHECK: nvvm.tcgen05.st %{{.*}}, %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<2xi32>
  tile.write %1, %0[0, 0] : tensor<128x8xbf16, #shared>, !tile.buffer<128x8xbf16, tmem, #tmem>
  llvm.return
}

// CHECK-LABEL: llvm.func @part
// CHECK-SAME: (%[[ADDRESS:.*]]: i32)
llvm.func @part(%a: i32) -> vector<4xf32> attributes {nvvm.reqntid = array<i32: 128>} {
  %0 = builtin.unrealized_conversion_cast %a : i32 to !tile.buffer<128x8xf32, tmem, #tmem>
  // CHECK: %[[MINE:.*]] = arith.addi %[[ADDRESS]]
  // CHECK: %[[C4:.*]] = arith.constant 4 : i32
  // CHECK: arith.addi %[[MINE]], %[[C4]]
  // CHECK: nvvm.tcgen05.ld %{{.*}} : vector<4xi32>
  %1 = tile.read %0[0, 4] : !tile.buffer<128x8xf32, tmem, #tmem> -> tensor<128x4xf32, #half>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<128x4xf32, #half> to vector<4xf32>
  llvm.return %2 : vector<4xf32>
}
