//===- PeerGemm.cpp - GEMMs of CUTLASS's on the emulator ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerGemm.h"
#include "CutlassHost.h"
#include "OneDnn.h"
#include "drawloom/Emulator/Launch.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

using namespace drawloom;
using namespace drawloom::emu;

namespace {
struct Row {
  const char *kernel, *device;
};
const Row rows[] = {{"cutlass_sm90_bf16_cooperative_bias", "h100"},
                    {"cutlass_sm100_bf16_1sm", "b200"},
                    {"cutlass_sm100_bf16_2sm", "b200"}};
} // namespace

static std::vector<uint16_t> randomNumbers(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<uint16_t> values(count);
  for (uint16_t &value : values)
    value = llvm::bit_cast<uint32_t>(distribution(generator)) >> 16;
  return values;
}

static uint64_t upload(Device &device, const void *data, size_t bytes) {
  uint64_t address = llvm::cantFail(device.memory().allocate(bytes));
  memcpy(device.memory().translate(address, bytes), data, bytes);
  return address;
}

/// The largest distance of an element from the reference. Both are sums in f32
/// in some order, one of them rounded to bf16: an error far beyond the rounding
/// of the largest element means that the kernel didn't do this product.
static double worstError(llvm::ArrayRef<float> expected, const uint16_t *got) {
  double worst = 0, largest = 0;
  for (auto [index, reference] : llvm::enumerate(expected)) {
    float value = llvm::bit_cast<float>(uint32_t(got[index]) << 16);
    double error = std::fabs(double(value) - reference);
    // What isn't a number is the worst.
    worst = error <= worst ? worst : error;
    largest = std::max(largest, std::fabs(double(reference)));
  }
  if (!(worst <= largest / 128)) {
    llvm::errs() << "emulator-bench: a result is off by " << worst << "\n";
    std::exit(1);
  }
  return worst;
}

namespace {
struct Timing {
  double seconds = 0; ///< Of processor time.
  double wall = 0;
  double instructions = 0;
};
} // namespace

/// The best of three, as for oneDNN: the host has other work.
static Timing measure(Device &device, const Launch &launch, unsigned threads) {
  Timing best;
  RunOptions options;
  options.threads = threads;
  for (unsigned round = 0; round != 3; ++round) {
    auto wallStart = std::chrono::steady_clock::now();
    double start = processorSeconds();
    RunResult result = run(device, launch, options);
    double seconds = processorSeconds() - start;
    std::chrono::duration<double> wall =
        std::chrono::steady_clock::now() - wallStart;
    if (result.report) {
      llvm::errs() << "emulator-bench: " << result.report->str() << "\n";
      std::exit(1);
    }
    best.instructions = double(result.statistics.warpInstructions);
    best.seconds = round == 0 ? seconds : std::min(best.seconds, seconds);
    best.wall = round == 0 ? wall.count() : std::min(best.wall, wall.count());
  }
  return best;
}

/// What the clock says, and what it costs; without data, too.
static std::string benchClock(Device &device, const Launch &launch, int size,
                              const Row &row, double plain) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::format("%-38s", row.kernel);
  for (bool withoutData : {false, true}) {
    RunOptions options;
    options.policy = Policy::Timed;
    options.withoutData = withoutData;
    double start = processorSeconds();
    RunResult result = run(device, launch, options);
    double seconds = processorSeconds() - start;
    if (result.report) {
      llvm::errs() << "emulator-bench: " << result.report->str() << "\n";
      std::exit(1);
    }
    const TimingReport &timing = *result.timing;
    double tera = 2.0 * size * size * size / timing.microseconds / 1e6;
    if (withoutData)
      out << llvm::format("%12.2f%12llu\n", seconds,
                          (unsigned long long)timing.cycles);
    else
      out << llvm::format("%10.2f%8.2f%12llu%10.1f%10.0f%10.1f", seconds,
                          seconds / plain, (unsigned long long)timing.cycles,
                          timing.microseconds, tera,
                          100 * timing.tensorUtilization());
  }
  return text;
}

