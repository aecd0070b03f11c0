//===- Files.cpp - What a verb reads and writes ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "drawloom/Frontend/ParseProgram.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Quote.h"
#include "drawloom/Session/Explain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace drawloom;

static void printDiagnostic(const llvm::SMDiagnostic &diagnostic, void *) {
  ptx::printDiagnostic(diagnostic, llvm::errs());
}

// One small module: starting threads would take longer than the work.
InputModule::Parsed::Parsed(const mlir::DialectRegistry &dialects,
                            llvm::SourceMgr &sources)
    : context(dialects, mlir::MLIRContext::Threading::DISABLED),
      handler(sources, &context), listener(context, /*passesOn=*/true) {
  context.printOpOnDiagnostic(false);
}

std::unique_ptr<InputModule> InputModule::open(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      input::readText(path);
  if (!buffer) {
    llvm::errs() << "drawloom: " << llvm::toString(buffer.takeError()) << '\n';
    return nullptr;
  }
  auto input = std::make_unique<InputModule>();
  input->sources.setDiagHandler(printDiagnostic);
  input->sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return input;
}

bool InputModule::parse(const mlir::DialectRegistry &dialects) {
  parsed.emplace(dialects, sources);
  parsed->module = frontend::parseProgram(sources, parsed->context);
  return bool(parsed->module);
}

std::unique_ptr<InputModule>
InputModule::read(llvm::StringRef path, const mlir::DialectRegistry &dialects) {
  std::unique_ptr<InputModule> input = open(path);
  return input && input->parse(dialects) ? std::move(input) : nullptr;
}

llvm::StringRef InputModule::getText() const {
  return sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
}

llvm::StringRef InputModule::getName() const {
  return sources.getMemoryBuffer(sources.getMainFileID())
      ->getBufferIdentifier();
}

static mlir::Location getPlace(const Message &message,
                               mlir::MLIRContext &context) {
  if (message.file.empty())
    return mlir::UnknownLoc::get(&context);
  return mlir::FileLineColLoc::get(&context, message.file, message.line,
                                   message.column);
}

void InputModule::report(llvm::ArrayRef<Message> messages) {
  if (messages.empty())
    return;
  // What was said about a text that was compiled before.
  if (!parsed)
    parsed.emplace(mlir::DialectRegistry(), sources);
  mlir::MLIRContext &context = parsed->context;
  for (const Message &message : messages) {
    if (message.file.empty()) {
      tell(message.text);
      continue;
    }
    mlir::InFlightDiagnostic diagnostic = context.getDiagEngine().emit(
        getPlace(message, context), message.severity);
    diagnostic << message.text;
    for (const Message &note : message.notes)
      diagnostic.attachNote(getPlace(note, context)) << note.text;
  }
}

void InputModule::report(llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const CompileError &failed) { report(failed.getMessages()); },
      [&](const llvm::ErrorInfoBase &failed) { tell(failed.message()); });
}

void InputModule::tell(llvm::StringRef words) {
  std::string text = input::makePrintable(words);
  llvm::errs() << "drawloom: " << text << '\n';
  placeless.push_back({.text = std::move(text)});
}

static llvm::json::Array toJson(llvm::ArrayRef<Message> messages) {
  llvm::json::Array array;
  for (const Message &message : messages)
    array.push_back(llvm::json::Object{{"severity", toString(message.severity)},
                                       {"file", message.file},
                                       {"line", message.line},
                                       {"column", message.column},
                                       {"text", message.text},
                                       {"notes", toJson(message.notes)}});
  return array;
}

llvm::json::Array InputModule::takeMessages() {
  std::vector<Message> messages;
  if (parsed)
    messages = parsed->listener.take();
  llvm::append_range(messages, placeless);
  return toJson(messages);
}

mlir::LogicalResult drawloom::writeOutput(llvm::StringRef path,
                                          llvm::StringRef text) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (!error) {
    file.os() << text;
    file.os().flush();
    error = file.os().error();
    file.os().clear_error();
  }
  if (error) {
    llvm::errs() << "drawloom: cannot write '" << path
                 << "': " << error.message() << " [cannot-write]\n";
    return mlir::failure();
  }
  file.keep();
  return mlir::success();
}

std::string drawloom::printPlans(const CompiledKernel &kernel) {
  std::vector<plan::Plan> plans = {kernel.plan};
  llvm::append_range(plans, kernel.fallback);
  return explain(plans, PlanForm::Json);
}
