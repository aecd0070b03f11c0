// Copies an array through shared memory with the bulk copy engine: each CTA
// brings in 4 KiB with one instruction, waits for the bytes on an mbarrier, and
// sends them out with one more.
//
//   drawloom compile examples/nvvm/copy_bulk.mlir --arch sm_90a --emit ptx
//
// Launch it with one CTA of 128 threads for every 4 KiB.

llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<4096 x i8>
llvm.mlir.global internal @full() {addr_space = 3 : i32, alignment = 8 : i64} : i64

llvm.func @copy_bulk(%source: !llvm.ptr<1>, %target: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i32
  %true = arith.constant true
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  %full = llvm.mlir.addressof @full : !llvm.ptr<3>

  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %cta = nvvm.read.ptx.sreg.ctaid.x : i32
  %leads = arith.cmpi eq, %thread, %c0 : i32
  %offset = arith.muli %cta, %bytes : i32
  %offset64 = arith.extui %offset : i32 to i64
  %from = llvm.getelementptr %source[%offset64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %to = llvm.getelementptr %target[%offset64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8

  // One thread makes the barrier: one arrival, and then the bytes.
  scf.if %leads {
    nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
  }
  nvvm.barrier0

  // It says how many bytes will come, and asks for them.
  scf.if %leads {
    nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %tile, %from, %full, %bytes : !llvm.ptr<3>, !llvm.ptr<1>
  }

  // All threads wait for phase 0 of the barrier. A wait may return too early.
  scf.while : () -> () {
    %done = nvvm.mbarrier.try_wait %full, %c0 : !llvm.ptr<3>, i32 -> i1
    %again = arith.xori %done, %true : i1
    scf.condition(%again)
  } do {
    scf.yield
  }

  // The store reads shared memory behind the threads' backs, so the one that
  // asked for it stays until it has read everything.
  scf.if %leads {
    nvvm.cp.async.bulk.global.shared.cta %to, %tile, %bytes : !llvm.ptr<1>, !llvm.ptr<3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0 {read}
  }
  llvm.return
}
