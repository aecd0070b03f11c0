// Functions stored as bf16: where the type hides it, tanh is the hardware's
// approximation, and in a sum it isn't.

tile.kernel @approximations(%X: !tile.view<?x?xf32>, %tanh: !tile.view<?x?xbf16>,
                            %gate: !tile.view<?x?xbf16>, %more: !tile.view<?x?xbf16>) {
  %one = arith.constant dense<1.0> : tensor<8x256xf32>
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %0 = math.tanh %x : tensor<8x256xf32>
    %1 = arith.truncf %0 : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %1, %tanh[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
    %2 = math.tanh %x : tensor<8x256xf32>
    %3 = arith.mulf %x, %2 : tensor<8x256xf32>
    %4 = arith.truncf %3 : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %4, %gate[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
    %5 = math.tanh %x : tensor<8x256xf32>
    %6 = arith.addf %5, %one : tensor<8x256xf32>
    %7 = arith.truncf %6 : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %7, %more[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}
