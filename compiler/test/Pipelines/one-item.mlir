// With 'persistent = none' each work tile has a CTA of its own. That is so only
// where a launch can count them.
// RUN: drawloom-opt %s --front-half -split-input-file -verify-diagnostics

tile.kernel @counted(%x: !tile.view<4x?x?xf32>, %y: !tile.view<4x?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<persistent = none>} {
  tile.for_each (%b, %m, %n) tiles [1, 64, 64] of %x : !tile.view<4x?x?xf32> {
    %t = tile.load %x[%b, %m, %n] dims [1, 2] : !tile.view<4x?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %y[%b, %m, %n] dims [1, 2] : tensor<64x64xf32>, !tile.view<4x?x?xf32>
  }
}

// -----

tile.kernel @loaded(%x: !tile.view<?x?xf32>, %count: !tile.view<?xi32>, %y: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<persistent = none>} {
  %c0 = arith.constant 0 : index
  %some = tile.load %count[%c0] : !tile.view<?xi32> -> i32
  %rows = arith.index_cast %some : i32 to index
  // expected-error @below {{'persistent = none' gives each work tile a CTA of its own, and a launch can't count them: their number is no product of sizes of the arguments; use static or dynamic}}
  tile.for_each (%m) tiles [64] of [%rows] {
    %t = tile.load %x[%m, 0] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %t, %y[%m, 0] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
