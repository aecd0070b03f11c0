//===- Trace.cpp - drawloom trace -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "HandPlan.h"
#include "Verb.h"
#include "drawloom/Session/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;
using llvm::StringRef;

static void printTraceHelp() {
  llvm::outs()
      << "drawloom trace - show who waited for what, in a run\n"
         "\n"
         "Usage: drawloom trace -o FILE.json FILE.mlir --arch ARCH [options]\n"
         "       drawloom trace -o FILE.json [options] -- COMMAND [arguments]\n"
         "\n"
         "Runs a program, or a command, as 'drawloom run' does, and writes a "
         "file in\n"
         "Chrome's trace format, for https://ui.perfetto.dev and "
         "chrome://tracing: for each\n"
         "CTA a row for each warp, with its waits for mbarriers; one for each "
         "slot of a\n"
         "pipe, with when it is full; and what each warp has engines do. With "
         "--time, times\n"
         "are those of the modeled GPU (docs/Timing.md); without it, a "
         "microsecond is a warp\n"
         "instruction of the emulated machine: docs/Run.md.\n"
         "\n"
         "Programs have names for roles and pipes; a command's kernels have "
         "them from\n"
         "--plan. Of others, warps and mbarriers are numbers.\n"
         "\n"
         "Options:\n"
         "  -o FILE       the trace\n"
         "  --order S     as for 'drawloom run'; without it, random:1, so that "
         "engines take\n"
         "                their time\n"
         "  --time        by the clock of the GPU, with its time; an order of "
         "its own\n"
         "  --plan FILE   names: a plan from 'drawloom explain --format json', "
         "or, of\n"
         "                kernels of the device library, their PTX from 'nvcc "
         "-ptx'\n"
         "  others        those of 'drawloom run', but for --check and "
         "--orders\n"
         "  --help        this text\n"
         "\n"
      << exitStatusHelp
      << "It is that of 'drawloom run'; if no kernel ran, 3.\n"
         "\n"
         "Example:\n"
         "  drawloom trace -o gemm.json "
      << findExamples() << "/gemm.mlir --arch sm_100a --random\n";
}

/// The plans of kernels by hand in a file of PTX, as JSON.
static llvm::Expected<std::string> describeKernels(StringRef path) {
  auto plans = makeHandPlans(path);
  if (!plans)
    return plans.takeError();
  return explain(*plans, PlanForm::Json);
}

ExitStatus drawloom::runTrace(llvm::ArrayRef<StringRef> arguments) {
  auto complain = [](const llvm::Twine &what) {
    return drawloom::complain("trace", what);
  };
  auto fail = [](const llvm::Twine &what) {
    llvm::errs() << "drawloom: " << what << '\n';
    return Failed;
  };
  std::string output, order, plan;
  llvm::SmallVector<StringRef> run = {"drawloom", "run"};
  for (size_t i = 0; i != arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      printTraceHelp();
      return Clean;
    }
    if (argument == "--") {
      llvm::append_range(run, arguments.drop_front(i));
      break;
    }
    if (argument == "--time") {
      setenv("DRAWLOOM_TIME", "default", 0);
      order = "timed:0";
      continue;
    }
    if (argument == "--check" || argument == "--orders")
      return complain("'" + argument +
                      "' doesn't go with a trace; 'drawloom run' has it");
    if (argument != "-o" && argument != "--order" && argument != "--plan") {
      run.push_back(argument);
      continue;
    }
    if (++i == arguments.size())
      return complain("'" + argument + "' takes a value");
    (argument == "-o"        ? output
     : argument == "--order" ? order
                             : plan) = arguments[i].str();
  }
  if (output.empty())
    return complain("name a file for the trace with -o");
  llvm::sys::fs::remove(output);
  setenv("DRAWLOOM_TRACE", output.c_str(), 1);
  if (!order.empty() || !std::getenv("DRAWLOOM_ORDER"))
    setenv("DRAWLOOM_ORDER", order.empty() ? "random:1" : order.c_str(), 1);
  llvm::SmallString<128> made;
  llvm::scope_exit removePlan([&] {
    if (!made.empty())
      llvm::sys::fs::remove(made);
  });
  if (StringRef(plan).ends_with(".ptx")) {
    llvm::Expected<std::string> text = describeKernels(plan);
    if (!text)
      return fail(llvm::toString(text.takeError()));
    int number;
    if (std::error_code failed = llvm::sys::fs::createTemporaryFile(
            "drawloom-trace", "json", number, made))
      return fail("no file for names: " + failed.message() + " [cannot-write]");
    llvm::raw_fd_ostream(number, /*shouldClose=*/true) << *text;
    plan = made.str();
  }
  if (!plan.empty())
    setenv("DRAWLOOM_CHECK_PLAN", plan.c_str(), 1);
  std::string self = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&runTrace));
  std::string problem;
  int result =
      llvm::sys::ExecuteAndWait(self, run, std::nullopt, {}, 0, 0, &problem);
  if (result < 0)
    return fail("'" + self + "': " + problem);
  if (result == Clean && !llvm::sys::fs::exists(output))
    return fail("no kernel ran on the emulated device, so there is no trace "
                "[no-kernel-ran]");
  if (llvm::sys::fs::exists(output))
    llvm::errs() << "drawloom: the trace is in '" << output
                 << "'; https://ui.perfetto.dev opens it\n";
  return ExitStatus(result);
}
