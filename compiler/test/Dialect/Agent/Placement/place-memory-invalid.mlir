// RUN: drawloom-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(assign-engines,assign-layouts,place-memory))'

!operands = !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
!residual = !agent.pipe<smem, tensor<128x256xbf16>>

tile.kernel @too_many_slots(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  // expected-error @below {{shared memory: operands: 4 slots × 48 KiB + residual: 1 slot × 64 KiB + barriers and messages: 80 B = 256.1 KiB > 227 KiB on sm_100a; 3 slots of operands fit [shared-memory-limit]}}
  %ab = agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
  %res = agent.pipe "residual" slots(1) smem : (tensor<128x256xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %ab : !operands {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[0, 0] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
        agent.yield %x, %y : tensor<128x64xbf16>, tensor<256x64xbf16>
      }
      agent.produce %res : !residual {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
        agent.yield %x : tensor<128x256xbf16>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %ab, %res as (%x, %y, %z) : !operands, !residual {
      }
    }
  }
}

// -----

!tile = !agent.pipe<smem, tensor<1024x1024xf32>>

tile.kernel @too_large_a_tile(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error @below {{shared memory: tile: 2 slots × 4096 KiB + barriers and messages: 32 B = 8192.0 KiB > 227 KiB on sm_90a; no number of slots of tile makes it fit: use a smaller tile [shared-memory-limit]}}
  %p = agent.pipe "tile" slots(2) smem : (tensor<1024x1024xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tile {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<1024x1024xf32>
        agent.yield %x : tensor<1024x1024xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tile {
      }
    }
  }
}

// -----

// Sizes that no machine has don't wrap around.
!tile = !agent.pipe<smem, tensor<4294967296x4294967296xf32>>

