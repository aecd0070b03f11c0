// O = softmax(Q K^T) V for one head: two products with a softmax between them. On
// Blackwell a role of its own issues the second product, so that the first one
// runs ahead while the softmax is computed. The sum over V stays in tensor memory,
// where another role rescales it between two products.
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_90a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=HOPPER
// RUN: sed '0,/) {$/s//) attributes {tile.target = "sm_100a"} {/' %s | drawloom-opt --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes,assign-engines,prove-progress))' | FileCheck %s --check-prefix=BLACKWELL

// HOPPER: agent.pipe "Q" slots(2) smem : (tensor<128x64xbf16>)
// HOPPER: agent.pipe "K" slots(4) smem : (tensor<128x64xbf16>)
// HOPPER: agent.pipe "V" slots(4) smem : (tensor<128x64xbf16>)
// HOPPER: agent.pipe "output" slots(2) smem : (tensor<128x64xbf16>)
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

// BLACKWELL: agent.pipe "Q" slots(2) smem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "K" slots(4) smem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "result" slots(2) tmem : (tensor<128x128xf32>)
// BLACKWELL: agent.pipe "middle" slots(2) smem : (tensor<128xf32>)
// BLACKWELL: agent.pipe "rescaled" slots(1) tmem : (tensor<128x64xf32>)
// BLACKWELL: agent.pipe "middle_1" slots(2) tmem : (tensor<128x128xbf16>)
// BLACKWELL: agent.pipe "V" slots(4) smem : (tensor<128x64xbf16>)
// BLACKWELL: agent.pipe "result_1" slots(1) tmem : (tensor<128x64xf32>)
// BLACKWELL: agent.pipe "middle_2" slots(2) smem : (tensor<128xf32>)
// BLACKWELL: agent.pipe "output" slots(2) smem : (tensor<128x64xbf16>)
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

tile.kernel @chained(%Q: !tile.view<?x64xbf16>, %K: !tile.view<?x64xbf16>,
                     %V: !tile.view<?x64xbf16>, %O: !tile.view<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %no_score = arith.constant dense<0.0> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %no_sum = arith.constant dense<0.0> : tensor<128xf32>
  %no_output = arith.constant dense<0.0> : tensor<128x64xf32>
  %rows = tile.dim %Q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %K, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %q = tile.load %Q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %max_end, %sum_end, %out_end = scf.for %j = %c0 to %keys step %c128
        iter_args(%max = %lowest, %sum = %no_sum, %out = %no_output)
        -> (tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>) {
      %k = tile.load %K[%j, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %q, %k, %no_score : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %row = tile.reduce maximumf %s axis 1 : tensor<128x128xf32> -> tensor<128xf32>
      %new = arith.maximumf %max, %row : tensor<128xf32>
      %column = tile.expand_dims %new axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
      %shifted = arith.subf %s, %wide : tensor<128x128xf32>
      %e = math.exp %shifted : tensor<128x128xf32>
      %drop = arith.subf %max, %new : tensor<128xf32>
      %worth = math.exp %drop : tensor<128xf32>
      %part = tile.reduce addf %e axis 1 : tensor<128x128xf32> -> tensor<128xf32>
      %old_sum = arith.mulf %sum, %worth : tensor<128xf32>
      %new_sum = arith.addf %old_sum, %part : tensor<128xf32>
      %worths = tile.expand_dims %worth axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %worth_tile = tile.broadcast %worths : tensor<128x1xf32> -> tensor<128x64xf32>
      %old = arith.mulf %out, %worth_tile : tensor<128x64xf32>
      %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %v = tile.load %V[%j, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
      %vt = tile.transpose %v [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
      %next = tile.mma %p, %vt, %old : tensor<128x128xbf16>, tensor<64x128xbf16> -> tensor<128x64xf32>
      scf.yield %new, %new_sum, %next : tensor<128xf32>, tensor<128xf32>, tensor<128x64xf32>
    }
    %column = tile.expand_dims %sum_end axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
    %scaled = arith.divf %out_end, %wide : tensor<128x64xf32>
    %o = arith.truncf %scaled : tensor<128x64xf32> to tensor<128x64xbf16>
    tile.store %o, %O[%m, 0] : tensor<128x64xbf16>, !tile.view<?x64xbf16>
  }
}
