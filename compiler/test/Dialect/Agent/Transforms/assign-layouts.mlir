// RUN: drawloom-opt %s --assign-layouts --split-input-file | FileCheck %s
// What it says is understood again.
// RUN: drawloom-opt %s --assign-layouts --split-input-file | drawloom-opt --split-input-file | FileCheck %s

// Tensor memory is read by rows, a lane each, and what is computed with it stays there. A sum of no MMAs is zero where it is read.

// CHECK: #[[ROWS:.*]] = #tile.layout<128x32, register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[}}[32, 0], [64, 0]]>

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%more: i1) attributes {tile.target = "sm_100a"} {
  // A constant is made where it is used.
  // CHECK-NOT: tensor
  %one = arith.constant dense<1.0> : tensor<128x32xf32>
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  // CHECK: agent.slots "sum"
  %sums = agent.slots "sum" count(1) at(0) stride(64) offsets [0] : !agent.slots<tmem, tensor<128x64xf32>>
  %outs = agent.slots "out" count(1) at(0) stride(16384) offsets [0] : !agent.slots<smem, tensor<128x32xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @epilogue warps(4) at(0) {
      %s = agent.slot %sums[%i0], 0 : !agent.slots<tmem, tensor<128x64xf32>> -> !tile.buffer<128x64xf32, tmem>
      %o = agent.slot %outs[%i0], 0 : !agent.slots<smem, tensor<128x32xf32>> -> !tile.buffer<128x32xf32, smem>
      // What is cut from tensor memory is another address.
      // CHECK: %[[SUM:.*]] = tile.read %{{.*}} : !tile.buffer<128x64xf32, tmem> -> tensor<128x64xf32>
      // CHECK-NEXT: %[[ZERO:.*]] = agent.or_zero %[[SUM]] if(%{{.*}}) : tensor<128x64xf32>
      // CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[ZERO]]{{.*}} : tensor<128x64xf32> to tensor<128x32xf32>
      %x = tile.read %s[0, 0] : !tile.buffer<128x64xf32, tmem> -> tensor<128x64xf32>
      %y = agent.or_zero %x if(%more) : tensor<128x64xf32>
      %part = tensor.extract_slice %y[0, 32] [128, 32] [1, 1] : tensor<128x64xf32> to tensor<128x32xf32>
      // CHECK-NEXT: %[[READ:.*]] = tile.convert_layout %[[PART]] : tensor<128x32xf32> -> tensor<128x32xf32, #[[ROWS]]>
      // CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<128x32xf32, #[[ROWS]]>
      // CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[READ]], %[[ONE]] : tensor<128x32xf32, #[[ROWS]]>
      %z = arith.addf %part, %one : tensor<128x32xf32>
      // CHECK-NEXT: tile.write %[[NEXT]]
      tile.write %z, %o[0, 0] : tensor<128x32xf32>, !tile.buffer<128x32xf32, smem>
    }
  }
}

// -----

// The sums of warp groups, in flight and done, have the layout of wgmma. Operands in slots have none; what is kept has been read.

// CHECK: #[[SUM:.*]] = #tile.layout<64x16, register = {{\[}}[0, 1], [8, 0], [0, 8]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[16, 0], [32, 0]]>

// CHECK-LABEL: tile.kernel @products
tile.kernel @products(%d: !tile.view<?x?xf32>, %n: index) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %slots = agent.slots "operands" count(1) at(0) stride(10240) offsets [0, 8192] : !agent.slots<smem, tensor<64x64xbf16>, tensor<16x64xbf16>>
  %more = agent.slots "residual" count(1) at(10240) stride(4096) offsets [0] : !agent.slots<smem, tensor<64x16xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %x = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>, tensor<16x64xbf16>> -> !tile.buffer<64x64xbf16, smem>
      %y = agent.slot %slots[%i0], 1 : !agent.slots<smem, tensor<64x64xbf16>, tensor<16x64xbf16>> -> !tile.buffer<16x64xbf16, smem>
      %r = agent.slot %more[%i0], 0 : !agent.slots<smem, tensor<64x16xf32>> -> !tile.buffer<64x16xf32, smem>
      %a = tile.read %x[0, 0] : !tile.buffer<64x64xbf16, smem> -> tensor<64x64xbf16>
      %b = tile.read %y[0, 0] : !tile.buffer<16x64xbf16, smem> -> tensor<16x64xbf16>
      // CHECK: %[[C:.*]] = tile.read %{{.*}} -> tensor<64x16xf32>
      %c = tile.read %r[0, 0] : !tile.buffer<64x16xf32, smem> -> tensor<64x16xf32>
      // CHECK-NEXT: %[[KEPT:.*]] = tile.convert_layout %[[C]] : tensor<64x16xf32> -> tensor<64x16xf32, #[[SUM]]>
      // CHECK-NOT: agent.materialize
      %kept = agent.materialize %c : tensor<64x16xf32>
      // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #[[SUM]]>
      // CHECK-NEXT: %[[START:.*]] = agent.as_in_flight %[[ZERO]] : tensor<64x16xf32, #[[SUM]]>
      %start = agent.as_in_flight %zero : tensor<64x16xf32>
      // CHECK-NEXT: scf.for {{.*}} -> (!agent.in_flight<tensor<64x16xf32, #[[SUM]]>>)
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %start) -> (!agent.in_flight<tensor<64x16xf32>>) {
        // CHECK-NEXT: agent.issue %{{.*}}, %{{.*}} onto %{{.*}} : tensor<64x64xbf16>, tensor<16x64xbf16>, !agent.in_flight<tensor<64x16xf32, #[[SUM]]>> -> !agent.in_flight<tensor<64x16xf32, #[[SUM]]>>
        %t = agent.issue %a, %b onto %s : tensor<64x64xbf16>, tensor<16x64xbf16>, !agent.in_flight<tensor<64x16xf32>> -> !agent.in_flight<tensor<64x16xf32>>
        scf.yield %t : !agent.in_flight<tensor<64x16xf32>>
      }
      // CHECK: %[[TILE:.*]] = agent.await %{{.*}} -> tensor<64x16xf32, #[[SUM]]>
      %tile = agent.await %sum : !agent.in_flight<tensor<64x16xf32>> -> tensor<64x16xf32>
      // CHECK-NEXT: %{{.*}} = arith.addf %[[TILE]], %[[KEPT]]
      %all = arith.addf %tile, %kept : tensor<64x16xf32>
      tile.store %all, %d[%c0, %c0] : tensor<64x16xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// A vector is loaded for each axis along which it is used, and a broadcast of a splat is a splat.

