// Whether CTAs share operands, where the schedule leaves it to the planner, and
// the arithmetic of it.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(choose-schedule))' --split-input-file | FileCheck %s

// A is 16 KiB of a step, B 32 KiB, of which each CTA of a pair holds a half.
// CHECK-LABEL: tile.kernel @pair(
// CHECK-SAME: "cluster: 2 x 1 and cta_group = 2, because two CTAs along dimension 0 take the same tiles of 'b', and a 2-CTA MMA takes half of them from each: each loads 32 KiB instead of 48 KiB for a K tile; a launch with an odd number of work tiles there leaves CTAs without work"
// CHECK-SAME: cluster = [2, 1], cta_group = 2,
tile.kernel @pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto>} {
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

// -----

// An even number of tiles has no such launch.
// CHECK-LABEL: tile.kernel @even(
// CHECK-SAME: each loads 32 KiB instead of 48 KiB for a K tile"
// CHECK-SAME: cluster = [2, 1], cta_group = 2,
tile.kernel @even(%a: !tile.view<8192x8192xbf16>, %b: !tile.view<8192x8192xbf16>, %d: !tile.view<8192x8192xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<8192x8192xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<8192x8192xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<8192x8192xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<8192x8192xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<8192x8192xf32>
  }
}

// -----

// Hopper has no pairs, and a schedule may not want them: then by multicast, and
// a slot holds all of B.
// CHECK-LABEL: tile.kernel @multicast(
// CHECK-SAME: "cluster: 2 x 1, because two CTAs along dimension 0 take the same tiles of 'b', and share them by TMA multicast: each loads 32 KiB instead of 48 KiB for a K tile"
// CHECK-SAME: cluster = [2, 1], warps
tile.kernel @multicast(%a: !tile.view<512x?xbf16>, %b: !tile.view<512x?xbf16>, %d: !tile.view<512x512xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<512x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<512x512xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<512x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<512x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<512x512xf32>
  }
}

// -----

// CHECK-LABEL: tile.kernel @no_pair(
// CHECK-SAME: "cluster: 2 x 1, because
// CHECK-SAME: cluster = [2, 1], cta_group = 1,
tile.kernel @no_pair(%a: !tile.view<512x?xbf16>, %b: !tile.view<512x?xbf16>, %d: !tile.view<512x512xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto, cta_group = 1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<512x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<512x512xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<512x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<512x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<512x512xf32>
  }
}

// -----

// Pairs that are asked for are a cluster.
// CHECK-LABEL: tile.kernel @given_pair(
// CHECK-SAME: "cluster: 2 x 1 x 1, because cta_group = 2
tile.kernel @given_pair(%a: !tile.view<512x?xbf16>, %b: !tile.view<512x?xbf16>, %d: !tile.view<512x512xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto, cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<512x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<512x512xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<512x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<512x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<512x512xf32>
  }
}

// -----

// The larger operand is A, which CTAs along n share.
// CHECK-LABEL: tile.kernel @along_n(
// CHECK-SAME: "cluster: 1 x 2, because two CTAs along dimension 1 take the same tiles of 'a', and share them by TMA multicast: each loads 24 KiB instead of 40 KiB for a K tile"
tile.kernel @along_n(%a: !tile.view<512x?xbf16>, %b: !tile.view<512x?xbf16>, %d: !tile.view<512x512xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %K = tile.dim %a, 1 : !tile.view<512x?xbf16>
  tile.for_each (%m, %n) tiles [256, 64] of %d : !tile.view<512x512xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<256x64xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<512x?xbf16> -> tensor<256x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<512x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<256x64xbf16>, tensor<64x64xbf16> -> tensor<256x64xf32>
      scf.yield %t : tensor<256x64xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<256x64xf32>, !tile.view<512x512xf32>
  }
}

// -----

