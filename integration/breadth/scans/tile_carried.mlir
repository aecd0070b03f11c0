// A row that is longer than a tile: a loop carries what the tiles before add up to.
tile.kernel @tile_carried(%X: !tile.view<40x1000xf32>, %Y: !tile.view<40x1000xf32>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c40 = arith.constant 40 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  tile.for_each (%m) tiles [16] of [%c40] {
    %all = scf.for %n = %c0 to %c1000 step %c128 iter_args(%carried = %zero) -> (tensor<16xf32>) {
      %x = tile.load %X[%m, %n] : !tile.view<40x1000xf32> -> tensor<16x128xf32>
      %s = tile.scan addf %x axis 1 : tensor<16x128xf32>
      %column = tile.expand_dims %carried axis 1 : tensor<16xf32> -> tensor<16x1xf32>
      %before = tile.broadcast %column : tensor<16x1xf32> -> tensor<16x128xf32>
      %y = arith.addf %s, %before : tensor<16x128xf32>
      tile.store %y, %Y[%m, %n] : tensor<16x128xf32>, !tile.view<40x1000xf32>
      %part = tile.reduce addf %x axis 1 : tensor<16x128xf32> -> tensor<16xf32>
      %next = arith.addf %carried, %part : tensor<16xf32>
      scf.yield %next : tensor<16xf32>
    }
  }
}
