//===- TimingReport.cpp - How long it took, as text -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Device.h"
#include "drawloom/Emulator/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

/// What lanes at an instruction wait for.
static llvm::StringRef nameOf(StallKind kind, llvm::StringRef mnemonic) {
  switch (kind) {
  case StallKind::Operand:
    return "waits for an operand";
  case StallKind::Issue:
    return "waits for an issue slot or an execution unit";
  case StallKind::Wait:
    if (mnemonic.starts_with("mbarrier."))
      return "waits for an mbarrier";
    if (mnemonic.starts_with("bar"))
      return "waits for other warps";
    return "waits for asynchronous operations or other lanes";
  }
  return "";
}

/// "gemm.cu:40", or the line of the PTX where there is no source.
static std::string placeOf(const Stall &stall) {
  InstructionPlace place = stall.kernel->place(stall.instruction);
  std::string text = formatv("PTX line {0}", place.line);
  if (!place.source.empty())
    text = formatv("{0}:{1} ({2})", place.source.front().file,
                   place.source.front().line, text);
  return text;
}

std::string TimingReport::str(unsigned most) const {
  std::string text;
  for (const LaunchTime &launch : launches)
    text += formatv(
        "{0}: {1} cycles, {2:f2} us at {3} MHz{4}\n",
        launch.kernel->function->name, launch.end - launch.begin,
        double(launch.end - launch.begin) / clockMhz, clockMhz,
        launch.kernel->module->issueSlots(*launch.kernel->function).empty()
            ? ""
            : ", with the issue slots of ptxas");
  text += formatv("tensor cores of {0} SMs: {1:f1} % busy; {2:f2} MB from L2, "
                  "{3:f2} MB from and to DRAM\n",
                  smsUsed, 100 * tensorUtilization(), l2Bytes / 1e6,
                  dramBytes / 1e6);
  // What one source line waits for is one stall.
  struct Line {
    const Stall *first;
    uint64_t cycles = 0, times = 0;
  };
  std::map<std::tuple<const Kernel *, std::string, uint32_t, StallKind>, Line>
      lines;
  for (const Stall &stall : stalls) {
    InstructionPlace place = stall.kernel->place(stall.instruction);
    std::string file;
    uint32_t number = place.line;
    if (!place.source.empty()) {
      file = place.source.front().file;
      number = place.source.front().line;
    }
    Line &line = lines[{stall.kernel, file, number, stall.kind}];
    if (!line.times)
      line.first = &stall;
    line.cycles += stall.cycles;
    line.times += stall.times;
  }
  std::vector<const Line *> sorted;
  for (auto &[key, line] : lines)
    sorted.push_back(&line);
  llvm::sort(sorted, [](const Line *x, const Line *y) {
    return std::tuple(y->cycles, x->first->instruction) <
           std::tuple(x->cycles, y->first->instruction);
  });
  for (const Line *line : llvm::ArrayRef(sorted).take_front(most)) {
    const ptx::Instruction *parsed =
        line->first->kernel->parsed(line->first->instruction);
    std::string mnemonic = parsed ? parsed->variant->mnemonic() : "ret";
    text += formatv("stall: {0:f1} % of the warps' time at {1}, '{2}', {3} "
                    "times: {4}\n",
                    100.0 * line->cycles / std::max<uint64_t>(1, warpCycles),
                    placeOf(*line->first), mnemonic, line->times,
                    nameOf(line->first->kind, mnemonic));
  }
  return text;
}
