//===- RunStages.cpp - A program after each pass --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStages.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include <map>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::stages;

namespace {

/// What a kernel is like, and what it computed, after the pass before.
struct Stage {
  std::string text;
  run::Arguments results;
};

class Program {
public:
  Program(const suite::Case &input, const Options &options, Counts &counts)
      : input(input), options(options), counts(counts), context(makeDialects()),
        handler(&context,
                [this](Diagnostic &diagnostic) { note(diagnostic); }) {
    context.printOpOnDiagnostic(false);
    context.disableMultithreading();
  }

  void run();
  /// The kernel after the pass.
  void compare(StringRef pass, tile::KernelOp kernel);

  std::vector<Failure> failures;

private:
  static DialectRegistry makeDialects() {
    DialectRegistry dialects;
    registerProgramDialects(dialects);
    return dialects;
  }
  void note(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    llvm::raw_string_ostream(said) << diagnostic << '\n';
  }
  void fail(StringRef pass, const Twine &words) {
    ++counts.differ;
    failures.push_back({pass.str(), words.str()});
  }
  bool makeInputs();
  bool interpret(tile::KernelOp kernel, unsigned order,
                 run::Arguments &results);
  bool isWithinBound(tile::KernelOp kernel, const run::Arguments &results);

  const suite::Case &input;
  const Options &options;
  Counts &counts;
  std::string said;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module, written;
  const target::Architecture *arch = nullptr;
  std::optional<run::Arguments> before;
  std::map<std::string, Stage> stages;
};

class AfterPass : public PassInstrumentation {
public:
  explicit AfterPass(Program &program) : program(program) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // Those without a name only run others.
    if (pass->getArgument().empty())
      return;
    op->walk([&](tile::KernelOp kernel) {
      program.compare(pass->getArgument(), kernel);
    });
  }

private:
  Program &program;
};

} // namespace

static std::string print(tile::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().assumeVerified().useLocalScope());
  return text;
}

/// The first element that differs, as text; empty if none does.
static std::string findDifference(const run::Arguments &a,
                                  const run::Arguments &b) {
  for (size_t i = 0; i != a.tensors.size(); ++i)
    for (int64_t k = 0; k < a.tensors[i].getNumElements(); ++k) {
      if (a.tensors[i].getBits(k) == b.tensors[i].getBits(k))
        continue;
      // Which NaN a NaN is has no meaning.
      interp::Format format = a.tensors[i].getFormat();
      if (interp::isFloat(format) &&
          a.tensors[i].getFloat(k) != a.tensors[i].getFloat(k) &&
          b.tensors[i].getFloat(k) != b.tensors[i].getFloat(k))
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "element " << k << " of '" << a.names[i] << "' has the bits 0x";
      os.write_hex(b.tensors[i].getBits(k)) << ", and 0x";
      os.write_hex(a.tensors[i].getBits(k)) << " before";
      return text;
    }
  return "";
}

bool Program::makeInputs() {
  auto found = target::findArchitecture(input.arch);
  if (!found) {
    llvm::consumeError(found.takeError());
    return false;
  }
  arch = *found;
  module = parseSourceString<ModuleOp>(input.program, &context, input.name);
  if (!module ||
      failed(runPath(*module,
                     {.arch = arch, .stopAfter = drawloom::Stage::Tile})) ||
      module->getOps<tile::KernelOp>().empty())
    return false;
  written = module->clone();
  tile::KernelOp kernel = *module->getOps<tile::KernelOp>().begin();
  run::ArgumentOptions arguments;
  arguments.seed = input.seed;
  if (!input.shapes.empty())
    for (auto [argument, shape] :
         llvm::zip(kernel.getBody().getArguments(), input.shapes))
      if (isa<tile::ViewType>(argument.getType()))
        arguments.shapes[tile::getArgumentName(argument)].assign(shape.begin(),
                                                                 shape.end());
  auto made = run::makeArguments(kernel, arguments);
  if (!made) {
    said += llvm::toString(made.takeError());
    return false;
  }
  before = std::move(*made);
  return true;
}

bool Program::interpret(tile::KernelOp kernel, unsigned order,
                        run::Arguments &results) {
  results = *before;
  std::vector<interp::HostTensor *> tensors;
  for (interp::HostTensor &tensor : results.tensors)
    tensors.push_back(&tensor);
  interp::Options how;
  how.reverse = order == 1;
  how.clusters = 1 + order % 3;
  if (order > 1)
    how.shuffle = order;
  said.clear();
  return succeeded(interp::run(kernel, tensors, how));
}

bool Program::isWithinBound(tile::KernelOp kernel,
                            const run::Arguments &results) {
  auto original = cast<tile::KernelOp>(
      SymbolTable::lookupSymbolIn(*written, kernel.getSymName()));
  auto comparisons = run::compare(original, *arch, *before, results);
  return succeeded(comparisons) &&
         llvm::all_of(*comparisons, [](const run::Comparison &one) {
           return one.outOfBound == 0 && one.unbounded == 0;
         });
}

void Program::compare(StringRef pass, tile::KernelOp kernel) {
  std::string name = kernel.getSymName().str();
  Stage &last = stages[name];
  std::string text = print(kernel);
  bool isChanged = text != last.text;
  OwningOpRef<Operation *> changed;
  if (options.change) {
    changed = kernel->clone();
    auto other = cast<tile::KernelOp>(*changed);
    if (!options.change(pass, other))
      changed = nullptr;
    else
      kernel = other;
  }
  bool isFirst = last.text.empty();
  // With a bug, only the stage that has it is compared, with the first.
  if (options.change ? !isFirst && !changed : !isChanged)
    return;
  // Before there are roles, there is one order.
  bool hasRoles =
      kernel.walk([](agent::SwitchOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  std::optional<run::Arguments> first;
  for (unsigned order = 0; order < (hasRoles ? options.orders : 1); ++order) {
    std::string how = pass.str() + ", order " + std::to_string(order);
    run::Arguments results;
    ++counts.compared;
    if (!interpret(kernel, order, results))
      return fail(how, said);
    if (isFirst) {
      first = results;
      continue;
    }
    std::string difference =
        findDifference(first ? *first : last.results, results);
    if (!difference.empty() && !first && isWithinBound(kernel, results)) {
      ++counts.withinBound;
      difference.clear();
    }
    if (!difference.empty())
      return fail(how, difference);
    first = results;
  }
  last.results = std::move(*first);
  last.text = std::move(text);
}

void Program::run() {
  if (!makeInputs()) {
    ++counts.rejected;
    return;
  }
  for (auto kernel : module->getOps<tile::KernelOp>())
    compare("tile", kernel);
  PassManager passes((*module)->getName());
  buildAgent(passes);
  buildPlan(passes);
  buildProtocol(passes, /*unproved=*/false);
  passes.addInstrumentation(std::make_unique<AfterPass>(*this));
  passes.enableVerifier(true);
  if (failed(passes.run(*module)) && failures.empty())
    ++counts.rejected;
  else
    ++counts.programs;
}

std::vector<Failure> stages::runStages(const suite::Case &input,
                                       const Options &options, Counts &counts) {
  Program program(input, options, counts);
  program.run();
  return std::move(program.failures);
}
