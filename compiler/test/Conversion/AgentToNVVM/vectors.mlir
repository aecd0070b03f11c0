// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// A role without MMAs: lanes along the columns, warps along the rows, two of
// them in a thread. A row is in one warp, so its sum needs shuffles and no
// barrier; the weights of the columns are the same for all rows, so a thread
// loads its eight once.

// CHECK-LABEL: llvm.func @scale_rows(
// CHECK-SAME:    #agent.parameter<pointer, argument = 1>
// CHECK-SAME:    #agent.parameter<size, argument = 1, dimension = 0>

// Eight bf16 of a lane are one access of shared memory.
// CHECK:         llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-NOT:     nvvm.barrier id
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK-NOT:     nvvm.shfl.sync

// The quotient and the root are instructions.
// CHECK:         llvm.nvvm.rsqrt.approx.f

// Inside the view and aligned, one wide load of words; else guarded ones.
// CHECK:         scf.if
// CHECK:           llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xi32>
// CHECK:         } else {
// CHECK-COUNT-8:   @$1 ld.global.b16
// CHECK-NOT:       @$1 ld.global.b16
// CHECK:         llvm.store {{.*}} : vector<8xbf16>, !llvm.ptr<3>
tile.kernel @scale_rows(%X: !tile.view<?x?xbf16>, %weight: !tile.view<?xbf16>,
                        %Y: !tile.view<?x?xbf16>) attributes {tile.target = "sm_100a"} {
  tile.for_each (%m, %n) tiles [8, 256] of %X : !tile.view<?x?xbf16> {
    %x16 = tile.load %X[%m, %n] : !tile.view<?x?xbf16> -> tensor<8x256xbf16>
    %x = arith.extf %x16 : tensor<8x256xbf16> to tensor<8x256xf32>
    %sum = tile.reduce addf %x axis 1 : tensor<8x256xf32> -> tensor<8xf32>
    %root = math.rsqrt %sum : tensor<8xf32>
    %column = tile.expand_dims %root axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %roots = tile.broadcast %column : tensor<8x1xf32> -> tensor<8x256xf32>
    %w16 = tile.load %weight[%n] : !tile.view<?xbf16> -> tensor<256xbf16>
    %w = arith.extf %w16 : tensor<256xbf16> to tensor<256xf32>
    %row = tile.expand_dims %w axis 0 : tensor<256xf32> -> tensor<1x256xf32>
    %weights = tile.broadcast %row : tensor<1x256xf32> -> tensor<8x256xf32>
    %scaled = arith.mulf %x, %roots : tensor<8x256xf32>
    %y = arith.mulf %scaled, %weights : tensor<8x256xf32>
    %y16 = arith.truncf %y : tensor<8x256xf32> to tensor<8x256xbf16>
    tile.store %y16, %Y[%m, %n] : tensor<8x256xbf16>, !tile.view<?x?xbf16>
  }
}
