// RMS norm of what was gated.
func.func @ssm_rmsnorm_gated(%y: tensor<?x2048xbf16> {tile.name = "y"}, %z: tensor<?x2048xbf16> {tile.name = "z"}, %w: tensor<2048xf32> {tile.name = "w"})
    -> (tensor<?x2048xbf16> {tile.name = "o"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %y, %c1 : tensor<?x2048xbf16>
  %v3 = tensor.empty(%dim2) : tensor<?x2048xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l, d)>], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<?x2048xbf16>, tensor<?x2048xbf16>) outs(%v3 : tensor<?x2048xf32>) {
  ^bb0(%in_y: bf16, %in_z: bf16, %out: f32):
    %e1 = arith.extf %in_y : bf16 to f32
    %e2 = arith.extf %in_z : bf16 to f32
    %e3 = arith.negf %e2 : f32
    %e4 = math.exp %e3 : f32
    %e5 = arith.constant 1.0 : f32
    %e6 = arith.addf %e4, %e5 : f32
    %e7 = arith.divf %e2, %e6 : f32
    %e8 = arith.mulf %e1, %e7 : f32
    linalg.yield %e8 : f32
  } -> tensor<?x2048xf32>
  %v5 = tensor.empty(%dim2) : tensor<?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?xf32>) -> tensor<?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l)>], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<?x2048xf32>) outs(%v7 : tensor<?xf32>) {
  ^bb0(%in_g: f32, %acc: f32):
    %e1 = arith.mulf %in_g, %in_g : f32
    %r = arith.addf %acc, %e1 : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %v9 = tensor.empty(%dim2) : tensor<?xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(l) -> (l)>, affine_map<(l) -> (l)>], iterator_types = ["parallel"]} ins(%v8 : tensor<?xf32>) outs(%v9 : tensor<?xf32>) {
  ^bb0(%in_v: f32, %out: f32):
    %e1 = arith.constant 2048.0 : f32
    %e2 = arith.divf %in_v, %e1 : f32
    %e3 = arith.constant 1.0e-05 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = math.rsqrt %e4 : f32
    linalg.yield %e5 : f32
  } -> tensor<?xf32>
  %v11 = tensor.empty(%dim2) : tensor<?x2048xbf16>
  %v12 = linalg.generic {indexing_maps = [affine_map<(l, d) -> (l, d)>, affine_map<(l, d) -> (l)>, affine_map<(l, d) -> (d)>, affine_map<(l, d) -> (l, d)>], iterator_types = ["parallel", "parallel"]} ins(%v4, %v10, %w : tensor<?x2048xf32>, tensor<?xf32>, tensor<2048xf32>) outs(%v11 : tensor<?x2048xbf16>) {
  ^bb0(%in_g: f32, %in_r: f32, %in_w: f32, %out: bf16):
    %e1 = arith.mulf %in_g, %in_r : f32
    %e2 = arith.mulf %e1, %in_w : f32
    %e3 = arith.truncf %e2 : f32 to bf16
    linalg.yield %e3 : bf16
  } -> tensor<?x2048xbf16>
  return %v12 : tensor<?x2048xbf16>
}
