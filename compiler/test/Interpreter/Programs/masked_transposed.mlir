// D = (A B^T + D) where the column is below a limit, else 1, stored transposed, in
// place. The mask is made of the numbers of the columns.
// RUN: drawloom-opt %s -o /dev/null

tile.kernel @masked_transposed(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %limit: i32,
                               %d: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %one = arith.constant dense<1.0> : tensor<128x128xf32>
  %iota = tile.iota : tensor<128xi32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%n, %m) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %old = tile.load %d[%n, %m] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %n32 = arith.index_cast %n : index to i32
    %left = arith.subi %limit, %n32 : i32
    %lefts = tensor.splat %left : tensor<128xi32>
    %inside = arith.cmpi slt, %iota, %lefts : tensor<128xi32>
    %row = tile.expand_dims %inside axis 0 : tensor<128xi1> -> tensor<1x128xi1>
    %mask = tile.broadcast %row : tensor<1x128xi1> -> tensor<128x128xi1>
    %older = tile.transpose %old [1, 0] : tensor<128x128xf32> -> tensor<128x128xf32>
    %sum = arith.addf %acc, %older : tensor<128x128xf32>
    %o = arith.select %mask, %sum, %one : tensor<128x128xi1>, tensor<128x128xf32>
    %t = tile.transpose %o [1, 0] : tensor<128x128xf32> -> tensor<128x128xf32>
    tile.store %t, %d[%n, %m] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
