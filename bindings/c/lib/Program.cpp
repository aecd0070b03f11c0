//===- Program.cpp - Compiled programs of the C API -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "drawloom/Frontend/ParseProgram.h"
#include "drawloom/Input/Codes.h"
#include "drawloom/Run/Execute.h"
#include "drawloom/Session/Cached.h"
#include "drawloom/Session/Explain.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;
using namespace drawloom::capi;

llvm::Expected<const CompiledKernel *>
DrawloomProgram::find(const char *kernel) const {
  llvm::StringRef wanted = orEmpty(kernel);
  wanted.consume_front("@");
  if (wanted.empty() && compiled.kernels.size() == 1)
    return &compiled.kernels.front();
  std::vector<std::string> names;
  for (const CompiledKernel &one : compiled.kernels) {
    if (one.plan.kernel == wanted)
      return &one;
    names.push_back("@" + one.plan.kernel);
  }
  if (names.empty())
    return llvm::createStringError("'" + name +
                                   "' holds no kernel [no-kernel]");
  return llvm::createStringError(
      "'" + name + "' holds " +
      (wanted.empty() ? "several kernels; name one of "
                      : "no kernel @" + wanted.str() + ", only ") +
      llvm::join(names, ", "));
}

/// LLVM's back end ends the process where it meets what it can't select, and
/// only code by hand has that.
static mlir::LogicalResult rejectCode(mlir::ModuleOp module) {
  for (mlir::Operation &op : module.getOps())
    if (op.getName().getStringRef() == "llvm.func")
      return op.emitError(
          "is code by hand, and this interface compiles "
          "programs; 'drawloom compile' takes both [api-argument]");
  return mlir::success();
}

/// Does something with the program as a module, of one kernel if one is chosen.
template <typename Result>
static llvm::Expected<Result>
withModule(const DrawloomProgram &program,
           llvm::function_ref<llvm::Expected<Result>(mlir::ModuleOp)> work) {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Listener listener(context);
  auto module = frontend::parseProgram(program.text, context, program.name);
  if (!module || mlir::failed(rejectCode(*module)) ||
      (!program.kernel.empty() &&
       mlir::failed(
           run::chooseKernel(*module, *program.options.arch, program.kernel))))
    return listener.fail();
  return work(*module);
}

static llvm::Expected<std::unique_ptr<DrawloomProgram>>
compileText(llvm::StringRef text, const DrawloomCompileOptions &given) {
  CompileOptions options;
  if (given.arch) {
    auto arch = target::findArchitecture(given.arch);
    if (!arch)
      return arch.takeError();
    options.arch = *arch;
  }
  if (given.stage) {
    std::optional<Stage> stage = findStage(given.stage);
    if (!stage)
      return llvm::createStringError(
          "there are the stages tile, agent, plan, nvvm, llvm, ptx and cubin, "
          "and no '" +
          llvm::Twine(given.stage) + "' [api-argument]");
    options.stopAfter = *stage;
  }
  options.unproved = given.unproved;
  options.interrupted = isInterrupted;
  llvm::StringRef kernel = orEmpty(given.kernel);
  kernel.consume_front("@");
  if (!kernel.empty() && !options.arch)
    return llvm::createStringError(
        "one kernel of several is compiled for an "
        "architecture: name that, too [api-argument]");
  auto cache = openCache(!given.noCache);
  if (!cache)
    return cache.takeError();
  auto program = std::make_unique<DrawloomProgram>();
  program->text = text.str();
  program->name = given.name ? given.name : "program";
  program->kernel = kernel.str();
  program->options = options;
  llvm::Expected<CompiledModule> compiled = compileCached(
      cache->get(), {program->text, program->name, kernel}, options,
      [&](const CompileOptions &complete) {
        return withModule<CompiledModule>(*program, [&](mlir::ModuleOp module) {
          return compile(module, complete);
        });
      });
  if (!compiled)
    return compiled.takeError();
  program->compiled = std::move(*compiled);
  return program;
}

DrawloomError *drawloomCompile(const char *text, size_t size,
                               const DrawloomCompileOptions *options,
                               DrawloomProgram **program) {
  return guardInterruptible([&]() -> llvm::Error {
    if (llvm::Error error = checkText(text, size))
      return error;
    if (llvm::Error error = checkGiven({{program, "program"}}))
      return error;
    auto given = complete(options, "DrawloomCompileOptions");
    if (!given)
      return given.takeError();
    if (llvm::Error error = checkStrings({{given->name, "name"},
                                          {given->arch, "arch"},
                                          {given->kernel, "kernel"},
                                          {given->stage, "stage"}}))
      return error;
    auto made = compileText({text, size}, *given);
    if (!made)
      return made.takeError();
    *program = made->release();
    return llvm::Error::success();
  });
}

