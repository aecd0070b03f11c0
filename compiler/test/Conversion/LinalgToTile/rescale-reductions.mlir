// RUN: drawloom-opt %s --convert-linalg-to-tile --split-input-file | FileCheck %s

// Attention as a formula on whole tensors: one loop over the columns of the
// scores, with two MMAs. A larger maximum rescales what was added up.
// CHECK-LABEL: tile.kernel @attention
// CHECK-SAME:  "reduce: 2 loops are part of an earlier one, whose maximum rescales what they add up as it grows (online softmax)"
// CHECK:       %[[LOWEST:.*]] = arith.constant dense<0xFF800000> : tensor<64xf32>
// CHECK:       %[[ENDS:.*]]:3 = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[LOWEST]], %[[L:.*]] = %{{.*}}, %[[O:.*]] = %{{.*}})
// CHECK:         %[[S:.*]] = tile.mma
// CHECK:         %[[IN:.*]] = arith.select %[[EDGE:.*]], %[[S]]
// CHECK:         tile.reduce maximumf %[[IN]]
// CHECK:         %[[NEW:.*]] = arith.maximumf %[[OLD]]
// Where there was nothing but -infinity, 0 is subtracted from it.
// CHECK:         %[[NOTHING:.*]] = arith.cmpf oeq, %[[NEW]], %[[LOWEST]]
// CHECK:         %[[BASE:.*]] = arith.select %[[NOTHING]], %{{.*}}, %[[NEW]]
// The mask of the maximum does for the exponentials, which are powers of 2.
// CHECK:         %[[BITS:.*]] = arith.mulf %[[IN]], %{{.*}} : tensor<64x64xf32>
// CHECK:         arith.subf %[[BITS]]
// CHECK-NOT:     arith.select
// CHECK:         %[[P:.*]] = math.exp2
// CHECK:         tile.reduce addf %[[P]]
// CHECK:         %[[OLD_BITS:.*]] = arith.mulf %[[OLD]]
// CHECK:         %[[BASE_BITS:.*]] = arith.mulf %[[BASE]]
// CHECK:         %[[DROP:.*]] = arith.subf %[[OLD_BITS]], %[[BASE_BITS]]
// CHECK:         %[[WORTH:.*]] = math.exp2 %[[DROP]]
// CHECK:         arith.mulf %[[L]], %[[WORTH]]
// CHECK:         %[[P16:.*]] = arith.truncf %[[P]]
// CHECK:         %[[OLD_O:.*]] = arith.mulf %[[O]]
// CHECK:         tile.mma %[[P16]], %{{.*}}, %[[OLD_O]]
// CHECK:         scf.yield %[[NEW]]
// A row of nothing but -infinity is NaN, and a sum over no columns is 0.
// CHECK:       %[[NAN:.*]] = arith.subf %[[ENDS]]#0, %[[ENDS]]#0
// CHECK:       %[[OR_0:.*]] = arith.select %{{.*}}, %[[NAN]]
// CHECK:       %[[SUM:.*]] = arith.addf %[[ENDS]]#1, %[[OR_0]]
// CHECK:       arith.select %{{.*}}, %[[SUM]]
// CHECK:       arith.divf %[[ENDS]]#2
// CHECK-NOT:   tile.mma
func.func @attention(%q: tensor<?x64xbf16> {tile.name = "q"}, %k: tensor<?x64xbf16> {tile.name = "k"},
                     %v: tensor<?x128xbf16> {tile.name = "v"}) -> (tensor<?x128xf32> {tile.name = "o"})
    attributes {tile.schedule = #tile.schedule<tile = [64, 128, 64, 64]>} {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x64xbf16>
  %n = tensor.dim %k, %c0 : tensor<?x64xbf16>
  %mn = tensor.empty(%m, %n) : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %mv = tensor.empty(%m) : tensor<?x128xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%mn : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %k : tensor<?x64xbf16>, tensor<?x64xbf16>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce {arith.maximumf} ins(%s : tensor<?x?xf32>) outs(%max0 : tensor<?xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%mn : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce {arith.addf} ins(%e : tensor<?x?xf32>) outs(%sum0 : tensor<?xf32>) dimensions = [1]
  %mn16 = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%mn16 : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  %o0 = linalg.fill ins(%zero : f32) outs(%mv : tensor<?x128xf32>) -> tensor<?x128xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xbf16>, tensor<?x128xbf16>) outs(%o0 : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %o : tensor<?x128xf32>
}

// -----

// A sum of squares of differences to the maximum isn't one of exponentials: two
// loops.
// CHECK-LABEL: tile.kernel @squares
// CHECK-NOT:   reduce:
// CHECK:       scf.for
// CHECK:         arith.maximumf
// CHECK:       scf.for
// CHECK:         arith.mulf
func.func @squares(%x: tensor<?x?xf32> {tile.name = "x"}) -> (tensor<?xf32> {tile.name = "y"})
    attributes {tile.schedule = #tile.schedule<tile = [16, 256]>} {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce {arith.maximumf} ins(%x : tensor<?x?xf32>) outs(%max0 : tensor<?xf32>) dimensions = [1]
  %sum0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%sum0 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}

// -----

// What isn't divided yet may be too large for f16, where it isn't known to be at
// most 1: the maximum is one of other numbers.
// CHECK-LABEL: tile.kernel @large
// CHECK-NOT:   reduce:
// CHECK:       scf.for
// CHECK:         arith.maximumf
// CHECK:       scf.for
// CHECK:         arith.truncf
func.func @large(%x: tensor<?x?xf32> {tile.name = "x"}, %z: tensor<?x?xf32> {tile.name = "z"}) -> (tensor<?xf16> {tile.name = "y"})
    attributes {tile.schedule = #tile.schedule<tile = [16, 256]>} {
  %zero = arith.constant 0.0 : f16
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %rows16 = tensor.empty(%m) : tensor<?xf16>
  %max0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce {arith.maximumf} ins(%x : tensor<?x?xf32>) outs(%max0 : tensor<?xf32>) dimensions = [1]
  %sum0 = linalg.fill ins(%zero : f16) outs(%rows16 : tensor<?xf16>) -> tensor<?xf16>
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
                                          affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %z, %max : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%sum0 : tensor<?xf16>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %acc: f16):
    %other = arith.addf %a, %c : f32
    %d = arith.subf %other, %b : f32
    %e = math.exp %d : f32
    %t = arith.truncf %e : f32 to f16
    %s = arith.addf %acc, %t : f16
    linalg.yield %s : f16
  } -> tensor<?xf16>
  return %sum : tensor<?xf16>
}
