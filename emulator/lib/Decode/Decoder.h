//===- Decoder.h - From typed PTX to a Program ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a family's decoder sees: the instruction at hand, and functions that
// turn its operands into places in the register file. Operands are named by
// their index in the text: `add.s32 %r1, %r2, 7` has operands 0, 1 and 2. All
// of them, the immediate 7 as well, come out as registers.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_DECODER_H
#define DRAWLOOM_EMULATOR_DECODER_H

#include "Decode/DecodeTable.h"
#include "Decode/Program.h"
#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace drawloom::emu {

/// The state spaces as far as addresses differ. Constants are in global
/// memory; the parameters of functions that are called are in local memory.
enum class Space : uint8_t { Generic, Global, Shared, Local, Param };

/// What a call takes of the stack besides variables, at the start of the
/// frame. Where the caller's frame is stands elsewhere (Warp::links): nothing
/// that a kernel can write to leads back.
inline constexpr uint32_t frameLinkBytes = 8;
/// What stays free behind the last frame.
inline constexpr uint32_t stackSlack = 1024;

/// An address operand: the value of a register plus a constant.
struct AddressRef {
  Reg base = 0;
  bool wide = false; ///< The base is a 64-bit register.
  int64_t offset = 0;
};

class Decoder {
public:
  /// Decodes `entry` and everything that it can call. An error only for what
  /// no execution could make sense of (too much shared memory, an undefined
  /// variable); a form without a decoder becomes an instruction that reports
  /// itself when it is executed.
  static llvm::Expected<std::unique_ptr<Program>>
  decode(LoadedModule &module, const ptx::Function &entry);

  //===--------------------------------------------------------------------===//
  // The instruction at hand
  //===--------------------------------------------------------------------===//

  const ptx::Instruction &instruction() const { return *current; }
  const ptx::Variant &variant() const { return *current->variant; }
  ptx::Opcode opcode() const { return current->opcode(); }
  ptx::Modifier get(ptx::Slot slot) const { return variant().get(slot); }
  ptx::Type type(ptx::Slot slot = ptx::Slot::Type) const {
    return variant().type(slot);
  }
  bool has(ptx::Modifier modifier) const { return variant().has(modifier); }
  unsigned operandCount() const { return current->operandCount; }
  const ptx::Operand &operand(unsigned index) const {
    return current->operandData[index];
  }
  const ptx::Function &function() const { return *functionField->function; }
  const ProgramFunction &programFunction() const { return *functionField; }
  /// The index that the instruction will have in Program::code.
  uint32_t position() const { return program->code.size(); }
  /// The kernel's CTAs work in pairs.
  void needPairs() { program->usesPairs = true; }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  /// A source of type `type`: a register, or an immediate of that type.
  Reg source(unsigned index, ptx::Type type) {
    return source(operand(index), type);
  }
  Reg source(const ptx::Operand &operand, ptx::Type type);
  /// A destination. For the sink `_` it is a register that isn't read.
  Reg dest(unsigned index) { return dest(operand(index)); }
  Reg dest(const ptx::Operand &operand);
  /// A source predicate; bit 0 says that it is negated. Read it with
  /// Warp::test.
  Reg predicate(unsigned index) { return predicate(operand(index)); }
  Reg predicate(const ptx::Operand &operand);
  /// The registers of `{a, b, c}`, of a vector register that is used whole, or
  /// of a single operand.
  llvm::SmallVector<Reg, 8> sources(unsigned index, ptx::Type type);
  llvm::SmallVector<Reg, 8> dests(unsigned index);
  /// The parts of `{a, b}`, `d|p`, or the operand itself.
  llvm::ArrayRef<ptx::Operand> parts(unsigned index) const;
  /// `[base + offset]`: the first part of an address operand, or a symbol or
  /// register that stands for an address.
  AddressRef address(unsigned index) { return address(operand(index)); }
  AddressRef address(const ptx::Operand &operand);
  /// Bytes of a lane of the register: 4, 8 or 16.
  static unsigned laneBytes(ptx::Type declared);
  /// The declared type of a register operand; None for anything else.
  static ptx::Type declaredType(const ptx::Operand &operand);

  //===--------------------------------------------------------------------===//
  // Registers that PTX doesn't name
  //===--------------------------------------------------------------------===//

