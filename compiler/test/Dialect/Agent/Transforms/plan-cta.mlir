// What the CTAs of a cluster have in common is loaded once for all of them.
// RUN: drawloom-opt %s --plan-cta --split-input-file | FileCheck %s

// Two CTAs along m: they have the same tile of B.
// CHECK-LABEL: tile.kernel @along_m
// CHECK-SAME:    tile.reasons = ["plan-cta: TMA multicast of 'b' along dimension 0 of the cluster: each of 2 CTAs loads 128 of 256 rows and multicasts them to all"]
// CHECK:         tile.load %a[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16>
// CHECK:         tile.load %b[%{{.*}}, %{{.*}}] multicast [0] : !tile.view<?x?xbf16>
tile.kernel @along_m(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
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

// Four CTAs: those of a row share A, those of a column B. What comes to a
// MMA through a transpose counts, and so do offsets that are computed. The
// residual is shared with none; the bias is the same along m, but no MMA takes
// it.
// CHECK-LABEL: tile.kernel @square
// CHECK:         tile.load %a{{.*}} multicast [1]
// CHECK:         tile.load %b{{.*}} multicast [0]
// CHECK:         tile.load %c[
// CHECK-NOT:     multicast
// CHECK:         tile.load %bias[
// CHECK-NOT:     multicast
// CHECK:         tile.store
tile.kernel @square(%a: !tile.view<?x?xf16>, %b: !tile.view<?x?xf16>, %c: !tile.view<?x?xf32>, %bias: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = [2, 2]>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %m8 = arith.addi %m, %c8 : index
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m8, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %yt = tile.load %b[%k, %n] : !tile.view<?x?xf16> -> tensor<64x128xf16>
      %y = tile.transpose %yt [1, 0] : tensor<64x128xf16> -> tensor<128x64xf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %r = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %v = tile.load %bias[%c0, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %e = arith.addf %acc, %r : tensor<128x128xf32>
    %f = arith.addf %e, %v : tensor<128x128xf32>
    tile.store %f, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A value that a loop carries depends on what it starts with and on what becomes
// of it: the second pass finds that %j depends on n.
// CHECK-LABEL: tile.kernel @carried
// CHECK:         tile.load %a{{.*}} multicast [1]
// CHECK:         tile.load %b
// CHECK-NOT:     multicast
// CHECK:         tile.store
tile.kernel @carried(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %j = %c0) -> (tensor<128x128xf32>, index) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%j, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %next = arith.addi %j, %n : index
      scf.yield %t, %next : tensor<128x128xf32>, index
    }
    tile.store %acc#0, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// The cluster is along the innermost items: those of a group.
// CHECK-LABEL: tile.kernel @groups
// CHECK:         tile.load %a
// CHECK-NOT:     multicast
// CHECK:         tile.load %b{{.*}} dims [1, 2] multicast [0]
tile.kernel @groups(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?x?xbf16>, %d: !tile.view<?x?xf32>, %groups: index, %rows: index)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [4]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %N = tile.dim %d, 1 : !tile.view<?x?xf32>
  tile.for_each (%g) tiles [1] of [%groups] {
    tile.for_each (%m, %n) tiles [128, 128] of [%rows, %N] {
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %y = tile.load %b[%g, %n, %k] dims [1, 2] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// One CTA: nothing to do, not even without a target.
// CHECK-LABEL: tile.kernel @alone
// CHECK-NOT:     multicast
// CHECK-NOT:     tile.reasons
tile.kernel @alone(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 1]>} {
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
    tile.store %x, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// Two CTAs multiply together: each holds half of B. Pairs along m have the same
// halves, those along n the same A.
// CHECK-LABEL: tile.kernel @pairs
// CHECK-SAME:    tile.reasons = ["plan-cta: 2-CTA MMA (cta_group::2) along dimension 0 of the cluster: each CTA of a pair holds 128 of the 256 rows of a tile of 'b'",
// CHECK-SAME:    "plan-cta: TMA multicast of 'a' along dimension 1 of the cluster: each of 2 CTAs loads 64 of 128 rows and multicasts them to all",
// CHECK-SAME:    "plan-cta: TMA multicast of 'b' along dimension 0 of the cluster: each of 2 CTAs loads 64 of 128 rows and multicasts them to all"]
// CHECK:         tile.load %a[%{{.*}}, %{{.*}}] multicast [1] : !tile.view<?x?xbf16>
// CHECK:         tile.load %b[%{{.*}}, %{{.*}}] multicast [0] halved 0 : !tile.view<?x?xbf16>
// CHECK:         tile.mma {{.*}} pair :
tile.kernel @pairs(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [4, 2], cta_group = 2>} {
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

// The first dimension with several CTAs, and B stored with k first: half of the
// columns. Alone, a pair shares nothing else.
// CHECK-LABEL: tile.kernel @batched
// CHECK:         tile.load %a[%{{.*}}, %{{.*}}, %{{.*}}] : !tile.view<?x?x?xbf16>
// CHECK:         tile.load %b[%{{.*}}, %{{.*}}, %{{.*}}] halved 1 : !tile.view<?x?x?xbf16>
// CHECK:         tile.mma {{.*}} pair :
tile.kernel @batched(%a: !tile.view<?x?x?xbf16>, %b: !tile.view<?x?x?xbf16>, %d: !tile.view<?x?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %a, 2 : !tile.view<?x?x?xbf16>
  tile.for_each (%z, %m, %n) tiles [1, 128, 64] of %d : !tile.view<?x?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %x = tile.load %a[%z, %m, %k] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%z, %k, %n] : !tile.view<?x?x?xbf16> -> tensor<64x64xbf16>
      %w = tile.transpose %y [1, 0] : tensor<64x64xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %w, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %acc, %d[%z, %m, %n] : tensor<128x64xf32>, !tile.view<?x?x?xf32>
  }
}

// -----

// What a program says already, and is so, stays.
// CHECK-LABEL: @said
// CHECK:       tile.load %a{{.*}} multicast [1]
tile.kernel @said(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // A
      %x = tile.load %a[%m, %k] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %p = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %p : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
