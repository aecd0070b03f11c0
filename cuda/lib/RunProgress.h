//===- RunProgress.h - How far a run is -------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line on standard error, if that is a terminal, once a run takes longer than
// two seconds:
//
//   drawloom: gemm: 12 CTAs done, 33.6 M warp instructions, 4 s
//
// A thread writes it each second. The machine says how far it is after so many
// instructions, and a product of tiles is one: a large GEMM may be over before
// that, and its line has the time alone.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_RUNPROGRESS_H
#define DRAWLOOM_CUDA_RUNPROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace drawloom::cuda {

class RunProgress {
public:
  explicit RunProgress(llvm::StringRef kernel);
  ~RunProgress();
  RunProgress(const RunProgress &) = delete;
  RunProgress &operator=(const RunProgress &) = delete;

  void note(uint64_t newSteps, uint64_t newCtas) {
    steps = newSteps;
    ctas = newCtas;
  }

private:
  void show();

  const std::string kernel;
  std::atomic<uint64_t> steps = 0, ctas = 0;
  std::mutex mutex;
  std::condition_variable ending;
  bool hasEnded = false;
  std::thread thread;
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_RUNPROGRESS_H
