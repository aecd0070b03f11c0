// RUN: drawloom-opt %s -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-layouts,budget-registers))' | FileCheck %s

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!result = !agent.pipe<tmem, tensor<128x64xf32>>
!signal = !agent.pipe<message>

// wgmma's accumulator is in the registers of two warp groups: 128 × 256 / 256
// threads = 128. 40 + 2 × 232 = 504 = 3 × 168, and 168 × 384 fits into 65536.
// CHECK-LABEL: tile.kernel @hopper
tile.kernel @hopper(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                    %d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  // CHECK: agent.switch
  // CHECK-SAME: entry_registers = 168 : i64
  agent.switch {
    // CHECK: agent.role @load warps(1) registers(40) at(0)
    // CHECK-SAME: #agent.reason<"register-budget", "40, because the role computes no tile; the CTA enters with 168 * 384 = 64512
    agent.role @load warps(1) at(0) {
      scf.for %k = %c0 to %K step %c64 {
        agent.produce %ab : !operands {
          %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
          %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
          agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
        }
      }
    }
    // CHECK: agent.role @compute warps(8) registers(232) at(4)
    // CHECK-SAME: #agent.reason<"register-budget", "232, what the pool leaves to each role that computes; it holds 128 for tensor<128x256xf32>
    agent.role @compute warps(8) at(4) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
        %t = agent.consume %ab as (%x, %y) lag(1) : !operands -> tensor<128x256xf32> {
          %u = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
          agent.yield %u : tensor<128x256xf32>
        }
        scf.yield %t : tensor<128x256xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
    }
  }
}

// On Blackwell the accumulator is in tensor memory: @mma holds nothing.
// CHECK-LABEL: tile.kernel @blackwell
tile.kernel @blackwell(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<64x16xbf16>
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x64xf32>)
  // CHECK: agent.switch
  // CHECK-SAME: entry_registers = 144 : i64
  agent.switch {
    // CHECK: agent.role @mma warps(1) registers(40) at(0)
    agent.role @mma warps(1) at(0) {
      agent.produce %acc : !result {
        %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x64xf32> {
          %t = tile.mma %x, %y, %s : tensor<128x16xbf16>, tensor<64x16xbf16> -> tensor<128x64xf32>
          scf.yield %t : tensor<128x64xf32>
        }
        agent.yield %sum : tensor<128x64xf32>
      }
    }
    // CHECK: agent.role @epilogue warps(4) registers(248) at(4)
    // CHECK-SAME: #agent.reason<"register-budget", "248, the most that a thread can use; the CTA enters with 144 * 256 = 36864
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%t) : !result {
        %e = math.exp %t : tensor<128x64xf32>
        tile.store %e, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// A thread that has a row of a tile in tensor memory has all of a vector along
// its columns, not its share of one: 64 registers. Of two groups of warps, each
// has half of the columns.
// CHECK-LABEL: tile.kernel @vector
tile.kernel @vector(%d: !tile.view<?xf32>, %K: index) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<64x16xbf16>
  %one = agent.pipe "one" slots(2) tmem : (tensor<128x64xf32>)
  %two = agent.pipe "two" slots(2) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @mma warps(1) at(0) {
      scf.for %k = %c0 to %K step %c64 {
        agent.produce %one : !result {
          %t = tile.mma %x, %y, %zeros : tensor<128x16xbf16>, tensor<64x16xbf16> -> tensor<128x64xf32>
          agent.yield %t : tensor<128x64xf32>
        }
        agent.produce %two : !result {
          %t = tile.mma %x, %y, %zeros : tensor<128x16xbf16>, tensor<64x16xbf16> -> tensor<128x64xf32>
          agent.yield %t : tensor<128x64xf32>
        }
      }
    }
    // CHECK: agent.role @one warps(4)
    // CHECK-SAME: it holds 64 for tensor<64xf32>
    agent.role @one warps(4) at(4) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<64xf32> {
        %v = agent.consume %one as (%t) : !result -> tensor<64xf32> {
          %r = tile.reduce addf %t axis 0 : tensor<128x64xf32> -> tensor<64xf32>
          agent.yield %r : tensor<64xf32>
        }
        %n = arith.addf %s, %v : tensor<64xf32>
        scf.yield %n : tensor<64xf32>
      }
      tile.store %sum, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
    // CHECK: agent.role @two warps(8)
    // CHECK-SAME: it holds 32 for tensor<64xf32>
    agent.role @two warps(8) at(8) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<64xf32> {
        %v = agent.consume %two as (%t) : !result -> tensor<64xf32> {
          %r = tile.reduce addf %t axis 0 : tensor<128x64xf32> -> tensor<64xf32>
          agent.yield %r : tensor<64xf32>
        }
        %n = arith.addf %s, %v : tensor<64xf32>
        scf.yield %n : tensor<64xf32>
      }
      tile.store %sum, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
}

