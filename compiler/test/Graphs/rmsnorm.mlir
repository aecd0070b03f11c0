// No product at all: two loops beside each other, so two roles that load.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %S/../../../examples/rmsnorm.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %S/../../../examples/rmsnorm.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

// HOPPER: agent.pipe "X" slots(4) smem : (tensor<8x1024xbf16>)
// HOPPER: agent.pipe "X_1" slots(4) smem : (tensor<8x1024xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<8x1024xbf16>)
// HOPPER: agent.role @load warps(1)
// HOPPER: agent.produce %X_1{{.*}}
// HOPPER: agent.role @load_1 warps(1)
// HOPPER: agent.produce %X_1{{.*}}
// HOPPER: agent.role @compute warps(4)
// HOPPER: agent.consume %X_1{{.*}}
// HOPPER: agent.consume %X_1{{.*}}
// HOPPER: agent.produce %output{{.*}}
// HOPPER: agent.consume %output{{.*}}lag(1)

// BLACKWELL: agent.pipe "X" slots(4) smem : (tensor<8x1024xbf16>)
// BLACKWELL: agent.pipe "X_1" slots(4) smem : (tensor<8x1024xbf16>)
// BLACKWELL: agent.pipe "output" slots(2) smem : (tensor<8x1024xbf16>)
// BLACKWELL: agent.role @load warps(1)
// BLACKWELL: agent.produce %X_1{{.*}}
// BLACKWELL: agent.role @load_1 warps(1)
// BLACKWELL: agent.produce %X_1{{.*}}
// BLACKWELL: agent.role @compute warps(4)
// BLACKWELL: agent.consume %X_1{{.*}}
// BLACKWELL: agent.consume %X_1{{.*}}
// BLACKWELL: agent.produce %output{{.*}}
// BLACKWELL: agent.consume %output{{.*}}lag(1)
