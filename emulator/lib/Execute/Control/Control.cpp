//===- Control.cpp - Branches, returns and exits -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.12.

#include "Decode/Decoder.h"
#include "Machine/Warp.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;

static const Inst *bra(Warp &warp, const Inst *inst, uint32_t mask) {
  return warp.branch(inst, mask, inst + inst->imm);
}

static bool decodeBra(Decoder &decoder, Inst &inst) {
  inst.fn = bra;
  inst.imm = decoder.distanceTo(decoder.operand(0).index());
  return true;
}

static const Inst *ret(Warp &warp, const Inst *inst, uint32_t mask) {
  return warp.ret(inst, mask);
}

static bool decodeRet(Decoder &, Inst &inst) {
  inst.fn = ret;
  return true;
}

static const Inst *exitLanes(Warp &warp, const Inst *inst, uint32_t mask) {
  return warp.exit(inst, mask);
}

static bool decodeExit(Decoder &, Inst &inst) {
  inst.fn = exitLanes;
  return true;
}

void drawloom::emu::registerControl(DecodeTable &table) {
  table.add(Opcode::Bra, decodeBra);
  table.add(Opcode::Ret, decodeRet);
  table.add(Opcode::Exit, decodeExit);
}
