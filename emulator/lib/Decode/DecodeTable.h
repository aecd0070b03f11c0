//===- DecodeTable.h - Who decodes which opcode -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions come in families, a file for each in lib/Execute. A family has
// one function, listed in Families.def, that adds its decoders to the table.
// Families don't know each other; two may serve one opcode (`add` of integers
// and of floats), and a decoder answers false for a form that isn't its own.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_DECODETABLE_H
#define DRAWLOOM_EMULATOR_DECODETABLE_H

#include "drawloom/PTX/InstructionTable.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace drawloom::emu {

class Decoder;
struct Inst;

/// Fills in `inst` (all but the guard) from the instruction that the decoder
/// stands at, and answers true; or answers false and leaves it alone.
using DecodeFn = bool (*)(Decoder &decoder, Inst &inst);

class DecodeTable {
public:
  /// The table of all families. Immutable once built.
  static const DecodeTable &get();

  void add(ptx::Opcode opcode, DecodeFn decode) {
    auto index = static_cast<unsigned>(opcode);
    if (decoders.size() <= index)
      decoders.resize(index + 1);
    decoders[index].push_back(decode);
  }
  llvm::ArrayRef<DecodeFn> of(ptx::Opcode opcode) const {
    auto index = static_cast<unsigned>(opcode);
    if (index >= decoders.size())
      return {};
    return decoders[index];
  }

private:
  std::vector<llvm::SmallVector<DecodeFn, 2>> decoders;
};

#define EMU_FAMILY(name) void register##name(DecodeTable &table);
#include "Decode/Families.def"

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_DECODETABLE_H
