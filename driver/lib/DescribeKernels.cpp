//===- DescribeKernels.cpp - What a launch has to know --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeKernels.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Analysis/Plan/Placement.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;

/// Adds the factors of a product of sizes, rounded up to tiles; false if the
/// count is something else.
static bool addFactors(Value count, std::vector<runtime::ItemFactor> &factors) {
  llvm::APInt constant;
  if (matchPattern(count, m_ConstantInt(&constant))) {
    // No items at all are no factor of a grid; the kernel finds out itself.
    if (!constant.isStrictlyPositive())
      return false;
    factors.push_back({std::nullopt, 0, constant.getSExtValue()});
    return true;
  }
  if (auto product = count.getDefiningOp<arith::MulIOp>())
    return addFactors(product.getLhs(), factors) &&
           addFactors(product.getRhs(), factors);
  int64_t tile = 1;
  if (auto quotient = count.getDefiningOp<arith::CeilDivUIOp>()) {
    if (!matchPattern(quotient.getRhs(), m_ConstantInt(&constant)) ||
        !constant.isStrictlyPositive())
      return false;
    tile = constant.getSExtValue();
    count = quotient.getLhs();
  }
  auto size = count.getDefiningOp<tile::DimOp>();
  if (!size)
    return false;
  auto view = dyn_cast<BlockArgument>(size.getView());
  if (!view)
    return false;
  factors.push_back(
      {view.getArgNumber(), static_cast<unsigned>(size.getIndex()), tile});
  return true;
}

/// How the CTAs get their items, as the plan says it.
static runtime::ItemsInfo readItems(tile::KernelOp kernel,
                                    const plan::Plan &plan) {
  using Kind = runtime::ItemsInfo::Kind;
  runtime::ItemsInfo items;
  items.kind = plan.items == plan::Items::Granted ? Kind::Granted
               : plan.items == plan::Items::One   ? Kind::One
                                                  : Kind::Static;
  std::vector<runtime::ItemFactor> factors;
  auto streams = kernel.getBody().getOps<agent::ItemsOp>();
  if (streams.empty())
    // The kernel is one item.
    items.count.emplace();
  else if (addFactors((*streams.begin()).getCount(), factors))
    items.count = std::move(factors);
  return items;
}

static FailureOr<runtime::ArgumentInfo> readArgument(tile::KernelOp kernel,
                                                     BlockArgument argument) {
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
  if (!info.type)
    return kernel.emitError()
           << "argument '" << info.name << "' of @" << kernel.getSymName()
           << " holds " << element << ", and a launch can pass "
           << runtime::listElementTypes();
  return info;
}

/// A parameter from what the function says of it, and its type.
static FailureOr<runtime::Parameter> readParameter(LLVM::LLVMFuncOp function,
                                                   agent::ParameterAttr entry,
                                                   Type type) {
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
  if (isa<LLVM::LLVMPointerType>(type))
    parameter.bytes = 8;
  else if (type.isIntOrFloat())
    parameter.bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  else
    return function.emitError()
           << "has a parameter of type " << type << ", which no launch passes";
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
    // Code generation refuses it, unless it was asked for.
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

static LogicalResult describeLaunch(tile::KernelOp kernel,
                                    CompiledKernel &result) {
  runtime::KernelInfo &info = result.info;
  info.name = kernel.getSymName().str();
  info.target = result.plan.arch->name.str();
  info.items = readItems(kernel, result.plan);
  info.condition = readCondition(kernel);
  for (auto [size, to] : llvm::zip(result.plan.cluster, info.cluster))
    to = size;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    FailureOr<runtime::ArgumentInfo> read = readArgument(kernel, argument);
    if (failed(read))
      return failure();
    info.arguments.push_back(std::move(*read));
  }
  return success();
}

LogicalResult drawloom::describePrograms(ModuleOp module, bool forLaunch,
                                         std::vector<CompiledKernel> &kernels) {
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    auto switches = kernel.getBody().getOps<agent::SwitchOp>();
    if (switches.empty())
      return kernel.emitError() << "kernel @" << kernel.getSymName()
                                << " has no roles, so there is no plan of it";
    FailureOr<plan::Plan> plan = plan::makePlan(*switches.begin());
    if (failed(plan))
      return failure();
    CompiledKernel &result = kernels.emplace_back(std::move(*plan));
    if (forLaunch && failed(describeLaunch(kernel, result)))
      return failure();
  }
  return success();
}

static LogicalResult describeFunction(ModuleOp module,
                                      runtime::KernelInfo &info) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(info.name);
  if (!function)
    return module.emitError() << "no code came out for @" << info.name;
  auto entries = function->getAttrOfType<ArrayAttr>(agent::parametersAttrName);
  auto threads = function->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  if (!entries || !threads ||
      entries.size() != function.getArgumentTypes().size())
    return function.emitError("does not say what it is called with");
  info.threads = threads.asArrayRef().front();
  if (auto bytes =
          function->getAttrOfType<IntegerAttr>(agent::sharedBytesAttrName))
    info.sharedBytes = bytes.getInt();
  for (auto [entry, type] :
       llvm::zip_equal(entries, function.getArgumentTypes())) {
    FailureOr<runtime::Parameter> parameter =
        readParameter(function, cast<agent::ParameterAttr>(entry), type);
    if (failed(parameter))
      return failure();
    info.parameters.push_back(std::move(*parameter));
  }
  return success();
}

LogicalResult drawloom::describeCode(ModuleOp module,
                                     MutableArrayRef<CompiledKernel> kernels) {
  for (CompiledKernel &kernel : kernels)
    if (failed(describeFunction(module, kernel.info)))
      return failure();
  return success();
}
