//===- DecodeTable.cpp - Who decodes which opcode ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/DecodeTable.h"

using namespace drawloom::emu;

const DecodeTable &DecodeTable::get() {
  static const DecodeTable table = [] {
    DecodeTable result;
#define EMU_FAMILY(name) register##name(result);
#include "Decode/Families.def"
    return result;
  }();
  return table;
}
