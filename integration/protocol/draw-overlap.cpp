//===- draw-overlap.cpp - What ran at the same time, in one run -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// draw-overlap FILE --arch ARCH --shapes AxB,... --blocks N [--order S] -o F
//
// Compiles a matrix product with an epilogue, runs it with one CTA on the
// emulator and draws what its engines and its epilogue did, as SVG: a row for
// loads, one for MMAs and one for the epilogue, from left to right in the
// order of the run. It is a picture of one order; what holds in all of them
// is check-overlap's.

#include "CompileText.h"
#include "OverlapOptions.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/Emulator/Listener.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace drawloom;
using namespace drawloom::protocol;
namespace cl = llvm::cl;

static OverlapOptions options;
static cl::opt<std::string> order("order", cl::init("random:1"),
                                  cl::desc("of the run"),
                                  cl::cat(options.category));
static cl::opt<std::string> output("o", cl::Required, cl::desc("the drawing"),
                                   cl::cat(options.category));

namespace {

/// Something that took from one step of the run to another.
struct Span {
  unsigned row;
  int64_t item;
  uint64_t begin, end = 0;
};
enum Row : unsigned { Loads, Mmas, Epilogue, rowCount };

/// Steps are counted by events, of which the only cluster has all.
class Timeline : public emu::Listener {
public:
  explicit Timeline(const plan::Plan &plan) {
    for (const plan::Pipe &pipe : plan.pipes) {
      lowestPlanned =
          std::min({lowestPlanned, pipe.place->full, pipe.place->empty});
      if (pipe.name == "operands")
        operands = &pipe;
      if (pipe.producerEngine == plan::Engine::tensor_core)
        result = &pipe;
    }
  }
  bool isDrawable() const { return operands && result; }

  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &) override;
  void mbarrier(const emu::MbarrierEvent &event);
  void operation(const emu::OperationEvent &event);

  std::vector<Span> spans;
  uint64_t now = 0;

private:
  bool isOf(int64_t first, const plan::Pipe &pipe, uint64_t address) const {
    int64_t at = static_cast<int64_t>(address - lowest) + lowestPlanned - first;
    return at >= 0 && at < pipe.slots * 8;
  }

  const plan::Pipe *operands = nullptr, *result = nullptr;
  /// The first barrier of all, in the run and in the plan.
  uint64_t lowest = ~uint64_t(0);
  int64_t lowestPlanned = std::numeric_limits<int64_t>::max();
  /// By warp: slots of operands filled and emptied, results emptied.
  std::map<unsigned, int64_t> filled, emptied, results;
  std::map<uint64_t, size_t> inFlight;
  /// The block of the last MMA, and its span.
  int64_t lastBlock = -1;
  size_t lastMma = 0;
  /// The epilogue that a warp is in.
  std::map<unsigned, size_t> open;
};

class ClusterTimeline : public emu::ClusterListener {
public:
  explicit ClusterTimeline(Timeline &timeline) : timeline(timeline) {}
  void mbarrier(const emu::MbarrierEvent &event) override {
    timeline.mbarrier(event);
  }
  void operation(const emu::OperationEvent &event) override {
    timeline.operation(event);
  }

private:
  Timeline &timeline;
};

} // namespace

std::unique_ptr<emu::ClusterListener>
Timeline::startCluster(const emu::ClusterStart &) {
  return std::make_unique<ClusterTimeline>(*this);
}

void Timeline::mbarrier(const emu::MbarrierEvent &event) {
  ++now;
  unsigned warp = event.origin.warp;
  if (event.kind == emu::MbarrierEvent::Init)
    lowest = std::min(lowest, event.address);
  // Lanes may wait at different times; the first one acts for its warp.
  bool isFirst = event.origin.lanes & 1;
  if (event.kind == emu::MbarrierEvent::Wait && event.success && isFirst) {
    if (isOf(operands->place->empty, *operands, event.address))
      ++filled[warp];
    else if (isOf(operands->place->full, *operands, event.address))
      ++emptied[warp];
    else if (isOf(result->place->full, *result, event.address)) {
      open[warp] = spans.size();
      spans.push_back({Epilogue, results[warp]++, now});
    }
  } else if (event.kind == emu::MbarrierEvent::Arrive &&
             isOf(result->place->empty, *result, event.address)) {
    if (auto found = open.find(warp); found != open.end())
      spans[found->second].end = now;
  }
}

