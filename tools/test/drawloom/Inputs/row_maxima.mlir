tile.kernel @row_maxima(%X: !tile.view<?x4096xf32>, %M: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1]>} {
  %rows = tile.dim %X, 0 : !tile.view<?x4096xf32>
  tile.for_each (%m) tiles [4] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x4096xf32> -> tensor<4x4096xf32>
    %max = tile.reduce maxnumf %x axis 1 : tensor<4x4096xf32> -> tensor<4xf32>
    tile.store %max, %M[%m] : tensor<4xf32>, !tile.view<?xf32>
  }
}
