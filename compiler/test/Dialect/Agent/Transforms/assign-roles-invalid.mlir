// What cannot have roles is refused: located, with the arithmetic and a way out.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(assign-roles))'

tile.kernel @items_from_a_tile(%sizes: !tile.view<?xi32>, %x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
    attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{the number of work tiles depends on a tile that is loaded here; before the first item there is no role to load it: load scalars instead [item-count]}}
  %all = tile.load %sizes[%c0] : !tile.view<?xi32> -> tensor<64xi32>
  %sum = tile.reduce addi %all axis 0 : tensor<64xi32> -> i32
  %count = arith.index_cast %sum : i32 to index
  // expected-note @below {{the work tiles are here}}
  tile.for_each (%i) tiles [64] of [%count] {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %t, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @has_roles(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'agent.items' is in the kernel already; roles are assigned to tile programs only [pass-order]}}
  %items = agent.items static %i of %c1 -> (index) {
    agent.yield %i : index
  }
  agent.switch {
    agent.role @all warps(4) {
      agent.for_each_item (%i) in %items : !agent.items<index> {
        %t = tile.load %x[%c0] : !tile.view<?xf32> -> tensor<64xf32>
        tile.store %t, %y[%c0] : tensor<64xf32>, !tile.view<?xf32>
      }
    }
  }
}

// -----

