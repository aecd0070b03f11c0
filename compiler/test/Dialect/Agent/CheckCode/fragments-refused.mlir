// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

// What threads cannot do with tiles in registers.

tile.kernel @table(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [8, 64] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x64xf32>
    // expected-error@+1 {{is a tile of different numbers: load it, or make it of tile.iota}}
    %numbers = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
    %column = tile.expand_dims %numbers axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %all = tile.broadcast %column : tensor<8x1xf32> -> tensor<8x64xf32>
    %y = arith.addf %x, %all : tensor<8x64xf32>
    tile.store %y, %Y[%m, %n] : tensor<8x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @unknown_function(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    // expected-error@+1 {{has no code; of the functions, exp, exp2, expm1, log, log2, log1p, powf, sin, cos, tanh, erf, sqrt, rsqrt, floor, ceil, trunc, round and roundeven have}}
    %y = math.tan %x : tensor<64x64xf32>
    tile.store %y, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @wide_function(%X: !tile.view<?x?xf64>, %Y: !tile.view<?x?xf64>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf64> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf64> -> tensor<64x64xf64>
    // expected-error@+1 {{computes a function in f64, which has no code; f32 has}}
    %y = math.exp %x : tensor<64x64xf64>
    tile.store %y, %Y[%m, %n] : tensor<64x64xf64>, !tile.view<?x?xf64>
  }
}

// -----

tile.kernel @short_arithmetic(%X: !tile.view<?x?xf8E4M3FN>, %Y: !tile.view<?x?xf8E4M3FN>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf8E4M3FN> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
    // expected-error@+1 {{computes with 'f8E4M3FN', for which the hardware has no arithmetic: convert it first}}
    %y = arith.addf %x, %x : tensor<64x64xf8E4M3FN>
    tile.store %y, %Y[%m, %n] : tensor<64x64xf8E4M3FN>, !tile.view<?x?xf8E4M3FN>
  }
}

// -----

tile.kernel @short_sum(%X: !tile.view<?x?xf8E5M2>, %Y: !tile.view<?xf8E5M2>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x?xf8E5M2> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf8E5M2> -> tensor<64x64xf8E5M2>
    // expected-error@+1 {{computes with 'f8E5M2', for which the hardware has no arithmetic: convert it first}}
    %y = tile.reduce addf %x axis 1 : tensor<64x64xf8E5M2> -> tensor<64xf8E5M2>
    tile.store %y, %Y[%m] : tensor<64xf8E5M2>, !tile.view<?xf8E5M2>
  }
}
