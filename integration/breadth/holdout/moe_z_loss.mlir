// The square of the log-sum of a row.
func.func @moe_z_loss(%x: tensor<?x32xf32> {tile.name = "x"})
    -> (tensor<?xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x32xf32>
  %v3 = tensor.empty(%dim2) : tensor<?xf32>
  %v4 = arith.constant 0xFF800000 : f32
  %v5 = linalg.fill ins(%v4 : f32) outs(%v3 : tensor<?xf32>) -> tensor<?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x32xf32>) outs(%v5 : tensor<?xf32>) {
  ^bb0(%in_x: f32, %acc: f32):
    %r = arith.maximumf %acc, %in_x : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v7 = tensor.empty(%dim2) : tensor<?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?xf32>) -> tensor<?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(t, e) -> (t, e)>, affine_map<(t, e) -> (t)>, affine_map<(t, e) -> (t)>], iterator_types = ["parallel", "reduction"]} ins(%x, %v6 : tensor<?x32xf32>, tensor<?xf32>) outs(%v9 : tensor<?xf32>) {
  ^bb0(%in_x: f32, %in_m: f32, %acc: f32):
    %e1 = arith.subf %in_x, %in_m : f32
    %e2 = math.exp %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v11 = tensor.empty(%dim2) : tensor<?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>], iterator_types = ["parallel"]} ins(%v6, %v10 : tensor<?xf32>, tensor<?xf32>) outs(%v11 : tensor<?xf32>) {
  ^bb0(%in_m: f32, %in_s: f32, %out: f32):
    %e1 = math.log %in_s : f32
    %e2 = arith.addf %in_m, %e1 : f32
    %e3 = math.log %in_s : f32
    %e4 = arith.addf %in_m, %e3 : f32
    %e5 = arith.mulf %e2, %e4 : f32
    linalg.yield %e5 : f32
  } -> tensor<?xf32>
  return %v12 : tensor<?xf32>
}
