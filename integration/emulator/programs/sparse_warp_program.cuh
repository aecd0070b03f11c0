//===- sparse_warp_program.cuh - CUTLASS's GEMMs by mma.sp, as a program ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sparse GEMMs that CUTLASS has for Ampere, whose mma.sp later targets have
// too. The stored half of A and the metadata are CUTLASS's random ones; its
// utilities put the metadata in the order of the lanes, and A where it belongs
// for its reference on the host. `./sparse_warp M N K` says `Passed`, or which
// type is wrong. Results are compared to the last bit.
//
//===----------------------------------------------------------------------===//

#include "program.cuh"

#include "cutlass/gemm/device/gemm_sparse.h"
#include "cutlass/util/host_reorder.h"
#include "cutlass/util/host_uncompress.h"
#include "cutlass/util/reference/host/gemm.h"
#include "cutlass/util/reference/host/tensor_compare.h"
#include "cutlass/util/reference/host/tensor_fill.h"

namespace program {

/// A product of `Element`s, with instructions for `k` of them along K.
template <class Element, class Sum, int k> struct SparseWarp {
  using Row = cutlass::layout::RowMajor;
  using Column = cutlass::layout::ColumnMajor;
  using Gemm = cutlass::gemm::device::SparseGemm<
      Element, Row, Element, Column, Sum, Row, Sum,
      cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
      cutlass::gemm::GemmShape<64, 64, 2 * k>,
      cutlass::gemm::GemmShape<32, 32, 2 * k>,
      cutlass::gemm::GemmShape<16, 8, k>,
      cutlass::epilogue::thread::LinearCombination<
          Sum, 128 / cutlass::sizeof_bits<Sum>::value, Sum, Sum>,
      cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, 3>;

  static bool run(const char *name, int m, int n, int depth) {
    namespace host = cutlass::reference::host;
    using cutlass::HostTensor, cutlass::make_Coord;
    using ElementE = typename Gemm::ElementE;
    cutlass::gemm::GemmCoord problem(m, n, depth);
    int columnsE = depth / Gemm::kSparse / Gemm::kElementsPerElementE;
    HostTensor<Element, Row> stored(make_Coord(m, depth / Gemm::kSparse));
    HostTensor<Element, Row> a(problem.mk());
    HostTensor<Element, Column> b(problem.kn());
    HostTensor<Sum, Row> c(problem.mn()), d(problem.mn()), expected(problem.mn());
    HostTensor<ElementE, Row> metadata(make_Coord(m, columnsE));
    HostTensor<ElementE, typename Gemm::LayoutE> reordered(
        make_Coord(m, columnsE));
    host::TensorFillRandomUniform(stored.host_view(), 1, 2, -2, 0);
    host::TensorFillRandomUniform(b.host_view(), 2, 2, -2, 0);
    host::TensorFillRandomUniform(c.host_view(), 3, 2, -2, 0);
    host::TensorFillRandomSparseMeta(metadata.host_view(), 4,
                                     Gemm::kMetaSizeInBits);
    cutlass::reorder_meta(reordered.host_ref(), metadata.host_ref(),
                          {m, n, columnsE});
    cutlass::uncompress(a.host_ref(), stored.host_ref(), metadata.host_ref(), m,
                        depth);
    stored.sync_device();
    b.sync_device();
    c.sync_device();
    reordered.sync_device();

    const Sum alpha = 2, beta = 3;
    launch<Gemm>({problem, stored.device_ref(), b.device_ref(), c.device_ref(),
                  d.device_ref(), reordered.device_ref(), {alpha, beta}});
    d.sync_host();
    host::Gemm<Element, Row, Element, Column, Sum, Row, Sum, Sum,
               typename Gemm::Operator>()(
        problem, alpha, a.host_ref(), b.host_ref(), beta, c.host_ref(),
        expected.host_ref());
    bool equal = host::TensorEquals(d.host_view(), expected.host_view());
    if (!equal)
      std::printf("Failed: %s\n", name);
    return equal;
  }
};

} // namespace program

int main(int count, char **words) {
  if (count != 4) {
    std::printf("Usage: %s M N K\n", words[0]);
    return 2;
  }
  using namespace program;
  int m = std::atoi(words[1]), n = std::atoi(words[2]), k = std::atoi(words[3]);
  if (!SparseWarp<cutlass::half_t, float, 32>::run("f16", m, n, k) ||
      !SparseWarp<cutlass::tfloat32_t, float, 16>::run("tf32", m, n, k) ||
      !SparseWarp<int8_t, int, 64>::run("s8", m, n, k) ||
      !SparseWarp<cutlass::int4b_t, int, 128>::run("s4", m, n, k))
    return 1;
  std::printf("Passed\n");
  return 0;
}
