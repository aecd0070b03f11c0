// Sums of 16 rows, as of a decode step: the MMA computes their transpose. The largest element of a row is in lanes of four warps then.
tile.kernel @few_rows(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %bias: !tile.view<?xf32>, %D: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [16, 128] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<16x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<16x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<16x64xbf16>, tensor<128x64xbf16> -> tensor<16x128xf32>
      scf.yield %t : tensor<16x128xf32>
    }
    %c = tile.load %bias[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %rows = tile.broadcast %row : tensor<1x128xf32> -> tensor<16x128xf32>
    %x = arith.addf %acc, %rows : tensor<16x128xf32>
    %most = tile.reduce maximumf %x axis 1 : tensor<16x128xf32> -> tensor<16xf32>
    %column = tile.expand_dims %most axis 1 : tensor<16xf32> -> tensor<16x1xf32>
    %all = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x128xf32>
    %d = arith.subf %x, %all : tensor<16x128xf32>
    %o = arith.truncf %d : tensor<16x128xf32> to tensor<16x128xbf16>
    tile.store %o, %D[%m, %n] : tensor<16x128xbf16>, !tile.view<?x?xbf16>
  }
}
