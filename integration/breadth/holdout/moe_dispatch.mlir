// Tokens to their places, as a product.
func.func @moe_dispatch(%onehot: tensor<?x?xbf16> {tile.name = "onehot"}, %x: tensor<?x?xbf16> {tile.name = "x"})
    -> (tensor<?x?xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %onehot, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %onehot, %c3 : tensor<?x?xbf16>
  %c5 = arith.constant 1 : index
  %dim6 = tensor.dim %x, %c5 : tensor<?x?xbf16>
  %v7 = tensor.empty(%dim2, %dim6) : tensor<?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(s, d, t) -> (s, t)>, affine_map<(s, d, t) -> (t, d)>, affine_map<(s, d, t) -> (s, d)>] ins(%onehot, %x : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%v9 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v11 = arith.truncf %v10 : tensor<?x?xf32> to tensor<?x?xbf16>
  return %v11 : tensor<?x?xbf16>
}
