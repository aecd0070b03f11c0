func.func @head(%x: tensor<128x128xbf16> {tile.name = "x"}, %w: tensor<128x1024xbf16> {tile.name = "w"})
    -> (tensor<128x1024xf32> {tile.name = "p"}) attributes {tile.target = "sm_100a"} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  %l = linalg.matmul ins(%x, %w : tensor<128x128xbf16>, tensor<128x1024xbf16>) outs(%f : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  %p = linalg.softmax dimension(1) ins(%l : tensor<128x1024xf32>) outs(%e : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  return %p : tensor<128x1024xf32>
}
