// The pointwise convolution of a conformer, with its gate.
func.func @conv_glu(%x: tensor<?x?xbf16> {tile.name = "x"}, %wa: tensor<?x?xbf16> {tile.name = "wa"}, %wb: tensor<?x?xbf16> {tile.name = "wb"}, %ba: tensor<?xbf16> {tile.name = "ba"}, %bb: tensor<?xbf16> {tile.name = "bb"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 0 : index
  %dim6 = tensor.dim %wa, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(t, n, k) -> (t, k)>, affine_map<(t, n, k) -> (n, k)>, affine_map<(t, n, k) -> (t, n)>] ins(%x, %wa : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v11 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v12 = arith.constant 0.0 : f32
  %v13 = linalg.fill ins(%v12 : f32) outs(%v11 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v14 = linalg.contract indexing_maps = [affine_map<(t, n, k) -> (t, k)>, affine_map<(t, n, k) -> (n, k)>, affine_map<(t, n, k) -> (t, n)>] ins(%x, %wb : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v13 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v15 = tensor.empty(%dim2, %dim6) : tensor<?x?xbf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (t, n)>, affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (n)>, affine_map<(t, n) -> (t, n)>], iterator_types = ["parallel", "parallel"]} ins(%v10, %v14, %ba, %bb : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xbf16>, tensor<?xbf16>) outs(%v15 : tensor<?x?xbf16>) {
  ^bb0(%in_p: f32, %in_q: f32, %in_u: bf16, %in_v: bf16, %out: bf16):
    %e1 = arith.extf %in_u : bf16 to f32
    %e2 = arith.addf %in_p, %e1 : f32
    %e3 = arith.extf %in_v : bf16 to f32
    %e4 = arith.addf %in_q, %e3 : f32
    %e5 = arith.negf %e4 : f32
    %e6 = math.exp %e5 : f32
    %e7 = arith.constant 1.0 : f32
    %e8 = arith.addf %e6, %e7 : f32
    %e9 = arith.divf %e7, %e8 : f32
    %e10 = arith.mulf %e2, %e9 : f32
    %e11 = arith.truncf %e10 : f32 to bf16
    linalg.yield %e11 : bf16
  } -> tensor<?x?xbf16>
  return %v16 : tensor<?x?xbf16>
}
