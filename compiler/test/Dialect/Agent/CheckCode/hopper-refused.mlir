// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

tile.kernel @tf32_across(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 0 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%k, %m] : !tile.view<?x?xf32> -> tensor<32x128xf32>
      %at = tile.transpose %a [1, 0] : tensor<32x128xf32> -> tensor<128x32xf32>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf32> -> tensor<128x32xf32>
      // expected-error@+1 {{reads a, of 'f32', across its rows in memory; wgmma does that for 16-bit types only, so lay it out along k [mma-type]}}
      %t = tile.mma %at, %b, %s tf32 : tensor<128x32xf32>, tensor<128x32xf32> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @short_sums(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %D: !tile.view<?x?xf16>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf16>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      // expected-error@+1 {{MMA tile is M×N×K = 128×128×64 of f16 and f16 into f16, which is unsupported}}
      %t = tile.mma %a, %b, %s : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
      scf.yield %t : tensor<128x128xf16>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  }
}
