//===- Wmma.cu - Products by nvcuda::wmma ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = alpha A B + beta C, one warp for each tile of D, as programs for plain
// tensor cores are written.
//
//===----------------------------------------------------------------------===//

#include <mma.h>

using namespace nvcuda;

template <int m, int n, int k, typename Element, typename LayoutA,
          typename LayoutB, typename In, typename Sum>
static __device__ void multiply(const In *a, const In *b, const Sum *c, Sum *d,
                                int sizeM, int sizeN, int sizeK, Sum alpha,
                                Sum beta) {
  constexpr bool rowsA = std::is_same_v<LayoutA, wmma::row_major>;
  constexpr bool rowsB = std::is_same_v<LayoutB, wmma::row_major>;
  int row = blockIdx.y * m, column = blockIdx.x * n;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> sum, addend;
  wmma::fill_fragment(sum, Sum(0));
  for (int at = 0; at < sizeK; at += k) {
    wmma::fragment<wmma::matrix_a, m, n, k, Element, LayoutA> partA;
    wmma::fragment<wmma::matrix_b, m, n, k, Element, LayoutB> partB;
    int strideA = rowsA ? sizeK : sizeM, strideB = rowsB ? sizeN : sizeK;
    wmma::load_matrix_sync(
        partA, rowsA ? a + row * strideA + at : a + at * strideA + row,
        strideA);
    wmma::load_matrix_sync(
        partB, rowsB ? b + at * strideB + column : b + column * strideB + at,
        strideB);
    wmma::mma_sync(sum, partA, partB, sum);
  }
  wmma::load_matrix_sync(addend, c + row * sizeN + column, sizeN,
                         wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = alpha * sum.x[i] + beta * addend.x[i];
  wmma::store_matrix_sync(d + row * sizeN + column, sum, sizeN,
                          wmma::mem_row_major);
}

#define KERNEL(name, m, n, k, Element, LayoutA, LayoutB, In, Sum)              \
  extern "C" __global__ void name(const In *a, const In *b, const Sum *c,      \
                                  Sum *d, int sizeM, int sizeN, int sizeK,     \
                                  Sum alpha, Sum beta) {                       \
    multiply<m, n, k, Element, wmma::LayoutA, wmma::LayoutB>(                  \
        a, b, c, d, sizeM, sizeN, sizeK, alpha, beta);                         \
  }

KERNEL(halfRowCol, 16, 16, 16, __half, row_major, col_major, __half, float)
KERNEL(halfColRow, 16, 16, 16, __half, col_major, row_major, __half, float)
KERNEL(halfWide, 8, 32, 16, __half, row_major, row_major, __half, float)
KERNEL(halfTall, 32, 8, 16, __half, col_major, col_major, __half, float)
KERNEL(bfloat, 16, 16, 16, __nv_bfloat16, row_major, row_major, __nv_bfloat16,
       float)
KERNEL(tensorFloat, 16, 16, 8, wmma::precision::tf32, row_major, col_major,
       float, float)
KERNEL(bytes, 16, 16, 16, signed char, row_major, col_major, signed char, int)
KERNEL(doubles, 8, 8, 4, double, row_major, col_major, double, double)

/// Single bits: how many of 128 differ, for each pair of rows.
extern "C" __global__ void bits(const unsigned *a, const unsigned *b, int *d) {
  using wmma::experimental::precision::b1;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, b1, wmma::row_major> partA;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, b1, wmma::col_major> partB;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(partA, a, 128);
  wmma::load_matrix_sync(partB, b, 128);
  wmma::bmma_sync(sum, partA, partB, sum);
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}
