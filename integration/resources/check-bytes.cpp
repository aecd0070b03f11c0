//===- check-bytes.cpp - What each CTA loads, alone and in a cluster ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// check-bytes
//
// Compiles a bf16 GEMM with tiles of 128 x 256 x 64 for one CTA, for clusters
// and for pairs, runs one cluster of each on the emulator, and counts what the
// bulk copies of each CTA read from global memory. For a K tile that is the
// same in a problem of any size, 8192 x 8192 x 8192 as here: a K tile of one
// work tile is like any other.
//
// What it has to be follows from the layouts alone. CTAs along n share A, CTAs
// along m share B, and a tile that c of them share is loaded once, a c-th by
// each:
//
//   128 x 64 x 2 bytes / (CTAs along n) + 256 x 64 x 2 bytes / (CTAs along m)

#include "drawloom/Emulator/AddressMap.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/Emulator/Listener.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using llvm::formatv;

static constexpr int64_t rows = 128, columns = 256, step = 64, steps = 6;
static constexpr int64_t elementBytes = 2;

namespace {

struct Case {
  llvm::StringLiteral arch;
  int64_t alongM, alongN;
  bool pairs = false;

  int64_t ctas() const { return alongM * alongN; }
  /// What the layouts say.
  int64_t expect() const {
    return elementBytes * step * (rows / alongN + columns / alongM);
  }
};

constexpr Case cases[] = {
    {"sm_90a", 1, 1},        {"sm_90a", 2, 1},        {"sm_90a", 1, 2},
    {"sm_90a", 2, 2},        {"sm_90a", 4, 2},        {"sm_100a", 1, 1},
    {"sm_100a", 2, 1},       {"sm_100a", 1, 2},       {"sm_100a", 2, 2},
    {"sm_100a", 4, 2},       {"sm_100a", 2, 1, true}, {"sm_100a", 2, 2, true},
    {"sm_100a", 4, 2, true},
};

/// Counts what bulk copies read from global memory, by the CTA that issues
/// them.
class Counter : public emu::Listener {
public:
  explicit Counter(size_t ctas) : bytes(ctas, 0) {}

  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &) override {
    return std::make_unique<Cluster>(bytes);
  }

  std::vector<int64_t> bytes;

private:
  struct Cluster : emu::ClusterListener {
    explicit Cluster(std::vector<int64_t> &bytes) : bytes(bytes) {}

    void access(const emu::AccessEvent &event) override {
      if (event.operation == 0 || event.kind != emu::AccessKind::Read ||
          event.proxy != emu::Proxy::Async)
        return;
      for (const emu::MemoryRange &range : event.ranges)
        if (!emu::isShared(range.address))
          bytes[event.origin.rank] += int64_t(range.bytes) * range.count;
    }

    std::vector<int64_t> &bytes;
  };
};

} // namespace

