//===- Evaluator.h - The state of a run, and the rules ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run maps each SSA value to what it stands for: a tensor (a scalar is one of
// rank 0), or a window of memory, which is what views and buffers are. One rule
// for each operation reads the operands and sets the results. The rules are
// tables, one for each dialect; an operation without a rule ends the run with
// an error that names it.
//
// The invariant: a tensor is never written after it became the value of an SSA
// value, so values share storage. Only windows name memory that changes.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_EVALUATOR_H
#define DRAWLOOM_LIB_INTERPRETER_EVALUATOR_H

#include "AccessLog.h"
#include "Box.h"
#include "mlir/IR/Operation.h"
#include <map>
#include <memory>

namespace drawloom::interp {

struct AgentState;
struct Guard;
struct Options;
class Evaluator;

using TensorRef = std::shared_ptr<const HostTensor>;

/// A tensor that the program can write to: an argument of the kernel, or what
/// tile.alloc made.
struct Memory {
  HostTensor *tensor;
  /// Set for what tile.alloc made.
  std::unique_ptr<HostTensor> owned;
  /// Who loaded and stored each element; none for what tile.alloc made.
  std::unique_ptr<AccessLog> log;
  /// How far each element may be off on the hardware; none if nothing inexact
  /// was stored.
  std::optional<HostTensor> deviation;
  /// The numbers of the arguments that it is; more than one if the caller
  /// passed it twice.
  llvm::SmallVector<unsigned, 1> arguments;
  /// Of a slot: who has used it, see Protocol.h; and why elements have no
  /// meaning, as in RuntimeValue.
  Guard *guard = nullptr;
  std::optional<HostTensor> undefined = std::nullopt;
};

/// A box of a memory. Element `i` of the window is element `origin + i` of the
/// memory, and exists if that lies in [low, high). A window may reach past the
/// memory, or past the window that it was cut from.
struct Window {
  std::shared_ptr<Memory> memory;
  llvm::SmallVector<int64_t, 4> origin, sizes, low, high;
  /// Of a buffer: rows of the window are columns of the memory.
  bool isTransposed = false;

  /// All of it.
  explicit Window(std::shared_ptr<Memory> memory);
};

/// What an SSA value stands for: a tensor, or the window of a view or buffer. A
/// tile that is named where it is, in a slot, is a window, too.
struct RuntimeValue {
  TensorRef tensor;
  std::shared_ptr<const Window> window = nullptr;
  /// Of a tensor, in a run with a machine: f64, how far each element may be off
  /// there. Null if it is exact.
  TensorRef deviation = nullptr;
  /// Of a tensor: i32, for each element 0 or the number of the reason why it
  /// has no meaning. Null if all have one. See Undefined.cpp.
  TensorRef undefined = nullptr;
  /// Of neighboring work tiles that run together, each one's own; the rest is
  /// that of the first one. Empty if they have the same.
  std::vector<RuntimeValue> lanes = {};
  /// Of an accumulator in flight: the number of the MMA that it comes from.
  uint32_t group = 0;
};

/// Evaluates one operation: reads its operands, sets its results, and reports
/// at its location what cannot be done.
using Rule = llvm::LogicalResult (*)(mlir::Operation *, Evaluator &);

struct NamedRule {
  llvm::StringLiteral operation;
  Rule rule;
};

llvm::ArrayRef<NamedRule> getIntegerRules();
llvm::ArrayRef<NamedRule> getFloatRules();
llvm::ArrayRef<NamedRule> getCastRules();
llvm::ArrayRef<NamedRule> getMathRules();
llvm::ArrayRef<NamedRule> getControlRules();
llvm::ArrayRef<NamedRule> getTensorRules();
llvm::ArrayRef<NamedRule> getItemRules();
llvm::ArrayRef<NamedRule> getMemoryRules();
llvm::ArrayRef<NamedRule> getMmaRules();
llvm::ArrayRef<NamedRule> getShapeRules();
llvm::ArrayRef<NamedRule> getAlongRules();
llvm::ArrayRef<NamedRule> getAffineRules();
llvm::ArrayRef<NamedRule> getAgentRules();
llvm::ArrayRef<NamedRule> getBarrierRules();
llvm::ArrayRef<NamedRule> getSlotRules();
llvm::ArrayRef<NamedRule> getIssueRules();
llvm::ArrayRef<NamedRule> getMessageRules();

/// How the deviations of the results follow from those of the operands. A rule
/// runs after that of the operation.
llvm::ArrayRef<NamedRule> getElementDeviations();
llvm::ArrayRef<NamedRule> getStepDeviations();
llvm::ArrayRef<NamedRule> getSumDeviations();
llvm::ArrayRef<NamedRule> getAlongDeviations();

/// Whether the operation moves elements and changes none: tile.broadcast and
/// the like, tile.load and tile.store.
bool isMover(mlir::Operation *op);

/// The tables of all rules.
llvm::SmallVector<llvm::ArrayRef<NamedRule>> getAllRules();

/// What the values of a program are, in each of the CTAs and of the work tiles
/// that run together.
class Values {
public:
  /// What the values stand for.
  llvm::SmallVector<RuntimeValue> collect(mlir::ValueRange values) const;

