//===- Values.cpp - What a warp's registers are known to hold -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

std::optional<uint64_t> Value::get(uint32_t mask) const {
  if (kind == Unknown || mask == 0)
    return std::nullopt;
  uint64_t first = at(llvm::countr_zero(mask));
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
    if ((mask >> lane & 1) && at(lane) != first)
      return std::nullopt;
  return first;
}

Value ValueTable::make(const Lanes &lanes) {
  Value value = Value::of(lanes[0]);
  if (value.get(~0u) == lanes[0] &&
      std::all_of(lanes.begin(), lanes.end(),
                  [&](uint64_t number) { return number == lanes[0]; }))
    return value;
  value.kind = Value::PerLane;
  value.number = 0;
  value.lanes = &*interned.insert(lanes).first;
  return value;
}

Value ValueTable::map(
    llvm::ArrayRef<Value> operands,
    llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> function) {
  bool uniform = true;
  for (const Value &operand : operands) {
    if (!operand.isKnown())
      return {};
    uniform &= operand.isUniform();
  }
  llvm::SmallVector<uint64_t> numbers(operands.size());
  auto run = [&](unsigned lane) {
    for (auto [number, operand] : llvm::zip_equal(numbers, operands))
      number = operand.at(lane);
    return function(numbers);
  };
  if (uniform)
    return Value::of(run(0));
  Lanes lanes;
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
    lanes[lane] = run(lane);
  return make(lanes);
}

static uint64_t cut(uint64_t number, unsigned bits) {
  return bits >= 64 ? number : number & llvm::maskTrailingOnes<uint64_t>(bits);
}

static int64_t extend(uint64_t number, Type type) {
  unsigned bits = ptx::bitsOf(type);
  if (ptx::kindOf(type) == ptx::TypeKind::Signed)
    return llvm::SignExtend64(number, bits);
  return static_cast<int64_t>(cut(number, bits));
}

static bool isIntegral(Type type) {
  ptx::TypeKind kind = ptx::kindOf(type);
  return kind == ptx::TypeKind::Bits || kind == ptx::TypeKind::Unsigned ||
         kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Pred;
}

/// What a comparison says about numbers that are extended by their type.
static std::optional<bool> compare(llvm::StringRef how, int64_t a, int64_t b,
                                   bool isSigned) {
  auto less = [&](int64_t x, int64_t y) {
    return isSigned ? x < y
                    : static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
  };
  return llvm::StringSwitch<std::optional<bool>>(how)
      .Case("eq", a == b)
      .Case("ne", a != b)
      .Cases({"lt", "lo"}, less(a, b))
      .Cases({"le", "ls"}, !less(b, a))
      .Cases({"gt", "hi"}, less(b, a))
      .Cases({"ge", "hs"}, !less(a, b))
      .Default(std::nullopt);
}

Value ValueTable::compute(const ptx::Instruction &instruction,
                          llvm::ArrayRef<Value> sources) {
  const ptx::Variant &variant = *instruction.variant;
  Type type = variant.type(Slot::Type);
  unsigned bits = type == Type::Pred ? 1 : ptx::bitsOf(type);
  using Numbers = llvm::ArrayRef<uint64_t>;
  auto word = [&](llvm::function_ref<uint64_t(Numbers)> function) -> Value {
    if (!isIntegral(type))
      return {};
    return map(sources, [&](Numbers n) { return cut(function(n), bits); });
  };
  auto as = [&](uint64_t number) { return extend(number, type); };

  switch (instruction.opcode()) {
  case Opcode::Mov:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
    return sources.size() == 1 ? sources.front() : Value();
  case Opcode::Add:
    return word([](Numbers n) { return n[0] + n[1]; });
  case Opcode::Sub:
    return word([](Numbers n) { return n[0] - n[1]; });
  case Opcode::MulLo:
    return word([](Numbers n) { return n[0] * n[1]; });
  case Opcode::MadLo:
    return word([](Numbers n) { return n[0] * n[1] + n[2]; });
  case Opcode::MulWide:
  case Opcode::MadWide:
    return map(sources, [&](Numbers n) {
      uint64_t product = as(n[0]) * as(n[1]);
      return cut(n.size() > 2 ? product + n[2] : product, 2 * bits);
    });
  case Opcode::Div:
  case Opcode::Rem: {
    if (!isIntegral(type))
      return {};
    bool divides = instruction.opcode() == Opcode::Div;
    bool zero = false;
    Value result = word([&](Numbers n) -> uint64_t {
      int64_t a = as(n[0]), b = as(n[1]);
      zero |= b == 0;
      if (b == 0 || b == -1)
        return divides ? -static_cast<uint64_t>(a) : 0;
      if (ptx::kindOf(type) == ptx::TypeKind::Signed)
        return divides ? a / b : a % b;
      uint64_t x = a, y = b;
      return divides ? x / y : x % y;
    });
    return zero ? Value() : result;
  }
  case Opcode::Min:
    return word([&](Numbers n) {
      return *compare("lt", as(n[0]), as(n[1]),
                      ptx::kindOf(type) == ptx::TypeKind::Signed)
                 ? n[0]
                 : n[1];
    });
  case Opcode::Max:
    return word([&](Numbers n) {
      return *compare("lt", as(n[0]), as(n[1]),
                      ptx::kindOf(type) == ptx::TypeKind::Signed)
                 ? n[1]
                 : n[0];
    });
  case Opcode::Neg:
    return word([](Numbers n) { return -n[0]; });
  case Opcode::And:
    return word([](Numbers n) { return n[0] & n[1]; });
  case Opcode::Or:
    return word([](Numbers n) { return n[0] | n[1]; });
  case Opcode::Xor:
    return word([](Numbers n) { return n[0] ^ n[1]; });
  case Opcode::Not:
    return word([](Numbers n) { return ~n[0]; });
  case Opcode::Shl:
    return word([&](Numbers n) { return n[1] < bits ? n[0] << n[1] : 0; });
  case Opcode::Shr:
    return word([&](Numbers n) -> uint64_t {
      if (ptx::kindOf(type) == ptx::TypeKind::Signed)
        return as(n[0]) >> std::min<uint64_t>(n[1], bits - 1);
      return n[1] < bits ? n[0] >> n[1] : 0;
    });
  case Opcode::Bfe:
    if (ptx::kindOf(type) == ptx::TypeKind::Signed)
      return {};
    return word([&](Numbers n) {
      uint64_t from = n[1] & 0xff, length = n[2] & 0xff;
      return from < bits ? cut(n[0] >> from, length) : 0;
    });
  case Opcode::Selp: {
    // The other side need not be known.
    if (std::optional<uint64_t> chosen = sources[2].get(~0u))
      return sources[*chosen ? 0 : 1];
    return word([](Numbers n) { return n[2] ? n[0] : n[1]; });
  }
  case Opcode::Setp: {
    llvm::StringRef how = ptx::spelling(variant.get(Slot::Cmp));
    how.consume_front(".");
    bool isSigned = ptx::kindOf(type) == ptx::TypeKind::Signed;
    if (!isIntegral(type) || sources.size() != 2 ||
        !compare(how, 0, 0, isSigned))
      return {};
    return map(sources, [&](Numbers n) -> uint64_t {
      return *compare(how, as(n[0]), as(n[1]), isSigned);
    });
  }
  case Opcode::Cvt: {
    Type from = variant.type(Slot::AType), to = variant.type(Slot::DType);
    if (!isIntegral(from) || !isIntegral(to))
      return {};
    return map(sources, [&](Numbers n) {
      return cut(extend(n[0], from), ptx::bitsOf(to));
    });
  }
  default:
    return {};
  }
}
