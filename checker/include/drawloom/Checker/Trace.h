//===- Trace.h - Who waited for what, and when ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A picture of a run in time, for the viewers of Chrome and Perfetto. A process
// is a CTA, and it has a row for
//
//   each warp               its life, and each wait for an mbarrier in it
//   each slot of a pipe     from when it is full until it is empty again; of
//                           kernels without a plan, each mbarrier's phases
//   what each warp issues   copies, products, ... from issue to completion
//
// In a timed run the picture has the time of the modeled GPU, and a process of
// its own has counters of it: how busy its tensor cores are, and what L2 and
// DRAM move. In others, a microsecond is a warp instruction of the emulator, as
// %clock counts them: it says what came before what, and how much work was
// between, not how long a GPU takes.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_TRACE_H
#define DRAWLOOM_CHECKER_TRACE_H

#include "drawloom/Checker/PlanNames.h"
#include "drawloom/Emulator/Listener.h"
#include "drawloom/Emulator/Timing.h"
#include <map>

namespace drawloom::checker {

class Trace : public emu::Listener {
public:
  /// Of a launch, `most` CTAs and what is in their clusters.
  explicit Trace(PlanNames names, uint64_t most = UINT64_MAX)
      : names(std::move(names)), most(most) {}

  void launchStarted(uint32_t index, const emu::Launch &launch) override;
  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &start) override;
  void endCluster(std::unique_ptr<emu::ClusterListener> listener) override;

  /// What the tensor cores and memories of a timed run did.
  struct Counters {
    std::string name; ///< "GPU, launch 0"
    unsigned sms;
    double clockMhz;
    uint64_t windowCycles;
    std::vector<emu::TimingReport::Window> windows;
  };
  void addCounters(const emu::TimingReport &report);

  /// All that has happened, as JSON. `perMicrosecond`: how much of the clock's
  /// time a microsecond of the picture is.
  void write(llvm::raw_ostream &os, double perMicrosecond = 1) const;

private:
  struct Span {
    std::string name;
    uint64_t begin, end;
  };
  /// Rows of a CTA, from top to bottom: warps, slots, engines.
  struct RowKey {
    unsigned kind, number;
    std::string name;
    auto operator<=>(const RowKey &) const = default;
  };
  using Rows = std::map<RowKey, std::vector<Span>>;
  struct Cta {
    std::string name;
    Rows rows;
  };
  struct LaunchedKernel {
    const emu::Kernel *kernel;
    unsigned number; ///< Of all launches.
  };
  class ClusterTrace;

  const PlanNames names;
  const uint64_t most;
  std::map<uint32_t, LaunchedKernel> kernels;
  unsigned launches = 0;
  std::vector<Cta> ctas;
  std::vector<Counters> counters;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_TRACE_H
