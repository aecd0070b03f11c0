// RUN: drawloom compile %S/../../../../../examples/attention.mlir --arch sm_90a --emit plan | drawloom-opt --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --branch-on-factors | FileCheck %s
// RUN: drawloom-opt %s --branch-on-factors | FileCheck %s --check-prefix=OTHER

// Rows of the accumulator are scaled where the maximum of one of the warp's
// rows has grown, after everything else that is computed in the iteration.
// CHECK-LABEL: tile.kernel @attention
// CHECK:         %[[SUMS:.*]] = agent.await %{{.*}} : !agent.in_flight<tensor<128x128xf32
// CHECK-NEXT:    arith.truncf
// CHECK-NEXT:    %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<128x1xf32
// CHECK:         %[[DIFFER:.*]] = arith.cmpf une, %[[FACTORS:.*]], %[[ONES]]
// CHECK:         %[[ANY:.*]] = agent.any %[[DIFFER]]
// CHECK:         %[[SCALED:.*]] = scf.if %[[ANY]]
// CHECK-NEXT:      %[[ALL:.*]] = tile.broadcast %[[FACTORS]]
// CHECK-NEXT:      %[[PRODUCT:.*]] = arith.mulf %[[SUMS]], %[[ALL]]
// CHECK-NEXT:      scf.yield %[[PRODUCT]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[SUMS]]
// CHECK:         scf.yield {{.*}}%[[SCALED]]

// Factors of what MMAs don't go on with are rarely all 1.
// OTHER-LABEL: tile.kernel @scaled
// OTHER-NOT:     agent.any
tile.kernel @scaled(%x: !tile.view<?x?xf32>, %y: !tile.view<?xf32>, %z: !tile.view<?x?xf32>) {
  tile.for_each (%i, %j) tiles [128, 64] of %z : !tile.view<?x?xf32> {
    %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %f = tile.load %y[%i] : !tile.view<?xf32> -> tensor<128xf32>
    %column = tile.expand_dims %f axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %all = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
    %s = arith.mulf %a, %all : tensor<128x64xf32>
    tile.store %s, %z[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
