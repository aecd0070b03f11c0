// B and C: 16 columns each.
func.func @ssm_bc_proj(%x: tensor<?x?xbf16> {tile.name = "x"}, %wb: tensor<16x?xbf16> {tile.name = "wb"}, %wc: tensor<16x?xbf16> {tile.name = "wc"})
    -> (tensor<?x16xbf16> {tile.name = "bm"}, tensor<?x16xbf16> {tile.name = "cm"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?xbf16>
  %v5 = tensor.empty(%dim2) : tensor<?x16xf32>
  %v6 = arith.constant 0.0 : f32
  %v7 = linalg.fill ins(%v6 : f32) outs(%v5 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v8 = linalg.contract indexing_maps = [affine_map<(l, n, k) -> (l, k)>, affine_map<(l, n, k) -> (n, k)>, affine_map<(l, n, k) -> (l, n)>] ins(%x, %wb : tensor<?x?xbf16>, tensor<16x?xbf16>) outs(%v7 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v9 = arith.truncf %v8 : tensor<?x16xf32> to tensor<?x16xbf16>
  %v10 = tensor.empty(%dim2) : tensor<?x16xf32>
  %v11 = arith.constant 0.0 : f32
  %v12 = linalg.fill ins(%v11 : f32) outs(%v10 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v13 = linalg.contract indexing_maps = [affine_map<(l, n, k) -> (l, k)>, affine_map<(l, n, k) -> (n, k)>, affine_map<(l, n, k) -> (l, n)>] ins(%x, %wc : tensor<?x?xbf16>, tensor<16x?xbf16>) outs(%v12 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %v14 = arith.truncf %v13 : tensor<?x16xf32> to tensor<?x16xbf16>
  return %v9, %v14 : tensor<?x16xbf16>, tensor<?x16xbf16>
}
