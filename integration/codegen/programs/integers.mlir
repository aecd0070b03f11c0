// Sums of i8 are exact. The epilogue makes floats of them, with a scale for each
// row and a number that is the same for all.
tile.kernel @integers(%A: !tile.view<?x?xi8>, %B: !tile.view<?x?xi8>, %S: !tile.view<?xf32>, %C: !tile.view<?x?xi32>, %D: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0> : tensor<128x128xi32>
  %K = tile.dim %A, 1 : !tile.view<?x?xi8>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c128 iter_args(%s = %zero) -> (tensor<128x128xi32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xi8> -> tensor<128x128xi8>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xi8> -> tensor<128x128xi8>
      %t = tile.mma %a, %b, %s : tensor<128x128xi8>, tensor<128x128xi8> -> tensor<128x128xi32>
      scf.yield %t : tensor<128x128xi32>
    }
    tile.store %acc, %C[%m, %n] : tensor<128x128xi32>, !tile.view<?x?xi32>
    %scale = tile.load %S[%m] : !tile.view<?xf32> -> tensor<128xf32>
    %column = tile.expand_dims %scale axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %scales = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %f = arith.sitofp %acc : tensor<128x128xi32> to tensor<128x128xf32>
    %d = arith.mulf %f, %scales : tensor<128x128xf32>
    tile.store %d, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
