// D = silu(A B^T) * (A C^T): two products share A, and one loop makes both. The
// three operands travel in one pipe, the two results in another.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

// HOPPER: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// HOPPER: agent.role @operand_load warps(1)
// HOPPER: agent.produce %operands{{.*}}
// HOPPER: agent.role @compute warps(8)
// HOPPER: agent.consume %operands{{.*}}lag(1)
// HOPPER: agent.produce %output{{.*}}
// HOPPER: agent.consume %output{{.*}}lag(1)

// BLACKWELL: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<128x64xbf16>, tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x128xf32>, tensor<128x128xf32>)
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

tile.kernel @dual_gemm(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>,
                       %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %x, %y = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %r = %zero)
        -> (tensor<128x128xf32>, tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %c = tile.load %C[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %u = tile.mma %a, %c, %r : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t, %u : tensor<128x128xf32>, tensor<128x128xf32>
    }
    %minus = arith.negf %x : tensor<128x128xf32>
    %e = math.exp %minus : tensor<128x128xf32>
    %below = arith.addf %e, %one : tensor<128x128xf32>
    %silu = arith.divf %x, %below : tensor<128x128xf32>
    %p = arith.mulf %silu, %y : tensor<128x128xf32>
    %d = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}
