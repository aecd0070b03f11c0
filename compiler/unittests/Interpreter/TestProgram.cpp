//===- TestProgram.cpp - Tile programs in tests ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Tile/IR/TileDialect.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <random>

using namespace drawloom;
using namespace drawloom::interp;
using namespace drawloom::interp::test;

/// The dialects of tile and agent programs.
static mlir::DialectRegistry getDialects() {
  mlir::DialectRegistry registry;
  registry.insert<agent::AgentDialect, mlir::affine::AffineDialect,
                  mlir::arith::ArithDialect, mlir::gpu::GPUDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, tile::TileDialect>();
  return registry;
}

static Outcome runOn(llvm::StringRef text, llvm::ArrayRef<HostTensor *> tensors,
                     const Options &options) {
  mlir::MLIRContext context(getDialects(),
                            mlir::MLIRContext::Threading::DISABLED);
  Outcome outcome;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return;
        llvm::raw_string_ostream os(outcome.errors);
        if (auto loc =
                mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
          os << loc.getLine() << ':' << loc.getColumn() << ": ";
        os << diagnostic << '\n';
      });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context));
  if (!module)
    return outcome;
  auto kernels = module->getOps<tile::KernelOp>();
  outcome.succeeded =
      succeeded(run(*kernels.begin(), tensors, options, outcome.deviations));
  return outcome;
}

Outcome drawloom::interp::test::runKernel(llvm::StringRef text,
                                          std::vector<HostTensor> arguments,
                                          const Options &options) {
  std::vector<HostTensor *> pointers;
  for (HostTensor &tensor : arguments)
    pointers.push_back(&tensor);
  Outcome outcome = runOn(text, pointers, options);
  outcome.tensors = std::move(arguments);
  return outcome;
}

Outcome drawloom::interp::test::runAliased(llvm::StringRef text,
                                           HostTensor tensor) {
  return runOn(text, {&tensor, &tensor}, {});
}

std::vector<std::string>
drawloom::interp::test::getOperations(llvm::StringRef dialect) {
  mlir::MLIRContext context(getDialects(),
                            mlir::MLIRContext::Threading::DISABLED);
  context.getOrLoadDialect(dialect);
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == dialect)
      names.push_back(name.getStringRef().str());
  return names;
}

/// The shape and the format of `4x8xf32`.
static HostTensor parseType(llvm::StringRef type) {
  llvm::SmallVector<int64_t> shape;
  int64_t extent;
  while (!type.consumeInteger(10, extent)) {
    shape.push_back(extent);
    type.consume_front("x");
  }
  std::optional<Format> format = parseFormat(type);
  EXPECT_TRUE(format) << type.str();
  return HostTensor(format.value_or(Format::F32), shape);
}

static std::string viewOf(const HostTensor &tensor) {
  llvm::SmallVector<int64_t> shape(tensor.getShape());
  if (shape.empty())
    shape = {1};
  return "!tile.view<" + formatType(tensor.getFormat(), shape) + ">";
}

static std::string tileOf(const HostTensor &tensor) {
  std::string type = formatType(tensor.getFormat(), tensor.getShape());
  return tensor.getRank() == 0 ? type : "tensor<" + type + ">";
}

/// `[0, 0]`, as many as the tensor's view has dimensions.
static std::string originOf(const HostTensor &tensor) {
  std::string text = "[0";
  for (int64_t d = 1; d < tensor.getRank(); ++d)
    text += ", 0";
  return text + "]";
}

