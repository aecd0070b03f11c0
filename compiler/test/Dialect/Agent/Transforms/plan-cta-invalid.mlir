// Clusters that would share nothing, or can't.
// RUN: drawloom-opt %s --plan-cta --split-input-file --verify-diagnostics

// expected-error @below {{cluster: 1 × 1 × 2 has 2 CTAs along dimension 2, but the work tiles of @rank have 2 dimensions; a cluster takes neighboring items, so use 1 there [cluster-size]}}
tile.kernel @rank(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
    tile.store %x, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// expected-error @below {{cluster: 2 × 1 has 2 CTAs along dimension 0, but they would share no tile that MMAs take; use 1 there}}
tile.kernel @no_products(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
  %c0 = arith.constant 0 : index
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    %x = tile.load %a[%c0, %n] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
    tile.store %x, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// A loop up to the diagonal runs longer in one CTA than in the other.
// expected-error @below {{cluster: 2 × 1 has 2 CTAs along dimension 0, but they would share no tile that MMAs take; use 1 there}}
tile.kernel @diagonal(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    // expected-note @below {{this runs differently in each of them, so they cannot do the same steps}}
    %acc = scf.for %k = %c0 to %m step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @thin(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = [4, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x24xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 24] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x24xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{cluster: 4 CTAs share the 24 rows of a tile of 'b', and a part is a multiple of 8 rows: 24 % (4 x 8) = 24; use fewer CTAs, or a larger tile}}
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<24x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<24x64xbf16> -> tensor<128x24xf32>
      scf.yield %t : tensor<128x24xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x24xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @padded(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{cluster: 2 CTAs would share the tile of 'b', but TMA cannot load it, because it is padded with a number that is not zero; leave the cluster out [multicast]}}
      %y = tile.load %b[%n, %k] pad(1.0 : bf16) : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{2-CTA MMA (cta_group = 2): the two CTAs of a pair do not do the same steps; use cta_group = 1 [cta-pair]}}
tile.kernel @pair_diagonal(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    // expected-note @below {{this runs differently in each of them}}
    %acc = scf.for %k = %c0 to %m step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @pair_of_rows(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{2-CTA MMA (cta_group = 2): B of this MMA is not the same in both CTAs, because it depends on dimension 0 of the work tiles; use cta_group = 1 [cta-pair]}}
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @pair_computed(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %z = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = arith.addf %z, %z : tensor<128x64xbf16>
      // expected-error @below {{2-CTA MMA (cta_group = 2): B of this MMA is not a tile that is loaded for MMAs only; use cta_group = 1 [cta-pair]}}
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @pair_padded(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{2-CTA MMA (cta_group = 2) needs TMA for 'b', but the tile cannot be loaded by TMA, because it is padded with a number that is not zero; use cta_group = 1 [cta-pair]}}
      %y = tile.load %b[%n, %k] pad(1.0 : bf16) : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @written(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{cluster: 2 CTAs would share the tile of 'd', but TMA cannot load it, because the kernel writes to it, too; leave the cluster out [multicast]}}
      %y = tile.load %d[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %r = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %r, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

tile.kernel @gather_alone(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>)
    attributes {tile.target = "sm_100a"} {
  %c2 = arith.constant 2 : index
  %rows = tile.dim %X, 0 : !tile.view<?xf32>
  tile.for_each (%m, %n) tiles [8, 1] of [%rows, %c2] {
    %x = tile.load %X[%m] : !tile.view<?xf32> -> tensor<8xf32>
    // expected-error @below {{gathers parts of 2 work tiles along dimension 1, where the cluster has 1 CTA; use 2 there}}
    %all:2 = tile.all_gather %x along 1 : tensor<8xf32> -> 2
    tile.store %all#1, %Y[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @gather_fewer(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 4]>} {
  %c4 = arith.constant 4 : index
  %rows = tile.dim %X, 0 : !tile.view<?xf32>
  tile.for_each (%m, %n) tiles [8, 1] of [%rows, %c4] {
    %x = tile.load %X[%m] : !tile.view<?xf32> -> tensor<8xf32>
    // expected-error @below {{gathers parts of 2 work tiles along dimension 1, where the cluster has 4 CTAs; use 2 there}}
    %all:2 = tile.all_gather %x along 1 : tensor<8xf32> -> 2
    tile.store %all#1, %Y[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @gather_sometimes(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = tile.dim %X, 0 : !tile.view<?xf32>
  tile.for_each (%m, %n) tiles [8, 1] of [%rows, %c2] {
    // expected-note @below {{this runs differently in each of them}}
    scf.for %i = %c0 to %n step %c1 {
      %x = tile.load %X[%m] : !tile.view<?xf32> -> tensor<8xf32>
      // expected-error @below {{gathers parts of 2 work tiles along dimension 1, which do not do the same steps; gather outside it}}
      %all:2 = tile.all_gather %x along 1 : tensor<8xf32> -> 2
      tile.store %all#1, %Y[%m] : tensor<8xf32>, !tile.view<?xf32>
    }
  }
}

// -----

tile.kernel @pair_part(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %part = tile.subview %b[0, 0] [%K, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{2-CTA MMA (cta_group = 2) needs TMA for 'b', but the tile is of a subview, whose edge tiles are copied with cp.async; use cta_group = 1 [cta-pair]}}
      %y = tile.load %part[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @pair_square(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      
      // expected-error @below {{2-CTA MMA (cta_group = 2) needs TMA for 'b', but the tile is A of one MMA and B of another, or B in two ways, so that no half of it is enough; use cta_group = 1 [cta-pair]}}
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %y, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Each CTA along dimension 0 has rows of A of its own.
tile.kernel @own_rows(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-error @+1 {{multicast: [0] is given for a tile of 'a', but the tile depends on dimension 0 of the work tiles, so that it is another one in each of the 2 CTAs along it; leave it out, plan-cta adds it where CTAs share a tile [multicast]}}
      %x = tile.load %a[%m, %k] multicast [0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %p = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %p : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @no_cluster(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-error @+1 {{multicast: [1] is given for a tile of 'a', but the cluster has 1 CTA along dimension 1; leave it out, plan-cta adds it where CTAs share a tile [multicast]}}
      %x = tile.load %a[%m, %k] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %p = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %p : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @no_pair(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-error @+1 {{halved: is given for a tile of 'a' that no pair of CTAs multiplies together; leave it out, plan-cta adds it [multicast]}}
      %x = tile.load %a[%m, %k] halved 0 : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %p = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %p : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// The loop ends at the diagonal, so that the CTAs do not load equally often.
tile.kernel @other_steps(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    // expected-note @+1 {{this runs differently in each of them}}
    %acc = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-error @+1 {{multicast: [1] is given for a tile of 'a', but the 2 CTAs along dimension 1 do not do the same steps; leave it out, plan-cta adds it where CTAs share a tile [multicast]}}
      %x = tile.load %a[%m, %k] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %p = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %p : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// What threads read, each CTA loads for itself.
tile.kernel @more_than_products(%a: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    // expected-error @+1 {{multicast: [1] is given for a tile of 'a', but more than MMAs read it; leave it out, plan-cta adds it where CTAs share a tile [multicast]}}
    %x = tile.load %a[%m, 0] multicast [1] : !tile.view<?x?xbf16> -> tensor<128x128xbf16>
    tile.store %x, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// A kernel of one work tile has no other CTA to share with.
tile.kernel @one_item(%a: !tile.view<128x64xbf16>, %d: !tile.view<128x64xbf16>) attributes {tile.target = "sm_100a"} {
  // expected-error @+1 {{multicast: [0] is given for a tile of 'a', but the cluster has 1 CTA along dimension 0; leave it out, plan-cta adds it where CTAs share a tile [multicast]}}
  %x = tile.load %a[0, 0] multicast [0] : !tile.view<128x64xbf16> -> tensor<128x64xbf16>
  tile.store %x, %d[0, 0] : tensor<128x64xbf16>, !tile.view<128x64xbf16>
}
