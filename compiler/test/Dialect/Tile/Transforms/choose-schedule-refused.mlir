// Every refusal of choose-schedule, with its words.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule))' --verify-diagnostics --split-input-file

// expected-error @below {{has no target to plan for: give drawloom '--arch sm_100a', or add 'attributes {tile.target = "sm_100a"}'; the known ones are sm_90a}}
tile.kernel @k() {
}

// -----

// expected-error @below {{together: unknown view 'q'; known: a, b, d [schedule-together]}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<together = [[a, q]]>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{cluster: 8 × 4 = 32 CTAs, more than the 16 that sm_100a takes; use fewer}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [8, 4]>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{cluster = [2, 1] uses TMA multicast, which needs a dedicated load role; set roles = multi [cluster-roles]}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = none, cluster = [2, 1]>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{hints: unknown view 'bias'; known: a, d [schedule-hints]}}
tile.kernel @k(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<hints = {a = evict_first, bias = evict_last}>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{warps: 8 > 4: 2 warp groups of 64 rows each need 128 rows, and an MMA has 64; use 4 [schedule-warps]}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<warps = 8>} {
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<64x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<256x64xbf16> -> tensor<64x256xf32>
    scf.yield %t : tensor<64x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<64x256xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{warps: 32 > 28: a CTA has at most 1024 threads, and the other roles need a warp group; use 28}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<warps = 32>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{registers: with warps = 4, accumulators and loop-carried tiles need 256 registers per thread plus about 104 for the rest: 360 > 248 on sm_90a; use warps = 8}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<warps = 4>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{256 registers per thread plus about 104 for the rest: 360 > 248 on sm_90a; use a smaller tile [register-limit]}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sums:2 = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero, %r = %zero) -> (tensor<64x256xf32>, tensor<64x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %z = tile.load %b[256, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<256x64xbf16> -> tensor<64x256xf32>
    %u = tile.mma %x, %z, %r : tensor<64x64xbf16>, tensor<256x64xbf16> -> tensor<64x256xf32>
    scf.yield %t, %u : tensor<64x256xf32>, tensor<64x256xf32>
  }
  tile.store %sums#0, %d[0, 0] : tensor<64x256xf32>, !tile.view<?x?xf32>
  tile.store %sums#1, %d[0, 256] : tensor<64x256xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<100x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<100x64xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<100x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
    // expected-error @below {{MMA tile is M×N×K = 100×64×64, but wgmma needs M to be a multiple of 64; use M = 128}}
    %t = tile.mma %x, %y, %s : tensor<100x64xbf16>, tensor<64x64xbf16> -> tensor<100x64xf32>
    scf.yield %t : tensor<100x64xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<100x64xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 24 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x24xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<64x24xbf16>
    // expected-error @below {{MMA tile is M×N×K = 128×64×24, but tcgen05.mma needs K to be a multiple of 16; use K = 32}}
    %t = tile.mma %x, %y, %s : tensor<128x24xbf16>, tensor<64x24xbf16> -> tensor<128x64xf32>
    scf.yield %t : tensor<128x64xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x100xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x100xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<100x64xbf16>
    // expected-error @below {{MMA tile is M×N×K = 128×100×64, but tcgen05.mma has no N that divides 100; use a multiple of 16 up to 256 [mma-shape]}}
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<100x64xbf16> -> tensor<128x100xf32>
    scf.yield %t : tensor<128x100xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x100xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xf4E2M1FN>, %b: !tile.view<?x?xf4E2M1FN>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xf4E2M1FN>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xf4E2M1FN> -> tensor<128x64xf4E2M1FN>
    %y = tile.load %b[0, %k] : !tile.view<?x?xf4E2M1FN> -> tensor<64x64xf4E2M1FN>
    // expected-error @below {{MMA tile is M×N×K = 128×64×64 of f4E2M1FN and f4E2M1FN into f32, which wgmma on sm_90a does not have; cast the operands to a type that it has [mma-type]}}
    %t = tile.mma %x, %y, %s : tensor<128x64xf4E2M1FN>, tensor<64x64xf4E2M1FN> -> tensor<128x64xf32>
    scf.yield %t : tensor<128x64xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x64xf32>, !tile.view<?x?xf32>
}

