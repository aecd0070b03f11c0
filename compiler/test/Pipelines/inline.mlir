// What a function calls is a part of its kernel, and private functions that
// have no callers any more are gone.
// RUN: drawloom-opt %s --front-half | FileCheck %s

// CHECK-NOT:   func.func
// CHECK:       tile.kernel @linear(
// CHECK:         tile.mma
// CHECK:         arith.maximumf
// CHECK-NOT:   func.call
// CHECK-NOT:   tile.kernel
func.func @linear(%a: tensor<256x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<256x256xf32>
    attributes {tile.target = "sm_100a"} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %sum = linalg.matmul ins(%a, %b : tensor<256x128xbf16>, tensor<128x256xbf16>)
      outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  %result = func.call @relu(%sum) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %result : tensor<256x256xf32>
}

func.func private @relu(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant dense<0.0> : tensor<256x256xf32>
  %result = arith.maximumf %x, %zero : tensor<256x256xf32>
  return %result : tensor<256x256xf32>
}
