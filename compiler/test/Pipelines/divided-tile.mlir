// RUN: drawloom-opt %s --front-half --split-input-file | FileCheck %s

// What a cluster divides is a dimension of the work tiles that no tile has: the
// tile that was asked for is still that of the program.
// CHECK-LABEL: tile.kernel @divided_steps
// CHECK-SAME:  tile.schedule = #tile.schedule<tile = [128, 128, 64]{{.*}} cluster = [1, 1, 4]
// CHECK:       agent.switch
func.func @divided_steps(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"}) -> (tensor<?x?xf32> {tile.name = "d"})
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<tile = [128, 128, 64], cluster = [1, 1, 4]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// No tile is given: the one that is chosen is no request either.
// CHECK-LABEL: tile.kernel @divided_rows
// CHECK-SAME:  tile.schedule = #tile.schedule<tile = [4, 1024]{{.*}} cluster = [1, 4]
// CHECK:       agent.switch
func.func @divided_rows(%x: tensor<?x2048xf32> {tile.name = "x"}) -> (tensor<?x2048xf32> {tile.name = "y"})
    attributes {tile.target = "sm_100a", tile.schedule = #tile.schedule<cluster = [1, 4]>} {
  %c0 = arith.constant 0 : index
  %M = tensor.dim %x, %c0 : tensor<?x2048xf32>
  %e = tensor.empty(%M) : tensor<?x2048xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x2048xf32>) outs(%e : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  return %y : tensor<?x2048xf32>
}
