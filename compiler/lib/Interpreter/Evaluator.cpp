//===- Evaluator.cpp - The state of a run ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "Agents.h"
#include "Buffers.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

Window::Window(std::shared_ptr<Memory> newMemory)
    : memory(std::move(newMemory)), sizes(memory->tensor->getShape()),
      high(memory->tensor->getShape()) {
  origin.assign(sizes.size(), 0);
  low.assign(sizes.size(), 0);
}

llvm::SmallVector<llvm::ArrayRef<NamedRule>> drawloom::interp::getAllRules() {
  return {getIntegerRules(), getFloatRules(),   getCastRules(),
          getMathRules(),    getControlRules(), getTensorRules(),
          getItemRules(),    getMemoryRules(),  getMmaRules(),
          getShapeRules(),   getAffineRules(),  getAgentRules(),
          getBarrierRules(), getSlotRules(),    getIssueRules(),
          getMessageRules(), getAlongRules()};
}

Evaluator::Evaluator(mlir::MLIRContext *context, const Options &options)
    : options(options), agents(std::make_unique<AgentState>()) {
  for (llvm::ArrayRef<NamedRule> table : getAllRules())
    for (const NamedRule &entry : table)
      rules[mlir::OperationName(entry.operation, context)] = entry.rule;
  if (options.arithmetic)
    for (llvm::ArrayRef<NamedRule> table :
         {getElementDeviations(), getStepDeviations(), getSumDeviations(),
          getAlongDeviations()})
      for (const NamedRule &entry : table)
        deviationRules[mlir::OperationName(entry.operation, context)] =
            entry.rule;
}

Evaluator::~Evaluator() = default;

LogicalResult Evaluator::run(mlir::Block &block,
                             llvm::ArrayRef<RuntimeValue> arguments) {
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    setValue(argument, value);
  return runBody(block);
}

LogicalResult Evaluator::runBody(mlir::Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOne(&op)))
      return llvm::failure();
  return step(block.getTerminator());
}

LogicalResult Evaluator::runOne(Operation *op) {
  return llvm::failure(failed(step(op)) || failed(runLanes(op)));
}

/// How many times the body of a loop or branch runs, in one of the work tiles
/// that run together.
uint64_t Evaluator::countRuns(Operation *op, unsigned which) const {
  auto get = [&](mlir::Value value) {
    return getLane(value, which).tensor->getInt(0);
  };
  if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op))
    return get(branch.getCondition());
  auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op);
  if (!loop)
    return 0;
  int64_t lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound());
  int64_t step = get(loop.getStep());
  return lower < upper && step > 0
             ? llvm::divideCeil(static_cast<uint64_t>(upper) - lower, step)
             : 0;
}

/// In each of the work tiles that run together.
LogicalResult Evaluator::runLanes(Operation *op) {
  if (width == 1 || item == severalItems || lane)
    return runOp(op);
  bool isOfAll = op->getNumRegions() != 0 ||
                 mlir::isa<agent::PublishOp, agent::ReceiveOp>(op);
  if (!isOfAll) {
    ItemId first = item;
    LogicalResult result = llvm::success();
    for (unsigned which = 0; which < width && succeeded(result); ++which) {
      lane = which;
      item = first + which;
      result = runOp(op);
    }
    lane.reset();
    item = first;
    return result;
  }
  for (unsigned which = 1; which < width; ++which)
    if (countRuns(op, which) != countRuns(op, 0))
      return op->emitError()
             << "runs differently in the " << width
             << " work tiles that gather what each of them has; they must "
                "do the same steps [interpreter]";
  return runOp(op);
}

LogicalResult Evaluator::runOp(Operation *op) {
  auto rule = rules.find(op->getName());
  if (rule == rules.end())
    return op->emitError() << "the interpreter has no rule for '"
                           << op->getName() << "' [interpreter]";
  llvm::SmallVector<std::pair<mlir::Value, RuntimeValue>> named;
  if (failed(readNamed(op, named)))
    return llvm::failure();
  bool usesUndefined = llvm::any_of(op->getOperands(), [&](mlir::Value value) {
    return getUndefined(value) != nullptr;
  });
  if (usesUndefined && failed(checkUses(op)))
    return llvm::failure();
  if (failed(rule->second(op, *this)))
    return llvm::failure();
  if (usesUndefined)
    spreadUndefined(op);
  for (auto &[value, name] : named)
    setValue(value, name);
  if (op->getNumRegions() != 0 && agents->runner)
    agents->runner->leave(op);
  return options.arithmetic ? deviate(op) : llvm::success();
}