tile.kernel @side_effect(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%i) tiles [64] of %x : !tile.view<?xf32> {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
    // expected-error @below {{'tile.alloc' has side effects, or may have some; a work tile loads and stores with tile.load and tile.store only, because roles run at the same time and nothing else tells them apart [side-effects]}}
    %0 = tile.alloc : !tile.buffer<64xf32, smem>
    tile.write %t, %0[0] : tensor<64xf32>, !tile.buffer<64xf32, smem>
    tile.store %t, %y[%i] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @decides_about_tiles(%x: !tile.view<?x64xf32>, %y: !tile.view<?x64xf32>, %flag: i1, %c: index)
    attributes {tile.target = "sm_90a"} {
  tile.for_each (%i) tiles [64] of [%c] {
    // expected-error @below {{'scf.if' operates on tiles, so it can't be split into warp roles: each role would need the condition before it is computed; use a zero-trip scf.for, arith.select or a mask, or allow fallback = unspecialized [control-flow]}}
    scf.if %flag {
      // expected-note @below {{a tile is here}}
      %t = tile.load %x[%i, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
      tile.store %t, %y[%i, 0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    }
  }
}

// -----

tile.kernel @unspecialized(%x: !tile.view<?x64xf32>, %y: !tile.view<?x64xf32>, %flag: i1, %c: index)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<fallback = unspecialized>} {
  tile.for_each (%i) tiles [64] of [%c] {
    // expected-remark @below {{unspecialized: compiled without warp specialization: 'scf.if' operates on tiles, so it can't be split into warp roles: each role would need the condition before it is computed}}
    scf.if %flag {
      %t = tile.load %x[%i, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
      tile.store %t, %y[%i, 0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    }
  }
}

// -----

// Without roles an MMA on Blackwell still takes operands from slots.
tile.kernel @product_in_a_branch(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>, %flag: i1)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<fallback = unspecialized>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %s = scf.if %flag -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{MMA inside 'scf.if' is unsupported on sm_100a, even without warp roles: the number of slots that it consumes must not depend on a branch; use a zero-trip scf.for, arith.select or a mask [control-flow]}}
      %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    } else {
      scf.yield %zero : tensor<128x128xf32>
    }
    tile.store %s, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @no_roles_in_a_branch(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>, %flag: i1)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = none>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %s = scf.if %flag -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{MMA inside 'scf.if' is unsupported on sm_100a, even without warp roles}}
      %t = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    } else {
      scf.yield %zero : tensor<128x128xf32>
    }
    tile.store %s, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @no_such_product(%a: !tile.view<?x?xf4E2M1FN>, %b: !tile.view<?x?xf4E2M1FN>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, 0] : !tile.view<?x?xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    %y = tile.load %b[%n, 0] : !tile.view<?x?xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    // expected-error @below {{MMA tile is M×N×K = 128×128×64 of f4E2M1FN and f4E2M1FN into f32, which wgmma on sm_90a does not have; cast the operands to a type that it has [mma-type]}}
    %t = tile.mma %x, %y, %zero : tensor<128x64xf4E2M1FN>, tensor<128x64xf4E2M1FN> -> tensor<128x128xf32>
    tile.store %t, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @shape(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<96x100xf32>
  tile.for_each (%m, %n) tiles [96, 100] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, 0] : !tile.view<?x?xbf16> -> tensor<96x40xbf16>
    %y = tile.load %b[%n, 0] : !tile.view<?x?xbf16> -> tensor<100x40xbf16>
    // expected-error @below {{MMA tile is M×N×K = 96×100×40, but tcgen05.mma needs M to be a multiple of 128; use M = 128}}
    %t = tile.mma %x, %y, %zero : tensor<96x40xbf16>, tensor<100x40xbf16> -> tensor<96x100xf32>
    tile.store %t, %d[%m, %n] : tensor<96x100xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @chain(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    // expected-note @below {{the other MMA is here}}
    %s = tile.mma %x, %x, %zero tf32 : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    // expected-error @below {{an operand of this MMA is the result of another one; on sm_100a a result is an accumulator in tensor memory, which no MMA reads as an operand: convert it in between, for instance with arith.truncf [mma-operand]}}
    %t = tile.mma %s, %x, %zero tf32 : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    tile.store %t, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @bound_from_a_tile(%x: !tile.view<?x64xi32>, %y: !tile.view<?x64xi32>, %rows: index)
    attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.for_each (%i) tiles [64] of [%rows] {
    %t = tile.load %x[%i, 0] : !tile.view<?x64xi32> -> tensor<64x64xi32>
    %v = tile.reduce maxsi %t axis 1 : tensor<64x64xi32> -> tensor<64xi32>
    %n32 = tile.reduce maxsi %v axis 0 : tensor<64xi32> -> i32
    // expected-error @below {{@load needs this index, which @compute computes from tiles; only tiles travel through pipes, because a role that loads must run ahead of the one that computes: compute it from scalars, or write fallback = unspecialized}}
    %n = arith.index_cast %n32 : i32 to index
    scf.for %k = %c0 to %n step %c1 {
      %u = tile.load %x[%k, 0] : !tile.view<?x64xi32> -> tensor<64x64xi32>
      tile.store %u, %y[%i, 0] : tensor<64x64xi32>, !tile.view<?x64xi32>
    }
  }
}

// -----

tile.kernel @half_bytes(%a: !tile.view<?x?xf4E2M1FN, strides = [?, 1]>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    // expected-error @below {{no role can load 'a': TMA cannot, because the stride of dimension 0 of 'a' is only known at the launch, and threads cannot, because elements of 4 bits do not begin at whole bytes; give the view strides that are multiples of 16 bytes, or none [load-strides]}}
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf4E2M1FN, strides = [?, 1]> -> tensor<128x128xf4E2M1FN>
    %t = arith.extf %x : tensor<128x128xf4E2M1FN> to tensor<128x128xf32>
    tile.store %t, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{kernel @nothing stores nothing, so there is nothing for a role to do; results leave a kernel with tile.store [no-store]}}
tile.kernel @nothing(%x: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%i) tiles [64] of %x : !tile.view<?xf32> {
    %t = tile.load %x[%i] : !tile.view<?xf32> -> tensor<64xf32>
  }
}

// -----

tile.kernel @pair_in_one_role(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = single, cluster = [2, 1]>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    // expected-error @below {{is of a pair of CTAs, which multiply together and read their halves of the result apart; let MMAs have a role of their own, with 'roles = multi' [cta-pair]}}
    %t = tile.mma %x, %y, %zero pair : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
