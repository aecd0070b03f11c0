// The MLP's first layer, with the tanh form of gelu.
func.func @dit_mlp_up(%x: tensor<?x?xbf16> {tile.name = "x"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %bias: tensor<?xbf16> {tile.name = "bias"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %w, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(t, n, k) -> (t, k)>, affine_map<(t, n, k) -> (n, k)>, affine_map<(t, n, k) -> (t, n)>] ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} ins(%v10, %bias : tensor<?x?xf32>, tensor<?xbf16>) outs(%v11 : tensor<?x?xf32>) {
  ^bb0(%in_p: f32, %in_q: bf16, %out: f32):
    %e1 = arith.extf %in_q : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    linalg.yield %e2 : f32
  } -> tensor<?x?xf32>
  %v13 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} ins(%v12 : tensor<?x?xf32>) outs(%v13 : tensor<?x?xbf16>) {
  ^bb0(%in_z: f32, %out: bf16):
    %e1 = arith.constant 0.5 : f32
    %e2 = arith.mulf %e1, %in_z : f32
    %e3 = arith.constant 1.0 : f32
    %e4 = arith.constant 0.7978845608 : f32
    %e5 = arith.constant 0.044715 : f32
    %e6 = arith.mulf %e5, %in_z : f32
    %e7 = arith.mulf %e6, %in_z : f32
    %e8 = arith.mulf %e7, %in_z : f32
    %e9 = arith.addf %in_z, %e8 : f32
    %e10 = arith.mulf %e4, %e9 : f32
    %e11 = math.tanh %e10 : f32
    %e12 = arith.addf %e3, %e11 : f32
    %e13 = arith.mulf %e2, %e12 : f32
    %e14 = arith.truncf %e13 : f32 to bf16
    linalg.yield %e14 : bf16
  } -> tensor<?x?xbf16>
  return %v14 : tensor<?x?xbf16>
}
