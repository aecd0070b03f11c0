//===- DescribeKernels.cpp - What a launch has to know --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeKernels.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Analysis/Slots/ItemCount.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom;

/// How the CTAs get their items, as the plan says it.
static runtime::ItemsInfo readItems(tile::KernelOp kernel,
                                    const plan::Plan &plan) {
  using Kind = runtime::ItemsInfo::Kind;
  runtime::ItemsInfo items;
  Kind atRunTime =
      plan.arch->clusterLaunchControl ? Kind::Dynamic : Kind::Counted;
  items.kind = plan.items == plan::Items::Dynamic ? atRunTime
               : plan.items == plan::Items::One   ? Kind::One
                                                  : Kind::Static;
  auto streams = kernel.getBody().getOps<agent::ItemsOp>();
  if (streams.empty()) {
    // The kernel is one item.
    items.count.emplace();
    return items;
  }
  if (std::optional<SmallVector<plan::CountFactor>> factors =
          plan::findFactors((*streams.begin()).getCount())) {
    items.count.emplace();
    for (const plan::CountFactor &factor : *factors)
      items.count->push_back({factor.argument, factor.dimension, factor.tile});
  }
  return items;
}

static runtime::ArgumentInfo readArgument(BlockArgument argument) {
  runtime::ArgumentInfo info;
  info.name = tile::getArgumentName(argument);
  Type element = argument.getType();
  if (auto view = dyn_cast<tile::ViewType>(element)) {
    info.isView = true;
    auto atLaunch = [](int64_t number) {
      return ShapedType::isDynamic(number) ? runtime::dynamicSize : number;
    };
    llvm::append_range(info.shape, llvm::map_range(view.getShape(), atLaunch));
    llvm::append_range(info.strides,
                       llvm::map_range(view.getStrides(), atLaunch));
    element = view.getElementType();
  }
  std::string name;
  llvm::raw_string_ostream os(name);
  os << element;
  // Sizes and counts are numbers of 64 bits to the caller.
  if (element.isIndex())
    name = "i64";
  info.type = runtime::findElementType(name);
  assert(info.type && "check-code asks whether a launch can pass it");
  return info;
}

/// A parameter from what the function says of it, and its type.
static runtime::Parameter readParameter(agent::ParameterAttr entry, Type type) {
  using Kind = runtime::Parameter::Kind;
  static constexpr Kind kinds[] = {Kind::TensorMap, Kind::Pointer, Kind::Stride,
                                   Kind::Size, Kind::Scalar};
  runtime::Parameter parameter;
  parameter.kind = kinds[static_cast<unsigned>(entry.getKind())];
  parameter.argument = entry.getArgument();
  parameter.dimension = entry.getDimension().value_or(0);
  if (parameter.kind == Kind::TensorMap) {
    ArrayRef<int64_t> box = entry.getBox();
    parameter.box.assign(box.begin(), box.end());
    parameter.swizzle = *entry.getSwizzle();
    parameter.atom = *entry.getAtom();
    return parameter;
  }
  parameter.bytes = isa<LLVM::LLVMPointerType>(type)
                        ? 8
                        : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return parameter;
}

/// A size as a launch computes it.
static runtime::Formula makeFormula(const agent::LaunchCondition::Size &size) {
  using Kind = runtime::FormulaStep::Kind;
  runtime::Formula formula{size.name, {}};
  // Operands come before what is made of them, as a launch wants it.
  size.value.getResult(0).walk([&](AffineExpr part) {
    runtime::FormulaStep &step = formula.steps.emplace_back();
    if (auto constant = dyn_cast<AffineConstantExpr>(part)) {
      step.value = constant.getValue();
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(part)) {
      const auto &source = size.sources[symbol.getPosition()];
      step.kind = source.dimension ? Kind::Size : Kind::Scalar;
      step.argument = source.argument;
      step.dimension = source.dimension.value_or(0);
    } else {
      step.kind = part.getKind() == AffineExprKind::Add        ? Kind::Add
                  : part.getKind() == AffineExprKind::Mul      ? Kind::Multiply
                  : part.getKind() == AffineExprKind::Mod      ? Kind::Modulo
                  : part.getKind() == AffineExprKind::FloorDiv ? Kind::FloorDiv
                                                               : Kind::CeilDiv;
    }
  });
  return formula;
}

