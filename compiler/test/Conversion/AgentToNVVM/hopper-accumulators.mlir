// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// The accumulator of the outer loop is waited for where the inner one begins, and
// is in other registers then. So it is done before the iteration ends, where these
// are copied.

// CHECK-LABEL: llvm.func @nested(
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Amov.b32
// CHECK:       scf.for {{.*}}vector<32xf32>)
// CHECK:       wgmma.mma_async
// CHECK:       scf.yield {{.*}}vector<32xf32>
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Amov.b32
// CHECK:       wgmma.mma_async{{.*}}, {a0, a1, a2, a3}, db
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Amov.b32
// CHECK:       scf.yield {{.*}}vector<32xf32>
tile.kernel @nested(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  %L = tile.dim %B, 0 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %r = scf.for %l = %c0 to %L step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %p = scf.for %k = %c0 to %K step %c64 iter_args(%u = %zero) -> (tensor<64x64xf32>) {
        %x = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
        %y = tile.load %B[%l, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
        %t = tile.mma %x, %y, %u : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %t : tensor<64x64xf32>
      }
      %p16 = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      %c = tile.load %C[%n, %l] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %q = tile.mma %p16, %c, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      scf.yield %q : tensor<64x64xf32>
    }
    tile.store %r, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// Another MMA goes on with the first one's accumulator, and it is stored, too:
// it is done before it is copied for the second.

// CHECK-LABEL: llvm.func @second_use(
// CHECK:       setp.ne.b32 first, 0, 0{{.*}}wgmma.mma_async
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Amov.b32
// CHECK:       setp.ne.b32 first, 1, 0{{.*}}wgmma.mma_async
// CHECK:       wgmma.wait_group.sync.aligned 0;\0Amov.b32
tile.kernel @second_use(%A: !tile.view<?x64xbf16>, %B: !tile.view<?x64xbf16>, %C: !tile.view<?x64xbf16>, %D: !tile.view<?x?xf32>, %E: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %x = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %y = tile.load %B[%n, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %z = tile.load %C[%n, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %p = tile.mma %x, %y, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %q = tile.mma %x, %z, %p : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    tile.store %q, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %p, %E[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
