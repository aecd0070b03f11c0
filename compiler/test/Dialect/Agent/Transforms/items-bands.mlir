// RUN: drawloom-opt %s --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes))' | FileCheck %s

// Items are walked in bands of 16 rows of tiles, down each column of a band
// first: CTAs that run at the same time load a block of A and B, not a row.
// CHECK:      agent.items static %[[I:.*]] of %{{.*}} -> (index, index) {
// CHECK:        %[[PER:.*]] = arith.muli %c16, %[[COLUMNS:.*]] : index
// CHECK:        %[[BAND:.*]]:2 = affine.delinearize_index %[[I]] into (%[[PER]])
// CHECK:        %[[FIRST:.*]] = arith.muli %[[BAND]]#0, %c16
// CHECK:        %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]]
// CHECK:        %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %c16
// CHECK:        %[[IN:.*]]:2 = affine.delinearize_index %[[BAND]]#1 into (%[[HEIGHT]])
// CHECK:        %[[ROW:.*]] = arith.addi %[[FIRST]], %[[IN]]#1
tile.kernel @gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
