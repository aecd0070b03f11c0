// D = bf16(A B^T + bias), the example of a matrix product with an epilogue, as
// linalg on tensors: the whole way to a plan, three times. The plans, their
// graphs and their sequence diagrams are golden files; the C++ builder's test
// compares with the same ones.
//
// RUN: sed 's/TARGET/sm_90a/; s/ROLES/single/' %s > %t.mlir
// RUN: drawloom explain %t.mlir --format text | diff %S/Inputs/hopper-single-role.txt -
// RUN: drawloom explain %t.mlir --format mermaid | diff %S/Inputs/hopper-single-role.graph.mmd -
// RUN: drawloom explain %t.mlir --format mermaid --diagram sequence | diff %S/Inputs/hopper-single-role.sequence.mmd -
//
// RUN: sed 's/TARGET/sm_90a/; s/ROLES/multi/' %s > %t.mlir
// RUN: drawloom explain %t.mlir --format text | diff %S/Inputs/hopper-multi-role.txt -
// RUN: drawloom explain %t.mlir --format mermaid | diff %S/Inputs/hopper-multi-role.graph.mmd -
// RUN: drawloom explain %t.mlir --format mermaid --diagram sequence | diff %S/Inputs/hopper-multi-role.sequence.mmd -
//
// RUN: sed 's/TARGET/sm_100a/; s/ROLES/multi/' %s > %t.mlir
// RUN: drawloom explain %t.mlir --format text | diff %S/Inputs/blackwell-multi-role.txt -
// RUN: drawloom explain %t.mlir --format mermaid | diff %S/Inputs/blackwell-multi-role.graph.mmd -
// RUN: drawloom explain %t.mlir --format mermaid --diagram sequence | diff %S/Inputs/blackwell-multi-role.sequence.mmd -

#map = affine_map<(m, n) -> (m, n)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

func.func @linear(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"},
                  %bias: tensor<?x?xbf16> {tile.name = "bias"}) -> (tensor<?x?xbf16> {tile.name = "d"})
    attributes {tile.target = "TARGET", tile.schedule = #tile.schedule<
      tile = [128, 256, 64], persistent = static, roles = ROLES, slots = {a = 4, b = 4, bias = 2}, together = [[a, b]]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.contract indexing_maps = [#a, #b, #d]
    ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %d = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?x?xbf16>) outs(%o : tensor<?x?xbf16>) {
  ^bb0(%x: f32, %y: bf16, %unused: bf16):
    %y32 = arith.extf %y : bf16 to f32
    %sum = arith.addf %x, %y32 : f32
    %r = arith.truncf %sum : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}
