// The three plans of a matrix product with an epilogue, from one program.
// RUN: sed 's/TARGET/sm_90a/; s/ROLES/single/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes))' | FileCheck %s --check-prefix=SINGLE
// RUN: sed 's/TARGET/sm_90a/; s/ROLES/multi/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed 's/TARGET/sm_100a/; s/ROLES/multi/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes))' | FileCheck %s --check-prefix=BLACKWELL

// SINGLE: agent.items static %{{.*}} of %{{.*}} -> (index, index)
// SINGLE: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
// SINGLE: agent.pipe "output" slots(2) smem : (tensor<128x64xbf16>)
// SINGLE: agent.switch
// SINGLE: agent.role @operand_load warps(1)
// SINGLE: agent.for_each_item
// SINGLE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// SINGLE: agent.produce %operands{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
// SINGLE: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// SINGLE: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
// SINGLE: agent.yield
// SINGLE: agent.role @compute warps(8)
// SINGLE: agent.for_each_item
// SINGLE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128x256xf32>)
// SINGLE: agent.consume %operands{{.*}} lag(1) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32>
// SINGLE: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
// SINGLE: agent.yield
// SINGLE: scf.yield %{{.*}} : tensor<128x256xf32>
// SINGLE: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// SINGLE: arith.addi %{{.*}}, %{{.*}} : index
// SINGLE: tensor.extract_slice %{{.*}}[0, %{{.*}}] [128, 64] [1, 1] : tensor<128x256xf32> to tensor<128x64xf32>
// SINGLE: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// SINGLE: arith.extf %{{.*}} : tensor<128x64xbf16> to tensor<128x64xf32>
// SINGLE: arith.addf %{{.*}}, %{{.*}} : tensor<128x64xf32>
// SINGLE: arith.truncf %{{.*}} : tensor<128x64xf32> to tensor<128x64xbf16>
// SINGLE: agent.produce %output{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>>
// SINGLE: agent.yield
// SINGLE: agent.consume %output{{.*}} lag(1) : !agent.pipe<smem, tensor<128x64xbf16>>
// SINGLE: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<128x64xbf16>, !tile.view<?x?xbf16>

// HOPPER: agent.items static %{{.*}} of %{{.*}} -> (index, index)
// HOPPER: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
// HOPPER: agent.pipe "bias" slots(2) smem : (tensor<128x64xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<128x64xbf16>)
// HOPPER: agent.switch
// HOPPER: agent.role @operand_load warps(1)
// HOPPER: agent.for_each_item
// HOPPER: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// HOPPER: agent.produce %operands{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
// HOPPER: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// HOPPER: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
// HOPPER: agent.yield
// HOPPER: agent.role @epilogue_load warps(1)
// HOPPER: agent.for_each_item
// HOPPER: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// HOPPER: arith.addi %{{.*}}, %{{.*}} : index
// HOPPER: agent.produce %bias{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>>
// HOPPER: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// HOPPER: agent.yield
// HOPPER: agent.role @compute warps(8)
// HOPPER: agent.for_each_item
// HOPPER: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128x256xf32>)
// HOPPER: agent.consume %operands{{.*}} lag(1) : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32>
// HOPPER: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
// HOPPER: agent.yield
// HOPPER: scf.yield %{{.*}} : tensor<128x256xf32>
// HOPPER: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// HOPPER: arith.addi %{{.*}}, %{{.*}} : index
// HOPPER: tensor.extract_slice %{{.*}}[0, %{{.*}}] [128, 64] [1, 1] : tensor<128x256xf32> to tensor<128x64xf32>
// HOPPER: agent.consume %bias{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>> -> tensor<128x64xf32>
// HOPPER: arith.extf %{{.*}} : tensor<128x64xbf16> to tensor<128x64xf32>
// HOPPER: agent.yield
// HOPPER: arith.addf %{{.*}}, %{{.*}} : tensor<128x64xf32>
// HOPPER: arith.truncf %{{.*}} : tensor<128x64xf32> to tensor<128x64xbf16>
// HOPPER: agent.produce %output{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>>
// HOPPER: agent.yield
// HOPPER: agent.consume %output{{.*}} lag(1) : !agent.pipe<smem, tensor<128x64xbf16>>
// HOPPER: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<128x64xbf16>, !tile.view<?x?xbf16>

// BLACKWELL: agent.items static %{{.*}} of %{{.*}} -> (index, index)
// BLACKWELL: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
// BLACKWELL: agent.pipe "bias" slots(2) smem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "output" slots(2) smem : (tensor<128x64xbf16>)
// BLACKWELL: agent.switch
// BLACKWELL: agent.role @operand_load warps(1)
// BLACKWELL: agent.for_each_item
// BLACKWELL: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// BLACKWELL: agent.produce %operands{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>>
// BLACKWELL: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// BLACKWELL: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
// BLACKWELL: agent.yield
// BLACKWELL: agent.role @epilogue_load warps(1)
// BLACKWELL: agent.for_each_item
// BLACKWELL: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// BLACKWELL: arith.addi %{{.*}}, %{{.*}} : index
// BLACKWELL: agent.produce %bias{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>>
// BLACKWELL: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// BLACKWELL: agent.yield
// BLACKWELL: agent.role @mma warps(1)
// BLACKWELL: agent.for_each_item
// BLACKWELL: agent.produce %result{{.*}} : !agent.pipe<tmem, tensor<128x256xf32>>
// BLACKWELL: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<128x256xf32>)
// BLACKWELL: agent.consume %operands{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>, tensor<256x64xbf16>> -> tensor<128x256xf32>
// BLACKWELL: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
// BLACKWELL: agent.yield
// BLACKWELL: scf.yield %{{.*}} : tensor<128x256xf32>
// BLACKWELL: agent.yield
// BLACKWELL: agent.role @epilogue warps(4)
// BLACKWELL: agent.for_each_item
// BLACKWELL: agent.consume %result{{.*}} : !agent.pipe<tmem, tensor<128x256xf32>>
// BLACKWELL: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}
// BLACKWELL: arith.addi %{{.*}}, %{{.*}} : index
// BLACKWELL: tensor.extract_slice %{{.*}}[0, %{{.*}}] [128, 64] [1, 1] : tensor<128x256xf32> to tensor<128x64xf32>
// BLACKWELL: agent.consume %bias{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>> -> tensor<128x64xf32>
// BLACKWELL: arith.extf %{{.*}} : tensor<128x64xbf16> to tensor<128x64xf32>
// BLACKWELL: agent.yield
// BLACKWELL: arith.addf %{{.*}}, %{{.*}} : tensor<128x64xf32>
// BLACKWELL: arith.truncf %{{.*}} : tensor<128x64xf32> to tensor<128x64xbf16>
// BLACKWELL: agent.produce %output{{.*}} : !agent.pipe<smem, tensor<128x64xbf16>>
// BLACKWELL: agent.yield
// BLACKWELL: agent.consume %output{{.*}} lag(1) : !agent.pipe<smem, tensor<128x64xbf16>>
// BLACKWELL: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<128x64xbf16>, !tile.view<?x?xbf16>

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
