// REQUIRES: ptxas
// RUN: drawloom compile %s --arch sm_100a --emit ptx | FileCheck %s
// RUN: drawloom compile %s --arch sm_100a -o %t.cubin
// RUN: drawloom compile %s --arch sm_103a -o %t.cubin
// RUN: drawloom compile %s --arch sm_110a -o %t.cubin

// The operations of Blackwell's tensor cores, through LLVM and ptxas.

// CHECK-LABEL: .entry mma
// CHECK: .reqntid 128
// CHECK: tcgen05.alloc.cta_group::1
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global
// CHECK: tcgen05.mma.cta_group::1.kind::f16
// CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16
// CHECK: tcgen05.commit
// CHECK: tcgen05.ld.sync.aligned.32x32b.x8
// CHECK: tcgen05.wait::ld
// CHECK: tcgen05.dealloc
// CHECK: clusterlaunchcontrol.try_cancel
llvm.func @mma(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, %smem: !llvm.ptr<3>, %window: !llvm.ptr<7>, %bar: !llvm.ptr<3>, %a: i64, %b: i64, %desc: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %c0 = arith.constant 0 : i32
  %columns = arith.constant 32 : i32
  %true = arith.constant true
  nvvm.tcgen05.alloc %smem, %columns : !llvm.ptr<3>, i32
  %address = llvm.load %smem : !llvm.ptr<3> -> i32
  %d = llvm.inttoptr %address : i32 to !llvm.ptr<6>
  nvvm.cp.async.bulk.tensor.shared.cluster.global %window, %map, %bar, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr
  nvvm.tcgen05.mma %d, %a, %b, %desc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  nvvm.tcgen05.mma.block_scale %d, %a, %b, %desc, %true, %d, %d {kind = #nvvm.block_scale_kind<mxf4nvf4>, ctaGroup = #nvvm.cta_group<cta_1>, blockScale = #nvvm.tcgen05_mma_block_scale<block16>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)
  nvvm.tcgen05.commit %bar : !llvm.ptr<3>
  %v = nvvm.tcgen05.ld %d {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<8xi32>
  nvvm.tcgen05.wait #nvvm.tcgen05_wait<load>
  %e = vector.extract %v[3] : i32 from vector<8xi32>
  llvm.store %e, %out : i32, !llvm.ptr<1>
  nvvm.tcgen05.dealloc %d, %columns : !llvm.ptr<6>, i32
  nvvm.clusterlaunchcontrol.try.cancel %smem, %bar
  llvm.return
}
