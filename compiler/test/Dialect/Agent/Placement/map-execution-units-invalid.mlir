// RUN: drawloom-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(assign-engines,map-execution-units))'

!result = !agent.pipe<tmem, tensor<128x64xf32>>

tile.kernel @lanes_out_of_reach(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<64x16xbf16>
  %p = agent.pipe "result" slots(1) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @mma warps(1) {
      agent.produce %p : !result {
        %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<64x16xbf16> -> tensor<128x64xf32>
        agent.yield %t : tensor<128x64xf32>
      }
    }
    // expected-error @below {{role @epilogue has 2 warps, but a warp accesses 32 of the 128 lanes of tensor memory, from lane 32 * (warp mod 4) on; use warps(4)}}
    agent.role @epilogue warps(2) {
      agent.consume %p as (%t) : !result {
        tile.store %t, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

tile.kernel @group_by_hand(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = arith.constant dense<1.0> : tensor<64x16xbf16>
  agent.switch {
    // expected-error @below {{role @compute starts at warp 2, but wgmma is issued by the four warps of a warp group together; it must start at a multiple of four: use at(4) or leave all places out [warp-placement]}}
    agent.role @compute warps(4) at(2) {
      %t = tile.mma %x, %x, %zero : tensor<64x16xbf16>, tensor<64x16xbf16> -> tensor<64x64xf32>
      tile.store %t, %d[0, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

!signal = !agent.pipe<message>

tile.kernel @too_many() attributes {tile.target = "sm_90a"} {
  %p = agent.pipe "p" slots(1) message : ()
  // expected-error @below {{the roles take 30 warps, 40 with the holes that warp groups leave: 40 × 32 = 1280 threads > 1024 of a CTA on sm_90a; give the roles fewer warps}}
  agent.switch {
    agent.role @a warps(9) {
      agent.produce %p : !signal {
      }
    }
    agent.role @b warps(9) {
      agent.consume %p : !signal {
      }
    }
    agent.role @c warps(9) {
      agent.consume %p : !signal {
      }
    }
    agent.role @d warps(3) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

tile.kernel @two_switches(%d: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %x = arith.constant dense<1.0> : tensor<64xf32>
  // expected-note @below {{the first one is here}}
  agent.switch {
    agent.role @first warps(4) {
      tile.store %x, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
  // expected-error @below {{kernel @two_switches has 2 switches, and its warps take their roles once; put the roles of both into one switch, or each switch into a kernel of its own}}
  agent.switch {
    agent.role @second warps(4) {
      tile.store %x, %d[64] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
}

// -----

tile.kernel @in_a_loop(%d: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = arith.constant dense<1.0> : tensor<64xf32>
  %N = tile.dim %d, 0 : !tile.view<?xf32>
  scf.for %i = %c0 to %N step %c64 {
    // expected-error @below {{the roles of kernel @in_a_loop are inside 'scf.for', and its warps take their roles once; put the loop or the branch into the roles [switch-placement]}}
    agent.switch {
      agent.role @compute warps(4) {
        tile.store %x, %d[%i] : tensor<64xf32>, !tile.view<?xf32>
      }
    }
  }
}

// -----

tile.kernel @after_the_roles(%d: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %x = arith.constant dense<1.0> : tensor<64xf32>
  agent.switch {
    agent.role @compute warps(4) {
      tile.store %x, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
  %y = arith.negf %x : tensor<64xf32>
  // expected-error @below {{'tile.store' comes after the roles of kernel @after_the_roles, and nothing runs when they have ended; put it into a role, or into a kernel of its own [switch-placement]}}
  tile.store %y, %d[64] : tensor<64xf32>, !tile.view<?xf32>
}