LogicalResult Evaluator::readNamed(
    Operation *op,
    llvm::SmallVectorImpl<std::pair<mlir::Value, RuntimeValue>> &named) {
  // Loops and branches pass names on, and so do these; MMAs read themselves.
  static constexpr llvm::StringLiteral takesNames[] = {
      "agent.or_zero", "agent.multiply", "agent.issue",
      "agent.add_mma", "tile.mma",       "tile.transpose"};
  if (op->getNumRegions() != 0)
    return llvm::success();
  bool takes = llvm::is_contained(takesNames, op->getName().getStringRef());
  for (mlir::Value operand : op->getOperands()) {
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
    RuntimeValue value = getValue(operand);
    if (!value.window || !type || (takes && type.getRank() == 2))
      continue;
    llvm::FailureOr<RuntimeValue> tile = readSlot(op, *this, *value.window);
    if (failed(tile))
      return llvm::failure();
    named.emplace_back(operand, value);
    setValue(operand, *tile);
  }
  return llvm::success();
}

bool drawloom::interp::isMover(Operation *op) {
  static constexpr llvm::StringLiteral movers[] = {
      "tensor.splat",        "tensor.extract_slice",
      "tile.broadcast",      "tile.transpose",
      "tile.extract_slice",  "tile.expand_dims",
      "tile.convert_layout", "tile.load",
      "tile.store",          "tile.all_gather"};
  return llvm::is_contained(movers, op->getName().getStringRef());
}

void Evaluator::moveAlong(Operation *op, const StridedRange &from) {
  mlir::Value result = op->getResult(0), source = op->getOperand(0);
  llvm::ArrayRef<int64_t> shape = get(result)->getShape();
  auto move = [&](const HostTensor &tensor) {
    HostTensor moved(tensor.getFormat(), shape);
    copyBox(shape, moved, {0, getStrides(shape)}, tensor, from);
    return moved;
  };
  if (TensorRef deviation = getDeviation(source))
    setDeviation(result, move(*deviation));
  if (TensorRef undefined = getUndefined(source))
    setUndefined(result, move(*undefined));
}

LogicalResult Evaluator::deviate(Operation *op) {
  auto rule = deviationRules.find(op->getName());
  if (rule != deviationRules.end())
    return rule->second(op, *this);
  // Control flow ends here, and what moves elements has moved their deviations
  // already. What computes must have a rule, or an error would get lost.
  if (op->getNumRegions() != 0 || isMover(op)) {
    for (mlir::Value operand : op->getOperands())
      if (operand.getType().isIndex() && getDeviation(operand))
        return op->emitError()
               << "there is no bound for what happens at an index, or so many "
                  "times, that depends on how numbers are rounded "
                  "[interpreter]";
    return llvm::success();
  }
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  bool computes = dialect == "arith" || dialect == "math";
  auto isInexact = [&](mlir::Value value) {
    TensorRef tensor = get(value);
    return getDeviation(value) ||
           (computes && tensor && isFloat(tensor->getFormat()));
  };
  if (llvm::none_of(op->getOperands(), isInexact))
    return llvm::success();
  return op->emitError() << "there is no rule for how rounding goes through '"
                         << op->getName() << "' [interpreter]";
}

LogicalResult Evaluator::step(Operation *op) {
  if (options.interrupted && options.interrupted())
    return op->emitError() << "interrupted [interrupted]";
  if (++steps <= options.maxSteps)
    return llvm::success();
  return op->emitError() << "stopped after " << options.maxSteps
                         << " operations: a loop does not end, or the limit is "
                            "too low for the program [interpreter]";
}

