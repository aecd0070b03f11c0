// What divide-tiles refuses.
// RUN: drawloom-opt %s --divide-tiles --split-input-file --verify-diagnostics

tile.kernel @uneven(%X: !tile.view<?x100xf32>, %S: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 8]>} {
  %rows = tile.dim %X, 0 : !tile.view<?x100xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x100xf32> -> tensor<8x100xf32>
    // expected-error @below {{reduces rows of 100 elements that 8 CTAs of the cluster divide: 100 % 8 = 4; use fewer CTAs, or a larger tile}}
    %s = tile.reduce addf %x axis 1 : tensor<8x100xf32> -> tensor<8xf32>
    tile.store %s, %S[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @whole(%X: !tile.view<?x64xbf16>, %S: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = tile.dim %X, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [64] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    // expected-error @below {{works on rows that 2 CTAs of the cluster divide, and needs them whole; use 1 along dimension 1 of the cluster [cluster-rows]}}
    %p = tile.mma %x, %x, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %s = tile.reduce addf %p axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    tile.store %s, %S[%m] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// -----

tile.kernel @lengths(%X: !tile.view<?x1024xf32>, %Y: !tile.view<?x512xf32>, %S: !tile.view<?xf32>, %T: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %rows = tile.dim %X, 0 : !tile.view<?x1024xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x1024xf32> -> tensor<8x1024xf32>
    %s = tile.reduce addf %x axis 1 : tensor<8x1024xf32> -> tensor<8xf32>
    tile.store %s, %S[%m] : tensor<8xf32>, !tile.view<?xf32>
    %y = tile.load %Y[%m, 0] : !tile.view<?x512xf32> -> tensor<8x512xf32>
    // expected-error @below {{works on rows of 512 elements, and others have 1024: the cluster divides rows of one length [cluster-rows]}}
    %t = tile.reduce addf %y axis 1 : tensor<8x512xf32> -> tensor<8xf32>
    tile.store %t, %T[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}

// -----

// What is divided along its rows here is divided along its columns there.
tile.kernel @turned(%X: !tile.view<?x8xf32>, %S: !tile.view<?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %rows = tile.dim %X, 0 : !tile.view<?x8xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x8xf32> -> tensor<8x8xf32>
    // expected-error @below {{works on rows that 2 CTAs of the cluster divide, and needs them whole}}
    %t = tile.transpose %x [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    %y = arith.addf %x, %t : tensor<8x8xf32>
    %s = tile.reduce addf %y axis 1 : tensor<8x8xf32> -> tensor<8xf32>
    tile.store %s, %S[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}
// -----

// An MMA along the row's own dimension: each CTA would have a part of its sum.
tile.kernel @along_k(%X: !tile.view<?x64xbf16>, %B: !tile.view<64x64xbf16>, %D: !tile.view<?x64xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 2]>} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = tile.dim %X, 0 : !tile.view<?x64xbf16>
  tile.for_each (%m) tiles [64] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x64xbf16> -> tensor<64x64xbf16>
    %f = arith.extf %x : tensor<64x64xbf16> to tensor<64x64xf32>
    %s = tile.reduce addf %f axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %c = tile.expand_dims %s axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %w = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x64xf32>
    %q = arith.divf %f, %w : tensor<64x64xf32>
    %h = arith.truncf %q : tensor<64x64xf32> to tensor<64x64xbf16>
    %b = tile.load %B[0, 0] : !tile.view<64x64xbf16> -> tensor<64x64xbf16>
    // expected-error @below {{works on rows that 2 CTAs of the cluster divide, and needs them whole; use 1 along dimension 1 of the cluster [cluster-rows]}}
    %p = tile.mma %h, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    tile.store %p, %D[%m, 0] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}

// -----

tile.kernel @longer(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 0 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{is in a loop whose steps 2 CTAs of the cluster divide, and ends before the views of its operands do; use 1 along dimension 2 of the cluster [cluster-split-k]}}
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %acc, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @not_walked(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, 0] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{is in a loop whose steps 2 CTAs of the cluster divide, and reads a tile that is not loaded along it; use 1 along dimension 2 of the cluster [cluster-split-k]}}
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %acc, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @counted(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      // expected-error @below {{is in a loop whose steps 2 CTAs of the cluster divide, and asks which one it is; use 1 along dimension 2 of the cluster [cluster-split-k]}}
      %x = arith.addi %k, %k : index
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %acc, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @from_bias(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<1.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    // expected-error @below {{is in a loop whose steps 2 CTAs of the cluster divide, and carries more than sums of MMAs from zero on; use 1 along dimension 2 of the cluster [cluster-split-k]}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %acc, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @uneven(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 3]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    // expected-error @below {{adds up MMAs of 128 columns that 3 CTAs of the cluster divide: 128 % 3 = 2; use fewer CTAs, or a larger tile}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %acc, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @nested(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?xf32>, %D: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<cluster = [1, 1, 2]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %all = scf.for %i = %c0 to %K step %c64 iter_args(%u = %zero) -> (tensor<128x128xf32>) {
    // expected-error @below {{is in a loop whose steps 2 CTAs of the cluster divide, and is not a work tile's own; use 1 along dimension 2 of the cluster [cluster-split-k]}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    scf.yield %acc : tensor<128x128xf32>
    }
    %c = tile.load %C[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %c axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %bias = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %more = arith.addf %all, %bias : tensor<128x128xf32>
    %relu = arith.maxnumf %more, %zero : tensor<128x128xf32>
    tile.store %relu, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
