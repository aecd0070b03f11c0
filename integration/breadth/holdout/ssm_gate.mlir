// y silu(z).
func.func @ssm_gate(%y: tensor<?x?x?xbf16> {tile.name = "y"}, %z: tensor<?x?x?xbf16> {tile.name = "z"})
    -> (tensor<?x?x?xbf16> {tile.name = "o"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %y, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %y, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %y, %c5 : tensor<?x?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, l, d)>, affine_map<(b, l, d) -> (b, l, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %z : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) outs(%v7 : tensor<?x?x?xbf16>) {
  ^bb0(%in_y: bf16, %in_z: bf16, %out: bf16):
    %e1 = arith.extf %in_y : bf16 to f32
    %e2 = arith.extf %in_z : bf16 to f32
    %e3 = arith.negf %e2 : f32
    %e4 = math.exp %e3 : f32
    %e5 = arith.constant 1.0 : f32
    %e6 = arith.addf %e4, %e5 : f32
    %e7 = arith.divf %e2, %e6 : f32
    %e8 = arith.mulf %e1, %e7 : f32
    %e9 = arith.truncf %e8 : f32 to bf16
    linalg.yield %e9 : bf16
  } -> tensor<?x?x?xbf16>
  return %v8 : tensor<?x?x?xbf16>
}
