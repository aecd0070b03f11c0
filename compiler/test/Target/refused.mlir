// RUN: split-file %s %t
// RUN: not drawloom compile %t/no-kernel.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/no-kernel.mlir
// RUN: not drawloom compile %t/grid-constant.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/grid-constant.mlir
// RUN: not drawloom compile %t/map-in-assembly.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/map-in-assembly.mlir
// RUN: not drawloom compile %t/map-align.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/map-align.mlir
// RUN: not drawloom compile %t/threads.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/threads.mlir
// RUN: not drawloom compile %t/cluster.mlir --arch sm_110a --emit ptx 2>&1 | FileCheck %t/cluster.mlir
// RUN: not drawloom compile %t/tensor-memory.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/tensor-memory.mlir
// RUN: not drawloom compile %t/intrinsic.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/intrinsic.mlir
// RUN: not drawloom compile %t/wgmma.mlir --arch sm_100a --emit ptx 2>&1 | FileCheck %t/wgmma.mlir
// RUN: not drawloom compile %t/clc.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/clc.mlir
// RUN: not drawloom compile %t/foreign.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/foreign.mlir
// RUN: not drawloom compile %t/type.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/type.mlir
// RUN: not drawloom compile %t/cast.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/cast.mlir
// RUN: not drawloom compile %t/select.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/select.mlir
// RUN: not drawloom compile %t/back-end.mlir --arch sm_90a --emit ptx 2>&1 | FileCheck %t/back-end.mlir

// What is refused before code is generated, and with which words.

//--- no-kernel.mlir
// CHECK: no-kernel.mlir:2:1: error: there is no kernel in this module: mark an llvm.func with nvvm.kernel [no-kernel]
module {
  llvm.func @f() {
    llvm.return
  }
}

//--- grid-constant.mlir
// CHECK: grid-constant.mlir:4:14: error: parameter 0 of kernel 'k' is passed by value and is no grid constant: LLVM would copy it to local memory, and 'nvvm.prefetch' would read the copy [kernel-parameter]
// CHECK: grid-constant.mlir:5:3: note: it is read here
// CHECK: grid-constant.mlir:4:14: note: add nvvm.grid_constant to the parameter's attributes
llvm.func @k(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64}) attributes {nvvm.kernel} {
  nvvm.prefetch tensormap, %map : !llvm.ptr
  llvm.return
}

//--- map-in-assembly.mlir
// CHECK: error: parameter 0 of kernel 'k' is passed by value and is no grid constant: LLVM would copy it to local memory, and 'nvvm.inline_ptx' would read the copy [kernel-parameter]
llvm.func @k(%map: !llvm.ptr {llvm.byval = !llvm.array<2 x array<128 x i8>>, llvm.align = 64 : i64}) attributes {nvvm.kernel} {
  %second = llvm.getelementptr %map[128] : (!llvm.ptr) -> !llvm.ptr, i8
  nvvm.inline_ptx "prefetch.tensormap [$0];" ro(%second : !llvm.ptr)
  llvm.return
}

//--- map-align.mlir
// CHECK: map-align.mlir:2:14: error: parameter 0 of kernel 'k' is a tensor map aligned to 16 bytes; a tensor map needs 64: add llvm.align = 64 : i64 [kernel-parameter]
llvm.func @k(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 16 : i64, nvvm.grid_constant}) attributes {nvvm.kernel} {
  nvvm.prefetch tensormap, %map : !llvm.ptr
  llvm.return
}

//--- threads.mlir
// CHECK: threads.mlir:2:1: error: kernel 'k' asks for 1056 threads in a CTA (nvvm.reqntid array<i32: 32, 33>), and sm_90a has at most 1024 [thread-limit]
llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 33>} {
  llvm.return
}

//--- cluster.mlir
// CHECK: cluster.mlir:2:1: error: kernel 'k' asks for 16 CTAs in a cluster (nvvm.cluster_dim array<i32: 8, 2, 1>), and sm_110a has at most 8 [thread-limit]
llvm.func @k() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 8, 2, 1>} {
  llvm.return
}