Outcome
drawloom::interp::test::evaluate(llvm::StringRef body,
                                 const std::vector<HostTensor> &inputs,
                                 llvm::ArrayRef<llvm::StringRef> resultTypes) {
  std::string header, loads, stores;
  std::vector<HostTensor> arguments = inputs;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    std::string name = std::to_string(i);
    header += header.empty() ? "" : ", ";
    if (input.getRank() == 0) {
      header += "%scalar" + name + ": " + tileOf(input);
      // Gives the scalar the name that the body uses.
      loads += "%true" + name + " = arith.constant true\n%" + name +
               " = arith.select %true" + name + ", %scalar" + name +
               ", %scalar" + name + " : " + tileOf(input) + "\n";
      continue;
    }
    header += "%view" + name + ": " + viewOf(input);
    loads += "%" + name + " = tile.load %view" + name + originOf(input) +
             " : " + viewOf(input) + " -> " + tileOf(input) + "\n";
  }
  for (auto [i, type] : llvm::enumerate(resultTypes)) {
    HostTensor result = parseType(type);
    std::string name(1, static_cast<char>('r' + i));
    // Views hold no index.
    if (result.getFormat() == Format::Index) {
      std::string from = tileOf(result);
      result = HostTensor(Format::I64, result.getShape());
      stores += "%i64" + name + " = arith.index_cast %" + name + " : " + from +
                " to " + tileOf(result) + "\n";
      name = "i64" + name;
    }
    header += header.empty() ? "" : ", ";
    header += "%out" + name + ": " + viewOf(result);
    stores += "tile.store %" + name + ", %out" + name + originOf(result) +
              " : " + tileOf(result) + ", " + viewOf(result) + "\n";
    arguments.push_back(result.getRank() == 0
                            ? HostTensor(result.getFormat(), {1})
                            : std::move(result));
  }
  std::string text = "tile.kernel @test(" + header + ") {\n" + loads +
                     body.str() + "\n" + stores + "}\n";
  Outcome outcome = runKernel(text, std::move(arguments));
  if (outcome.tensors.size() >= inputs.size())
    outcome.tensors.erase(outcome.tensors.begin(),
                          outcome.tensors.begin() + inputs.size());
  // A scalar was stored to a view of one element, and an index as i64.
  for (auto [tensor, type] : llvm::zip(outcome.tensors, resultTypes)) {
    HostTensor result = parseType(type);
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.setBits(i, tensor.getBits(i));
    tensor = std::move(result);
  }
  return outcome;
}

HostTensor
drawloom::interp::test::evaluate(llvm::StringRef body,
                                 const std::vector<HostTensor> &inputs,
                                 llvm::StringRef resultType) {
  Outcome outcome = evaluate(body, inputs, llvm::ArrayRef(resultType));
  EXPECT_TRUE(outcome.succeeded) << body.str() << "\n" << outcome.errors;
  return outcome.succeeded ? std::move(outcome.tensors.front())
                           : zeros(resultType);
}

HostTensor drawloom::interp::test::floats(llvm::StringRef type,
                                          std::vector<double> values) {
  HostTensor tensor = parseType(type);
  EXPECT_EQ(tensor.getNumElements(), static_cast<int64_t>(values.size()));
  return HostTensor::fromFloats(tensor.getFormat(), tensor.getShape(), values);
}

HostTensor drawloom::interp::test::ints(llvm::StringRef type,
                                        std::vector<int64_t> values) {
  HostTensor tensor = parseType(type);
  EXPECT_EQ(tensor.getNumElements(), static_cast<int64_t>(values.size()));
  return HostTensor::fromInts(tensor.getFormat(), tensor.getShape(), values);
}

HostTensor drawloom::interp::test::zeros(llvm::StringRef type) {
  return parseType(type);
}

testing::AssertionResult
drawloom::interp::test::isEqual(const HostTensor &actual,
                                const HostTensor &expected) {
  Format format = expected.getFormat();
  if (actual.getFormat() != format || actual.getShape() != expected.getShape())
    return testing::AssertionFailure()
           << formatType(actual.getFormat(), actual.getShape()) << ", not "
           << formatType(format, expected.getShape());
  for (int64_t i = 0; i < expected.getNumElements(); ++i) {
    if (actual.getBits(i) == expected.getBits(i))
      continue;
    auto failure = testing::AssertionFailure() << "element " << i << " is ";
    if (!isFloat(format))
      return failure << actual.getInt(i) << ", not " << expected.getInt(i);
    if (std::isnan(actual.getFloat(i)) && std::isnan(expected.getFloat(i)))
      continue;
    failure << std::hexfloat << actual.getFloat(i) << ", not "
            << expected.getFloat(i);
    return failure;
  }
  return testing::AssertionSuccess();
}

Options test::withArithmetic(const Arithmetic &arithmetic) {
  Options options;
  options.arithmetic = &arithmetic;
  return options;
}

Options test::withArithmetic() {
  static const Arithmetic arithmetic{0x1p-23};
  return withArithmetic(arithmetic);
}

HostTensor test::randomTensor(Format format, llvm::ArrayRef<int64_t> shape,
                              unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  HostTensor tensor(format, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setFloat(i, uniform(random));
  return tensor;
}
