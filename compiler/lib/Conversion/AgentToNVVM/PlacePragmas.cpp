//===- PlacePragmas.cpp - What a schedule tells ptxas ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

namespace drawloom {
#define GEN_PASS_DEF_PLACEPRAGMAS
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;

/// How the names begin of what orders memory for others, as operations and as
/// instructions in inline assembly, which some of them have become.
static constexpr StringLiteral syncs[] = {
    "nvvm.fence.",          "nvvm.memory.barrier",
    "nvvm.mbarrier.arrive", "nvvm.cp.async.mbarrier.arrive",
    "nvvm.cluster.arrive",  "nvvm.cluster.wait",
    "nvvm.tcgen05.fence",   "nvvm.tcgen05.commit",
};
static constexpr StringLiteral instructions[] = {
    "fence.",           "mbarrier.arrive", "cp.async.mbarrier.arrive",
    "barrier.cluster.", "tcgen05.fence",   "tcgen05.commit",
};

static bool startsLike(StringRef name, ArrayRef<StringLiteral> starts) {
  return llvm::any_of(starts,
                      [&](StringRef start) { return name.starts_with(start); });
}

/// The text of a pragma as a line of PTX.
static std::string spell(StringRef text) {
  return (".pragma \"" + text + "\";").str();
}

/// The same assembly with the pragma before each line that is for it.
static std::string insertInto(StringRef assembly, const std::string &pragma) {
  std::string result;
  for (StringRef line : llvm::split(assembly, '\n')) {
    StringRef instruction = line.trim();
    if (instruction.starts_with("@"))
      instruction = instruction.split(' ').second.ltrim();
    if (!result.empty())
      result += '\n';
    if (startsLike(instruction, instructions))
      result += pragma + '\n';
    result += line;
  }
  return result;
}

/// A pragma, and where `value` is given, the value behind it: what the pragma
/// is for takes it from there, so that nothing has to be moved in between.
static Value place(OpBuilder &b, Location loc, const std::string &pragma,
                   Value value = {}) {
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, value ? TypeRange(value.getType()) : TypeRange(),
      value ? ValueRange(value) : ValueRange(), pragma,
      /*constraints=*/value ? "=r,0" : "", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr);
  return value ? assembly->getResult(0) : Value();
}

/// Directly before `op`, also in PTX: a constant that the instruction takes
/// from a register would be moved there after the pragma.
static void placeBefore(Operation *op, const std::string &pragma) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType().isInteger(32) &&
        matchPattern(operand.get(), m_Constant()))
      return operand.set(place(b, op->getLoc(), pragma, operand.get()));
  place(b, op->getLoc(), pragma);
}

static void placeAtSyncs(LLVM::LLVMFuncOp function, const std::string &pragma) {
  function.walk([&](Operation *op) {
    if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
      assembly.setAsmString(insertInto(assembly.getAsmString(), pragma));
    if (startsLike(op->getName().getStringRef(), syncs))
      placeBefore(op, pragma);
  });
}

namespace {
struct PlacePragmasPass : drawloom::impl::PlacePragmasBase<PlacePragmasPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      tile::Schedule schedule = tile::getSchedule(function);
      if (schedule.pragmas.empty() || function.isExternal())
        continue;
      if (StringRef text = schedule.getPragma(tile::pragmaAtSync);
          !text.empty())
        placeAtSyncs(function, spell(text));
      if (StringRef text = schedule.getPragma(tile::pragmaAtEntry);
          !text.empty()) {
        auto b = OpBuilder::atBlockBegin(&function.getBody().front());
        place(b, function.getLoc(), spell(text));
      }
      function->removeAttr(tile::scheduleAttrName);
    }
  }
};
} // namespace
