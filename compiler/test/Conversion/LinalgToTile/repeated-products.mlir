// RUN: drawloom-opt %s --convert-linalg-to-tile --split-input-file | FileCheck %s

// A softmax reads the logits twice, since what it stores needs the sum of a row,
// and a row is longer than a tile. Each of them is a product of its own.
// CHECK-LABEL: tile.kernel @head
// CHECK-SAME:  "mma: the program has 1 matrix product, and each work tile executes 2: what several operations read is computed again for each of them"
// CHECK-COUNT-2: tile.mma
// CHECK-NOT:   tile.mma
func.func @head(%x: tensor<128x128xbf16> {tile.name = "x"}, %w: tensor<128x1024xbf16> {tile.name = "w"}) -> (tensor<128x1024xf32> {tile.name = "p"}) attributes {tile.target = "sm_100a"} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x1024xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  %l = linalg.matmul ins(%x, %w : tensor<128x128xbf16>, tensor<128x1024xbf16>) outs(%f : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  %p = linalg.softmax dimension(1) ins(%l : tensor<128x1024xf32>) outs(%e : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  return %p : tensor<128x1024xf32>
}

// -----

// A row that is one tile is multiplied once, for its maximum, its sum and what is
// stored.
// CHECK-LABEL: tile.kernel @router
// CHECK-NOT:   mma:
// CHECK-COUNT-1: tile.mma
// CHECK-NOT:   tile.mma
func.func @router(%x: tensor<128x128xbf16> {tile.name = "x"}, %w: tensor<128x16xbf16> {tile.name = "w"}) -> (tensor<128x16xf32> {tile.name = "p"}) attributes {tile.target = "sm_100a"} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x16xf32>) -> tensor<128x16xf32>
  %l = linalg.matmul ins(%x, %w : tensor<128x128xbf16>, tensor<128x16xbf16>) outs(%f : tensor<128x16xf32>) -> tensor<128x16xf32>
  %p = linalg.softmax dimension(1) ins(%l : tensor<128x16xf32>) outs(%e : tensor<128x16xf32>) -> tensor<128x16xf32>
  return %p : tensor<128x16xf32>
}

// -----

// The columns of the second product are one tile, so the first is not computed
// again for others.
// CHECK-LABEL: tile.kernel @chained
// CHECK-SAME:  "tile: 128x192x{{.*}}, because with smaller tiles MMAs or loads would be repeated; it leaves {{[0-9]+}} operand slots on sm_100a"
// CHECK-NOT:   mma:
// CHECK:       tile.for_each (%{{.*}}) tiles [128] of
// CHECK-COUNT-2: tile.mma
// CHECK-NOT:   tile.mma
func.func @chained(%x: tensor<?x64xbf16> {tile.name = "x"}, %a: tensor<?x64xbf16> {tile.name = "a"}, %b: tensor<?x192xbf16> {tile.name = "b"}) -> (tensor<?x192xf32> {tile.name = "d"}) attributes {tile.target = "sm_100a"} {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %j = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m, %j) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, j, k) -> (m, k)>, affine_map<(m, j, k) -> (j, k)>, affine_map<(m, j, k) -> (m, j)>]
      ins(%x, %a : tensor<?x64xbf16>, tensor<?x64xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = arith.truncf %s : tensor<?x?xf32> to tensor<?x?xbf16>
  %e2 = tensor.empty(%m) : tensor<?x192xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x192xf32>) -> tensor<?x192xf32>
  %d = linalg.matmul ins(%p, %b : tensor<?x?xbf16>, tensor<?x192xbf16>) outs(%f2 : tensor<?x192xf32>) -> tensor<?x192xf32>
  return %d : tensor<?x192xf32>
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
