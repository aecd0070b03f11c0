// D_g = A_g B_g^T for every group g. Each group has rows of A and a matrix B of its
// own, and sums over a K of its own: the trip count of the loop over k differs
// from item to item, and every role reads it for itself.
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

tile.kernel @grouped_gemm_k(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?x?xbf16>,
                            %offsets: !tile.view<?xi32>, %depths: !tile.view<?xi32>,
                            %D: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %groups = tile.dim %B, 0 : !tile.view<?x?x?xbf16>
  %N = tile.dim %B, 1 : !tile.view<?x?x?xbf16>
  tile.for_each (%g) tiles [1] of [%groups] {
    %g1 = arith.addi %g, %c1 : index
    %begin32 = tile.load %offsets[%g] : !tile.view<?xi32> -> i32
    %end32 = tile.load %offsets[%g1] : !tile.view<?xi32> -> i32
    %depth32 = tile.load %depths[%g] : !tile.view<?xi32> -> i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %depth = arith.index_cast %depth32 : i32 to index
    %rows = arith.subi %end, %begin : index
    %Ag = tile.subview %A[%begin, 0] [%rows, %depth] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    %Dg = tile.subview %D[%begin, 0] [%rows, %N] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
    tile.for_each (%m, %n) tiles [128, 128] of %Dg : !tile.view<?x?xbf16> {
      %acc = scf.for %k = %c0 to %depth step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
        %a = tile.load %Ag[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
        %b = tile.load %B[%g, %n, %k] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
        %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
        scf.yield %t : tensor<128x128xf32>
      }
      %d = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
      tile.store %d, %Dg[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
    }
  }
}
