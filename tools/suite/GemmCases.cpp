//===- GemmCases.cpp - Matrix products with epilogues ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmCases.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::suite;
using Epilogue = GemmOptions::Epilogue;

static constexpr llvm::StringLiteral epilogueNames[] = {
    "none",  "cast", "bias_row", "bias_column", "residual",
    "scale", "relu", "gelu",     "silu",        "two_outputs"};

static bool isFloat8(llvm::StringRef type) { return type.starts_with("f8"); }

static int64_t getBytes(llvm::StringRef type) {
  return isFloat8(type) ? 1 : type == "f32" ? 4 : 2;
}

/// Outputs, residuals and biases have 16 bits, in the operands' type where it
/// has them.
static llvm::StringRef getNarrow(const GemmOptions &options) {
  return options.a == "f16" ? "f16" : "bf16";
}

namespace {

/// Writes the program down. Every line that computes has a name of its own.
class Printer {
public:
  explicit Printer(const GemmOptions &options)
      : o(options), narrow(getNarrow(options)),
        sum(tile(options.tileM, options.tileN, "f32")) {}
  std::string print();

private:
  static std::string tile(int64_t rows, int64_t columns, llvm::StringRef type) {
    return llvm::formatv("tensor<{0}x{1}x{2}>", rows, columns, type);
  }
  std::string view(llvm::StringRef type) const {
    return llvm::formatv("!tile.view<{0}?x?x{1}>", o.batch ? "?x" : "", type);
  }
  std::string at(llvm::StringRef first, llvm::StringRef second) const {
    return llvm::formatv("[{0}{1}, {2}]", o.batch ? "%z, " : "", first, second);
  }
  template <typename... Arguments>
  void line(const char *format, Arguments &&...arguments) {
    os << "    " << llvm::formatv(format, std::forward<Arguments>(arguments)...)
       << '\n';
  }
  void printLoop();
  std::string printEpilogue();
  void constant(llvm::StringRef name, llvm::StringRef value) {
    line("%{0} = arith.constant dense<{1}> : {2}", name, value, sum);
  }
  void apply(llvm::StringRef name, llvm::StringRef op, llvm::StringRef on) {
    line("%{0} = {1} {2} : {3}", name, op, on, sum);
  }
  void store(llvm::StringRef value, llvm::StringRef to, llvm::StringRef type);

  const GemmOptions &o;
  llvm::StringRef narrow;
  std::string sum;
  std::string text;
  llvm::raw_string_ostream os{text};
};

} // namespace

void Printer::printLoop() {
  line("%sum = scf.for %k = %c0 to %K step %ck iter_args(%s = %zero) -> ({0}) "
       "{{",
       sum);
  auto operand = [&](llvm::StringRef name, llvm::StringRef of,
                     llvm::StringRef row, int64_t rows, llvm::StringRef type,
                     bool transposed) {
    std::string result = tile(rows, o.tileK, type);
    if (!transposed) {
      line("  %{0} = tile.load %{1}{2} : {3} -> {4}", name, of, at(row, "%k"),
           view(type), result);
      return result;
    }
    std::string stored = tile(o.tileK, rows, type);
    line("  %{0}_t = tile.load %{1}{2} : {3} -> {4}", name, of, at("%k", row),
         view(type), stored);
    line("  %{0} = tile.transpose %{0}_t [1, 0] : {1} -> {2}", name, stored,
         result);
    return result;
  };
  std::string a = operand("a", "A", "%m", o.tileM, o.a, o.aTransposed);
  std::string b = operand("b", "B", "%n", o.tileN, o.b, o.bTransposed);
  line("  %t = tile.mma %a, %b, %s{0} : {1}, {2} -> {3}",
       o.a == "f32" ? " tf32" : "", a, b, sum);
  line("  scf.yield %t : {0}", sum);
  line("}");
}

void Printer::store(llvm::StringRef value, llvm::StringRef to,
                    llvm::StringRef type) {
  std::string stored = tile(o.tileM, o.tileN, type);
  std::string name = value.str();
  if (type != "f32") {
    line("{0}_out = arith.truncf {0} : {1} to {2}", value, sum, stored);
    name += "_out";
  }
  line("tile.store {0}, %{1}{2} : {3}, {4}", name, to, at("%m", "%n"), stored,
       view(type));
}

