// The second product of a LoRA layer: what is added has rows of any length.
func.func @lora(%y: tensor<?x?xbf16> {tile.name = "y"}, %h: tensor<?x32xbf16> {tile.name = "h"}, %b: tensor<?x32xbf16> {tile.name = "b"})
    -> (tensor<?x?xbf16> {tile.name = "o"}) {
  %i1 = arith.constant 0 : index
  %M = tensor.dim %y, %i1 : tensor<?x?xbf16>
  %i2 = arith.constant 1 : index
  %N = tensor.dim %y, %i2 : tensor<?x?xbf16>
  %e3 = tensor.empty(%M, %N) : tensor<?x?xf32>
  %c4 = arith.constant 0.0 : f32
  %f5 = linalg.fill ins(%c4 : f32) outs(%e3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p6 = linalg.contract indexing_maps = [affine_map<(m, n, r) -> (m, r)>, affine_map<(m, n, r) -> (n, r)>, affine_map<(m, n, r) -> (m, n)>] ins(%h, %b : tensor<?x32xbf16>, tensor<?x32xbf16>) outs(%f5 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e7 = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %y8 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%y, %p6 : tensor<?x?xbf16>, tensor<?x?xf32>) outs(%e7 : tensor<?x?xbf16>) {
  ^bb0(%in0: bf16, %in1: f32, %out0: bf16):
    %t9 = arith.extf %in0 : bf16 to f32
    %c10 = arith.constant 0.5 : f32
    %t11 = arith.mulf %in1, %c10 : f32
    %t12 = arith.addf %t9, %t11 : f32
    %t13 = arith.truncf %t12 : f32 to bf16
    linalg.yield %t13 : bf16
  } -> tensor<?x?xbf16>
  return %y8 : tensor<?x?xbf16>
}
