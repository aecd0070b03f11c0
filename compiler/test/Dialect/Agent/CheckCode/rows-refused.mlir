// Rows in shared memory that no engine can move.
// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

// TMA takes three dimensions; registers have layouts for two.
tile.kernel @three(%A: !tile.view<?x?x?xbf16>, %D: !tile.view<?x?x?xbf16>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%b, %m, %n) tiles [2, 64, 64] of %D : !tile.view<?x?x?xbf16> {
    // expected-error@+1 {{works on a 'tensor<2x64x64xbf16>', and tiles of rank 3 are unsupported; slice the outer dimensions with a loop, or make them dimensions of the work tile [unsupported-operation]}}
    %a = tile.load %A[%b, %m, %n] : !tile.view<?x?x?xbf16> -> tensor<2x64x64xbf16>
    %d = arith.negf %a : tensor<2x64x64xbf16>
    tile.store %d, %D[%b, %m, %n] : tensor<2x64x64xbf16>, !tile.view<?x?x?xbf16>
  }
}

// -----

// The MMA wants words swizzled by 32 bytes; threads read by 16.
tile.kernel @words(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>, %E: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  tile.for_each (%m, %n) tiles [128, 64] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xf32> -> tensor<128x32xf32>
    %0 = tile.load %B[0, %n] : !tile.view<?x?xf32> -> tensor<32x64xf32>
    %b = tile.transpose %0 [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
    %t = tile.mma %a, %b, %zero tf32 : tensor<128x32xf32>, tensor<64x32xf32> -> tensor<128x64xf32>
    tile.store %t, %D[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
    // expected-error@+1 {{moves rows of 'tensor<32x64xf32>' between registers and shared memory: they have a multiple of 16 bytes, and a swizzle of 16 bytes at a time [smem-rows]}}
    %e = arith.negf %0 : tensor<32x64xf32>
    tile.store %e, %E[0, %n] : tensor<32x64xf32>, !tile.view<?x?xf32>
  }
}
