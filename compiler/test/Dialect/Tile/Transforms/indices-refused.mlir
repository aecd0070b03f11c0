// Indices of a kernel have 32 bits, those of a program 64. What does not fit is
// refused, and not read from another place.
// RUN: drawloom-opt %s --choose-schedule --split-input-file --verify-diagnostics

tile.kernel @load(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    // expected-error @+1 {{has offset 4294967296, and an index of a kernel has 32 bits: from -2147483648 to 2147483647}}
    %t = tile.load %X[%m, 4294967296] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    tile.store %t, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

tile.kernel @store(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    %t = tile.load %X[%m, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    // expected-error @+1 {{has offset -4294967296, and an index of a kernel has 32 bits: from -2147483648 to 2147483647}}
    tile.store %t, %Y[%m, -4294967296] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

tile.kernel @part(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    // expected-error @+1 {{has size 4294967360, and an index of a kernel has 32 bits: from -2147483648 to 2147483647}}
    %p = tile.subview %X[%m, 0] [64, 4294967360] : !tile.view<?x64xf32> -> !tile.view<64x4294967360xf32>
    %t = tile.load %p[0, 0] : !tile.view<64x4294967360xf32> -> tensor<64x64xf32>
    tile.store %t, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

tile.kernel @step(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{is 4294967296, and an index of a kernel has 32 bits: from -2147483648 to 2147483647}}
  %far = arith.constant 4294967296 : index
  %M = tile.dim %X, 0 : !tile.view<?x64xf32>
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    scf.for %i = %c0 to %M step %far {
      %t = tile.load %X[%i, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
      tile.store %t, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
    }
  }
}

// -----

// expected-error @+1 {{has argument 'X' of size 4294967296, and an index of a kernel has 32 bits: from -2147483648 to 2147483647}}
tile.kernel @size(%X: !tile.view<4294967296x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [64, 64] of %Y : !tile.view<?x64xf32> {
    %t = tile.load %X[%m, %n] : !tile.view<4294967296x64xf32> -> tensor<64x64xf32>
    tile.store %t, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