/// Writes what follows the product, and returns the name of the result.
std::string Printer::printEpilogue() {
  switch (o.epilogue) {
  case Epilogue::None:
  case Epilogue::Cast:
    return "%sum";
  case Epilogue::BiasByRow:
  case Epilogue::BiasByColumn: {
    bool byRow = o.epilogue == Epilogue::BiasByRow;
    int64_t length = byRow ? o.tileM : o.tileN;
    std::string vector = llvm::formatv("tensor<{0}xf32>", length);
    std::string thin = byRow ? tile(length, 1, "f32") : tile(1, length, "f32");
    line("%v = tile.load %C[{0}] : !tile.view<?x{1}> -> tensor<{2}x{1}>",
         byRow ? "%m" : "%n", narrow, length);
    line("%v32 = arith.extf %v : tensor<{0}x{1}> to {2}", length, narrow,
         vector);
    line("%thin = tile.expand_dims %v32 axis {0} : {1} -> {2}", byRow ? 1 : 0,
         vector, thin);
    line("%wide = tile.broadcast %thin : {0} -> {1}", thin, sum);
    apply("r", "arith.addf", "%sum, %wide");
    return "%r";
  }
  case Epilogue::Residual: {
    std::string loaded = tile(o.tileM, o.tileN, narrow);
    line("%v = tile.load %C{0} : {1} -> {2}", at("%m", "%n"), view(narrow),
         loaded);
    line("%v32 = arith.extf %v : {0} to {1}", loaded, sum);
    apply("r", "arith.addf", "%sum, %v32");
    return "%r";
  }
  case Epilogue::Scale:
    line("%alphas = tensor.splat %alpha : {0}", sum);
    apply("r", "arith.mulf", "%sum, %alphas");
    return "%r";
  case Epilogue::Relu:
  case Epilogue::TwoOutputs:
    apply("r", "arith.maximumf", "%sum, %zero");
    return "%r";
  case Epilogue::Gelu:
    // x / 2 * (1 + erf(x / sqrt(2)))
    constant("half", "0.5");
    constant("one", "1.0");
    constant("root", "0.70710678118654752");
    apply("x", "arith.mulf", "%sum, %root");
    apply("e", "math.erf", "%x");
    apply("e1", "arith.addf", "%e, %one");
    apply("h", "arith.mulf", "%sum, %half");
    apply("r", "arith.mulf", "%h, %e1");
    return "%r";
  case Epilogue::Silu: {
    // Operands of 8 bits come with a scale. Without one, exp of a sum with
    // Hopper's few bits could be anything.
    const char *value = "%sum";
    if (isFloat8(o.a)) {
      constant("factor", "0.00390625");
      apply("scaled", "arith.mulf", "%sum, %factor");
      value = "%scaled";
    }
    constant("one", "1.0");
    apply("x", "arith.negf", value);
    apply("e", "math.exp", "%x");
    apply("e1", "arith.addf", "%e, %one");
    apply("r", "arith.divf", value + std::string(", %e1"));
    return "%r";
  }
  }
  return "%sum";
}

