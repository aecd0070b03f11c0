// Several results and several products in one kernel: loops over the same axis
// are one loop, and what they share is computed once.

// RUN: drawloom-opt %s -convert-linalg-to-tile -canonicalize -cse | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>

// Rows are reduced along n, so a work tile is a strip of rows that walks along n.
// The product is computed once; past the end of n it is masked, because a zero in
// b makes no zero of an infinity in a.
// CHECK-LABEL: tile.kernel @product_and_maxima(
// CHECK:       tile.for_each (%[[M:.*]]) tiles [128] of %r : !tile.view<?xf32> {
// CHECK-NEXT:    %[[MAX:.*]] = scf.for %[[N:[^ ]*]] = %{{.*}} step %c256 iter_args(%{{.*}}) -> (tensor<128xf32>) {
// CHECK-NEXT:      %[[ACC:.*]] = scf.for %[[K:[^ ]*]] = %{{.*}} step %c64
// CHECK-COUNT-1:     tile.mma
// CHECK-NOT:       tile.mma
// CHECK:           %[[D:.*]] = arith.truncf %[[ACC]]
// CHECK-NEXT:      tile.store %[[D]], %d[%[[M]], %[[N]]]
// CHECK:           %[[MASKED:.*]] = arith.select %{{.*}}, %[[ACC]], %{{.*}}
// CHECK:           tile.reduce maximumf %[[MASKED]] axis 1
// CHECK:         tile.store %[[MAX]], %r[%[[M]]] : tensor<128xf32>, !tile.view<?xf32>
func.func @product_and_maxima(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>)
    -> (tensor<?x?xbf16> {tile.name = "d"}, tensor<?xf32> {tile.name = "r"})
    attributes {tile.schedule = #tile.schedule<tile = [128, 256, 64]>} {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %d = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%o : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %unused: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  %er = tensor.empty(%M) : tensor<?xf32>
  %ir = linalg.fill ins(%lowest : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.maximumf } ins(%p : tensor<?x?xf32>) outs(%ir : tensor<?xf32>) dimensions = [1]
  return %d, %r : tensor<?x?xbf16>, tensor<?xf32>
}

// Two products with the same left operand: one loop along k, one load of a.
// CHECK-LABEL: tile.kernel @swiglu(
// CHECK:       %[[P:.*]]:2 = scf.for
// CHECK-NEXT:    %[[A:.*]] = tile.load %a
// CHECK:         tile.load %gate
// CHECK:         tile.mma %[[A]]
// CHECK-NOT:     tile.load %a
// CHECK:         tile.load %up
// CHECK:         tile.mma %[[A]]
// CHECK:         scf.yield
// CHECK:       arith.negf %[[P]]#0
// CHECK:       arith.mulf %{{.*}}, %[[P]]#1
func.func @swiglu(%a: tensor<?x?xbf16> {tile.name = "a"}, %gate: tensor<?x?xbf16> {tile.name = "gate"},
                  %up: tensor<?x?xbf16> {tile.name = "up"}, %zeros: tensor<?x?xf32> {tile.name = "zeros"}) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [128, 128, 64]>} {
  %x = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %gate : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %up : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%g: f32, %u: f32, %unused: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %g : f32
    %e = math.exp %n : f32
    %s = arith.addf %e, %one : f32
    %q = arith.divf %g, %s : f32
    %p = arith.mulf %q, %u : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// The sum follows the maximum in one loop (rescale-reductions.mlir); the loop that
// stores needs both, so it stays behind.
// CHECK-LABEL: tile.kernel @softmax(
// CHECK:       tile.for_each (%{{.*}}) tiles [16] of
// CHECK:         %[[ENDS:.*]]:2 = scf.for
// CHECK:           tile.load %{{.*}} pad(0xFF800000 : f32)
// CHECK:           tile.reduce maxnumf
// CHECK:           tile.reduce addf
// CHECK:         %[[SUM:.*]] = arith.addf %[[ENDS]]#1
// CHECK:         scf.for
// CHECK:           tile.expand_dims %[[SUM]]
// CHECK:           tile.store
func.func @softmax(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [16, 512]>} {
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// What does not change along a loop is loaded before it: a tile of q for each
// work tile, one of k for each step.
// CHECK-LABEL: tile.kernel @scores(
// CHECK:       tile.for_each (%[[M:.*]]) tiles [64]
// CHECK:         %[[Q:.*]] = tile.load %arg0[%[[M]], 0]
// CHECK:         scf.for %[[N:[^ ]*]] =
// CHECK:           tile.load %arg1[%[[N]], 0]
// CHECK:           tile.mma %[[Q]]
func.func @scores(%q: tensor<?x32xbf16>, %k: tensor<?x32xbf16>, %zeros: tensor<?x?xf32>, %low: tensor<?xf32>) -> tensor<?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [64, 128, 32]>} {
  %s = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%q, %k : tensor<?x32xbf16>, tensor<?x32xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%s : tensor<?x?xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
  return %max : tensor<?xf32>
}

// The middle of two chained products never leaves the work tile.
// CHECK-LABEL: tile.kernel @chained(
// CHECK:       tile.for_each (%[[M:.*]], %[[N:.*]]) tiles [64, 128]
// CHECK:         scf.for %[[J:[^ ]*]] = %{{.*}} step %c32 iter_args
// CHECK:           %[[S:.*]] = scf.for %[[K:[^ ]*]] = %{{.*}} step %c16
// CHECK:             tile.mma
// CHECK:           %[[P:.*]] = arith.truncf %[[S]]
// CHECK:           %[[V:.*]] = tile.load %arg2[%[[J]], %[[N]]]
// CHECK:           tile.mma
func.func @chained(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xbf16>,
                   %zeros: tensor<?x?xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {tile.schedule = #tile.schedule<tile = [64, 128, 32, 16]>} {
  %s = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = arith.truncf %s : tensor<?x?xf32> to tensor<?x?xbf16>
  %d = linalg.matmul ins(%p, %c : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
