// Functions that have no instruction close to them. As functions.mlir.

tile.kernel @more_functions(%X: !tile.view<?x?xf32>, %sin: !tile.view<?x?xf32>,
                            %cos: !tile.view<?x?xf32>, %expm1: !tile.view<?x?xf32>,
                            %log1p: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %0 = math.sin %x : tensor<8x256xf32>
    tile.store %0, %sin[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %1 = math.cos %x : tensor<8x256xf32>
    tile.store %1, %cos[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %2 = math.expm1 %x : tensor<8x256xf32>
    tile.store %2, %expm1[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %3 = math.log1p %x : tensor<8x256xf32>
    tile.store %3, %log1p[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
  }
}
