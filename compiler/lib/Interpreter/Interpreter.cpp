//===- Interpreter.cpp - A kernel's border and its work tiles -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/Interpreter.h"
#include "Protocol.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

/// Whether the tensor can stand for an argument of that type.
static LogicalResult checkArgument(tile::KernelOp kernel, unsigned number,
                                   mlir::Type type, const HostTensor &tensor) {
  auto error = [&](const llvm::Twine &reason = "") {
    return kernel.emitError()
           << "argument " << number << " of @" << kernel.getSymName() << " is "
           << formatType(tensor.getFormat(), tensor.getShape())
           << ", but the kernel takes " << type << reason << " [interpreter]";
  };
  std::optional<Format> format = getFormat(type);
  if (!format)
    return kernel.emitError()
           << "the interpreter has no format for " << type << ", argument "
           << number << " of @" << kernel.getSymName() << " [interpreter]";
  if (*format != tensor.getFormat())
    return error();
  auto view = mlir::dyn_cast<tile::ViewType>(type);
  llvm::ArrayRef<int64_t> wanted =
      view ? view.getShape() : llvm::ArrayRef<int64_t>();
  if (static_cast<int64_t>(wanted.size()) != tensor.getRank())
    return error(": rank " + llvm::Twine(tensor.getRank()) + ", not " +
                 llvm::Twine(wanted.size()));
  for (auto [d, size] : llvm::enumerate(wanted))
    if (mlir::ShapedType::isStatic(size) && size != tensor.getShape()[d])
      return error(": dimension " + llvm::Twine(d) + " is " +
                   llvm::Twine(tensor.getShape()[d]) + ", not " +
                   llvm::Twine(size));
  return llvm::success();
}

/// Gives each view its memory. A tensor that is passed twice is one memory.
static void bindArguments(tile::KernelOp kernel,
                          llvm::ArrayRef<HostTensor *> arguments,
                          Evaluator &eval) {
  llvm::DenseMap<HostTensor *, std::shared_ptr<Memory>> memories;
  for (auto [number, argument, tensor] :
       llvm::enumerate(kernel.getBody().getArguments(), arguments)) {
    if (!mlir::isa<tile::ViewType>(argument.getType())) {
      eval.set(argument, HostTensor(*tensor));
      continue;
    }
    std::shared_ptr<Memory> &memory = memories[tensor];
    if (!memory) {
      memory = std::make_shared<Memory>();
      memory->tensor = tensor;
      memory->log = std::make_unique<AccessLog>(tensor->getNumElements());
    }
    memory->arguments.push_back(number);
    eval.setWindow(argument, Window(memory));
  }
}

LogicalResult drawloom::interp::run(tile::KernelOp kernel,
                                    llvm::ArrayRef<HostTensor *> arguments,
                                    const Options &options) {
  std::vector<std::optional<HostTensor>> deviations;
  return run(kernel, arguments, options, deviations);
}

LogicalResult
drawloom::interp::run(tile::KernelOp kernel,
                      llvm::ArrayRef<HostTensor *> arguments,
                      const Options &options,
                      std::vector<std::optional<HostTensor>> &deviations) {
  auto types = kernel.getArgumentTypes();
  if (types.size() != arguments.size())
    return kernel.emitError()
           << "@" << kernel.getSymName() << " takes " << types.size()
           << " arguments; " << arguments.size() << " are given [interpreter]";
  for (auto [number, type, tensor] : llvm::enumerate(types, arguments))
    if (failed(checkArgument(kernel, number, type, *tensor)))
      return llvm::failure();

  Evaluator eval(kernel.getContext(), options);
  kernel.walk([&](tile::AllGatherOp gather) {
    eval.setWidth(gather.getParts().size());
  });
  bindArguments(kernel, arguments, eval);
  // A kernel without a stream of items is one item, or one of each CTA that
  // gathers what the others have.
  bool hasItems =
      kernel.getForEach() ||
      kernel.walk([](agent::ItemsOp) { return mlir::WalkResult::interrupt(); })
          .wasInterrupted();
  int64_t width = eval.getWidth();
  llvm::SmallVector<int64_t, 1> number;
  for (int64_t lane = 0; !hasItems && lane < width; ++lane) {
    if (width > 1)
      number.assign(1, lane);
    if (failed(eval.beginItem(kernel, number)))
      return llvm::failure();
  }
  if (!hasItems)
    eval.setItem(eval.getItem() - static_cast<ItemId>(width - 1));
  if (failed(isLowered(kernel) ? runClusters(kernel, eval)
                               : eval.runBody(kernel.getBody().front())))
    return llvm::failure();
  deviations.clear();
  for (mlir::BlockArgument argument : kernel.getBody().getArguments()) {
    std::shared_ptr<const Window> window = eval.getWindow(argument);
    deviations.push_back(window ? window->memory->deviation : std::nullopt);
  }
  return llvm::success();
}

