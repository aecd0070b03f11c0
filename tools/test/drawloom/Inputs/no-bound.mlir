// 1 / (y y - y y + 2^-40) with y = x + START. The divisor is 2^-40 here; a
// machine may have rounded one of the products, and then it may be 0.
func.func @quotient(%x: tensor<?x?xf32> {tile.name = "x"}) -> (tensor<?x?xf32> {tile.name = "d"}) attributes {tile.schedule = #tile.schedule<tile = [16, 128]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%i: f32, %o: f32):
    %start = arith.constant START : f32
    %tiny = arith.constant 9.094947e-13 : f32
    %one = arith.constant 1.0 : f32
    %y = arith.addf %i, %start : f32
    %p = arith.mulf %y, %y : f32
    %q = arith.subf %p, %p : f32
    %by = arith.addf %q, %tiny : f32
    %r = arith.divf %one, %by : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
