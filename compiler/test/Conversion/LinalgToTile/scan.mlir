// A sum of what comes no later is a scan, and its axis is in one tile.
// RUN: drawloom-opt %s --convert-linalg-to-tile --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @cumsum
// CHECK: %[[X:.*]] = tile.load
// CHECK: tile.scan addf %[[X]] axis 1 : tensor<{{[0-9]+}}x128xf32>
func.func @cumsum(%x: tensor<?x100xf32> {tile.name = "x"}) -> (tensor<?x100xf32> {tile.name = "y"})
    attributes {tile.target = "sm_90a"} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x100xf32>
  %e = tensor.empty(%m) : tensor<?x100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x100xf32>) -> tensor<?x100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x100xf32>) outs(%f : tensor<?x100xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 2 : index
      %j = linalg.index 1 : index
      %c = arith.cmpi uge, %j, %k : index
      %v = arith.select %c, %a, %zero : f32
      %r = arith.addf %s, %v : f32
      linalg.yield %r : f32
  } -> tensor<?x100xf32>
  return %y : tensor<?x100xf32>
}