static bool benchRow(const Row &row, int size, unsigned threads,
                     llvm::ArrayRef<uint16_t> a, llvm::ArrayRef<uint16_t> b,
                     const OneDnnProduct &alone, std::string &clock) {
  std::optional<CutlassKernel> cutlass = findCutlassKernel(row.kernel);
  if (!cutlass)
    return false;
  llvm::ExitOnError exitOnError("emulator-bench: ");
  auto buffer = exitOnError(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(cutlass->ptxFile)));
  ptx::ParseResult parsed = ptx::parseModule(*buffer);
  if (!parsed) {
    llvm::errs() << parsed.str();
    std::exit(1);
  }
  std::string entry;
  for (const ptx::Function *function : parsed.module->functions)
    if (function->isEntry)
      entry = function->name.str();
  auto device = exitOnError(Device::create(*findDeviceModel(row.device)));
  auto module = exitOnError(device->load(std::move(parsed.module)));
  size_t bytes = size_t(size) * size * 2;
  std::vector<uint16_t> zeros(size_t(size) * size);
  uint64_t d = upload(*device, zeros.data(), bytes);
  CutlassProblem problem = {};
  problem.m = problem.n = problem.k = size;
  problem.smCount = int(device->model().smCount);
  problem.a = upload(*device, a.data(), bytes);
  problem.b = upload(*device, b.data(), bytes);
  problem.c = upload(*device, zeros.data(), bytes);
  problem.bias = upload(*device, zeros.data(), bytes);
  problem.d = d;
  problem.alpha = 1;
  CutlassLaunch shape;
  alignas(128) char parameters[CutlassKernel::mostParameterBytes];
  if (!cutlass->describe(&problem, &shape, parameters, sizeof(parameters)))
    return false;
  Launch launch;
  launch.kernel = exitOnError(module->kernel(entry));
  launch.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
  launch.block = {shape.block[0], shape.block[1], shape.block[2]};
  launch.cluster = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
  launch.explicitCluster = true;
  launch.dynamicShared = shape.sharedBytes;
  launch.parameters.assign(parameters, parameters + shape.parameterBytes);
  Timing timing = measure(*device, launch, threads);
  // On all of the host's, for those who wait for it.
  Timing onAll = measure(*device, launch, 0);
  clock += benchClock(*device, launch, size, row, timing.seconds);
  auto *got =
      reinterpret_cast<const uint16_t *>(device->memory().translate(d, bytes));
  llvm::outs() << llvm::format(
      "%-38s%10.2f%8.2f%10.2f%10.3f%8.1f%10.1f%8.1f%8.2f\n", row.kernel,
      timing.seconds, timing.wall, onAll.wall, alone.seconds,
      timing.seconds / alone.seconds, timing.instructions / 1e6,
      timing.instructions / timing.seconds / 1e6, worstError(alone.d, got));
  return true;
}

void benchPeerGemms(int size, unsigned threads, llvm::StringRef only) {
  std::vector<uint16_t> a = randomNumbers(size_t(size) * size, 1);
  std::vector<uint16_t> b = randomNumbers(size_t(size) * size, 2);
  OneDnnProduct alone = multiplyByOneDnn(size, size, size, a, b);
  llvm::outs() << "bf16 GEMM of " << size << "^3; oneDNN on one thread\n"
               << llvm::format("%-38s%10s%8s%10s%10s%8s%10s%8s%8s\n", "kernel",
                               "emulated", "wall", "wall, all", "oneDNN",
                               "ratio", "M instr.", "M/s", "error");
  std::string clock;
  for (const Row &row : rows)
    if ((only.empty() || only == row.kernel) &&
        !benchRow(row, size, threads, a, b, alone, clock))
      llvm::outs() << llvm::format("%-38s", row.kernel) << cutlassMissing;
  llvm::outs() << "\nthe same by the clock; the last two columns without data\n"
               << llvm::format("%-38s%10s%8s%12s%10s%10s%10s%12s%12s\n",
                               "kernel", "seconds", "ratio", "cycles", "us",
                               "TFLOP/s", "tensor %", "seconds", "cycles")
               << clock << "\n";
}
