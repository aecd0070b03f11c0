// The last commit of @mma gives a slot of operands back: the product is inside
// the consume. So the load role waits for that slot before it exits.
//
// RUN: compare-protocol %s --emit-ptx %t.ptx | FileCheck %s --check-prefix=AGREE
// AGREE: protocol: plan and PTX agree for 1 kernel
//
// Another slot than the last.
// RUN: sed -E 's/(selp.b32[[:space:]]+%%r[0-9]+), 1, (%%r)/\1, 0, \2/' %t.ptx > %t.slot.ptx
// RUN: not compare-protocol %s --ptx %t.slot.ptx | FileCheck %s --check-prefix=SLOT
// SLOT: @product, @operand_load (warp 0): leaves the kernel with 1 slots of 'operands' in its hands
//
// No wait.
// RUN: sed -E '/selp.b32[[:space:]]+%%r[0-9]+, 1, %%r/,/try_wait/s/mbarrier.try_wait[^%%]*(%%p[0-9]+).*/setp.eq.b32 \1, %%r1, %%r1;/' %t.ptx > %t.none.ptx
// RUN: not compare-protocol %s --ptx %t.none.ptx | FileCheck %s --check-prefix=NONE
// NONE: @product: the last commit of a role gives a slot of 'operands' back, and @operand_load leaves without a wait for it
//
// The commits in the other order, so that no role has to wait.
// RUN: sed -zE 's/(.*)(\ttcgen05\.commit[^\n]*\n)(.*)(\ttcgen05\.commit[^\n]*\n)/\1\3\4\2/' %t.ptx > %t.order.ptx
// RUN: not compare-protocol %s --ptx %t.order.ptx | FileCheck %s --check-prefix=ORDER
// ORDER: @product: @operand_load leaves with a wait for a slot of 'operands', which no role's last commit releases

tile.kernel @product(%A: !tile.view<?x64xbf16>, %B: !tile.view<?x64xbf16>, %D: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<slots = {operands = 2}>} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.for_each (%m, %n) tiles [128, 128] of %D : !tile.view<?x?xbf16> {
    %a = tile.load %A[%m, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %b = tile.load %B[%n, 0] : !tile.view<?x64xbf16> -> tensor<128x64xbf16>
    %t = tile.mma %a, %b, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    %o = arith.truncf %t : tensor<128x128xf32> to tensor<128x128xbf16>
    tile.store %o, %D[%m, %n] : tensor<128x128xbf16>, !tile.view<?x?xbf16>
  }
}
