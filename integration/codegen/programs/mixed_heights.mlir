// Two accumulators of one role: one has 128 rows, and the other 64, which tensor memory holds in half of its lanes.
tile.kernel @mixed_heights(%A: !tile.view<?x64xbf16>, %B: !tile.view<64x64xbf16>, %D: !tile.view<?x64xf32>, %E: !tile.view<64x?xf32>) {
  %M = tile.dim %A, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [128] of [%M] {
    %a = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[0, 0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
    %tall_zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %tall = tile.mma %a, %b, %tall_zero : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
    %flat_zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %flat = tile.mma %b, %a, %flat_zero : tensor<64x64xbf16>, tensor<128x64xbf16> -> tensor<64x128xf32>
    %one = arith.constant dense<1.0> : tensor<128x64xf32>
    %d = arith.addf %tall, %one : tensor<128x64xf32>
    tile.store %d, %D[%m, 0] : tensor<128x64xf32>, !tile.view<?x64xf32>
    %rows = tile.reduce addf %flat axis 0 : tensor<64x128xf32> -> tensor<128xf32>
    %along = tile.expand_dims %rows axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %all = tile.broadcast %along : tensor<1x128xf32> -> tensor<64x128xf32>
    %e = arith.subf %flat, %all : tensor<64x128xf32>
    tile.store %e, %E[0, %m] : tensor<64x128xf32>, !tile.view<64x?xf32>
  }
}
