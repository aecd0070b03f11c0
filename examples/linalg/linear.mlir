// D = A * B^T + bias, rounded to bf16
//
//   A  M x K, bf16        B  N x K, bf16        bias  M x N, bf16        D  M x N, bf16
//
// The same function for two architectures. Nothing of a schedule is given for
// Blackwell: the planner chooses the tile. Sizes are any.
//
//   drawloom-opt examples/linalg/linear.mlir --convert-linalg-to-tile

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>

func.func @linear(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"},
                  %bias: tensor<?x?xbf16> {tile.name = "bias"}) -> (tensor<?x?xbf16> {tile.name = "d"})
    attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %sums = tensor.empty(%M, %N) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %out = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %d = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%out : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %c: bf16, %unused: bf16):
    %c32 = arith.extf %c : bf16 to f32
    %s = arith.addf %x, %c32 : f32
    %s16 = arith.truncf %s : f32 to bf16
    linalg.yield %s16 : bf16
  } -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

func.func @linear_hopper(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"},
                         %bias: tensor<?x?xbf16> {tile.name = "bias"}) -> (tensor<?x?xbf16> {tile.name = "d"})
    attributes {tile.target = "sm_90a", tile.schedule = #tile.schedule<tile = [128, 256, 64]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %sums = tensor.empty(%M, %N) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  // arith on whole tensors is linalg, too.
  %bias32 = arith.extf %bias : tensor<?x?xbf16> to tensor<?x?xf32>
  %sum = arith.addf %product, %bias32 : tensor<?x?xf32>
  %d = arith.truncf %sum : tensor<?x?xf32> to tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}
