// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// A transpose of what an MMA reads is a bit of the instruction descriptor
// and another matrix descriptor: no code moves an element.

// MN-major: panels of 64 columns are copies of their own, and 16 rows
// of k are one instruction, 2048 bytes (128 units) after the last one.
// 136414352 = 128 rows, 128 columns, both transposed, bf16, f32 sums. The
// leading distance is 64 rows x 128 bytes = 512 units, in the low half of the
// descriptor, which has the address; the stride is 64 units. A slot has two
// tiles of 16 KiB: 2048 units.
// CHECK-LABEL: llvm.func @transposed(
// CHECK-SAME:  #agent.parameter<map, argument = 0, box = [64, 64], swizzle = 128, atom = 16>, #agent.parameter<map, argument = 1, box = [64, 64], swizzle = 128, atom = 16>
// CHECK-COUNT-4: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK:       %[[LOW:.*]] = arith.addi %{{.*}}, %c33554432_i32
// CHECK-NEXT:  %[[FIRST:.*]] = llvm.inline_asm "mov.b32 $0, $1;", "=r,r" %[[LOW]]
// CHECK:       %[[UNITS:.*]] = arith.muli %{{.*}}, %c2048_i32
// CHECK-NEXT:  %[[NOW:.*]] = arith.addi %[[FIRST]], %[[UNITS]]
// CHECK:       %[[WIDE:.*]] = arith.extui %[[NOW]] : i32 to i64
// CHECK:       arith.ori %[[WIDE]], %c4611756662049472512_i64
// CHECK:       nvvm.tcgen05.mma {{.*}}, %c136414352_i32, {{.*}} kind = #nvvm.tcgen05_mma_kind<f16>
// CHECK:       arith.addi %{{.*}}, %c128_i64
// CHECK:       nvvm.tcgen05.mma {{.*}}, %c136414352_i32, %true
tile.kernel @transposed(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 0 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %0 = tile.load %A[%k, %m] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
      %1 = tile.load %B[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
      %a = tile.transpose %0 [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %b = tile.transpose %1 [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// N-major TF32 has a swizzle of its own.
// CHECK-LABEL: llvm.func @words(
// CHECK-SAME:  #agent.parameter<map, argument = 0, box = [32, 128], swizzle = 128, atom = 16>, #agent.parameter<map, argument = 1, box = [32, 32], swizzle = 128, atom = 32>
// CHECK:       nvvm.tcgen05.mma {{.*}} kind = #nvvm.tcgen05_mma_kind<tf32>
tile.kernel @words(%A: !tile.view<?x?xf32>, %B: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 64] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c32 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf32> -> tensor<128x32xf32>
      %1 = tile.load %B[%k, %n] : !tile.view<?x?xf32> -> tensor<32x64xf32>
      %b = tile.transpose %1 [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
      %t = tile.mma %a, %b, %s tf32 : tensor<128x32xf32>, tensor<64x32xf32> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