std::string Printer::print() {
  bool isWide = o.epilogue == Epilogue::None;
  llvm::StringRef out = isWide ? llvm::StringRef("f32") : narrow;
  os << "tile.kernel @gemm(%A: " << view(o.a) << ", %B: " << view(o.b);
  if (o.epilogue == Epilogue::Residual)
    os << ", %C: " << view(narrow);
  else if (o.epilogue == Epilogue::BiasByRow ||
           o.epilogue == Epilogue::BiasByColumn)
    os << ", %C: !tile.view<?x" << narrow << ">";
  os << ", %D: " << view(out);
  if (o.epilogue == Epilogue::TwoOutputs)
    os << ", %E: " << view("f32");
  if (o.epilogue == Epilogue::Scale)
    os << ", %alpha: f32";
  os << ")\n    attributes {tile.target = \"" << o.arch << "\"";
  std::vector<std::string> schedule;
  if (o.dynamic || o.one)
    schedule.push_back(o.dynamic ? "persistent = dynamic"
                                 : "persistent = none");
  if (!o.roles.empty())
    schedule.push_back("roles = " + o.roles);
  if (o.slots)
    schedule.push_back("slots = {operands = " + std::to_string(o.slots) + "}");
  if (o.clusterM * o.clusterN * o.clusterK != 1)
    schedule.push_back(llvm::formatv(
        "cluster = [{0}{1}, {2}{3}]", o.batch ? "1, " : "", o.clusterM,
        o.clusterN, o.clusterK == 1 ? "" : ", " + std::to_string(o.clusterK)));
  if (o.planned)
    schedule.push_back("cluster = auto, fallback_cluster = [1, 1]");
  if (o.pairs)
    schedule.push_back("cta_group = 2");
  if (!schedule.empty())
    os << ", tile.schedule = #tile.schedule<" << llvm::join(schedule, ", ")
       << ">";
  os << "} {\n";
  os << "  %c0 = arith.constant 0 : index\n"
     << "  %ck = arith.constant " << o.tileK << " : index\n"
     << "  %zero = arith.constant dense<0.0> : " << sum << "\n"
     << "  %K = tile.dim %A, " << (o.batch ? 1 : 0) + (o.aTransposed ? 0 : 1)
     << " : " << view(o.a) << "\n"
     << "  tile.for_each (" << (o.batch ? "%z, " : "") << "%m, %n) tiles ["
     << (o.batch ? "1, " : "") << o.tileM << ", " << o.tileN
     << "] of %D : " << view(out) << " {\n";
  printLoop();
  std::string result = printEpilogue();
  if (o.epilogue == Epilogue::TwoOutputs)
    store("%sum", "E", "f32");
  store(result, "D", out);
  os << "  }\n}\n";
  return text;
}

std::string suite::printGemm(const GemmOptions &options) {
  return Printer(options).print();
}

/// Why the instruction has no such operands; empty if it has.
static std::string getRejection(const GemmOptions &o) {
  if (o.arch == "sm_90a" && (o.aTransposed || o.bTransposed) &&
      getBytes(o.a) != 2)
    return "wgmma does that for 16-bit types only, so lay it out along k";
  return "";
}

static int64_t countItems(const GemmOptions &o) {
  // Whole clusters.
  return std::max<int64_t>(o.batch, 1) *
         llvm::alignTo(llvm::divideCeil(o.m, o.tileM), o.clusterM) *
         llvm::alignTo(llvm::divideCeil(o.n, o.tileN), o.clusterN) * o.clusterK;
}

Case suite::makeGemmCase(const GemmOptions &o, uint64_t seed, unsigned number) {
  auto shape = [&](int64_t rows, int64_t columns, bool transposed = false) {
    std::vector<int64_t> extents;
    if (o.batch)
      extents.push_back(o.batch);
    extents.push_back(transposed ? columns : rows);
    extents.push_back(transposed ? rows : columns);
    return extents;
  };
  Case result;
  result.arch = o.arch;
  result.program = printGemm(o);
  result.shapes = {shape(o.m, o.k, o.aTransposed),
                   shape(o.n, o.k, o.bTransposed)};
  if (o.epilogue == Epilogue::Residual)
    result.shapes.push_back(shape(o.m, o.n));
  else if (o.epilogue == Epilogue::BiasByRow)
    result.shapes.push_back({o.m});
  else if (o.epilogue == Epilogue::BiasByColumn)
    result.shapes.push_back({o.n});
  result.shapes.push_back(shape(o.m, o.n));
  if (o.epilogue == Epilogue::TwoOutputs)
    result.shapes.push_back(shape(o.m, o.n));
  if (o.epilogue == Epilogue::Scale)
    result.shapes.push_back({});
  result.ctas = o.ctas;
  result.itemsPerCta = o.ctas ? llvm::divideCeil(countItems(o), o.ctas) : 1;
  result.seed = seed + number;
  result.rejection = getRejection(o);
  auto name = [](llvm::StringRef type) {
    return type == "f32"        ? llvm::StringRef("tf32")
           : type == "f8E4M3FN" ? llvm::StringRef("e4m3")
           : type == "f8E5M2"   ? llvm::StringRef("e5m2")
                                : type;
  };
  result.name = llvm::formatv(
      "{0}-{1,0+4}-{2}{3}-{4}{5}-{6}-{7}x{8}x{9}{10}-s{11}-c{12}{13}{14}{15}",
      o.arch, llvm::utostr(number), name(o.a),
      o.a == o.b ? std::string() : "_" + name(o.b).str(),
      o.aTransposed ? "km" : "mk", o.bTransposed ? "kn" : "nk",
      epilogueNames[static_cast<unsigned>(o.epilogue)], o.m, o.n, o.k,
      o.batch ? "x" + std::to_string(o.batch) : "", o.slots, o.ctas,
      o.dynamic ? "-dynamic"
      : o.one   ? "-one"
                : "",
      o.clusterM * o.clusterN * o.clusterK == 1
          ? std::string(o.planned ? "-planned" : "")
          : llvm::formatv("-cluster{0}x{1}{2}{3}", o.clusterM, o.clusterN,
                          o.clusterK == 1 ? ""
                                          : "x" + std::to_string(o.clusterK),
                          o.pairs ? "-pairs" : "")
                .str(),
      o.roles.empty() ? "" : "-" + o.roles);
  return result;
}

