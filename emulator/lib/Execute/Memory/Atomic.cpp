//===- Atomic.cpp - atom and red -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.13.5 and 9.7.13.6. One thing happens at a time, so an
// atomic operation is a load, an operation and a store, lane after lane.

#include "Decode/Decoder.h"
#include "Execute/Memory/AtomicOps.h"
#include "Machine/Lanes.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using namespace drawloom::emu::atomic_ops;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

namespace {

struct B128 {
  uint64_t low, high;
  bool operator==(const B128 &) const = default;
};

/// An access and the registers of it. A register holds one element, or two
/// (f16x2); a vector has several registers.
struct AtomicInfo {
  AccessInfo access;
  llvm::ArrayRef<Reg> results; ///< Empty for red, and for the sink.
  llvm::ArrayRef<Reg> operands;
  Reg swap = 0; ///< The third operand of cas.
  /// atom.add.f32 on global memory flushes subnormals to zero.
  bool flushes = false;
};

} // namespace

/// Elements of type T, `perRegister` of them in each register.
template <typename T, typename Op, unsigned perRegister>
static const Inst *atomic(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<AtomicInfo>();
  char *host[32];
  if (!resolve(warp, inst, mask, info.access, host))
    return Inst::leave();
  using Storage = std::conditional_t<perRegister == 2, uint32_t, StorageOf<T>>;
  forEachLane(mask, [&](unsigned lane) {
    char *memory = host[lane];
    for (size_t index = 0; index != info.operands.size(); ++index) {
      Storage operand = warp.lanes<Storage>(info.operands[index])[lane];
      Storage old = {};
      for (unsigned part = 0; part != perRegister; ++part) {
        T before, value;
        memcpy(&before, memory, sizeof(T));
        memcpy(&value, reinterpret_cast<char *>(&operand) + part * sizeof(T),
               sizeof(T));
        memcpy(reinterpret_cast<char *>(&old) + part * sizeof(T), &before,
               sizeof(T));
        T after;
        if constexpr (std::is_same_v<T, float>)
          after = info.flushes ? flush(Op::apply(flush(before), flush(value)))
                               : Op::apply(before, value);
        else
          after = Op::apply(before, value);
        memcpy(memory, &after, sizeof(T));
        memory += sizeof(T);
      }
      if (!info.results.empty())
        warp.lanes<Storage>(info.results[index])[lane] = old;
    }
  });
  return inst + 1;
}

template <typename T>
static const Inst *compareAndSwap(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<AtomicInfo>();
  char *host[32];
  if (!resolve(warp, inst, mask, info.access, host))
    return Inst::leave();
  using Storage = StorageOf<T>;
  T before[32];
  uint32_t failed = 0;
  forEachLane(mask, [&](unsigned lane) {
    T compare, swap;
    memcpy(&before[lane], host[lane], sizeof(T));
    memcpy(&compare, &warp.lanes<Storage>(info.operands[0])[lane], sizeof(T));
    memcpy(&swap, &warp.lanes<Storage>(info.swap)[lane], sizeof(T));
    if (before[lane] == compare)
      memcpy(host[lane], &swap, sizeof(T));
    else
      failed |= 1u << lane;
  });
  if (warp.listener()) [[unlikely]]
    tellResolved(warp, inst, mask, info.access, failed);
  if (!info.results.empty())
    forEachLane(mask, [&](unsigned lane) {
      Storage value = {};
      memcpy(&value, &before[lane], sizeof(T));
      warp.lanes<Storage>(info.results[0])[lane] = value;
    });
  return inst + 1;
}

template <typename Op>
static Execute *arithmetic(Type type) {
  switch (type) {
  case Type::U32:
    return atomic<uint32_t, Op, 1>;
  case Type::S32:
    return atomic<int32_t, Op, 1>;
  case Type::U64:
    return atomic<uint64_t, Op, 1>;
  case Type::S64:
    return atomic<int64_t, Op, 1>;
  case Type::F32:
    return atomic<float, Op, 1>;
  case Type::F64:
    return atomic<double, Op, 1>;
  case Type::F16:
    return atomic<_Float16, Op, 1>;
  case Type::BF16:
    return atomic<BFloat16, Op, 1>;
  case Type::F16x2:
    return atomic<_Float16, Op, 2>;
  case Type::BF16x2:
    return atomic<BFloat16, Op, 2>;
  default:
    return nullptr;
  }
}

template <typename Op>
static Execute *bitwise(Type type) {
  switch (ptx::bitsOf(type)) {
  case 32:
    return atomic<uint32_t, Op, 1>;
  case 64:
    return atomic<uint64_t, Op, 1>;
  default:
    return nullptr;
  }
}

static Execute *handlerOf(Modifier op, Type type) {
  switch (op) {
  case Modifier::Add:
    return arithmetic<Add>(type);
  case Modifier::Min:
    return arithmetic<Min>(type);
  case Modifier::Max:
    return arithmetic<Max>(type);
  case Modifier::Inc:
    return atomic<uint32_t, Inc, 1>;
  case Modifier::Dec:
    return atomic<uint32_t, Dec, 1>;
  case Modifier::And:
    return bitwise<And>(type);
  case Modifier::Or:
    return bitwise<Or>(type);
  case Modifier::Xor:
    return bitwise<Xor>(type);
  case Modifier::Exch:
    return type == Type::B128 ? atomic<B128, Exch, 1> : bitwise<Exch>(type);
  case Modifier::Cas:
    switch (ptx::bitsOf(type)) {
    case 16:
      return compareAndSwap<uint16_t>;
    case 32:
      return compareAndSwap<uint32_t>;
    case 64:
      return compareAndSwap<uint64_t>;
    default:
      return compareAndSwap<B128>;
    }
  default:
    return nullptr;
  }
}

static bool decodeAtomic(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  Modifier op = decoder.get(Slot::Op);
  bool hasResult = decoder.opcode() == Opcode::Atom;
  unsigned address = hasResult;
  inst.fn = handlerOf(op, type);
  if (!inst.fn)
    return false;
  AtomicInfo info;
  info.operands = decoder.keepList<Reg>(decoder.sources(address + 1, type));
  if (hasResult && !decoder.operand(0).is(Operand::Sink))
    info.results = decoder.keepList<Reg>(decoder.dests(0));
  if (op == Modifier::Cas)
    info.swap = decoder.source(address + 2, type);
  info.access = decodeAccess(
      decoder, address, ptx::bitsOf(type) / 8 * info.operands.size(),
      hasResult ? AccessKind::Atomic : AccessKind::Reduce);
  info.access.reportedLater = op == Modifier::Cas;
  info.flushes = type == Type::F32 && info.access.space == Space::Global;
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerAtomic(DecodeTable &table) {
  table.add(Opcode::Atom, decodeAtomic);
  table.add(Opcode::Red, decodeAtomic);
}
