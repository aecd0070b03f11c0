// Four CTAs with TMA multicast. One number of the PTX is changed at a time:
// which CTA is signaled, which gets bytes, and how a CTA exits.
//
// RUN: compare-protocol %s --arch sm_100a --emit-ptx %t.ptx | FileCheck %s --check-prefix=AGREE
// RUN: compare-protocol %s --arch sm_90a --emit-ptx %t.hopper.ptx | FileCheck %s --check-prefix=AGREE
// AGREE: protocol: plan and PTX agree for 1 kernel
//
// No CTA synchronizes with the others before it goes on.
// RUN: sed '/barrier.cluster.wait/d' %t.ptx > %t.meet.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.meet.ptx | FileCheck %s --check-prefix=MEET
// MEET: waits for the empty barrier of slot 0 of 'operands' before the barrier of the cluster
//
// A slot goes back to the own CTA only.
// RUN: sed -E 's/(tcgen05.commit.*)\.multicast::cluster(.*), %%rs[0-9]+;/\1\2;/' %t.ptx > %t.back.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.back.ptx | FileCheck %s --check-prefix=BACK
// BACK: @cluster: 1 lanes arrive at the empty barriers of 'operands', the plan says 3
//
// Parts go to the own CTA only.
// RUN: sed -E 's/(cp.async.bulk.*)\.multicast::cluster(.*), %%rs[0-9]+;/\1\2;/' %t.ptx > %t.parts.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.parts.ptx | FileCheck %s --check-prefix=PARTS
// PARTS: @operand_load (warp 0){{.*}}: sends 0 bytes of slot 0 of 'operands' to CTA 1, with which it shares 4096
//
// The second wait for a slot is the first of those before the role leaves.
// RUN: awk '/try_wait/ && ++n == 2 {match($0, /%%p[0-9]+/); print "setp.eq.b32 " substr($0, RSTART, RLENGTH) ", %%r1, %%r1;"; next} {print}' %t.ptx > %t.leaves.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.leaves.ptx | FileCheck %s --check-prefix=LEAVES
// LEAVES: @operand_load (warp 0){{.*}}: waits for the empty barrier of slot 1 of 'operands', but its next slot is 0
// RUN: awk '/try_wait/ && ++n == 3 {match($0, /%%p[0-9]+/); print "setp.eq.b32 " substr($0, RSTART, RLENGTH) ", %%r1, %%r1;"; next} {print}' %t.ptx > %t.early.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.early.ptx | FileCheck %s --check-prefix=EARLY
// EARLY: @operand_load (warp 0){{.*}}: leaves the kernel when it has waited for 1 of 2 slots of 'operands', at whose barriers other CTAs arrive
//
// On Hopper, lanes arrive; here all of them in CTA 3.
// RUN: sed -E 's/(mapa.*, )%%r[0-9]+;/\13;/' %t.hopper.ptx > %t.far.ptx
// RUN: not compare-protocol %s --arch sm_90a --ptx %t.far.ptx | FileCheck %s --check-prefix=FAR
// FAR: arrives at the empty barrier of slot 0 of 'operands' in CTA 3, with which it shares no slot

tile.kernel @cluster(%A: !tile.view<?x?xbf16>, %B: !tile.view<?x?xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.schedule = #tile.schedule<cluster = [2, 2], slots = {operands = 2}>} {
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
