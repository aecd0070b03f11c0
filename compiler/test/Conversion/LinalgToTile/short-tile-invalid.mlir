// RUN: drawloom-opt %s --convert-linalg-to-tile --verify-diagnostics

// Five axes, of which the heads have tiles of one element. Four sizes would be those
// of the others, with one row for each MMA.
// expected-error @+1 {{has a schedule with 4 tile sizes, which are those of dimension 1 of 'q', dimension 2 of 'v', dimension 1 of 'k', dimension 2 of 'q': 1 for dimension 1 of 'q' leaves a matrix product no tile for the tensor core; give all 5 sizes, in this order: dimension 0 of 'q', dimension 1 of 'q', dimension 2 of 'v', dimension 1 of 'k', dimension 2 of 'q' [schedule-tile]}}
func.func @sched_attention_linalg_tile(%q: tensor<2x?x64xbf16> {tile.name = "q"},
    %k: tensor<2x?x64xbf16> {tile.name = "k"},
    %v: tensor<2x?x64xbf16> {tile.name = "v"})
    -> (tensor<2x?x64xbf16> {tile.name = "o"}) attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<tile = [1, 128, 64, 64]>} {
  %i1 = arith.constant 1 : index
  %M = tensor.dim %q, %i1 : tensor<2x?x64xbf16>
  %i2 = arith.constant 1 : index
  %N = tensor.dim %k, %i2 : tensor<2x?x64xbf16>
  %e3 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %c4 = arith.constant 0.0 : f32
  %f5 = linalg.fill ins(%c4 : f32) outs(%e3 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  // expected-note @+1 {{the product is here}}
  %p6 = linalg.contract indexing_maps = [affine_map<(h, m, n, d) -> (h, m, d)>, affine_map<(h, m, n, d) -> (h, n, d)>, affine_map<(h, m, n, d) -> (h, m, n)>] ins(%q, %k : tensor<2x?x64xbf16>, tensor<2x?x64xbf16>) outs(%f5 : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  %e7 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %y8 = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p6 : tensor<2x?x?xf32>) outs(%e7 : tensor<2x?x?xf32>) {
  ^bb0(%in0: f32, %out0: f32):
    %c9 = arith.constant 0.125 : f32
    %t10 = arith.mulf %in0, %c9 : f32
    linalg.yield %t10 : f32
  } -> tensor<2x?x?xf32>
  %e11 = tensor.empty(%M) : tensor<2x?xf32>
  %c12 = arith.constant 0xFF800000 : f32
  %f13 = linalg.fill ins(%c12 : f32) outs(%e11 : tensor<2x?xf32>) -> tensor<2x?xf32>
  %r14 = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y8 : tensor<2x?x?xf32>) outs(%f13 : tensor<2x?xf32>) {
  ^bb0(%in0: f32, %acc: f32):
    %t15 = arith.maximumf %acc, %in0 : f32
    linalg.yield %t15 : f32
  } -> tensor<2x?xf32>
  %e16 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %y17 = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y8, %r14 : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e16 : tensor<2x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out0: f32):
    %t18 = arith.subf %in0, %in1 : f32
    %t19 = math.exp %t18 : f32
    linalg.yield %t19 : f32
  } -> tensor<2x?x?xf32>
  %e20 = tensor.empty(%M) : tensor<2x?xf32>
  %c21 = arith.constant 0.0 : f32
  %f22 = linalg.fill ins(%c21 : f32) outs(%e20 : tensor<2x?xf32>) -> tensor<2x?xf32>
  %r23 = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y17 : tensor<2x?x?xf32>) outs(%f22 : tensor<2x?xf32>) {
  ^bb0(%in0: f32, %acc: f32):
    %t24 = arith.addf %acc, %in0 : f32
    linalg.yield %t24 : f32
  } -> tensor<2x?xf32>
  %e25 = tensor.empty(%M, %N) : tensor<2x?x?xf32>
  %y26 = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y17, %r23 : tensor<2x?x?xf32>, tensor<2x?xf32>) outs(%e25 : tensor<2x?x?xf32>) {
  ^bb0(%in0: f32, %in1: f32, %out0: f32):
    %t27 = arith.divf %in0, %in1 : f32
    linalg.yield %t27 : f32
  } -> tensor<2x?x?xf32>
  %w28 = arith.truncf %y26 : tensor<2x?x?xf32> to tensor<2x?x?xbf16>
  %e29 = tensor.empty(%M) : tensor<2x?x64xf32>
  %c30 = arith.constant 0.0 : f32
  %f31 = linalg.fill ins(%c30 : f32) outs(%e29 : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  %p32 = linalg.contract indexing_maps = [affine_map<(h, m, d, n) -> (h, m, n)>, affine_map<(h, m, d, n) -> (h, n, d)>, affine_map<(h, m, d, n) -> (h, m, d)>] ins(%w28, %v : tensor<2x?x?xbf16>, tensor<2x?x64xbf16>) outs(%f31 : tensor<2x?x64xf32>) -> tensor<2x?x64xf32>
  %w33 = arith.truncf %p32 : tensor<2x?x64xf32> to tensor<2x?x64xbf16>
  return %w33 : tensor<2x?x64xbf16>
}
