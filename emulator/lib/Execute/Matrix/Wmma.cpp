//===- Wmma.cpp - wmma.load, wmma.mma, wmma.store ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.14.4. PTX doesn't say which lane holds which elements;
// programs may only do the same to all of them. So the layout here is the
// simplest one: a fragment is the matrix as one run of bytes, the rows of A, C
// and D or the columns of B one after the other, cut into 32 equal parts. Where
// a fragment has room for more, as that of f16 has, the run is repeated. The
// layout in memory has no influence on it.
//
// Products are exact and their sum is rounded once; sums of doubles are rounded
// at each step. PTX leaves that open.

#include "Engine/Engine.h"
#include "Execute/Matrix/WarpMma.h"
#include "Execute/Matrix/WarpWide.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include <cmath>
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;
using ptx::Type;

namespace {

constexpr unsigned maxRun = 128; ///< K of single bits.
constexpr unsigned maxRuns = 32;

/// The registers of a matrix.
struct MatrixRegisters {
  llvm::ArrayRef<Reg> registers;
  uint8_t laneBytes = 4;

  unsigned bytes() const { return 32 * registers.size() * laneBytes; }
  /// Calls f(lane's part of a register, its place in the run).
  template <typename F>
  void forEachPart(Warp &warp, F f) const {
    for (unsigned lane = 0, at = 0; lane != 32; ++lane)
      for (Reg reg : registers) {
        f(warp.lanes<char>(reg) + lane * laneBytes, at);
        at += laneBytes;
      }
  }
};

/// A matrix as a run. Fragments are at most 8 registers of 4 bytes a lane.
struct MatrixBytes {
  static constexpr unsigned maxBytes = 32 * 8 * 4;
  alignas(16) char data[maxBytes];

  void read(Warp &warp, const MatrixRegisters &fragment) {
    fragment.forEachPart(warp, [&](const char *part, unsigned at) {
      memcpy(data + at, part, fragment.laneBytes);
    });
  }
  void write(Warp &warp, const MatrixRegisters &fragment,
             unsigned bytes) const {
    fragment.forEachPart(warp, [&](char *part, unsigned at) {
      memcpy(part, data + at % bytes, fragment.laneBytes);
    });
  }
};

struct TransferInfo {
  EngineAddress address;
  Reg stride = 0;
  MatrixRegisters fragment;
  uint8_t bits = 0; ///< Of an element.
  uint8_t runs = 0, length = 0;
  bool along = false; ///< Lines in memory are runs.

  unsigned lines() const { return along ? runs : length; }
  unsigned lineLength() const { return along ? length : runs; }
};

struct MmaInfo {
  MatrixRegisters d, a, b, c;
  ReadPiece read = nullptr;
  uint16_t perPiece = 0;
  uint8_t m = 0, n = 0, k = 0;
  Type sum = Type::F32, addend = Type::F32;
  bool saturates = false;
  bool isXor = false; ///< Of single bits: exclusive or.
};

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Load and store
//===----------------------------------------------------------------------===//

/// Brings the warp together and finds the lines of the matrix in memory. False
/// if the handler is to return `next`.
static bool findLines(Warp &warp, const Inst *inst, uint32_t mask,
                      const TransferInfo &info, AccessKind kind, char **lines,
                      const Inst *&next) {
  uint32_t stride;
  if (!wholeWarp(warp, inst, mask, next) ||
      !uniformValue(warp, inst, info.stride, 0, "the stride", stride, next))
    return false;
  const Inst *after = next;
  next = Inst::leave();
  const uint64_t address = info.address.of(warp, 0);
  for (unsigned lane = 1; lane != 32; ++lane)
    if (info.address.of(warp, lane) != address) {
      EngineCheck(warp, inst, lane)
          .fail(ReportKind::IllegalInstruction,
                "the address must be the same in all lanes of the warp");
      return false;
    }
  EngineCheck check(warp, inst, 0);
  if (stride < info.lineLength()) {
    check.fail(ReportKind::IllegalInstruction,
               "the stride is " + Twine(stride) + " elements; a line has " +
                   Twine(info.lineLength()));
    return false;
  }
  // PTX wants each line at a multiple of the fragment's size. CUDA's own rule
  // for the stride is a multiple of 16 bytes, and programs have such ones.
  const uint64_t size = info.fragment.bytes() / 32;
  const uint64_t lineBytes = info.lineLength() * info.bits / 8;
  Cluster &cluster = warp.cta().cluster();
  RangeList ranges;
  for (unsigned line = 0; line != info.lines(); ++line) {
    uint64_t at = address + uint64_t(line) * stride * info.bits / 8;
    if (!check.range(line ? "line of the matrix" : "matrix", at, lineBytes,
                     line ? std::min<uint64_t>(size, 16) : size,
                     isShared(at) ? StateSpace::SharedCta : StateSpace::Global,
                     kind))
      return false;
    lines[line] = translate(cluster, at, lineBytes);
    ranges.add(at, lineBytes);
  }
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, allLanes),
         AccessEvent{.kind = kind, .ranges = ranges.get()});
  next = after;
  return true;
}

