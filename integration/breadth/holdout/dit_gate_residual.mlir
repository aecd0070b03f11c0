// x + gate y.
func.func @dit_gate_residual(%x: tensor<?x?x?xbf16> {tile.name = "x"}, %y: tensor<?x?x?xbf16> {tile.name = "y"}, %gate: tensor<?x?xbf16> {tile.name = "gate"})
    -> (tensor<?x?x?xbf16> {tile.name = "z"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?x?xbf16>
  %c5 = arith.constant 2 : index
  %dim6 = tensor.dim %x, %c5 : tensor<?x?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, d)>, affine_map<(b, t, d) -> (b, t, d)>, affine_map<(b, t, d) -> (b, t, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %gate, %y : tensor<?x?x?xbf16>, tensor<?x?xbf16>, tensor<?x?x?xbf16>) outs(%v7 : tensor<?x?x?xbf16>) {
  ^bb0(%in_x: bf16, %in_g: bf16, %in_y: bf16, %out: bf16):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.extf %in_g : bf16 to f32
    %e3 = arith.extf %in_y : bf16 to f32
    %e4 = arith.mulf %e2, %e3 : f32
    %e5 = arith.addf %e1, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?x?xbf16>
  return %v8 : tensor<?x?x?xbf16>
}
