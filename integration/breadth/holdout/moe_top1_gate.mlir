// The largest probability: one over the sum.
func.func @moe_top1_gate(%x: tensor<?x16xf32> {tile.name = "x"})
    -> (tensor<?xf32> {tile.name = "g"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x16xf32>
  %v3 = tensor.empty(%dim2) : tensor<?xf32>
  %v4 = arith.constant 0xFF800000 : f32
  %v5 = linalg.fill ins(%v4 : f32) outs(%v3 : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x16xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = tensor.empty(%dim2) : tensor<?x16xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t, e)>], iterator_types = ["parallel", "parallel"]} ins(%x, %v6 : tensor<?x16xf32>, tensor<?xf32>) outs(%v7 : tensor<?x16xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %out: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = math.exp %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x16xf32>
  %v9 = tensor.empty(%dim2) : tensor<?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?xf32>) -> tensor<?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%v8 : tensor<?x16xf32>) outs(%v11 : tensor<?xf32>) {
  ^bb0(%in_e: f32, %acc: f32):
    %r = arith.addf %acc, %in_e : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v13 = tensor.empty(%dim2) : tensor<?xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]} ins(%v12 : tensor<?xf32>) outs(%v13 : tensor<?xf32>) {
  ^bb0(%in_s: f32, %out: f32):
    %e1 = arith.constant 1.0 : f32
    %e2 = arith.divf %e1, %in_s : f32
    linalg.yield %e2 : f32
  } -> tensor<?xf32>
  return %v14 : tensor<?xf32>
}
