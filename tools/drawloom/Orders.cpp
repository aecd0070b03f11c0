//===- Orders.cpp - The same under many orders ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Orders.h"
#include "drawloom/Emulator/Listener.h"
#include "drawloom/Emulator/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using llvm::utostr;

llvm::Expected<unsigned> drawloom::readOrders(const CommandLine &line) {
  unsigned seeds = 0;
  std::optional<llvm::StringRef> text = line.get("--orders");
  if (!text)
    return seeds;
  if (text->getAsInteger(10, seeds) || seeds == 0)
    return llvm::createStringError("--orders takes a number from 1 on, not '" +
                                   *text + "'");
  if (line.has("--order"))
    return llvm::createStringError("--order and --orders don't go together");
  return seeds;
}

std::string drawloom::describeElement(llvm::ArrayRef<int64_t> shape,
                                      uint64_t number) {
  std::string text = "]";
  for (int64_t extent : llvm::reverse(shape)) {
    text = utostr(number % extent) + (text == "]" ? "" : ", ") + text;
    number /= extent;
  }
  return "[" + text;
}

namespace {
/// The last one that writes to some bytes of global memory.
class WriterListener : public emu::Listener {
public:
  WriterListener(const emu::Kernel &kernel, uint64_t address, uint64_t bytes)
      : kernel(kernel), begin(address), end(address + bytes) {}

  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &start) override {
    return std::make_unique<Cluster>(*this, start.ctas);
  }

  std::string writer = "no thread";

private:
  class Cluster : public emu::ClusterListener {
  public:
    Cluster(WriterListener &all, llvm::ArrayRef<uint64_t> ctas)
        : all(all), ctas(ctas) {}

    void access(const emu::AccessEvent &event) override {
      if (event.kind == emu::AccessKind::Read)
        return;
      for (const emu::MemoryRange &range : event.ranges) {
        uint32_t lanes = range.lanes ? range.lanes : event.origin.lanes;
        for (uint32_t piece = 0; piece != range.count; ++piece) {
          uint64_t at = range.address + piece * range.pitch;
          if (at < all.end && all.begin < at + range.bytes)
            note(event.origin, llvm::countr_zero(lanes));
          if (range.lanes)
            lanes &= lanes - 1;
        }
      }
    }

  private:
    void note(const emu::Origin &origin, unsigned lane) {
      all.writer = all.kernel.parsed(origin.instruction)->variant->mnemonic() +
                   " in line " +
                   utostr(all.kernel.place(origin.instruction).line) +
                   ": CTA " + utostr(ctas[origin.rank]) + ", warp " +
                   utostr(origin.warp) + ", lane " + utostr(lane);
    }

    WriterListener &all;
    const llvm::SmallVector<uint64_t, 4> ctas;
  };

  const emu::Kernel &kernel;
  const uint64_t begin, end;
};
} // namespace

std::string drawloom::findWriter(emu::Device &device, const emu::Launch &launch,
                                 const emu::RunOptions &options,
                                 uint64_t address, uint64_t bytes) {
  WriterListener listener(*launch.kernel, address, bytes);
  emu::RunOptions again = options;
  again.listener = &listener;
  again.output = nullptr;
  again.threads = 1; // One order, and one listener.
  emu::run(device, launch, again);
  return listener.writer;
}
