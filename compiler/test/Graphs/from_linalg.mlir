// Graphs that enter as linalg: the whole way to roles, pipes, a proof and a
// placement, for both machines. Nothing on the way knows what they are.
// RUN: sed 's/TARGET/sm_90a/' %s | drawloom-opt --front-half | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: sed 's/TARGET/sm_100a/' %s | drawloom-opt --front-half | FileCheck %s --check-prefixes=CHECK,BLACKWELL

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn3 = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>

// CHECK-LABEL:    tile.kernel @batched(
// CHECK:          agent.pipe "operands"
// BLACKWELL:      agent.pipe "result" {{.*}} tmem
// CHECK:          verdict = #agent.verdict<proved
// CHECK:          agent.role @operand_load
// HOPPER:         agent.role @compute
// BLACKWELL:      agent.role @mma
// BLACKWELL:      agent.role @epilogue
func.func @batched(%a: tensor<?x?x?xf16> {tile.name = "a"}, %b: tensor<?x?x?xf16> {tile.name = "b"})
    -> (tensor<?x?x?xf16> {tile.name = "d"}) attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %B = tensor.dim %a, %c0 : tensor<?x?x?xf16>
  %M = tensor.dim %a, %c1 : tensor<?x?x?xf16>
  %N = tensor.dim %b, %c2 : tensor<?x?x?xf16>
  %e = tensor.empty(%B, %M, %N) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.batch_matmul ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %d = arith.truncf %p : tensor<?x?x?xf32> to tensor<?x?x?xf16>
  return %d : tensor<?x?x?xf16>
}

// CHECK-LABEL:    tile.kernel @swiglu(
// CHECK:          agent.pipe "operands" {{.*}} smem : (tensor<{{[^,]*}}>, tensor<{{[^,]*}}>, tensor<{{[^,]*}}>)
// CHECK:          verdict = #agent.verdict<proved
// CHECK:          agent.role @operand_load
func.func @swiglu(%a: tensor<?x?xbf16> {tile.name = "a"}, %gate: tensor<?x?xbf16> {tile.name = "gate"},
                  %up: tensor<?x?xbf16> {tile.name = "up"}) -> (tensor<?x?xbf16> {tile.name = "d"})
    attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %gate, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %x = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %gate : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %up : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %d = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%o : tensor<?x?xbf16>) {
  ^bb0(%g: f32, %u: f32, %unused: bf16):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %exp = math.exp %minus : f32
    %below = arith.addf %exp, %one : f32
    %silu = arith.divf %g, %below : f32
    %p = arith.mulf %silu, %u : f32
    %t = arith.truncf %p : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %d : tensor<?x?xbf16>
}

// CHECK-LABEL:    tile.kernel @gemm_row_sum(
// CHECK:          verdict = #agent.verdict<proved
// CHECK:          agent.role @operand_load
func.func @gemm_row_sum(%a: tensor<?x?xbf16> {tile.name = "a"}, %b: tensor<?x?xbf16> {tile.name = "b"})
    -> (tensor<?x?xbf16> {tile.name = "d"}, tensor<?xf32> {tile.name = "sums"}) attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %b, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
  %rows = tensor.empty(%M) : tensor<?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.reduce { arith.addf } ins(%p : tensor<?x?xf32>) outs(%none : tensor<?xf32>) dimensions = [1]
  return %d, %sums : tensor<?x?xbf16>, tensor<?xf32>
}

// CHECK-LABEL:    tile.kernel @rmsnorm(
// CHECK:          verdict = #agent.verdict<proved
// CHECK:          agent.role @load
// CHECK:          agent.role @compute
func.func @rmsnorm(%x: tensor<?x?xbf16> {tile.name = "x"}, %weight: tensor<?xbf16> {tile.name = "weight"},
                   %epsilon: f32 {tile.name = "epsilon"}) -> (tensor<?x?xbf16> {tile.name = "y"})
    attributes {tile.target = "TARGET"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %N = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %N32 = arith.index_cast %N : index to i32
  %Nf = arith.sitofp %N32 : i32 to f32
  %rows = tensor.empty(%M) : tensor<?xf32>
  %none = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#mn, #m], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xbf16>) outs(%none : tensor<?xf32>) {
  ^bb0(%v: bf16, %s: f32):
    %w = arith.extf %v : bf16 to f32
    %q = arith.mulf %w, %w : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %o = tensor.empty(%M, %N) : tensor<?x?xbf16>
  %y = linalg.generic {indexing_maps = [#mn, #m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %weight : tensor<?x?xbf16>, tensor<?xf32>, tensor<?xbf16>) outs(%o : tensor<?x?xbf16>) {
  ^bb0(%v: bf16, %s: f32, %g: bf16, %unused: bf16):
    %mean = arith.divf %s, %Nf : f32
    %safe = arith.addf %mean, %epsilon : f32
    %f = math.rsqrt %safe : f32
    %w = arith.extf %v : bf16 to f32
    %g32 = arith.extf %g : bf16 to f32
    %p = arith.mulf %w, %f : f32
    %r = arith.mulf %p, %g32 : f32
    %t = arith.truncf %r : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// A softmax over whole rows between two products. Written with linalg it needs the
// scores three times: for their maxima, for the sums and for the second product.
// CHECK-LABEL:    tile.kernel @attention(
// CHECK:          verdict = #agent.verdict<proved
// CHECK:          agent.role @operand_load
func.func @attention(%q: tensor<?x64xbf16> {tile.name = "q"}, %k: tensor<?x64xbf16> {tile.name = "k"},
                     %v: tensor<?x64xbf16> {tile.name = "v"}) -> (tensor<?x64xbf16> {tile.name = "o"})
    attributes {tile.target = "TARGET", tile.schedule = #tile.schedule<tile = [128, 64, 64, 64]>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %M = tensor.dim %q, %c0 : tensor<?x64xbf16>
  %N = tensor.dim %k, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%M, %N) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.matmul indexing_maps = [#mk, #nk, #mn3]
      ins(%q, %k : tensor<?x64xbf16>, tensor<?x64xbf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p16 = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xbf16>
  %eo = tensor.empty(%M) : tensor<?x64xf32>
  %zeros_o = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x64xf32>) -> tensor<?x64xf32>
  %o = linalg.matmul ins(%p16, %v : tensor<?x?xbf16>, tensor<?x64xbf16>) outs(%zeros_o : tensor<?x64xf32>) -> tensor<?x64xf32>
  %o16 = arith.truncf %o : tensor<?x64xf32> to tensor<?x64xbf16>
  return %o16 : tensor<?x64xbf16>
}