//--- tensor-memory.mlir
// CHECK: tensor-memory.mlir:3:3: error: 'nvvm.tcgen05.wait' needs tensor memory, which sm_90a does not have; compile for sm_100a, sm_103a, sm_110a
llvm.func @k() attributes {nvvm.kernel} {
  nvvm.tcgen05.wait #nvvm.tcgen05_wait<load>
  llvm.return
}

//--- intrinsic.mlir
// CHECK: intrinsic.mlir:3:3: error: 'nvvm.tcgen05.wait.ld' needs tensor memory, which sm_90a does not have; compile for {{.*}} [unsupported-instruction]
llvm.func @k() attributes {nvvm.kernel} {
  llvm.call_intrinsic "llvm.nvvm.tcgen05.wait.ld"() : () -> ()
  llvm.return
}

//--- wgmma.mlir
// CHECK: wgmma.mlir:3:3: error: 'nvvm.wgmma.fence.aligned' needs warp-group MMA, which sm_100a does not have; compile for sm_90a
llvm.func @k() attributes {nvvm.kernel} {
  nvvm.wgmma.fence.aligned
  llvm.return
}

//--- clc.mlir
// CHECK: clc.mlir:3:3: error: 'nvvm.clusterlaunchcontrol.try.cancel' needs cluster launch control, which sm_90a does not have; compile for sm_100a, sm_103a, sm_110a
llvm.func @k(%a: !llvm.ptr<3>, %b: !llvm.ptr<3>) attributes {nvvm.kernel} {
  nvvm.clusterlaunchcontrol.try.cancel %a, %b
  llvm.return
}

//--- foreign.mlir
// CHECK: foreign.mlir:4:8: error: 'arith.addf' cannot be compiled to PTX: a kernel is an llvm.func of nvvm and llvm operations, and scf, cf, arith, vector and ub are lowered to these [not-lowered]
llvm.func @k(%v: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %t = builtin.unrealized_conversion_cast %v : i64 to tensor<4xf32>
  %u = arith.addf %t, %t : tensor<4xf32>
  %w = builtin.unrealized_conversion_cast %u : tensor<4xf32> to i64
  llvm.store %w, %out : i64, !llvm.ptr<1>
  llvm.return
}

//--- type.mlir
// CHECK: type.mlir:3:8: error: the type 'tensor<4xf32>' has no counterpart in the llvm dialect [not-lowered]
llvm.func @k(%v: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %t = builtin.unrealized_conversion_cast %v : i64 to tensor<4xf32>
  %w = builtin.unrealized_conversion_cast %t : tensor<4xf32> to i32
  llvm.store %w, %out : i32, !llvm.ptr<1>
  llvm.return
}

//--- cast.mlir
// CHECK: cast.mlir:3:8: error: this cast between 'i64' and 'i32' is not a conversion that LLVM has [not-lowered]
llvm.func @k(%v: i64, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %w = builtin.unrealized_conversion_cast %v : i64 to i32
  llvm.store %w, %out : i32, !llvm.ptr<1>
  llvm.return
}

//--- select.mlir
// CHECK: drawloom: LLVM's NVPTX back end cannot compile this: Cannot select: intrinsic %llvm.nvvm.redux.sync.fmin
llvm.func @k(%x: f32, %m: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %r = nvvm.redux.sync fmin %x, %m : f32 -> f32
  llvm.store %r, %out : f32, !llvm.ptr<1>
  llvm.return
}

//--- back-end.mlir
// What LLVM says is handed on.
// CHECK: back-end.mlir:0:0: error: NVPTX back end: couldn't allocate output register for constraint 'z' [nvptx]
llvm.func @constraint() attributes {nvvm.kernel} {
  %0 = llvm.inline_asm has_side_effects "mov.b32 $0, 0;", "=z" : () -> i32
  llvm.return
}
