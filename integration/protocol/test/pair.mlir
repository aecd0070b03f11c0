// Two CTAs that multiply together. One number of the PTX is changed at a time:
// whom copies tell, what the leader announces, and whom it tells.
//
// RUN: compare-protocol %s --arch sm_100a --emit-ptx %t.ptx | FileCheck %s --check-prefix=AGREE
// AGREE: protocol: plan and PTX agree for 1 kernel
//
// Copies of the second CTA signal its own barrier, for which no role waits.
// RUN: sed -E 's/mapa.shared::cluster.u32[[:space:]]+(%%r[0-9]+), (%%r[0-9]+), 0;/mov.b32 \1, \2;/' %t.ptx > %t.own.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.own.ptx | FileCheck %s --check-prefix=OWN
// OWN: @operand_load (warp 0) of CTA 1, line {{[0-9]+}}: a copy to CTA 1 completes on the full barrier of slot 0 of 'operands' in CTA 1
//
// The leader announces its own bytes only.
// RUN: sed -E 's/, 40960;/, 20480;/' %t.ptx > %t.bytes.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.bytes.ptx | FileCheck %s --check-prefix=BYTES
// BYTES: expects 20480 bytes at the full barrier of slot 0 of 'operands', the plan says 40960
//
// Products give slots back, and tell of accumulators, in the leader only.
// RUN: sed -E 's/(tcgen05.commit.*)\.multicast::cluster(.*), %%rs[0-9]+;/\1\2;/' %t.ptx > %t.back.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.back.ptx | FileCheck %s --check-prefix=BACK
// BACK: @pair: 0 lanes arrive at the empty barriers of 'operands' in CTA 1, the plan says 1
//
// Warps of both epilogues arrive in the second CTA.
// RUN: sed -E 's/(mapa.*, )%%r[0-9]+;/\11;/' %t.ptx > %t.far.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.far.ptx | FileCheck %s --check-prefix=FAR
// FAR: arrives at the empty barrier of slot 0 of 'result' in CTA 1, with which it shares no slot

tile.kernel @pair(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.schedule = #tile.schedule<cluster = [2, 1], cta_group = 2, slots = {operands = 2}>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %K = tile.dim %A, 1 : !tile.view<?x?xbf16>
  tile.for_each (%m, %n) tiles [128, 64] of %D : !tile.view<?x?xbf16> {
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) {
      %a = tile.load %A[%m, %k] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<?x?xbf16> -> tensor<64x64xbf16>
      %t = tile.mma %a, %b, %s : tensor<128x64xbf16>, tensor<64x64xbf16> -> tensor<128x64xf32>
      scf.yield %t : tensor<128x64xf32>
    }
    %o = arith.truncf %acc : tensor<128x64xf32> to tensor<128x64xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x64xbf16>, !tile.view<?x?xbf16>
  }
}