// -----

// expected-error @below {{tile: [16, 32] is asked for, but the program is cut into items of 8x32 already; leave it out, or change the program}}
tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) attributes {
    tile.target = "sm_90a", tile.schedule = #tile.schedule<tile = [16, 32]>} {
  tile.for_each (%m, %n) tiles [8, 32] of %x : !tile.view<?x?xf32> {
    %0 = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<8x32xf32>
    tile.store %0, %y[%m, %n] : tensor<8x32xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{warps: 12 warps are 3 warp groups of 128 rows each, and the 128 rows of an MMA are no multiple of 384; use 8}}
tile.kernel @three_groups(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<warps = 12>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{epilogue_tile: 20 is no multiple of the 8 columns of an accumulator that four threads share on sm_90a: 20 % 8 = 4; use 24 [epilogue-tile]}}
tile.kernel @columns(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<epilogue_tile = 20>} {
  %zero = arith.constant dense<0.0> : tensor<128x120xf32>
  tile.for_each (%m, %n) tiles [128, 120] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<120x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<120x64xbf16> -> tensor<128x120xf32>
    tile.store %t, %D[%m, %n] : tensor<128x120xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @short(%X: !tile.view<?x?xi4>, %Y: !tile.view<?x?xi8>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xi4> {
    // expected-error @below {{works on 'i4', which has no code; there is code for i1, i8, i16, i32, i64, index, f16, bf16, f32, f64, and for f8E4M3FN and f8E5M2}}
    %x = tile.load %X[%m, %n] : !tile.view<?x?xi4> -> tensor<64x64xi4>
    %y = arith.extsi %x : tensor<64x64xi4> to tensor<64x64xi8>
    tile.store %y, %Y[%m, %n] : tensor<64x64xi8>, !tile.view<?x?xi8>
  }
}

// -----

// expected-error @below {{has argument 'S' of type 'i4', which can't be passed at launch; use a type of whole bytes, such as i8}}
tile.kernel @unused(%X: !tile.view<?x?xf32>, %S: !tile.view<?xi4>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %X[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @ceildiv(%X: !tile.view<?x?xi32>) attributes {tile.target = "sm_90a"} {
  %three = arith.constant dense<3> : tensor<64x64xi32>
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xi32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xi32> -> tensor<64x64xi32>
    // expected-error @below {{'arith.ceildivui' op has no code yet}}
    %y = arith.ceildivui %x, %three : tensor<64x64xi32>
    tile.store %y, %X[%m, %n] : tensor<64x64xi32>, !tile.view<?x?xi32>
  }
}

// -----

// expected-error @below {{cluster: 3 × 2 = 6 CTAs, and cta_group = 2 takes them by twos along the first dimension that has several; use an even number there}}
tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [3, 2], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{a 2-CTA MMA (cta_group = 2) needs tcgen05, which sm_90a does not have; use cta_group = 1 [cta-pair]}}
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [64, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{2-CTA MMA tile is M×N×K = 128×128×64, but tcgen05.mma needs M to be a multiple of 256; use M = 256}}
      %t = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xf32>
      scf.yield %t : tensor<64x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x48xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 48] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x48xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<48x64xbf16>
      // expected-error @below {{2-CTA MMA tile is M×N×K = 256×48×64, but tcgen05.mma has no N that divides 48; use a multiple of 32 up to 256 [mma-shape]}}
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<48x64xbf16> -> tensor<128x48xf32>
      scf.yield %t : tensor<128x48xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x48xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x512xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 512] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x512xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<512x64xbf16>
      // expected-error @below {{2-CTA MMA tile is M×N×K = 256×512×64, but tcgen05.mma takes N up to 256; use N = 256}}
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<512x64xbf16> -> tensor<128x512xf32>
      scf.yield %t : tensor<128x512xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x512xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{cta_group = 2, but the program has no MMA; leave it out}}
tile.kernel @k(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cta_group = 2>} {
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    tile.store %x, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
