//===- TestProgram.h - Tile programs in tests -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses and runs tile programs that tests write as text. Keeps MLIR's headers
// out of the tests.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_UNITTESTS_INTERPRETER_TESTPROGRAM_H
#define DRAWLOOM_UNITTESTS_INTERPRETER_TESTPROGRAM_H

#include "drawloom/Interpreter/Deviation.h"
#include "drawloom/Interpreter/HostTensor.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <limits>

namespace drawloom::interp::test {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double qnan = std::numeric_limits<double>::quiet_NaN();

struct Outcome {
  bool succeeded = false;
  /// `line:column: message`, one for each error.
  std::string errors;
  /// The arguments after the run.
  std::vector<HostTensor> tensors;
  /// With a machine, how far they may be off there.
  std::vector<std::optional<HostTensor>> deviations;
};

/// Runs the only kernel of the text.
Outcome runKernel(llvm::StringRef text, std::vector<HostTensor> arguments,
                  const Options &options = {});

/// Options with which a run also tells how far `machine` may be from it; if
/// none is named, one whose matrix instructions add with an error of 2^-23.
Options withArithmetic();
Options withArithmetic(const Arithmetic &arithmetic);

/// Elements from -1 to 1, evenly distributed.
HostTensor randomTensor(Format format, llvm::ArrayRef<int64_t> shape,
                        unsigned seed);

/// Runs it with the same tensor for each of two arguments.
Outcome runAliased(llvm::StringRef text, HostTensor tensor);

/// The names of all operations of a dialect.
std::vector<std::string> getOperations(llvm::StringRef dialect);

/// Runs `body` as a kernel that has the inputs as %0, %1, ... (tiles and
/// scalars), and returns what it calls %r, %s, ...: one for each result type,
/// spelled as in `4x8xf32`.
Outcome evaluate(llvm::StringRef body, const std::vector<HostTensor> &inputs,
                 llvm::ArrayRef<llvm::StringRef> resultTypes);

/// The same for one result; a test fails if the run does.
HostTensor evaluate(llvm::StringRef body, const std::vector<HostTensor> &inputs,
                    llvm::StringRef resultType);

/// A tensor of a type spelled as in `4x8xf32`.
HostTensor floats(llvm::StringRef type, std::vector<double> values);
HostTensor ints(llvm::StringRef type, std::vector<int64_t> values);
HostTensor zeros(llvm::StringRef type);

/// Equal in format, shape and every bit, but one NaN is as good as another.
testing::AssertionResult isEqual(const HostTensor &actual,
                                 const HostTensor &expected);

/// One operation with its operands and what it must give. The body names the
/// operands %0, %1, ... and the result %r.
struct OpRow {
  const char *body;
  std::vector<HostTensor> inputs;
  HostTensor expected;
};

std::vector<OpRow> getIntegerRows();
std::vector<OpRow> getFloatRows();
std::vector<OpRow> getCastRows();
std::vector<OpRow> getMathRows();
std::vector<OpRow> getTileRows();

} // namespace drawloom::interp::test

#endif // DRAWLOOM_UNITTESTS_INTERPRETER_TESTPROGRAM_H