  RuntimeValue getValue(mlir::Value value) const {
    RuntimeValue all = frames[cta].lookup(value);
    return lane && !all.lanes.empty() ? all.lanes[*lane] : all;
  }
  void setValue(mlir::Value value, RuntimeValue runtimeValue) {
    Frame &values = frames[cta];
    if (!lane) {
      values[value] = std::move(runtimeValue);
      return;
    }
    if (*lane == 0) {
      values[value] = runtimeValue;
      values[value].lanes.resize(width);
    }
    values[value].lanes[*lane] = std::move(runtimeValue);
  }
  /// What a value is in one of the items that run together.
  RuntimeValue getLane(mlir::Value value, unsigned which) const {
    RuntimeValue all = frames[cta].lookup(value);
    return all.lanes.empty() ? all : all.lanes[which];
  }
  /// One value of what it is in each of these.
  static RuntimeValue join(std::vector<RuntimeValue> lanes) {
    RuntimeValue all = lanes.front();
    all.lanes = std::move(lanes);
    return all;
  }
  /// The CTAs that run together have values of their own. They start with
  /// those that there are.
  void setCtas(size_t count) {
    Frame values = frames.front();
    frames.assign(count, values);
  }
  void setCta(int64_t rank) { cta = rank; }
  int64_t getCta() const { return cta; }
  /// How many work tiles run together, step by step, because they gather what
  /// the others have; their numbers follow each other. Control flow is the
  /// first one's, and must be that of all.
  void setWidth(unsigned items) { width = items; }
  unsigned getWidth() const { return width; }
  /// The place among them of the one that runs.
  unsigned getPlace() const { return lane.value_or(0); }

  TensorRef get(mlir::Value value) const { return getValue(value).tensor; }
  void set(mlir::Value value, HostTensor &&tensor) {
    setValue(value,
             {std::make_shared<const HostTensor>(std::move(tensor)), nullptr});
  }
  TensorRef getDeviation(mlir::Value value) const {
    return getValue(value).deviation;
  }
  /// To a value that has its tensor.
  void setDeviation(mlir::Value value, HostTensor &&deviation) {
    find(value).deviation =
        std::make_shared<const HostTensor>(std::move(deviation));
  }

  TensorRef getUndefined(mlir::Value value) const {
    return getValue(value).undefined;
  }
  /// To a value that has its tensor.
  void setUndefined(mlir::Value value, HostTensor &&undefined) {
    find(value).undefined =
        std::make_shared<const HostTensor>(std::move(undefined));
  }
  int64_t getIndex(mlir::Value value) const { return get(value)->getInt(0); }
  /// Numbers that are constants or values.
  llvm::SmallVector<int64_t, 4>
  getIndices(llvm::ArrayRef<mlir::OpFoldResult> indices) const;

  std::shared_ptr<const Window> getWindow(mlir::Value value) const {
    return getValue(value).window;
  }
  void setWindow(mlir::Value value, Window &&window) {
    setValue(value,
             {nullptr, std::make_shared<const Window>(std::move(window))});
  }

protected:
  using Frame = llvm::DenseMap<mlir::Value, RuntimeValue>;
  /// Where the value of the item is kept that runs.
  RuntimeValue &find(mlir::Value value) {
    RuntimeValue &all = frames[cta][value];
    return lane && !all.lanes.empty() ? all.lanes[*lane] : all;
  }

  unsigned width = 1;
  std::optional<unsigned> lane;
  std::vector<Frame> frames{1};
  int64_t cta = 0;
};

/// The work tiles that have begun, and the one that runs.
class WorkTiles {
public:
  /// Begins the next work tile, the one with these offsets; an error at `op` if
  /// there have been too many. `endItem` leaves it: between items the program
  /// does what every item repeats.
  llvm::LogicalResult beginItem(mlir::Operation *op,
                                llvm::ArrayRef<int64_t> offsets);
  void endItem() { item = severalItems; }