// 24 KiB, of which half of B are 4 KiB, and half of A 8 KiB, but its tiles don't
// come in twos.
// CHECK-LABEL: tile.kernel @too_little(
// CHECK-SAME: "cluster: 1 x 1 x 1, because two CTAs along dimension 0 would each load 20 KiB instead of 24 KiB for a K tile, and less than a quarter is not worth a cluster"
// CHECK-SAME: cluster = [1, 1, 1],
tile.kernel @too_little(%a: !tile.view<512x?xbf16>, %b: !tile.view<192x?xbf16>, %d: !tile.view<512x192xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto, fallback_cluster = [1, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %a, 1 : !tile.view<512x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %d : !tile.view<512x192xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<512x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<192x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x64xf32>, !tile.view<512x192xf32>
  }
}

// -----

// CHECK-LABEL: tile.kernel @odd(
// CHECK-SAME: "cluster: 1 x 1 x 1, because the number of work tiles along dimension 1 is 1, which two CTAs can't share evenly"
tile.kernel @odd(%a: !tile.view<384x?xbf16>, %b: !tile.view<256x?xbf16>, %d: !tile.view<384x256xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<384x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<384x256xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<384x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<256x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x256xf32>, !tile.view<384x256xf32>
  }
}

// -----

// CHECK-LABEL: tile.kernel @own(
// CHECK-SAME: "cluster: 1 x 1 x 1, because two CTAs would have no operand in common"
tile.kernel @own(%a: !tile.view<?x?x?xbf16>, %b: !tile.view<?x?x?xbf16>, %d: !tile.view<?x128x128xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %L = tile.dim %a, 0 : !tile.view<?x?x?xbf16>
  %K = tile.dim %a, 2 : !tile.view<?x?x?xbf16>
  tile.for_each (%l) tiles [1] of [%L] {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%l, 0, %k] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%l, 0, %k] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%l, 0, 0] : tensor<128x128xf32>, !tile.view<?x128x128xf32>
  }
}

// -----

// CHECK-LABEL: tile.kernel @one_role(
// CHECK-SAME: "cluster: 1 x 1 x 1, because CTAs share what a role of its own loads, for one tile at a time"
tile.kernel @one_role(%a: !tile.view<512x?xbf16>, %b: !tile.view<512x?xbf16>, %d: !tile.view<512x512xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = single, cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<512x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<512x512xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<512x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<512x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<512x512xf32>
  }
}

// -----

// CHECK-LABEL: tile.kernel @no_product(
// CHECK-SAME: "cluster: 1 x 1 x 1, because there is no loop whose MMAs take all their operands from one pipe"
tile.kernel @no_product(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = auto>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// CHECK-LABEL: tile.kernel @one_item(
// CHECK-SAME: "cluster: 1 x 1 x 1, because the kernel is one work tile"
tile.kernel @one_item(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    scf.yield %t : tensor<128x128xf32>
  }
  tile.store %acc, %d[0, 0] : tensor<128x128xf32>, !tile.view<?x?xf32>
}

// -----

// CHECK-LABEL: tile.kernel @groups(
// CHECK-SAME: "cluster: 1 x 1 x 1, because the work tiles are in groups, of which two CTAs may have different ones"
tile.kernel @groups(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %rows: !tile.view<?xi32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = auto>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %G = tile.dim %rows, 0 : !tile.view<?xi32>
  %N = tile.dim %b, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%g) tiles [1] of [%G] {
    %count = tile.load %rows[%g] : !tile.view<?xi32> -> i32
    %M = arith.index_cast %count : i32 to index
    tile.for_each (%m, %n) tiles [128, 128] of [%M, %N] {
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// Without a cluster there is one CTA, and a reason tells what that leaves out.
// CHECK-LABEL: tile.kernel @not_given(
// CHECK-SAME: "cluster: 1 x 1 x 1, because none is given; with cluster = auto it would be 2 x 1 and cta_group = 2, and of two CTAs each loads 32 KiB instead of 48 KiB for a K tile"
// CHECK-SAME: cluster = [1, 1, 1],
tile.kernel @not_given(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
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

// -----

// With a cluster of one CTA there is no such reason.
// CHECK-LABEL: tile.kernel @one(
// CHECK-NOT: cluster = auto
tile.kernel @one(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 1]>} {
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