/// What a launch has to check so that the kernel ends, if anything.
static std::optional<runtime::LaunchCondition>
readCondition(tile::KernelOp kernel) {
  auto switches = kernel.getBody().getOps<agent::SwitchOp>();
  llvm::Expected<std::optional<agent::LaunchCondition>> verdict =
      agent::readVerdict(*switches.begin());
  if (!verdict) {
    // Code generation rejects it, unless it was asked for.
    llvm::consumeError(verdict.takeError());
    return std::nullopt;
  }
  if (!*verdict)
    return std::nullopt;
  const agent::LaunchCondition &proved = **verdict;
  runtime::LaunchCondition condition;
  condition.words = proved.words;
  for (const agent::LaunchCondition::Size &size : proved.sizes)
    condition.formulas.push_back(makeFormula(size));
  for (const auto &bounds : proved.cases) {
    std::vector<runtime::Bound> &result = condition.cases.emplace_back();
    for (const agent::LaunchCondition::Bound &bound : bounds)
      result.push_back({bound.size, bound.least.value_or(0),
                        bound.most.value_or(INT64_MAX)});
  }
  return condition;
}

static runtime::KernelInfo describeLaunch(tile::KernelOp kernel,
                                          const plan::Plan &plan) {
  runtime::KernelInfo info;
  info.name = kernel.getSymName().str();
  info.target = plan.arch->name.str();
  info.items = readItems(kernel, plan);
  info.condition = readCondition(kernel);
  // A grid is one row of CTAs, so a cluster is one, too.
  info.cluster[0] = plan.clusterSize();
  for (BlockArgument argument : kernel.getBody().getArguments())
    info.arguments.push_back(readArgument(argument));
  return info;
}

LogicalResult drawloom::describePrograms(ModuleOp module, bool forLaunch,
                                         std::vector<CompiledKernel> &kernels) {
  std::string fallback;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    auto switches = kernel.getBody().getOps<agent::SwitchOp>();
    FailureOr<plan::Plan> plan = plan::makePlan(*switches.begin());
    if (failed(plan))
      return failure();
    // It stands after the one that it belongs to.
    if (kernel.getSymName() == fallback) {
      CompiledKernel &first = kernels.back();
      if (forLaunch)
        first.info.fallback.push_back(describeLaunch(kernel, *plan));
      first.fallback.push_back(std::move(*plan));
      continue;
    }
    fallback.clear();
    if (!tile::getSchedule(kernel).fallbackCluster.empty())
      fallback = tile::getFallbackName(kernel.getSymName());
    CompiledKernel &result = kernels.emplace_back(std::move(*plan));
    if (forLaunch)
      result.info = describeLaunch(kernel, result.plan);
  }
  return success();
}

static void describeFunction(LLVM::LLVMFuncOp function,
                             runtime::KernelInfo &info) {
  auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  info.threads = threads.asArrayRef().front();
  if (auto bytes =
          function->getAttrOfType<IntegerAttr>(agent::sharedBytesAttrName))
    info.sharedBytes = bytes.getInt();
  auto entries = function->getAttrOfType<ArrayAttr>(agent::parametersAttrName);
  // The workspace comes after them.
  for (auto [entry, type] : llvm::zip(entries, function.getArgumentTypes()))
    info.parameters.push_back(
        readParameter(cast<agent::ParameterAttr>(entry), type));
  if (auto bytes =
          function->getAttrOfType<IntegerAttr>(agent::workspaceBytesAttrName)) {
    runtime::Parameter &workspace = info.parameters.emplace_back();
    workspace.kind = runtime::Parameter::Kind::Workspace;
    workspace.bytes = bytes.getInt();
  }
}

void drawloom::describeCode(ModuleOp module,
                            MutableArrayRef<CompiledKernel> kernels) {
  auto describe = [&](runtime::KernelInfo &info) {
    describeFunction(module.lookupSymbol<LLVM::LLVMFuncOp>(info.name), info);
  };
  for (CompiledKernel &kernel : kernels) {
    describe(kernel.info);
    llvm::for_each(kernel.info.fallback, describe);
  }
}
