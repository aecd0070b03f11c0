//===- Work.h - What a CTA computes, and in which order ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_WORK_H
#define DRAWLOOM_DEVICE_WORK_H

namespace drawloom::device {

struct Problem {
  int m, n, k;
};

/// 0, 1, ... count - 1.
class Steps {
public:
  class Iterator {
  public:
    __device__ explicit Iterator(int at) : at(at) {}
    __device__ int operator*() const { return at; }
    __device__ void operator++() { ++at; }
    __device__ bool operator!=(Iterator other) const { return at != other.at; }

  private:
    int at;
  };

  __device__ explicit Steps(int count) : count(count) {}
  __device__ Iterator begin() const { return Iterator(0); }
  __device__ Iterator end() const { return Iterator(count); }

private:
  int count;
};

/// One tile of the result: where it begins, and how many steps along K it
/// takes.
struct Item {
  int row, column, steps;

  __device__ Steps k() const { return Steps(steps); }
};

constexpr __host__ __device__ int ceilDivide(int value, int by) {
  return (value + by - 1) / by;
}

/// CTA c of C takes the tiles c, c + C, c + 2 C, ... of the result, row by row.
/// A grid with as many CTAs as there are tiles gives each CTA one.
template <int m, int n, int k>
class Static {
public:
  class Iterator {
  public:
    __device__ Iterator(const Static &work, int number)
        : work(work), number(number) {}
    __device__ Item operator*() const { return work.item(number); }
    __device__ void operator++() { number += int(gridDim.x); }
    __device__ bool operator!=(const Iterator &end) const {
      return number < end.number;
    }

  private:
    const Static &work;
    int number;
  };

  __device__ explicit Static(Problem problem)
      : columns(ceilDivide(problem.n, n)), count(countItems(problem)),
        steps(ceilDivide(problem.k, k)) {}

  static constexpr __host__ __device__ int countItems(Problem problem) {
    return ceilDivide(problem.m, m) * ceilDivide(problem.n, n);
  }
  __device__ Item item(int number) const {
    return {number / columns * m, number % columns * n, steps};
  }
  __device__ Iterator begin() const { return {*this, int(blockIdx.x)}; }
  __device__ Iterator end() const { return {*this, count}; }

private:
  int columns, count, steps;
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_WORK_H
