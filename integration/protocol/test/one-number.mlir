// One number of the emitted PTX is changed at a time, and what is said about
// it. D = bf16(A B^T + C): operands in four slots of 48 KiB whose barriers are
// at 229376 (full) and 229408 (empty); the sums' are at 229472 and 229488.
//
// RUN: compare-protocol %s --emit-ptx %t.ptx | FileCheck %s --check-prefix=AGREE
// AGREE: protocol: plan and PTX agree for 1 kernel
//
// A count.
// RUN: sed -E 's/(mov.b32[[:space:]]+%%r[0-9]+,) 4;/\1 3;/' %t.ptx > %t.count.ptx
// RUN: not compare-protocol %s --ptx %t.count.ptx | FileCheck %s --check-prefix=COUNT
// COUNT: @linear, @operand_load (warp 0), line {{[0-9]+}}: the empty barrier of slot 0 of 'result' is set up for 3 arrivals, the plan says 4
//
// A barrier that is set up twice, and another one never.
// RUN: sed 's/shared_memory+229496/shared_memory+229488/' %t.ptx > %t.twice.ptx
// RUN: not compare-protocol %s --ptx %t.twice.ptx | FileCheck %s --check-prefix=TWICE
// TWICE: @linear: the empty barrier of slot 0 of 'result', at byte 229488, is set up 2 times instead of once
//
// The bytes that are expected.
// RUN: sed -E 's/(mov.b32[[:space:]]+%%r[0-9]+,) 49152;/\1 49136;/' %t.ptx > %t.bytes.ptx
// RUN: not compare-protocol %s --ptx %t.bytes.ptx | FileCheck %s --check-prefix=BYTES
// BYTES: expects 49136 bytes at the full barrier of slot 0 of 'operands', the plan says 49152
//
// The bytes that are copied.
// RUN: sed '0,/cp.async.bulk.tensor.2d.shared/{/cp.async.bulk.tensor.2d.shared/d}' %t.ptx > %t.copied.ptx
// RUN: not compare-protocol %s --ptx %t.copied.ptx | FileCheck %s --check-prefix=COPIED
// COPIED: copies of 32768 bytes complete on the full barrier of slot 0 of 'operands', which expects 49152
//
// Where they go.
// RUN: sed -E 's/(add.s32[[:space:]]+%%r[0-9]+, %%r[0-9]+,) 16384;/\1 49152;/' %t.ptx > %t.address.ptx
// RUN: not compare-protocol %s --ptx %t.address.ptx | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: a copy of 32768 bytes to byte 49152 completes on the full barrier of slot 0 of 'operands', whose bytes are 0 to 49152
//
// The place of a barrier.
// RUN: sed -E 's/, 229408;/, 229416;/' %t.ptx > %t.place.ptx
// RUN: not compare-protocol %s --ptx %t.place.ptx | FileCheck %s --check-prefix=PLACE
// PLACE: @operand_load (warp 0), line {{[0-9]+}}: waits for the empty barrier of slot 1 of 'operands', but its next slot is 0
// RUN: sed -E 's/, 229408;/, 229412;/' %t.ptx > %t.between.ptx
// RUN: not compare-protocol %s --ptx %t.between.ptx | FileCheck %s --check-prefix=BETWEEN
// BETWEEN: there is no barrier at byte 229412 in the plan
//
// The number of slots: the ring turns too early.
// RUN: sed -E 's/(setp.eq.b32[[:space:]]+%%p[0-9]+, %%r[0-9]+,) 4;/\1 3;/' %t.ptx > %t.slots.ptx
// RUN: not compare-protocol %s --ptx %t.slots.ptx | FileCheck %s --check-prefix=SLOTS
// SLOTS: waits for the empty barrier of slot 0 of 'operands', but its next slot is 3
//
// The parity: it never flips.
// RUN: sed -E 's/xor.b32([[:space:]]+%%r[0-9]+), (%%r[0-9]+), %%r[0-9]+;/mov.b32\1, \2;/' %t.ptx > %t.parity.ptx
// RUN: not compare-protocol %s --ptx %t.parity.ptx | FileCheck %s --check-prefix=PARITY
// PARITY: waits for the empty barrier of slot 0 of 'operands' with parity 1 instead of 0
//
// The warp of a role.
// RUN: sed -E 's/(setp.ne.b32[[:space:]]+%%p[0-9]+, %%r1,) 2;/\1 3;/' %t.ptx > %t.warp.ptx
// RUN: not compare-protocol %s --ptx %t.warp.ptx | FileCheck %s --check-prefix=WARP
// WARP: warp 3, which has no role, line {{[0-9]+}}: waits for the empty barrier of slot 0 of 'result', which is not its part of the plan
//
// Who arrives.
// RUN: sed -E 's/tcgen05.commit[^[]*/mbarrier.arrive.shared.b64 _, /' %t.ptx > %t.engine.ptx
// RUN: not compare-protocol %s --ptx %t.engine.ptx | FileCheck %s --check-prefix=ENGINE
// ENGINE: @mma (warp 2), line {{[0-9]+}}: threads arrives at the {{full barrier of slot 0 of 'result'|empty barrier of slot 0 of 'operands'}}, the plan says tensor core
//
// How many arrive.
// RUN: sed -E '/mbarrier.arrive.shared.b64/d' %t.ptx > %t.none.ptx
// RUN: not compare-protocol %s --ptx %t.none.ptx | FileCheck %s --check-prefix=NONE
// NONE: @linear: 0 lanes arrive at the empty barriers of 'result', the plan says 4
//
// What a product reads: a slot has 3072 units of 16 bytes.
// RUN: sed -E 's/(mul.lo.s32[[:space:]]+%%r[0-9]+, %%r[0-9]+,) 3072;/\1 6144;/' %t.ptx > %t.reads.ptx
// RUN: not compare-protocol %s --ptx %t.reads.ptx | FileCheck %s --check-prefix=READS
// READS: @mma (warp 2), line {{[0-9]+}}: an MMA reads byte 98304, slot 2 of 'operands', which its role does not hold

tile.kernel @linear(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %C: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 256] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<256x64xbf16> -> tensor<128x256xf32>
      scf.yield %t : tensor<128x256xf32>
    }
    %r = tile.load %C[%m, %n] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
    %e = arith.extf %r : tensor<128x256xbf16> to tensor<128x256xf32>
    %f = arith.addf %acc, %e : tensor<128x256xf32>
    %o = arith.truncf %f : tensor<128x256xf32> to tensor<128x256xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x256xbf16>, !tile.view<?x?xbf16>
  }
}
