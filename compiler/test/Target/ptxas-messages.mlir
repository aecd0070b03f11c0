// REQUIRES: ptxas
// RUN: split-file %s %t
// RUN: not drawloom compile %t/assembly.mlir --arch sm_90a 2>&1 | FileCheck %t/assembly.mlir --match-full-lines
// RUN: not drawloom compile %t/budget.mlir --arch sm_90a 2>&1 | FileCheck %t/budget.mlir
// RUN: drawloom compile %t/fixed-budget.mlir --arch sm_90a -o %t/x.cubin 2>&1 | FileCheck %t/fixed-budget.mlir
// RUN: not drawloom compile %t/shared.mlir --arch sm_90a 2>&1 | FileCheck %t/shared.mlir
// RUN: drawloom compile %t/warning.mlir --arch sm_90a -o %t/x.cubin 2>&1 | FileCheck %t/warning.mlir
// RUN: drawloom compile %t/spill.mlir --arch sm_90a -o %t/x.cubin 2>&1 | FileCheck %t/spill.mlir

// What ptxas says about a line of PTX is said about the operation.

//--- assembly.mlir
llvm.func @first(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  llvm.return
}
llvm.func @second(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: {{.*}}assembly.mlir:[[@LINE+4]]:8: error: ptxas: Not a name of any known instruction: 'frobnicate'
  // CHECK-NEXT: {{.*}}%x = nvvm.inline_ptx "frobnicate $0, $1;" ro(%tid : i32) -> i32
  // CHECK-NEXT: {{ *}}^
  // CHECK-NEXT: {{.*}}assembly.mlir:[[@LINE+1]]:8: note: line {{[0-9]+}} of the PTX: frobnicate %r1, %r2;
  %x = nvvm.inline_ptx "frobnicate $0, $1;" ro(%tid : i32) -> i32
  llvm.store %x, %out : i32, !llvm.ptr<1>
  llvm.return
}

//--- budget.mlir
// Without a fixed register count at entry, ptxas ignores setmaxnreg. It says
// so as information, and here it is an error.
llvm.func @fixed() attributes {nvvm.kernel, nvvm.maxnreg = 128} {
  nvvm.setmaxregister decrease 40
  llvm.return
}
llvm.func @loose() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  // CHECK:      budget.mlir:[[@LINE+6]]:3: error: setmaxnreg would have no effect: the number of registers that kernel 'loose' enters with is not fixed
  // CHECK-NEXT: nvvm.setmaxregister decrease 40
  // CHECK-NEXT: ^
  // CHECK-NEXT: budget.mlir:[[@LINE-4]]:1: note: give the kernel nvvm.maxnreg, or nvvm.reqntid with nvvm.minctasm
  // CHECK:      budget.mlir:[[@LINE+2]]:3: note: ptxas: Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry. (C7508)
  // CHECK-NOT:  error
  nvvm.setmaxregister decrease 40
  llvm.return
}

//--- fixed-budget.mlir
// CHECK-NOT: error
// CHECK: k 255
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>, nvvm.minctasm = 1} {
  nvvm.setmaxregister decrease 40
  llvm.return
}

//--- shared.mlir
// A message that names a function and no line is about the function.
llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<232449 x i8>
// CHECK: shared.mlir:[[@LINE+1]]:1: error: ptxas: Entry function 'k' uses too much shared data (0x38c01 bytes, 0x38c00 max)
llvm.func @k(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %v = llvm.load volatile %tile : !llvm.ptr<3> -> i32
  llvm.store %v, %out : i32, !llvm.ptr<1>
  llvm.return
}

//--- warning.mlir
// CHECK: warning.mlir:[[@LINE+1]]:1: warning: ptxas: .minnctapersm is ignored
llvm.func @k() attributes {nvvm.kernel, nvvm.minctasm = 1} {
  llvm.return
}

//--- spill.mlir
// 64 values live at once do not fit in 24 registers.
// CHECK: spill.mlir:[[@LINE+1]]:1: warning: kernel 'k' spills registers to local memory: {{[1-9][0-9]*}} bytes of stores and {{[1-9][0-9]*}} bytes of loads a thread, with 24 registers
llvm.func @k(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.maxnreg = 24} {
  %v = llvm.load volatile %in {alignment = 4 : i64} : !llvm.ptr<1> -> vector<64xf32>
  nvvm.barrier0
  llvm.store volatile %v, %out {alignment = 4 : i64} : vector<64xf32>, !llvm.ptr<1>
  llvm.return
}
