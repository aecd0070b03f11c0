//===- Terminal.cpp - For people who look ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Terminal.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;

// The cursor goes back, so that whatever else is said stands in its place.
Waiting::Waiting(std::string what)
    : ticker(
          [what = std::move(what)](int seconds) {
            llvm::errs() << "\033[Kdrawloom: " << what << ", " << seconds
                         << " s\r";
          },
          [] { llvm::errs() << "\r\033[K"; }) {}

static bool wantsColors() {
  const char *plain = std::getenv("NO_COLOR");
  return llvm::outs().has_colors() && !(plain && *plain);
}

std::string drawloom::colorPlan(llvm::StringRef text) {
  if (!wantsColors())
    return text.str();
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (llvm::StringRef line : lines) {
    llvm::StringRef code = line.starts_with("deadlock-free: proved")
                               ? "\033[32m"
                           : line.starts_with("deadlock-free:") ? "\033[31m"
                                                                : "\033[1m";
    if (line.empty() || line.front() == ' ')
      result += line;
    else
      result += (code + line + "\033[0m").str();
    result += '\n';
  }
  result.pop_back();
  return result;
}

std::string drawloom::colorErrors(llvm::StringRef text) {
  if (!wantsColors())
    return text.str();
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::string result;
  for (llvm::StringRef line : lines) {
    auto [place, words] = line.split(" error: ");
    if (words.empty() || line.starts_with(" "))
      result += line;
    else
      result += (place + " \033[1;31merror:\033[0m " + words).str();
    result += '\n';
  }
  result.pop_back();
  return result;
}
