// A module of llvm and nvvm operations stays as it is.
// RUN: drawloom-opt %s --check-lowered --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: llvm.func @lowered
llvm.func @lowered(%x: f32) -> f32 attributes {nvvm.kernel} {
  // CHECK-NEXT: llvm.fadd
  %0 = llvm.fadd %x, %x : f32
  llvm.return %0 : f32
}

// -----

llvm.func @left(%x: f32) attributes {nvvm.kernel} {
  // expected-error@+1 {{'math.sqrt' cannot be compiled to PTX}}
  %s = math.sqrt %x : f32
  llvm.return
}
