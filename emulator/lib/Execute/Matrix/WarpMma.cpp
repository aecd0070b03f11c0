//===- WarpMma.cpp - mma.sync --------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.14.5. All shapes but one have the same layout. Lanes 4g
// to 4g + 3 together hold 16 bytes of a row of A or of a column of B in each
// register, in order (f64: 4 elements). The registers of A go through rows g
// and g + 8 first and then along K, those of B along K. C and D have elements
// 2t and 2t + 1 of row g in lane 4g + t, then those of row g + 8.
//
// A sparse A is stored as a dense one with half the K, and B has all of K.
// Elements of 6 bits, and of 4 if the kind allows others beside them, are in
// bytes of their own.
//
// Products are exact and their sum is rounded once, which PTX leaves open.

#include "Execute/Matrix/WarpMma.h"
#include "Arithmetic/ElementFormat.h"
#include "Execute/Matrix/QuadMetadata.h"
#include "Execute/Matrix/QuadScales.h"
#include "Execute/Matrix/WarpWide.h"
#include "Machine/Lanes.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>
#include <cmath>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

/// Of a type with so many elements in 16 bytes.
static unsigned elementBits(unsigned perPiece) { return 128 / perPiece; }

namespace {
constexpr unsigned maxM = 16, n = 8, maxK = 256;

struct MmaInfo {
  llvm::ArrayRef<Reg> d, a, b, c;
  /// Of the elements in one register of four neighboring lanes.
  ReadPiece readA = nullptr, readB = nullptr;
  uint16_t perPiece = 0; ///< Elements of A or B in a register of four lanes.
  uint8_t laneBytes = 4;
  uint8_t m = 16;
  Type sum = Type::F32;
  Type addend = Type::F32;
  bool saturates = false;
  bool isAnd = false; ///< Of single bits: and, not exclusive or.
  Sparsity sparsity;  ///< Of A, and where its metadata is.
  uint8_t selector = 0;
  Reg metadata = 0;
  QuadScales scales;
};

using RowsOfA = double[maxM][maxK];

/// A and B, K-major.
struct Operands {
  RowsOfA a;
  double b[n][maxK];
};
} // namespace

template <ElementFormat format>
static void readFloats(const char *piece, double *out) {
  const ElementInfo &info = infoOf(format);
  char converted[16 * sizeof(float)];
  info.convert(piece, converted);
  for (unsigned i = 0; i != info.perPiece; ++i) {
    uint32_t word = 0;
    if (info.compute == Compute::F32) {
      memcpy(&word, converted + 4 * i, 4);
    } else {
      uint16_t half;
      memcpy(&half, converted + 2 * i, 2);
      word = uint32_t(half) << 16;
    }
    out[i] = std::bit_cast<float>(word);
  }
}

static void readDoubles(const char *piece, double *out) {
  memcpy(out, piece, 4 * sizeof(double));
}

template <bool isSigned>
static void readNibbles(const char *piece, double *out) {
  for (unsigned i = 0; i != 32; ++i) {
    int value = uint8_t(piece[i / 2]) >> i % 2 * 4 & 15;
    out[i] = isSigned && value > 7 ? value - 16 : value;
  }
}

static void readBits(const char *piece, double *out) {
  for (unsigned i = 0; i != 128; ++i)
    out[i] = uint8_t(piece[i / 8]) >> i % 8 & 1;
}

double drawloom::emu::readSum(Type type, const char *at) {
  double wide;
  float single;
  int32_t integer;
  _Float16 small;
  switch (type) {
  case Type::F64:
    memcpy(&wide, at, 8);
    return wide;
  case Type::F16:
    memcpy(&small, at, 2);
    return static_cast<float>(small);
  case Type::S32:
    memcpy(&integer, at, 4);
    return integer;
  default:
    memcpy(&single, at, 4);
    return single;
  }
}

void drawloom::emu::writeSum(Type type, bool saturates, char *at,
                             double value) {
  switch (type) {
  case Type::F64:
    memcpy(at, &value, 8);
    return;
  case Type::F16: {
    auto small = static_cast<_Float16>(static_cast<float>(value));
    memcpy(at, &small, 2);
    return;
  }
  case Type::S32: {
    if (saturates)
      value = std::clamp(value, -0x1p31, 0x1p31 - 1);
    // Sums of a few bytes' products and an integer: exact, below 2^33.
    auto integer = static_cast<uint32_t>(static_cast<int64_t>(value));
    memcpy(at, &integer, 4);
    return;
  }
  default: {
    auto single = static_cast<float>(value);
    memcpy(at, &single, 4);
    return;
  }
  }
}

