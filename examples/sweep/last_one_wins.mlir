// A program that is wrong: every work tile stores its tile to the same place,
// and whose tile stays there is chance. A sweep finds it.

tile.kernel @last_one_wins(%x: !tile.view<?x?xf32>, %y: !tile.view<64x64xf32>) {
  %c0 = arith.constant 0 : index
  tile.for_each (%m, %n) tiles [64, 64] of %x : !tile.view<?x?xf32> {
    %t = tile.load %x[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %y[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
  }
}
