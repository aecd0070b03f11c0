// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// With 'afn' a function is the hardware's approximation, without it is not. A
// bf16 is the upper half of an f32: a shift or a mask extends it.

// CHECK-LABEL: llvm.func @approximations(
// CHECK:         vector.bitcast %{{.*}} : vector<16xbf16> to vector<8xi32>
// CHECK:         arith.shli %{{.*}} : i32
// CHECK:         arith.andi %{{.*}} : i32
// CHECK-NOT:     arith.extf
// CHECK:         llvm.intr.tanh(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (vector<16xf32>) -> vector<16xf32>
// CHECK-NOT:     llvm.intr.tanh
// CHECK:         llvm.nvvm.rcp.approx.ftz.f
// CHECK-NOT:     llvm.intr.roundeven
// CHECK:         llvm.nvvm.ex2.approx.ftz.f32
tile.kernel @approximations(%X: !tile.view<?x?xbf16>, %Y: !tile.view<?x?xf32>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xbf16> {
    %x16 = tile.load %X[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x256xbf16>
    %x = arith.extf %x16 : tensor<8x256xbf16> to tensor<8x256xf32>
    %a = math.tanh %x fastmath<afn> : tensor<8x256xf32>
    %b = math.tanh %a : tensor<8x256xf32>
    %y = math.exp %b fastmath<afn> : tensor<8x256xf32>
    tile.store %y, %Y[%m, %n] : tensor<8x256xf32>, !tile.view<?x?xf32>
  }
}
