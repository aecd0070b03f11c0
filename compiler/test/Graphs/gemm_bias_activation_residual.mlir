// A vector is read in place, a matrix has a role and a pipe of its own.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %S/../../../examples/gemm_bias_activation_residual.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %S/../../../examples/gemm_bias_activation_residual.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

// HOPPER: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
// HOPPER: agent.pipe "residual" slots(2) smem : (tensor<128x256xbf16>)
// HOPPER: agent.role @operand_load warps(1)
// HOPPER: agent.produce %operands{{.*}}
// HOPPER: agent.role @epilogue_load warps(1)
// HOPPER: agent.produce %residual{{.*}}
// HOPPER: agent.role @compute warps(8)
// HOPPER: agent.consume %operands{{.*}}lag(1)
// HOPPER: agent.consume %residual{{.*}}

// BLACKWELL: agent.pipe "operands" slots(4) smem : (tensor<128x64xbf16>, tensor<256x64xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x256xf32>)
// BLACKWELL: agent.pipe "residual" slots(2) smem : (tensor<128x256xbf16>)
// BLACKWELL: agent.role @operand_load warps(1)
// BLACKWELL: agent.produce %operands{{.*}}
// BLACKWELL: agent.role @epilogue_load warps(1)
// BLACKWELL: agent.produce %residual{{.*}}
// BLACKWELL: agent.role @mma warps(1)
// BLACKWELL: agent.produce %result{{.*}}
// BLACKWELL: agent.consume %operands{{.*}}
// BLACKWELL: agent.role @epilogue warps(4)
// BLACKWELL: agent.consume %result{{.*}}
// BLACKWELL: agent.consume %residual{{.*}}
