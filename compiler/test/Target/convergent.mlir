// RUN: drawloom compile %s --arch sm_90a --emit llvm | FileCheck %s

// LLVM may duplicate a call that is not convergent into both arms of a branch.
// Inline assembly, and nvvm operations that become assembly, must not be; nor a
// call to a function that may hold some.

// CHECK: define ptx_kernel void @k({{.*}} #[[CONVERGENT:[0-9]+]]
// CHECK: call i32 asm sideeffect "shfl.sync{{.*}} #[[CONVERGENT]]
// CHECK: call void asm sideeffect "{{.*}}mbarrier.try_wait.parity{{.*}} #[[CONVERGENT]]
// CHECK: call void @other(){{.*}} #[[CONVERGENT]]
// CHECK: declare {{.*}}void @other() #[[CONVERGENT]]
// CHECK: attributes #[[CONVERGENT]] = { convergent }
llvm.func @k(%out: !llvm.ptr<1>, %bar: !llvm.ptr<3>, %n: i32) attributes {nvvm.kernel} {
  %r = nvvm.inline_ptx "shfl.sync.idx.b32 $0, $1, 0, 31, -1;" ro(%n : i32) -> i32
  nvvm.mbarrier.try_wait.parity %bar, %n, %n : !llvm.ptr<3>, i32, i32
  llvm.call @other() : () -> ()
  llvm.store %r, %out : i32, !llvm.ptr<1>
  llvm.return
}
llvm.func @other()
