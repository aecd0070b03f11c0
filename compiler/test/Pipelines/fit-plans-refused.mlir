// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

// Slots that the program gives stay, and the path says what it would have said.
tile.kernel @given(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<slots = {operands = 9}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-error @below {{shared memory: operands: 9 slots × 32 KiB + output: 1 slot × 16 KiB + barriers and messages: 160 B = 304.2 KiB > 227 KiB on sm_90a; 6 slots of operands fit [shared-memory-limit]}}
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %d = arith.truncf %acc : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %d, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// A program has the name of the second kernel of another one.
tile.kernel @two(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<cluster = [2, 1], fallback_cluster = [1, 1]>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    tile.store %acc, %D[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
// expected-error @below {{@two_fallback is what the kernel of @two with smaller clusters would be called; use another name [kernel-name]}}
tile.kernel @two_fallback(%A: !tile.view<?xf32>, %D: !tile.view<?xf32>) attributes {tile.target = "sm_90a"} {
  tile.for_each (%m) tiles [128] of %D : !tile.view<?xf32> {
    %a = tile.load %A[%m] : !tile.view<?xf32> -> tensor<128xf32>
    tile.store %a, %D[%m] : tensor<128xf32>, !tile.view<?xf32>
  }
}
