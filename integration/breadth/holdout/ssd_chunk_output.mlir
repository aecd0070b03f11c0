// The same, times the inputs.
func.func @ssd_chunk_output(%cm: tensor<?x?x64xbf16> {tile.name = "cm"}, %bm: tensor<?x?x64xbf16> {tile.name = "bm"}, %ai: tensor<?x?xf32> {tile.name = "ai"}, %aj: tensor<?x?xf32> {tile.name = "aj"}, %x: tensor<?x?x64xbf16> {tile.name = "x"})
    -> (tensor<?x?x64xbf16> {tile.name = "y"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %cm, %c1 : tensor<?x?x64xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %cm, %c3 : tensor<?x?x64xbf16>
  %c5 = arith.constant 1 : index
  %dim6 = tensor.dim %bm, %c5 : tensor<?x?x64xbf16>
  %v7 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(g, i, j, n) -> (g, i, n)>, affine_map<(g, i, j, n) -> (g, j, n)>, affine_map<(g, i, j, n) -> (g, i, j)>] ins(%cm, %bm : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%v9 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %v11 = tensor.empty(%dim2, %dim4, %dim6) : tensor<?x?x?xbf16>
  %v12 = linalg.generic {indexing_maps = [affine_map<(g, i, j) -> (g, i, j)>, affine_map<(g, i, j) -> (g, i)>, affine_map<(g, i, j) -> (g, j)>, affine_map<(g, i, j) -> (g, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v10, %ai, %aj : tensor<?x?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%v11 : tensor<?x?x?xbf16>) {
  ^bb0(%in_q: f32, %in_a: f32, %in_k: f32, %out: bf16):
    %e1 = linalg.index 2 : index
    %e2 = arith.index_cast %e1 : index to i32
    %e3 = arith.sitofp %e2 : i32 to f32
    %e4 = linalg.index 1 : index
    %e5 = arith.index_cast %e4 : index to i32
    %e6 = arith.sitofp %e5 : i32 to f32
    %e7 = arith.cmpf ole, %e3, %e6 : f32
    %e8 = arith.subf %in_a, %in_k : f32
    %e9 = arith.constant 0.0 : f32
    %e10 = arith.minimumf %e8, %e9 : f32
    %e11 = math.exp %e10 : f32
    %e12 = arith.mulf %in_q, %e11 : f32
    %e13 = arith.constant 0.0 : f32
    %e14 = arith.select %e7, %e12, %e13 : f32
    %e15 = arith.truncf %e14 : f32 to bf16
    linalg.yield %e15 : bf16
  } -> tensor<?x?x?xbf16>
  %v13 = tensor.empty(%dim2, %dim4) : tensor<?x?x64xf32>
  %v14 = arith.constant 0.0 : f32
  %v15 = linalg.fill ins(%v14 : f32) outs(%v13 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %v16 = linalg.contract indexing_maps = [affine_map<(g, i, p, j) -> (g, i, j)>, affine_map<(g, i, p, j) -> (g, j, p)>, affine_map<(g, i, p, j) -> (g, i, p)>] ins(%v12, %x : tensor<?x?x?xbf16>, tensor<?x?x64xbf16>) outs(%v15 : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %v17 = arith.truncf %v16 : tensor<?x?x64xf32> to tensor<?x?x64xbf16>
  return %v17 : tensor<?x?x64xbf16>
}
