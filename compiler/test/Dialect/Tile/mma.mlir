// Every row of the tables of MMAs and block scales.
// RUN: drawloom-opt %s | drawloom-opt | FileCheck %s
// RUN: drawloom-opt %s --mlir-print-op-generic | drawloom-opt | FileCheck %s

// CHECK-LABEL: func.func @products
func.func @products(%f16: tensor<128x64xf16>, %bf16: tensor<128x64xbf16>, %f32: tensor<128x64xf32>,
                    %e4: tensor<128x64xf8E4M3FN>, %e5: tensor<128x64xf8E5M2>, %e2m3: tensor<128x64xf6E2M3FN>,
                    %e3m2: tensor<128x64xf6E3M2FN>, %f4: tensor<128x64xf4E2M1FN>, %i8: tensor<128x64xi8>,
                    %acc: tensor<128x128xf32>, %half: tensor<128x128xf16>, %int: tensor<128x128xi32>) {
  // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf32>
  %0 = tile.mma %f16, %f16, %acc : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf32>
  // CHECK: tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
  %1 = tile.mma %f16, %f16, %half : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf16>
  // CHECK: tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %2 = tile.mma %bf16, %bf16, %acc : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} tf32 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  %3 = tile.mma %f32, %f32, %acc tf32 : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  // CHECK: tensor<128x64xf8E4M3FN>, tensor<128x64xf8E5M2> -> tensor<128x128xf32>
  %4 = tile.mma %e4, %e5, %acc : tensor<128x64xf8E4M3FN>, tensor<128x64xf8E5M2> -> tensor<128x128xf32>
  // CHECK: tensor<128x64xf8E5M2>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf16>
  %5 = tile.mma %e5, %e4, %half : tensor<128x64xf8E5M2>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf16>
  // CHECK: tensor<128x64xf6E2M3FN>, tensor<128x64xf6E3M2FN> -> tensor<128x128xf32>
  %6 = tile.mma %e2m3, %e3m2, %acc : tensor<128x64xf6E2M3FN>, tensor<128x64xf6E3M2FN> -> tensor<128x128xf32>
  // CHECK: tensor<128x64xf4E2M1FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
  %7 = tile.mma %f4, %e4, %acc : tensor<128x64xf4E2M1FN>, tensor<128x64xf8E4M3FN> -> tensor<128x128xf32>
  // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} tf32 negated pair :
  %n = tile.mma %f32, %f32, %acc tf32 negated pair : tensor<128x64xf32>, tensor<128x64xf32> -> tensor<128x128xf32>
  // CHECK: tensor<128x64xi8>, tensor<128x64xi8> -> tensor<128x128xi32>
  %8 = tile.mma %i8, %i8, %int : tensor<128x64xi8>, tensor<128x64xi8> -> tensor<128x128xi32>
  return
}

// CHECK-LABEL: func.func @scales
func.func @scales(%e4: tensor<128x64xf8E4M3FN>, %e3m2: tensor<128x64xf6E3M2FN>, %f4: tensor<128x64xf4E2M1FN>,
                  %mx: tensor<128x2xf8E8M0FNU>, %mx16: tensor<128x4xf8E8M0FNU>, %nv: tensor<128x4xf8E4M3FN>,
                  %acc: tensor<128x128xf32>) {
  // CHECK: tile.mma %{{.*}}, %{{.*}}, %{{.*}} scales(%{{.*}}, %{{.*}} : tensor<128x2xf8E8M0FNU>, tensor<128x2xf8E8M0FNU>) : tensor<128x64xf8E4M3FN>, tensor<128x64xf6E3M2FN> -> tensor<128x128xf32>
  %0 = tile.mma %e4, %e3m2, %acc scales(%mx, %mx : tensor<128x2xf8E8M0FNU>, tensor<128x2xf8E8M0FNU>)
    : tensor<128x64xf8E4M3FN>, tensor<128x64xf6E3M2FN> -> tensor<128x128xf32>
  // CHECK: scales(%{{.*}}, %{{.*}} : tensor<128x4xf8E8M0FNU>, tensor<128x4xf8E8M0FNU>)
  %1 = tile.mma %f4, %f4, %acc scales(%mx16, %mx16 : tensor<128x4xf8E8M0FNU>, tensor<128x4xf8E8M0FNU>)
    : tensor<128x64xf4E2M1FN>, tensor<128x64xf4E2M1FN> -> tensor<128x128xf32>
  // CHECK: scales(%{{.*}}, %{{.*}} : tensor<128x4xf8E4M3FN>, tensor<128x4xf8E4M3FN>)
  %2 = tile.mma %f4, %f4, %acc scales(%nv, %nv : tensor<128x4xf8E4M3FN>, tensor<128x4xf8E4M3FN>)
    : tensor<128x64xf4E2M1FN>, tensor<128x64xf4E2M1FN> -> tensor<128x128xf32>
  return
}