tile.kernel @astronomical(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error @below {{slots × more than 1024 TiB}}
  %p = agent.pipe "tile" slots(9223372036854775807) smem : (tensor<4294967296x4294967296xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tile {
        %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<4294967296x4294967296xf32>
        agent.yield %x : tensor<4294967296x4294967296xf32>
      }
    }
    agent.role @compute warps(4) {
      agent.consume %p as (%x) : !tile {
      }
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @too_many_columns() attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<256x16xbf16>
  // expected-error @below {{tensor memory: result: 3 slots × 256 columns = 768 > 512 columns on sm_100a; 2 slots of result fit}}
  %acc = agent.pipe "result" slots(3) tmem : (tensor<128x256xf32>)
  agent.switch {
    agent.role @mma warps(1) {
      agent.produce %acc : !result {
        %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
        agent.yield %t : tensor<128x256xf32>
      }
    }
    agent.role @epilogue warps(4) {
      agent.consume %acc as (%t) : !result {
      }
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x64xf32>>

tile.kernel @no_tensor_memory(%a: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error @below {{pipe 'result' is in tensor memory, which sm_90a does not have; use smem [no-tensor-memory]}}
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x64xf32>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %acc : !result {
        %t = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<128x64xf32>
        agent.yield %t : tensor<128x64xf32>
      }
    }
    agent.role @epilogue warps(4) {
      agent.consume %acc as (%t) : !result {
      }
    }
  }
}

// -----

!signal = !agent.pipe<message>

tile.kernel @too_many_signals() attributes {tile.target = "sm_90a"} {
  // expected-error @below {{shared memory: go: 1048576 slots × 0 B + barriers and messages: 16384 KiB = 16384 KiB > 227 KiB on sm_90a}}
  %p = agent.pipe "go" slots(1048576) message : ()
  agent.switch {
    agent.role @a warps(1) {
      agent.produce %p : !signal {
      }
    }
    agent.role @b warps(1) {
      agent.consume %p : !signal {
      }
    }
  }
}

// -----

tile.kernel @operands_of_two(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  // expected-error @below {{operands outside pipes and barriers take 256 KiB > 227 KiB on sm_90a; use a smaller tile or fewer slots [shared-memory-limit]}}
  agent.switch {
    agent.role @a warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
      %y = tile.load %a[128, 0] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
      %t = tile.mma %x, %y, %zero : tensor<128x256xbf16>, tensor<128x256xbf16> -> tensor<128x128xf32>
      tile.store %t, %d[0, 0] : tensor<128x128xf32>, !tile.view<?x?xf32>
    }
    agent.role @b warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
      %y = tile.load %a[256, 0] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
      %t = tile.mma %x, %y, %zero : tensor<128x256xbf16>, tensor<128x256xbf16> -> tensor<128x128xf32>
      tile.store %t, %d[0, 128] : tensor<128x128xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

tile.kernel @too_large_operands(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  agent.switch {
    // expected-error @below {{role @compute keeps 384 KiB of operands and of what its threads exchange in shared memory > 227 KiB on sm_90a; use a smaller tile [shared-memory-limit]}}
    agent.role @compute warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x512xbf16>
      %y = tile.load %a[128, 0] : !tile.view<?x?xbf16> -> tensor<256x512xbf16>
      %t = tile.mma %x, %y, %zero : tensor<128x512xbf16>, tensor<256x512xbf16> -> tensor<128x256xf32>
      tile.store %t, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

tile.kernel @too_large_a_result(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<512x256xf32>
  agent.switch {
    // expected-error @below {{role @compute keeps 1024 columns of its MMAs' results in tensor memory > 512 on sm_100a; use a smaller tile [tensor-memory-limit]}}
    agent.role @compute warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<512x16xbf16>
      %y = tile.load %a[128, 0] : !tile.view<?x?xbf16> -> tensor<256x16xbf16>
      %t = tile.mma %x, %y, %zero : tensor<512x16xbf16>, tensor<256x16xbf16> -> tensor<512x256xf32>
      tile.store %t, %d[0, 0] : tensor<512x256xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

tile.kernel @too_large_results(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<256x16xbf16>
  // expected-error @below {{the roles keep 768 columns of their MMAs' results in tensor memory > 512 on sm_100a; use a smaller tile [tensor-memory-limit]}}
  agent.switch {
    agent.role @a warps(4) {
      %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
      tile.store %t, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
      %u = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
      tile.store %u, %d[0, 256] : tensor<128x256xf32>, !tile.view<?x?xf32>
    }
    agent.role @b warps(4) {
      %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
      tile.store %t, %d[0, 512] : tensor<128x256xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

!result = !agent.pipe<tmem, tensor<128x256xf32>>

tile.kernel @slots_beside_results(%d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %x = arith.constant dense<1.0> : tensor<128x16xbf16>
  %y = arith.constant dense<1.0> : tensor<256x16xbf16>
  // expected-error @below {{tensor memory: result: 2 slots × 256 columns + outside pipes: 256 = 768 > 512 columns on sm_100a; 1 slot of result fits [tensor-memory-limit]}}
  %acc = agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
  agent.switch {
    agent.role @a warps(4) {
      %t = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
      tile.store %t, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
      agent.produce %acc : !result {
        %u = tile.mma %x, %y, %zero : tensor<128x16xbf16>, tensor<256x16xbf16> -> tensor<128x256xf32>
        agent.yield %u : tensor<128x256xf32>
      }
    }
    agent.role @b warps(4) {
      agent.consume %acc as (%t) : !result {
        tile.store %t, %d[0, 256] : tensor<128x256xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// -----

!tiles = !agent.pipe<smem, tensor<256x256xbf16>>

tile.kernel @slots_beside_operands(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  // expected-error @below {{shared memory: tiles: 2 slots × 128 KiB + operands outside pipes: 24 KiB + barriers and messages: 32 B = 280.0 KiB > 227 KiB on sm_90a; 1 slot of tiles fits [shared-memory-limit]}}
  %p = agent.pipe "tiles" slots(2) smem : (tensor<256x256xbf16>)
  agent.switch {
    agent.role @load warps(1) {
      agent.produce %p : !tiles {
        %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<256x256xbf16>
        agent.yield %x : tensor<256x256xbf16>
      }
    }
    agent.role @compute warps(4) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %a[128, 0] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %c = arith.truncf %t : tensor<128x64xf32> to tensor<128x64xbf16>
      tile.store %c, %d[0, 0] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
      agent.consume %p as (%z) : !tiles {
        tile.store %z, %d[0, 64] : tensor<256x256xbf16>, !tile.view<?x?xbf16>
      }
    }
  }
}

// -----

tile.kernel @too_many_barriers(%a: !tile.view<?x?xf32>, %d: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  // expected-error @below {{16 roles exchange elements between their warps, each with a named barrier of its own: 16 + 1 of the CTA = 17 > 16 on sm_90a; do it in fewer roles, or in roles of one warp [named-barrier-limit]}}
  agent.switch {
    agent.role @r0 warps(2) {
      %x = tile.load %a[0, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[0] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r1 warps(2) {
      %x = tile.load %a[1, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[64] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r2 warps(2) {
      %x = tile.load %a[2, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[128] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r3 warps(2) {
      %x = tile.load %a[3, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[192] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r4 warps(2) {
      %x = tile.load %a[4, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[256] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r5 warps(2) {
      %x = tile.load %a[5, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[320] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r6 warps(2) {
      %x = tile.load %a[6, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[384] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r7 warps(2) {
      %x = tile.load %a[7, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[448] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r8 warps(2) {
      %x = tile.load %a[8, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[512] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r9 warps(2) {
      %x = tile.load %a[9, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[576] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r10 warps(2) {
      %x = tile.load %a[10, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[640] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r11 warps(2) {
      %x = tile.load %a[11, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[704] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r12 warps(2) {
      %x = tile.load %a[12, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[768] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r13 warps(2) {
      %x = tile.load %a[13, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[832] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r14 warps(2) {
      %x = tile.load %a[14, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[896] : tensor<64xf32>, !tile.view<?xf32>
    }
    agent.role @r15 warps(2) {
      %x = tile.load %a[15, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %s = tile.reduce maximumf %x axis 0 : tensor<64x64xf32> -> tensor<64xf32>
      tile.store %s, %d[960] : tensor<64xf32>, !tile.view<?xf32>
    }
  }
}
