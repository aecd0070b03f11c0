// Whole tensors, not tiled yet.

func.func @linear(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"},
    %bias: tensor<?x?xbf16> {tile.name = "bias"}) -> (tensor<?x?xbf16> {tile.name = "d"})
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.contract
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %g = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %d = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%g : tensor<?x?xbf16>) {
    ^bb0(%x: f32, %y: bf16, %out: bf16):
      %0 = arith.extf %y : bf16 to f32
      %1 = arith.addf %x, %0 : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
  } -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

func.func @row_sum(%x: tensor<100x300xf32> {tile.name = "x"}) -> tensor<100xf32>
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<tile = [16, 128]>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<100xf32>) -> tensor<100xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<100x300xf32>) outs(%f : tensor<100xf32>) dimensions = [1]
  return %s : tensor<100xf32>
}
