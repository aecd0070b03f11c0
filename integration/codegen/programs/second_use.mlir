// E = A B^T and D = A B^T + A C^T: an accumulator that goes on and is stored, too.
tile.kernel @second_use(%A: !tile.view<?x64xbf16>, %B: !tile.view<?x64xbf16>, %C: !tile.view<?x64xbf16>, %D: !tile.view<?x?xf32>, %E: !tile.view<?x?xf32>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %x = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %y = tile.load %B[%n, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %z = tile.load %C[%n, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %p = tile.mma %x, %y, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    %q = tile.mma %x, %z, %p : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    tile.store %q, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
    tile.store %p, %E[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
