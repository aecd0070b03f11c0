// What cannot travel together is refused with both loop levels.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(assign-roles,form-pipes))'

tile.kernel @levels(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %c: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<together = [[a, c]]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-note @below {{the first load is here}}
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    // expected-error @below {{'a' and 'c' cannot travel together: 'a' is loaded in one loop of the work tile and 'c' once for each work tile, so they fill different numbers of slots; take 'c' out of 'together', or load both at one level}}
    %r = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %o = arith.addf %acc, %r : tensor<128x128xf32>
    tile.store %o, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @siblings(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>, %N: index)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<together = [[a, b]]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.for_each (%m) tiles [64] of [%N] {
    scf.for %k = %c0 to %N step %c64 {
      // expected-note @below {{the first load is here}}
      %x = tile.load %a[%m, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      tile.store %x, %d[%m, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
    scf.for %k = %c0 to %N step %c64 {
      // expected-error @below {{'a' and 'b' cannot travel together: 'a' is loaded in one loop of the work tile and 'b' in another loop, in one loop of the work tile, so they fill different numbers of slots; take 'b' out of 'together', or load both at one level}}
      %x = tile.load %b[%m, %k] : !tile.view<?x?xf32> -> tensor<64x64xf32>
      tile.store %x, %d[%m, %k] : tensor<64x64xf32>, !tile.view<?x?xf32>
    }
  }
}

// -----

// expected-error @below {{the schedule's 'together' names 'e', but no tile is loaded from it; tiles are loaded from a and b}}
tile.kernel @unknown(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<together = [[a, e]]>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = tile.load %b[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %z = arith.addf %x, %y : tensor<64x64xf32>
    tile.store %z, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @output(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<together = [[a, d]]>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    // expected-error @below {{'d' cannot travel together with others: the kernel also stores to it, so the role that stores loads it, in order}}
    %y = tile.load %d[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %z = arith.addf %x, %y : tensor<64x64xf32>
    tile.store %z, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

tile.kernel @two_numbers(%a: !tile.view<?x?xf32>, %b: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<slots = {a = 3, b = 4}>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    // expected-error @below {{the schedule gives 3 slots for 'a' and 4 for 'b', but they travel in one pipe, 'a', whose slots hold both; give them one number}}
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %y = tile.load %b[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    %z = arith.addf %x, %y : tensor<64x64xf32>
    tile.store %z, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// expected-error @below {{slots: unknown pipe 'oputput' on sm_90a; known: output, a; did you mean 'output'? [schedule-slots]}}
tile.kernel @no_such_pipe(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<slots = {oputput = 3}>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}

// -----

// Work tiles travel only with a dynamic tile scheduler.
// expected-error @below {{slots: unknown pipe 'work' on sm_100a; known: output, a [schedule-slots]}}
tile.kernel @no_work(%a: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<slots = {work = 3}>} {
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %x = tile.load %a[%m, %n] : !tile.view<?x?xf32> -> tensor<64x64xf32>
    tile.store %x, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
