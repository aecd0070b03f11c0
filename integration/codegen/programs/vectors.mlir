// Everything that is not a product, on tiles of 64 x 128: a mask of iotas, a
// bias by column, sums of columns, maxima of rows and the sum of the tile.

tile.kernel @vectors(%X: !tile.view<?x?xf32>, %bias: !tile.view<?xf32>,
                     %Y: !tile.view<?x?xf32>, %sums: !tile.view<?x?xf32>,
                     %largest: !tile.view<?x?xf32>, %totals: !tile.view<?x?xf32>) {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %low = arith.constant dense<0xFF800000> : tensor<64x128xf32>
  %rows = tile.iota : tensor<64xi32>
  %columns = tile.iota : tensor<128xi32>
  %row_column = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %row_numbers = tile.broadcast %row_column : tensor<64x1xi32> -> tensor<64x128xi32>
  %column_row = tile.expand_dims %columns axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column_numbers = tile.broadcast %column_row : tensor<1x128xi32> -> tensor<64x128xi32>
  %kept = arith.cmpi sle, %column_numbers, %row_numbers : tensor<64x128xi32>
  %M = tile.dim %X, 0 : !tile.view<?x?xf32>
  %N = tile.dim %X, 1 : !tile.view<?x?xf32>
  %M32 = arith.index_cast %M : index to i32
  %N32 = arith.index_cast %N : index to i32
  tile.for_each (%m, %n) tiles [64, 128] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<64x128xf32>
    %b = tile.load %bias[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %b_row = tile.expand_dims %b axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %b_all = tile.broadcast %b_row : tensor<1x128xf32> -> tensor<64x128xf32>
    %biased = arith.addf %x, %b_all : tensor<64x128xf32>
    %y = arith.select %kept, %biased, %zero : tensor<64x128xi1>, tensor<64x128xf32>
    tile.store %y, %Y[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32>
    %n32 = arith.index_cast %n : index to i32
    %left = arith.subi %N32, %n32 : i32
    %lefts = tensor.splat %left : tensor<64x128xi32>
    %inside = arith.cmpi slt, %column_numbers, %lefts : tensor<64x128xi32>
    %bounded = arith.select %inside, %y, %low : tensor<64x128xi1>, tensor<64x128xf32>
    %max = tile.reduce maximumf %bounded axis 1 : tensor<64x128xf32> -> tensor<64xf32>
    %tile_n = arith.divui %n, %c128 : index
    tile.store %max, %largest[%tile_n, %m] : tensor<64xf32>, !tile.view<?x?xf32>
    %m32 = arith.index_cast %m : index to i32
    %up = arith.subi %M32, %m32 : i32
    %ups = tensor.splat %up : tensor<64x128xi32>
    %above = arith.cmpi slt, %row_numbers, %ups : tensor<64x128xi32>
    %held = arith.select %above, %y, %zero : tensor<64x128xi1>, tensor<64x128xf32>
    %sum = tile.reduce addf %held axis 0 : tensor<64x128xf32> -> tensor<128xf32>
    %tile_m = arith.divui %m, %c64 : index
    tile.store %sum, %sums[%tile_m, %n] : tensor<128xf32>, !tile.view<?x?xf32>
    %total = tile.reduce addf %sum axis 0 : tensor<128xf32> -> f32
    tile.store %total, %totals[%tile_m, %tile_n] : f32, !tile.view<?x?xf32>
  }
}
