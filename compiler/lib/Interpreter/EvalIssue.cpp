//===- EvalIssue.cpp - MMAs that are issued and waited for ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "Buffers.h"
#include "Mma.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

/// The same tile in another CTA of the cluster.
static Window getPeer(Protocol &protocol, const Window &window, int64_t cta) {
  Guard &own = *window.memory->guard;
  Window peer = window;
  if (Guard *other = protocol.find(own.slots, cta, own.index, own.value))
    peer.memory = other->memory;
  return peer;
}

/// The two halves of b, one after the other.
static RuntimeValue joinRows(const RuntimeValue &first,
                             const RuntimeValue &second) {
  auto join = [](const HostTensor &a, const HostTensor &b) {
    HostTensor all(a.getFormat(),
                   {a.getShape()[0] + b.getShape()[0], a.getShape()[1]});
    all.copyRow(a.getNumElements(), 0, a, 0);
    all.copyRow(b.getNumElements(), a.getNumElements(), b, 0);
    return std::make_shared<const HostTensor>(std::move(all));
  };
  RuntimeValue joined;
  joined.tensor = join(*first.tensor, *second.tensor);
  if (first.undefined || second.undefined) {
    auto orNone = [](const RuntimeValue &half) {
      return half.undefined ? *half.undefined
                            : HostTensor(Format::I32, half.tensor->getShape());
    };
    joined.undefined = join(orNone(first), orNone(second));
  }
  return joined;
}

namespace {
/// One MMA into tensor memory, in one CTA or in two.
class Multiply {
public:
  Multiply(agent::MultiplyOp op, Evaluator &eval, Participant &who)
      : op(op), eval(eval), protocol(eval.getAgents().protocol), who(who) {}

  LogicalResult run() {
    int64_t cta = eval.getCta(), other = cta ^ 1;
    auto b = read(op.getB(), cta);
    if (failed(b))
      return llvm::failure();
    if (!op.getPair())
      return runIn(cta, *b);
    auto second = read(op.getB(), other);
    if (failed(second))
      return llvm::failure();
    RuntimeValue all =
        cta < other ? joinRows(*b, *second) : joinRows(*second, *b);
    return llvm::failure(failed(runIn(cta, all)) || failed(runIn(other, all)));
  }

private:
  Window find(mlir::Value buffer, int64_t cta) {
    return getPeer(protocol, *eval.getWindow(buffer), cta);
  }

  llvm::FailureOr<RuntimeValue> read(mlir::Value operand, int64_t cta) {
    if (!eval.getWindow(operand))
      return op->emitError(
          "multiplies a tile that is in no slot [interpreter]");
    Window window = find(operand, cta);
    if (failed(protocol.read(op, who, By::TensorCore, *window.memory->guard)))
      return llvm::failure();
    return copyFrom(window);
  }

  LogicalResult runIn(int64_t cta, const RuntimeValue &b) {
    auto a = read(op.getA(), cta);
    if (failed(a))
      return llvm::failure();
    Window target = find(op.getAccumulator(), cta);
    Guard &guard = *target.memory->guard;
    MmaOperands operands{*a, b};
    operands.tf32 = op.getTf32();
    operands.negated = op.getNegated();
    if (eval.get(op.getAccumulate())->getUInt(0)) {
      if (failed(protocol.read(op, who, By::TensorCore, guard)))
        return llvm::failure();
      operands.acc = copyFrom(target);
    }
    auto sum = multiplyAdd(op, operands, target.memory->tensor->getFormat());
    if (failed(sum) || failed(protocol.write(op, who, By::TensorCore, guard)))
      return llvm::failure();
    copyTo(target, *sum);
    return llvm::success();
  }

  agent::MultiplyOp op;
  Evaluator &eval;
  Protocol &protocol;
  Participant &who;
};
} // namespace

static LogicalResult multiply(Operation *op, Evaluator &eval) {
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  return Multiply(mlir::cast<agent::MultiplyOp>(op), eval, **who).run();
}

/// An MMA of warp groups. Returns its accumulator, with its number.
template <typename MmaOpT>
static llvm::FailureOr<RuntimeValue> start(MmaOpT op, Evaluator &eval,
                                           bool tf32, Participant &who) {
  auto a = readOperand(op, eval, op.getA(), By::Wgmma);
  auto b = readOperand(op, eval, op.getB(), By::Wgmma);
  auto acc = readOperand(op, eval, op.getAcc(), By::Threads);
  if (failed(a) || failed(b) || failed(acc))
    return llvm::failure();
  mlir::Type type = op->getResult(0).getType();
  if (auto inFlight = mlir::dyn_cast<agent::InFlightType>(type))
    type = inFlight.getTile();
  auto format = eval.getFormat(op, type);
  if (failed(format))
    return llvm::failure();
  auto sum =
      multiplyAdd(op, {*a, *b, {}, {}, *acc, tf32, op.getNegated()}, *format);
  if (failed(sum))
    return llvm::failure();
  sum->group = eval.getAgents().protocol.count(who.get(By::Wgmma));
  return sum;
}

static LogicalResult issue(Operation *op, Evaluator &eval) {
  auto issue = mlir::cast<agent::IssueOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  auto sum = start(issue, eval, issue.getTf32(), **who);
  if (failed(sum))
    return llvm::failure();
  eval.setValue(issue.getAccumulator(), *sum);
  return llvm::success();
}

static LogicalResult addMma(Operation *op, Evaluator &eval) {
  auto add = mlir::cast<agent::AddMmaOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  auto sum = start(add, eval, /*tf32=*/false, **who);
  if (failed(sum))
    return llvm::failure();
  (*who)->visible.raise((*who)->get(By::Wgmma), sum->group);
  eval.setValue(add.getResult(), *sum);
  return llvm::success();
}

static LogicalResult asInFlight(Operation *op, Evaluator &eval) {
  RuntimeValue value = eval.getValue(op->getOperand(0));
  value.group = 0;
  eval.setValue(op->getResult(0), value);
  return llvm::success();
}

static LogicalResult await(Operation *op, Evaluator &eval) {
  auto await = mlir::cast<agent::AwaitOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  unsigned actor = (*who)->get(By::Wgmma);
  int64_t pending = await.getPending();
  int64_t done = eval.getAgents().protocol.getCount(actor) - pending;
  if (done > 0)
    (*who)->visible.raise(actor, static_cast<uint32_t>(done));
  for (auto [accumulator, tile] :
       llvm::zip_equal(await.getAccumulators(), await.getTiles())) {
    RuntimeValue value = eval.getValue(accumulator);
    if (value.group > std::max<int64_t>(done, 0))
      return op->emitError()
             << "takes the accumulator of one of the " << pending
             << " MMAs that it leaves in flight [interpreter]";
    eval.setValue(tile, value);
  }
  return llvm::success();
}

static constexpr NamedRule issueRules[] = {
    {"agent.multiply", multiply}, {"agent.issue", issue},
    {"agent.add_mma", addMma},    {"agent.as_in_flight", asInFlight},
    {"agent.await", await},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getIssueRules() {
  return issueRules;
}
