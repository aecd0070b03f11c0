// An output on the bytes of the operands: a product reads slots of a pipe that
// its role holds, although another pipe, which it doesn't hold, has the same bytes.
// RUN: compare-protocol %s --arch sm_90a | FileCheck %s
// RUN: drawloom explain %s --arch sm_90a | FileCheck %s --check-prefix=PLAN

// CHECK: plan and PTX agree for 1 kernel
// PLAN: on the bytes of 'operands'

tile.kernel @gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>)
    attributes {tile.schedule = #tile.schedule<persistent = none>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %d = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}