  /// Makes room for that many items, which are begun with `setItem` when their
  /// turn comes, perhaps by several roles. Returns the first of them.
  llvm::FailureOr<ItemId> addItems(mlir::Operation *op, int64_t count);
  void describeItem(ItemId which, llvm::ArrayRef<int64_t> offsets) {
    itemOffsets[which - 1].assign(offsets.begin(), offsets.end());
  }
  void setItem(ItemId newItem) { item = newItem; }
  ItemId getItem() const { return item; }

  /// Writes `work tile (128, 0)`, or `other work tiles` for more than one.
  std::string formatItem(ItemId item) const;

protected:
  ItemId item = severalItems;
  std::vector<llvm::SmallVector<int64_t, 4>> itemOffsets;
};

class Evaluator : public Values, public WorkTiles {
public:
  Evaluator(mlir::MLIRContext *context, const Options &options);
  ~Evaluator();

  /// Runs the block's operations up to its terminator, with these values for
  /// its arguments. The terminator's operands are the block's results.
  llvm::LogicalResult run(mlir::Block &block,
                          llvm::ArrayRef<RuntimeValue> arguments);
  /// The same when the arguments have their values already.
  llvm::LogicalResult runBody(mlir::Block &block);
  /// Runs one operation.
  llvm::LogicalResult runOne(mlir::Operation *op);

  /// Marks the elements of the first result, which has its tensor, that have
  /// no meaning: those for which `why` has words.
  void markUndefined(mlir::Operation *op,
                     llvm::function_ref<std::string(int64_t)> why);
  /// Reports an element without a meaning that something depends on, at the
  /// operation that it comes from. `shape` and `element` say where it is used.
  llvm::LogicalResult reportUndefined(int64_t reason,
                                      llvm::ArrayRef<int64_t> shape,
                                      int64_t element) const;
  /// An error if an element of the value has no meaning.
  llvm::LogicalResult checkDefined(mlir::Value value) const;

  /// Gives the first result what goes along with the elements of the first
  /// operand, which have been moved from there.
  void moveAlong(mlir::Operation *op, const StridedRange &from);

  /// The format of a scalar type, or of a tensor's elements; an error at `op`
  /// if there is none.
  llvm::FailureOr<Format> getFormat(mlir::Operation *op, mlir::Type type);

  /// A new tensor of the type of the result; an error at `op` if its shape is
  /// not static or it would be too large.
  llvm::FailureOr<HostTensor> makeResult(mlir::Operation *op,
                                         unsigned result = 0);

  /// Counts one step; an error at `op` if there have been too many.
  llvm::LogicalResult step(mlir::Operation *op);

  const Options &getOptions() const { return options; }

  /// The pipes, streams and roles of an agent program.
  AgentState &getAgents() { return *agents; }

private:
  llvm::LogicalResult runOp(mlir::Operation *op);
  /// Reads the operands that are named where they are, for one operation.
  llvm::LogicalResult
  readNamed(mlir::Operation *op,
            llvm::SmallVectorImpl<std::pair<mlir::Value, RuntimeValue>> &named);
  llvm::LogicalResult runLanes(mlir::Operation *op);
  uint64_t countRuns(mlir::Operation *op, unsigned which) const;
  /// Computes the deviations of the results.
  llvm::LogicalResult deviate(mlir::Operation *op);
  /// Which elements of the results have no meaning because those of the
  /// operands have none; an error if the operation can't do without them.
  llvm::LogicalResult checkUses(mlir::Operation *op) const;
  void spreadUndefined(mlir::Operation *op);

  const Options &options;
  int64_t steps = 0;
  llvm::DenseMap<mlir::OperationName, Rule> rules;
  llvm::DenseMap<mlir::OperationName, Rule> deviationRules;
  llvm::DenseMap<mlir::Type, Format> formats;
  std::unique_ptr<AgentState> agents;
  /// Why elements have no meaning: the operation that made them, and words.
  /// Reasons count from 1.
  std::vector<std::pair<mlir::Operation *, std::string>> reasons;
  std::map<std::pair<mlir::Operation *, std::string>, int64_t> reasonNumbers;
};

/// Writes ` at [2, 7]`: where element `linear` of the shape stands. Nothing for
/// a scalar.
std::string formatPosition(llvm::ArrayRef<int64_t> shape, int64_t linear);

/// The bits of a constant of that format.
uint64_t getConstantBits(Format format, mlir::Attribute attribute);

/// What uninitialized memory holds: NaN, or the largest number where there is
/// no NaN; for integers the smallest signed number. A program that depends on
/// it shows.
void fillUninitialized(HostTensor &tensor);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_EVALUATOR_H
