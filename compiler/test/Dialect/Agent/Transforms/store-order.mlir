// TMA stores in any order, so stores of one work tile that may meet are left to
// the threads. Subtiles of an epilogue, and steps along an output, don't meet.
// RUN: drawloom-opt %s --front-half | FileCheck %s

// CHECK-LABEL: tile.kernel @twice
// CHECK-NOT: agent.pipe "output"
// CHECK: agent.consume {{.*}} by(threads)
tile.kernel @twice(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = arith.addf %x, %x : tensor<64x64xf32>
    tile.store %y, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %x, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// CHECK-LABEL: tile.kernel @overlap
// CHECK-NOT: agent.pipe "output"
tile.kernel @overlap(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c32 = arith.constant 32 : index
  tile.for_each (%m, %n) tiles [64, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = arith.addf %x, %x : tensor<64x64xf32>
    %z = arith.mulf %x, %x : tensor<64x64xf32>
    %next = arith.addi %n, %c32 : index
    tile.store %y, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %z, %d[%m, %next] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// CHECK-LABEL: tile.kernel @beside
// One role stores both, one after the other: through the same slots.
// CHECK: agent.pipe "output"
// CHECK-NOT: agent.pipe "output_1"
tile.kernel @beside(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c64 = arith.constant 64 : index
  tile.for_each (%m, %n) tiles [64, 128] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = arith.addf %x, %x : tensor<64x64xf32>
    %z = arith.mulf %x, %x : tensor<64x64xf32>
    %next = arith.addi %n, %c64 : index
    tile.store %y, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %z, %d[%m, %next] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// The same place in every step.
// CHECK-LABEL: tile.kernel @running
// CHECK-NOT: agent.pipe "output"
tile.kernel @running(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %t = arith.addf %x, %s : tensor<64x64xf32>
      tile.store %t, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
      scf.yield %t : tensor<64x64xf32>
    }
  }
}

// Another place in every step.
// CHECK-LABEL: tile.kernel @walking
// CHECK: agent.pipe "output"
tile.kernel @walking(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xf32>
  %M = tile.dim %a, 0 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      %t = arith.addf %x, %s : tensor<64x64xf32>
      tile.store %t, %d[%m, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
      scf.yield %t : tensor<64x64xf32>
    }
  }
}

// Two loops along one dimension: the inner one fits between the steps of the
// outer one; and it doesn't.
// CHECK-LABEL: tile.kernel @nested
// CHECK: agent.pipe "output"
tile.kernel @nested(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xf32>
  %M = tile.dim %a, 0 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    scf.for %k = %c0 to %K step %c128 {
      scf.for %i = %c0 to %c128 step %c64 {
        %at = arith.addi %k, %i : index
        %x = tile.load %a[%m, %at] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        %t = arith.negf %x : tensor<64x64xf32>
        tile.store %t, %d[%m, %at] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// CHECK-LABEL: tile.kernel @nested_overlap
// CHECK-NOT: agent.pipe "output"
tile.kernel @nested_overlap(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c128 = arith.constant 128 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xf32>
  %M = tile.dim %a, 0 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    scf.for %k = %c0 to %K step %c96 {
      scf.for %i = %c0 to %c128 step %c64 {
        %at = arith.addi %k, %i : index
        %x = tile.load %a[%m, %at] : !tile.view<?x?xf32> -> tensor<64x64xf32>
        %t = arith.negf %x : tensor<64x64xf32>
        tile.store %t, %d[%m, %at] : tensor<64x64xf32>, !tile.view<?x?xf32>
      }
    }
  }
}

// Subtiles of 48 columns, and one of 32.
// CHECK-LABEL: tile.kernel @residual
// CHECK: agent.pipe "output"
// CHECK: agent.pipe "output_1"
tile.kernel @residual(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<epilogue_tile = 48>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
