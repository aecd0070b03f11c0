// The step and its gated output together.
func.func @ssm_step_whole(%h: tensor<?x?x16xf32> {tile.name = "h"}, %da: tensor<?x?x16xf32> {tile.name = "da"}, %u: tensor<?x?xf32> {tile.name = "u"}, %bm: tensor<?x16xbf16> {tile.name = "bm"}, %cm: tensor<?x16xbf16> {tile.name = "cm"}, %z: tensor<?x?xbf16> {tile.name = "z"})
    -> (tensor<?x?x16xf32> {tile.name = "h2"}, tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %h, %c1 : tensor<?x?x16xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %h, %c3 : tensor<?x?x16xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?x16xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, d)>, affine_map<(b, d, n) -> (b, n)>, affine_map<(b, d, n) -> (b, d, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%da, %h, %u, %bm : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x16xbf16>) outs(%v5 : tensor<?x?x16xf32>) {
  ^bb0(%in_a: f32, %in_h: f32, %in_u: f32, %in_m: bf16, %out: f32):
    %e1 = arith.mulf %in_a, %in_h : f32
    %e2 = arith.extf %in_m : bf16 to f32
    %e3 = arith.mulf %in_u, %e2 : f32
    %e4 = arith.addf %e1, %e3 : f32
    linalg.yield %e4 : f32
  } -> tensor<?x?x16xf32>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, n)>, affine_map<(b, d, n) -> (b, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v6, %cm : tensor<?x?x16xf32>, tensor<?x16xbf16>) outs(%v9 : tensor<?x?xf32>) {
  ^bb0(%in_h: f32, %in_c: bf16, %acc: f32):
    %e1 = arith.extf %in_c : bf16 to f32
    %e2 = arith.mulf %in_h, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v12 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%v10, %z : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?xbf16>) {
  ^bb0(%in_y: f32, %in_z: bf16, %out: bf16):
    %e1 = arith.extf %in_z : bf16 to f32
    %e2 = arith.negf %e1 : f32
    %e3 = math.exp %e2 : f32
    %e4 = arith.constant 1.0 : f32
    %e5 = arith.addf %e3, %e4 : f32
    %e6 = arith.divf %e1, %e5 : f32
    %e7 = arith.mulf %in_y, %e6 : f32
    %e8 = arith.truncf %e7 : f32 to bf16
    linalg.yield %e8 : bf16
  } -> tensor<?x?xbf16>
  return %v6, %v12 : tensor<?x?x16xf32>, tensor<?x?xbf16>
}
