// RUN: drawloom-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,issue-ahead{remarks=true},assign-engines,prove-progress))' | FileCheck %s

// The scores of the next block are issued before the MMA with this block's
// probabilities, and the next probabilities are computed while it runs. The first
// and the last iteration are there at most once, also for no columns.
// CHECK-LABEL: tile.kernel @chained
// CHECK: verdict = #agent.verdict<proved
// CHECK: agent.role @compute
// CHECK-SAME: #agent.reason<"issues-ahead", "@compute issues the first MMA of the next iteration before the second one of this iteration, and computes while that runs
// CHECK: %[[ONCE:.*]] = arith.minsi %[[KEYS:.*]], %{{.*}}
// CHECK: %[[FIRST:.*]]:2 = scf.for %{{.*}} = %c0{{.*}} to %[[ONCE]]
// CHECK:   agent.consume %K{{.*}} as (%{{.*}}) :
// CHECK: %[[LAST:.*]] = arith.subi %[[KEYS]], %c64
// CHECK: %[[MIDDLE:.*]]:2 = scf.for %{{.*}} = %c0{{.*}} to %[[LAST]] step %c64{{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]#0, %[[P:.*]] = %[[FIRST]]#1)
// CHECK:   %[[S:.*]] = agent.consume %K{{.*}} lag(1)
// CHECK:   %[[OUT:.*]] = agent.consume %V
// CHECK:     tile.mma %[[P]], %{{.*}}, %[[SUM]]
// CHECK:   %[[NEXT:.*]] = arith.truncf %[[S]]
// CHECK:   scf.yield %[[OUT]], %[[NEXT]]
// CHECK: scf.for %{{.*}} to %[[ONCE]] step %{{.*}} iter_args(%[[SUM:.*]] = %[[MIDDLE]]#0)
// CHECK-NOT: agent.consume %K
// CHECK:   agent.consume %V
// CHECK:     tile.mma %[[MIDDLE]]#1, %{{.*}}, %[[SUM]]
// expected-remark @below {{issues-ahead: @compute issues the first MMA of the next iteration before the second one of this iteration, and computes while that runs}}
tile.kernel @chained(%Q: !tile.view<?x64xbf16>, %K: !tile.view<?x64xbf16>, %V: !tile.view<?x64xbf16>,
                     %O: !tile.view<?x64xf32>) attributes {tile.target = "sm_90a"} {
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

// One slot of K has no room for the next block.
// CHECK-LABEL: tile.kernel @one_slot
// CHECK: agent.role @compute
// CHECK-NOT: arith.minsi
// CHECK: agent.consume %K{{.*}} as (%{{.*}}) :
// CHECK: agent.consume %V
tile.kernel @one_slot(%Q: !tile.view<?x64xbf16>, %K: !tile.view<?x64xbf16>, %V: !tile.view<?x64xbf16>,
                      %O: !tile.view<?x64xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<slots = {K = 1}>} {
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
