//===- ClockConstants.h - What the clock knows about a GPU ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of ClockConstants.def as values: those of a device, with some
// set to others for a GPU that differs, or to see what they move.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_CLOCKCONSTANTS_H
#define DRAWLOOM_EMULATOR_CLOCKCONSTANTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace drawloom::emu {

struct DeviceModel;

/// ClockConstants.def, for one device.
struct ClockConstants {
#define CLOCK_CONSTANT(name, h100, b200, unit, mark, source, meaning)          \
  uint32_t name = 0;
#include "drawloom/Emulator/ClockConstants.def"

  /// Those of a device; null if there are none for it.
  static const ClockConstants *of(const DeviceModel &model);
};

enum class ConstantMark : uint8_t { Measured, Derived, Assumed };

/// A row of the table.
struct ClockConstantInfo {
  llvm::StringRef name, unit;
  ConstantMark mark;
  llvm::StringRef source, meaning;
  uint32_t ClockConstants::*value;
};
llvm::ArrayRef<ClockConstantInfo> clockConstants();

/// Sets constants as `text` says: "l2Latency=250,dramBytes=4000".
llvm::Error setConstants(llvm::StringRef text, ClockConstants &constants);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_CLOCKCONSTANTS_H
