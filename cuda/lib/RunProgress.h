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
// A thread writes it each second. The emulator reports how far it is after so
// many instructions, and a product of tiles is one: a large GEMM may be over
// before that, and its line has the time alone.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_RUNPROGRESS_H
#define DRAWLOOM_CUDA_RUNPROGRESS_H

#include "drawloom/Emulator/Ticker.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <string>

namespace drawloom::cuda {

class RunProgress {
public:
  explicit RunProgress(llvm::StringRef kernel);

  void note(uint64_t newSteps, uint64_t newCtas) {
    steps = newSteps;
    ctas = newCtas;
  }

private:
  void show(int seconds) const;

  const std::string kernel;
  std::atomic<uint64_t> steps = 0, ctas = 0;
  // Last: it is the first to end.
  emu::Ticker ticker;
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_RUNPROGRESS_H