/// Where a lane's element of C or D is in a register.
static char *sumAt(Warp &warp, Type type, Reg reg, unsigned lane,
                   unsigned half) {
  return warp.lanes<char>(reg) + (type == Type::F64 ? 8 : 4) * lane + 2 * half;
}

/// Calls `f(register, half, row, column)` for what a lane has of C or D.
template <typename F>
static void forEachSum(Type type, unsigned m, unsigned lane, F f) {
  unsigned perRegister = type == Type::F16 ? 2 : 1;
  for (unsigned i = 0; i != m / 4; ++i)
    f(i / perRegister, i % perRegister, lane / 4 + 8 * (i / 2),
      2 * (lane % 4) + i % 2);
}

/// Multiplies `rows` rows of `k` elements with their factors.
static void applyFactors(const float (*factors)[4], unsigned perRow,
                         unsigned rows, unsigned k, double (*elements)[maxK]) {
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned i = 0; i != k; ++i)
      elements[row][i] *= factors[row][i * perRow / k];
}

static const Inst *mma(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next))
    return next;
  const auto &info = inst->as<MmaInfo>();
  QuadFactors factors;
  if (info.scales.perRow &&
      !readQuadScales(warp, inst, info.scales, factors, next))
    return next;
  unsigned pieceBytes = 4 * info.laneBytes, halves = info.m / 8;
  Operands operands;
  RowsOfA stored;
  RowsOfA &rowsOfA = info.sparsity ? stored : operands.a;
  for (auto [r, reg] : llvm::enumerate(info.a))
    for (unsigned g = 0; g != 8; ++g)
      info.readA(warp.lanes<char>(reg) + g * pieceBytes,
                 &rowsOfA[g + 8 * (r % halves)][r / halves * info.perPiece]);
  for (auto [r, reg] : llvm::enumerate(info.b))
    for (unsigned g = 0; g != 8; ++g)
      info.readB(warp.lanes<char>(reg) + g * pieceBytes,
                 &operands.b[g][r * info.perPiece]);
  unsigned k = info.b.size() * info.perPiece;
  if (info.sparsity) {
    RowMetadata metadata[quadMetadataRows];
    readQuadMetadata(warp, info.metadata, info.selector, k,
                     elementBits(info.perPiece), metadata);
    auto panelOf = [](RowsOfA &rows) {
      return Panel{reinterpret_cast<char *>(rows), sizeof(rows[0])};
    };
    std::string problem =
        expand(info.sparsity, metadata, k, sizeof(double),
               /*transposed=*/false, panelOf(stored), panelOf(operands.a));
    if (!problem.empty())
      return warp.fail(inst, allLanes, ReportKind::Protocol, problem);
  }
  if (info.scales.perRow) {
    applyFactors(factors.a, info.scales.perRow, maxM, k, operands.a);
    applyFactors(factors.b, info.scales.perRow, n, k, operands.b);
  }
  double sums[maxM][n];
  for (unsigned row = 0; row != info.m; ++row)
    for (unsigned column = 0; column != n; ++column) {
      double sum = 0;
      const double *a = operands.a[row], *b = operands.b[column];
      if (info.perPiece == 128 && !info.isAnd)
        for (unsigned i = 0; i != k; ++i)
          sum += a[i] != b[i];
      else
        for (unsigned i = 0; i != k; ++i)
          sum += a[i] * b[i];
      sums[row][column] = sum;
    }
  for (unsigned lane = 0; lane != 32; ++lane)
    forEachSum(info.addend, info.m, lane,
               [&](unsigned reg, unsigned half, unsigned row, unsigned column) {
                 sums[row][column] +=
                     readSum(info.addend,
                             sumAt(warp, info.addend, info.c[reg], lane, half));
               });
  for (unsigned lane = 0; lane != 32; ++lane)
    forEachSum(info.sum, info.m, lane,
               [&](unsigned reg, unsigned half, unsigned row, unsigned column) {
                 writeSum(info.sum, info.saturates,
                          sumAt(warp, info.sum, info.d[reg], lane, half),
                          sums[row][column]);
               });
  return next;
}

