// RUN: drawloom-opt %s --swap-operands --canonicalize | FileCheck %s

// 16 rows are too few, 128 columns are enough rows: the loop carries D
// transposed, and the store has it as it was.
// CHECK-LABEL: tile.kernel @few_rows
// CHECK-SAME:    "swap-operands: an MMA of 16x128x64 is one of 128x16x64, of D transposed, because sm_100a has none with 16 rows"
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x16xf32>
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[ZERO]]) -> (tensor<128x16xf32>)
// CHECK:           %[[A:.*]] = tile.load %{{.*}} -> tensor<16x64xbf16>
// CHECK:           %[[B:.*]] = tile.load %{{.*}} -> tensor<128x64xbf16>
// CHECK:           %[[T:.*]] = tile.mma %[[B]], %[[A]], %[[S]] : tensor<128x64xbf16>, tensor<16x64xbf16> -> tensor<128x16xf32>
// CHECK-NEXT:      scf.yield %[[T]]
// CHECK:         %[[D:.*]] = tile.transpose %[[SUM]] [1, 0]
// CHECK-NEXT:    tile.store %[[D]]
tile.kernel @few_rows(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [16, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<16x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<16x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<16x64xbf16>, tensor<128x64xbf16> -> tensor<16x128xf32>
      scf.yield %t : tensor<16x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<16x128xf32>, !tile.view<?x?xf32>
  }
}

// Two MMAs for one accumulator, in a loop in a loop: both loops carry it
// transposed, and nothing is transposed between the two.
// CHECK-LABEL: tile.kernel @nested
// CHECK:         scf.for {{.*}} -> (tensor<128x32xf32>)
// CHECK:           scf.for {{.*}} -> (tensor<128x32xf32>)
// CHECK-NOT:         tile.transpose
// CHECK:             tile.mma %{{.*}} -> tensor<128x32xf32>
// CHECK-NOT:         tile.transpose
// CHECK:             tile.mma %{{.*}} -> tensor<128x32xf32>
// CHECK-NOT:         tile.transpose
// CHECK:         tile.transpose %{{.*}} : tensor<128x32xf32> -> tensor<32x128xf32>
tile.kernel @nested(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x128xf32>
  tile.for_each (%m, %n) tiles [32, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %zero) -> (tensor<32x128xf32>) {
      %in = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %o) -> (tensor<32x128xf32>) {
        %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<32x64xbf16>
        %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %a, %b, %s : tensor<32x64xbf16>, tensor<128x64xbf16> -> tensor<32x128xf32>
        %u = tile.mma %a, %b, %t : tensor<32x64xbf16>, tensor<128x64xbf16> -> tensor<32x128xf32>
        scf.yield %u : tensor<32x128xf32>
      }
      scf.yield %in : tensor<32x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<32x128xf32>, !tile.view<?x?xf32>
  }
}

// What has an instruction stays; what has none either way does, too.
// CHECK-LABEL: tile.kernel @others
// CHECK-NOT:     tile.transpose
tile.kernel @others(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>, %E: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<16x32xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    %c = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<16x64xbf16>
    %d = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<32x64xbf16>
    %u = tile.mma %c, %d, %none : tensor<16x64xbf16>, tensor<32x64xbf16> -> tensor<16x32xf32>
    tile.store %u, %E[%m, %n] : tensor<16x32xf32>, !tile.view<?x?xf32>
  }
}

// A sum that is scaled between two MMAs is scaled transposed.
// CHECK-LABEL: tile.kernel @rescaled
// CHECK:         scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (tensor<128x16xf32>)
// CHECK:           %[[F:.*]] = tile.load %{{.*}} -> tensor<16xf32>
// CHECK:           %[[ROW:.*]] = tile.expand_dims %[[F]] axis 0 : tensor<16xf32> -> tensor<1x16xf32>
// CHECK:           %[[ALL:.*]] = tile.broadcast %[[ROW]] : tensor<1x16xf32> -> tensor<128x16xf32>
// CHECK:           %[[SCALED:.*]] = arith.mulf %[[OLD]], %[[ALL]] : tensor<128x16xf32>
// CHECK-NEXT:      %[[NEW:.*]] = tile.mma %{{.*}}, %{{.*}}, %[[SCALED]]
// CHECK-NEXT:      scf.yield %[[NEW]]
tile.kernel @rescaled(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %f: !tile.view<?xf32>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [16, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<16x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<16x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %v = tile.load %f[%k] : !tile.view<?xf32> -> tensor<16xf32>
      %column = tile.expand_dims %v axis 1 : tensor<16xf32> -> tensor<16x1xf32>
      %all = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x128xf32>
      %old = arith.mulf %s, %all : tensor<16x128xf32>
      %t = tile.mma %a, %b, %old : tensor<16x64xbf16>, tensor<128x64xbf16> -> tensor<16x128xf32>
      scf.yield %t : tensor<16x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<16x128xf32>, !tile.view<?x?xf32>
  }
}
