//===- LoadStore.cpp - ld and st -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.8 to 9.7.9.12. Caches, and the order of accesses, are
// not modeled here: memory is coherent, and one thing happens at a time. A
// listener sees what the instruction promised.

#include "Decode/Decoder.h"
#include "Machine/Lanes.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

namespace {

struct B128 {
  uint64_t low, high;
};

struct Transfer {
  AccessInfo access;
  llvm::ArrayRef<Reg> registers;
};

/// Four 32-bit elements, of one lane or of four.
typedef uint32_t Quad __attribute__((vector_size(16)));

} // namespace

/// What a register holds of a smaller value: it is extended by the value's
/// sign.
template <typename Value, typename M>
static Value extended(M value) {
  if constexpr (std::is_same_v<Value, B128> && !std::is_same_v<M, B128>)
    return {static_cast<uint64_t>(value), value < M(0) ? ~uint64_t(0) : 0};
  else
    return static_cast<Value>(value);
}
/// The low part of what a register holds.
template <typename M, typename Storage>
static M lowPart(const Storage &value) {
  if constexpr (std::is_same_v<Storage, B128> && !std::is_same_v<M, B128>)
    return static_cast<M>(value.low);
  else
    return static_cast<M>(value);
}

/// Rows to columns.
static inline void transpose(Quad (&rows)[4]) {
  Quad low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  Quad low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  Quad high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  Quad high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

/// ld.v4.b32 and st.v4.b32, which kernels move most of their data with, for all
/// lanes: four lanes at a time.
static void loadQuads(Warp &warp, llvm::ArrayRef<Reg> registers, char **host) {
  for (unsigned lane = 0; lane != 32; lane += 4) {
    Quad rows[4];
    for (unsigned i = 0; i != 4; ++i)
      memcpy(&rows[i], host[lane + i], sizeof(Quad));
    transpose(rows);
    for (unsigned i = 0; i != 4; ++i)
      memcpy(warp.lanes<uint32_t>(registers[i]) + lane, &rows[i], sizeof(Quad));
  }
}

static void storeQuads(Warp &warp, llvm::ArrayRef<Reg> registers, char **host) {
  for (unsigned lane = 0; lane != 32; lane += 4) {
    Quad rows[4];
    for (unsigned i = 0; i != 4; ++i)
      memcpy(&rows[i], warp.lanes<uint32_t>(registers[i]) + lane, sizeof(Quad));
    transpose(rows);
    for (unsigned i = 0; i != 4; ++i)
      memcpy(host[lane + i], &rows[i], sizeof(Quad));
  }
}

/// Loads elements of type M into registers that hold a Value: extended by the
/// sign of M to the width of Value.
///
/// Here and in `store` the stack isn't protected: the array on it is indexed by
/// numbers of lanes alone, and a canary costs 3 % of an access.
template <typename M, typename Value>
[[clang::no_stack_protector]] static const Inst *
load(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &transfer = inst->as<Transfer>();
  char *host[32];
  if (!resolve(warp, inst, mask, transfer.access, host))
    return Inst::leave();
  if constexpr (sizeof(M) == 4 && sizeof(Value) == 4)
    if (mask == allLanes && transfer.registers.size() == 4) {
      loadQuads(warp, transfer.registers, host);
      return inst + 1;
    }
  size_t offset = 0;
  for (Reg reg : transfer.registers) {
    auto *data = warp.lanes<StorageOf<Value>>(reg);
    auto body = [=](unsigned lane) {
      M value;
      memcpy(&value, host[lane] + offset, sizeof(M));
      data[lane] = extended<Value>(value);
    };
    if (mask == allLanes)
      for (unsigned lane = 0; lane != 32; ++lane)
        body(lane);
    else
      forEachLane(mask, body);
    offset += sizeof(M);
  }
  return inst + 1;
}

/// Which lanes of a store don't find their values where they put them.
template <typename M, typename Storage>
[[gnu::cold, gnu::noinline]] static void
findLost(Warp &warp, const Transfer &transfer, uint32_t mask, char *const *host,
         StoreReport &report) {
  size_t offset = 0;
  for (Reg reg : transfer.registers) {
    const Storage *data = warp.lanes<Storage>(reg);
    forEachLane(mask, [&](unsigned lane) {
      M value = lowPart<M>(data[lane]);
      if (memcmp(host[lane] + offset, &value, sizeof(M)))
        report.lose(lane);
    });
    offset += sizeof(M);
  }
}

template <typename M, typename Storage>
[[clang::no_stack_protector]] static const Inst *
store(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &transfer = inst->as<Transfer>();
  char *host[32];
  if (!resolve(warp, inst, mask, transfer.access, host))
    return Inst::leave();
  StoreReport report(warp, inst, mask, transfer.access, host);
  if constexpr (sizeof(M) == 4 && sizeof(Storage) == 4)
    if (mask == allLanes && transfer.registers.size() == 4) {
      storeQuads(warp, transfer.registers, host);
      if (report.isWanted()) [[unlikely]]
        findLost<M, Storage>(warp, transfer, mask, host, report);
      return inst + 1;
    }
  size_t offset = 0;
  for (Reg reg : transfer.registers) {
    const Storage *data = warp.lanes<Storage>(reg);
    // Of lanes that write to one address, the last one wins; the ISA leaves it
    // open which.
    auto body = [=](unsigned lane) {
      M value = lowPart<M>(data[lane]);
      memcpy(host[lane] + offset, &value, sizeof(M));
    };
    if (mask == allLanes)
      for (unsigned lane = 0; lane != 32; ++lane)
        body(lane);
    else
      forEachLane(mask, body);
    offset += sizeof(M);
  }
  if (report.isWanted()) [[unlikely]]
    findLost<M, Storage>(warp, transfer, mask, host, report);
  return inst + 1;
}

/// Value is what the destination register is declared as.
template <typename Value>
static Execute *loaderOf(Type type) {
  bool isSigned = ptx::kindOf(type) == ptx::TypeKind::Signed;
  switch (ptx::bitsOf(type)) {
  case 8:
    return isSigned ? load<int8_t, Value> : load<uint8_t, Value>;
  case 16:
    return isSigned ? load<int16_t, Value> : load<uint16_t, Value>;
  case 32:
    return isSigned ? load<int32_t, Value> : load<uint32_t, Value>;
  case 64:
    return isSigned ? load<int64_t, Value> : load<uint64_t, Value>;
  default:
    return nullptr;
  }
}

template <typename Storage>
static Execute *storerOf(Type type) {
  switch (ptx::bitsOf(type)) {
  case 8:
    return store<uint8_t, Storage>;
  case 16:
    return store<uint16_t, Storage>;
  case 32:
    return store<uint32_t, Storage>;
  case 64:
    return store<uint64_t, Storage>;
  default:
    return nullptr;
  }
}

/// The type of the registers that a transfer names: all the same, and the
/// instruction's own if there are only immediates and sinks.
static Type registerType(Decoder &decoder, unsigned index, Type type) {
  for (const Operand &part : decoder.parts(index))
    if (Type declared = Decoder::declaredType(part); declared != Type::None)
      return declared;
  return type;
}

static bool decodeLoad(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  Transfer transfer;
  transfer.registers = decoder.keepList<Reg>(decoder.dests(0));
  transfer.access = decodeAccess(
      decoder, 1, ptx::bitsOf(type) / 8 * transfer.registers.size(),
      AccessKind::Read);
  switch (ptx::bitsOf(registerType(decoder, 0, type))) {
  case 8:
    inst.fn = loaderOf<uint8_t>(type);
    break;
  case 16:
    inst.fn = loaderOf<uint16_t>(type);
    break;
  case 32:
    inst.fn = loaderOf<uint32_t>(type);
    break;
  case 64:
    inst.fn = loaderOf<uint64_t>(type);
    break;
  case 128:
    inst.fn =
        ptx::bitsOf(type) == 128 ? load<B128, B128> : loaderOf<B128>(type);
    break;
  default:
    return false;
  }
  inst.extra = decoder.keep(transfer);
  return inst.fn != nullptr;
}

static bool decodeStore(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  Transfer transfer;
  transfer.registers = decoder.keepList<Reg>(decoder.sources(1, type));
  transfer.access = decodeAccess(
      decoder, 0, ptx::bitsOf(type) / 8 * transfer.registers.size(),
      AccessKind::Write);
  transfer.access.reportedLater = true;
  // Immediates are kept in the width of the type; so are registers, unless one
  // is wider.
  unsigned storage = Decoder::laneBytes(type);
  for (const Operand &part : decoder.parts(1))
    if (Type declared = Decoder::declaredType(part); declared != Type::None)
      storage = Decoder::laneBytes(declared);
  if (storage == 16)
    inst.fn =
        ptx::bitsOf(type) == 128 ? store<B128, B128> : storerOf<B128>(type);
  else if (storage == 8)
    inst.fn = storerOf<uint64_t>(type);
  else
    inst.fn = storerOf<uint32_t>(type);
  inst.extra = decoder.keep(transfer);
  return inst.fn != nullptr;
}

void drawloom::emu::registerLoadStore(DecodeTable &table) {
  table.add(Opcode::Ld, decodeLoad);
  table.add(Opcode::Ldu, decodeLoad);
  table.add(Opcode::St, decodeStore);
}
