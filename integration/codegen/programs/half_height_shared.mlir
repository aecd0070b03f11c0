// Two warp groups share the columns of sums of 64 rows.
tile.kernel @half_height_shared(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.schedule = #tile.schedule<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [64, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<64x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xf32>
      scf.yield %t : tensor<64x128xf32>
    }
    %most = tile.reduce maximumf %acc axis 1 : tensor<64x128xf32> -> tensor<64xf32>
    %column = tile.expand_dims %most axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %all = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x128xf32>
    %d = arith.subf %acc, %all : tensor<64x128xf32>
    tile.store %d, %D[%m, %n] : tensor<64x128xf32>, !tile.view<?x?xf32>
  }
}
