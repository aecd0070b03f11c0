// D = A B^T, and next to it the sums of the rows of each tile of D. A second
// output of another rank: it is stored by the threads that reduced it.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

// HOPPER: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// HOPPER: agent.role @operand_load warps(1)
// HOPPER: agent.produce %operands{{.*}}
// HOPPER: agent.role @compute warps(8)
// HOPPER: agent.consume %operands{{.*}}lag(1)
// HOPPER: agent.produce %output{{.*}}
// HOPPER: agent.consume %output{{.*}}lag(1)

// BLACKWELL: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x128xf32>)
// BLACKWELL: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// BLACKWELL: agent.role @operand_load warps(1)
// BLACKWELL: agent.produce %operands{{.*}}
// BLACKWELL: agent.role @mma warps(1)
// BLACKWELL: agent.produce %result{{.*}}
// BLACKWELL: agent.consume %operands{{.*}}
// BLACKWELL: agent.role @epilogue warps(4)
// BLACKWELL: agent.consume %result{{.*}}
// BLACKWELL: agent.produce %output{{.*}}
// BLACKWELL: agent.consume %output{{.*}}lag(1)

tile.kernel @gemm_row_sum(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>,
                          %D: !tile.view<?x?xbf16>, %sums: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %sum = tile.reduce addf %acc axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %column = arith.divui %n, %c128 : index
    tile.store %sum, %sums[%column, %m] : tensor<128xf32>, !tile.view<?x?xf32>
    %d = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}
