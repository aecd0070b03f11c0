// Rows of 20 bytes, which TMA refuses.
tile.kernel @rows(%x: !tile.view<?x10xbf16, strides = [10, 1]>, %y: !tile.view<?x10xbf16, strides = [10, 1]>)
    attributes {tile.schedule = #tile.schedule<hints = {x = evict_first}>} {
  %M = tile.dim %x, 0 : !tile.view<?x10xbf16, strides = [10, 1]>
  tile.for_each (%m) tiles [64] of [%M] {
    %a = tile.load %x[%m, 0] : !tile.view<?x10xbf16, strides = [10, 1]> -> tensor<64x16xbf16>
    tile.store %a, %y[%m, 0] : tensor<64x16xbf16>, !tile.view<?x10xbf16, strides = [10, 1]>
  }
}