/// The number of tiles in each dimension, and of items; an error if they are
/// too many.
static llvm::FailureOr<std::pair<llvm::SmallVector<int64_t, 4>, int64_t>>
countItems(tile::ForEachOp forEach, Evaluator &eval) {
  llvm::SmallVector<int64_t, 4> counts;
  for (auto [d, tile] : llvm::enumerate(forEach.getTiles())) {
    int64_t extent = forEach.getView()
                         ? eval.getWindow(forEach.getView())->sizes[d]
                         : eval.getIndex(forEach.getExtents()[d]);
    if (extent < 0)
      return forEach.emitError()
             << "the extent of dimension " << d << " is " << extent
             << "; it must not be negative [interpreter]";
    counts.push_back(extent / tile + (extent % tile != 0));
  }
  int64_t total = llvm::is_contained(counts, 0) ? 0 : 1;
  for (int64_t count : counts)
    if (llvm::MulOverflow(total, count, total) || total > maxItems)
      return forEach.emitError()
             << "more than " << maxItems << " work tiles [interpreter]";
  return std::pair(std::move(counts), total);
}

static LogicalResult forEachItem(Operation *op, Evaluator &eval) {
  auto forEach = mlir::cast<tile::ForEachOp>(op);
  auto count = countItems(forEach, eval);
  if (failed(count))
    return llvm::failure();
  auto &[counts, total] = *count;
  bool isInnermost = !forEach.getNested();
  int64_t width = isInnermost ? eval.getWidth() : 1;
  int64_t along = 0;
  if (width > 1) {
    forEach.walk([&](tile::AllGatherOp gather) { along = gather.getAlong(); });
    if (along >= forEach.getRank() || counts[along] % width != 0)
      return forEach.emitError()
             << "has " << (along < forEach.getRank() ? counts[along] : 1)
             << " work tiles along dimension " << along << ", where " << width
             << " at a time gather what each of them has" << " [interpreter]";
    counts[along] /= width;
    total /= width;
  }
  std::vector<int64_t> order(total);
  std::iota(order.begin(), order.end(), 0);
  if (eval.getOptions().shuffle)
    std::shuffle(order.begin(), order.end(),
                 std::mt19937_64(*eval.getOptions().shuffle));

  llvm::SmallVector<int64_t, 4> strides = getStrides(counts);
  for (int64_t number : order) {
    std::vector<llvm::SmallVector<int64_t, 4>> offsets(width);
    for (auto [d, argument] : llvm::enumerate(forEach.getOffsets())) {
      std::vector<RuntimeValue> lanes(width);
      for (int64_t lane = 0; lane < width; ++lane) {
        int64_t coordinate = number / strides[d] % counts[d];
        if (width > 1 && int64_t(d) == along)
          coordinate = coordinate * width + lane;
        offsets[lane].push_back(coordinate * forEach.getTiles()[d]);
        lanes[lane].tensor = std::make_shared<const HostTensor>(
            HostTensor::scalar(Format::Index, offsets[lane].back()));
      }
      eval.setValue(argument, width > 1 ? Evaluator::join(std::move(lanes))
                                        : lanes.front());
    }
    for (int64_t lane = 0; isInnermost && lane < width; ++lane)
      if (failed(eval.beginItem(op, offsets[lane])))
        return llvm::failure();
    if (isInnermost)
      eval.setItem(eval.getItem() - static_cast<ItemId>(width - 1));
    if (failed(eval.runBody(forEach.getBody().front())))
      return llvm::failure();
    eval.endItem();
  }
  return llvm::success();
}

static constexpr NamedRule itemRules[] = {{"tile.for_each", forEachItem}};

llvm::ArrayRef<NamedRule> drawloom::interp::getItemRules() { return itemRules; }
