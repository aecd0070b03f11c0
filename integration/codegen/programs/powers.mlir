// Powers, with bases and exponents of all kinds. As functions.mlir.

tile.kernel @powers(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>, %Z: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %y = tile.load %Y[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %z = math.powf %x, %y : tensor<8x256xf32>
    tile.store %z, %Z[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
  }
}
