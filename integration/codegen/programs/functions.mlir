// One output for each function that code generation writes down itself. A CTA
// takes rows of 256 numbers, eight at a time.

tile.kernel @functions(%X: !tile.view<?x?xf32>, %exp: !tile.view<?x?xf32>,
                       %exp2: !tile.view<?x?xf32>, %log: !tile.view<?x?xf32>,
                       %log2: !tile.view<?x?xf32>, %tanh: !tile.view<?x?xf32>,
                       %erf: !tile.view<?x?xf32>, %rsqrt: !tile.view<?x?xf32>,
                       %sqrt: !tile.view<?x?xf32>, %third: !tile.view<?x?xf32>) {
  %three = arith.constant dense<3.0> : tensor<8x256xf32>
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %0 = math.exp %x : tensor<8x256xf32>
    tile.store %0, %exp[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %1 = math.exp2 %x : tensor<8x256xf32>
    tile.store %1, %exp2[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %2 = math.log %x : tensor<8x256xf32>
    tile.store %2, %log[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %3 = math.log2 %x : tensor<8x256xf32>
    tile.store %3, %log2[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %4 = math.tanh %x : tensor<8x256xf32>
    tile.store %4, %tanh[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %5 = math.erf %x : tensor<8x256xf32>
    tile.store %5, %erf[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %6 = math.rsqrt %x : tensor<8x256xf32>
    tile.store %6, %rsqrt[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %7 = math.sqrt %x : tensor<8x256xf32>
    tile.store %7, %sqrt[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %8 = arith.divf %x, %three : tensor<8x256xf32>
    tile.store %8, %third[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
  }
}