namespace {

struct TypePair {
  llvm::StringLiteral a, b;
};
constexpr TypePair types[] = {{"bf16", "bf16"},     {"f16", "f16"},
                              {"f32", "f32"},       {"f8E4M3FN", "f8E4M3FN"},
                              {"f8E5M2", "f8E5M2"}, {"f8E4M3FN", "f8E5M2"}};

} // namespace

static GemmOptions withTypes(llvm::StringRef arch, const TypePair &pair) {
  GemmOptions o;
  o.arch = arch.str();
  o.a = pair.a.str();
  o.b = pair.b.str();
  // A row of the tile is as wide as the widest swizzle.
  o.tileK = 128 / getBytes(o.a);
  return o;
}

GemmOptions suite::makeGemm(llvm::StringRef arch, unsigned type) {
  return withTypes(arch, types[type]);
}

/// Rows that TMA can copy are multiples of 16 bytes long, in every array.
static constexpr int64_t rowStep = 16;

static void cover(llvm::StringRef arch, std::vector<GemmOptions> &all) {
  for (unsigned type = 0; type != mainTypes; ++type)
    for (unsigned layout = 0; layout != 4; ++layout)
      for (bool ragged : {false, true}) {
        GemmOptions o = withTypes(arch, types[type]);
        o.aTransposed = layout & 1;
        o.bTransposed = layout & 2;
        o.m = ragged ? 208 : 256;
        o.n = ragged ? 80 : 128;
        o.k = ragged ? 2 * o.tileK + rowStep : 2 * o.tileK;
        all.push_back(o);
      }
  for (unsigned type = 0; type != mainTypes; ++type)
    for (unsigned epilogue = 0; epilogue != GemmOptions::epilogueCount;
         ++epilogue)
      for (bool ragged : {false, true}) {
        GemmOptions o = withTypes(arch, types[type]);
        o.epilogue = Epilogue(epilogue);
        o.m = ragged ? 144 : 128;
        o.n = ragged ? 176 : 192;
        o.k = ragged ? o.tileK + rowStep : o.tileK;
        all.push_back(o);
      }
  // The widest tile, which Hopper sums up in parts where it adds up in threads.
  for (unsigned type = 0; type != mainTypes; ++type) {
    GemmOptions o = withTypes(arch, types[type]);
    o.tileN = 256;
    o.m = 144;
    o.n = 272;
    o.k = 2 * o.tileK + rowStep;
    all.push_back(o);
  }
  for (unsigned slots = 1; slots <= 8; ++slots) {
    std::vector<unsigned> seen;
    for (unsigned trips :
         {0u, 1u, slots - 1, slots, slots + 1, 3 * slots + 1}) {
      if (llvm::is_contained(seen, trips))
        continue;
      seen.push_back(trips);
      GemmOptions o = withTypes(arch, types[slots % 2]);
      o.slots = slots;
      // Three work tiles, so that a tile ends half-way through the ring.
      o.m = 384;
      o.k = trips * o.tileK;
      all.push_back(o);
    }
  }
  for (unsigned type = 0; type != mainTypes; ++type)
    for (int64_t batch : {1, 3}) {
      GemmOptions o = withTypes(arch, types[type]);
      o.batch = batch;
      o.m = 160;
      o.epilogue = batch == 1 ? Epilogue::Residual : Epilogue::Cast;
      all.push_back(o);
    }
}

