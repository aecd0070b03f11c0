// MMAs whose operands threads make of other MMAs have a role of their own,
// and accumulators stay with one role: the second MMA starts at zero, and
// what it would have continued is added by threads.
// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(assign-roles))' | FileCheck %s

// CHECK:     %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK:     %[[SUMS:.*]]:2 = scf.for
// CHECK:     %[[SECOND:.*]] = tile.mma %{{.*}}, %{{.*}}, %[[ZERO]] {agent.owner = @mma_1}
// CHECK:     arith.addf %[[SECOND]], %[[SUMS]]#0 {agent.owner = @epilogue}
tile.kernel @low_rank(%A: !tile.view<?x?xbf16>, %W: !tile.view<?x?xbf16>, %L: !tile.view<64x?xbf16>, %R: !tile.view<?x64xbf16>,
                      %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %D : !tile.view<?x?xf32> {
    %wide, %thin = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %t = %zero) -> (tensor<128x64xf32>, tensor<128x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %w = tile.load %W[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %l = tile.load %L[0, %k] : !tile.view<64x?xbf16> -> tensor<64x64xbf16>
      %x = tile.mma %a, %w, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %y = tile.mma %a, %l, %t : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %x, %y : tensor<128x64xf32>, tensor<128x64xf32>
    }
    %narrow = arith.truncf %thin : tensor<128x64xf32> to tensor<128x64xbf16>
    %r = tile.load %R[%n, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %d = tile.mma %narrow, %r, %wide : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    tile.store %d, %D[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