// CHECK-DAG: #[[TILE:.*]] = #tile.layout<32x32,
// CHECK-DAG: #[[ALONG_ROWS:.*]] = #tile.layout<32, register = [], lane = {{\[}}[0], [0], [0], [1], [2]], warp = {{\[}}[4], [8]
// CHECK-DAG: #[[ALONG_COLUMNS:.*]] = #tile.layout<32, register = {{\[}}[1], [2]], lane = {{\[}}[4], [8], [16], [0], [0]], warp = {{\[}}[0], [0]

// CHECK-LABEL: tile.kernel @vectors
tile.kernel @vectors(%x: !tile.view<?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2.0> : tensor<32xf32>
  agent.switch attributes {warps = 8 : i64} {
    agent.role @compute warps(8) at(0) {
      // CHECK: tile.load %{{.*}} -> tensor<32xf32, #[[ALONG_ROWS]]>
      // CHECK-NEXT: tile.load %{{.*}} -> tensor<32xf32, #[[ALONG_COLUMNS]]>
      // CHECK-NOT: tile.load
      %v = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<32xf32>
      %a0 = tile.expand_dims %v axis 1 : tensor<32xf32> -> tensor<32x1xf32>
      %a = tile.broadcast %a0 : tensor<32x1xf32> -> tensor<32x32xf32>
      %b0 = tile.expand_dims %v axis 0 : tensor<32xf32> -> tensor<1x32xf32>
      %b = tile.broadcast %b0 : tensor<1x32xf32> -> tensor<32x32xf32>
      // CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<32x32xf32, #[[TILE]]>
      %c1 = tile.expand_dims %two axis 0 : tensor<32xf32> -> tensor<1x32xf32>
      %c = tile.broadcast %c1 : tensor<1x32xf32> -> tensor<32x32xf32>
      %s = arith.addf %a, %b : tensor<32x32xf32>
      %t = arith.mulf %s, %c : tensor<32x32xf32>
      tile.store %t, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Tiles that are made of others before the roles are made in the role, all of them.

// CHECK-LABEL: tile.kernel @before
tile.kernel @before(%y: !tile.view<?x?xi32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: tile.iota
  %numbers = tile.iota : tensor<32xi32>
  %column = tile.expand_dims %numbers axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %wide = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  // CHECK: agent.role @compute
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      // CHECK-NEXT: %[[IOTA:.*]] = tile.iota : tensor<32xi32, #{{.*}}>
      // CHECK-NEXT: %[[COLUMN:.*]] = tile.expand_dims %[[IOTA]]
      // CHECK-NEXT: %[[WIDE:.*]] = tile.broadcast %[[COLUMN]]
      // CHECK-NEXT: tile.store %[[WIDE]]
      tile.store %wide, %y[%c0, %c0] : tensor<32x32xi32>, !tile.view<?x?xi32>
    }
  }
}

// -----

// A vector that is made along the rows and used along the columns is converted where it is used, and so is a transpose.

// CHECK-LABEL: tile.kernel @turned
// CHECK: %[[V:.*]] = tile.reduce addf %[[A:.*]] axis 1 : {{.*}} -> tensor<32xf32, #[[ROWS:.*]]>
// CHECK-NEXT: %[[W:.*]] = tile.convert_layout %[[V]] : tensor<32xf32, #[[ROWS]]> -> tensor<32xf32, #[[COLUMNS:.*]]>
// CHECK-NEXT: tile.expand_dims %[[W]] axis 0 : tensor<32xf32, #[[COLUMNS]]>
// CHECK: %[[T:.*]] = tile.transpose %[[A]] [1, 0] : tensor<32x32xf32, #[[TILE:.*]]> -> tensor<32x32xf32, #[[ACROSS:.*]]>
// CHECK-NEXT: %[[U:.*]] = tile.convert_layout %[[T]] : tensor<32x32xf32, #[[ACROSS]]> -> tensor<32x32xf32, #[[TILE]]>
// CHECK-NEXT: arith.addf %{{.*}}, %[[U]]
tile.kernel @turned(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %a = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x32xf32>
      %v = tile.reduce addf %a axis 1 : tensor<32x32xf32> -> tensor<32xf32>
      %b0 = tile.expand_dims %v axis 0 : tensor<32xf32> -> tensor<1x32xf32>
      %b = tile.broadcast %b0 : tensor<1x32xf32> -> tensor<32x32xf32>
      %t = tile.transpose %a [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
      %s = arith.addf %b, %t : tensor<32x32xf32>
      tile.store %s, %y[%c0, %c0] : tensor<32x32xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Of two vectors that are combined, the first is used as it is made, along the rows, and the second is converted.

// CHECK-LABEL: tile.kernel @both_ways
// CHECK: %[[V:.*]] = tile.reduce addf %[[A:.*]] axis 1 : {{.*}} -> tensor<32xf32, #[[ROWS:.*]]>
// CHECK: %[[W:.*]] = tile.reduce addf %[[A]] axis 0 : {{.*}} -> tensor<32xf32, #[[COLUMNS:.*]]>
// CHECK-NEXT: %[[U:.*]] = tile.convert_layout %[[W]] : tensor<32xf32, #[[COLUMNS]]> -> tensor<32xf32, #[[ROWS]]>
// CHECK-NEXT: arith.addf %[[V]], %[[U]] : tensor<32xf32, #[[ROWS]]>
tile.kernel @both_ways(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  agent.switch attributes {warps = 4 : i64} {
    agent.role @compute warps(4) at(0) {
      %a = tile.load %x[%c0, %c0] : !tile.view<?x?xf32> -> tensor<32x32xf32>
      %v = tile.reduce addf %a axis 1 : tensor<32x32xf32> -> tensor<32xf32>
      %w = tile.reduce addf %a axis 0 : tensor<32x32xf32> -> tensor<32xf32>
      %s = arith.addf %v, %w : tensor<32xf32>
      tile.store %s, %y[%c0, %c0] dims [1] : tensor<32xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// An accumulator of 64 rows is read as tensor memory has it, 16 rows in a warp. Beside one of 128 it is then converted to rows of lanes.

// CHECK-DAG: #[[HALF:.*]] = #tile.layout<64x32, register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]], warp = {{\[}}[16, 0], [32, 0]]>
// CHECK-DAG: #[[LOW:.*]] = #tile.layout<64x32, register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[}}[32, 0], [0, 0]]>

// CHECK-LABEL: tile.kernel @mixed_heights
// CHECK: %[[X:.*]] = tile.read %{{.*}} : !tile.buffer<64x32xf32, tmem> -> tensor<64x32xf32>
// CHECK: %[[READ:.*]] = tile.convert_layout %[[X]] : tensor<64x32xf32> -> tensor<64x32xf32, #[[HALF]]>
// CHECK-NEXT: %[[ROWS:.*]] = tile.convert_layout %[[READ]] : tensor<64x32xf32, #[[HALF]]> -> tensor<64x32xf32, #[[LOW]]>
// CHECK-NEXT: tile.store %[[ROWS]]
tile.kernel @mixed_heights(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %sums = agent.slots "sums" count(1) at(0) stride(64) offsets [0, 32] : !agent.slots<tmem, tensor<128x32xf32>, tensor<64x32xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @epilogue warps(4) at(0) {
      %s = agent.slot %sums[%i0], 0 : !agent.slots<tmem, tensor<128x32xf32>, tensor<64x32xf32>> -> !tile.buffer<128x32xf32, tmem>
      %t = agent.slot %sums[%i0], 1 : !agent.slots<tmem, tensor<128x32xf32>, tensor<64x32xf32>> -> !tile.buffer<64x32xf32, tmem>
      %x = tile.read %s[0, 0] : !tile.buffer<128x32xf32, tmem> -> tensor<128x32xf32>
      %y = tile.read %t[0, 0] : !tile.buffer<64x32xf32, tmem> -> tensor<64x32xf32>
      tile.store %x, %d[%c0, %c0] : tensor<128x32xf32>, !tile.view<?x?xf32>
      tile.store %y, %d[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>
    }
  }
}
