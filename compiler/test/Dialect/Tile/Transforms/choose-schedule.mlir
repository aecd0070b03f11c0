// What the planner chooses, and the sentences that it leaves.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule))' | FileCheck %s
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule{remarks}))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!mat = !tile.view<?x?xbf16>

// D = bf16(A * B^T + bias). The epilogue moves in rows of 128 bytes, and in
// narrower ones where a plan with these leaves too few slots.
// CHECK-LABEL: tile.kernel @blackwell(
// CHECK-SAME: "warps: 4, because each thread then needs about 0 + 104 = 104 registers, 0 of them for tiles, and may have 248 on sm_100a"
// CHECK-SAME: "epilogue_tile: the epilogue moves in subtiles of 64 columns"
// CHECK-SAME: #tile.schedule<persistent = static, roles = multi, fallback = error, cluster = [1, 1, 1], warps = 4, epilogue_tile = 64>
// NARROWER: "epilogue_tile: the epilogue moves in subtiles of 32 columns"
// NARROWER-SAME: epilogue_tile = 32>
// REMARK: choose-schedule.mlir:[[#@LINE+1]]:1: remark: persistent: static, so that a CTA sets up once and loads the next tile during the epilogue of this one
tile.kernel @blackwell(%a: !mat, %b: !mat, %bias: !mat, %d: !mat) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 256] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !mat -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !mat
  }
}

// Without roles there are no slots to choose, but a thread need not hold all of
// a row that waits in tensor memory.
// CHECK-LABEL: tile.kernel @without_roles(
// CHECK-SAME: "epilogue_tile: the epilogue reads subtiles of 64 columns, so that a thread holds less at once"
// CHECK-SAME: roles = none, {{.*}}epilogue_tile = 64>
tile.kernel @without_roles(%a: !mat, %b: !mat, %d: !mat) attributes {
    tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = none>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 128] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %o = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x128xbf16>, !mat
  }
}

// The same on Hopper: registers hold the accumulator, so there are two warp
// groups and no pipe for results.
// CHECK-LABEL: tile.kernel @hopper(
// CHECK-SAME: "warps: 8, because each thread then needs about 128 + 104 = 232 registers, 128 of them for tiles, and may have 240 on sm_90a; with 4 it would be 360 > 248"
// CHECK-SAME: cluster = [1, 1, 1], warps = 8, epilogue_tile = 64>
tile.kernel @hopper(%a: !mat, %b: !mat, %bias: !mat, %d: !mat) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 256] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !mat -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !mat
  }
}

// What is given stays.
// CHECK-LABEL: tile.kernel @given(
// CHECK-SAME: #tile.schedule<persistent = none, roles = single, fallback = unspecialized, slots = {a = 3}, cluster = [1, 1, 1], warps = 8, epilogue_tile = 64>
tile.kernel @given(%a: !mat, %b: !mat, %d: !mat) attributes {
    tile.target = "sm_90a",
    tile.schedule = #tile.schedule<persistent = none, roles = single, fallback = unspecialized, slots = {a = 3}, warps = 8, epilogue_tile = 64>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 128] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %o = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x128xbf16>, !mat
  }
}

// An accumulator that a second MMA goes on with and that is stored, too: each
// of the two has registers, 128 × 128 / 256 threads = 64.
// CHECK-LABEL: tile.kernel @second_use(
// CHECK-SAME: "warps: 8, because each thread then needs about 128 + 104 = 232 registers, 128 of them for tiles, and may have 240 on sm_90a; with 4 it would be 360 > 248"
tile.kernel @second_use(%a: !mat, %b: !mat, %c: !mat, %d: !tile.view<?x?xf32>, %e: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, 0] : !mat -> tensor<128x64xbf16>
    %y = tile.load %b[%n, 0] : !mat -> tensor<128x64xbf16>
    %z = tile.load %c[%n, 0] : !mat -> tensor<128x64xbf16>
    %p = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    %q = tile.mma %x, %z, %p : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %q, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    tile.store %p, %e[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Two CTAs that multiply together take neighboring items.
// CHECK-LABEL: tile.kernel @pair
// CHECK-SAME: "cluster: 2 x 1 x 1, because cta_group = 2, and the two CTAs of a pair take neighboring items"
// CHECK-SAME: cluster = [2, 1, 1], cta_group = 2,
tile.kernel @pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
  }
}
