//===- Undefined.h - Values that nothing has defined ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of memory that nothing has written gives an undefined value, and so
// does a shuffle that reads from a lane outside its member mask. Correct
// kernels load such values ahead and don't use them, so what counts is where
// they go: they are followed through registers, for each lane and byte, and
// reported where one is stored to global memory, is an address, decides a
// branch, or is the operand of an MMA (UndefinedEvent).
//
//   ld.shared.u32 r1, [s]     r1 is undefined in lanes 8 to 31
//   add.u32 r2, r1, 1         r2, too
//   selp.u32 r3, r2, 0, p     r3 where p is true
//   st.global.u32 [y], r3     reported for these lanes
//
// Only a warp that has undefined values is followed: it runs in a loop of its
// own (Warp::runFollowing) until the last one is overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_UNDEFINED_H
#define DRAWLOOM_EMULATOR_UNDEFINED_H

#include "Decode/Program.h"
#include "drawloom/Emulator/Events.h"
#include <array>

namespace drawloom::emu {

class UndefinedValues {
public:
  bool empty() const { return values.empty(); }

  /// Before lanes `mask` of those that are active execute an instruction.
  void step(Warp &warp, const Inst *inst, uint32_t mask);
  /// A load has found bytes that nothing has written, by lane.
  void load(Warp &warp, const Inst *inst, const uint32_t *bytes);
  /// Fills in what is undefined of what a store stores, by lane. False if it is
  /// nothing.
  bool ofStore(Warp &warp, const Inst *inst, uint32_t mask,
               uint32_t *bytes) const;
  /// Tells that these lanes store it.
  void tellStore(Warp &warp, const Inst *inst, uint32_t lanes,
                 const uint32_t *bytes) const;

  /// Of a register's lane; bit n is byte n, and bit 0 a predicate.
  uint16_t bytesOf(Reg reg, unsigned lane) const {
    auto it = values.find(reg & ~3u);
    return it == values.end() ? 0 : it->second.bytes[lane];
  }
  /// The instruction that the value comes from.
  uint32_t sourceOf(Reg reg) const {
    auto it = values.find(reg & ~3u);
    return it == values.end() ? 0 : it->second.source;
  }
  void set(Reg reg, unsigned lane, uint16_t bytes, uint32_t source);

private:
  struct Value {
    std::array<uint16_t, 32> bytes = {};
    uint32_t source = 0;
  };
  /// The lanes in which a register isn't all defined.
  uint32_t lanesOf(Reg reg) const;
  void clear(Reg reg, uint32_t lanes);

  llvm::DenseMap<Reg, Value> values; ///< Of registers that have one.
};

/// What a value is made of, for instructions that move bits: the rest of a
/// partly undefined register stays defined. Answers with the undefined bytes of
/// the first result in a lane; -1 for an instruction that isn't one of these.
int undefinedBits(const UndefinedValues &values, Warp &warp, const Inst *inst,
                  unsigned lane);

/// The register that an operand is; the place of its function.
Reg placeOf(const Program &program, const Inst *inst,
            const ptx::Operand &operand);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_UNDEFINED_H
