//===- Values.cpp - What a warp's registers are known to hold -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Values.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::protocol;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

std::optional<uint64_t> Value::get(uint32_t mask) const {
  if (mask == 0)
    return std::nullopt;
  unsigned first = llvm::countr_zero(mask);
  for (unsigned lane = first; lane != lanesOfWarp; ++lane)
    if ((mask >> lane & 1) && (!isKnownAt(lane) || at(lane) != at(first)))
      return std::nullopt;
  return at(first);
}

void Value::appendKey(std::string &key) const {
  auto append = [&](const auto &word) {
    key.append(reinterpret_cast<const char *>(&word), sizeof(word));
  };
  append(kind);
  append(lowBits);
  append(counted);
  append(number);
  if (kind != PerLane)
    return;
  append(unknown);
  append(*lanes);
}

Value ValueTable::make(Lanes lanes, uint32_t unknown) {
  if (unknown == ~0u)
    return {};
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane)
    if (unknown >> lane & 1)
      lanes[lane] = 0;
  if (!unknown && std::all_of(lanes.begin(), lanes.end(), [&](uint64_t number) {
        return number == lanes[0];
      }))
    return Value::of(lanes[0]);
  Value value;
  value.kind = Value::PerLane;
  value.unknown = unknown;
  value.lanes = &*interned.insert(lanes).first;
  return value;
}

/// Unknown; because of counters only, if nothing else isn't known.
static Value unknownFrom(llvm::ArrayRef<Value> operands) {
  bool isCounted = llvm::any_of(
      operands, [](const Value &operand) { return operand.isCounted(); });
  for (const Value &operand : operands)
    isCounted &= operand.isKnown() || operand.isCounted();
  return isCounted ? Value::ofCounter() : Value();
}

Value ValueTable::map(
    llvm::ArrayRef<Value> operands,
    llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> function) {
  bool uniform = true;
  for (const Value &operand : operands) {
    if (operand.isUnknown())
      return unknownFrom(operands);
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
  Lanes lanes = {};
  uint32_t unknown = 0;
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane) {
    if (llvm::all_of(operands,
                     [&](const Value &v) { return v.isKnownAt(lane); }))
      lanes[lane] = run(lane);
    else
      unknown |= 1u << lane;
  }
  return make(lanes, unknown);
}

/// The lowest bits of a result, where some of an operand are known.
Value ValueTable::computeLow(const ptx::Instruction &instruction,
                             llvm::ArrayRef<Value> sources) {
  if (sources.empty() || sources.size() > 2)
    return {};
  unsigned bits = 64;
  for (const Value &source : sources)
    bits = std::min(bits, source.getLowBits());
  if (bits == 0 || bits == 64)
    return {};
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  uint64_t a = sources[0].getLow(), b = sources.back().getLow();
  auto low = [&](uint64_t number) { return Value::ofLow(number & mask, bits); };
  switch (instruction.opcode()) {
  case Opcode::Mov:
  case Opcode::Cvt:
    return low(a);
  case Opcode::Add:
    return low(a + b);
  case Opcode::Sub:
    return low(a - b);
  case Opcode::MulLo:
    return low(a * b);
  case Opcode::Or:
    return low(a | b);
  case Opcode::Xor:
    return low(a ^ b);
  case Opcode::And:
    // A mask that asks for no more than is known.
    for (const Value &source : sources)
      if (source.isUniform() && (source.getLow() & ~mask) == 0)
        return Value::of(a & b);
    return low(a & b);
  case Opcode::Rem:
    if (sources[1].isUniform() && llvm::isPowerOf2_64(b) && b - 1 <= mask &&
        ptx::kindOf(instruction.variant->type(Slot::Type)) !=
            ptx::TypeKind::Signed)
      return Value::of(a & (b - 1));
    return {};
  default:
    return {};
  }
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

namespace {
using Numbers = llvm::ArrayRef<uint64_t>;

/// The result of one instruction, from what its sources are known to hold.
class Computation {
public:
  Computation(ValueTable &table, const ptx::Instruction &instruction,
              llvm::ArrayRef<Value> sources)
      : table(table), instruction(instruction), variant(*instruction.variant),
        sources(sources), type(variant.type(Slot::Type)),
        bits(type == Type::Pred ? 1 : ptx::bitsOf(type)),
        isSigned(ptx::kindOf(type) == ptx::TypeKind::Signed) {}

  Value run();

private:
  Value multiplyWide();
  Value multiplyHigh();
  Value divide();
  Value takeExtreme();
  Value combineByTable();
  Value insertBits();
  Value extractBits();
  Value shiftRight();
  Value select();
  Value setPredicate();
  Value convert();

  /// `function` on each lane, cut to the instruction's type; unknown for types
  /// that aren't integral.
  Value word(llvm::function_ref<uint64_t(Numbers)> function);
  /// Where one side is `decides`, it doesn't matter what the other one is.
  Value decideByOne(const Value &a, const Value &b, uint64_t decides,
                    llvm::function_ref<uint64_t(Numbers)> function);
  int64_t as(uint64_t number) const { return extend(number, type); }

  ValueTable &table;
  const ptx::Instruction &instruction;
  const ptx::Variant &variant;
  llvm::ArrayRef<Value> sources;
  Type type;
  unsigned bits;
  bool isSigned;
};
} // namespace

Value Computation::word(llvm::function_ref<uint64_t(Numbers)> function) {
  if (!isIntegral(type))
    return {};
  return table.map(sources, [&](Numbers n) { return cut(function(n), bits); });
}

Value Computation::decideByOne(const Value &a, const Value &b, uint64_t decides,
                               llvm::function_ref<uint64_t(Numbers)> function) {
  Lanes lanes = {};
  uint32_t unknown = 0;
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane) {
    bool knowsA = a.isKnownAt(lane), knowsB = b.isKnownAt(lane);
    if ((knowsA && a.at(lane) == decides) || (knowsB && b.at(lane) == decides))
      lanes[lane] = decides;
    else if (knowsA && knowsB)
      lanes[lane] = function({a.at(lane), b.at(lane)});
    else
      unknown |= 1u << lane;
  }
  return table.make(lanes, unknown);
}

