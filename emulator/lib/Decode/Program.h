//===- Program.h - A decoded kernel -----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Program is an entry and every function that it can reach, as one array of
// instructions. An instruction holds a pointer to the code that executes it and
// the places of its operands; whatever can be decided before the first warp
// runs has been decided.
//
// Operands are byte offsets into the warp's register file. A register takes 32
// lanes of 4 bytes (types up to 32 bits, zero-extended), of 8, or of 16 (b128);
// a predicate takes one word, a bit for each lane. Immediates, symbols'
// addresses and the special registers that don't change while a warp lives are
// registers too, filled in when the warp starts: a handler sees registers only.
//
// Registers are static: each function has a region of its own, at the same
// place in every warp. Two lanes may be in different functions at the same
// time, since a lane never touches another lane's columns. A recursive call
// saves the columns that it would overwrite.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_PROGRAM_H
#define DRAWLOOM_EMULATOR_PROGRAM_H

#include "Arithmetic/MmaCounts.h"
#include "drawloom/PTX/Module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Allocator.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace drawloom::emu {

class LoadedModule;
class Warp;
struct Inst;

/// The byte offset of a register in the warp's register file. In a reference to
/// a source predicate, bit 0 says that it is negated.
using Reg = uint32_t;

/// Executes `inst` for the lanes of `mask`, which is never empty, and returns
/// the instruction that the warp's current fragment goes on with: `inst + 1`
/// for most. `Inst::leave()` says that the fragment has been taken care of
/// (it waits, has ended, or failed).
using Execute = const Inst *(Warp &warp, const Inst *inst, uint32_t mask);

struct alignas(64) Inst {
  Execute *fn = nullptr;
  /// The guard: a lane executes if its bit in this predicate, exclusive-or
  /// guardFlip, is set. An instruction without one has a constant predicate.
  Reg guard = 0;
  uint32_t guardFlip = 0;
  Reg slot[8] = {};
  /// What the handler likes: an offset, an immediate, flags.
  int64_t imm = 0;
  /// What doesn't fit, in the program's arena: operand lists, descriptions.
  const void *extra = nullptr;

  static const Inst *leave() {
    return reinterpret_cast<const Inst *>(~uintptr_t(63));
  }
  template <typename T>
  const T &as() const {
    return *static_cast<const T *>(extra);
  }
};
static_assert(sizeof(Inst) == 64, "an instruction is a cache line");

/// A register of a function: lanes of so many bytes, or a predicate (0).
struct RegisterSpan {
  Reg reg;
  uint32_t laneBytes;
};

/// A parameter or result of a function, or what a call passes for one: a
/// register, or bytes in a frame. An unused result has no bytes.
struct Argument {
  bool isRegister = false;
  uint32_t laneBytes = 0; ///< Of the register; 0 for a predicate.
  Reg reg = 0;            ///< May be a constant.
  uint32_t offset = 0;    ///< In the frame.
  uint32_t bytes = 0;
};

/// A .local variable in the frame of a function.
struct LocalVariable {
  const ptx::Variable *variable = nullptr;
  uint32_t offset = 0; ///< In the frame.
  uint32_t size = 0;
};

/// A function's part of a program.
struct ProgramFunction {
  const ptx::Function *function = nullptr;
  uint32_t first = 0; ///< Its first instruction.
  uint32_t end = 0;   ///< Behind its last one.
  Reg registersBegin = 0, registersEnd = 0;
  std::vector<RegisterSpan> registers;
  std::vector<Reg> placeOf; ///< Of each register, by its number.
  std::vector<Argument> results, parameters; ///< Not of an entry.
  /// The thread's memory that a call of it takes: the .param variables of
  /// calls, and behind them .local variables, so that the frame ends where the
  /// last of these does.
  uint32_t frameBytes = 0;
  std::vector<LocalVariable> locals;
};

