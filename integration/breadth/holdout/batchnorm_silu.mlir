// Batch norm as it is in inference, with silu.
func.func @batchnorm_silu(%x: tensor<?x?xbf16> {tile.name = "x"}, %mean: tensor<?xf32> {tile.name = "mean"}, %var: tensor<?xf32> {tile.name = "var"}, %w: tensor<?xf32> {tile.name = "w"}, %bias: tensor<?xf32> {tile.name = "bias"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (d)>, affine_map<(t, d) -> (t, d)>], iterator_types = ["parallel", "parallel"]} ins(%x, %mean, %var, %w, %bias : tensor<?x?xbf16>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%v5 : tensor<?x?xf32>) {
  ^bb0(%in_x: bf16, %in_m: f32, %in_v: f32, %in_g: f32, %in_q: f32, %out: f32):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.subf %e1, %in_m : f32
    %e3 = arith.mulf %in_v, %in_v : f32
    %e4 = arith.constant 0.001 : f32
    %e5 = arith.addf %e3, %e4 : f32
    %e6 = math.rsqrt %e5 : f32
    %e7 = arith.mulf %e2, %e6 : f32
    %e8 = arith.mulf %e7, %in_g : f32
    %e9 = arith.addf %e8, %in_q : f32
    linalg.yield %e9 : f32
  } -> tensor<?x?xf32>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t, d) -> (t, d)>, affine_map<(t, d) -> (t, d)>], iterator_types = ["parallel", "parallel"]} ins(%v6 : tensor<?x?xf32>) outs(%v7 : tensor<?x?xbf16>) {
  ^bb0(%in_z: f32, %out: bf16):
    %e1 = arith.negf %in_z : f32
    %e2 = math.exp %e1 : f32
    %e3 = arith.constant 1.0 : f32
    %e4 = arith.addf %e2, %e3 : f32
    %e5 = arith.divf %in_z, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?xbf16>
  return %v8 : tensor<?x?xbf16>
}
