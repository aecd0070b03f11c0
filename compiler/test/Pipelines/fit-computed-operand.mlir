// RUN: drawloom-opt %s --front-half | FileCheck %s

// Threads convert one operand of the only MMA, and what they make of it goes
// through a pipe of its own, for which there is room.
// CHECK-LABEL: tile.kernel @dequantized
// CHECK:       agent.pipe "w" slots(4)
// CHECK:       agent.pipe "middle" slots(2)
// CHECK:       agent.pipe "a" slots(4)
func.func @dequantized(%a: tensor<?x?xbf16> {tile.name = "a"},
    %w: tensor<?x?xi8> {tile.name = "w"})
    -> (tensor<?x?xbf16> {tile.name = "d"}) attributes {tile.target = "sm_100a"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %K = tensor.dim %a, %c1 : tensor<?x?xbf16>
  %N = tensor.dim %w, %c0 : tensor<?x?xi8>
  %e = tensor.empty(%N, %K) : tensor<?x?xbf16>
  %b = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n, k)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<?x?xi8>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%in: i8, %out: bf16):
    %x = arith.sitofp %in : i8 to bf16
    linalg.yield %x : bf16
  } -> tensor<?x?xbf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%M, %N) : tensor<?x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%start : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %rounded = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                             iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?x?xf32>) outs(%d : tensor<?x?xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %x = arith.truncf %in : f32 to bf16
    linalg.yield %x : bf16
  } -> tensor<?x?xbf16>
  return %rounded : tensor<?x?xbf16>
}
