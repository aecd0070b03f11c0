// RUN: drawloom-opt %s --choose-schedule | FileCheck %s

// The first MMA doesn't depend on the columns of D: each work tile along them
// executes it again, and `explain` says so.
// CHECK-LABEL: tile.kernel @nest
// CHECK-SAME:  "mma: 1 of 2 MMAs is the same for all work tiles along dimension 1 of 'D', and each executes it; larger tiles there are fewer"
tile.kernel @nest(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %L = tile.dim %B, 0 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %r = scf.for %l = %c0 to %L step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %p = scf.for %k = %c0 to %K step %c64 iter_args(%u = %zero) -> (tensor<64x64xf32>) {
        %x = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
        %y = tile.load %B[%l, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
        %t = tile.mma %x, %y, %u : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %t : tensor<64x64xf32>
      }
      %p16 = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      %c = tile.load %C[%n, %l] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %q = tile.mma %p16, %c, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %q : tensor<64x64xf32>
    }
    tile.store %r, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// An MMA in a loop that it doesn't depend on.
// CHECK-LABEL: tile.kernel @again
// CHECK-SAME:  "mma: 1 of 1 MMA is the same in each step of a loop, which executes it again"
tile.kernel @again(%A: !tile.view<?x64xbf16>, %B: !tile.view<64x64xbf16>, %D: !tile.view<?x64xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x64xf32> {
    %x = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %y = tile.load %B[0, 0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    tile.store %r, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
