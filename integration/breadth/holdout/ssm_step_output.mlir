// What a state gives.
func.func @ssm_step_output(%h: tensor<?x?x16xf32> {tile.name = "h"}, %cm: tensor<?x16xbf16> {tile.name = "cm"}, %x: tensor<?x?xbf16> {tile.name = "x"}, %skip: tensor<?xf32> {tile.name = "skip"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %h, %c1 : tensor<?x?x16xf32>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %h, %c3 : tensor<?x?x16xf32>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, d, n) -> (b, d, n)>, affine_map<(b, d, n) -> (b, n)>, affine_map<(b, d, n) -> (b, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h, %cm : tensor<?x?x16xf32>, tensor<?x16xbf16>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_h: f32, %in_c: bf16, %acc: f32):
    %e1 = arith.extf %in_c : bf16 to f32
    %e2 = arith.mulf %in_h, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v10 = linalg.generic {indexing_maps = [affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (d)>, affine_map<(b, d) -> (b, d)>, affine_map<(b, d) -> (b, d)>], iterator_types = ["parallel", "parallel"]} ins(%v8, %skip, %x : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xbf16>) {
  ^bb0(%in_y: f32, %in_s: f32, %in_x: bf16, %out: bf16):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %in_s, %e1 : f32
    %e3 = arith.addf %in_y, %e2 : f32
    %e4 = arith.truncf %e3 : f32 to bf16
    linalg.yield %e4 : bf16
  } -> tensor<?x?xbf16>
  return %v10 : tensor<?x?xbf16>
}
