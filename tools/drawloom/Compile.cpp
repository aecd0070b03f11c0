//===- Compile.cpp - drawloom compile -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Files.h"
#include "Reports.h"
#include "Terminal.h"
#include "Verb.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Session/Cached.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace drawloom;
using namespace drawloom::target;

namespace {
struct Request {
  std::string input;
  std::string output;
  std::string sarif; ///< A file, or empty.
  CompileOptions options;
  bool usesCache = true;
};
} // namespace

static void printCompileHelp() {
  llvm::outs()
      << "drawloom compile - turn a kernel in MLIR into PTX or a cubin\n"
         "\n"
         "Usage: drawloom compile FILE --arch ARCH [--emit STAGE] [-o FILE]\n"
         "\n"
         "FILE holds linalg on tensors, tile programs, kernels with roles, or "
         "code in nvvm\n"
         "and llvm ('-' reads standard input). scf, cf, arith, vector and ub "
         "operations of\n"
         "code are lowered on the way.\n"
         "\n"
         "Options:\n"
         "  --arch ARCH   the GPU: "
      << listArchitectures()
      << "\n"
         "  --emit STAGE  how far to go, and what to write; without it, a "
         "cubin\n"
         "                  tile   MLIR: kernels over tiles\n"
         "                  agent  MLIR: kernels with roles and pipes\n"
         "                  plan   MLIR: the same, proved and placed\n"
         "                  nvvm   MLIR: functions of nvvm and llvm\n"
         "                  llvm   LLVM IR, as the back end gets it\n"
         "                  ptx    PTX\n"
         "                  cubin SASS, and a table of what each "
         "kernel takes;\n"
         "                         needs ptxas ('drawloom doctor' tells "
         "which)\n"
         "                MLIR can be changed and compiled on\n"
         "  --print-stages FOLDER\n"
         "                also write a file after each pass and stage, in "
         "order\n"
         "  -o FILE       where to write it ('-' is standard output); without "
         "it, text\n"
         "                goes to standard output and a cubin to FILE with "
         "the ending\n"
         "                .cubin. For a program, what a launch has to know "
         "goes next to\n"
         "                a file of code, with the ending .json; of several "
         "kernels,\n"
         "                .NAME.json\n"
         "  --sarif FILE  write what the compiler says as SARIF 2.1.0: why "
         "it rejects,\n"
         "                and its warnings, at their lines\n"
         "  --unproved    accept kernels that are not proved deadlock-free\n"
         "  --no-cache    compile even what was compiled before "
         "(docs/Cache.md)\n"
         "  --help        this text\n"
         "\n"
      << exitStatusHelp
      << "\n"
         "Example:\n"
         "  drawloom compile "
      << findExamples() << "/gemm.mlir --arch sm_100a --emit ptx -o gemm.ptx\n";
}

