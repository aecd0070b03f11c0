// RUN: drawloom-opt %s -split-input-file --pass-pipeline='builtin.module(tile.kernel(interleave-tiles))' | FileCheck %s

// MMAs are chained in the loop, so two tiles run side by side. What depends
// on the tile is there twice; the loads of K and V are shared.
// CHECK-LABEL: tile.kernel @chained
// CHECK-SAME: interleave: 2 tiles, so that the tensor core has work while what lies between two MMAs is computed
// CHECK-SAME: interleave = 2
// CHECK: tile.for_each (%[[M:.*]]) tiles [256]
// CHECK: %[[M1:.*]] = arith.addi %[[M]], %c128
// CHECK: %[[Q0:.*]] = tile.load %{{.*}}[%[[M]], 0]
// CHECK: %[[Q1:.*]] = tile.load %{{.*}}[%[[M1]], 0]
// CHECK: scf.for {{.*}} -> (tensor<128x64xf32>, tensor<128x64xf32>) {
// CHECK: %[[K:.*]] = tile.load
// CHECK-NOT: tile.load
// CHECK: %[[S0:.*]] = tile.mma %[[Q0]], %[[K]]
// CHECK: %[[S1:.*]] = tile.mma %[[Q1]], %[[K]]
// CHECK: %[[P0:.*]] = arith.truncf %[[S0]]
// CHECK: %[[P1:.*]] = arith.truncf %[[S1]]
// CHECK: %[[V:.*]] = tile.load
// CHECK-NOT: tile.load
// CHECK: tile.mma %[[P0]]
// CHECK: tile.mma %[[P1]]
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[M]], 0]
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[M1]], 0]
tile.kernel @chained(%Q: !tile.view<?x64xbf16>, %K: !tile.view<?x64xbf16>, %V: !tile.view<?x64xbf16>,
                     %O: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %rows = tile.dim %Q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %K, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %q = tile.load %Q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %out = scf.for %j = %c0 to %keys step %c64 iter_args(%sum = %zero) -> (tensor<128x64xf32>) {
      %k = tile.load %K[%j, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
      %s = tile.mma %q, %k, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %p = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xbf16>
      %v = tile.load %V[%j, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
      %next = tile.mma %p, %v, %sum : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    tile.store %out, %O[%m, 0] : tensor<128x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

// A bound that depends on the tile: a loop for each. By a quotient that the
// tiles of an item have in common: one loop.
// CHECK-LABEL: tile.kernel @bounds
// CHECK: tile.for_each (%[[M:.*]]) tiles [256]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}}
// CHECK: %[[BLOCK:.*]] = arith.divui %[[M]]
// CHECK-NOT: arith.divui
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BLOCK]] {{.*}} -> (tensor<128xf32>, tensor<128xf32>)
// CHECK-NOT: scf.for
// CHECK: tile.store
tile.kernel @bounds(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<interleave = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %size = tile.dim %x, 0 : !tile.view<?xf32>
  tile.for_each (%m) tiles [128] of [%size] {
    %t = tile.load %x[%m] : !tile.view<?xf32> -> tensor<128xf32>
    %a = scf.for %i = %c0 to %m step %c1 iter_args(%s = %t) -> (tensor<128xf32>) {
      %n = arith.addf %s, %t : tensor<128xf32>
      scf.yield %n : tensor<128xf32>
    }
    %block = arith.divui %m, %c256 : index
    %b = scf.for %i = %c0 to %block step %c1 iter_args(%s = %t) -> (tensor<128xf32>) {
      %n = arith.addf %s, %t : tensor<128xf32>
      scf.yield %n : tensor<128xf32>
    }
    tile.store %a, %y[%m] : tensor<128xf32>, !tile.view<?xf32>
    tile.store %b, %z[%m] : tensor<128xf32>, !tile.view<?xf32>
  }
}

// -----

// Nothing is chained: nothing changes.
// CHECK-LABEL: tile.kernel @plain
// CHECK-NOT: interleave
// CHECK: tile.for_each (%{{.*}}) tiles [128]
tile.kernel @plain(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) attributes {tile.target = "sm_100a"} {
  %size = tile.dim %x, 0 : !tile.view<?xf32>
  tile.for_each (%m) tiles [128] of [%size] {
    %t = tile.load %x[%m] : !tile.view<?xf32> -> tensor<128xf32>
    tile.store %t, %y[%m] : tensor<128xf32>, !tile.view<?xf32>
  }
}
