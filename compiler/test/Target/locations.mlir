// RUN: drawloom compile %s --arch sm_90a --emit ptx | FileCheck %s

// Every instruction is under the line that it came from.

llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK: .loc 1 [[@LINE+2]] 10
  // CHECK: mov.u32 %r{{[0-9]+}}, %tid.x
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: .loc 1 [[@LINE+2]] 3
  // CHECK: st.global.b32
  llvm.store %tid, %out : i32, !llvm.ptr<1>
  llvm.return
}
// CHECK: .file 1 "{{.*}}locations.mlir"
