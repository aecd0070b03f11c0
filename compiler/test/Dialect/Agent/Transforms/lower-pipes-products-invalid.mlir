// Sums in tensor memory that have no slot, or that nobody can count.
// RUN: drawloom-opt %s --front-half --lower-pipes=unproved --split-input-file --verify-diagnostics

// expected-warning@+1 {{whether the roles of @cannot_tell end is undecided}}
tile.kernel @cannot_tell(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %T = tile.dim %D, 0 : !tile.view<?x?x?xf32>
  %M = tile.dim %D, 1 : !tile.view<?x?x?xf32>
  %N = tile.dim %D, 2 : !tile.view<?x?x?xf32>
  tile.for_each (%m, %n) tiles [128, 128] of [%M, %N] {
    scf.for %j = %c0 to %T step %c1 {
      %K = arith.muli %j, %c64 : index
      // expected-note@+2 {{this loop}}
      // expected-note@+1 {{outside of the progress model}}
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      // expected-error@+1 {{reads a sum of products whose number @epilogue cannot tell; let the bounds of the loop of products depend on the work item alone, or begin with one product before the loop}}
      tile.store %acc, %D[%j, %m, %n] : tensor<128x128xf32>, !tile.view<?x?x?xf32>
    }
  }
}

// -----

tile.kernel @single(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = single>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    // expected-error@+1 {{is a sum that no slot of tensor memory is for, which has no code yet; let products have a role of their own, with 'roles = multi'}}
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
