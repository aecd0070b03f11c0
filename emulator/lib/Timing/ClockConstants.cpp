//===- ClockConstants.cpp - What the clock knows about a GPU -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/ClockConstants.h"
#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::emu;

const ClockConstants *ClockConstants::of(const DeviceModel &model) {
  static constexpr ClockConstants h100 = {
#define CLOCK_CONSTANT(name, h100, b200, unit, mark, source, meaning) h100,
#include "drawloom/Emulator/ClockConstants.def"
  };
  static constexpr ClockConstants b200 = {
#define CLOCK_CONSTANT(name, h100, b200, unit, mark, source, meaning) b200,
#include "drawloom/Emulator/ClockConstants.def"
  };
  if (model.name == "h100")
    return &h100;
  return model.name == "b200" ? &b200 : nullptr;
}

llvm::ArrayRef<ClockConstantInfo> drawloom::emu::clockConstants() {
  static constexpr ClockConstantInfo table[] = {
#define CLOCK_CONSTANT(name, h100, b200, unit, mark, source, meaning)          \
  {#name, unit, ConstantMark::mark, source, meaning, &ClockConstants::name},
#include "drawloom/Emulator/ClockConstants.def"
  };
  return table;
}

llvm::Error drawloom::emu::setConstants(llvm::StringRef text,
                                        ClockConstants &constants) {
  while (!text.empty()) {
    auto [item, rest] = text.split(',');
    text = rest;
    auto [name, value] = item.split('=');
    const auto *row =
        llvm::find_if(clockConstants(), [name = name](const auto &row) {
          return row.name == name;
        });
    if (row == clockConstants().end())
      return llvm::createStringError("the clock has no constant '" + name +
                                     "'; docs/Timing.md lists them");
    uint32_t number;
    if (value.getAsInteger(10, number) || number == 0)
      return llvm::createStringError("'" + item +
                                     "' isn't NAME=NUMBER with a number from 1 "
                                     "on");
    constants.*row->value = number;
  }
  return llvm::Error::success();
}
