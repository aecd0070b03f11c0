// Programs beyond those in examples/ that the dialect must be able to say.
// RUN: drawloom-opt %s | drawloom-opt --canonicalize --cse --loop-invariant-code-motion | FileCheck %s

// Two MMAs that share A, and what the second one gates (SwiGLU).
// CHECK-LABEL: tile.kernel @dual_gemm
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = tile.load
// CHECK: tile.mma %[[A]], %[[B]]
// CHECK: %[[C:.*]] = tile.load
// CHECK: tile.mma %[[A]], %[[C]]
tile.kernel @dual_gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>,
                       %D: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %x, %gate = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %t = %zero)
        -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %s1 = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %a2 = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %c = tile.load %C[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t1 = tile.mma %a2, %c, %t : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %s1, %t1 : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %minus = arith.negf %gate : tensor<128x128xf32>
    %e = math.exp %minus : tensor<128x128xf32>
    %denominator = arith.addf %e, %one : tensor<128x128xf32>
    %silu = arith.divf %gate, %denominator : tensor<128x128xf32>
    %y = arith.mulf %x, %silu : tensor<128x128xf32>
    %d = arith.truncf %y : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// A second output: the largest magnitude of each row of each tile. Rows and
// columns past the edge are zero, which is the smallest magnitude.
// CHECK-LABEL: tile.kernel @gemm_row_maximum
// CHECK: tile.store %{{.*}} : tensor<128x256xf32>
// CHECK: %[[R:.*]] = tile.reduce maximumf
// CHECK: tile.store %[[R]], %{{.*}} dims [0]
tile.kernel @gemm_row_maximum(%A: !tile.view<?x?xf16>, %B: !tile.view<?x?xf16>, %D: !tile.view<?x?xf32>,
                              %maxima: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf16> -> tensor<256x64xf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xf16>, tensor<256x64xf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
    %magnitude = math.absf %acc : tensor<128x256xf32>
    %maximum = tile.reduce maximumf %magnitude axis 1 : tensor<128x256xf32> -> tensor<128xf32>
    %column = arith.divui %n, %c256 : index
    tile.store %maximum, %maxima[%m, %column] dims [0] : tensor<128xf32>, !tile.view<?x?xf32>
  }
}

// Groups that differ in K: D[g] = A[:, columns of g] * B[:, columns of g]^T.
// Columns of the next group must read as zero, which the subview sees to.
// CHECK-LABEL: tile.kernel @grouped_k
// CHECK: tile.for_each (%[[G:.*]]) tiles [1]
// CHECK: tile.for_each (%{{.*}}, %{{.*}}) tiles [128, 128]
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[G]], %{{.*}}, %{{.*}}]
tile.kernel @grouped_k(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %offsets: !tile.view<?xi32>,
                       %D: !tile.view<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %groups = tile.dim %D, 0 : !tile.view<?x?x?xf32>
  %M = tile.dim %D, 1 : !tile.view<?x?x?xf32>
  %N = tile.dim %D, 2 : !tile.view<?x?x?xf32>
  tile.for_each (%g) tiles [1] of [%groups] {
    %g1 = arith.addi %g, %c1 : index
    %begin32 = tile.load %offsets[%g] : !tile.view<?xi32> -> i32
    %end32 = tile.load %offsets[%g1] : !tile.view<?xi32> -> i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %K = arith.subi %end, %begin : index
    %Ag = tile.subview %A[0, %begin] [%M, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    %Bg = tile.subview %B[0, %begin] [%N, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    tile.for_each (%m, %n) tiles [128, 128] of [%M, %N] {
      %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %b = tile.load %Bg[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      tile.store %acc, %D[%g, %m, %n] : tensor<128x128xf32>, !tile.view<?x?x?xf32>
    }
  }
}

// Block scales come as tiles of their own.
// CHECK-LABEL: tile.kernel @mxfp8
// CHECK: tile.mma {{.*}} scales(
tile.kernel @mxfp8(%A: !tile.view<?x?xf8E4M3FN>, %SA: !tile.view<?x?xf8E8M0FNU>,
                   %B: !tile.view<?x?xf8E4M3FN>, %SB: !tile.view<?x?xf8E8M0FNU>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %j = arith.divui %k, %c32 : index
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<128x128xf8E4M3FN>
      %sa = tile.load %SA[%m, %j] pad(1.0 : f8E8M0FNU) : !tile.view<?x?xf8E8M0FNU> -> tensor<128x4xf8E8M0FNU>
      %sb = tile.load %SB[%n, %j] pad(1.0 : f8E8M0FNU) : !tile.view<?x?xf8E8M0FNU> -> tensor<128x4xf8E8M0FNU>
      %t = tile.mma %a, %b, %s scales(%sa, %sb : tensor<128x4xf8E8M0FNU>, tensor<128x4xf8E8M0FNU>)
        : tensor<128x128xf8E4M3FN>, tensor<128x128xf8E4M3FN> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
