// One dimension: a vector travels through a pipe as one row.
tile.kernel @vector(%X: !tile.view<?xf32>, %Y: !tile.view<?xbf16>) {
  tile.for_each (%i) tiles [1024] of %X : !tile.view<?xf32> {
    %x = tile.load %X[%i] : !tile.view<?xf32> -> tensor<1024xf32>
    %e = math.exp %x : tensor<1024xf32>
    %y = arith.truncf %e : tensor<1024xf32> to tensor<1024xbf16>
    tile.store %y, %Y[%i] : tensor<1024xbf16>, !tile.view<?xbf16>
  }
}
