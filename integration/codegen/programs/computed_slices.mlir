// Parts of tiles in registers at places that are computed, in a loop whose bounds are data and in one of many steps; vectors of rows and of columns are combined.
tile.kernel @computed_slices(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>, %Z: !tile.view<?x16xf32>, %V: !tile.view<?xf32>, %parts: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  tile.for_each (%m) tiles [64] of [%M] {
    %x = tile.load %X[%m, 0] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %twice = arith.addf %x, %x : tensor<64x64xf32>
    %rows = tile.reduce addf %twice axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %columns = tile.reduce addf %twice axis 0 : tensor<64x64xf32> -> tensor<64xf32>
    %both = arith.subf %rows, %columns : tensor<64xf32>
    tile.store %both, %V[%m] : tensor<64xf32>, !tile.view<?xf32>
    %down = tile.expand_dims %both axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %all = tile.broadcast %down : tensor<64x1xf32> -> tensor<64x64xf32>
    %y = arith.addf %twice, %all : tensor<64x64xf32>
    tile.store %y, %Y[%m, 0] : tensor<64x64xf32>, !tile.view<?x64xf32>
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    %sum = scf.for %i = %c0 to %parts step %c1 iter_args(%s = %zero) -> (tensor<64x16xf32>) {
      %twice_i = arith.muli %i, %c2 : index
      %at = arith.remui %twice_i, %c16 : index
      %part = tensor.extract_slice %y[0, %at] [64, 16] [1, 1] : tensor<64x64xf32> to tensor<64x16xf32>
      %next = arith.addf %s, %part : tensor<64x16xf32>
      scf.yield %next : tensor<64x16xf32>
    }
    tile.store %sum, %Z[%m, 0] : tensor<64x16xf32>, !tile.view<?x16xf32>
  }
}
