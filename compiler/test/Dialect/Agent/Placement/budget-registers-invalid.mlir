// RUN: drawloom-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-layouts,budget-registers))'

// The accumulator of wgmma does not fit into the registers of one warp group.
tile.kernel @accumulator(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<256x16xbf16>
  agent.switch {
    // expected-error @below {{role @compute carries tiles through its loops that take 256 registers in each of its 128 threads, the largest 'tensor<128x256xf32>'; with 40 for addresses and work in progress that is 296 > 248; use warps(8) or a smaller tile [register-limit]}}
    agent.role @compute warps(4) at(0) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
        %t = tile.mma %x, %y, %s : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
        scf.yield %t : tensor<128x256xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// No number of warps helps.
tile.kernel @far_too_large(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<1024x1024xf32>
  agent.switch {
    // expected-error @below {{8192 registers in each of its 128 threads, the largest 'tensor<1024x1024xf32>'; with 104 for addresses and work in progress that is 8296 > 248; use a smaller tile [register-limit]}}
    agent.role @compute warps(4) at(0) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<1024x1024xf32> {
        %t = arith.addf %s, %s : tensor<1024x1024xf32>
        scf.yield %t : tensor<1024x1024xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<1024x1024xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

!signal = !agent.pipe<message>

// Budgets above the pool: the last setmaxnreg.inc would never return.
tile.kernel @above_the_pool() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // expected-error @below {{registers: @load 40 × 128 threads + @compute 248 × 256 threads = 68608 > 168 × 384 = 64512, the most that 384 threads can enter with on sm_90a; setmaxnreg.inc would deadlock: lower a budget, or leave registers(n) out}}
  agent.switch {
    agent.role @load warps(1) registers(40) at(0) {
      agent.produce %p : !signal {
      }
    }
    agent.role @compute warps(8) registers(248) at(4) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

// Tiles that fit into each role, but not into the register file.
tile.kernel @above_the_file(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  // expected-error @below {{registers: @a 168 × 256 threads + @b 168 × 256 threads = 86016 > 128 × 512 = 65536, the most that 512 threads can enter with on sm_90a; give the roles fewer warps, or use a smaller tile [register-limit]}}
  agent.switch {
    agent.role @a warps(8) at(0) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<256x64xf32> {
        %t = math.exp %s : tensor<256x64xf32>
        scf.yield %t : tensor<256x64xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<256x64xf32>, !tile.view<?x?xf32>
    }
    agent.role @b warps(8) at(8) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<256x64xf32> {
        %t = math.exp %s : tensor<256x64xf32>
        scf.yield %t : tensor<256x64xf32>
      }
      tile.store %sum, %d[0, 64] : tensor<256x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Four warp groups enter with 128 registers at most.
tile.kernel @too_wide(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %x = arith.constant dense<1.0> : tensor<64x16xbf16>
  %y = arith.constant dense<1.0> : tensor<256x16xbf16>
  agent.switch {
    // expected-error @below {{role @compute has an instruction of 128 registers, with which each thread has to enter with 160: 160 × 512 threads = 81920 > 65536 on sm_90a; give the roles fewer warps, or use a tile of fewer columns}}
    agent.role @compute warps(4) at(0) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<64x256xf32> {
        %t = tile.mma %x, %y, %s : tensor<64x16xbf16>, tensor<256x16xbf16> -> tensor<64x256xf32>
        scf.yield %t : tensor<64x256xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<64x256xf32>, !tile.view<?x?xf32>
    }
    agent.role @idle warps(12) at(4) {
    }
  }
}

// -----

// A warning: ptxas will spill.
tile.kernel @too_few(%d: !tile.view<?x?xf32>, %K: index) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  agent.switch {
    // expected-warning @below {{role @compute has registers(72), but it holds 64 for tiles and needs 104 for addresses and work in progress: 168 in all; it will spill [register-spills]}}
    agent.role @compute warps(4) registers(72) at(0) {
      %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x64xf32> {
        %t = math.exp %s : tensor<128x64xf32>
        scf.yield %t : tensor<128x64xf32>
      }
      tile.store %sum, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

tile.kernel @not_mapped(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch {
    // expected-error @below {{role @compute has no warps yet; budgets go by warp groups, so run map-execution-units first [pass-order]}}
    agent.role @compute warps(4) {
      %t = tile.load %d[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      tile.store %t, %d[0, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// expected-error @below {{has no target to plan for}}
tile.kernel @no_target(%d: !tile.view<?x?xf32>) {
  agent.switch {
    agent.role @compute warps(4) at(0) {
      %t = tile.load %d[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      tile.store %t, %d[0, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}
