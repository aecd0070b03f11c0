// RUN: drawloom compile %s --arch sm_90a --emit nvvm | FileCheck %s

// Upstream's passes lower what is neither nvvm nor llvm.

// CHECK-LABEL: llvm.func @k
// CHECK-NOT:   {{arith|scf|cf|vector|ub}}.
llvm.func @k(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: llvm.icmp "ult"
  %inside = arith.cmpi ult, %tid, %n : i32
  // CHECK: llvm.cond_br
  scf.if %inside {
    %v = llvm.load %out {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    // CHECK: llvm.extractelement
    %e = vector.extract %v[1] : f32 from vector<4xf32>
    // CHECK: llvm.fadd
    %s = arith.addf %e, %e : f32
    llvm.store %s, %out : f32, !llvm.ptr<1>
  }
  llvm.return
}