Value Computation::multiplyWide() {
  return table.map(sources, [&](Numbers n) {
    uint64_t product = as(n[0]) * as(n[1]);
    return cut(n.size() > 2 ? product + n[2] : product, 2 * bits);
  });
}

Value Computation::multiplyHigh() {
  return word([&](Numbers n) -> uint64_t {
    if (isSigned)
      return static_cast<__int128>(as(n[0])) * as(n[1]) >> bits;
    return static_cast<unsigned __int128>(cut(n[0], bits)) * cut(n[1], bits) >>
           bits;
  });
}

/// The quotient or the remainder; unknown if a lane divides by zero.
Value Computation::divide() {
  if (!isIntegral(type))
    return {};
  bool divides = instruction.opcode() == Opcode::Div;
  bool zero = false;
  Value result = word([&](Numbers n) -> uint64_t {
    int64_t a = as(n[0]), b = as(n[1]);
    zero |= b == 0;
    if (b == 0 || b == -1)
      return divides ? -static_cast<uint64_t>(a) : 0;
    if (isSigned)
      return divides ? a / b : a % b;
    uint64_t x = a, y = b;
    return divides ? x / y : x % y;
  });
  return zero ? Value() : result;
}

/// The minimum or the maximum.
Value Computation::takeExtreme() {
  bool isMin = instruction.opcode() == Opcode::Min;
  return word([&](Numbers n) {
    bool isLess = *compare("lt", as(n[0]), as(n[1]), isSigned);
    return isLess == isMin ? n[0] : n[1];
  });
}

/// Of `lop3`, whose last source is the table of its function.
Value Computation::combineByTable() {
  if (sources.size() != 4)
    return {};
  return word([](Numbers n) {
    uint64_t result = 0;
    for (unsigned row = 0; row != 8; ++row)
      if (n[3] >> row & 1)
        result |= (row & 4 ? n[0] : ~n[0]) & (row & 2 ? n[1] : ~n[1]) &
                  (row & 1 ? n[2] : ~n[2]);
    return result;
  });
}

Value Computation::insertBits() {
  return word([&](Numbers n) {
    uint64_t at = n[2] & 0xff, length = n[3] & 0xff;
    if (at >= bits)
      return n[1];
    uint64_t mask = cut(~uint64_t(0), std::min<uint64_t>(length, bits)) << at;
    return (n[1] & ~mask) | (n[0] << at & mask);
  });
}

Value Computation::extractBits() {
  if (isSigned)
    return {};
  return word([&](Numbers n) {
    uint64_t from = n[1] & 0xff, length = n[2] & 0xff;
    return from < bits ? cut(cut(n[0], bits) >> from, length) : 0;
  });
}

