// Every operation of a work tile belongs to a role, or to none: then each role that
// needs it has its own copy. What comes out is still a tile program.
// RUN: sed 's/TARGET/sm_100a/; s/ROLES/multi/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles))' | FileCheck %s
// RUN: sed 's/TARGET/sm_90a/; s/ROLES/multi/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed 's/TARGET/sm_90a/; s/ROLES/single/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles))' | FileCheck %s --check-prefix=SINGLE

// CHECK: agent.roles = [{{.*}}name = "operand_load", warps = 1{{.*}}name = "epilogue_load", warps = 1{{.*}}name = "mma", warps = 1{{.*}}name = "epilogue", warps = 4
// CHECK:   scf.for
// CHECK:     tile.load %a{{.*}} {agent.owner = @operand_load}
// CHECK:     tile.load %b{{.*}} {agent.owner = @operand_load}
// CHECK:     tile.mma {{.*}} {agent.owner = @mma}
// CHECK:   } {agent.owners = [@mma]}
// CHECK:   scf.for
// CHECK:     arith.addi %{{[^{]*$}}
// CHECK:     tensor.extract_slice {{.*}} {agent.owner = @epilogue}
// CHECK:     tile.load %bias{{.*}} {agent.owner = @epilogue_load}
// CHECK:     arith.addf {{.*}} {agent.owner = @epilogue}
// CHECK:     tile.store {{.*}} {agent.owner = @epilogue}

// HOPPER: name = "operand_load", warps = 1{{.*}}name = "epilogue_load", warps = 1{{.*}}name = "compute", warps = 8
// HOPPER:   tile.mma {{.*}} {agent.owner = @compute}
// HOPPER:   tile.load %bias{{.*}} {agent.owner = @epilogue_load}

// Single: bias belongs to no role, so the one that reads it loads it.
// SINGLE: name = "operand_load", warps = 1{{.*}}name = "compute", warps = 8
// SINGLE:   tile.load %bias[%{{.*}}] : !tile.view

tile.kernel @linear(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>,
                    %bias: !tile.view<?x?xbf16>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "TARGET", tile.schedule = #tile.schedule<roles = ROLES>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    scf.for %j = %c0 to %c256 step %c64 {
      %nj = arith.addi %n, %j : index
      %part = tensor.extract_slice %acc[0, %j] [128, 64] [1, 1] : tensor<128x256xf32> to tensor<128x64xf32>
      %r = tile.load %bias[%m, %nj] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %e = arith.extf %r : tensor<128x64xbf16> to tensor<128x64xf32>
      %f = arith.addf %part, %e : tensor<128x64xf32>
      %o = arith.truncf %f : tensor<128x64xf32> to tensor<128x64xbf16>
      tile.store %o, %d[%m, %nj] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
    }
  }
}
