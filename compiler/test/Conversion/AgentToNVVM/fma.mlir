// A product that only a sum reads is a part of an FMA. A constant factor of what a
// maximum is taken of is joined with that of the exponent: scores are scaled
// once, where the maximum is subtracted.
// RUN: drawloom-opt %s --front-half --lower-work-tiles --assign-slot-phase --lower-pipes --schedule-wgmma --unroll-slices --access-memory --convert-agent-to-nvvm | FileCheck %s

// CHECK-LABEL: llvm.func @exponents(
// CHECK:         %[[BOTH:.*]] = arith.constant dense<0.360673755> : vector<
// CHECK:         llvm.intr.fma(%{{.*}}, %[[BOTH]], %{{.*}})

// CHECK:         llvm.nvvm.ex2.approx.ftz.f32
tile.kernel @exponents(%X: !tile.view<?x64xf32>, %Y: !tile.view<?x64xf32>) attributes {tile.target = "sm_100a"} {
  %scale = arith.constant dense<0.25> : tensor<64x64xf32>
  %log2e = arith.constant dense<1.44269502> : tensor<64x64xf32>
  tile.for_each (%m, %n) tiles [64, 64] of %X : !tile.view<?x64xf32> {
    %x = tile.load %X[%m, %n] : !tile.view<?x64xf32> -> tensor<64x64xf32>
    %s = arith.mulf %x, %scale : tensor<64x64xf32>
    %max = tile.reduce maximumf %s axis 1 : tensor<64x64xf32> -> tensor<64xf32>
    %column = tile.expand_dims %max axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %maxima = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
    %e = arith.mulf %s, %log2e : tensor<64x64xf32>
    %d = arith.subf %e, %maxima : tensor<64x64xf32>
    %p = math.exp2 %d : tensor<64x64xf32>
    tile.store %p, %Y[%m, %n] : tensor<64x64xf32>, !tile.view<?x64xf32>
  }
}