Value Computation::shiftRight() {
  return word([&](Numbers n) -> uint64_t {
    if (isSigned)
      return as(n[0]) >> std::min<uint64_t>(n[1], bits - 1);
    return n[1] < bits ? cut(n[0], bits) >> n[1] : 0;
  });
}

/// The chosen source; the other one need not be known.
Value Computation::select() {
  if (std::optional<uint64_t> chosen = sources[2].get(~0u))
    return sources[*chosen ? 0 : 1];
  if (sources[0] == sources[1])
    return sources[0];
  Lanes lanes = {};
  uint32_t unknown = 0;
  for (unsigned lane = 0; lane != lanesOfWarp; ++lane) {
    bool isChosen = sources[2].isKnownAt(lane);
    const Value &side = sources[isChosen && sources[2].at(lane) ? 0 : 1];
    if (isChosen && side.isKnownAt(lane))
      lanes[lane] = side.at(lane);
    else
      unknown |= 1u << lane;
  }
  return table.make(lanes, unknown);
}

/// What a comparison says, combined with a predicate if there is one.
Value Computation::setPredicate() {
  llvm::StringRef how = ptx::spelling(variant.get(Slot::Cmp));
  if (!isIntegral(type) || !compare(how, 0, 0, isSigned))
    return {};
  Value result = table.map(sources.take_front(2), [&](Numbers n) -> uint64_t {
    return *compare(how, as(n[0]), as(n[1]), isSigned);
  });
  if (sources.size() == 2)
    return result;
  llvm::StringRef with = ptx::spelling(variant.get(Slot::Bool));
  auto combine = [&](Numbers n) {
    return with == "and"  ? n[0] & n[1]
           : with == "or" ? n[0] | n[1]
                          : n[0] ^ n[1];
  };
  if (with == "xor")
    return table.map({result, sources[2]}, combine);
  return decideByOne(result, sources[2], with == "and" ? 0 : 1, combine);
}

Value Computation::convert() {
  Type from = variant.type(Slot::AType), to = variant.type(Slot::DType);
  if (!isIntegral(from) || !isIntegral(to))
    return {};
  return table.map(sources, [&](Numbers n) {
    return cut(extend(n[0], from), ptx::bitsOf(to));
  });
}

Value Computation::run() {
  switch (instruction.opcode()) {
  case Opcode::Mov:
  case Opcode::Cvta:
  case Opcode::CvtaTo:
    return sources.size() == 1 ? sources.front() : Value();
  case Opcode::Getctarank:
    return table.map(sources, [](Numbers n) { return n[0] >> 24 & 0xff; });
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
    return multiplyWide();
  case Opcode::MulHi:
    return multiplyHigh();
  case Opcode::Div:
  case Opcode::Rem:
    return divide();
  case Opcode::Min:
  case Opcode::Max:
    return takeExtreme();
  case Opcode::Neg:
    return word([](Numbers n) { return -n[0]; });
  case Opcode::And:
    return decideByOne(sources[0], sources[1], 0,
                       [](Numbers n) { return n[0] & n[1]; });
  case Opcode::Or:
    return decideByOne(sources[0], sources[1], cut(~uint64_t(0), bits),
                       [](Numbers n) { return n[0] | n[1]; });
  case Opcode::Xor:
    return word([](Numbers n) { return n[0] ^ n[1]; });
  case Opcode::Not:
    return word([](Numbers n) { return ~n[0]; });
  case Opcode::Lop3:
    return combineByTable();
  case Opcode::Popc:
    return table.map(sources, [&](Numbers n) -> uint64_t {
      return llvm::popcount(cut(n[0], bits));
    });
  case Opcode::Bfi:
    return insertBits();
  case Opcode::Bfe:
    return extractBits();
  case Opcode::Shl:
    return word([&](Numbers n) { return n[1] < bits ? n[0] << n[1] : 0; });
  case Opcode::Shr:
    return shiftRight();
  case Opcode::Selp:
    return select();
  case Opcode::Setp:
    return setPredicate();
  case Opcode::Cvt:
    return convert();
  default:
    return {};
  }
}

Value ValueTable::compute(const ptx::Instruction &instruction,
                          llvm::ArrayRef<Value> sources) {
  Value value = computeLow(instruction, sources);
  if (value == Value())
    value = Computation(*this, instruction, sources).run();
  return value == Value() ? unknownFrom(sources) : value;
}