static std::string writeProgram(const Case &c) {
  constexpr llvm::StringLiteral text = R"(
tile.kernel @gemm(%A: !tile.view<{0}x{2}xbf16>, %B: !tile.view<{1}x{2}xbf16>,
                  %D: !tile.view<{0}x{1}xbf16>)
    attributes {{tile.schedule = #tile.schedule<cluster = [{3}, {4}]{5}>} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {8} : index
  %K = arith.constant {2} : index
  %zero = arith.constant dense<0.0> : tensor<{6}x{7}xf32>
  tile.for_each (%m, %n) tiles [{6}, {7}] of %D : !tile.view<{0}x{1}xbf16> {{
    %acc = scf.for %k = %c0 to %K step %step iter_args(%s = %zero) -> (tensor<{6}x{7}xf32>) {{
      %a = tile.load %A[%m, %k] : !tile.view<{0}x{2}xbf16> -> tensor<{6}x{8}xbf16>
      %b = tile.load %B[%n, %k] : !tile.view<{1}x{2}xbf16> -> tensor<{7}x{8}xbf16>
      %t = tile.mma %a, %b, %s : tensor<{6}x{8}xbf16>, tensor<{7}x{8}xbf16> -> tensor<{6}x{7}xf32>
      scf.yield %t : tensor<{6}x{7}xf32>
    }
    %d = arith.truncf %acc : tensor<{6}x{7}xf32> to tensor<{6}x{7}xbf16>
    tile.store %d, %D[%m, %n] : tensor<{6}x{7}xbf16>, !tile.view<{0}x{1}xbf16>
  }
}
)";
  return formatv(text.data(), rows * c.alongM, columns * c.alongN, step * steps,
                 c.alongM, c.alongN, c.pairs ? ", cta_group = 2" : "", rows,
                 columns, step);
}

/// One cluster, whose arrays are zeros: what is computed does not matter.
static llvm::Expected<std::string> writeLaunch(const Case &c,
                                               const CompiledKernel &kernel) {
  llvm::json::Object arrays;
  for (const runtime::ArgumentInfo &argument : kernel.info.arguments)
    arrays[argument.name] = llvm::json::Object{
        {"type", "<u" + std::to_string(argument.type->bytes)},
        {"shape", llvm::json::Array(argument.shape)}};
  llvm::json::Array values;
  for (const runtime::Parameter &parameter : kernel.info.parameters) {
    if (parameter.kind != runtime::Parameter::Kind::TensorMap)
      return llvm::createStringError("a parameter is no tensor map");
    values.push_back(llvm::json::Object{
        {"tensorMap",
         llvm::json::Object{
             {"array", kernel.info.arguments[parameter.argument].name},
             {"box", llvm::json::Array(parameter.box)},
             {"swizzle", std::to_string(parameter.swizzle) + "B"}}}});
  }
  llvm::json::Object launch{{"device", c.arch == "sm_90a" ? "h100" : "b200"},
                            {"grid", llvm::json::Array{c.ctas()}},
                            {"cluster", llvm::json::Array{c.ctas()}},
                            {"block", llvm::json::Array{kernel.info.threads}},
                            {"dynamicShared", kernel.info.sharedBytes},
                            {"arrays", std::move(arrays)},
                            {"parameters", std::move(values)}};
  return formatv("{0}", llvm::json::Value(std::move(launch))).str();
}

/// The bytes that each CTA loads for a step; an error if they differ.
static llvm::Expected<int64_t> measure(const Case &c) {
  llvm::Expected<const target::Architecture *> arch =
      target::findArchitecture(c.arch);
  if (!arch)
    return arch.takeError();
  llvm::Expected<CompiledModule> compiled =
      compile(writeProgram(c), {.arch = *arch, .stopAfter = Stage::PTX});
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<std::string> text = writeLaunch(c, compiled->kernels.front());
  if (!text)
    return text.takeError();
  llvm::Expected<emu::LaunchFile> file = emu::parseLaunchFile(*text, ".", ".");
  if (!file)
    return file.takeError();
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(compiled->ptx, "ptx"));
  if (!parsed)
    return llvm::createStringError(parsed.str());
  llvm::Expected<std::unique_ptr<emu::Device>> device =
      emu::Device::create(*emu::findDeviceModel(file->device));
  if (!device)
    return device.takeError();
  auto module = (*device)->load(std::move(parsed.module));
  if (!module)
    return module.takeError();
  llvm::Expected<emu::PreparedLaunch> launch =
      emu::PreparedLaunch::create(*file, **device, **module);
  if (!launch)
    return launch.takeError();
  Counter counter(c.ctas());
  emu::RunOptions options = file->options;
  options.listener = &counter;
  emu::RunResult result = emu::run(**device, launch->launch(), options);
  if (!result.ok())
    return llvm::createStringError(result.report->str());
  for (int64_t bytes : counter.bytes)
    if (bytes != counter.bytes.front() || bytes % steps != 0)
      return llvm::createStringError(
          "CTAs load different numbers of bytes, or steps do");
  return counter.bytes.front() / steps;
}

int main() {
  llvm::outs() << "bytes that a CTA loads for a step of 64 along k, tiles of "
                  "128 x 256, bf16\n"
               << "arch     CTAs   MMAs  measured  layouts say  of one\n";
  unsigned wrong = 0;
  for (const Case &c : cases) {
    llvm::Expected<int64_t> bytes = measure(c);
    std::string cluster = formatv("{0} x {1}", c.alongM, c.alongN);
    llvm::outs() << formatv("{0,-8} {1,-6} {2,-8}", c.arch, cluster,
                            c.pairs ? "pair" : "cta");
    if (!bytes) {
      llvm::outs() << "  " << llvm::toString(bytes.takeError()) << '\n';
      ++wrong;
      continue;
    }
    constexpr int64_t alone = elementBytes * step * (rows + columns);
    llvm::outs() << formatv("  {0,8}  {1,11}  {2,5:f0}%{3}\n", *bytes,
                            c.expect(), 100.0 * *bytes / alone,
                            *bytes == c.expect() ? "" : "  WRONG");
    wrong += *bytes != c.expect();
  }
  llvm::outs() << "bytes: " << std::size(cases) - wrong << " of "
               << std::size(cases) << " as the layouts say\n";
  return wrong != 0;
}
