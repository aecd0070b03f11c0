// RUN: drawloom-opt %s --front-half | FileCheck %s

// B is loaded between two operations that read A. The slot of A is held from the
// first to the last of them; where B is read begins later, and not in there.
// CHECK-LABEL: tile.kernel @between
// CHECK:       agent.role @compute
// CHECK:         agent.consume %{{.*}} as (%[[A:[a-z0-9_]+]])
// CHECK:           tile.convert_layout %[[A]]
// CHECK-NEXT:      arith.negf
// CHECK-NEXT:      tile.convert_layout %[[A]]
// CHECK-NEXT:      math.exp2
// CHECK:         agent.consume %{{.*}} as (%[[B:[a-z0-9_]+]])
// CHECK:           %[[READ:.*]] = tile.convert_layout %[[B]]
// CHECK:           arith.addf %{{.*}}, %[[READ]]
tile.kernel @between(%A: !tile.view<?x64xf32>, %B: !tile.view<?x64xf32>, %D: !tile.view<?x64xf32>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x64xf32> {
    %a = tile.load %A[%m, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %x = arith.negf %a : tensor<64x64xf32>
    %b = tile.load %B[%m, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %y = math.exp2 %a : tensor<64x64xf32>
    %z = arith.addf %x, %y : tensor<64x64xf32>
    %w = arith.addf %z, %b : tensor<64x64xf32>
    tile.store %w, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