/// Calls move(place in memory, byte of the image, bytes) for all of a matrix.
template <typename F>
static void forEachPiece(const TransferInfo &info, char *const *lines, F move) {
  unsigned runBytes = info.length * info.bits / 8;
  for (unsigned run = 0; run != info.runs; ++run) {
    if (info.along) {
      move(lines[run], run * runBytes, runBytes);
      continue;
    }
    unsigned bytes = info.bits / 8; // There is no other layout below 8 bits.
    for (unsigned i = 0; i != info.length; ++i)
      move(lines[i] + run * bytes, run * runBytes + i * bytes, bytes);
  }
}

static const Inst *load(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<TransferInfo>();
  char *lines[maxRun];
  const Inst *next;
  if (!findLines(warp, inst, mask, info, AccessKind::Read, lines, next))
    return next;
  MatrixBytes image;
  forEachPiece(info, lines,
               [&](const char *memory, unsigned at, unsigned bytes) {
                 memcpy(image.data + at, memory, bytes);
               });
  image.write(warp, info.fragment, info.runs * info.length * info.bits / 8);
  return next;
}

static const Inst *store(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<TransferInfo>();
  char *lines[maxRun];
  const Inst *next;
  if (!findLines(warp, inst, mask, info, AccessKind::Write, lines, next))
    return next;
  MatrixBytes image;
  image.read(warp, info.fragment);
  forEachPiece(info, lines, [&](char *memory, unsigned at, unsigned bytes) {
    memcpy(memory, image.data + at, bytes);
  });
  return next;
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

/// The runs of A or B, as doubles.
static void readRuns(Warp &warp, const MmaInfo &info,
                     const MatrixRegisters &fragment, unsigned runs,
                     double (*out)[maxRun]) {
  MatrixBytes image;
  image.read(warp, fragment);
  const unsigned pieces = info.k / info.perPiece;
  const unsigned pieceBytes = info.sum == Type::F64 ? 32 : 16;
  for (unsigned row = 0; row != runs; ++row)
    for (unsigned piece = 0; piece != pieces; ++piece)
      info.read(image.data + (row * pieces + piece) * pieceBytes,
                &out[row][piece * info.perPiece]);
}

static double multiply(const MmaInfo &info, const double *a, const double *b,
                       double c) {
  double sum = 0;
  if (info.sum == Type::F64) {
    for (unsigned i = 0; i != info.k; ++i)
      c = std::fma(a[i], b[i], c);
    return c;
  }
  if (info.isXor)
    for (unsigned i = 0; i != info.k; ++i)
      sum += a[i] != b[i];
  else
    for (unsigned i = 0; i != info.k; ++i)
      sum += a[i] * b[i];
  return sum + c;
}

static const Inst *mma(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next))
    return next;
  const auto &info = inst->as<MmaInfo>();
  double a[maxRuns][maxRun], b[maxRuns][maxRun];
  readRuns(warp, info, info.a, info.m, a);
  readRuns(warp, info, info.b, info.n, b);
  MatrixBytes c, d;
  c.read(warp, info.c);
  const unsigned addendBytes = ptx::bitsOf(info.addend) / 8;
  const unsigned sumBytes = ptx::bitsOf(info.sum) / 8;
  for (unsigned row = 0; row != info.m; ++row)
    for (unsigned column = 0; column != info.n; ++column) {
      unsigned index = row * info.n + column;
      double addend = readSum(info.addend, c.data + index * addendBytes);
      writeSum(info.sum, info.saturates, d.data + index * sumBytes,
               multiply(info, a[row], b[column], addend));
    }
  d.write(warp, info.d, info.m * info.n * sumBytes);
  return next;
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

