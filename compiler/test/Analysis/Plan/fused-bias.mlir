// D = bf16(A B^T + bias) with tiles of 128 by 256 and a bias as large as D, as tile
// text: three kernels for two architectures in one module. The plans, graphs and
// sequence diagrams are compared whole, the reasons where they are made.
// RUN: drawloom explain %s --kernel hopper_single --format text | sed '/^reasons/,$d' | diff %S/Inputs/fused-hopper-single.txt -
// RUN: drawloom explain %s --kernel hopper_single --format mermaid | diff %S/Inputs/fused-hopper-single.graph.mmd -
// RUN: drawloom explain %s --kernel hopper_single --format mermaid --diagram sequence | diff %S/Inputs/fused-hopper-single.sequence.mmd -
// RUN: drawloom explain %s --kernel hopper_single --format dot | diff %S/Inputs/fused-hopper-single.dot -
// RUN: drawloom explain %s --kernel hopper_multi --format text | sed '/^reasons/,$d' | diff %S/Inputs/fused-hopper-multi.txt -
// RUN: drawloom explain %s --kernel hopper_multi --format mermaid | diff %S/Inputs/fused-hopper-multi.graph.mmd -
// RUN: drawloom explain %s --kernel hopper_multi --format mermaid --diagram sequence | diff %S/Inputs/fused-hopper-multi.sequence.mmd -
// RUN: drawloom explain %s --kernel hopper_multi --format dot | diff %S/Inputs/fused-hopper-multi.dot -
// RUN: drawloom explain %s --kernel blackwell_multi --format text | sed '/^reasons/,$d' | diff %S/Inputs/fused-blackwell-multi.txt -
// RUN: drawloom explain %s --kernel blackwell_multi --format mermaid | diff %S/Inputs/fused-blackwell-multi.graph.mmd -
// RUN: drawloom explain %s --kernel blackwell_multi --format mermaid --diagram sequence | diff %S/Inputs/fused-blackwell-multi.sequence.mmd -
// RUN: drawloom explain %s --kernel blackwell_multi --format dot | diff %S/Inputs/fused-blackwell-multi.dot -

// At least four slots of operands fit beside the bias and the output.
// RUN: drawloom explain %s | FileCheck %s
// CHECK: @hopper_single on sm_90a
// CHECK: operands {{ *4}}  smem
// CHECK: @hopper_multi on sm_90a
// CHECK: operands {{ *4}}  smem
// CHECK: @blackwell_multi on sm_100a
// CHECK: operands {{ *4}}  smem

tile.kernel @hopper_single(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                   %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = single>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %sum, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}

tile.kernel @hopper_multi(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                   %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = multi>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %sum, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}

tile.kernel @blackwell_multi(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                   %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<roles = multi>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %sum = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> tensor<128x256xf32> {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %sum, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
