// Loads go past the edge of a part where only stores would see it, and drop it.
// RUN: drawloom-opt %s --widen-loads --canonicalize --split-input-file | FileCheck %s

// Rows of A past a group's end make rows of D that are dropped. K is all of A's
// columns, so nothing is left of the part. The store keeps its own.
// CHECK-LABEL: tile.kernel @groups
// CHECK-SAME:    tile.reasons = ["widen-loads: tiles of 'A' reach past the edge of their part along dimension 0, in elements that no store writes"]
// CHECK:         %[[DG:.*]] = tile.subview %D
// CHECK:         tile.for_each (%[[M:.*]], %{{.*}}) tiles [128, 128]
// CHECK:           scf.for %[[K:.*]] = %c0
// CHECK-NEXT:        %[[FIRST:.*]] = arith.addi %begin, %[[M]] : index
// CHECK-NEXT:        tile.load %A[%[[FIRST]], %[[K]]] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// CHECK:           tile.store %{{.*}}, %[[DG]][%[[M]], %{{.*}}]
tile.kernel @groups(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %begin: index, %rows: index, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %N = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %Ag = tile.subview %A[%begin, 0] [%rows, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %Dg = tile.subview %D[%begin, 0] [%rows, %N] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %Dg : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %Dg[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// An MMA sums the columns of A: a part that ends before the view does keeps that
// edge, and loses the other one.
// CHECK-LABEL: tile.kernel @depths
// CHECK-SAME:    "widen-loads: tiles of 'A' reach past the edge of their part along dimension 0, in elements that no store writes",
// CHECK-SAME:    "widen-loads: tiles of 'A' end at the edge of their part along dimension 1, because 'tile.mma' reads what lies past it"
// CHECK:         %[[SIZE:.*]] = tile.dim %A, 0
// CHECK:         %[[REST:.*]] = arith.subi %[[SIZE]], %begin : index
// CHECK:         %[[PART:.*]] = tile.subview %A[%begin, 0] [%[[REST]], %depth]
// CHECK:         tile.load %[[PART]][%{{.*}}, %{{.*}}] : {{.*}} -> tensor<128x64xbf16>
tile.kernel @depths(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %begin: index, %rows: index, %depth: index, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %N = tile.dim %B, 0 : !tile.view<?x?xbf16>
  %Ag = tile.subview %A[%begin, 0] [%rows, %depth] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %Dg = tile.subview %D[%begin, 0] [%rows, %N] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %Dg : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %depth step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %Dg[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Groups one behind another along K: rows of both operands are summed.
// CHECK-LABEL: tile.kernel @along_k
// CHECK-SAME:    "widen-loads: tiles of 'A' end at the edge of their part along dimension 0, because 'tile.mma' reads what lies past it",
// CHECK-SAME:    "widen-loads: tiles of 'B' end at the edge of their part along dimension 0, because 'tile.mma' reads what lies past it"
// CHECK:         %[[AG:.*]] = tile.subview %A
// CHECK:         %[[BG:.*]] = tile.subview %B
// CHECK:         tile.load %[[AG]]
// CHECK:         tile.load %[[BG]]
tile.kernel @along_k(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %begin: index, %rows: index, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %M = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %N = tile.dim %B, 1 : !tile.view<?x?xbf16>
  %Ag = tile.subview %A[%begin, 0] [%rows, %M] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %Bg = tile.subview %B[%begin, 0] [%rows, %N] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %rows step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %Ag[%k, %m] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
      %b = tile.load %Bg[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
      %at = tile.transpose %a [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %bt = tile.transpose %b [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %at, %bt, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A reduction along the rows sees accumulators of rows past the end: they are
// masked, once for each work tile. B is cut along N in the same way.
// CHECK-LABEL: tile.kernel @reduced
// CHECK-SAME:    "widen-loads: tiles of 'A' reach past the edge of their part along dimension 0, in elements that no store writes, and 'tile.reduce' gets zeros for them",
// CHECK-SAME:    "widen-loads: tiles of 'B' reach past the edge of their part along dimension 0, in elements that no store writes"
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK:         tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [128, 64]
// CHECK:           %[[ACC:.*]] = scf.for
// CHECK:             tile.load %A[
// CHECK:             tile.load %B[
// CHECK:             tile.mma
// CHECK:           }
// CHECK:           %[[NUMBERS:.*]] = tile.iota : tensor<128xi32>
// CHECK:           %[[AT:.*]] = arith.index_cast %[[M]] : index to i32
// CHECK:           %[[FIRST:.*]] = tensor.splat %[[AT]]
// CHECK:           %[[ROWS:.*]] = arith.addi %[[NUMBERS]], %[[FIRST]]
// CHECK:           %[[COUNT:.*]] = arith.index_cast %rows : index to i32
// CHECK:           %[[LIMIT:.*]] = tensor.splat %[[COUNT]]
// CHECK:           %[[INSIDE:.*]] = arith.cmpi slt, %[[ROWS]], %[[LIMIT]]
// CHECK:           %[[COLUMN:.*]] = tile.expand_dims %[[INSIDE]] axis 1
// CHECK:           %[[MASK:.*]] = tile.broadcast %[[COLUMN]] : tensor<128x1xi1> -> tensor<128x64xi1>
// CHECK:           %[[SUM:.*]] = arith.select %[[MASK]], %[[ACC]], %[[ZERO]]
// CHECK:           tile.store %[[SUM]],
// CHECK:           tile.reduce addf %[[SUM]] axis 0
tile.kernel @reduced(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %begin: index, %rows: index, %columns: index, %D: !tile.view<?x?xf32>, %S: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %KB = tile.dim %B, 1 : !tile.view<?x?xbf16>
  %R = tile.dim %S, 0 : !tile.view<?x?xf32>
  %Ag = tile.subview %A[%begin, 0] [%rows, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %Bg = tile.subview %B[0, 0] [%columns, %KB] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %Dg = tile.subview %D[%begin, 0] [%rows, %columns] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  %Sg = tile.subview %S[0, 0] [%R, %columns] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 64] of %Dg : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %Bg[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %acc, %Dg[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
    %row = arith.divui %m, %c128 : index
    %sum = tile.reduce addf %acc axis 0 : tensor<128x64xf32> -> tensor<64xf32>
    tile.store %sum, %Sg[%row, %n] : tensor<64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Rows that become something else before the MMA need not add zeros, and rows
// of a loop that nothing multiplies cannot be masked.
// CHECK-LABEL: tile.kernel @unmasked
// CHECK-SAME:    "widen-loads: tiles of 'A' end at the edge of their part along dimension 0, because 'tile.reduce' reads what lies past it",
// CHECK-SAME:    "widen-loads: tiles of 'C' end at the edge of their part along dimension 0, because 'tile.reduce' reads what lies past it"
// CHECK-NOT:     arith.select
tile.kernel @unmasked(%A: !tile.view<?x64xbf16>, %B: !tile.view<?x64xbf16>, %C: !tile.view<?x?xf32>, %rows: index, %S: !tile.view<?x?xf32>) {
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %one = arith.constant dense<1.0> : tensor<128x64xbf16>
  %N = tile.dim %B, 0 : !tile.view<?x64xbf16>
  %Ag = tile.subview %A[0, 0] [%rows, 64] : !tile.view<?x64xbf16> -> !tile.view<?x64xbf16>
  %Cg = tile.subview %C[0, 0] [%rows, %N] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 64] of [%rows, %N] {
    %a = tile.load %Ag[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %more = arith.addf %a, %one : tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %c = tile.load %Cg[%m, %n] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %acc = tile.mma %more, %b, %zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %d = arith.addf %acc, %c : tensor<128x64xf32>
    %row = arith.divui %m, %c128 : index
    %sum = tile.reduce addf %d axis 0 : tensor<128x64xf32> -> tensor<64xf32>
    tile.store %sum, %S[%row, %n] : tensor<64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// What is stored elsewhere, or in a longer part, is not dropped.
// CHECK-LABEL: tile.kernel @elsewhere
// CHECK-SAME:    "widen-loads: tiles of 'X' end at the edge of their part along dimension 0, because 'tile.store' reads what lies past it",
// CHECK-SAME:    "widen-loads: tiles of 'Y' end at the edge of their part along dimension 0, because 'tile.store' reads what lies past it"
// CHECK:         %[[XG:.*]] = tile.subview %X
// CHECK:         %[[YG:.*]] = tile.subview %Y
// CHECK:         tile.load %[[XG]]
// CHECK:         tile.load %[[YG]]
tile.kernel @elsewhere(%X: !tile.view<?xf32>, %Y: !tile.view<?xf32>, %rows: index, %D: !tile.view<?xf32>, %E: !tile.view<?xf32>) {
  %c64 = arith.constant 64 : index
  %Xg = tile.subview %X[0] [%rows] : !tile.view<?xf32> -> !tile.view<?xf32>
  %Yg = tile.subview %Y[0] [%rows] : !tile.view<?xf32> -> !tile.view<?xf32>
  %Dg = tile.subview %D[0] [%rows] : !tile.view<?xf32> -> !tile.view<?xf32>
  tile.for_each (%m) tiles [128] of [%rows] {
    %before = arith.subi %m, %c64 : index
    %x = tile.load %Xg[%m] : !tile.view<?xf32> -> tensor<128xf32>
    tile.store %x, %Dg[%before] : tensor<128xf32>, !tile.view<?xf32>
    %y = tile.load %Yg[%m] : !tile.view<?xf32> -> tensor<128xf32>
    tile.store %y, %E[%m] : tensor<128xf32>, !tile.view<?xf32>
  }
}

// -----

// A tile that the next iteration stores met the edge somewhere else.
// CHECK-LABEL: tile.kernel @later
// CHECK-SAME:    "widen-loads: tiles of 'X' end at the edge of their part along dimension 0, because 'scf.yield' reads what lies past it"
tile.kernel @later(%X: !tile.view<?xf32>, %rows: index, %D: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %Xg = tile.subview %X[0] [%rows] : !tile.view<?xf32> -> !tile.view<?xf32>
  %Dg = tile.subview %D[0] [%rows] : !tile.view<?xf32> -> !tile.view<?xf32>
  %last = scf.for %m = %c0 to %rows step %c128 iter_args(%before = %zero) -> (tensor<128xf32>) {
    tile.store %before, %Dg[%m] : tensor<128xf32>, !tile.view<?xf32>
    %x = tile.load %Xg[%m] : !tile.view<?xf32> -> tensor<128xf32>
    scf.yield %x : tensor<128xf32>
  }
}

// -----

// Another work tile may be writing what lies past the edge.
// CHECK-LABEL: tile.kernel @in_place
// CHECK-SAME:    "widen-loads: tiles of 'X' end at the edge of their part along dimension 0, because the kernel writes to 'X'"
tile.kernel @in_place(%X: !tile.view<?xf32>, %rows: index) {
  %Xg = tile.subview %X[0] [%rows] : !tile.view<?xf32> -> !tile.view<?xf32>
  tile.for_each (%m) tiles [128] of %Xg : !tile.view<?xf32> {
    %x = tile.load %Xg[%m] : !tile.view<?xf32> -> tensor<128xf32>
    %y = arith.negf %x : tensor<128xf32>
    tile.store %y, %Xg[%m] : tensor<128xf32>, !tile.view<?xf32>
  }
}

// -----

// One plane of a view: no edge is in the way. The bias has the columns of D.
// CHECK-LABEL: tile.kernel @planes
// CHECK-SAME:    tile.reasons = ["widen-loads: tiles of 'bias' reach past the edge of their part along dimension 0, in elements that no store writes"]
// CHECK:         tile.load %A[%plane, %{{.*}}, %{{.*}}]
// CHECK:         tile.load %bias[%{{.*}}]
tile.kernel @planes(%A: !tile.view<?x128x256xf32>, %bias: !tile.view<?xf32>, %plane: index, %columns: index, %D: !tile.view<128x?xf32>) {
  %Ap = tile.subview %A[%plane, 0, 0] [1, 128, 256] : !tile.view<?x128x256xf32> -> !tile.view<1x128x256xf32>
  %part = tile.subview %bias[0] [%columns] : !tile.view<?xf32> -> !tile.view<?xf32>
  %Dp = tile.subview %D[0, 0] [128, %columns] : !tile.view<128x?xf32> -> !tile.view<128x?xf32>
  tile.for_each (%m, %n) tiles [128, 64] of %Dp : !tile.view<128x?xf32> {
    %a = tile.load %Ap[0, %m, %n] : !tile.view<1x128x256xf32> -> tensor<128x64xf32>
    %b = tile.load %part[%n] : !tile.view<?xf32> -> tensor<64xf32>
    %row = tile.expand_dims %b axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %all = tile.broadcast %row : tensor<1x64xf32> -> tensor<128x64xf32>
    %d = arith.addf %a, %all : tensor<128x64xf32>
    tile.store %d, %Dp[%m, %n] : tensor<128x64xf32>, !tile.view<128x?xf32>
  }
}
