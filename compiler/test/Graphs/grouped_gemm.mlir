// Groups with rows of their own are one stream of work tiles.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %S/../../../examples/grouped_gemm.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %S/../../../examples/grouped_gemm.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

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
