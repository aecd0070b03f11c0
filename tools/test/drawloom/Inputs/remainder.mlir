// The bits of random floats are no zero, but at the edges tiles divide by the
// zeros outside y.
func.func @remainder(%x: tensor<?x?xi32> {tile.name = "x"}, %y: tensor<?x?xf32> {tile.name = "y"}) -> (tensor<?x?xi32> {tile.name = "r"}) attributes {tile.schedule = #tile.schedule<tile = [16, 128]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xi32>
  %n = tensor.dim %x, %c1 : tensor<?x?xi32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<?x?xi32>, tensor<?x?xf32>) outs(%empty : tensor<?x?xi32>) {
  ^bb0(%i: i32, %j: f32, %o: i32):
    %by = arith.bitcast %j : f32 to i32
    %q = arith.remsi %i, %by : i32
    linalg.yield %q : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
