// O = softmax(Q K^T) V for one head and whole blocks of keys: what the plan
// @attention computes, in the same order of operations.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @attention(%q: !tile.view<?x64xbf16>, %k: !tile.view<?x64xbf16>,
                       %v: !tile.view<?x64xbf16>, %o: !tile.view<?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %no_scores = arith.constant dense<0.0> : tensor<128x128xf32>
  %no_output = arith.constant dense<0.0> : tensor<128x64xf32>
  %no_sum = arith.constant dense<0.0> : tensor<128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %rows = tile.dim %q, 0 : !tile.view<?x64xbf16>
  %keys = tile.dim %k, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%rows] {
    %qt = tile.load %q[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %last:3 = scf.for %j = %c0 to %keys step %c128 iter_args(%max = %lowest, %acc = %no_output, %sum = %no_sum)
        -> (tensor<128xf32>, tensor<128x64xf32>, tensor<128xf32>) {
      %kt = tile.load %k[%j, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
      %vt = tile.load %v[%j, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
      %s = tile.mma %qt, %kt, %no_scores : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      %row = tile.reduce maximumf %s axis 1 : tensor<128x128xf32> -> tensor<128xf32>
      %new = arith.maximumf %max, %row : tensor<128xf32>
      %column = tile.expand_dims %new axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
      %shifted = arith.subf %s, %wide : tensor<128x128xf32>
      %e = math.exp %shifted : tensor<128x128xf32>
      %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xbf16>
      %step = arith.subf %max, %new : tensor<128xf32>
      %scale = math.exp %step : tensor<128xf32>
      %add = tile.reduce addf %e axis 1 : tensor<128x128xf32> -> tensor<128xf32>
      %vk = tile.transpose %vt [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
      %t = tile.mma %p, %vk, %no_output : tensor<128x128xbf16>, tensor<64x128xbf16> -> tensor<128x64xf32>
      %scale_column = tile.expand_dims %scale axis 1 : tensor<128xf32> -> tensor<128x1xf32>
      %scale_wide = tile.broadcast %scale_column : tensor<128x1xf32> -> tensor<128x64xf32>
      %old = arith.mulf %acc, %scale_wide : tensor<128x64xf32>
      %new_acc = arith.addf %old, %t : tensor<128x64xf32>
      %old_sum = arith.mulf %sum, %scale : tensor<128xf32>
      %new_sum = arith.addf %old_sum, %add : tensor<128xf32>
      scf.yield %new, %new_acc, %new_sum : tensor<128xf32>, tensor<128x64xf32>, tensor<128xf32>
    }
    %column = tile.expand_dims %last#2 axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %wide = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x64xf32>
    %scaled = arith.divf %last#1, %wide : tensor<128x64xf32>
    %t = arith.truncf %scaled : tensor<128x64xf32> to tensor<128x64xbf16>
    tile.store %t, %o[%m, 0] : tensor<128x64xbf16>, !tile.view<?x64xbf16>
  }
}
