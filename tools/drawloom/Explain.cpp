//===- Explain.cpp - drawloom explain -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Explain.h"
#include "CommandLine.h"
#include "ExplainTime.h"
#include "Files.h"
#include "HandPlan.h"
#include "Reports.h"
#include "Terminal.h"
#include "Verb.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::plan;

namespace {
struct ExplainOptions {
  std::string input;
  std::string output = "-";
  std::string sarif; ///< A file, or empty.
  /// Null: what the kernels say.
  const target::Architecture *arch = nullptr;
  /// Empty: all of them.
  std::string kernel;
  PlanForm form = PlanForm::Text;
};

/// Plans, or why there are none.
struct Explained {
  bool isRejected = false;
  std::vector<Plan> plans = {};
  /// For a page.
  std::vector<StageText> stages = {};
  /// What was said, for a report.
  llvm::json::Array messages = {};
};
} // namespace

static void printExplainHelp() {
  llvm::outs()
      << "drawloom explain - show the plan of a kernel, and why it is so\n"
         "\n"
         "Usage: drawloom explain FILE [--arch ARCH] [--kernel NAME] "
         "[--format FORM]\n"
         "                        [--diagram KIND] [-o FILE] [--sarif FILE]\n"
         "       drawloom explain --time FILE --arch ARCH [--shape "
         "NAME=MxN[,...]]\n"
         "                        [--format text|html] [-o FILE]\n"
         "                        [options of 'drawloom run' for a program]\n"
         "\n"
         "FILE holds linalg on tensors, tile programs, or kernels with roles "
         "and pipes\n"
         "('-' reads standard input). What is not decided there is planned.\n"
         "Of a FILE.ptx it shows kernels of the device library, which say what "
         "they are.\n"
         "\n"
         "With --time it runs the program by the modeled clock of "
         "docs/Timing.md and\n"
         "prints the predicted time, what each role waits for, and what other "
         "schedules\n"
         "would take.\n"
         "\n"
         "Options:\n"
         "  --arch ARCH     the GPU; without it, what the kernels say\n"
         "                  ("
      << target::listArchitectures()
      << ")\n"
         "  --kernel NAME   this kernel only\n"
         "  --format FORM   how to show it; without it, text\n"
         "                    text     tables, bars and reasons\n"
         "                    json     everything, for programs\n"
         "                    mermaid  a diagram in the language of Mermaid\n"
         "                    dot      a graph in the language of Graphviz\n"
         "                    svg      that graph, drawn, with budgets\n"
         "                    html     a page with all of it, and the stages "
         "of "
         "the\n"
         "                             compiler; it needs nothing but a "
         "browser\n"
         "  --diagram KIND  graph: roles and pipes, the default; sequence: "
         "the first work\n"
         "                  tiles, barrier by barrier (mermaid and svg)\n"
         "  -o FILE         where to write it; without it, to standard output\n"
         "  --sarif FILE    write what the compiler says as SARIF 2.1.0: why "
         "it rejects,\n"
         "                  and its warnings, at their lines\n"
         "  --time          predict the time; --shape gives the sizes. As a "
         "page, with a\n"
         "                  timeline and a roofline\n"
         "  --help          this text\n"
         "\n"
      << exitStatusHelp
      << "\n"
         "Example:\n"
         "  drawloom explain "
      << findExamples()
      << "/gemm_bias_activation_residual.mlir --arch sm_100a\n";
}

static llvm::Expected<ExplainOptions> readOptions(const CommandLine &line) {
  ExplainOptions options;
  if (line.getOperands().size() != 1)
    return llvm::createStringError(line.getOperands().empty()
                                       ? "name a file to explain"
                                       : "name one file to explain, not more");
  options.input = line.getOperands().front().str();
  if (std::optional<llvm::StringRef> name = line.get("--arch")) {
    llvm::Expected<const target::Architecture *> arch =
        target::findArchitecture(*name);
    if (!arch)
      return arch.takeError();
    options.arch = *arch;
  }
  llvm::StringRef kernel = line.get("--kernel").value_or("");
  kernel.consume_front("@");
  options.kernel = kernel.str();

  llvm::StringRef format = line.get("--format").value_or("text");
  std::optional<PlanForm> known = findPlanForm(format);
  if (!known || known == PlanForm::Sequence || known == PlanForm::SvgSequence)
    return llvm::createStringError(
        "--format takes text, json, mermaid, dot, svg or html, not '" + format +
        "'");
  options.form = *known;

  llvm::StringRef diagram = line.get("--diagram").value_or("graph");
  if (diagram != "graph" && diagram != "sequence")
    return llvm::createStringError("--diagram takes graph or sequence, not '" +
                                   diagram + "'");
  if (diagram == "sequence") {
    if (options.form != PlanForm::Mermaid && options.form != PlanForm::Svg)
      return llvm::createStringError(
          "a sequence diagram needs --format svg or --format mermaid");
    options.form = options.form == PlanForm::Svg ? PlanForm::SvgSequence
                                                 : PlanForm::Sequence;
  }
  options.output = line.get("-o").value_or("-").str();
  options.sarif = line.get("--sarif").value_or("").str();
  return options;
}

