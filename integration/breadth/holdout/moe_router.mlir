// Logits of eight experts.
func.func @moe_router(%x: tensor<?x?xbf16> {tile.name = "x"}, %w: tensor<8x?xbf16> {tile.name = "w"})
    -> (tensor<?x8xf32> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %v5 = tensor.empty(%dim2) : tensor<?x8xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %v8 = linalg.contract indexing_maps = [affine_map<(t, e, k) -> (t, k)>, affine_map<(t, e, k) -> (e, k)>, affine_map<(t, e, k) -> (t, e)>] ins(%x, %w : tensor<?x?xbf16>, tensor<8x?xbf16>) outs(%v7 : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %v8 : tensor<?x8xf32>
}
