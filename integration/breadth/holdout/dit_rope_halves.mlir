// Rotary embedding of the halves of a head, each half a result.
func.func @dit_rope_halves(%x: tensor<?x?x64xbf16> {tile.name = "x"}, %cos: tensor<?x32xf32> {tile.name = "cos"}, %sin: tensor<?x32xf32> {tile.name = "sin"})
    -> (tensor<?x?x32xbf16> {tile.name = "lo"}, tensor<?x?x32xbf16> {tile.name = "hi"}) {
  %c1 = arith.constant 0 : index
  %dim2 = tensor.dim %x, %c1 : tensor<?x?x64xbf16>
  %c3 = arith.constant 1 : index
  %dim4 = tensor.dim %x, %c3 : tensor<?x?x64xbf16>
  %v5 = tensor.extract_slice %x[0, 0, 0] [%dim2, %dim4, 32] [1, 1, 1] : tensor<?x?x64xbf16> to tensor<?x?x32xbf16>
  %v6 = tensor.extract_slice %x[0, 0, 32] [%dim2, %dim4, 32] [1, 1, 1] : tensor<?x?x64xbf16> to tensor<?x?x32xbf16>
  %v7 = tensor.empty(%dim2, %dim4) : tensor<?x?x32xbf16>
  %v8 = linalg.generic {indexing_maps = [affine_map<(t, h, f) -> (t, h, f)>, affine_map<(t, h, f) -> (t, h, f)>, affine_map<(t, h, f) -> (t, f)>, affine_map<(t, h, f) -> (t, f)>, affine_map<(t, h, f) -> (t, h, f)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v5, %v6, %cos, %sin : tensor<?x?x32xbf16>, tensor<?x?x32xbf16>, tensor<?x32xf32>, tensor<?x32xf32>) outs(%v7 : tensor<?x?x32xbf16>) {
  ^bb0(%in_l: bf16, %in_r: bf16, %in_c: f32, %in_s: f32, %out: bf16):
    %e1 = arith.extf %in_l : bf16 to f32
    %e2 = arith.mulf %e1, %in_c : f32
    %e3 = arith.extf %in_r : bf16 to f32
    %e4 = arith.mulf %e3, %in_s : f32
    %e5 = arith.subf %e2, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?x32xbf16>
  %v9 = tensor.empty(%dim2, %dim4) : tensor<?x?x32xbf16>
  %v10 = linalg.generic {indexing_maps = [affine_map<(t, h, f) -> (t, h, f)>, affine_map<(t, h, f) -> (t, h, f)>, affine_map<(t, h, f) -> (t, f)>, affine_map<(t, h, f) -> (t, f)>, affine_map<(t, h, f) -> (t, h, f)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v5, %v6, %cos, %sin : tensor<?x?x32xbf16>, tensor<?x?x32xbf16>, tensor<?x32xf32>, tensor<?x32xf32>) outs(%v9 : tensor<?x?x32xbf16>) {
  ^bb0(%in_l: bf16, %in_r: bf16, %in_c: f32, %in_s: f32, %out: bf16):
    %e1 = arith.extf %in_r : bf16 to f32
    %e2 = arith.mulf %e1, %in_c : f32
    %e3 = arith.extf %in_l : bf16 to f32
    %e4 = arith.mulf %e3, %in_s : f32
    %e5 = arith.addf %e2, %e4 : f32
    %e6 = arith.truncf %e5 : f32 to bf16
    linalg.yield %e6 : bf16
  } -> tensor<?x?x32xbf16>
  return %v8, %v10 : tensor<?x?x32xbf16>, tensor<?x?x32xbf16>
}
