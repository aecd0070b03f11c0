//===- ParseProgram.cpp - Parsing untrusted programs ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Frontend/ParseProgram.h"
#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Scan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace drawloom;

/// PTX ISA, 'Identifiers': all implementations take as many characters.
static constexpr size_t longestName = 1024;

LogicalResult frontend::checkText(StringRef text, MLIRContext &context,
                                  StringRef name) {
  std::optional<input::Rejection> rejection = input::scanMlir(text);
  if (!rejection)
    return success();
  StringRef before = text.take_front(rejection->at);
  unsigned line = before.count('\n') + 1;
  unsigned column = before.size() - (before.rfind('\n') + 1) + 1;
  return emitError(FileLineColLoc::get(&context, name, line, column))
         << rejection->words << " [mlir-text]";
}

/// Whether an operation becomes a kernel under its own name.
static bool isKernel(Operation &op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return function.isPublic();
  return isa<tile::KernelOp>(op) ||
         (isa<LLVM::LLVMFuncOp>(op) &&
          op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()));
}

/// PTX ISA, 'Identifiers'. LLVM quotes a name that has other characters, and
/// ends the process where PTX has no quotes.
static LogicalResult checkName(Operation &op, StringRef name) {
  auto reject = [&](const Twine &why) {
    return op.emitError() << "the name '"
                          << input::makePrintable(name.take_front(80))
                          << "' is no name in PTX: " << why << " [ptx-name]";
  };
  if (name.size() > longestName)
    return reject("it has " + Twine(name.size()) +
                  " characters, and the limit is " + Twine(longestName));
  auto follows = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$';
  };
  bool isRight =
      !name.empty() && llvm::all_of(name, follows) &&
      (llvm::isAlpha(name[0]) || (!llvm::isDigit(name[0]) && name.size() > 1));
  if (isRight)
    return success();
  return reject("one begins with a letter, or with _ or $ and more, and has "
                "letters of ASCII, digits, _ and $");
}

/// Names of roles, pipes and arguments go into plans, drawings, JSON and onto
/// terminals. In MLIR's text any byte can be written: "\\1B[31m", "\\FF".
static LogicalResult checkStrings(Operation *op) {
  if (!isa_and_nonnull<tile::TileDialect, agent::AgentDialect,
                       func::FuncDialect, BuiltinDialect>(op->getDialect()))
    return success();
  std::string shown;
  op->getAttrDictionary().walk([&](StringAttr text) {
    std::string printable = input::makePrintable(text.getValue());
    if (printable != text.getValue())
      shown = std::move(printable);
  });
  if (shown.empty())
    return success();
  return op->emitError() << "the name '" << StringRef(shown).take_front(80)
                         << "' has bytes that can't be shown: a name is UTF-8 "
                            "without control characters [ptx-name]";
}

static OwningOpRef<ModuleOp> checkNames(OwningOpRef<ModuleOp> module) {
  if (!module)
    return nullptr;
  WalkResult checked = module->walk([](Operation *op) {
    bool isRight = succeeded(checkStrings(op));
    if (isRight && isKernel(*op))
      isRight =
          succeeded(checkName(*op, SymbolTable::getSymbolName(op).getValue()));
    return isRight ? WalkResult::advance() : WalkResult::interrupt();
  });
  return checked.wasInterrupted() ? nullptr : std::move(module);
}

OwningOpRef<ModuleOp>
frontend::parseProgram(StringRef text, MLIRContext &context, StringRef name) {
  if (failed(checkText(text, context, name)))
    return nullptr;
  return checkNames(parseSourceString<ModuleOp>(text, &context, name));
}

OwningOpRef<ModuleOp> frontend::parseProgram(llvm::SourceMgr &sources,
                                             MLIRContext &context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (failed(checkText(buffer->getBuffer(), context,
                       buffer->getBufferIdentifier())))
    return nullptr;
  return checkNames(parseSourceFile<ModuleOp>(sources, &context));
}
