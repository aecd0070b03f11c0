// Rows that no swizzle fits: four of them, 4 KiB each.
tile.kernel @plain_rows(%A: !tile.view<?x?xf32>, %D: !tile.view<?x?xf32>) {
  tile.for_each (%m, %n) tiles [4, 1024] of %D : !tile.view<?x?xf32> {
    %a = tile.load %A[%m, %n] : !tile.view<?x?xf32> -> tensor<4x1024xf32>
    %e = math.exp %a : tensor<4x1024xf32>
    tile.store %e, %D[%m, %n] : tensor<4x1024xf32>, !tile.view<?x?xf32>
  }
}
