// A part of A and D, with edges inside the tensors, and as much of K as the
// caller says: none at all, if that is 0.
tile.kernel @part(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>, %rows: index, %columns: index, %depth: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %a0 = tile.subview %A[%rows, 0] [%rows, %depth] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %b0 = tile.subview %B[0, 0] [%columns, %depth] : !tile.view<?x?xbf16> -> !tile.view<?x?xbf16>
  %d0 = tile.subview %D[%rows, 0] [%rows, %columns] : !tile.view<?x?xf32> -> !tile.view<?x?xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %d0 : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %depth step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %a0[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %b0[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %d0[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