static llvm::Expected<Request> readOptions(const CommandLine &line) {
  Request request;
  if (line.getOperands().size() != 1)
    return llvm::createStringError(line.getOperands().empty()
                                       ? "name a file to compile"
                                       : "name one file to compile, not more");
  request.input = line.getOperands().front().str();

  std::optional<llvm::StringRef> arch = line.get("--arch");
  if (!arch)
    return llvm::createStringError("name the GPU to compile for with --arch: " +
                                   listArchitectures());
  llvm::Expected<const Architecture *> found = findArchitecture(*arch);
  if (!found)
    return found.takeError();
  request.options.arch = *found;

  llvm::StringRef name = line.get("--emit").value_or("cubin");
  std::optional<Stage> stage = findStage(name);
  if (!stage)
    return llvm::createStringError("--emit takes tile, agent, plan, nvvm, "
                                   "llvm, ptx or cubin, not '" +
                                   name + "'");
  request.options.stopAfter = *stage;
  request.options.printStagesTo = line.get("--print-stages").value_or("").str();
  request.sarif = line.get("--sarif").value_or("").str();
  request.options.unproved = line.has("--unproved");
  request.usesCache = !line.has("--no-cache");
  request.output = "-";
  if (*stage == Stage::Cubin && request.input != "-")
    request.output = (llvm::sys::path::stem(request.input) + ".cubin").str();
  if (std::optional<llvm::StringRef> output = line.get("-o"))
    request.output = output->str();
  return request;
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

/// LLVM's back end ends the process when it meets what it cannot select. That
/// is a mistake in the input, and no reason to print a stack.
static void reportFatalError(void *, const char *reason, bool) {
  llvm::errs() << "drawloom: LLVM's NVPTX back end cannot compile this: "
               << reason << '\n';
  llvm::sys::Process::Exit(Failed);
}

/// Writes what a launch of each kernel has to know next to the code.
static mlir::LogicalResult
writeKernelInfos(llvm::ArrayRef<CompiledKernel> kernels,
                 llvm::StringRef output) {
  for (const CompiledKernel &kernel : kernels) {
    llvm::SmallString<128> path(output);
    llvm::sys::path::replace_extension(
        path, kernels.size() == 1 ? "json" : kernel.info.name + ".json");
    std::string text;
    llvm::raw_string_ostream os(text);
    runtime::writeJson(kernel.info, os);
    if (mlir::failed(writeOutput(path, text)))
      return mlir::failure();
  }
  return mlir::success();
}

/// Whether there is something to plan, rather than code.
static bool holdsPrograms(mlir::ModuleOp module) {
  return !module.getOps<tile::KernelOp>().empty() ||
         !module.getOps<mlir::func::FuncOp>().empty();
}

/// Parses and compiles, which what was compiled before doesn't need.
static llvm::Expected<CompiledModule>
compileInput(InputModule &input, llvm::StringRef path, CompileOptions options) {
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  // What is wrong is printed where it is found.
  if (!input.parse(dialects))
    return llvm::make_error<CompileError>(std::vector<Message>());
  Stage stage = options.stopAfter;
  if (stage <= Stage::Plan && !holdsPrograms(input.get()))
    return llvm::createStringError(
        "'" + path + "' holds no program, so it has no stage '" +
        toString(stage) +
        "'; code can be emitted as nvvm, llvm, ptx and cubin [no-kernel]");
  llvm::ScopedFatalErrorHandler fatalErrors(reportFatalError);
  return drawloom::compile(input.get(), options);
}

static ExitStatus compileFile(const Request &request) {
  llvm::Expected<std::unique_ptr<cache::Cache>> cache =
      openCache(request.usesCache);
  if (!cache) {
    llvm::errs() << "drawloom: " << llvm::toString(cache.takeError()) << '\n';
    return Failed;
  }
  std::unique_ptr<InputModule> input = InputModule::open(request.input);
  if (!input)
    return Failed;
  Stage stage = request.options.stopAfter;
  std::optional<Waiting> waiting("compiling");
  llvm::Expected<CompiledModule> made =
      compileCached(cache->get(), {input->getText(), input->getName()},
                    request.options, [&](const CompileOptions &options) {
                      return compileInput(*input, request.input, options);
                    });
  waiting.reset();
  bool isRejected = !made;
  if (isRejected)
    input->report(made.takeError());
  else
    input->report(made->messages);
  if (llvm::Error error =
          writeReports({}, {"", request.sarif},
                       {request.input, "", input->takeMessages()})) {
    llvm::errs() << "drawloom: " << llvm::toString(std::move(error)) << '\n';
    return Failed;
  }
  if (isRejected)
    return Failed;
  llvm::StringRef result =
      stage == Stage::Cubin
          ? llvm::StringRef(made->cubin.data(), made->cubin.size())
      : stage == Stage::PTX ? llvm::StringRef(made->ptx)
                            : llvm::StringRef(made->text);
  if (mlir::failed(writeOutput(request.output, result)))
    return Failed;
  if (stage == Stage::Cubin)
    printResources(made->report);
  if (stage >= Stage::NVVM && request.output != "-" &&
      mlir::failed(writeKernelInfos(made->kernels, request.output)))
    return Failed;
  return Clean;
}

ExitStatus drawloom::runCompile(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](llvm::Error error) {
    return drawloom::complain("compile", llvm::toString(std::move(error)));
  };
  llvm::Expected<CommandLine> line =
      CommandLine::parse(arguments, {{"--arch", true},
                                     {"--emit", true},
                                     {"--print-stages", true},
                                     {"-o", true},
                                     {"--sarif", true},
                                     {"--unproved", false},
                                     {"--no-cache", false}});
  if (!line)
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printCompileHelp();
    return Clean;
  }
  llvm::Expected<Request> request = readOptions(*line);
  if (!request)
    return complain(request.takeError());
  return compileFile(*request);
}
