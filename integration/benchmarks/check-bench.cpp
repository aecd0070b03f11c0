//===- check-bench.cpp - What the checker costs ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels through the emulator's libcuda.so.1, as programs do, without and
// with DRAWLOOM_CHECK, and prints the processor time of both, the least of the
// rounds, with the bar that their ratio has to stay below. Each measurement is
// a process of its own: what the checker keeps is the difference of the largest
// memory that the two processes had.
//
// GEMMs are CUTLASS's, with clusters of two CTAs, and ours, with one; attention
// and a norm are ours.
//
//===----------------------------------------------------------------------===//

#include "CutlassHost.h"
#include "drawloom/Run/Execute.h"
#include "drawloom/Runtime/Launch.h"
#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drawloom;
namespace cl = llvm::cl;

static cl::OptionCategory category("check-bench");
static cl::opt<unsigned> rounds("rounds", cl::init(3),
                                cl::desc("How often each is run (default 3)"),
                                cl::cat(category));
static cl::opt<std::string>
    only("only", cl::desc("Only rows whose name has this"), cl::cat(category));
static cl::opt<bool> timesOnly("times-only",
                               cl::desc("No memory, for profiles"),
                               cl::cat(category));
static cl::opt<bool> memoryOnly("memory-only", cl::desc("No times"),
                                cl::cat(category));
static cl::opt<bool> fails("fail",
                           cl::desc("Exit with 1 if something is over its bar"),
                           cl::cat(category));

static llvm::ExitOnError exitOnError("check-bench: ");

namespace {
/// What an argument of a program of ours is.
struct Operand {
  llvm::SmallVector<int64_t, 4> shape; ///< Empty for a scalar, which is 1.
  bool isOutput = false;
};

struct Row {
  std::string name;
  const char *arch;
  /// A file of examples/, or a kernel of CUTLASS's, or one of those below.
  enum { Example, Cutlass, Empty, Atomics } kind;
  std::string kernel;
  std::vector<Operand> operands = {}; ///< Of an example.
  int64_t size = 0;                   ///< Of CUTLASS's: M, N and K.
};

struct Cost {
  double seconds = 0, mebibytes = 0;
};
} // namespace

/// Of which only the start of CTAs is measured.
static const char *const empty = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry empty() { ret; }
)";
static constexpr unsigned emptyCtas = 65536;
/// Each thread adds to the same word.
static const char *const atomics = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry atomics(.param .u64 word) {
  .reg .b64 %rd;
  .reg .b32 %r;
  ld.param.u64 %rd, [word];
  atom.global.add.u32 %r, [%rd], 1;
  ret;
})";
static constexpr unsigned atomicCtas = 4096;

