// Two chained products with a softmax between them, over batches and heads.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %S/../../../examples/attention.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %S/../../../examples/attention.mlir | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL
// With two query tiles interleaved, two roles compute, and both products have K and V from one pipe each.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %S/../../../examples/attention.mlir | drawloom-opt --front-half | FileCheck %s --check-prefix=INTERLEAVE

// HOPPER: agent.pipe "Q" slots(2) smem : (tensor<128x128xbf16>)
// HOPPER: agent.pipe "K" slots(4) smem : (tensor<64x128xbf16>)
// HOPPER: agent.pipe "V" slots(4) smem : (tensor<64x128xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// HOPPER: agent.role @operand_load warps(1)
// HOPPER: agent.produce %Q{{.*}}
// HOPPER: agent.produce %K{{.*}}
// HOPPER: agent.produce %V{{.*}}
// HOPPER: agent.role @compute warps(8)
// HOPPER: agent.consume %Q{{.*}}
// HOPPER: agent.consume %K{{.*}}
// HOPPER: agent.consume %V{{.*}}lag(1)
// HOPPER: agent.produce %output{{.*}}
// HOPPER: agent.consume %output{{.*}}lag(1)

// BLACKWELL: agent.pipe "Q" slots(2) smem : (tensor<128x128xbf16>)
// BLACKWELL: agent.pipe "K" slots(4) smem : (tensor<64x128xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x64xf32>)
// BLACKWELL: agent.pipe "middle" slots(2) smem : (tensor<128xf32>)
// BLACKWELL: agent.pipe "rescaled" slots(1) tmem : (tensor<128x128xf32>)
// BLACKWELL: agent.pipe "middle_1" slots(2) tmem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "V" slots(4) smem : (tensor<64x128xbf16>)
// BLACKWELL: agent.pipe "result_1" slots(1) tmem : (tensor<128x128xf32>)
// BLACKWELL: agent.pipe "middle_2" slots(2) smem : (tensor<128xf32>)
// BLACKWELL: agent.pipe "output" slots(2) smem : (tensor<128x128xbf16>)
// BLACKWELL: agent.role @operand_load warps(1)
// BLACKWELL: agent.produce %Q{{.*}}
// BLACKWELL: agent.produce %K{{.*}}
// BLACKWELL: agent.produce %V{{.*}}
// BLACKWELL: agent.role @mma warps(1)
// BLACKWELL: agent.consume %Q{{.*}}
// BLACKWELL: agent.consume %K{{.*}}
// BLACKWELL: agent.produce %result{{.*}}
// BLACKWELL: agent.role @mma_1 warps(1)
// BLACKWELL: agent.consume %V{{.*}}
// BLACKWELL: agent.consume %rescaled, %middle_1
// BLACKWELL: agent.produce %result_1{{.*}}
// BLACKWELL: agent.role @compute warps(4)
// BLACKWELL: agent.consume %result{{.*}}
// BLACKWELL: agent.produce %middle{{.*}}
// BLACKWELL: agent.produce %middle_1{{.*}}
// BLACKWELL: agent.produce %middle_2{{.*}}
// BLACKWELL: agent.role @correction warps(4)
// BLACKWELL: agent.consume %middle{{.*}}
// BLACKWELL: agent.produce %rescaled{{.*}}
// BLACKWELL: agent.consume %result_1{{.*}}
// BLACKWELL: agent.consume %middle_2{{.*}}
// BLACKWELL: agent.produce %output{{.*}}
// BLACKWELL: agent.consume %output{{.*}}lag(1)

// INTERLEAVE: interleave: 2 tiles
// INTERLEAVE: agent.pipe "K" slots(4) smem
// INTERLEAVE: agent.pipe "V" slots(4) smem
// INTERLEAVE: verdict = #agent.verdict<proved
// INTERLEAVE: agent.role @mma warps(1)
// INTERLEAVE: agent.produce %result by(tensor_core) :
// INTERLEAVE: agent.produce %result_1 by(tensor_core) :
// INTERLEAVE: agent.role @mma_1 warps(1)
// INTERLEAVE: agent.consume %rescaled, %middle_2 as
// INTERLEAVE: agent.consume %rescaled_1, %middle_3 as
// INTERLEAVE: agent.role @compute warps(4)
// INTERLEAVE: agent.role @correction warps(4)
// INTERLEAVE: agent.role @compute_1 warps(4)
