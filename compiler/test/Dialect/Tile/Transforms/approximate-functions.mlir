// Which functions get 'afn', by the error that what is stored may have.
// RUN: drawloom-opt %s --approximate-functions --split-input-file | FileCheck %s

// A quarter ulp of bf16 hides it, and a product keeps it relative.
// CHECK-LABEL: tile.kernel @gate
// CHECK-SAME:  "fast_math: math.tanh is tanh.approx (2^-11 relative), because what is stored is off by at most 2^-10.99, and a quarter ulp of bf16 is 2^-10"
// CHECK:       math.tanh %{{.*}} fastmath<nnan,afn>
tile.kernel @gate(%X: !tile.view<?x?xf32>, %C: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %c = tile.load %C[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %t = math.tanh %x fastmath<nnan> : tensor<8x256xf32>
    %minus = arith.negf %t : tensor<8x256xf32>
    %p = arith.mulf %c, %minus : tensor<8x256xf32>
    %y = arith.truncf %p : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// In GELU's tail 1 + tanh is next to zero.
// CHECK-LABEL: tile.kernel @gelu
// CHECK-SAME:  "fast_math: math.tanh is not tanh.approx (2^-11 relative), because there is no bound for what is stored, once 'arith.addf' reads it"
// CHECK-NOT:   afn
tile.kernel @gelu(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>) {
  %one = arith.constant dense<1.0> : tensor<8x256xf32>
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %t = math.tanh %x : tensor<8x256xf32>
    %s = arith.addf %t, %one : tensor<8x256xf32>
    %p = arith.mulf %x, %s : tensor<8x256xf32>
    %y = arith.truncf %p : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// One store that needs more is enough, and f16 has three bits more than bf16.
// CHECK-LABEL: tile.kernel @two_types
// CHECK-SAME:  because what is stored would be off by at most 2^-10.99, and a quarter ulp of f16 is 2^-13"
// CHECK-NOT:   afn
tile.kernel @two_types(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>, %Z: !tile.view<?x?xf16>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %t = math.tanh %x : tensor<8x256xf32>
    %y = arith.truncf %t : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
    %z = arith.truncf %t : tensor<8x256xf32> to tensor<8x256xf16>
    tile.store %z, %Z[%m, %n] : tensor<8x256xf16>, !tile.view<?x?xf16>
  }
}

// -----

// Near the middle of two numbers a small error becomes an ulp when it is
// rounded: another rounding after that is too much.
// CHECK-LABEL: tile.kernel @rounded_twice
// CHECK-SAME:  because what is stored would be off by at most 2^-7.82, and a quarter ulp of bf16 is 2^-10"
// CHECK-NOT:   afn
tile.kernel @rounded_twice(%X: !tile.view<?x?xbf16>, %Y: !tile.view<?x?xbf16>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xbf16> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x256xbf16>
    %t = math.tanh %x : tensor<8x256xbf16>
    %y = arith.mulf %t, %x : tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// A function of bf16 is rounded once. One of fp8 has room for more.
// CHECK-LABEL: tile.kernel @narrow
// CHECK-SAME:  "fast_math: math.tanh is tanh.approx (2^-11 relative), because what is stored is off by at most 2^-11, and a quarter ulp of bf16 is 2^-10"
// CHECK-SAME:  "fast_math: math.tanh is tanh.approx (2^-11 relative), because what is stored is off by at most 2^-10.99, and a quarter ulp of f8E4M3FN is 2^-6"
// CHECK-COUNT-2: fastmath<afn>
tile.kernel @narrow(%X: !tile.view<?x?xbf16>, %Y: !tile.view<?x?xbf16>, %Z: !tile.view<?x?xf8E4M3FN>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xbf16> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x256xbf16>
    %t = math.tanh %x : tensor<8x256xbf16>
    tile.store %t, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
    %wide = arith.extf %x : tensor<8x256xbf16> to tensor<8x256xf32>
    %u = math.tanh %wide : tensor<8x256xf32>
    %z = arith.truncf %u : tensor<8x256xf32> to tensor<8x256xf8E4M3FN>
    tile.store %z, %Z[%m, %n] : tensor<8x256xf8E4M3FN>, !tile.view<?x?xf8E4M3FN>
  }
}

// -----

// The errors of two factors add up. That the second is the program's own
// approximation, and that a loop carries the third, makes no difference.
// CHECK-LABEL: tile.kernel @two_factors
// CHECK-SAME:  tile.reasons = ["fast_math: math.tanh is not tanh.approx (2^-11 relative), because there is no bound for what is stored, once 'arith.mulf' reads it"]
// CHECK:       math.tanh %{{.*}} : tensor
// CHECK:       math.exp %{{.*}} fastmath<afn>
// CHECK:       math.tanh %{{.*}} : tensor
// CHECK:       math.tanh %{{.*}} : tensor
tile.kernel @two_factors(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %t = math.tanh %x : tensor<8x256xf32>
    %e = math.exp %x fastmath<afn> : tensor<8x256xf32>
    %p = arith.mulf %t, %e : tensor<8x256xf32>
    %u = math.tanh %p : tensor<8x256xf32>
    %square = arith.mulf %u, %u : tensor<8x256xf32>
    %carried = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %x) -> (tensor<8x256xf32>) {
      %v = math.tanh %x : tensor<8x256xf32>
      %product = arith.mulf %v, %s : tensor<8x256xf32>
      scf.yield %product : tensor<8x256xf32>
    }
    %all = arith.mulf %carried, %square : tensor<8x256xf32>
    %y = arith.truncf %all : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// What a loop counts is known without what it computes: a tile that is loaded
// there is exact.
// CHECK-LABEL: tile.kernel @in_a_loop
// CHECK-SAME:  math.tanh is tanh.approx
// CHECK:       math.tanh %{{.*}} fastmath<afn>
tile.kernel @in_a_loop(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %columns = tile.dim %X, 1 : !tile.view<?x?xf32>
  tile.for_each (%m) tiles [8] of [%columns] {
    scf.for %n = %c0 to %columns step %c256 {
      %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
      %t = math.tanh %x : tensor<8x256xf32>
      %p = arith.mulf %t, %x : tensor<8x256xf32>
      %y = arith.truncf %p : tensor<8x256xf32> to tensor<8x256xbf16>
      tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
    }
  }
}

// -----

// The schedule may ask for all of them, of which one has a bound, ...
// CHECK-LABEL: tile.kernel @on
// CHECK-SAME:  "fast_math: math.exp is ex2.approx of x log2(e) (2^-22 (1 + |x| / 2) relative), because the schedule says so"
// CHECK-SAME:  "fast_math: math.tanh is tanh.approx (2^-11 relative), because the schedule says so; there is no bound for what is stored, once 'arith.addf' reads it"
// CHECK-SAME:  "fast_math: math.tanh is tanh.approx (2^-11 relative), because the schedule says so; what is stored is off by at most 2^-11, and a quarter ulp of f32 is 2^-26"
// CHECK-COUNT-3: fastmath<afn>
tile.kernel @on(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>, %Z: !tile.view<?x?xf32>)
    attributes {tile.schedule = #tile.schedule<fast_math = true>} {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %e = math.exp %x : tensor<8x256xf32>
    %t = math.tanh %x : tensor<8x256xf32>
    %y = arith.addf %e, %t : tensor<8x256xf32>
    tile.store %y, %Y[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
    %z = math.tanh %y : tensor<8x256xf32>
    tile.store %z, %Z[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
  }
}

// -----

// ... or for none, but for those that the program asks for itself.
// CHECK-LABEL: tile.kernel @off
// CHECK-NOT:   tile.reasons
// CHECK:       math.exp %{{.*}} fastmath<afn>
// CHECK:       math.tanh %{{.*}} : tensor
tile.kernel @off(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>)
    attributes {tile.schedule = #tile.schedule<fast_math = false>} {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %e = math.exp %x fastmath<afn> : tensor<8x256xf32>
    %t = math.tanh %e : tensor<8x256xf32>
    %y = arith.truncf %t : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// The range of x is not known, so nor is the error of exp.
// CHECK-LABEL: tile.kernel @exp
// CHECK-NOT:   afn
tile.kernel @exp(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xbf16>) {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x?xf32> -> tensor<8x256xf32>
    %e = math.exp %x : tensor<8x256xf32>
    %y = arith.truncf %e : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}
