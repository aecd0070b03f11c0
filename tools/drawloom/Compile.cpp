//===- Compile.cpp - drawloom compile -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Compile.h"
#include "CommandLine.h"
#include "Files.h"
#include "Verb.h"
#include "drawloom/InitAll.h"
#include "drawloom/Target/Architecture.h"
#include "run/CompileKernel.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace drawloom;
using namespace drawloom::target;

namespace {
enum class Form { NVVM, LLVM, PTX, Cubin };

struct CompileOptions {
  std::string input;
  std::string output;
  Form form;
  const Architecture *arch;
  bool unproved;
};
} // namespace

static void printHelp() {
  llvm::outs()
      << "drawloom compile - turn a kernel in MLIR into PTX or machine code\n"
         "\n"
         "Usage: drawloom compile FILE --arch ARCH [--emit FORM] [-o FILE]\n"
         "\n"
         "FILE holds linalg on tensors, tile programs, kernels with roles, or "
         "code in nvvm\n"
         "and llvm ('-' reads standard input). scf, cf, arith, vector and ub "
         "operations of\n"
         "code are lowered on the way.\n"
         "\n"
         "Options:\n"
         "  --arch ARCH  the GPU: "
      << listArchitectures()
      << "\n"
         "  --emit FORM  what to write; without it, a cubin\n"
         "                 nvvm   MLIR, lowered to nvvm and llvm\n"
         "                 llvm   LLVM IR, as the back end gets it\n"
         "                 ptx    PTX\n"
         "                 cubin  machine code, and a table of what each "
         "kernel "
         "takes;\n"
         "                        needs ptxas ('drawloom doctor' tells which)\n"
         "  -o FILE      where to write it ('-' is standard output); without "
         "it, text goes\n"
         "               to standard output and a cubin to FILE with the "
         "ending .cubin\n"
         "               For a program, what a launch has to know goes next to "
         "a file,\n"
         "               with the ending .json; of several kernels, "
         ".NAME.json\n"
         "  --unproved   take kernels that are not proved to end\n"
         "  --help       this text\n"
         "\n"
         "Exit code: 0 done; 1 the input is at fault or ptxas is missing; 2 "
         "bad usage.\n"
         "\n"
         "Example:\n"
         "  drawloom compile examples/gemm.mlir --arch sm_100a --emit ptx -o "
         "gemm.ptx\n";
}

static llvm::Expected<CompileOptions> readOptions(const CommandLine &line) {
  CompileOptions options;
  if (line.getOperands().size() != 1)
    return llvm::createStringError(line.getOperands().empty()
                                       ? "name a file to compile"
                                       : "name one file to compile, not more");
  options.input = line.getOperands().front().str();

  std::optional<llvm::StringRef> arch = line.get("--arch");
  if (!arch)
    return llvm::createStringError("name the GPU to compile for with --arch: " +
                                   listArchitectures());
  llvm::Expected<const Architecture *> found = findArchitecture(*arch);
  if (!found)
    return found.takeError();
  options.arch = *found;

  llvm::StringRef form = line.get("--emit").value_or("cubin");
  std::optional<Form> known = llvm::StringSwitch<std::optional<Form>>(form)
                                  .Case("nvvm", Form::NVVM)
                                  .Case("llvm", Form::LLVM)
                                  .Case("ptx", Form::PTX)
                                  .Case("cubin", Form::Cubin)
                                  .Default(std::nullopt);
  if (!known)
    return llvm::createStringError("--emit takes nvvm, llvm, ptx or cubin, not "
                                   "'" +
                                   form + "'");
  options.form = *known;

  options.unproved = line.has("--unproved");
  options.output = "-";
  if (options.form == Form::Cubin && options.input != "-")
    options.output = (llvm::sys::path::stem(options.input) + ".cubin").str();
  if (std::optional<llvm::StringRef> output = line.get("-o"))
    options.output = output->str();
  return options;
}

/// Prints rows in columns, the first to the left and the others to the right.
static void printTable(llvm::ArrayRef<std::vector<std::string>> rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip(widths, row))
      width = std::max(width, cell.size());
  for (const std::vector<std::string> &row : rows) {
    llvm::errs() << llvm::left_justify(row.front(), widths.front());
    for (auto [width, cell] : llvm::drop_begin(llvm::zip_equal(widths, row)))
      llvm::errs() << "  " << llvm::right_justify(cell, width);
    llvm::errs() << '\n';
  }
}

static void printResources(const PtxasReport &report) {
  std::vector<std::vector<std::string>> rows = {{"kernel", "registers",
                                                 "spill stores", "spill loads",
                                                 "static shared", "barriers"}};
  auto bytes = [](uint64_t count) { return std::to_string(count) + " B"; };
  for (const FunctionResources &function : report.functions)
    if (function.isKernel)
      rows.push_back(
          {function.name, std::to_string(function.registers),
           bytes(function.spillStoreBytes), bytes(function.spillLoadBytes),
           bytes(function.sharedBytes), std::to_string(function.barriers)});
  printTable(rows);
}

