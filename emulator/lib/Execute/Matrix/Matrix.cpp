//===- Matrix.cpp - ldmatrix, stmatrix and movmatrix ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.14.5.15 to 9.7.14.5.17. Rows of 16 bytes, one for each
// lane's address; a register of all lanes takes eight of them.
//
// Of an 8x8 matrix of 16-bit elements, lane t holds row t / 4 at columns
// 2 (t % 4) and the next; with .trans, row and column change places. Of
// matrices of 8-bit elements it holds
//
//   m8n16    row t / 4, four columns from 4 (t % 4) on
//   m16n16   the same, and row t / 4 + 8 in a second register
//   m16n8    rows t / 4 and t / 4 + 8, two columns from 2 (t % 4) on
//
// the last two transposed.
//
// The order within a register of the last two is in figures of the ISA. It is
// as CUTLASS describes these instructions (SM100_U8x8_LDSM_T,
// SM100_U8x4_STSM_T), and so is the place of 4 bits in a byte: the lowest.

#include "Decode/Decoder.h"
#include "Execute/Matrix/WarpMma.h"
#include "Execute/Matrix/WarpWide.h"
#include "Machine/Lanes.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
/// Which byte of which row a lane holds in a byte of a register.
using PlaceFn = std::pair<unsigned, unsigned>(unsigned lane, unsigned reg,
                                              unsigned byte);

struct MatrixInfo {
  AccessInfo access;
  llvm::ArrayRef<Reg> registers;
  bool transposed = false;
  // Of 8-bit elements:
  PlaceFn *place = nullptr;
  uint8_t registersPerMatrix = 1;
  uint8_t sourceBits = 8; ///< Of packed elements, at the start of a row.

  /// Those that have the addresses of rows.
  uint32_t lanes() const {
    return registers.size() == 4 ? allLanes : (1u << 8 * registers.size()) - 1;
  }
};
constexpr unsigned rowBytes = 16;

struct ByteShape {
  Modifier shape;
  uint8_t registersPerMatrix;
  PlaceFn *place;
};
} // namespace

static constexpr ByteShape byteShapes[] = {
    {Modifier::M8N16, 1,
     [](unsigned lane, unsigned, unsigned byte) {
       return std::pair(lane / 4, 4 * (lane % 4) + byte);
     }},
    {Modifier::M16N16, 2,
     [](unsigned lane, unsigned reg, unsigned byte) {
       return std::pair(4 * (lane % 4) + byte, lane / 4 + 8 * reg);
     }},
    {Modifier::M16N8, 1,
     [](unsigned lane, unsigned, unsigned byte) {
       return std::pair(2 * (lane % 4) + byte % 2, lane / 4 + 8 * (byte / 2));
     }},
};

/// Brings the whole warp together and resolves the rows' addresses. False if
/// the handler is to return `next`.
static bool prepare(Warp &warp, const Inst *inst, uint32_t mask,
                    const MatrixInfo &info, char **rows, const Inst *&next) {
  if (!wholeWarp(warp, inst, mask, next))
    return false;
  if (resolve(warp, inst, info.lanes(), info.access, rows))
    return true;
  next = Inst::leave();
  return false;
}

/// The place of lane's element `half` in an 8x8 matrix: row and byte.
static std::pair<unsigned, unsigned> element(unsigned lane, unsigned half,
                                             bool transposed) {
  unsigned row = lane / 4, column = 2 * (lane % 4) + half;
  return transposed ? std::pair(column, 2 * row) : std::pair(row, 2 * column);
}

static const Inst *ldmatrix(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MatrixInfo>();
  char *rows[32];
  const Inst *next;
  if (!prepare(warp, inst, mask, info, rows, next))
    return next;
  for (size_t matrix = 0; matrix != info.registers.size(); ++matrix) {
    char *const *row = rows + 8 * matrix;
    char *out = warp.lanes<char>(info.registers[matrix]);
    for (unsigned lane = 0; lane != 32; ++lane) {
      if (!info.transposed) {
        memcpy(out + 4 * lane, row[lane / 4] + 4 * (lane % 4), 4);
        continue;
      }
      for (unsigned half = 0; half != 2; ++half) {
        auto [from, byte] = element(lane, half, true);
        memcpy(out + 4 * lane + 2 * half, row[from] + byte, 2);
      }
    }
  }
  return next;
}

