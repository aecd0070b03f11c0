// Attention of 16 queries at most, as of a decode step: both MMAs compute their transpose, and what the maximum's growth leaves of the sums is a factor of columns.
tile.kernel @few_queries(%Q: !tile.view<?x?x?x128xbf16>, %K: !tile.view<?x?x?x128xbf16>,
                       %V: !tile.view<?x?x?x128xbf16>, %O: !tile.view<?x?x?x128xbf16>,
                       %scale_log2e: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %no_score = arith.constant dense<0.0> : tensor<16x128xf32>
  %never = arith.constant dense<0xFF800000> : tensor<16x128xf32>
  %max0 = arith.constant dense<0xFF800000> : tensor<16xf32>
  %sum0 = arith.constant dense<0.0> : tensor<16xf32>
  %acc0 = arith.constant dense<0.0> : tensor<16x128xf32>
  %scales = tensor.splat %scale_log2e : tensor<16x128xf32>
  %batch = tile.dim %Q, 0 : !tile.view<?x?x?x128xbf16>
  %rows = tile.dim %Q, 1 : !tile.view<?x?x?x128xbf16>
  %heads = tile.dim %Q, 2 : !tile.view<?x?x?x128xbf16>
  %columns = tile.dim %K, 1 : !tile.view<?x?x?x128xbf16>
  %columns32 = arith.index_cast %columns : index to i32
  %iota = tile.iota : tensor<128xi32>
  tile.for_each (%b, %h, %m) tiles [1, 1, 16] of [%batch, %heads, %rows] {
    %q = tile.load %Q[%b, %m, %h, 0] dims [1, 3] : !tile.view<?x?x?x128xbf16> -> tensor<16x128xbf16>
    %max_end, %sum_end, %acc_end = scf.for %j = %c0 to %columns step %c128
        iter_args(%max = %max0, %sum = %sum0, %acc = %acc0)
        -> (tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>) {
      // Scores of 16 rows and 128 columns.
      %k = tile.load %K[%b, %j, %h, 0] dims [1, 3] : !tile.view<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %qk = tile.mma %q, %k, %no_score : tensor<16x128xbf16>, tensor<128x128xbf16> -> tensor<16x128xf32>
      %scaled = arith.mulf %qk, %scales : tensor<16x128xf32>

      // Minus infinity past the last column.
      %j32 = arith.index_cast %j : index to i32
      %left = arith.subi %columns32, %j32 : i32
      %lefts = tensor.splat %left : tensor<128xi32>
      %inside = arith.cmpi slt, %iota, %lefts : tensor<128xi32>
      %inside_row = tile.expand_dims %inside axis 0 : tensor<128xi1> -> tensor<1x128xi1>
      %mask = tile.broadcast %inside_row : tensor<1x128xi1> -> tensor<16x128xi1>
      %s = arith.select %mask, %scaled, %never : tensor<16x128xi1>, tensor<16x128xf32>

      // The new maximum, and what the old sums are worth under it.
      %s_max = tile.reduce maximumf %s axis 1 : tensor<16x128xf32> -> tensor<16xf32>
      %new_max = arith.maximumf %max, %s_max : tensor<16xf32>
      %drop = arith.subf %max, %new_max : tensor<16xf32>
      %worth = math.exp2 %drop : tensor<16xf32>

      // Probabilities, not yet divided by their sum.
      %max_column = tile.expand_dims %new_max axis 1 : tensor<16xf32> -> tensor<16x1xf32>
      %max_tile = tile.broadcast %max_column : tensor<16x1xf32> -> tensor<16x128xf32>
      %below = arith.subf %s, %max_tile : tensor<16x128xf32>
      %p = math.exp2 %below : tensor<16x128xf32>
      %p_sum = tile.reduce addf %p axis 1 : tensor<16x128xf32> -> tensor<16xf32>
      %old_sum = arith.mulf %sum, %worth : tensor<16xf32>
      %new_sum = arith.addf %old_sum, %p_sum : tensor<16xf32>

      // Add them up over the rows of V.
      %worth_column = tile.expand_dims %worth axis 1 : tensor<16xf32> -> tensor<16x1xf32>
      %worth_tile = tile.broadcast %worth_column : tensor<16x1xf32> -> tensor<16x128xf32>
      %old_acc = arith.mulf %acc, %worth_tile : tensor<16x128xf32>
      %p16 = arith.truncf %p : tensor<16x128xf32> to tensor<16x128xbf16>
      %v = tile.load %V[%b, %j, %h, 0] dims [1, 3] : !tile.view<?x?x?x128xbf16> -> tensor<128x128xbf16>
      %vt = tile.transpose %v [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
      %new_acc = tile.mma %p16, %vt, %old_acc : tensor<16x128xbf16>, tensor<128x128xbf16> -> tensor<16x128xf32>
      scf.yield %new_max, %new_sum, %new_acc : tensor<16xf32>, tensor<16xf32>, tensor<16x128xf32>
    }
    %sum_column = tile.expand_dims %sum_end axis 1 : tensor<16xf32> -> tensor<16x1xf32>
    %sum_tile = tile.broadcast %sum_column : tensor<16x1xf32> -> tensor<16x128xf32>
    %o = arith.divf %acc_end, %sum_tile : tensor<16x128xf32>
    %o16 = arith.truncf %o : tensor<16x128xf32> to tensor<16x128xbf16>
    tile.store %o16, %O[%b, %m, %h, 0] dims [1, 3] : tensor<16x128xbf16>, !tile.view<?x?x?x128xbf16>
  }
}