static Shape shapeOf(const Decoder &decoder) {
  llvm::StringRef text = ptx::spelling(decoder.get(Slot::Shape));
  Shape shape;
  text.consume_front("m");
  text.consumeInteger(10, shape.m);
  text.consume_front("n");
  text.consumeInteger(10, shape.n);
  text.consume_front("k");
  text.consumeInteger(10, shape.k);
  return shape;
}

static MatrixRegisters fragmentOf(Decoder &decoder,
                                  llvm::ArrayRef<Reg> registers, Type type) {
  return {decoder.keepList<Reg>(registers), uint8_t(type == Type::F64 ? 8 : 4)};
}

static MatrixRegisters sourceOf(Decoder &decoder, unsigned operand, Type type) {
  Type reg = type == Type::F64 ? Type::F64 : Type::B32;
  return fragmentOf(decoder, decoder.sources(operand, reg), type);
}

/// Registers of elements below 8 bits have 32.
static unsigned elementBits(Type type) {
  switch (type) {
  case Type::S4:
  case Type::U4:
    return 4;
  case Type::B1:
    return 1;
  default:
    return ptx::bitsOf(type);
  }
}

/// r, [p] or [p], r, and then a stride, if there is one.
static bool decodeTransfer(Decoder &decoder, Inst &inst) {
  const Shape shape = shapeOf(decoder);
  const Opcode opcode = decoder.opcode();
  const bool stores = opcode == Opcode::WmmaStoreD;
  const bool isB = opcode == Opcode::WmmaLoadB;
  const bool isSum = stores || opcode == Opcode::WmmaLoadC;
  TransferInfo info;
  info.bits = elementBits(decoder.type());
  info.runs = isB ? shape.n : shape.m;
  info.length = isSum ? shape.n : shape.k;
  info.along =
      decoder.get(Slot::Layout) == (isB ? Modifier::Col : Modifier::Row);
  info.fragment = stores
                      ? sourceOf(decoder, 1, decoder.type())
                      : fragmentOf(decoder, decoder.dests(0), decoder.type());
  info.address = decodeEngineAddress(decoder, decoder.operand(stores ? 0 : 1),
                                     ptx::spaceOf(decoder.get(Slot::Space)));
  info.stride = decoder.operandCount() > 2
                    ? decoder.source(2, Type::U32)
                    : decoder.constant(info.lineLength(), 4);
  inst.fn = stores ? store : load;
  inst.extra = decoder.keep(info);
  return true;
}

/// d, a, b, c
static bool decodeMma(Decoder &decoder, Inst &inst) {
  MmaInfo info;
  const Shape shape = shapeOf(decoder);
  info.m = shape.m;
  info.n = shape.n;
  info.k = shape.k;
  const Type type = decoder.get(Slot::AType) == Modifier::None
                        ? Type::F16
                        : decoder.type(Slot::AType);
  const Modifier rounding = decoder.get(Slot::Rnd);
  if (!findReader(type, info.read, info.perPiece) ||
      (rounding != Modifier::None && rounding != Modifier::Rn))
    return false;
  info.sum = decoder.type(Slot::DType);
  info.addend = decoder.type(Slot::CType);
  info.saturates = decoder.has(Modifier::Satfinite);
  info.isXor = decoder.get(Slot::Op) == Modifier::Xor;
  info.d = fragmentOf(decoder, decoder.dests(0), info.sum);
  info.a = sourceOf(decoder, 1, type);
  info.b = sourceOf(decoder, 2, type);
  info.c = sourceOf(decoder, 3, info.addend);
  inst.fn = mma;
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerWmma(DecodeTable &table) {
  for (Opcode opcode : {Opcode::WmmaLoadA, Opcode::WmmaLoadB, Opcode::WmmaLoadC,
                        Opcode::WmmaStoreD})
    table.add(opcode, decodeTransfer);
  table.add(Opcode::WmmaMma, decodeMma);
}
