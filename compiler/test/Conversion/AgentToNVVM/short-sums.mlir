// RUN: sed 's/ARCH/sm_100a/' %s | drawloom-opt --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s
// RUN: sed 's/ARCH/sm_90a/' %s | drawloom-opt --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s --check-prefix=HOPPER
// RUN: sed 's/ARCH/sm_100a/' %s | drawloom-opt - -o %t.mlir && drawloom compile %t.mlir --arch sm_100a --emit ptx | FileCheck %s --check-prefix=PTX

// Blackwell extends a bf16 and adds it with one instruction, so each element
// has an addition of its own. Hopper extends a row once, for all rows of a
// thread, and adds vectors.

// CHECK-LABEL: llvm.func @sum(
// CHECK:         %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.addf %{{.*}}, %[[WIDE]] : f32
// HOPPER-LABEL: llvm.func @sum(
// HOPPER:         arith.addf %{{.*}} : vector
// PTX-LABEL: .entry sum(
// PTX:         add.rn.f32.bf16
tile.kernel @sum(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xbf16>, %z: !tile.view<?x?xf32>) attributes {tile.target = "ARCH"} {
  tile.for_each (%i, %j) tiles [128, 64] of %z : !tile.view<?x?xf32> {
    %a = tile.load %x[%i, %j] : !tile.view<?x?xf32> -> tensor<128x64xf32>
    %s = tile.load %y[%i, %j] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
    %f = arith.extf %s : tensor<128x64xbf16> to tensor<128x64xf32>
    %b = arith.addf %a, %f : tensor<128x64xf32>
    tile.store %b, %z[%i, %j] : tensor<128x64xf32>, !tile.view<?x?xf32>
  }
}
