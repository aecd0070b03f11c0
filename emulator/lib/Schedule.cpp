//===- Schedule.cpp - Schedules as text --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Schedule.h"
#include "drawloom/Input/Suggest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::emu;

// In the order of EngineKind.
static constexpr llvm::StringLiteral engineNames[] = {
    "copy", "bulk", "tensor", "mma", "commit", "remote-store", "launch-control",
};
static_assert(std::size(engineNames) == engineKindCount);

llvm::StringRef drawloom::emu::spelling(EngineKind kind) {
  return engineNames[unsigned(kind)];
}

llvm::Error drawloom::emu::parseSchedule(llvm::StringRef text,
                                         RunOptions &options) {
  auto [name, rest] = text.split(':');
  options.delayed = std::nullopt;
  if (text == "deterministic") {
    options.policy = Policy::Deterministic;
    return llvm::Error::success();
  }
  if (name == "random" && !rest.getAsInteger(10, options.seed)) {
    options.policy = Policy::Random;
    return llvm::Error::success();
  }
  if (text == "timed" ||
      (name == "timed" && !rest.getAsInteger(10, options.seed))) {
    options.policy = Policy::Timed;
    return llvm::Error::success();
  }
  if (text == "adversarial") {
    options.policy = Policy::Adversarial;
    return llvm::Error::success();
  }
  if (name == "adversarial")
    for (auto [index, engine] : llvm::enumerate(engineNames))
      if (rest == engine) {
        options.policy = Policy::Adversarial;
        options.delayed = EngineKind(index);
        return llvm::Error::success();
      }
  llvm::SmallVector<llvm::StringRef> known = {"deterministic", "random",
                                              "timed", "adversarial"};
  if (llvm::is_contained(known, name))
    known.clear(); // What follows the colon is wrong.
  return llvm::createStringError(
      "unknown order '" + text +
      "'; expected deterministic, random:SEED, timed:SEED, adversarial or "
      "adversarial:KIND with a kind of " +
      llvm::join(llvm::ArrayRef(engineNames), ", ") +
      input::suggest(name, known) + " [unknown-order]");
}

std::string drawloom::emu::printSchedule(const RunOptions &options) {
  switch (options.policy) {
  case Policy::Deterministic:
    return "deterministic";
  case Policy::Random:
    return "random:" + std::to_string(options.seed);
  case Policy::Timed:
    return "timed:" + std::to_string(options.seed);
  case Policy::Adversarial:
    return options.delayed ? ("adversarial:" + spelling(*options.delayed)).str()
                           : "adversarial";
  }
  return "";
}

std::vector<std::string> drawloom::emu::listSchedules(unsigned seeds) {
  std::vector<std::string> names;
  RunOptions options;
  options.policy = Policy::Random;
  for (options.seed = 0; options.seed != seeds; ++options.seed)
    names.push_back(printSchedule(options));
  options.policy = Policy::Adversarial;
  names.push_back(printSchedule(options));
  for (unsigned kind = 0; kind != engineKindCount; ++kind) {
    options.delayed = EngineKind(kind);
    names.push_back(printSchedule(options));
  }
  return names;
}
