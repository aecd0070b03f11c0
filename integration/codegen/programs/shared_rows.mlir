// Two warp groups have 128 rows of tensor memory each: an operand that threads write there, and sums that they read.
tile.kernel @shared_rows(%A: !tile.view<?x?xi8>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) attributes {tile.schedule = #tile.schedule<warps = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  tile.for_each (%m, %n) tiles [256, 64] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<256x64xf32>) {
      %i = tile.load %A[%m, %k] : !tile.view<?x?xi8> -> tensor<256x64xi8>
      %a = arith.sitofp %i : tensor<256x64xi8> to tensor<256x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<256x64xbf16>, tensor<64x64xbf16> -> tensor<256x64xf32>
      scf.yield %t : tensor<256x64xf32>
    }
    %most = tile.reduce maximumf %acc axis 1 : tensor<256x64xf32> -> tensor<256xf32>
    %column = tile.expand_dims %most axis 1 : tensor<256xf32> -> tensor<256x1xf32>
    %all = tile.broadcast %column : tensor<256x1xf32> -> tensor<256x64xf32>
    %d = arith.subf %acc, %all : tensor<256x64xf32>
    tile.store %d, %D[%m, %n] : tensor<256x64xf32>, !tile.view<?x?xf32>
  }
}
