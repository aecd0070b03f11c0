// A module that the GPU has everything for stays as it is. What is refused is in refused.mlir; here is one of each check alone.
// RUN: drawloom-opt %s --check-kernels=arch=sm_90a --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: llvm.func @fits() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
llvm.func @fits() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  llvm.return
}

// -----

// expected-error@+1 {{kernel 'k' asks for 1056 threads in a CTA (nvvm.reqntid array<i32: 32, 33>), and sm_90a has at most 1024 [thread-limit]}}
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 33>} {
  llvm.return
}