GemmOptions suite::drawGemm(llvm::StringRef arch, std::mt19937_64 &random) {
  // Not std::uniform_int_distribution, which differs between libraries.
  auto below = [&](uint64_t limit) { return random() % limit; };
  GemmOptions o = withTypes(arch, types[below(std::size(types))]);
  // Rejections are all in the other half.
  if (o.arch != "sm_90a" || getBytes(o.a) == 2) {
    o.aTransposed = below(2);
    o.bTransposed = below(2);
  }
  o.tileN = int64_t(32) << below(3);
  // Half as wide, with the swizzle that goes with it.
  if (!o.aTransposed && !o.bTransposed && below(4) == 0)
    o.tileK /= 2;
  o.epilogue = Epilogue(below(GemmOptions::epilogueCount));
  o.slots = below(9);
  // What is left for operands when the epilogue has its slots.
  int64_t slotBytes = (o.tileM + o.tileN) * o.tileK * getBytes(o.a);
  while (o.slots * slotBytes > 128 * 1024)
    --o.slots;
  if (below(4) == 0)
    o.batch = 1 + below(3);
  o.m = rowStep * (1 + below(20));
  o.n = rowStep * (1 + below(12));
  o.k = rowStep * below(4 * o.tileK / rowStep);
  o.ctas = 1 + below(3);
  return o;
}

/// The ways back from roles for each kind of work: over several items, and a
/// loop that may not run.
static void coverRoles(llvm::StringRef arch, std::vector<GemmOptions> &all) {
  for (llvm::StringRef roles : {"single", "none"})
    for (unsigned type = 0; type != mainTypes; ++type)
      for (unsigned trips : {0, 1, 3}) {
        GemmOptions o = withTypes(arch, types[type]);
        o.roles = roles.str();
        o.epilogue = trips == 3 ? Epilogue::Residual : Epilogue::Relu;
        o.bTransposed = trips == 1 && getBytes(o.a) == 2;
        o.m = 208;
        o.n = 176;
        o.k = trips * o.tileK - (trips == 3 ? rowStep : 0);
        all.push_back(o);
      }
}

static std::vector<GemmOptions> makeOptions(llvm::StringRef arch,
                                            uint64_t seed) {
  std::vector<GemmOptions> all;
  cover(arch, all);
  std::mt19937_64 random(seed);
  for (size_t i = 0, count = all.size(); i != count; ++i)
    all.push_back(drawGemm(arch, random));
  coverRoles(arch, all);
  return all;
}

static std::vector<Case> makeCases(llvm::ArrayRef<GemmOptions> all,
                                   uint64_t seed) {
  std::vector<Case> cases;
  for (const GemmOptions &options : all)
    cases.push_back(makeGemmCase(options, seed, cases.size()));
  return cases;
}

std::vector<Case> suite::makeGemmCases(llvm::StringRef arch, uint64_t seed) {
  return makeCases(makeOptions(arch, seed), seed);
}

std::vector<Case> suite::makeDynamicCases(llvm::StringRef arch, uint64_t seed) {
  std::vector<GemmOptions> all = makeOptions(arch, seed);
  for (auto [number, options] : llvm::enumerate(all)) {
    options.dynamic = true;
    unsigned items = countItems(options);
    const unsigned grids[] = {0, 1, 2, items + 2};
    options.ctas = grids[number % std::size(grids)];
  }
  return makeCases(all, seed);
}

std::vector<Case> suite::makeDefaultTiles(llvm::StringRef arch) {
  std::vector<Case> cases;
  for (unsigned type = 0; type != mainTypes; ++type)
    for (unsigned epilogue = 0; epilogue != GemmOptions::epilogueCount;
         ++epilogue) {
      GemmOptions o = withTypes(arch, types[type]);
      o.epilogue = Epilogue(epilogue);
      o.tileN = o.n = 256;
      cases.push_back(makeGemmCase(o, /*seed=*/0, cases.size()));
    }
  return cases;
}
