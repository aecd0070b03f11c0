//===- Matrix.cpp - ldmatrix, stmatrix and movmatrix ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.14.5.15 to 9.7.14.5.17, for 8x8 matrices of 16-bit
// elements. Lane i gives the address of row i % 8 of matrix i / 8. Lane t holds
// the elements of row t / 4 at columns 2 (t % 4) and the next; with .trans, row
// and column change places.

#include "Decode/Decoder.h"
#include "Execute/Lanes.h"
#include "Execute/WarpMma.h"
#include "Execute/WarpWide.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct MatrixInfo {
  AccessInfo access;
  llvm::ArrayRef<Reg> registers;
  bool transposed = false;
};
constexpr unsigned rowBytes = 16;
} // namespace

/// Brings the whole warp together and resolves the rows' addresses. False if
/// the handler is to return `next`.
static bool prepare(Warp &warp, const Inst *inst, uint32_t mask,
                    const MatrixInfo &info, char **rows, const Inst *&next) {
  if (!wholeWarp(warp, inst, mask, next))
    return false;
  uint32_t used = info.registers.size() == 4
                      ? allLanes
                      : (1u << 8 * info.registers.size()) - 1;
  if (resolve(warp, inst, used, info.access, rows))
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

static bool decodeMatrix(Decoder &decoder, Inst &inst) {
  bool isLoad = decoder.opcode() == Opcode::Ldmatrix;
  if (decoder.get(Slot::Shape) != Modifier::M8N8)
    return false;
  inst.fn = isLoad ? ldmatrix : stmatrix;
  MatrixInfo info;
  info.registers = decoder.keepList<Reg>(
      isLoad ? decoder.dests(0) : decoder.sources(1, Type::B32));
  info.access = decodeAccess(decoder, isLoad ? 1 : 0, rowBytes,
                             isLoad ? AccessKind::Read : AccessKind::Write);
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
}
