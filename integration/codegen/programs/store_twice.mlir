// Two stores of one work tile to the same place: the second one wins.
tile.kernel @twice(%A: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [64, 64] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %t = arith.addf %a, %a : tensor<64x64xf32>
    tile.store %t, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
    tile.store %a, %D[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
