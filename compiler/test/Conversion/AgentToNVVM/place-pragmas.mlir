// What a schedule tells ptxas stands where ptxas reads it.
// RUN: drawloom-opt %s --place-pragmas | FileCheck %s

// Before fences, arrivals, commits and the barriers of a cluster; what waits or
// copies has none. A constant comes through the pragma, so that no move stands
// between. The schedule has done its work.
// CHECK-LABEL: llvm.func @syncs
// CHECK-NOT:     tile.schedule
// CHECK-NEXT:    llvm.mlir.constant
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22a hint\22;", "" : () -> ()
// CHECK-NEXT:    nvvm.fence.mbarrier.init
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22a hint\22;"
// CHECK-NEXT:    nvvm.cluster.arrive
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22a hint\22;"
// CHECK-NEXT:    nvvm.cluster.wait
// CHECK-NEXT:    nvvm.mbarrier.try_wait
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22a hint\22;"
// CHECK-NEXT:    nvvm.fence.proxy
// CHECK-NEXT:    %[[BYTES:.*]] = llvm.inline_asm has_side_effects ".pragma \22a hint\22;", "=r,0" %{{.*}} : (i32) -> i32
// CHECK-NEXT:    nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22a hint\22;"
// CHECK-NEXT:    nvvm.mbarrier.arrive
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22a hint\22;"
// CHECK-NEXT:    nvvm.tcgen05.commit
// CHECK-NEXT:    llvm.return
llvm.func @syncs(%barrier: !llvm.ptr<3>) attributes {nvvm.kernel,
    tile.schedule = #tile.schedule<pragmas = {sync = "a hint"}>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  nvvm.fence.mbarrier.init
  nvvm.cluster.arrive
  nvvm.cluster.wait
  %done = nvvm.mbarrier.try_wait %barrier, %c0 : !llvm.ptr<3>, i32 -> i1
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  nvvm.mbarrier.arrive.expect_tx %barrier, %c0 : !llvm.ptr<3>, i32
  nvvm.mbarrier.arrive %barrier : !llvm.ptr<3>
  nvvm.tcgen05.commit %barrier : !llvm.ptr<3>
  llvm.return
}

// What is inline assembly already has the pragma before its own lines.
// CHECK-LABEL: llvm.func @assembly
// CHECK-NEXT:    llvm.inline_asm has_side_effects "{\0A.pragma \22a hint\22;\0A@p fence.proxy.async;\0Amov.b32 x, y;\0A}", "" : () -> ()
llvm.func @assembly() attributes {nvvm.kernel,
    tile.schedule = #tile.schedule<pragmas = {sync = "a hint"}>} {
  llvm.inline_asm has_side_effects "{\0A@p fence.proxy.async;\0Amov.b32 x, y;\0A}", "" : () -> ()
  llvm.return
}

// Once, before the first instruction.
// CHECK-LABEL: llvm.func @begins
// CHECK-NEXT:    llvm.inline_asm has_side_effects ".pragma \22nounroll\22;", "" : () -> ()
// CHECK-NEXT:    nvvm.mbarrier.arrive
// CHECK-NEXT:    llvm.return
llvm.func @begins(%barrier: !llvm.ptr<3>) attributes {nvvm.kernel,
    tile.schedule = #tile.schedule<pragmas = {entry = "nounroll"}>} {
  nvvm.mbarrier.arrive %barrier : !llvm.ptr<3>
  llvm.return
}

// Nothing asks for any.
// CHECK-LABEL: llvm.func @silent
// CHECK-NOT:     .pragma
llvm.func @silent(%barrier: !llvm.ptr<3>) attributes {nvvm.kernel} {
  nvvm.mbarrier.arrive %barrier : !llvm.ptr<3>
  llvm.return
}
