// RUN: drawloom compile %S/../../../examples/gemm.mlir --arch sm_100a --emit plan -o %t
// RUN: drawloom-opt %t --back-half=arch=sm_100a -o %t.opt
// RUN: FileCheck %s --input-file %t.opt
// RUN: drawloom compile %t --arch sm_100a --emit nvvm -o %t.nvvm
// RUN: sed '$d' %t.opt > %t.opt-without-its-empty-line
// RUN: diff %t.opt-without-its-empty-line %t.nvvm
// RUN: not drawloom-opt %t --back-half 2>&1 | FileCheck %s --check-prefix=ARCH

// The passes of the back half by themselves do what `drawloom compile` does.

// CHECK-NOT: {{tile|agent|arith|scf}}.{{[a-z_]+}} %
// CHECK:     llvm.func @gemm
// CHECK:     nvvm.tcgen05.mma

// ARCH: error: unknown architecture ''; the known ones are sm_90a, sm_100a, sm_103a, sm_110a
