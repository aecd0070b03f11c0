// D = (A * scale) B^T with A in 8 bits and one scale for each row: A is made by a
// role that computes, on its way from memory to the product. On Blackwell this
// role and the epilogue share nothing, so they are two.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

// HOPPER: agent.pipe "A" slots(4) smem : (tensor<128x64xi8>)
// HOPPER: agent.pipe "B" slots(4) smem : (tensor<128x64xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// HOPPER: agent.role @operand_load warps(1)
// HOPPER: agent.produce %A{{.*}}
// HOPPER: agent.produce %B{{.*}}
// HOPPER: agent.role @compute warps(8)
// HOPPER: agent.consume %A{{.*}}
// HOPPER: agent.consume %B{{.*}}lag(1)
// HOPPER: agent.produce %output{{.*}}
// HOPPER: agent.consume %output{{.*}}lag(1)

// BLACKWELL: agent.pipe "A" slots(4) smem : (tensor<128x64xi8>)
// BLACKWELL: agent.pipe "middle" slots(2) tmem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "B" slots(4) smem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x128xf32>)
// BLACKWELL: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// BLACKWELL: agent.role @operand_load warps(1)
// BLACKWELL: agent.produce %A{{.*}}
// BLACKWELL: agent.produce %B{{.*}}
// BLACKWELL: agent.role @mma warps(1)
// BLACKWELL: agent.produce %result{{.*}}
// BLACKWELL: agent.consume %middle{{.*}}, %B{{.*}}
// BLACKWELL: agent.role @compute warps(4)
// BLACKWELL: agent.consume %A{{.*}}
// BLACKWELL: agent.produce %middle{{.*}}
// BLACKWELL: agent.role @epilogue warps(4)
// BLACKWELL: agent.consume %result{{.*}}
// BLACKWELL: agent.produce %output{{.*}}
// BLACKWELL: agent.consume %output{{.*}}lag(1)

tile.kernel @dequantized(%A: !tile.view<?x?xi8>, %scale: !tile.view<?xf32>,
                         %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a8 = tile.load %A[%m, %k] : !tile.view<?x?xi8> -> tensor<128x64xi8>
      %f = tile.load %scale[%m] : !tile.view<?xf32> -> tensor<128xf32>
      %column = tile.expand_dims %f axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %factors = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
      %a32 = arith.sitofp %a8 : tensor<128x64xi8> to tensor<128x64xf32>
      %scaled = arith.mulf %a32, %factors : tensor<128x64xf32>
      %a = arith.truncf %scaled : tensor<128x64xf32> to tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %d = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}
