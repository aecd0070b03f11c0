// What has no plan, because memory does not hold it, and what would fit.
// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<slots = {result = 3}>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  // expected-error @below {{tensor memory: result: 3 slots × 256 columns = 768 > 512 columns on sm_100a; 2 slots of result fit [tensor-memory-limit]}}
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x1024xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  // expected-error @below {{tensor memory: result: 1 slot × 1024 columns = 1024 > 512 columns on sm_100a; no number of slots of result makes it fit: use a smaller tile [tensor-memory-limit]}}
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x1024xf32>) {
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<1024x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<1024x64xbf16> -> tensor<128x1024xf32>
    scf.yield %t : tensor<128x1024xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x1024xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<slots = {operands = 5}, epilogue_tile = 64>} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 64 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    // expected-error @below {{shared memory: operands: 5 slots × 48 KiB + output: 1 slot × 32 KiB + barriers and messages: 116 B = 272.1 KiB > 227 KiB on sm_100a; 4 slots of operands fit [shared-memory-limit]}}
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @k(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 512 : index
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
    // expected-error @below {{shared memory: operands: 1 slot × 384 KiB + output: 1 slot × 16 KiB + barriers and messages: 52 B = 400.1 KiB > 227 KiB on sm_100a; no number of slots of operands makes it fit: use a smaller tile or fewer slots of the others [shared-memory-limit]}}
    %x = tile.load %a[0, %k] : !tile.view<?x?xbf16> -> tensor<128x512xbf16>
    %y = tile.load %b[0, %k] : !tile.view<?x?xbf16> -> tensor<256x512xbf16>
    %t = tile.mma %x, %y, %s : tensor<128x512xbf16>, tensor<256x512xbf16> -> tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  tile.store %sum, %d[0, 0] : tensor<128x256xf32>, !tile.view<?x?xf32>
}
