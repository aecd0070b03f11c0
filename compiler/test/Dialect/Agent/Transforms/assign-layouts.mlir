// RUN: drawloom-opt %s --assign-layouts --split-input-file | FileCheck %s
// What it says is understood again, and said again.
// RUN: drawloom-opt %s --assign-layouts --split-input-file | drawloom-opt --assign-layouts --split-input-file | FileCheck %s

// Tensor memory is read by rows, a lane each, and what is computed with it stays there. MMAs and the zeros that they start
// with are in no register.

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<64x64xbf16>>
!sum = !agent.pipe<tmem, tensor<128x64xf32>>
!out = !agent.pipe<smem, tensor<128x32xf32>>

// CHECK: #[[ROWS:.*]] = #tile.layout<128x32, register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[}}[32, 0], [64, 0]]>

// CHECK-LABEL: tile.kernel @rows
tile.kernel @rows(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  // CHECK-NEXT: arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %one = arith.constant dense<1.0> : tensor<128x32xf32>
  %c0 = arith.constant 0 : index
  %in = agent.pipe "operands" slots(2) smem : (tensor<128x64xbf16>, tensor<64x64xbf16>)
  %sums = agent.pipe "sum" slots(2) tmem : (tensor<128x64xf32>)
  %outs = agent.pipe "out" slots(2) smem : (tensor<128x32xf32>)
  agent.switch {
    agent.role @load warps(1) {
      // What TMA loads is in no register.
      // CHECK: tile.load {{.*}} -> tensor<128x64xbf16>{{$}}
      agent.produce %in by(tma) : !operands {
        %x = tile.load %a[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[%c0, %c0] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<64x64xbf16>
      }
    }
    agent.role @mma warps(1) {
      // CHECK: tile.mma %{{.*}}, %{{.*}}, %[[ZERO]] : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      agent.produce %sums by(tensor_core) : !sum {
        %t = agent.consume %in as (%x, %y) by(tensor_core) : !operands -> tensor<128x64xf32> {
          %s = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
          agent.yield %s : tensor<128x64xf32>
        }
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @epilogue warps(4) {
      // What is cut from tensor memory is another address.
      // CHECK: %[[KEPT:.*]] = agent.consume %{{.*}} as (%[[SUM:.*]]) by(threads) : {{.*}} -> tensor<128x32xf32, #[[ROWS]]>
      // CHECK-NEXT: %[[PART:.*]] = tensor.extract_slice %[[SUM]]{{.*}} : tensor<128x64xf32> to tensor<128x32xf32>
      // CHECK-NEXT: %[[READ:.*]] = tile.convert_layout %[[PART]] : tensor<128x32xf32> -> tensor<128x32xf32, #[[ROWS]]>
      // CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<128x32xf32, #[[ROWS]]>
      // CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[READ]], %[[ONE]] : tensor<128x32xf32, #[[ROWS]]>
      // CHECK-NEXT: agent.yield %[[NEXT]]
      %z = agent.consume %sums as (%y) by(threads) : !sum -> tensor<128x32xf32> {
        %part = tensor.extract_slice %y[0, 32] [128, 32] [1, 1] : tensor<128x64xf32> to tensor<128x32xf32>
        %more = arith.addf %part, %one : tensor<128x32xf32>
        agent.yield %more : tensor<128x32xf32>
      }
      // Threads write from registers, TMA stores from the slot.
      // CHECK: agent.yield %[[KEPT]] : tensor<128x32xf32, #[[ROWS]]>
      agent.produce %outs by(threads) : !out {
        agent.yield %z : tensor<128x32xf32>
      }
      // CHECK: tile.store %{{.*}} : tensor<128x32xf32>, !tile.view<?x?xf32>
      agent.consume %outs as (%o) by(tma) : !out {
        tile.store %o, %d[%c0, %c0] : tensor<128x32xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

// The accumulators of warp groups have the layout of wgmma. Operands in slots have none; what outlives its slot has been read.

!operands = !agent.pipe<smem, tensor<64x64xbf16>, tensor<16x64xbf16>>
!residual = !agent.pipe<smem, tensor<64x16xf32>>

// CHECK: #[[SUM:.*]] = #tile.layout<64x16, register = {{\[}}[0, 1], [8, 0], [0, 8]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[}}[16, 0], [32, 0]]>

// CHECK-LABEL: tile.kernel @products
tile.kernel @products(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %r: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>, %n: index) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %in = agent.pipe "operands" slots(2) smem : (tensor<64x64xbf16>, tensor<16x64xbf16>)
  %more = agent.pipe "residual" slots(1) smem : (tensor<64x16xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %more by(tma) : !residual {
        %x = tile.load %r[%c0, %c0] : !tile.view<?x?xf32> -> tensor<64x16xf32>
        agent.yield %x : tensor<64x16xf32>
      }
      scf.for %k = %c0 to %n step %c64 {
        agent.produce %in by(tma) : !operands {
          %x = tile.load %a[%c0, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
          %y = tile.load %b[%c0, %k] : !tile.view<?x?xbf16> -> tensor<16x64xbf16>
          agent.yield %x, %y : tensor<64x64xbf16>, tensor<16x64xbf16>
        }
      }
    }
    // CHECK: agent.role @compute
    agent.role @compute warps(4) {
      // CHECK-NEXT: %[[KEPT:.*]] = agent.consume %{{.*}} as (%[[C:.*]]) by(threads) : {{.*}} -> tensor<64x16xf32, #[[SUM]]>
      // CHECK-NEXT: %[[READ:.*]] = tile.convert_layout %[[C]] : tensor<64x16xf32> -> tensor<64x16xf32, #[[SUM]]>
      // CHECK-NEXT: agent.yield %[[READ]]
      %kept = agent.consume %more as (%x) by(threads) : !residual -> tensor<64x16xf32> {
        agent.yield %x : tensor<64x16xf32>
      }
      // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #[[SUM]]>
      // CHECK-NEXT: %[[TILE:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (tensor<64x16xf32, #[[SUM]]>)
      %sum = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x16xf32>) {
        // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xbf16>, tensor<16x64xbf16> -> tensor<64x16xf32, #[[SUM]]>
        %t = agent.consume %in as (%x, %y) by(threads) : !operands -> tensor<64x16xf32> {
          %m = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<16x64xbf16> -> tensor<64x16xf32>
          agent.yield %m : tensor<64x16xf32>
        }
        scf.yield %t : tensor<64x16xf32>
      }
      // CHECK: arith.addf %[[TILE]], %[[KEPT]]
      %all = arith.addf %sum, %kept : tensor<64x16xf32>
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
// CHECK: agent.consume %{{.*}} as (%{{.*}}, %[[X:.*]]) by(threads)
// CHECK: %[[READ:.*]] = tile.convert_layout %[[X]] : tensor<64x32xf32> -> tensor<64x32xf32, #[[HALF]]>
// CHECK-NEXT: %[[ROWS:.*]] = tile.convert_layout %[[READ]] : tensor<64x32xf32, #[[HALF]]> -> tensor<64x32xf32, #[[LOW]]>
// CHECK-NEXT: tile.store %[[ROWS]]
!sums = !agent.pipe<tmem, tensor<128x32xf32>, tensor<64x32xf32>>
tile.kernel @mixed_heights(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<128x32xf32>
  %two = arith.constant dense<2.0> : tensor<64x32xf32>
  %sums = agent.pipe "sums" slots(1) tmem : (tensor<128x32xf32>, tensor<64x32xf32>)
  agent.switch {
    agent.role @fill warps(4) {
      agent.produce %sums by(threads) : !sums {
        agent.yield %one, %two : tensor<128x32xf32>, tensor<64x32xf32>
      }
    }
    agent.role @epilogue warps(4) {
      agent.consume %sums as (%x, %y) by(threads) : !sums {
        tile.store %x, %d[%c0, %c0] : tensor<128x32xf32>, !tile.view<?x?xf32>
        tile.store %y, %d[%c0, %c0] : tensor<64x32xf32>, !tile.view<?x?xf32>
      }
    }
  }
}
