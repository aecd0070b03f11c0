// Rows of B go along n, and are 16, 48 and 80 bytes: no swizzle fits, so their
// panels are 16 bytes wide.
tile.kernel @n8(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x8xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 8] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x8xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %0 = tile.load %B[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x8xbf16>
      %b = tile.transpose %0 [1, 0] : tensor<64x8xbf16> -> tensor<8x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<8x64xbf16> -> tensor<128x8xf32>
      scf.yield %t : tensor<128x8xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x8xf32>, !tile.view<?x?xf32>
  }
}
tile.kernel @n48(%A: !tile.view<?x?xf8E4M3FN>, %B: !tile.view<?x?xf8E4M3FN>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x48xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xf8E4M3FN>
  tile.for_each (%m, %n) tiles [128, 48] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x48xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xf8E4M3FN> -> tensor<128x64xf8E4M3FN>
      %0 = tile.load %B[%k, %n] : !tile.view<?x?xf8E4M3FN> -> tensor<64x48xf8E4M3FN>
      %b = tile.transpose %0 [1, 0] : tensor<64x48xf8E4M3FN> -> tensor<48x64xf8E4M3FN>
      %t = tile.mma %a, %b, %s : tensor<128x64xf8E4M3FN>, tensor<48x64xf8E4M3FN> -> tensor<128x48xf32>
      scf.yield %t : tensor<128x48xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x48xf32>, !tile.view<?x?xf32>
  }
}
tile.kernel @n80(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x40xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 40] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x40xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %0 = tile.load %B[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x40xbf16>
      %b = tile.transpose %0 [1, 0] : tensor<64x40xbf16> -> tensor<40x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<40x64xbf16> -> tensor<128x40xf32>
      scf.yield %t : tensor<128x40xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x40xf32>, !tile.view<?x?xf32>
  }
}
