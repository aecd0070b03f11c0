// As many slots as memory holds, and why.
// RUN: drawloom-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(choose-schedule,slice-epilogue,assign-roles,form-pipes,issue-ahead,assign-engines,map-execution-units,assign-layouts,size-pipes))' | FileCheck %s
// RUN: drawloom-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(choose-schedule,slice-epilogue,assign-roles,form-pipes,issue-ahead,assign-engines,map-execution-units,assign-layouts,size-pipes,size-pipes))' | FileCheck %s

!mat = !tile.view<?x?xbf16>

// Loads ahead share what the epilogue leaves: 3 slots beside subtiles of 64
// columns, with two slots for the bias or with one.
// CHECK-LABEL: tile.kernel @gemm(
// CHECK-SAME:  "tensor-memory: result: 2 slots x 256 columns = 512 of 512 columns on sm_100a"
// CHECK-SAME:  "shared-memory: operands: 3 slots x 48 KiB + bias: 2 slots x 16 KiB + output: 2 slots x 16 KiB + {{[0-9]+}} B for the rest = 208.1 KiB of 227 KiB on sm_100a"
// CHECK:       agent.pipe "operands" slots(3){{.*}}<"slots-ahead", "3 slots: loads run ahead of who reads them as far as shared memory allows, 8 at most">
// CHECK:       agent.pipe "bias" slots(2)
// CHECK:       agent.pipe "output" slots(2)
tile.kernel @gemm(%a: !mat, %b: !mat, %bias: !mat, %d: !mat) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 256] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %bias[%m, %n] : !mat -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x256xbf16>, !mat
  }
}

// -----

!mat = !tile.view<?x?xbf16>

// Whole rows of an input take one slot, so that the loop gets four.
// CHECK-LABEL: tile.kernel @large_input(
// CHECK:       agent.pipe "operands" slots(4)
// CHECK:       agent.pipe "bias" slots(1){{.*}}<"slots-that-fit", "1 slot, because 2 would not fit">
tile.kernel @large_input(%a: !mat, %b: !mat, %bias: !mat, %d: !mat) attributes {
    tile.target = "sm_100a", tile.schedule = #tile.schedule<epilogue_tile = 128>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 128] of %d : !mat {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<128x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
      scf.yield %t : tensor<128x128xf32>
    }
    %r = tile.load %bias[%m, %n] : !mat -> tensor<128x128xbf16>
    %e = arith.extf %r : tensor<128x128xbf16> to tensor<128x128xf32>
    %f = arith.addf %acc, %e : tensor<128x128xf32>
    %o = arith.truncf %f : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %o, %d[%m, %n] : tensor<128x128xbf16>, !mat
  }
}

// -----

!mat = !tile.view<?x?xbf16>

// No MMA: whatever is loaded shares the memory, eight slots at most. What the
// schedule gives stays.
// CHECK-LABEL: tile.kernel @copy(
// CHECK:       agent.pipe "work" slots(3)
// CHECK:       agent.pipe "throttle" slots(2)
// CHECK:       agent.pipe "x" slots(8)
// CHECK:       agent.pipe "output" slots(2)
tile.kernel @copy(%x: !mat, %y: !mat) attributes {
    tile.target = "sm_100a",
    tile.schedule = #tile.schedule<persistent = dynamic, slots = {work = 3}>} {
  tile.for_each (%m, %n) tiles [16, 256] of %x : !mat {
    %0 = tile.load %x[%m, %n] : !mat -> tensor<16x256xbf16>
    tile.store %0, %y[%m, %n] : tensor<16x256xbf16>, !mat
  }
}

// -----

!mat = !tile.view<?x?xbf16>

// Two results of 256 columns fill tensor memory once.
// CHECK-LABEL: tile.kernel @two_results(
// CHECK-SAME:  "tensor-memory: result: 1 slot x 512 columns = 512 of 512 columns on sm_100a"
// CHECK:       agent.pipe "result" slots(1) tmem{{.*}}<"slots-that-fit", "1 slot, because 2 would not fit">
tile.kernel @two_results(%a: !mat, %b: !mat, %c: !mat, %d: !tile.view<?x?xf32>)
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [128, 256] of %d : !tile.view<?x?xf32> {
    %sums:2 = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero, %r = %zero) -> (tensor<128x256xf32>, tensor<128x256xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<128x64xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<256x64xbf16>
      %z = tile.load %c[%n, %k] : !mat -> tensor<256x64xbf16>
      %t = tile.mma %x, %y, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      %u = tile.mma %x, %z, %r : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t, %u : tensor<128x256xf32>, tensor<128x256xf32>
    }
    %sum = arith.addf %sums#0, %sums#1 : tensor<128x256xf32>
    tile.store %sum, %d[%m, %n] : tensor<128x256xf32>, !tile.view<?x?xf32>
  }
}

// -----

!mat = !tile.view<?x?xbf16>

// One slot of operands is all that fits, so the warp group waits for its MMA
// before it gives the slot back.
// CHECK-LABEL: tile.kernel @one_slot(
// CHECK:       agent.pipe "operands" slots(1)
// CHECK:       agent.consume %operands as (%{{.*}}, %{{.*}}) by(threads)
tile.kernel @one_slot(%a: !mat, %b: !mat, %d: !tile.view<?x?xf32>) attributes {tile.target = "sm_90a"} {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %K = tile.dim %a, 1 : !mat
  tile.for_each (%m, %n) tiles [64, 64] of %d : !tile.view<?x?xf32> {
    %acc = scf.for %k = %c0 to %K step %c512 iter_args(%s = %zero) -> (tensor<64x64xf32>) {
      %x = tile.load %a[%m, %k] : !mat -> tensor<64x512xbf16>
      %y = tile.load %b[%n, %k] : !mat -> tensor<64x512xbf16>
      %t = tile.mma %x, %y, %s : tensor<64x512xbf16>, tensor<64x512xbf16> -> tensor<64x64xf32>
      scf.yield %t : tensor<64x64xf32>
    }
    tile.store %acc, %d[%m, %n] : tensor<64x64xf32>, !tile.view<?x?xf32>
  }
}
