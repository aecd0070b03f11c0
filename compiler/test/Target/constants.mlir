// RUN: drawloom compile %s --arch sm_90a --emit ptx | FileCheck %s

// A number that is the same in every iteration is no register that a loop
// carries: a ring with one slot goes from slot 0 to slot 0.

// CHECK-LABEL: .entry k
// CHECK-NOT:   selp
// CHECK:       st.shared.b32 {{\[}}{{%r[0-9]+}}], %r
// CHECK-NOT:   selp
// CHECK:       ret
llvm.func @k(%tile: !llvm.ptr<3>, %count: i32) attributes {nvvm.kernel} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^loop(%c0, %c0 : i32, i32)
^loop(%i: i32, %slot: i32):
  %to = llvm.getelementptr %tile[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %i, %to : i32, !llvm.ptr<3>
  %next = llvm.add %slot, %c1 : i32
  %wraps = llvm.icmp "eq" %next, %c1 : i32
  %new = llvm.select %wraps, %c0, %next : i1, i32
  %j = llvm.add %i, %c1 : i32
  %again = llvm.icmp "slt" %j, %count : i32
  llvm.cond_br %again, ^loop(%j, %new : i32, i32), ^end
^end:
  llvm.return
}
