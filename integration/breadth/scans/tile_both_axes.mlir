// A summed-area table.
tile.kernel @tile_both_axes(%X: !tile.view<64x64xf32>, %Y: !tile.view<64x64xf32>) {
  %c1 = arith.constant 1 : index
  tile.for_each (%b) tiles [1] of [%c1] {
    %x = tile.load %X[0, 0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
    %rows = tile.scan addf %x axis 1 : tensor<64x64xf32>
    %both = tile.scan addf %rows axis 0 : tensor<64x64xf32>
    tile.store %both, %Y[0, 0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  }
}
