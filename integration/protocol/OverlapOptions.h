//===- OverlapOptions.h - What overlap is looked at -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that check-overlap and draw-overlap share: a program, and the
// sizes that it is looked at with.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_OVERLAPOPTIONS_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_OVERLAPOPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace drawloom::protocol {

struct OverlapOptions {
  llvm::cl::OptionCategory category{"overlap"};
  llvm::cl::opt<std::string> input{llvm::cl::Positional, llvm::cl::Required,
                                   llvm::cl::desc("FILE"),
                                   llvm::cl::cat(category)};
  llvm::cl::opt<std::string> arch{
      "arch", llvm::cl::desc("the GPU; without it, what the kernel says"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> shapes{
      "shapes", llvm::cl::CommaSeparated, llvm::cl::Required,
      llvm::cl::desc("sizes of each argument: 768x320,256x320,..."),
      llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> blocks{"blocks", llvm::cl::Required,
                                llvm::cl::desc("blocks along k of a work tile"),
                                llvm::cl::cat(category)};
};

} // namespace drawloom::protocol

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_OVERLAPOPTIONS_H