/// A variable in the program's shared memory.
struct SharedVariable {
  const ptx::Variable *variable = nullptr;
  uint32_t offset = 0; ///< From the start of the CTA's shared window.
  uint32_t size = 0;   ///< 0 for the dynamic part.
};

/// A special register that is filled in when a warp starts.
struct SpecialInit {
  ptx::SpecialRegister special;
  uint8_t component;
  Reg reg;
};

/// An instruction that touches registers of which another one takes hold for
/// longer than its own time. The watcher's handler stands in its place, and
/// calls the instruction's own.
struct WatchedAccess {
  Execute *fn = nullptr;
  struct Register {
    uint32_t watched; ///< The number that Decoder::watch gave it.
    uint32_t number;  ///< Its number in the function.
  };
  llvm::ArrayRef<Register> registers;
};

/// How often warps came to each instruction: a handler that counts stands in
/// front of its own.
struct ExecutionCounts {
  std::vector<Execute *> handlers;
  std::vector<std::atomic<uint64_t>> times;
  MmaCounts mmas;
};

struct Program {
  LoadedModule *module = nullptr;
  const ptx::Function *entry = nullptr;

  std::vector<Inst> code;
  /// The number of the ptx::Instruction that each Inst came from, in its
  /// function; the implicit return at a function's end has the next number.
  std::vector<uint32_t> origins;
  std::vector<ProgramFunction> functions; ///< The entry first; by `first`.
  /// The instructions that report themselves as not executed yet, by number.
  std::vector<uint32_t> notExecuted;
  /// How many registers are watched, and the instructions that touch them.
  uint32_t watchedRegisters = 0;
  llvm::DenseMap<uint32_t, WatchedAccess> watchedAccesses; ///< By number.
  /// The handlers of instructions that reach other clusters, by number, and
  /// the instructions whose asynchronous work does (Communication.h).
  llvm::DenseMap<uint32_t, Execute *> communicating;
  llvm::DenseSet<uint32_t> communicatingWork;
  /// If the device counts.
  std::unique_ptr<ExecutionCounts> counts;

  /// The register file of a warp before it runs: constants, and zeros.
  std::vector<char> registerImage;
  std::vector<SpecialInit> specials;
  /// Holds rank << 24, so that offset + base is a shared address.
  Reg sharedBase = 0;
  /// Holds the address of the lane's frame in local memory.
  Reg frameBase = 0;
  /// Holds where the lane's frame ends, with what alloca gave it.
  Reg stackPointer = 0;

  std::vector<SharedVariable> shared; ///< By offset.
  uint32_t sharedBegin = 0;           ///< Behind what the system takes.
  uint32_t staticSharedEnd = 0;       ///< Where the dynamic part starts.
  bool usesLocal = false;
  /// Has work done by CTA pairs (cta_group::2), each on an SM of its own.
  bool usesPairs = false;
  /// The first instruction of tcgen05 with a .cta_group; null if there is none.
  const ptx::Instruction *firstGrouped = nullptr;

  llvm::BumpPtrAllocator arena;

  uint32_t indexOf(const Inst *inst) const { return inst - code.data(); }
  const ProgramFunction &functionOf(const Inst *inst) const;
  /// The part of the program that is `function`; null if there is none.
  const ProgramFunction *find(const ptx::Symbol *function) const;
  /// The instruction as it was parsed; null for an implicit return.
  const ptx::Instruction *source(const Inst *inst) const;
  /// The last .loc in front of the instruction; null if there is none.
  const ptx::SourceLocation *location(const Inst *inst) const;
  /// Its line in the PTX text; 0 for an implicit return.
  uint32_t line(const Inst *inst) const;
  /// "%r12": the register of that number in the instruction's function.
  std::string nameRegister(const Inst *inst, uint32_t number) const;
  /// "smem+16" for a byte of the CTA's shared window; empty if no variable is
  /// there.
  std::string nameShared(uint32_t offset) const;
};

/// "'cp.async.bulk.commit_group'"
std::string quoteMnemonic(const Program &program, const Inst *inst);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_PROGRAM_H
