// RUN: drawloom compile %s --arch sm_90a --emit ptx | FileCheck %s

// A load stays on its side of a barrier, also when it is wide and its value is
// only stored.

// CHECK-LABEL: .entry k
// CHECK-NOT:   st.global
// CHECK:       ld.global
// CHECK-NOT:   st.global
// CHECK:       bar.sync 0
// CHECK-NOT:   ld.global
// CHECK:       st.global
// CHECK-NOT:   ld.global
// CHECK:       ret
llvm.func @k(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %v = llvm.load %in {alignment = 16 : i64} : !llvm.ptr<1> -> vector<32xf32>
  nvvm.barrier0
  llvm.store %v, %out {alignment = 16 : i64} : vector<32xf32>, !llvm.ptr<1>
  llvm.return
}
