// RUN: drawloom compile %s --arch sm_90a --emit ptx | FileCheck %s

// Pointers to shared memory are 32 bits wide, in registers and in arithmetic.

// CHECK-LABEL: .entry k
// CHECK:       ld.param.b32 [[BASE:%r[0-9]+]]
// CHECK:       shl.b32 [[OFFSET:%r[0-9]+]]
// CHECK:       add.s32 [[ADDRESS:%r[0-9]+]], [[BASE]], [[OFFSET]]
// CHECK:       st.shared.b32 {{\[}}[[ADDRESS]]]
llvm.func @k(%tile: !llvm.ptr<3>) attributes {nvvm.kernel} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %to = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %tid, %to : i32, !llvm.ptr<3>
  llvm.return
}
