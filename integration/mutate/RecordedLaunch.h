//===- RecordedLaunch.h - A launch that was written down -------- -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What integration/emulator/record.py writes: a kernel's PTX, how it is
// launched, and what is in the device's memory. It runs here as often as one
// likes, with its own PTX or with a changed one; each run starts with the same
// memory at the same addresses.

#ifndef DRAWLOOM_INTEGRATION_MUTATE_RECORDEDLAUNCH_H
#define DRAWLOOM_INTEGRATION_MUTATE_RECORDEDLAUNCH_H

#include "drawloom/Emulator/Launch.h"
#include <map>
#include <vector>

namespace drawloom::mutate {

/// What came of a run.
struct Outcome {
  /// Why it could not be loaded or launched; empty if it could.
  std::string refusal;
  std::optional<emu::Report> report;
  /// What the result's memory holds in the end.
  std::vector<char> result;
  uint64_t steps = 0;

  bool ok() const { return refusal.empty() && !report; }
};

class RecordedLaunch {
public:
  /// Reads BASE.json, BASE.ptx and BASE.bin.
  static llvm::Expected<std::unique_ptr<RecordedLaunch>>
  read(llvm::StringRef base);

  const std::string &name() const { return nameField; }
  const std::string &text() const { return textField; }
  emu::Dim3 cluster() const { return clusterField; }
  emu::Dim3 block() const { return blockField; }

  /// What a copy by each tensor map among the parameters brings: bytes, by the
  /// parameter and where in it the map is.
  std::map<std::pair<int, int64_t>, int64_t>
  boxes(const ptx::Function &kernel) const;

  Outcome run(llvm::StringRef text, const emu::RunOptions &options);

private:
  struct Memory {
    uint64_t address = 0, size = 0, at = 0;
  };

  std::string nameField, textField, data;
  std::vector<char> parameters;
  emu::Dim3 gridField, blockField, clusterField;
  uint32_t shared = 0;
  std::vector<Memory> memories;
  Memory resultField;
  std::unique_ptr<emu::Device> device;
};

} // namespace drawloom::mutate

#endif // DRAWLOOM_INTEGRATION_MUTATE_RECORDEDLAUNCH_H