  /// A register whose lanes all hold `bits`. `bytes` is 4, 8 or 16.
  Reg constant(uint64_t bits, unsigned bytes);
  Reg constantPredicate(bool value) { return value ? truePredicate() : 4; }
  static Reg truePredicate() { return 0; }
  /// The carry flag of extended-precision arithmetic (CC.CF).
  Reg carry();
  /// A special register that is fixed while a warp lives.
  Reg special(ptx::SpecialRegister special, unsigned component);
  /// A register of the decoder's own.
  Reg allocate(unsigned laneBytes);

  //===--------------------------------------------------------------------===//
  // What a decoder may leave in the program
  //===--------------------------------------------------------------------===//

  /// A copy of `value` that lives as long as the program, for Inst::extra.
  template <typename T>
  const T *keep(T value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (program->arena.Allocate<T>()) T(std::move(value));
  }
  template <typename T>
  llvm::ArrayRef<T> keepList(llvm::ArrayRef<T> list) {
    T *copy = program->arena.Allocate<T>(list.size());
    std::uninitialized_copy(list.begin(), list.end(), copy);
    return {copy, list.size()};
  }
  /// Makes `inst` one that ends the launch with this message when executed.
  void reject(Inst &inst, ReportKind kind, const llvm::Twine &message);

  /// Takes hold of a register: `watcher` is called in place of every other
  /// instruction of the function that touches it, with Inst as it was decoded,
  /// and finds in Program::watchedAccesses what it stands for. Returns the
  /// number of the register among the watched ones.
  uint32_t watch(Reg reg, Execute *watcher);

  /// How far a branch to `label` goes: for Inst::imm.
  int64_t distanceTo(uint32_t label) const;
  /// Whether the base of an address is in the kernel's parameters, and not in
  /// the frame of a function (both are written .param).
  bool isKernelParameter(const ptx::Operand &address) const;

  /// The space of an address that the instruction calls generic: the
  /// variable's own if it is one, since its address is then in that space.
  Space genericSpaceOf(const ptx::Operand &address) const;

  /// Whether an access of `bytes` is inside the variable that its address
  /// names; false if it names none.
  bool isInVariable(const ptx::Operand &address, uint32_t bytes);

  Program &result() { return *program; }
  LoadedModule &module() { return moduleField; }
  /// The offset of a function's .local or .param variable in its frame.
  uint32_t frameOffset(const ptx::Variable *variable);

private:
  explicit Decoder(LoadedModule &module) : moduleField(module) {}

  llvm::Error collectFunctions(const ptx::Function &entry);
  llvm::Error placeShared();
  llvm::Error placeRegisters();
  llvm::Error placeFrames();
  void decodeFunction(uint32_t index);
  void decodeInstruction(const ptx::Instruction &instruction);
  void emitReturn();
  void placeWatchers();
  void placeCommunication();
  void placeCounters();
  Reg predicateSlot();
  AddressRef symbolAddress(const ptx::Symbol *symbol, int64_t offset);

  LoadedModule &moduleField;
  std::unique_ptr<Program> program;
  const ptx::Instruction *current = nullptr;
  ProgramFunction *functionField = nullptr;

  /// Where register n of the current function is; its elements follow.
  llvm::ArrayRef<Reg> registers;
  /// Wider than a place in the file, which `decode` checks it against.
  uint64_t fileEnd = 0;
  Reg predicateNext = 0, predicateEnd = 0;
  llvm::DenseMap<std::pair<uint64_t, unsigned>, Reg> constants;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Reg> specials;
  llvm::DenseMap<const ptx::Symbol *, uint32_t> frameOffsets;
  llvm::MapVector<const ptx::Variable *, uint32_t> sharedOffsets;
  struct Constant {
    Reg reg;
    unsigned bytes;
    uint64_t bits;
  };
  std::vector<Constant> constantValues;
  struct Watched {
    uint32_t number;
    Execute *watcher;
  };
  llvm::DenseMap<Reg, Watched> watched; ///< Of the current function.
  llvm::DenseSet<uint32_t> watching;    ///< Instructions that called `watch`.
  Reg sink = 0, predicateSink = 0, carryField = 0;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_DECODER_H
