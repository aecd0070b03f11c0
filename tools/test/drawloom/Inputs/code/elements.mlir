// Integer quotients, truth values in memory, fp8 from and to integers, rounding
// away from zero, quotients of f64, and a choice of tiles.
tile.kernel @elements(%X: !tile.view<?x?xi32>, %keep: !tile.view<?x?xi1>, %Q: !tile.view<?x?xi32>, %S: !tile.view<?x?xi32>, %R: !tile.view<?x?xf32>, %W: !tile.view<?x?xf64>, %Z: !tile.view<?x?xi1>) attributes {tile.schedule = #tile.schedule<fallback = unspecialized>} {
  %c16 = arith.constant 16 : index
  %seven = arith.constant dense<7> : tensor<16x128xi32>
  %three = arith.constant dense<3.0> : tensor<16x128xf64>
  %half = arith.constant dense<0.5> : tensor<16x128xf32>
  tile.for_each (%m, %n) tiles [16, 128] of %X : !tile.view<?x?xi32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xi32> -> tensor<16x128xi32>
    %k = tile.load %keep[%m, %n] : !tile.view<?x?xi1> -> tensor<16x128xi1>
    %q = arith.divsi %x, %seven : tensor<16x128xi32>
    %chosen = arith.select %k, %q, %x : tensor<16x128xi1>, tensor<16x128xi32>
    tile.store %chosen, %Q[%m, %n] : tensor<16x128xi32>, !tile.view<?x?xi32>
    %short = arith.sitofp %x : tensor<16x128xi32> to tensor<16x128xf8E4M3FN>
    %back = arith.fptosi %short : tensor<16x128xf8E4M3FN> to tensor<16x128xi32>
    tile.store %back, %S[%m, %n] : tensor<16x128xi32>, !tile.view<?x?xi32>
    %f = arith.sitofp %x : tensor<16x128xi32> to tensor<16x128xf32>
    %g = arith.mulf %f, %half : tensor<16x128xf32>
    %r = math.round %g : tensor<16x128xf32>
    tile.store %r, %R[%m, %n] : tensor<16x128xf32>, !tile.view<?x?xf32>
    %wide = arith.sitofp %x : tensor<16x128xi32> to tensor<16x128xf64>
    %third = arith.divf %wide, %three : tensor<16x128xf64>
    tile.store %third, %W[%m, %n] : tensor<16x128xf64>, !tile.view<?x?xf64>
    %first = arith.cmpi ult, %m, %c16 : index
    %z = scf.if %first -> (tensor<16x128xi1>) {
      %small = arith.cmpi slt, %x, %seven : tensor<16x128xi32>
      scf.yield %small : tensor<16x128xi1>
    } else {
      scf.yield %k : tensor<16x128xi1>
    }
    tile.store %z, %Z[%m, %n] : tensor<16x128xi1>, !tile.view<?x?xi1>
  }
}
