// The experts' answers, weighted and summed.
func.func @moe_combine(%gate: tensor<?x8xf32> {tile.name = "gate"}, %y: tensor<8x?x?xbf16> {tile.name = "y"})
    -> (tensor<?x?xbf16> {tile.name = "o"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %gate, %c1 : tensor<?x8xf32>
  %c3 = arith.constant 2 : index
  %dim4 = tensor.dim %y, %c3 : tensor<8x?x?xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t, d, e) -> (t, e)>, affine_map<(t, d, e) -> (e, t, d)>, affine_map<(t, d, e) -> (t, d)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%gate, %y : tensor<?x8xf32>, tensor<8x?x?xbf16>) outs(%v7 : tensor<?x?xf32>) {
  ^bb0(%in_g: f32, %in_y: bf16, %acc: f32):
    %e1 = arith.extf %in_y : bf16 to f32
    %e2 = arith.mulf %in_g, %e1 : f32
    %r = arith.addf %acc, %e2 : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %v9 = arith.truncf %v8 : tensor<?x?xf32> to tensor<?x?xbf16>
  return %v9 : tensor<?x?xbf16>
}
