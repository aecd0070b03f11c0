// Sigmoids that are normalized.
func.func @moe_sigmoid_gate(%x: tensor<?x16xf32> {tile.name = "x"}, %bias: tensor<16xf32> {tile.name = "bias"})
    -> (tensor<?x16xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x16xf32>
  %v3 = tensor.empty(%dim2) : tensor<?x16xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (e)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]} ins(%x, %bias : tensor<?x16xf32>, tensor<16xf32>) outs(%v3 : tensor<?x16xf32>) {
  ^bb0(%in_x: f32, %in_q: f32, %out: f32):
    %e1 = arith.addf %in_x, %in_q : f32
    %e2 = arith.negf %e1 : f32
    %e3 = math.exp %e2 : f32
    %e4 = arith.constant 1.0 : f32
    %e5 = arith.addf %e3, %e4 : f32
    %e6 = arith.divf %e4, %e5 : f32
    linalg.yield %e6 : f32
  } -> tensor<?x16xf32>
  %v5 = tensor.empty(%dim2) : tensor<?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?xf32>) -> tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x16xf32>) outs(%v7 : tensor<?xf32>) {
  ^bb0(%in_g: f32, %acc: f32):
    %r = arith.addf %acc, %in_g : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v9 = tensor.empty(%dim2) : tensor<?x16xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]} ins(%v4, %v8 : tensor<?x16xf32>, tensor<?xf32>) outs(%v9 : tensor<?x16xf32>) {
  ^bb0(%in_g: f32, %in_s: f32, %out: f32):
    %e1 = arith.divf %in_g, %in_s : f32
    linalg.yield %e1 : f32
  } -> tensor<?x16xf32>
  return %v10 : tensor<?x16xf32>
}
