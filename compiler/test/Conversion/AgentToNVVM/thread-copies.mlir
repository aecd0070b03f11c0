// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm --split-input-file | FileCheck %s

// Strides that TMA refuses: four warps copy with cp.async, of 16, 8 or 4 bytes
// or element by element. The copies of a thread hold the phase open until they
// have landed, and the warp arrives for what its threads have stored. The role that reads the slot fences, because cp.async writes through the generic
// proxy.
// CHECK-LABEL: llvm.func @odd_strides(
// CHECK-SAME:  #agent.parameter<pointer, argument = 0>
// CHECK-SAME:  #agent.parameter<stride, argument = 0, dimension = 0>
// CHECK:       nvvm.cp.async.shared.global {{.*}}, 16, cache =  cg
// CHECK:       nvvm.cp.async.shared.global {{.*}}, 8, cache =  ca
// CHECK:       nvvm.cp.async.shared.global {{.*}}, 4, cache =  ca
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<1> -> i16
// CHECK:       nvvm.fence.proxy
// CHECK:       nvvm.cp.async.mbarrier.arrive %{{[^ ]*}} :
// CHECK:       nvvm.bar.warp.sync
// CHECK:       nvvm.mbarrier.arrive
// CHECK:       nvvm.mbarrier.try_wait
// CHECK:       nvvm.fence.proxy
// CHECK:       nvvm.tcgen05.mma
tile.kernel @odd_strides(%A: !tile.view<?x?xbf16, strides = [?, 1]>, %B: !tile.view<?x?xbf16, strides = [?, 1]>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16, strides = [?, 1]>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

// A part of a view has edges that the tensor map does not know. A tile at such
// an edge, past which an MMA would sum what is there, is copied by the threads of
// the warp, and its bytes are not expected;
// the store is one by all threads of the role. The view has a tensor map and
// its columns are multiples of 64, so 16 bytes are one access for certain.
// CHECK-LABEL: llvm.func @part(
// CHECK:       nvvm.cp.async.shared.global {{.*}}, 16, cache =  cg
// CHECK-NOT:   nvvm.cp.async.shared.global
// CHECK-NOT:   llvm.load
// CHECK:       nvvm.cp.async.wait.group 0
// CHECK:       nvvm.fence.proxy
// CHECK:       nvvm.bar.warp.sync
// CHECK:       nvvm.mbarrier.arrive.expect_tx
// CHECK:       nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       nvvm.tcgen05.mma
// CHECK:       nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK:       llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK-COUNT-4: llvm.store {{.*}} : i32, !llvm.ptr<1>
tile.kernel @part(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>, %rows: index, %K: index) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %N = tile.dim %D, 1 : !tile.view<?x?xf32>
  %a0 = tile.subview %A[%rows, 0] [%rows, %K] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %d0 = tile.subview %D[%rows, 0] [%rows, %N] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d0 : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %a0[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d0[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
