//===- Arguments.h - What a program is called with --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tensors for the arguments of a tile program: from files, from random numbers
// of a seed, with sizes that were asked for, that follow, or that are chosen.

#ifndef DRAWLOOM_RUN_ARGUMENTS_H
#define DRAWLOOM_RUN_ARGUMENTS_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Interpreter/HostTensor.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace drawloom::run {

struct ArgumentOptions {
  /// By the names of arguments. A size of -1 is left open.
  std::map<std::string, llvm::SmallVector<int64_t>> shapes = {};
  /// What messages call them.
  llvm::StringRef shapesName = "--shape";
  /// What arguments hold: tensors, and scalars as tensors without dimensions.
  std::map<std::string, interp::HostTensor> tensors = {};
  /// The same, in files.
  std::map<std::string, std::string> inputs = {};
  /// Of arguments that are scalars.
  std::map<std::string, double> scalars = {};
  /// Inputs without a file hold numbers from this seed. Without a seed they are
  /// missing.
  std::optional<uint64_t> seed = std::nullopt;
  /// Sizes that follow from nothing are chosen. Else they are an error.
  bool choosesSizes = true;
};

struct Arguments {
  std::vector<std::string> names;
  std::vector<interp::HostTensor> tensors;
  /// Where their elements are in device memory: in elements, the outermost
  /// dimension first. Rows are packed, unless the type declares other strides.
  std::vector<llvm::SmallVector<int64_t>> strides;
  /// Whether the program stores to it.
  std::vector<bool> isOutput;
};

/// Fails for names that the program doesn't have, sizes that contradict each
/// other or the program, and inputs that nothing was said about.
llvm::Expected<Arguments> makeArguments(tile::KernelOp kernel,
                                        const ArgumentOptions &options);

/// "A 298x208xbf16, B 560x208xbf16 strides [209, 1], alpha 0.5"
std::string describe(const Arguments &arguments);

} // namespace drawloom::run

#endif // DRAWLOOM_RUN_ARGUMENTS_H