bool drawloom::emu::findReader(Type type, ReadPiece &read, uint16_t &perPiece) {
  static const struct {
    Type type;
    ReadPiece read;
    uint16_t perPiece;
  } readers[] = {
      {Type::F16, readFloats<ElementFormat::F16>, 8},
      {Type::BF16, readFloats<ElementFormat::WideBF16>, 8},
      {Type::TF32, readFloats<ElementFormat::TF32>, 4},
      {Type::E4M3, readFloats<ElementFormat::E4M3>, 16},
      {Type::E5M2, readFloats<ElementFormat::E5M2>, 16},
      {Type::E3M2, readFloats<ElementFormat::E3M2>, 16},
      {Type::E2M3, readFloats<ElementFormat::E2M3>, 16},
      {Type::E2M1, readFloats<ElementFormat::E2M1>, 16},
      {Type::S8, readFloats<ElementFormat::S8>, 16},
      {Type::U8, readFloats<ElementFormat::U8>, 16},
      {Type::S4, readNibbles<true>, 32},
      {Type::U4, readNibbles<false>, 32},
      {Type::B1, readBits, 128},
      {Type::F64, readDoubles, 4},
  };
  for (const auto &reader : readers)
    if (reader.type == type) {
      read = reader.read;
      perPiece = reader.perPiece;
      return true;
    }
  return false;
}

/// Finds the metadata of a sparse A: operands 4 and 5.
static std::string decodeSparsity(Decoder &decoder, MmaInfo &info) {
  MetadataOrder order = decoder.opcode() == Opcode::MmaSp
                            ? MetadataOrder::Any
                            : MetadataOrder::Rising;
  unsigned bits = elementBits(info.perPiece);
  info.sparsity = Sparsity::of(bits, order);
  info.metadata = decoder.source(4, Type::B32);
  int64_t selector = decoder.operand(5).integer();
  unsigned lanes = quadMetadataLanes(info.b.size() * info.perPiece, bits);
  if (selector * lanes >= 4)
    return llvm::formatv("the sparsity selector is {0}; {1} of four lanes have "
                         "the metadata of this shape, so it must be below {2}",
                         selector, lanes, 4 / lanes);
  info.selector = selector;
  return "";
}

/// {d}, {a}, {b}, {c} {, metadata, selector} {, scales of A and B}
bool drawloom::emu::decodeWarpMma(Decoder &decoder, Inst &inst) {
  MmaInfo info;
  llvm::StringRef shape = ptx::spelling(decoder.get(Slot::Shape));
  // f16 with m8n8k4 is four products of quad pairs, each with its own layout.
  if (shape == "m8n8k4" && decoder.type(Slot::AType) != Type::F64)
    return false;
  if (!findReader(decoder.type(Slot::AType), info.readA, info.perPiece) ||
      !findReader(decoder.type(Slot::BType), info.readB, info.perPiece))
    return false;
  Modifier kind = decoder.get(Slot::Kind);
  if (kind == Modifier::KindMXF4 || kind == Modifier::KindMXF4NVF4) {
    info.readA = info.readB = readFloats<ElementFormat::DenseE2M1>;
    info.perPiece = infoOf(ElementFormat::DenseE2M1).perPiece;
  }
  info.m = shape.starts_with("m8") ? 8 : 16;
  info.sum = decoder.type(Slot::DType);
  info.addend = decoder.type(Slot::CType);
  info.laneBytes = info.sum == Type::F64 ? 8 : 4;
  info.saturates = decoder.has(Modifier::Satfinite);
  info.isAnd = decoder.get(Slot::Op) == Modifier::And;
  Type element = info.laneBytes == 8 ? Type::F64 : Type::B32;
  info.d = decoder.keepList<Reg>(decoder.dests(0));
  info.a = decoder.keepList<Reg>(decoder.sources(1, element));
  info.b = decoder.keepList<Reg>(decoder.sources(2, element));
  info.c = decoder.keepList<Reg>(decoder.sources(3, element));
  inst.fn = mma;
  bool isSparse = decoder.opcode() != Opcode::Mma;
  info.scales = decodeQuadScales(decoder, isSparse ? 6 : 4);
  if (isSparse) {
    std::string problem = decodeSparsity(decoder, info);
    if (!problem.empty()) {
      decoder.reject(inst, ReportKind::IllegalInstruction, problem);
      return true;
    }
  }
  inst.extra = decoder.keep(info);
  return true;
}
