// A product with its epilogue becomes one kernel: work tiles over the tiles of
// the result, a loop along k, everything else on tiles.

// RUN: drawloom-opt %s -convert-linalg-to-tile -canonicalize | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

// Names, target and schedule stay. The result is the last argument.
// CHECK-LABEL: tile.kernel @linear(
// CHECK-SAME:    %a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %bias: !tile.view<?xbf16>,
// CHECK-SAME:    %residual: !tile.view<?x?xbf16>, %alpha: f32, %d: !tile.view<?x?xbf16>)
// CHECK-SAME:    tile.schedule = #tile.schedule<tile = [128, 256, 64]>, tile.target = "sm_100a"
func.func @linear(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"},
                  %bias: tensor<?xbf16> {tile.name = "bias"}, %residual: tensor<?x?xbf16> {tile.name = "residual"},
                  %alpha: f32 {tile.name = "alpha"}) -> (tensor<?x?xbf16> {tile.name = "d"})
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<tile = [128, 256, 64]>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %d = linalg.generic {indexing_maps = [#mn, #n, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias, %residual : tensor<?x?xf32>, tensor<?xbf16>, tensor<?x?xbf16>) outs(%o : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: bf16, %r: bf16, %unused: bf16):
    %y32 = arith.extf %y : bf16 to f32
    %scaled = arith.mulf %y32, %alpha : f32
    %s = arith.addf %x, %scaled : f32
    %r32 = arith.extf %r : bf16 to f32
    %t = arith.addf %s, %r32 : f32
    %t16 = arith.truncf %t : f32 to bf16
    linalg.yield %t16 : bf16
  } -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}
// CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:   %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x256xf32>
// CHECK-DAG:   %[[K:.*]] = tile.dim %a, 1
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [128, 256] of %d : !tile.view<?x?xbf16> {
// CHECK-NEXT:    %[[ACC:.*]] = scf.for %[[KI:[^ ]*]] = %[[C0]] to %[[K]] step %[[C64]] iter_args(%[[S:.*]] = %[[ZERO]])
// CHECK-NEXT:      %[[A:.*]] = tile.load %a[%[[M]], %[[KI]]] : !tile.view<?x?xbf16> -> tensor<128x64xbf16>
// CHECK-NEXT:      %[[B:.*]] = tile.load %b[%[[N]], %[[KI]]] : !tile.view<?x?xbf16> -> tensor<256x64xbf16>
// CHECK-NEXT:      %[[T:.*]] = tile.mma %[[A]], %[[B]], %[[S]]
// CHECK-NEXT:      scf.yield %[[T]]
// CHECK:         %[[BIAS:.*]] = tile.load %bias[%[[N]]] : !tile.view<?xbf16> -> tensor<256xbf16>
// CHECK-NEXT:    %[[R:.*]] = tile.load %residual[%[[M]], %[[N]]] : !tile.view<?x?xbf16> -> tensor<128x256xbf16>
// The bias stays a row until it meets the product.
// CHECK-NEXT:    %[[B32:.*]] = arith.extf %[[BIAS]] : tensor<256xbf16> to tensor<256xf32>
// CHECK-NEXT:    %[[ALPHA:.*]] = tensor.splat %alpha : tensor<256xf32>
// CHECK-NEXT:    %[[SCALED:.*]] = arith.mulf %[[B32]], %[[ALPHA]] : tensor<256xf32>
// CHECK-NEXT:    %[[ROW:.*]] = tile.expand_dims %[[SCALED]] axis 0
// CHECK-NEXT:    %[[ROWS:.*]] = tile.broadcast %[[ROW]]
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[ACC]], %[[ROWS]] : tensor<128x256xf32>
// CHECK-NEXT:    %[[R32:.*]] = arith.extf %[[R]]
// CHECK-NEXT:    %[[OUT:.*]] = arith.addf %[[SUM]], %[[R32]]
// CHECK-NEXT:    %[[OUT16:.*]] = arith.truncf %[[OUT]]
// CHECK-NEXT:    tile.store %[[OUT16]], %d[%[[M]], %[[N]]] : tensor<128x256xbf16>, !tile.view<?x?xbf16>

// B is stored K x N: its tile is transposed. One tile along k is no loop.
// CHECK-LABEL: tile.kernel @one_step(%arg0: !tile.view<100x64xf16>, %arg1: !tile.view<64x200xf16>, %out: !tile.view<100x200xf32>)
func.func @one_step(%a: tensor<100x64xf16>, %b: tensor<64x200xf16>) -> tensor<100x200xf32>
    attributes {tile.schedule = #tile.schedule<tile = [128, 128, 64]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x200xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<100x200xf32>) -> tensor<100x200xf32>
  %d = linalg.matmul ins(%a, %b : tensor<100x64xf16>, tensor<64x200xf16>) outs(%init : tensor<100x200xf32>) -> tensor<100x200xf32>
  return %d : tensor<100x200xf32>
}
// CHECK-NOT:   scf.for
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [128, 128] of %out
// CHECK:         %[[A:.*]] = tile.load %arg0[%[[M]], 0] : !tile.view<100x64xf16> -> tensor<128x64xf16>
// CHECK:         %[[B:.*]] = tile.load %arg1[0, %[[N]]] : !tile.view<64x200xf16> -> tensor<64x128xf16>
// CHECK:         %[[BT:.*]] = tile.transpose %[[B]] [1, 0]
// CHECK:         tile.mma %[[A]], %[[BT]], %{{.*}} : tensor<128x64xf16>, tensor<128x64xf16> -> tensor<128x128xf32>