/// The plans that were asked for.
static mlir::FailureOr<std::vector<Plan>>
choosePlans(llvm::ArrayRef<Plan> all, const ExplainOptions &options) {
  llvm::SmallVector<std::string> names;
  std::vector<Plan> plans;
  for (const Plan &plan : all) {
    names.push_back("@" + plan.kernel);
    if (options.kernel.empty() || plan.kernel == options.kernel)
      plans.push_back(plan);
  }
  std::string list = llvm::join(names, ", ");
  if (plans.empty()) {
    llvm::errs() << "drawloom: '" << options.input << "' holds no kernel"
                 << (names.empty() ? "" : " @" + options.kernel + ", only ")
                 << list << '\n';
    return mlir::failure();
  }
  if (!showsAll(options.form) && plans.size() > 1) {
    llvm::errs() << "drawloom: a drawing shows one kernel, but '"
                 << options.input << "' holds " << list
                 << "; choose one with --kernel\n";
    return mlir::failure();
  }
  return plans;
}

/// The kernels in MLIR, all that a file has. Nothing if it can't be read.
static std::optional<Explained> compilePlans(const ExplainOptions &options) {
  std::unique_ptr<InputModule> input = InputModule::open(options.input);
  if (!input)
    return std::nullopt;
  mlir::DialectRegistry dialects;
  registerProgramDialects(dialects);
  if (!input->parse(dialects))
    return Explained{.isRejected = true, .messages = input->takeMessages()};
  CompileOptions path = {.arch = options.arch, .stopAfter = Stage::Plan};
  llvm::Expected<CompiledModule> compiled = [&] {
    Waiting waiting("planning");
    return compile(input->get(), path);
  }();
  if (!compiled) {
    input->report(compiled.takeError());
    return Explained{.isRejected = true, .messages = input->takeMessages()};
  }
  input->report(compiled->messages);
  Explained result = {.messages = input->takeMessages()};
  for (const CompiledKernel &kernel : compiled->kernels) {
    result.plans.push_back(kernel.plan);
    llvm::append_range(result.plans, kernel.fallback);
  }
  if (options.form == PlanForm::Html) {
    Waiting waiting("compiling to each stage");
    result.stages = listStages(input->get(), input->getText(), path);
  }
  return result;
}

/// Kernels by hand.
static std::optional<Explained> readPlans(const ExplainOptions &options) {
  auto buffer = input::readText(options.input);
  if (!buffer) {
    llvm::errs() << "drawloom: " << llvm::toString(buffer.takeError()) << '\n';
    return std::nullopt;
  }
  llvm::MemoryBufferRef text = (*buffer)->getMemBufferRef();
  ptx::ParseResult parsed = ptx::parseModule(text);
  if (!parsed) {
    llvm::errs() << "drawloom: " << llvm::StringRef(parsed.str()).rtrim()
                 << '\n';
    return Explained{.isRejected = true,
                     .messages = toMessages(parsed.diagnostics)};
  }
  llvm::Expected<std::vector<Plan>> plans = makeHandPlans(*parsed.module, text);
  if (plans)
    return Explained{.plans = std::move(*plans)};
  std::string words = llvm::toString(plans.takeError());
  llvm::errs() << "drawloom: " << words << '\n';
  Explained result = {.isRejected = true};
  result.messages.push_back(llvm::json::Object{{"text", words}});
  return result;
}

static ExitStatus explainFile(const ExplainOptions &options) {
  std::optional<Explained> found =
      llvm::StringRef(options.input).ends_with(".ptx") ? readPlans(options)
                                                       : compilePlans(options);
  if (!found)
    return Failed;
  if (llvm::Error error =
          writeReports({}, {"", options.sarif},
                       {options.input, "", std::move(found->messages)})) {
    llvm::errs() << "drawloom: " << llvm::toString(std::move(error)) << '\n';
    return Failed;
  }
  if (found->isRejected)
    return Failed;
  mlir::FailureOr<std::vector<Plan>> plans = choosePlans(found->plans, options);
  if (mlir::failed(plans))
    return Failed;
  std::string text = explain(*plans, options.form, found->stages);
  if (options.form == PlanForm::Text && options.output == "-")
    text = colorPlan(text);
  return mlir::succeeded(writeOutput(options.output, text)) ? Clean : Failed;
}

ExitStatus drawloom::runExplain(llvm::ArrayRef<llvm::StringRef> arguments) {
  if (llvm::is_contained(arguments, "--time") &&
      !llvm::is_contained(arguments, "--help"))
    return runExplainTime(arguments);
  auto complain = [](llvm::Error error) {
    return drawloom::complain("explain", llvm::toString(std::move(error)));
  };
  llvm::Expected<CommandLine> line =
      CommandLine::parse(arguments, {{"--arch", true},
                                     {"--kernel", true},
                                     {"--format", true},
                                     {"--diagram", true},
                                     {"-o", true},
                                     {"--sarif", true}});
  if (!line)
    return complain(line.takeError());
  if (line->wantsHelp()) {
    printExplainHelp();
    return Clean;
  }
  llvm::Expected<ExplainOptions> options = readOptions(*line);
  if (!options)
    return complain(options.takeError());
  return explainFile(*options);
}
