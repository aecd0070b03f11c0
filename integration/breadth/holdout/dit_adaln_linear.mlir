// The six modulation vectors: a linear layer of silu(c).
func.func @dit_adaln_linear(%c: tensor<?x?xbf16> {tile.name = "c"}, %w: tensor<?x?xbf16> {tile.name = "w"}, %bias: tensor<?xbf16> {tile.name = "bias"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %c, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %c, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %w, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, k) -> (b, k)>, affine_map<(b, k) -> (b, k)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<?x?xbf16>) outs(%v7 : tensor<?x?xbf16>) {
  ^bb0(%in_c: bf16, %out: bf16):
    %e1 = arith.extf %in_c : bf16 to f32
    %e2 = arith.negf %e1 : f32
    %e3 = math.exp %e2 : f32
    %e4 = arith.constant 1.0 : f32
    %e5 = arith.addf %e3, %e4 : f32
    %e6 = arith.divf %e1, %e5 : f32
    %e7 = arith.truncf %e6 : f32 to bf16
    linalg.yield %e7 : bf16
  } -> tensor<?x?xbf16>
  %v9 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v10 = arith.constant 0.0 : f32
  %v11 = linalg.fill ins(%v10 : f32) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v12 = linalg.contract indexing_maps = [affine_map<(b, n, k) -> (b, k)>, affine_map<(b, n, k) -> (n, k)>, affine_map<(b, n, k) -> (b, n)>] ins(%v8, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v11 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v13 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(b, n) -> (b, n)>, affine_map<(b, n) -> (n)>, affine_map<(b, n) -> (b, n)>], iterator_types = ["parallel", "parallel"]} ins(%v12, %bias : tensor<?x?xf32>, tensor<?xbf16>) outs(%v13 : tensor<?x?xbf16>) {
  ^bb0(%in_p: f32, %in_q: bf16, %out: bf16):
    %e1 = arith.extf %in_q : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    %e3 = arith.truncf %e2 : f32 to bf16
    linalg.yield %e3 : bf16
  } -> tensor<?x?xbf16>
  return %v14 : tensor<?x?xbf16>
}