// Rows of 200 bytes are nothing for TMA, so the view says how far apart they
// are. What is not known says nothing.
// CHECK-LABEL: tile.kernel @odd_rows(%arg0: !tile.view<?x?x100xf16, strides = [?, 100, 1]>, %arg1: !tile.view<?x100x12xf16, strides = [1200, 12, 1]>, %out: !tile.view<?x?x12xf32>)
func.func @odd_rows(%a: tensor<?x?x100xf16>, %b: tensor<?x100x12xf16>) -> tensor<?x?x12xf32>
    attributes {tile.schedule = #tile.schedule<tile = [128, 16, 64]>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %a, %c0 : tensor<?x?x100xf16>
  %M = tensor.dim %a, %c1 : tensor<?x?x100xf16>
  %e = tensor.empty(%B, %M) : tensor<?x?x12xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x12xf32>) -> tensor<?x?x12xf32>
  %d = linalg.batch_matmul ins(%a, %b : tensor<?x?x100xf16>, tensor<?x100x12xf16>) outs(%init : tensor<?x?x12xf32>) -> tensor<?x?x12xf32>
  return %d : tensor<?x?x12xf32>
}

// The batch is a dimension of the work tiles along which a tile has one element.
// CHECK-LABEL: tile.kernel @batched(
func.func @batched(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [128, 128, 64]>} {
  %d = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}
// The init is an argument, so it is what the sum starts from.
// CHECK:       tile.for_each (%[[I:.*]], %[[M:.*]], %[[N:.*]]) tiles [1, 128, 128] of %out
// CHECK:         %[[C:.*]] = tile.load %arg2[%[[I]], %[[M]], %[[N]]] : !tile.view<?x?x?xf32> -> tensor<128x128xf32>
// CHECK:         scf.for %[[K:[^ ]*]] = %{{.*}} iter_args(%{{.*}} = %[[C]])
// CHECK:           tile.load %arg0[%[[I]], %[[M]], %[[K]]] : !tile.view<?x?x?xbf16> -> tensor<128x64xbf16>
// CHECK:           tile.load %arg1[%[[I]], %[[K]], %[[N]]] : !tile.view<?x?x?xbf16> -> tensor<64x128xbf16>
// CHECK:           tile.mma

// The result is N x M: rows of the result are rows of a, so the operands change
// places. `dims` says which dimensions of a view are in the tile.
// CHECK-LABEL: tile.kernel @heads(
func.func @heads(%a: tensor<?x?x8x?xf16>, %b: tensor<?x?x8x?xf16>, %c: tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [1, 1, 64, 128, 32]>} {
  %d = linalg.contract indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>,
                                        affine_map<(b, h, m, n, k) -> (b, n, h, k)>,
                                        affine_map<(b, h, m, n, k) -> (b, h, n, m)>]
      ins(%a, %b : tensor<?x?x8x?xf16>, tensor<?x?x8x?xf16>) outs(%c : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %d : tensor<?x8x?x?xf32>
}
// CHECK:       tile.for_each (%[[B:.*]], %[[H:.*]], %[[N:.*]], %[[M:.*]]) tiles [1, 1, 64, 128] of %out
// CHECK:         %[[X:.*]] = tile.load %arg1[%[[B]], %[[N]], %[[H]], %[[K:.*]]] dims [1, 3] : !tile.view<?x?x8x?xf16> -> tensor<64x32xf16>
// CHECK:         %[[Y:.*]] = tile.load %arg0[%[[B]], %[[M]], %[[H]], %[[K]]] dims [1, 3] : !tile.view<?x?x8x?xf16> -> tensor<128x32xf16>
// CHECK:         tile.mma %[[X]], %[[Y]], %{{.*}} -> tensor<64x128xf32>

// Tensor cores may read f32 as TF32 where the operation says so.
// CHECK-LABEL: tile.kernel @tf32(
// CHECK: tile.mma %{{.*}} tf32
func.func @tf32(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {tile.schedule = #tile.schedule<tile = [64, 64, 32]>} {
  %d = linalg.matmul {tf32} ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// A function without tensors is none of this pass's business.
// CHECK-LABEL: func.func @other(
func.func @other(%x: f32) -> f32 {
  return %x : f32
}

// A sum in bf16, which no tensor core has, is computed in f32 and rounded once.
// CHECK-LABEL: tile.kernel @short_sum(
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} -> (tensor<128x128xf32>)
// CHECK:           tile.mma {{.*}} : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
// CHECK:         %[[D:.*]] = arith.truncf %[[SUM]] : tensor<128x128xf32> to tensor<128x128xbf16>
// CHECK:         tile.store %[[D]]
func.func @short_sum(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %m: index, %n: index) -> tensor<?x?xbf16>
    attributes {tile.schedule = #tile.schedule<tile = [128, 128, 64]>} {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
