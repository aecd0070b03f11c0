// Who does what a message says gets code.
// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// "use 8", of 12 warps that can't share 128 rows.
// CHECK-LABEL: llvm.func @eight_warps(
tile.kernel @eight_warps(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<warps = 8>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// "use 24", of 20 columns.
// CHECK-LABEL: llvm.func @columns(
tile.kernel @columns(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<epilogue_tile = 24>} {
  %zero = arith.constant dense<0.0> : tensor<128x120xf32>
  tile.for_each (%m, %n) tiles [128, 120] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<120x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<120x64xbf16> -> tensor<128x120xf32>
    tile.store %t, %D[%m, %n] : tensor<128x120xf32>, !tile.view<?x?xf32>
  }
}

// "lay it out along k", "roles = multi", "use static".
// CHECK-LABEL: llvm.func @along_k(
tile.kernel @along_k(%A: !tile.view<?x?xf8E4M3FN>, %B: !tile.view<?x?xf8E4M3FN>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = multi, persistent = static>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %b = tile.load %B[%n, 0] : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
    %t = tile.mma %a, %b, %zero : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// "convert it first", of a sum of f8E4M3FN.
// CHECK-LABEL: llvm.func @converted(
tile.kernel @converted(%X: !tile.view<?x?xf8E4M3FN>, %Y: !tile.view<?x?xf8E4M3FN>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf8E4M3FN> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    %f = arith.extf %x : tensor<64x64xf8E4M3FN> to tensor<64x64xf32>
    %g = arith.addf %f, %f : tensor<64x64xf32>
    %y = arith.truncf %g : tensor<64x64xf32> to tensor<64x64xf8E4M3FN>
    tile.store %y, %Y[%m, %n] : tensor<64x64xf8E4M3FN>, !tile.view<?x?xf8E4M3FN>
  }
}

// "store it, and load it where it is used the other way".
// CHECK-LABEL: llvm.func @both_ways(
tile.kernel @both_ways(%V: !tile.view<64xf32>, %Y: !tile.view<64x64xf32>) attributes {tile.target = "sm_100a"} {
  %v = tile.load %V[0] : !tile.view<64xf32> -> tensor<64xf32>
  %r = tile.expand_dims %v axis 0 : tensor<64xf32> -> tensor<1x64xf32>
  %again = tile.load %V[0] : !tile.view<64xf32> -> tensor<64xf32>
  %c = tile.expand_dims %again axis 1 : tensor<64xf32> -> tensor<64x1xf32>
  %rows = tile.broadcast %r : tensor<1x64xf32> -> tensor<64x64xf32>
  %columns = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x64xf32>
  %y = arith.mulf %rows, %columns : tensor<64x64xf32>
  tile.store %y, %Y[0, 0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// "load the tile in the shape that is needed": a transposed read of a slot.
// CHECK-LABEL: llvm.func @shape(
tile.kernel @shape(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %t = tile.transpose %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %y = arith.addf %t, %t : tensor<64x64xf32>
    tile.store %y, %Y[%n, %m] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
