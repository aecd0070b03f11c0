// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

tile.kernel @short_sums(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %D: !tile.view<?x?xf16>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf16> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    // expected-error@+1 {{MMA tile is M×N×K = 128×128×64 of f16 and f16 into f16, which is unsupported; supported are f16, bf16, TF32, f8E4M3FN and f8E5M2 with f32 accumulators, and i8 with i32, so cast the operands [mma-type]}}
    %t = tile.mma %a, %b, %zero : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
    tile.store %t, %D[%m, %n] : tensor<128x128xf16>, !tile.view<?x?xf16>
  }
}

// -----

tile.kernel @half_height(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<96x96xf32>
  tile.for_each (%m, %n) tiles [96, 96] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<96x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<96x64xbf16>
    // expected-error@+1 {{MMA tile is M×N×K = 96×96×64, but tcgen05.mma needs M to be a multiple of 128; use M = 128}}
    %t = tile.mma %a, %b, %zero : tensor<96x64xbf16>, tensor<96x64xbf16> -> tensor<96x96xf32>
    tile.store %t, %D[%m, %n] : tensor<96x96xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @narrow_words(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x16xf32>
  tile.for_each (%m, %n) tiles [128, 16] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xf32> -> tensor<128x32xf32>
    %0 = tile.load %B[0, %n] : !tile.view<?x?xf32> -> tensor<32x16xf32>
    %b = tile.transpose %0 [1, 0] : tensor<32x16xf32> -> tensor<16x32xf32>
    // expected-error@+1 {{reads MN-major TF32 (n), for which tcgen05.mma has a swizzle of 128 bytes only; use a multiple of 32 along n, or store the operand K-major [mma-type]}}
    %t = tile.mma %a, %b, %zero tf32 : tensor<128x32xf32>, tensor<16x32xf32> -> tensor<128x16xf32>
    tile.store %t, %D[%m, %n] : tensor<128x16xf32>, !tile.view<?x?xf32>
  }
}

// -----

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
      // expected-note@+1 {{this loop}}
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      // expected-error@+1 {{reads an accumulator, and @epilogue can't know whether the mainloop ran: its trip count depends on more than the tile index, and may be 0; make it depend on the tile index only, or peel one MMA [unknown-trip-count]}}
      tile.store %acc, %D[%j, %m, %n] : tensor<128x128xf32>, !tile.view<?x?x?xf32>
    }
  }
}

// -----

tile.kernel @loop_with_more(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = none>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xbf16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %d : !tile.view<?x?xf32> {
    %sum, %all = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %c = %none) -> (tensor<128x64xf32>, tensor<128x64xbf16>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      // expected-error @below {{is an accumulator that no slot of tensor memory is for: its loop computes more than MMAs, in a role that does, too; let MMAs have a role of their own with 'roles = multi', or in roles by hand make it in an agent.produce of a pipe in tmem [mma-accumulator]}}
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      %u = arith.addf %c, %x : tensor<128x64xbf16>
      scf.yield %t, %u : tensor<128x64xf32>, tensor<128x64xbf16>
    }
    %wide = arith.extf %all : tensor<128x64xbf16> to tensor<128x64xf32>
    %both = arith.addf %sum, %wide : tensor<128x64xf32>
    tile.store %both, %d[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
