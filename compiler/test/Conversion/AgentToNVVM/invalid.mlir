// A protocol may be hand-written; what its translation assumes is checked.
// RUN: drawloom-opt %s --convert-agent-to-nvvm --split-input-file --verify-diagnostics

// expected-error@+1 {{has no roles that are placed: code is generated after 'lower-pipes' and 'schedule-wgmma' [pass-order]}}
tile.kernel @no_roles(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
}

// -----

tile.kernel @asks() attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @r warps(1) at(0) {
      // expected-error@+1 {{needs cluster launch control, which this GPU does not have; run 'lower-pipes' and 'schedule-wgmma' first}}
      %number = agent.clc_query from(32)
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<128x64xf32>>

tile.kernel @pipes(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{must be lowered before code is generated; run 'lower-pipes' and 'schedule-wgmma' first}}
  %p = agent.pipe "tiles" slots(2) smem : (tensor<128x64xf32>)
  agent.switch attributes {warps = 8 : i64} {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %x : tensor<128x64xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tiles {
        tile.store %x, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

tile.kernel @carried(%n: index) attributes {tile.target = "sm_90a"} {
  %full = agent.barriers "p.full" count(1) arrivals(1) at(0) : !agent.barriers
  %empty = agent.barriers "p.empty" count(1) arrivals(1) at(8) : !agent.barriers
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %i = arith.constant 0 : i32
      %0 = scf.for %k = %c0 to %n step %c1 iter_args(%ring = %full) -> !agent.barriers {
        // expected-error@+1 {{takes slots or barriers that are not made by name in this kernel; run 'lower-pipes' and 'schedule-wgmma' first}}
        %b = agent.barrier %ring[%i]
        agent.wait %b parity(%i)
        scf.yield %empty : !agent.barriers
      }
    }
  }
}

// -----

tile.kernel @room(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      // expected-error@+1 {{has no memory placement; run 'assign-layouts' and 'access-memory' first}}
      %x = tile.alloc : !tile.buffer<64x64xf32, smem>
      agent.store %x to %a[0, 0] dims [0, 1] by(tma) : !tile.buffer<64x64xf32, smem>, !tile.view<?x?xf32>
    }
  }
}

// -----

tile.kernel @outside() attributes {tile.target = "sm_90a"} {
  // expected-error@+1 {{elects a thread outside a role; run 'lower-pipes' and 'schedule-wgmma' first}}
  %one = agent.elect warp
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
    }
  }
}

// -----

tile.kernel @nowhere() attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    // expected-error@+1 {{has no warps; run 'lower-pipes' and 'schedule-wgmma' first}}
    agent.role @a warps(4) {
    }
  }
}

// -----

tile.kernel @not_allocated() attributes {tile.target = "sm_100a"} {
  // expected-error@+1 {{is in tensor memory that is not allocated; run 'lower-pipes' and 'schedule-wgmma' first}}
  %s = agent.slots "sum" count(1) at(0) stride(64) offsets [0] : !agent.slots<tmem, tensor<128x64xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
    }
  }
}

// -----

tile.kernel @mma(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<128x64xbf16>
      %zero = arith.constant dense<0.0> : tensor<128x128xf32>
      // expected-error@+1 {{must be lowered before code is generated; run 'lower-pipes' and 'schedule-wgmma' first}}
      %s = tile.mma %x, %x, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    }
  }
}

// -----

tile.kernel @issue_on_blackwell() attributes {tile.target = "sm_100a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<128x64xbf16>
      // expected-error@+1 {{is not the MMA instruction of this GPU; run 'lower-pipes' and 'schedule-wgmma' first}}
      %s = agent.issue %x, %x : tensor<128x64xbf16>, tensor<128x64xbf16> -> !agent.in_flight<tensor<128x128xf32>>
    }
  }
}

// -----

tile.kernel @not_scheduled() attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %x = arith.constant dense<1.0> : tensor<64x64xbf16>
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-error@+1 {{must be lowered before code is generated; run 'lower-pipes' and 'schedule-wgmma' first}}
      %s = tile.mma %x, %x, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    }
  }
}

// -----

tile.kernel @drain_not_scheduled() attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      // expected-error@+1 {{waits for MMAs that don't say when they are issued; run 'lower-pipes' and 'schedule-wgmma' first}}
      agent.drain wgmma
    }
  }
}

// -----

!x = !tile.buffer<64x32xf32, smem, #tile.panels<128x1, swizzle 16>>

tile.kernel @across(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %s = agent.slots "x" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x32xf32>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %slot = arith.constant 0 : i32
      %x = agent.slot %s[%slot], 0 : !agent.slots<smem, tensor<64x32xf32>> -> !x
      // expected-error@+1 {{moves rows of 'tensor<64x32xf32>', which TMA can't cut into boxes of at most 256 elements that begin at a multiple of 128 bytes; use shorter rows, or a multiple of 128 bytes [tma-box]}}
      agent.store %x to %a[0, 0] dims [1, 0] by(tma) : !x, !tile.view<?x?xf32>
    }
  }
}

// -----

// A word for the cluster's CTAs that lies outside the kernel's memory.

tile.kernel @outside(%ctas: i32) attributes {tile.target = "sm_90a"} {
  agent.switch attributes {warps = 4 : i64, shared_bytes = 16 : i64} {
    agent.role @r warps(1) at(0) {
      // expected-error@+1 {{is outside the shared memory that 'place-memory' has laid out}}
      %number = agent.cluster_receive from(32)
      agent.cluster_broadcast %number to(32) in(%ctas)
    }
  }
}

// -----

// An MMA that is issued and never waited for.

#sum = #tile.layout<64x64, register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!x = !tile.buffer<64x64xbf16, smem, #tile.panels<128x1, swizzle 16>>

tile.kernel @issued() attributes {tile.target = "sm_90a"} {
  %i0 = arith.constant 0 : i32
  %slots = agent.slots "x" count(1) at(0) stride(8192) offsets [0] : !agent.slots<smem, tensor<64x64xbf16>>
  agent.switch attributes {warps = 4 : i64} {
    agent.role @a warps(4) at(0) {
      %s = agent.slot %slots[%i0], 0 : !agent.slots<smem, tensor<64x64xbf16>> -> !x
      // expected-error@+1 {{is an MMA that no agent.await waits for: pass its result to one [mma-not-awaited]}}
      %p = agent.issue %s, %s : !x, !x -> !agent.in_flight<tensor<64x64xf32, #sum>>
    }
  }
}

// -----

// The answer has 16 bytes.
tile.kernel @answer_outside() attributes {tile.target = "sm_100a"} {
  %next_full = agent.barriers "next_tile.full" count(1) arrivals(1) at(0) : !agent.barriers
  agent.switch attributes {shared_bytes = 40 : i64, warps = 4 : i64} {
    agent.role @r warps(1) at(0) {
      %c0 = arith.constant 0 : i32
      %b = agent.barrier %next_full[%c0]
      // expected-error@below {{is outside the shared memory that 'place-memory' has laid out; run 'lower-pipes' and 'schedule-wgmma' first [pass-order]}}
      agent.clc_try_cancel to(32) tells %b
    }
  }
}
