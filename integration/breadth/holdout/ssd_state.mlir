// The state that a chunk leaves: both operands have the sum's axis first.
func.func @ssd_state(%bm: tensor<?x?x64xbf16> {tile.name = "bm"}, %decay: tensor<?x?xf32> {tile.name = "decay"}, %x: tensor<?x?x64xbf16> {tile.name = "x"})
    -> (tensor<?x64x64xf32> {tile.name = "h"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %bm, %c1 : tensor<?x?x64xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %bm, %c3 : tensor<?x?x64xbf16>
  %v5 = tensor.empty(%dim2, %dim4) : tensor<?x?x64xbf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(g, j, p) -> (g, j, p)>, affine_map<(g, j, p) -> (g, j)>, affine_map<(g, j, p) -> (g, j, p)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %decay : tensor<?x?x64xbf16>, tensor<?x?xf32>) outs(%v5 : tensor<?x?x64xbf16>) {
  ^bb0(%in_x: bf16, %in_w: f32, %out: bf16):
    %e1 = arith.extf %in_x : bf16 to f32
    %e2 = arith.mulf %e1, %in_w : f32
    %e3 = arith.truncf %e2 : f32 to bf16
    linalg.yield %e3 : bf16
  } -> tensor<?x?x64xbf16>
  %v7 = tensor.empty(%dim2) : tensor<?x64x64xf32>
  %v8 = arith.constant 0.0 : f32
  %v9 = linalg.fill ins(%v8 : f32) outs(%v7 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %v10 = linalg.contract indexing_maps = [affine_map<(g, n, p, j) -> (g, j, n)>, affine_map<(g, n, p, j) -> (g, j, p)>, affine_map<(g, n, p, j) -> (g, n, p)>] ins(%bm, %v6 : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>) outs(%v9 : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  return %v10 : tensor<?x64x64xf32>
}
