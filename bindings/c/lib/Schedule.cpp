//===- Schedule.cpp - Schedules of the C API ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "Handles.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Frontend/ParseProgram.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace drawloom;
using namespace drawloom::capi;

std::unique_ptr<mlir::MLIRContext> capi::makeProgramContext() {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  auto context = std::make_unique<mlir::MLIRContext>(
      dialects, mlir::MLIRContext::Threading::DISABLED);
  context->getOrLoadDialect<tile::TileDialect>();
  context->printOpOnDiagnostic(false);
  return context;
}

llvm::Expected<mlir::Attribute> capi::readSchedule(llvm::StringRef fields,
                                                   mlir::MLIRContext &context) {
  Listener listener(context);
  std::string text = ("#tile.schedule<" + fields + ">").str();
  if (mlir::succeeded(frontend::checkText(text, context, "schedule")))
    if (mlir::Attribute read = mlir::parseAttribute(text, &context))
      return read;
  std::vector<Message> messages = listener.take();
  return llvm::createStringError(
      text + ": " + (messages.empty() ? "" : messages.front().text));
}

static llvm::Expected<std::string>
reschedule(llvm::StringRef text, llvm::StringRef name, llvm::StringRef fields) {
  auto context = makeProgramContext();
  llvm::Expected<mlir::Attribute> schedule = readSchedule(fields, *context);
  if (!schedule)
    return schedule.takeError();
  Listener listener(*context);
  auto module = frontend::parseProgram(text, *context, name);
  if (!module)
    return listener.fail();
  bool isFound = false;
  for (mlir::Operation &op : module->getOps()) {
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    // Functions that others call are a part of these.
    if (!llvm::isa<tile::KernelOp>(op) && !(function && function.isPublic()))
      continue;
    op.setAttr(tile::scheduleAttrName, *schedule);
    isFound = true;
  }
  if (!isFound)
    return llvm::createStringError(
        "'" + name +
        "' has no kernel over tiles and no function on tensors, which a "
        "schedule is for [no-kernel]");
  std::string printed;
  llvm::raw_string_ostream os(printed);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return printed;
}

DrawloomError *drawloomReschedule(const char *text, size_t size,
                                  const char *name, const char *fields,
                                  DrawloomBytes *bytes) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error = checkText(text, size))
      return error;
    if (llvm::Error error = checkGiven({{bytes, "bytes"}}))
      return error;
    if (llvm::Error error =
            checkStrings({{name, "name"}, {fields, "schedule"}}))
      return error;
    llvm::Expected<std::string> made =
        reschedule({text, size}, name ? name : "program", orEmpty(fields));
    if (!made)
      return made.takeError();
    *bytes = give(*made);
    return llvm::Error::success();
  });
}