static const Inst *stmatrix(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MatrixInfo>();
  char *rows[32];
  const Inst *next;
  if (!prepare(warp, inst, mask, info, rows, next))
    return next;
  StoreReport report(warp, inst, info.lanes(), info.access, rows);
  for (size_t matrix = 0; matrix != info.registers.size(); ++matrix) {
    char *const *row = rows + 8 * matrix;
    const char *in = warp.lanes<char>(info.registers[matrix]);
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned half = 0; half != 2; ++half) {
        auto [to, byte] = element(lane, half, info.transposed);
        memcpy(row[to] + byte, in + 4 * lane + 2 * half, 2);
      }
  }
  return next;
}

/// Element `index` of a row of packed ones.
static uint8_t elementOf(const char *row, unsigned index, unsigned bits) {
  unsigned first = index * bits;
  uint8_t pair[2] = {uint8_t(row[first / 8]), uint8_t(row[(first + 7) / 8])};
  return (pair[0] | pair[1] << 8) >> first % 8 & ((1u << bits) - 1);
}

static const Inst *ldmatrixBytes(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MatrixInfo>();
  char *rows[32];
  const Inst *next;
  if (!prepare(warp, inst, mask, info, rows, next))
    return next;
  for (auto [index, reg] : llvm::enumerate(info.registers)) {
    unsigned number = index % info.registersPerMatrix;
    char *const *matrix = rows + 8 * (index - number);
    auto *out = warp.lanes<uint8_t>(reg);
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned byte = 0; byte != 4; ++byte) {
        auto [row, column] = info.place(lane, number, byte);
        out[4 * lane + byte] = elementOf(matrix[row], column, info.sourceBits);
      }
  }
  return next;
}

static const Inst *stmatrixBytes(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MatrixInfo>();
  char *rows[32];
  const Inst *next;
  if (!prepare(warp, inst, mask, info, rows, next))
    return next;
  StoreReport report(warp, inst, info.lanes(), info.access, rows);
  for (auto [index, reg] : llvm::enumerate(info.registers)) {
    const char *in = warp.lanes<char>(reg);
    for (unsigned lane = 0; lane != 32; ++lane)
      for (unsigned byte = 0; byte != 4; ++byte) {
        auto [row, column] = info.place(lane, 0, byte);
        rows[8 * index + row][column] = in[4 * lane + byte];
      }
  }
  return next;
}

static bool decodeMatrix(Decoder &decoder, Inst &inst) {
  bool isLoad = decoder.opcode() == Opcode::Ldmatrix;
  inst.fn = isLoad ? ldmatrix : stmatrix;
  MatrixInfo info;
  for (const ByteShape &shape : byteShapes)
    if (shape.shape == decoder.get(Slot::Shape)) {
      inst.fn = isLoad ? ldmatrixBytes : stmatrixBytes;
      info.place = shape.place;
      info.registersPerMatrix = shape.registersPerMatrix;
    }
  if (decoder.get(Slot::SType) != Modifier::None)
    info.sourceBits = decoder.type(Slot::SType) == Type::B6x16p32 ? 6 : 4;
  info.registers = decoder.keepList<Reg>(
      isLoad ? decoder.dests(0) : decoder.sources(1, Type::B32));
  info.access = decodeAccess(decoder, isLoad ? 1 : 0, rowBytes,
                             isLoad ? AccessKind::Read : AccessKind::Write);
  info.access.reportedLater = !isLoad;
  info.transposed = decoder.has(Modifier::Trans);
  inst.extra = decoder.keep(info);
  return true;
}

static const Inst *movmatrix(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next;
  if (!wholeWarp(warp, inst, mask, next))
    return next;
  char matrix[8][rowBytes];
  memcpy(matrix, warp.lanes<char>(inst->slot[1]), sizeof(matrix));
  char *out = warp.lanes<char>(inst->slot[0]);
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned half = 0; half != 2; ++half) {
      auto [from, byte] = element(lane, half, true);
      memcpy(out + 4 * lane + 2 * half, &matrix[from][byte], 2);
    }
  return next;
}

static bool decodeMovmatrix(Decoder &decoder, Inst &inst) {
  inst.fn = movmatrix;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, Type::B32);
  return true;
}

void drawloom::emu::registerMatrix(DecodeTable &table) {
  table.add(Opcode::Ldmatrix, decodeMatrix);
  table.add(Opcode::Stmatrix, decodeMatrix);
  table.add(Opcode::Movmatrix, decodeMovmatrix);
  table.add(Opcode::Mma, decodeWarpMma);
  table.add(Opcode::MmaSp, decodeWarpMma);
  table.add(Opcode::MmaSpOrdered, decodeWarpMma);
}
