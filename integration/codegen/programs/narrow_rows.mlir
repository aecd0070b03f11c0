// Rows of 48 bytes, which are no multiple of a swizzle's 32, added to what
// threads copy.
tile.kernel @narrow_rows(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16, strides = [?, 1]>,
                         %D: !tile.view<?x?xbf16>) {
  tile.for_each (%m, %n) tiles [64, 24] of %D : !tile.view<?x?xbf16> {
    %a = tile.load %A[%m, %n] : !tile.view<?x?xbf16> -> tensor<64x24xbf16>
    %b = tile.load %B[%m, %n] : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<64x24xbf16>
    %d = arith.addf %a, %b : tensor<64x24xbf16>
    tile.store %d, %D[%m, %n] : tensor<64x24xbf16>, !tile.view<?x?xbf16>
  }
}