// One warp group multiplies 64 × 256. 40 + 248 would leave 144 at entry, but an
// instruction of 128 registers needs 158.
// CHECK-LABEL: tile.kernel @wide
tile.kernel @wide(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %x = arith.constant dense<1.0> : tensor<64x16xbf16>
  %y = arith.constant dense<1.0> : tensor<256x16xbf16>
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: entry_registers = 160 : i64
  agent.switch {
    // CHECK: agent.role @load warps(1) registers(40) at(0)
    agent.role @load warps(1) at(0) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @compute warps(4) registers(248) at(4)
    agent.role @compute warps(4) at(4) {
      agent.consume %p : !signal {
      }
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<64x256xf32> {
        %t = tile.mma %x, %y, %s : tensor<64x16xbf16>, tensor<256x16xbf16> -> tensor<64x256xf32>
        scf.yield %t : tensor<64x256xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<64x256xf32>, !tile.view<?x?xf32>
    }
  }
}

// What threads move out of tensor memory goes through their registers, also if
// they compute nothing with it.
// CHECK-LABEL: tile.kernel @moves
tile.kernel @moves(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<64x16xbf16>
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x64xf32>)
  // CHECK: agent.switch
  // CHECK-SAME: entry_registers = 144 : i64
  agent.switch {
    // CHECK: agent.role @mma warps(1) registers(40) at(0)
    agent.role @mma warps(1) at(0) {
      agent.produce %acc : !result {
        %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<64x16xbf16> -> tensor<128x64xf32>
        agent.yield %t : tensor<128x64xf32>
      }
    }
    // CHECK: agent.role @epilogue warps(4) registers(248) at(4)
    agent.role @epilogue warps(4) at(4) {
      agent.consume %acc as (%t) : !result {
        tile.store %t, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// A budget of the program stays.
// CHECK-LABEL: tile.kernel @by_hand
tile.kernel @by_hand() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // CHECK: agent.switch
  // CHECK-SAME: entry_registers = 128 : i64
  agent.switch {
    // CHECK: agent.role @a warps(1) registers(24) at(0)
    // CHECK-SAME: #agent.reason<"register-budget", "24, as the program says
    agent.role @a warps(1) registers(24) at(0) {
      agent.produce %p : !signal {
      }
    }
    // CHECK: agent.role @b warps(4) registers(232) at(4)
    agent.role @b warps(4) registers(232) at(4) {
      agent.consume %p : !signal {
      }
    }
  }
}

// One group has no other to share with.
// CHECK-LABEL: tile.kernel @one_group
tile.kernel @one_group(%x: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // CHECK: agent.switch
  // CHECK-SAME: entry_registers = 248 : i64
  agent.switch {
    // CHECK: agent.role @compute warps(4) registers(248) at(0)
    agent.role @compute warps(4) at(0) {
      %t = tile.load %x[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      tile.store %t, %x[0, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}
