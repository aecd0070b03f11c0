// The rules that make the plans of a matrix product: each says what it did, at the
// operation that it is about. rules-more.mlir has the others.
// RUN: drawloom-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(assign-roles{remarks=true},form-pipes{remarks=true}))'

// expected-remark @below {{operand-load: @operand_load loads a and b for the MMAs}}
// expected-remark @below {{tma-load: one thread issues the TMA loads of a and b}}
// expected-remark @below {{epilogue-load: @epilogue_load loads c for the epilogue, so that neither waits for the other}}
// expected-remark @below {{tma-load: one thread issues the TMA loads of c}}
// expected-remark @below {{one-thread-issues: on sm_100a one thread issues tcgen05.mma, so one warp, @mma, issues all MMAs in program order}}
// expected-remark @below {{epilogue: @epilogue computes the epilogue: nothing of it goes back into an MMA}}
tile.kernel @blackwell(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %c: !tile.view<?x?xf32>, %d: !tile.view<?x?xbf16>)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xbf16> {
    // expected-remark @below {{alone: the result has its own pipe: @epilogue reads no other tile with it at this loop level}}
    // expected-remark @below {{result-in-tensor-memory: the MMA leaves its result in tensor memory}}
    // expected-remark @below {{slots-by-kind: 2 slots: one is filled while the other is read}}
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-remark @below {{read-together: a and b travel together: one operation reads them}}
      // expected-remark @below {{in-shared-memory: slots of 32768 bytes in shared memory}}
      // expected-remark @below {{slots-ahead: 4 slots: loads run ahead of who reads them as far as shared memory allows, 8 at most}}
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%k, %n] : !tile.view<?x?xbf16> -> tensor<64x128xbf16>
      // expected-remark @below {{with-the-reader: tile.transpose goes with the MMA that reads it: it is a field of the descriptor, not a copy}}
      %yt = tile.transpose %y [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %yt, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    // expected-remark @below {{alone: c has its own pipe: @epilogue reads no other tile with it at this loop level}}
    // expected-remark @below {{in-shared-memory: slots of 65536 bytes in shared memory}}
    // expected-remark @below {{slots-by-kind: 2 slots: one is filled while the other is read}}
    %r = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %f = arith.addf %acc, %r : tensor<128x128xf32>
    %o = arith.truncf %f : tensor<128x128xf32> to tensor<128x128xbf16>
    // expected-remark @below {{staged-store: @epilogue puts tiles of d into shared memory, and TMA stores them while it goes on}}
    // expected-remark @below {{slots-by-kind: 2 slots: one is filled while the other is stored}}
    tile.store %o, %d[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}

// -----

// expected-remark @below {{operand-load: @operand_load loads a and b for the MMAs}}
// expected-remark @below {{tma-load: one thread issues the TMA loads of a and b}}
// expected-remark @below {{warp-groups-issue: sm_90a keeps the accumulator in the registers of its warp groups, so @compute issues wgmma itself}}
// expected-remark @below {{compute: @compute computes all operations on tiles that no other rule gives away}}
// expected-remark @below {{single-role: only operands travel through a pipe, as the schedule asks; @compute does everything else}}
// expected-remark @below {{loaded-in-place: v is read where it is used: a vector is too small for a slot of its own}}
// expected-remark @below {{loaded-in-place: c is read where it is used: with roles = single only operands are loaded ahead}}
tile.kernel @hopper(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %v: !tile.view<?xf32>, %c: !tile.view<?x?xf32>, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<roles = single, slots = {operands = 3}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 128] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      // expected-remark @below {{read-together: a and b travel together: one operation reads them}}
      // expected-remark @below {{in-shared-memory: slots of 32768 bytes in shared memory}}
      // expected-remark @below {{slots-by-schedule: 3 slots, set by the schedule for 'operands'}}
      // expected-remark @below {{mma-in-flight: @compute keeps a slot for one more iteration, so that one wgmma is in flight}}
      %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %w = tile.load %v[%n] : !tile.view<?xf32> -> tensor<128xf32>
    %row = tile.expand_dims %w axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %rows = tile.broadcast %row : tensor<1x128xf32> -> tensor<128x128xf32>
    %e = arith.addf %acc, %rows : tensor<128x128xf32>
    %r = tile.load %c[%m, %n] : !tile.view<?x?xf32> -> tensor<128x128xf32>
    %f = arith.addf %e, %r : tensor<128x128xf32>
    tile.store %f, %d[%m, %n] : tensor<128x128xf32>, !tile.view<?x?xf32>
  }
}