void drawloomProgramDestroy(DrawloomProgram *program) { delete program; }

size_t drawloomProgramCount(const DrawloomProgram *program) {
  return program ? program->compiled.kernels.size() : 0;
}

const char *drawloomProgramKernel(const DrawloomProgram *program,
                                  size_t index) {
  return index < drawloomProgramCount(program)
             ? program->compiled.kernels[index].plan.kernel.c_str()
             : nullptr;
}

static llvm::json::Value toJson(const Message &message) {
  llvm::json::Array notes;
  for (const Message &note : message.notes)
    notes.push_back(toJson(note));
  return llvm::json::Object{{"severity", toString(message.severity)},
                            {"file", message.file},
                            {"line", message.line},
                            {"column", message.column},
                            {"text", message.text},
                            {"code", input::codeOf(message.text, "syntax")},
                            {"notes", std::move(notes)}};
}

static llvm::Expected<std::string> showPlan(const DrawloomProgram &program,
                                            PlanForm form, const char *kernel) {
  std::vector<plan::Plan> plans;
  auto add = [&](const CompiledKernel &one) {
    plans.push_back(one.plan);
    if (showsAll(form))
      llvm::append_range(plans, one.fallback);
  };
  if (showsAll(form) && !kernel) {
    llvm::for_each(program.compiled.kernels, add);
  } else {
    llvm::Expected<const CompiledKernel *> found = program.find(kernel);
    if (!found)
      return found.takeError();
    add(**found);
  }
  if (form != PlanForm::Html)
    return explain(plans, form);
  auto stages =
      withModule<std::vector<StageText>>(program, [&](mlir::ModuleOp module) {
        return listStages(module, program.text, program.options);
      });
  if (!stages)
    return stages.takeError();
  return explain(plans, form, *stages);
}

static llvm::Expected<std::string>
show(const DrawloomProgram &program, llvm::StringRef form, const char *kernel) {
  const CompiledModule &compiled = program.compiled;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (std::optional<PlanForm> plan = findPlanForm(form))
    return showPlan(program, *plan, kernel);
  if (form == "messages") {
    llvm::json::Array messages;
    for (const Message &message : compiled.messages)
      messages.push_back(toJson(message));
    os << llvm::json::Value(std::move(messages));
    return text;
  }
  auto lacks = [&](llvm::StringRef what, llvm::StringRef stage) {
    return llvm::createStringError("'" + program.name + "' was compiled to " +
                                   toString(program.options.stopAfter) +
                                   " and has no " + what + "; compile it to " +
                                   stage + " [api-argument]");
  };
  if (form == "module")
    return program.options.stopAfter < Stage::PTX
               ? llvm::Expected<std::string>(compiled.text)
               : lacks("module", "a stage before ptx");
  if (form == "cubin")
    return program.options.stopAfter == Stage::Cubin
               ? llvm::Expected<std::string>(
                     std::string(compiled.cubin.data(), compiled.cubin.size()))
               : lacks("SASS", "cubin");
  if (form == "ptx")
    return program.options.stopAfter >= Stage::PTX
               ? llvm::Expected<std::string>(compiled.ptx)
               : lacks("PTX", "ptx");
  if (form != "description")
    return llvm::createStringError(
        "there are the forms module, ptx, cubin, description, messages, text, "
        "json, mermaid, sequence, dot, svg, svg-sequence and html, and no '" +
        form + "' [api-argument]");
  if (program.options.stopAfter < Stage::NVVM)
    return lacks("description", "ptx");
  llvm::Expected<const CompiledKernel *> found = program.find(kernel);
  if (!found)
    return found.takeError();
  runtime::writeJson((*found)->info, os);
  return text;
}

DrawloomError *drawloomProgramGet(const DrawloomProgram *program,
                                  const char *form, const char *kernel,
                                  DrawloomBytes *bytes) {
  return guardInterruptible([&]() -> llvm::Error {
    if (llvm::Error error =
            checkGiven({{program, "program"}, {bytes, "bytes"}}))
      return error;
    if (llvm::Error error = checkStrings({{form, "form"}, {kernel, "kernel"}}))
      return error;
    llvm::Expected<std::string> text = show(*program, orEmpty(form), kernel);
    if (!text)
      return text.takeError();
    *bytes = give(*text);
    return llvm::Error::success();
  });
}
