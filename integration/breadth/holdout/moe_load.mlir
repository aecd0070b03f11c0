// How much each expert gets: a mean along the tokens.
func.func @moe_load(%probs: tensor<?x32xf32> {tile.name = "probs"}, %inverse: f32 {tile.name = "inverse"})
    -> (tensor<32xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %probs, %c1 : tensor<?x32xf32>
  %v3 = tensor.empty() : tensor<32xf32>
  %v4 = arith.constant 0.0 : f32
  %v5 = linalg.fill ins(%v4 : f32) outs(%v3 : tensor<32xf32>) -> tensor<32xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(e, t) -> (t, e)>, affine_map<(e, t) -> (e)>], iterator_types = ["parallel", "reduction"]} ins(%probs : tensor<?x32xf32>) outs(%v5 : tensor<32xf32>) {
  ^bb0(%in_p: f32, %acc: f32):
    %r = arith.addf %acc, %in_p : f32
    linalg.yield %r : f32
  } -> tensor<32xf32>
  %v7 = tensor.empty() : tensor<32xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(e) -> (e)>, affine_map<(e) -> (e)>], iterator_types = ["parallel"]} ins(%v6 : tensor<32xf32>) outs(%v7 : tensor<32xf32>) {
  ^bb0(%in_r: f32, %out: f32):
    %e1 = arith.mulf %in_r, %inverse : f32
    linalg.yield %e1 : f32
  } -> tensor<32xf32>
  return %v8 : tensor<32xf32>
}