llvm::FailureOr<ItemId> WorkTiles::addItems(Operation *op, int64_t count) {
  auto first = static_cast<ItemId>(itemOffsets.size());
  if (count > maxItems - first)
    return op->emitError() << "more than " << maxItems
                           << " work tiles [interpreter]";
  itemOffsets.resize(first + count);
  return first + 1;
}

LogicalResult WorkTiles::beginItem(Operation *op,
                                   llvm::ArrayRef<int64_t> offsets) {
  llvm::FailureOr<ItemId> added = addItems(op, 1);
  if (failed(added))
    return llvm::failure();
  describeItem(*added, offsets);
  item = *added;
  return llvm::success();
}

std::string WorkTiles::formatItem(ItemId which) const {
  if (which == severalItems)
    return "other work tiles";
  std::string text = "work tile (";
  llvm::raw_string_ostream os(text);
  llvm::interleave(itemOffsets[which - 1], os, ", ");
  os << ')';
  return text;
}

llvm::SmallVector<RuntimeValue> Values::collect(mlir::ValueRange values) const {
  return llvm::map_to_vector(
      values, [&](mlir::Value value) { return getValue(value); });
}

llvm::SmallVector<int64_t, 4>
Values::getIndices(llvm::ArrayRef<mlir::OpFoldResult> indices) const {
  llvm::SmallVector<int64_t, 4> result;
  for (mlir::OpFoldResult index : indices)
    if (auto attr = mlir::dyn_cast<mlir::Attribute>(index))
      result.push_back(mlir::cast<mlir::IntegerAttr>(attr).getInt());
    else
      result.push_back(getIndex(mlir::cast<mlir::Value>(index)));
  return result;
}

llvm::FailureOr<Format> Evaluator::getFormat(Operation *op, mlir::Type type) {
  auto known = formats.find(type);
  if (known != formats.end())
    return known->second;
  std::optional<Format> format = interp::getFormat(type);
  if (!format)
    return op->emitError() << "the interpreter has no format for " << type
                           << " [interpreter]";
  formats[type] = *format;
  return *format;
}

llvm::FailureOr<HostTensor> Evaluator::makeResult(Operation *op,
                                                  unsigned result) {
  mlir::Type type = op->getResult(result).getType();
  llvm::FailureOr<Format> format = getFormat(op, type);
  if (failed(format))
    return llvm::failure();
  llvm::ArrayRef<int64_t> shape;
  if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type)) {
    if (!shaped.hasStaticShape())
      return op->emitError() << "the interpreter needs a static shape, not "
                             << type << " [interpreter]";
    shape = shaped.getShape();
  }
  if (!countElements(*format, shape))
    return op->emitError() << "a tensor of " << formatType(*format, shape)
                           << " is too large: " << (maxTensorBytes >> 30)
                           << " GiB is the most [interpreter]";
  return HostTensor(*format, shape);
}

std::optional<Format> drawloom::interp::getFormat(mlir::Type type) {
  // Vectors look like tensors but are none.
  if (mlir::isa<mlir::VectorType>(type))
    return std::nullopt;
  if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
    type = shaped.getElementType();
  std::string name;
  llvm::raw_string_ostream os(name);
  os << type;
  return parseFormat(name);
}

std::string drawloom::interp::formatPosition(llvm::ArrayRef<int64_t> shape,
                                             int64_t linear) {
  if (shape.empty())
    return "";
  std::string text = " at [";
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      getStrides(shape), os,
      [&](int64_t stride) {
        os << linear / stride;
        linear %= stride;
      },
      ", ");
  os << ']';
  return text;
}

uint64_t drawloom::interp::getConstantBits(Format format,
                                           mlir::Attribute attribute) {
  if (auto attr = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    return fromAPFloat(format, attr.getValue());
  return mlir::cast<mlir::IntegerAttr>(attribute).getValue().getZExtValue();
}

void drawloom::interp::fillUninitialized(HostTensor &tensor) {
  Format format = tensor.getFormat();
  uint64_t bits = isFloat(format) ? encode(format, std::nan(""))
                                  : uint64_t(1) << (getInfo(format).bits - 1);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setBits(i, bits);
}