void Timeline::operation(const emu::OperationEvent &event) {
  ++now;
  unsigned warp = event.origin.warp;
  bool isLoad = event.engine == emu::EngineKind::Tensor && filled.count(warp);
  bool isMma = event.engine == emu::EngineKind::MatrixMultiply;
  if (event.kind == emu::OperationEvent::Complete) {
    if (auto found = inFlight.find(event.operation); found != inFlight.end())
      spans[found->second].end = now;
    return;
  }
  // All four warps of a warpgroup tell the issue of one wgmma.
  if (event.kind != emu::OperationEvent::Issue || (!isLoad && !isMma) ||
      inFlight.count(event.operation))
    return;
  int64_t block = (isLoad ? filled[warp] : emptied[warp]) - 1;
  // The instructions of one block are one MMA.
  if (isMma && block == lastBlock) {
    inFlight[event.operation] = lastMma;
    return;
  }
  if (isMma) {
    lastBlock = block;
    lastMma = spans.size();
  }
  inFlight[event.operation] = spans.size();
  spans.push_back({isLoad ? Loads : Mmas, block / options.blocks, now});
}

/// The launch, as `drawloom run` reads it. Arrays are zeros: what is computed
/// does not matter here.
static std::string printLaunch(const CompiledKernel &kernel) {
  using Kind = runtime::Parameter::Kind;
  llvm::json::Object arrays;
  auto name = [](int64_t argument) { return "x" + std::to_string(argument); };
  auto sizes = [](int64_t argument) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(options.shapes[argument]).split(parts, 'x');
    llvm::json::Array numbers;
    for (llvm::StringRef part : parts) {
      int64_t number = 0;
      part.getAsInteger(10, number);
      numbers.push_back(number);
    }
    return numbers;
  };
  for (auto [number, argument] : llvm::enumerate(kernel.info.arguments))
    if (argument.isView)
      arrays[name(number)] = llvm::json::Object{
          {"type", "<u" + std::to_string(argument.type->bytes)},
          {"shape", sizes(number)}};
  llvm::json::Array values;
  for (const runtime::Parameter &parameter : kernel.info.parameters) {
    if (parameter.kind != Kind::TensorMap) {
      values.push_back(llvm::json::Object{
          {"u32", parameter.kind == Kind::Size
                      ? sizes(parameter.argument)[parameter.dimension]
                      : llvm::json::Value(0)}});
      continue;
    }
    llvm::json::Object map{
        {"array", name(parameter.argument)},
        {"box", llvm::json::Array(parameter.box)},
        {"swizzle", std::to_string(parameter.swizzle) + "B"}};
    values.push_back(llvm::json::Object{{"tensorMap", std::move(map)}});
  }
  llvm::json::Object launch{
      {"device", kernel.plan.arch->name.starts_with("sm_9") ? "h100" : "b200"},
      {"grid", llvm::json::Array{1}},
      {"block", llvm::json::Array{kernel.plan.countThreads()}},
      {"dynamicShared", *kernel.plan.sharedBytes},
      {"arrays", std::move(arrays)},
      {"parameters", std::move(values)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(launch)));
}

static llvm::Error run(const CompiledModule &program, Timeline &timeline) {
  llvm::Expected<emu::LaunchFile> file =
      emu::parseLaunchFile(printLaunch(program.kernels.front()), ".", ".");
  if (!file)
    return file.takeError();
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(program.ptx, "ptx"));
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
  emu::RunOptions options = file->options;
  if (llvm::Error error = emu::parseSchedule(order, options))
    return error;
  options.listener = &timeline;
  emu::RunResult result = emu::run(**device, launch->launch(), options);
  if (!result.ok())
    return llvm::createStringError(result.report->str());
  return llvm::Error::success();
}

