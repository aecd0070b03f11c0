// Y = softmax of the rows of X, each row by a cluster of CTAs
//
//   X  rows x 4096, f32        Y  rows x 4096, f32
//
// The schedule gives the cluster one dimension more than the work tiles have.
// Four CTAs take an item together, and each loads, keeps and stores 1024 columns
// of its rows: 32 KiB, where one CTA alone would need 128 KiB. Each hands its
// largest element, and later its sum, to the other three through their shared
// memory, and all combine the four parts in the same order.

tile.kernel @clustered_softmax(%X: !tile.view<?x4096xf32>, %Y: !tile.view<?x4096xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 4]>} {
  %rows = tile.dim %X, 0 : !tile.view<?x4096xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x4096xf32> -> tensor<8x4096xf32>
    %max = tile.reduce maxnumf %x axis 1 : tensor<8x4096xf32> -> tensor<8xf32>
    %maxColumn = tile.expand_dims %max axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %maxima = tile.broadcast %maxColumn : tensor<8x1xf32> -> tensor<8x4096xf32>
    %shifted = arith.subf %x, %maxima : tensor<8x4096xf32>
    %e = math.exp %shifted : tensor<8x4096xf32>
    %sum = tile.reduce addf %e axis 1 : tensor<8x4096xf32> -> tensor<8xf32>
    %sumColumn = tile.expand_dims %sum axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %sums = tile.broadcast %sumColumn : tensor<8x1xf32> -> tensor<8x4096xf32>
    %y = arith.divf %e, %sums : tensor<8x4096xf32>
    tile.store %y, %Y[%m, 0] : tensor<8x4096xf32>, !tile.view<?x4096xf32>
  }
}
