// Two warp groups share the columns of tensor memory: an operand that threads write there, and sums that they read.
tile.kernel @shared_columns(%A: !tile.view<?x?xi8>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.schedule = #tile.schedule<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %i = tile.load %A[%m, %k] : !tile.view<?x?xi8> -> tensor<128x64xi8>
      %a = arith.sitofp %i : tensor<128x64xi8> to tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %most = tile.reduce maximumf %acc axis 1 : tensor<128x128xf32> -> tensor<128xf32>
    %column = tile.expand_dims %most axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %all = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %d = arith.subf %acc, %all : tensor<128x128xf32>
    tile.store %d, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
