// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm --split-input-file | FileCheck %s

// Two sums in one slot: the second is 128 columns behind the first, and both
// MMAs read the same A.
// CHECK-LABEL: llvm.func @dual(
// CHECK:       %[[SECOND:.*]] = arith.addi %{{.*}}, %c128_i32
// CHECK-COUNT-8: nvvm.tcgen05.mma
// CHECK:       nvvm.tcgen05.ld
// CHECK:       nvvm.tcgen05.ld
tile.kernel @dual(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %r = %zero) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %c = tile.load %C[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %u = tile.mma %a, %c, %r : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t, %u : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %d = arith.subf %acc#0, %acc#1 : tensor<128x128xf32>
    tile.store %d, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// An operand that threads compute goes to tensor memory: the stores are waited
// for and fenced before the warp arrives, and the MMA takes an address
// instead of a descriptor.
// CHECK-LABEL: llvm.func @computed_operand(
// CHECK:       nvvm.tcgen05.mma %{{.*}} : (!llvm.ptr<6>, !llvm.ptr<6>, i64, i32, i1)
// CHECK:       nvvm.tcgen05.st
// CHECK:       nvvm.tcgen05.wait <store>
// CHECK:       nvvm.tcgen05.fence <before>
// CHECK:       nvvm.mbarrier.arrive
tile.kernel @computed_operand(%A: !tile.view<?x?xi8>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %i = tile.load %A[%m, %k] : !tile.view<?x?xi8> -> tensor<128x64xi8>
      %a = arith.sitofp %i : tensor<128x64xi8> to tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Sums of 64 rows are in the first 16 lanes of each warp; the other lanes read the next 8 columns.
// CHECK-LABEL: llvm.func @half(
// CHECK:       nvvm.tcgen05.mma
// CHECK:       %[[SPLIT:.*]] = arith.constant 8 : i64
// CHECK:       nvvm.tcgen05.ld %{{.*}}, %[[SPLIT]] {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>} : vector<8xi32>
tile.kernel @half(%A: !tile.view<?x64xbf16>, %B: !tile.view<?x64xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  tile.for_each (%m, %n) tiles [64, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xf32>
    tile.store %t, %D[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Eight warps share 128 columns: 32 in turn, so the second group begins 32
// columns later, and its second part is 64 after its first.
// CHECK-LABEL: llvm.func @shared(
// CHECK:       %[[GROUP:.*]] = arith.divui %{{.*}}, %c4_i32
// CHECK:       %[[TURN:.*]] = arith.remui %[[GROUP]], %c2_i32
// CHECK:       %[[OWN:.*]] = arith.muli %[[TURN]], %c32_i32
// CHECK-NEXT:  %[[MINE:.*]] = arith.addi %{{.*}}, %[[OWN]]
// CHECK:       nvvm.tcgen05.ld %{{.*}} : vector<32xi32>
// CHECK:       %[[NEXT:.*]] = arith.addi %[[MINE]], %c64_i32
// CHECK-NEXT:  %[[POINTER:.*]] = llvm.inttoptr %[[NEXT]]
// CHECK-NEXT:  nvvm.tcgen05.ld %[[POINTER]] {{.*}} : vector<32xi32>
tile.kernel @shared(%A: !tile.view<?x64xbf16>, %B: !tile.view<?x64xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<warps = 8, epilogue_tile = 128>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %t, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