/// Makes the asked-for form of `module` and writes it to `os`.
static mlir::LogicalResult emit(mlir::ModuleOp module,
                                const CompileOptions &options,
                                llvm::raw_ostream &os) {
  const Architecture &arch = *options.arch;
  switch (options.form) {
  case Form::NVVM: {
    mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lowered =
        lowerToNVVM(module, arch);
    if (mlir::failed(lowered))
      return mlir::failure();
    (*lowered)->print(os);
    return mlir::success();
  }
  case Form::LLVM: {
    mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lowered =
        lowerToNVVM(module, arch);
    if (mlir::failed(lowered))
      return mlir::failure();
    llvm::LLVMContext context;
    mlir::FailureOr<std::unique_ptr<llvm::Module>> translated =
        translateToLLVM(**lowered, arch, context);
    if (mlir::failed(translated))
      return mlir::failure();
    (*translated)->print(os, nullptr);
    return mlir::success();
  }
  case Form::PTX: {
    mlir::FailureOr<std::string> ptx = compileToPTX(module, arch);
    if (mlir::failed(ptx))
      return mlir::failure();
    os << *ptx;
    return mlir::success();
  }
  case Form::Cubin: {
    llvm::Expected<Ptxas> ptxas =
        findPtxas(ToolSearch::fromEnvironment(), arch);
    if (!ptxas) {
      llvm::errs() << "drawloom: " << llvm::toString(ptxas.takeError()) << '\n';
      return mlir::failure();
    }
    mlir::FailureOr<AssembledModule> assembled =
        compileToCubin(module, arch, *ptxas);
    if (mlir::failed(assembled))
      return mlir::failure();
    os.write(assembled->cubin.data(), assembled->cubin.size());
    printResources(assembled->report);
    return mlir::success();
  }
  }
  llvm_unreachable("all forms are handled");
}

/// LLVM's back end ends the process when it meets what it cannot select. That
/// is a mistake in the input, and no reason to print a stack.
static void reportFatalError(void *, const char *reason, bool) {
  llvm::errs() << "drawloom: LLVM's NVPTX back end cannot compile this: "
               << reason << '\n';
  llvm::sys::Process::Exit(Failed);
}

/// Writes what a launch of each kernel has to know next to the code.
static mlir::LogicalResult
writeKernelInfos(llvm::ArrayRef<runtime::KernelInfo> kernels,
                 llvm::StringRef output) {
  for (const runtime::KernelInfo &kernel : kernels) {
    llvm::SmallString<128> path(output);
    llvm::sys::path::replace_extension(
        path, kernels.size() == 1 ? "json" : kernel.name + ".json");
    std::string text;
    llvm::raw_string_ostream os(text);
    runtime::writeJson(kernel, os);
    if (mlir::failed(writeOutput(path, text)))
      return mlir::failure();
  }
  return mlir::success();
}

static ExitCode compile(const CompileOptions &options) {
  mlir::DialectRegistry dialects;
  registerAllDialects(dialects);
  registerTargetDialects(dialects);
  std::unique_ptr<InputModule> input =
      InputModule::read(options.input, dialects);
  if (!input)
    return Failed;

  llvm::ScopedFatalErrorHandler fatalErrors(reportFatalError);
  std::vector<runtime::KernelInfo> kernels;
  if (run::holdsPrograms(input->get())) {
    run::setTarget(input->get(), *options.arch);
    if (mlir::failed(run::planKernels(input->get())))
      return Failed;
    mlir::FailureOr<std::vector<runtime::KernelInfo>> generated =
        run::generateCode(input->get(), options.unproved);
    if (mlir::failed(generated))
      return Failed;
    kernels = std::move(*generated);
  }
  std::string result;
  llvm::raw_string_ostream os(result);
  if (mlir::failed(emit(input->get(), options, os)) ||
      mlir::failed(writeOutput(options.output, result)))
    return Failed;
  if (options.output != "-" &&
      mlir::failed(writeKernelInfos(kernels, options.output)))
    return Failed;
  return Done;
}

ExitCode drawloom::runCompile(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](llvm::Error error) {
    llvm::errs() << "drawloom compile: " << llvm::toString(std::move(error))
                 << "\n'drawloom compile --help' explains the options\n";
    return BadUsage;
  };
  llvm::Expected<CommandLine> line =
      CommandLine::parse(arguments, {{"--arch", true},
                                     {"--emit", true},
                                     {"-o", true},
                                     {"--unproved", false}});
  if (!line)
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printHelp();
    return Done;
  }
  llvm::Expected<CompileOptions> options = readOptions(*line);
  if (!options)
    return complain(options.takeError());
  return compile(*options);
}
