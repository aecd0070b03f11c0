// Scans of what is left of a tile's rows and of its columns.
tile.kernel @tile_vectors(%X: !tile.view<96x128xf32>, %R: !tile.view<96xf32>, %C: !tile.view<128xf32>) {
  %c1 = arith.constant 1 : index
  tile.for_each (%b) tiles [1] of [%c1] {
    %x = tile.load %X[0, 0] : !tile.view<96x128xf32> -> tensor<96x128xf32>
    %r = tile.reduce addf %x axis 1 : tensor<96x128xf32> -> tensor<96xf32>
    %c = tile.reduce maximumf %x axis 0 : tensor<96x128xf32> -> tensor<128xf32>
    %rs = tile.scan addf %r axis 0 : tensor<96xf32>
    %cs = tile.scan maximumf %c axis 0 : tensor<128xf32>
    tile.store %rs, %R[0] : tensor<96xf32>, !tile.view<96xf32>
    tile.store %cs, %C[0] : tensor<128xf32>, !tile.view<128xf32>
  }
}
