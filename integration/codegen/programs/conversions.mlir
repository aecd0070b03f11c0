// Numbers of f32 in every shorter type, and back from there: the sum of the five
// shows that each was read as what it is.

tile.kernel @conversions(%X: !tile.view<?x?xf32>, %e4m3: !tile.view<?x?xf8E4M3FN>,
                         %e5m2: !tile.view<?x?xf8E5M2>, %half: !tile.view<?x?xf16>,
                         %brain: !tile.view<?x?xbf16>, %whole: !tile.view<?x?xi32>,
                         %sum: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [32, 128] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %a = arith.truncf %x : tensor<32x128xf32> to tensor<32x128xf8E4M3FN>
    tile.store %a, %e4m3[%m, %n] : tensor<32x128xf8E4M3FN>, !tile.view<?x?xf8E4M3FN>
    %b = arith.truncf %x : tensor<32x128xf32> to tensor<32x128xf8E5M2>
    tile.store %b, %e5m2[%m, %n] : tensor<32x128xf8E5M2>, !tile.view<?x?xf8E5M2>
    %c = arith.truncf %x : tensor<32x128xf32> to tensor<32x128xf16>
    tile.store %c, %half[%m, %n] : tensor<32x128xf16>, !tile.view<?x?xf16>
    %d = arith.truncf %x : tensor<32x128xf32> to tensor<32x128xbf16>
    tile.store %d, %brain[%m, %n] : tensor<32x128xbf16>, !tile.view<?x?xbf16>
    %e = arith.fptosi %x : tensor<32x128xf32> to tensor<32x128xi32>
    tile.store %e, %whole[%m, %n] : tensor<32x128xi32>, !tile.view<?x?xi32>
    %a32 = arith.extf %a : tensor<32x128xf8E4M3FN> to tensor<32x128xf32>
    %b32 = arith.extf %b : tensor<32x128xf8E5M2> to tensor<32x128xf32>
    %c32 = arith.extf %c : tensor<32x128xf16> to tensor<32x128xf32>
    %d32 = arith.extf %d : tensor<32x128xbf16> to tensor<32x128xf32>
    %e32 = arith.sitofp %e : tensor<32x128xi32> to tensor<32x128xf32>
    %ab = arith.addf %a32, %b32 : tensor<32x128xf32>
    %cd = arith.addf %c32, %d32 : tensor<32x128xf32>
    %abcd = arith.addf %ab, %cd : tensor<32x128xf32>
    %all = arith.addf %abcd, %e32 : tensor<32x128xf32>
    tile.store %all, %sum[%m, %n] : tensor<32x128xf32>, !tile.view<?x?xf32>
  }
}
