// RUN: drawloom-opt %s --front-half --split-input-file --verify-diagnostics

// Slots that the program gives stay, and the path says what it would have said.
// expected-error @below {{shared memory: output: 2 slots × 4 KiB + operands: 9 slots × 32 KiB + 1 KiB for barriers = 297 KiB > 227 KiB on sm_90a; 6 slots of operands fit}}
tile.kernel @given(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<slots = {operands = 9}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
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

// A tile of 32 columns fits, and its three loops of products are not proved to
// end. So it is not taken.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
// expected-error @below {{shared memory: output: 2 slots}}
func.func @unproved(%x: tensor<?x?xbf16>, %a: tensor<512x?xbf16>, %b: tensor<512x?xbf16>, %c: tensor<512x?xbf16>)
    -> (tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?x512xbf16>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %e0 = tensor.empty(%M) : tensor<?x512xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %d0 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %a : tensor<?x?xbf16>, tensor<512x?xbf16>) outs(%f0 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r0 = arith.truncf %d0 : tensor<?x512xf32> to tensor<?x512xbf16>
  %e1 = tensor.empty(%M) : tensor<?x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %d1 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %b : tensor<?x?xbf16>, tensor<512x?xbf16>) outs(%f1 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r1 = arith.truncf %d1 : tensor<?x512xf32> to tensor<?x512xbf16>
  %e2 = tensor.empty(%M) : tensor<?x512xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %d2 = linalg.contract indexing_maps = [#mk, #nk, #mn] ins(%x, %c : tensor<?x?xbf16>, tensor<512x?xbf16>) outs(%f2 : tensor<?x512xf32>) -> tensor<?x512xf32>
  %r2 = arith.truncf %d2 : tensor<?x512xf32> to tensor<?x512xbf16>
  return %r0, %r1, %r2 : tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?x512xbf16>
}
