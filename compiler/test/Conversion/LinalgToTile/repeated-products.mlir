// RUN: drawloom-opt %s --convert-linalg-to-tile --split-input-file | FileCheck %s

// A softmax reads the logits three times, and each of them is a product of its own.
// CHECK-LABEL: tile.kernel @router
// CHECK-SAME:  "mma: the program has 1 matrix product, and each work tile executes 3: what several operations read is computed again for each of them"
// CHECK-COUNT-3: tile.mma
func.func @router(%x: tensor<128x128xbf16> {tile.name = "x"}, %w: tensor<128x16xbf16> {tile.name = "w"}) -> (tensor<128x16xf32> {tile.name = "p"}) attributes {tile.target = "sm_100a"} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x16xf32>) -> tensor<128x16xf32>
  %l = linalg.matmul ins(%x, %w : tensor<128x128xbf16>, tensor<128x16xbf16>) outs(%f : tensor<128x16xf32>) -> tensor<128x16xf32>
  %p = linalg.softmax dimension(1) ins(%l : tensor<128x16xf32>) outs(%e : tensor<128x16xf32>) -> tensor<128x16xf32>
  return %p : tensor<128x16xf32>
}

// -----

// One product, one MMA: nothing to say.
// CHECK-LABEL: tile.kernel @once
// CHECK-NOT:   mma:
func.func @once(%x: tensor<128x128xbf16>, %w: tensor<128x64xbf16>) -> tensor<128x64xf32> attributes {tile.target = "sm_100a"} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %l = linalg.matmul ins(%x, %w : tensor<128x128xbf16>, tensor<128x64xbf16>) outs(%f : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %l : tensor<128x64xf32>
}

// -----

// One row for each work tile, as the program asks: threads multiply, and say so.
// CHECK-LABEL: tile.kernel @row
// CHECK-SAME:  "mma: 1 matrix product of 1 without a tensor core, because a tile has one element along the rows, the columns or what is added up, or numbers that an MMA does not take"
// CHECK-NOT:   tile.mma
func.func @row(%x: tensor<128x128xbf16>, %w: tensor<128x64xbf16>) -> tensor<128x64xf32>
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<tile = [1, 64, 64]>} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %l = linalg.matmul ins(%x, %w : tensor<128x128xbf16>, tensor<128x64xbf16>) outs(%f : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %l : tensor<128x64xf32>
}
