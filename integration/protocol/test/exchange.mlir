// Two CTAs hand each other the sums of their parts of rows. One number of the
// PTX is changed at a time: which CTA is signaled, and how a CTA exits.
//
// RUN: compare-protocol %s --arch sm_100a --emit-ptx %t.ptx | FileCheck %s --check-prefix=AGREE
// RUN: compare-protocol %s --arch sm_90a | FileCheck %s --check-prefix=AGREE
// AGREE: protocol: plan and PTX agree for 1 kernel
//
// Of four addresses in other CTAs, the third one is that of the barrier which
// says that a part is there, and the fourth that a slot was read. Here both CTAs
// tell the first one.
// RUN: awk '/mapa/ && ++n == 3 {sub(/%%r[0-9]+;/, "0;")} {print}' %t.ptx > %t.full.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.full.ptx | FileCheck %s --check-prefix=FULL
// FULL: @exchange: 16 lanes arrive at the full barriers of 'exchange', the plan says 8
// RUN: awk '/mapa/ && ++n == 4 {sub(/%%r[0-9]+;/, "0;")} {print}' %t.ptx > %t.empty.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.empty.ptx | FileCheck %s --check-prefix=EMPTY
// EMPTY: @exchange: 16 lanes arrive at the empty barriers of 'exchange', the plan says 8
//
// It reads what the other CTA may not have written.
// RUN: awk '/try_wait/ && ++n == 4 {match($0, /%%p[0-9]+/); print "setp.eq.b32 " substr($0, RSTART, RLENGTH) ", %%r1, %%r1;"; next} {print}' %t.ptx > %t.early.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.early.ptx | FileCheck %s --check-prefix=EARLY
// EARLY: @compute (warp 4){{.*}}: arrives at the empty barrier of slot 0 of 'exchange' without a slot of its own
//
// It leaves while the other CTA may still tell it something.
// RUN: awk '/try_wait/ && ++n == 6 {match($0, /%%p[0-9]+/); print "setp.eq.b32 " substr($0, RSTART, RLENGTH) ", %%r1, %%r1;"; next} {print}' %t.ptx > %t.leaves.ptx
// RUN: not compare-protocol %s --arch sm_100a --ptx %t.leaves.ptx | FileCheck %s --check-prefix=LEAVES
// LEAVES: @compute (warp 4): leaves the kernel when it has waited for 1 of 2 slots of 'exchange', at whose barriers other CTAs arrive

tile.kernel @exchange(%X: !tile.view<?x1024xf32>, %S: !tile.view<?xf32>) attributes {tile.schedule = #tile.schedule<cluster = [1, 2], slots = {X = 2}>} {
  %rows = tile.dim %X, 0 : !tile.view<?x1024xf32>
  tile.for_each (%m) tiles [8] of [%rows] {
    %x = tile.load %X[%m, 0] : !tile.view<?x1024xf32> -> tensor<8x1024xf32>
    %s = tile.reduce addf %x axis 1 : tensor<8x1024xf32> -> tensor<8xf32>
    tile.store %s, %S[%m] : tensor<8xf32>, !tile.view<?xf32>
  }
}