static double processorSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval &time) {
    return time.tv_sec + time.tv_usec * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static std::string readFile(const std::string &path) {
  return exitOnError(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
      ->getBuffer()
      .str();
}

/// Numbers between -1 and 1, as bf16.
static std::vector<char> makeNumbers(size_t bytes) {
  std::vector<char> result(bytes);
  uint32_t state = 1;
  for (size_t at = 0; at + 1 < bytes; at += 2) {
    state = state * 1664525 + 1013904223;
    uint16_t number = (state >> 16 & 0x80ff) | 0x3e00;
    memcpy(&result[at], &number, 2);
  }
  return result;
}

static runtime::Buffer makeBuffer(const runtime::Device &device, size_t bytes,
                                  bool isFilled) {
  runtime::Buffer buffer = exitOnError(device.allocate(bytes));
  if (isFilled)
    exitOnError(buffer.upload(makeNumbers(bytes)));
  return buffer;
}

/// The least processor time of a launch.
static double measure(const runtime::Device &device,
                      llvm::function_ref<llvm::Error()> launch) {
  double least = 0;
  for (unsigned round = 0; round != rounds; ++round) {
    double start = processorSeconds();
    exitOnError(launch());
    exitOnError(device.synchronize());
    double seconds = processorSeconds() - start;
    least = round == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

static double runExample(const Row &row, const runtime::Device &device,
                         const target::Architecture &arch) {
  std::string file = EXAMPLES "/" + row.kernel + ".mlir";
  CompiledModule compiled =
      exitOnError(compile(readFile(file), {.arch = &arch}, file));
  const runtime::KernelInfo &info = compiled.kernels.front().info;
  runtime::Kernel kernel =
      exitOnError(runtime::Kernel::load(device, info, compiled.ptx));
  std::vector<runtime::Buffer> buffers;
  std::vector<runtime::Argument> arguments;
  for (auto [argument, operand] :
       llvm::zip_equal(info.arguments, row.operands)) {
    if (operand.shape.empty()) {
      arguments.push_back({{}, /*1.0 in f32*/ 0x3f800000});
      continue;
    }
    size_t bytes = argument.type->bytes;
    for (int64_t size : operand.shape)
      bytes *= size;
    buffers.push_back(makeBuffer(device, bytes, !operand.isOutput));
    arguments.push_back({runtime::Tensor::packed(argument.type, operand.shape,
                                                 buffers.back().address())});
  }
  return measure(device, [&] { return kernel.launch(arguments); });
}

/// Of an entry without a description.
static double runEntry(const runtime::Device &device, const std::string &ptx,
                       const CutlassLaunch &shape, void *parameters) {
  runtime::Module module = exitOnError(device.load(ptx));
  // The first entry of the text.
  llvm::StringRef name = llvm::StringRef(ptx).split(".entry ").second.ltrim();
  name = name.take_until([](char c) { return c == '(' || isspace(c); });
  void *function = exitOnError(module.function(name));
  const runtime::Context &context = module.getContext();
  constexpr int maxDynamicShared = 8, clusterDimension = 4;
  exitOnError(context.check(context.enter().cuFuncSetAttribute(
                                function, maxDynamicShared, shape.sharedBytes),
                            "cuFuncSetAttribute"));
  runtime::LaunchAttribute cluster = {};
  cluster.id = clusterDimension;
  llvm::copy(shape.cluster, cluster.value.clusterDim);
  runtime::LaunchConfig config = {};
  llvm::copy(shape.grid, config.grid);
  llvm::copy(shape.block, config.block);
  config.sharedBytes = shape.sharedBytes;
  config.attributes = &cluster;
  config.attributeCount = 1;
  size_t bytes = shape.parameterBytes;
  void *extra[] = {reinterpret_cast<void *>(1), parameters,
                   reinterpret_cast<void *>(2), &bytes, nullptr};
  return measure(device, [&] {
    return context.check(
        context.enter().cuLaunchKernelEx(&config, function, nullptr, extra),
        "cuLaunchKernelEx");
  });
}

static double runCutlass(const Row &row, const runtime::Device &device) {
  std::optional<CutlassKernel> kernel = findCutlassKernel(row.kernel);
  if (!kernel)
    exitOnError(llvm::createStringError(row.kernel + ": " + cutlassMissing));
  size_t bytes = size_t(row.size) * row.size * 2;
  std::vector<runtime::Buffer> buffers;
  auto make = [&](bool isFilled) {
    buffers.push_back(makeBuffer(device, bytes, isFilled));
    return buffers.back().address();
  };
  CutlassProblem problem = {};
  problem.m = problem.n = problem.k = row.size;
  problem.smCount = device.smCount();
  problem.a = make(true);
  problem.b = make(true);
  problem.c = make(true);
  problem.bias = make(true);
  problem.d = make(false);
  problem.alpha = 1;
  CutlassLaunch shape;
  alignas(128) char parameters[CutlassKernel::mostParameterBytes];
  if (!kernel->describe(&problem, &shape, parameters, sizeof(parameters)))
    exitOnError(llvm::createStringError(row.kernel + " refuses the problem"));
  return runEntry(device, readFile(kernel->ptxFile), shape, parameters);
}

static double runRow(const Row &row) {
  const target::Architecture &arch =
      *exitOnError(target::findArchitecture(row.arch));
  runtime::Device device =
      exitOnError(run::openDevice(run::getEmulatedDevice(arch), /*sms=*/0));
  switch (row.kind) {
  case Row::Example:
    return runExample(row, device, arch);
  case Row::Cutlass:
    return runCutlass(row, device);
  case Row::Empty: {
    char none;
    return runEntry(device, empty,
                    {{emptyCtas, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, 0, 0},
                    &none);
  }
  case Row::Atomics: {
    runtime::Buffer word = makeBuffer(device, 4, true);
    uint64_t address = word.address();
    return runEntry(
        device, atomics,
        {{atomicCtas, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0, sizeof(address), 0},
        &address);
  }
  }
  return 0;
}

/// In a process of its own. What the checker finds isn't shown, unless the run
/// fails.
static Cost measureRow(const Row &row, bool checks) {
  int ends[2];
  FILE *said = tmpfile();
  if (pipe(ends) != 0 || !said)
    exitOnError(llvm::createStringError("no pipe, or no temporary file"));
  llvm::outs().flush();
  pid_t child = fork();
  if (child == 0) {
    dup2(fileno(said), STDERR_FILENO);
    setenv("DRAWLOOM_THREADS", "2", 1);
    if (checks)
      setenv("DRAWLOOM_CHECK", "default", 1);
    else
      unsetenv("DRAWLOOM_CHECK");
    Cost cost;
    cost.seconds = runRow(row);
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    cost.mebibytes = usage.ru_maxrss / 1024.0;
    bool isWritten = write(ends[1], &cost, sizeof(cost)) == sizeof(cost);
    _exit(isWritten ? 0 : 1);
  }
  close(ends[1]);
  Cost cost;
  bool isRead = child > 0 && read(ends[0], &cost, sizeof(cost)) == sizeof(cost);
  close(ends[0]);
  int status = 0;
  if (child > 0)
    waitpid(child, &status, 0);
  if (!isRead || status != 0) {
    rewind(said);
    for (char line[512]; fgets(line, sizeof(line), said);)
      llvm::errs() << line;
    exitOnError(llvm::createStringError(row.name + ": the run failed"));
  }
  fclose(said);
  return cost;
}

static unsigned overCount = 0;

static void tell(double value, double bar, const char *unit) {
  bool isOver = value > bar;
  overCount += isOver;
  llvm::outs() << llvm::format("%10.2f%6g", value, bar) << unit
               << (isOver ? "  over" : "") << '\n';
}

static bool isWanted(const Row &row) {
  return llvm::StringRef(row.name).contains(only);
}

/// GEMMs of that size.
static std::vector<Row> gemms(int64_t size) {
  std::vector<Operand> square = {
      {{size, size}}, {{size, size}}, {{size, size}, true}};
  return {{"gemm, 1 CTA", "sm_90a", Row::Example, "gemm", square},
          {"cutlass_sm90_bf16_cooperative_bias, 2 CTAs",
           "sm_90a",
           Row::Cutlass,
           "cutlass_sm90_bf16_cooperative_bias",
           {},
           size},
          {"gemm, 1 CTA", "sm_100a", Row::Example, "gemm", square},
          {"cutlass_sm100_bf16_1sm, 1 CTA",
           "sm_100a",
           Row::Cutlass,
           "cutlass_sm100_bf16_1sm",
           {},
           size},
          {"cutlass_sm100_bf16_2sm, 2 CTAs",
           "sm_100a",
           Row::Cutlass,
           "cutlass_sm100_bf16_2sm",
           {},
           size}};
}

static const Row oneWord = {"an atomic by each of 2^20 threads", "sm_90a",
                            Row::Atomics, ""};

static void benchTimes(llvm::ArrayRef<Row> rows, double bar) {
  for (const Row &row : rows) {
    if (!isWanted(row))
      continue;
    Cost plain = measureRow(row, false), checked = measureRow(row, true);
    llvm::outs() << llvm::format("%-46s%-8s%10.2f%10.2f", row.name.c_str(),
                                 row.arch, plain.seconds, checked.seconds);
    tell(checked.seconds / plain.seconds, bar, "");
  }
}

static void benchAllTimes() {
  llvm::outs() << "processor seconds on two threads\n"
               << llvm::format("%-46s%-8s%10s%10s%10s%6s\n", "kernel", "arch",
                               "emulated", "checked", "times", "bar");
  benchTimes(gemms(2048), 2);
  std::vector<Row> rest;
  Operand queries = {{1, 2048, 4, 128}}, result = {{1, 2048, 4, 128}, true};
  Operand rows = {{4096, 4096}}, normal = {{4096, 4096}, true};
  for (const char *arch : {"sm_90a", "sm_100a"}) {
    std::vector<Operand> operands = {queries, queries, queries, result, {}};
    rest.push_back({"attention", arch, Row::Example, "attention", operands});
    rest.push_back(
        {"causal attention", arch, Row::Example, "causal_attention", operands});
    rest.push_back({"rmsnorm",
                    arch,
                    Row::Example,
                    "rmsnorm",
                    {rows, {{4096}}, normal, {}}});
  }
  benchTimes(rest, 4);

  benchTimes(oneWord, 6);

  Row empty = {"empty, 65536 CTAs", "sm_90a", Row::Empty, ""};
  if (isWanted(empty)) {
    llvm::outs() << "\nprocessor seconds\n";
    for (bool checks : {false, true}) {
      llvm::outs() << llvm::format("%-46s%-28s", empty.name.c_str(),
                                   checks ? "checked" : "emulated");
      tell(measureRow(empty, checks).seconds, 0.4, " s");
    }
  }
}

static void benchMemory() {
  rounds = 1;
  llvm::outs() << "\nMiB that the checker keeps, of GEMMs at 4096^3\n";
  auto bench = [](const Row &row, double bar) {
    if (!isWanted(row))
      return;
    double plain = measureRow(row, false).mebibytes;
    double checked = measureRow(row, true).mebibytes;
    llvm::outs() << llvm::format("%-46s%-28s", row.name.c_str(), row.arch);
    tell(checked - plain, bar, " MiB");
  };
  for (const Row &row : gemms(4096))
    bench(row, 256);
  bench(oneWord, 300);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "What the checker costs.\n");
  if (!memoryOnly)
    benchAllTimes();
  if (!timesOnly)
    benchMemory();
  return fails && overCount;
}