static void draw(const Timeline &timeline, llvm::raw_ostream &os) {
  constexpr unsigned left = 90, width = 1200, height = 60, gap = 16, lanes = 6;
  constexpr llvm::StringLiteral names[] = {"loads", "MMAs", "epilogue"};
  constexpr llvm::StringLiteral colors[] = {"#4c78a8", "#f2a93b", "#54a24b",
                                            "#b279a2"};
  double step = double(width) / timeline.now;
  os << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                      "height=\"{1}\" font-family=\"sans-serif\" "
                      "font-size=\"13\">\n<rect width=\"100%\" "
                      "height=\"100%\" fill=\"white\"/>\n",
                      left + width + 20, rowCount * (height + gap) + 40);
  for (unsigned row = 0; row != rowCount; ++row)
    os << llvm::formatv("<text x=\"8\" y=\"{0}\">{1}</text>\n",
                        gap + row * (height + gap) + height / 2, names[row]);
  unsigned number = 0;
  for (const Span &span : timeline.spans) {
    unsigned lane = number++ % lanes;
    os << llvm::formatv(
        "<rect x=\"{0:f1}\" y=\"{1}\" width=\"{2:f1}\" height=\"{3}\" "
        "fill=\"{4}\" fill-opacity=\"0.7\"><title>item {5}</title></rect>\n",
        left + span.begin * step,
        gap + span.row * (height + gap) + lane * (height / lanes),
        std::max(1.0, (span.end - span.begin) * step), height / lanes - 1,
        colors[span.item % std::size(colors)], span.item);
  }
  os << llvm::formatv("<text x=\"{0}\" y=\"{1}\">a color is a work tile; from "
                      "left to right in the order of the run ({2})</text>\n"
                      "</svg>\n",
                      left, rowCount * (height + gap) + 30, order.getValue());
}

/// How many epilogues had MMAs of the next item beside them.
static std::pair<unsigned, unsigned> countOverlaps(const Timeline &timeline) {
  std::map<int64_t, std::pair<uint64_t, uint64_t>> epilogues;
  int64_t last = 0;
  for (const Span &span : timeline.spans) {
    last = std::max(last, span.item);
    if (span.row != Epilogue)
      continue;
    auto [found, isNew] = epilogues.insert({span.item, {span.begin, span.end}});
    found->second.first = std::min(found->second.first, span.begin);
    found->second.second = std::max(found->second.second, span.end);
  }
  unsigned found = 0;
  for (auto [item, extent] : epilogues)
    found += llvm::any_of(
        timeline.spans, [&, item = item, extent = extent](const Span &span) {
          return span.row == Mmas && span.item == item + 1 &&
                 span.begin < extent.second && span.end > extent.first;
        });
  return {found, last};
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, "Draws what ran at the same time\n");
  llvm::Expected<CompiledModule> program =
      compileFile(options.input, options.arch);
  if (!program) {
    llvm::errs() << llvm::toString(program.takeError()) << '\n';
    return 1;
  }
  Timeline timeline(program->kernels.front().plan);
  if (!timeline.isDrawable()) {
    llvm::errs() << "draw-overlap: this kernel has no results in a pipe\n";
    return 1;
  }
  if (llvm::Error error = run(*program, timeline)) {
    llvm::errs() << "draw-overlap: " << llvm::toString(std::move(error))
                 << '\n';
    return 1;
  }
  std::error_code error;
  llvm::raw_fd_ostream os(output, error);
  if (error) {
    llvm::errs() << "draw-overlap: cannot write '" << output << "'\n";
    return 1;
  }
  draw(timeline, os);
  auto [found, total] = countOverlaps(timeline);
  llvm::outs() << "overlap: in this run (" << order << ") " << found << " of "
               << total << " epilogues had MMAs of the next item beside them\n";
  return found ? 0 : 1;
}
