//===- Conversion.cpp - From one layout in registers to another -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/Layouts/ScratchLayout.h"
#include "drawloom/Dialect/Tile/IR/BitSpan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::layouts;
using llvm::ArrayRef;
using llvm::SmallVector;
using tile::BitSpan;
using tile::Layout;
using tile::sumOf;

static constexpr unsigned laneBits = 5;

//===----------------------------------------------------------------------===//
// Layouts in registers
//===----------------------------------------------------------------------===//

llvm::Error layouts::checkInRegisters(const Layout &layout) {
  static constexpr llvm::StringLiteral names[] = {"register", "lane", "warp"};
  if (!llvm::equal(names, layout.getInputs(),
                   [](llvm::StringRef name, const Layout::Input &input) {
                     return name == input.name;
                   }))
    return llvm::createStringError(
        "a layout in registers has the inputs register, lane and warp, in this "
        "order");
  if (layout.getInputSize(inLane) != lanesOfWarp)
    return llvm::createStringError(llvm::formatv(
        "the layout has {0} lanes: a warp has {1}; lanes beyond the tile have "
        "copies, bases of zeros",
        layout.getInputSize(inLane), lanesOfWarp));
  if (layout.getInputSize(inRegister) > mostRegisters)
    return llvm::createStringError(llvm::formatv(
        "a thread has {0} elements of the tile: more than {1} fit into no "
        "thread's registers",
        layout.getInputSize(inRegister), mostRegisters));
  if (!layout.isOnto())
    return llvm::createStringError(
        "some elements of the tile have no place: add the bases that reach "
        "them");
  return llvm::Error::success();
}

InputBits layouts::getInputBits(const Layout &layout, unsigned input) {
  InputBits bits;
  int64_t weight = 1;
  for (const Layout::Digit &digit : layout.getInputs()[input].digits) {
    if (digit.count == 2) {
      bits.weights.push_back(weight);
      bits.columns.push_back(layout.pack(digit.basis));
    }
    weight *= digit.count;
  }
  return bits;
}

int64_t layouts::flipBits(int64_t number, uint64_t flipped,
                          ArrayRef<int64_t> weights) {
  int64_t result = number;
  for (auto [index, weight] : llvm::enumerate(weights))
    if (flipped >> index & 1)
      result += number / weight % 2 ? -weight : weight;
  return result;
}

//===----------------------------------------------------------------------===//
// Odd digits
//===----------------------------------------------------------------------===//

namespace {
struct OddDigit {
  SmallVector<int64_t, 2> basis;
  int64_t count, weight;
};
} // namespace

static SmallVector<OddDigit> getOddDigits(const Layout &layout,
                                          unsigned input) {
  SmallVector<OddDigit> digits;
  int64_t weight = 1;
  for (const Layout::Digit &digit : layout.getInputs()[input].digits) {
    if (digit.count > 2)
      digits.push_back({digit.basis, digit.count, weight});
    weight *= digit.count;
  }
  return digits;
}

/// For each odd digit of a register's number by `to`, the one by `from` that
/// steps along the same elements. Nothing if an odd digit changes warps.
static std::optional<SmallVector<OddDigit>> matchOddDigits(const Layout &from,
                                                           const Layout &to) {
  SmallVector<OddDigit> fromWarp = getOddDigits(from, inWarp),
                        toWarp = getOddDigits(to, inWarp);
  if (!llvm::equal(fromWarp, toWarp, [](const OddDigit &a, const OddDigit &b) {
        return a.basis == b.basis && a.weight == b.weight;
      }))
    return std::nullopt;
  SmallVector<OddDigit> candidates = getOddDigits(from, inRegister), matched;
  for (const OddDigit &digit : getOddDigits(to, inRegister)) {
    const OddDigit *found =
        llvm::find_if(candidates, [&](const OddDigit &candidate) {
          return candidate.basis == digit.basis;
        });
    if (found == candidates.end())
      return std::nullopt;
    matched.push_back(*found);
  }
  return matched;
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

namespace {
/// Where a bit of `to` finds its element: bits of a register's number and of a
/// lane's.
struct Source {
  uint64_t registers = 0, lanes = 0;
};

/// Finds an exchange, step by step as the header has it.
class ExchangeFinder {
public:
  ExchangeFinder(const Layout &from, const Layout &to)
      : from(from), to(to), fromRegister(getInputBits(from, inRegister)),
        fromLane(getInputBits(from, inLane)),
        fromWarp(getInputBits(from, inWarp)),
        toRegister(getInputBits(to, inRegister)),
        toLane(getInputBits(to, inLane)), toWarp(getInputBits(to, inWarp)),
        inThread(fromRegister.columns) {
    SmallVector<uint64_t> columns(fromRegister.columns);
    llvm::append_range(columns, fromLane.columns);
    for (auto [index, column] : llvm::enumerate(columns)) {
      // A column that the others have already: the same element twice.
      if (std::optional<uint64_t> others = inOneWarp.solve(column))
        copies.push_back(split(*others ^ uint64_t(1) << index));
      inOneWarp.add(column);
    }
  }

  std::optional<Exchange> find();

private:
  Source split(uint64_t chosen) const {
    unsigned count = fromRegister.columns.size();
    return {chosen & ((uint64_t(1) << count) - 1), chosen >> count};
  }
  bool findSources();
  Source pickCopy(Source source, BitSpan &taken) const;
  bool choosePlaces();
  void describe(Exchange &exchange) const;

  const Layout &from, &to;
  InputBits fromRegister, fromLane, fromWarp, toRegister, toLane, toWarp;
  BitSpan inThread, inOneWarp;
  SmallVector<Source> copies;
  SmallVector<Source> ofRegister, ofLane, ofWarp;
  /// P, and what lanes read when it is followed: register and lane, N and M.
  SmallVector<uint64_t> keeps;
  SmallVector<Source> reads;
};
} // namespace

/// Several lanes may have an element. One that no other bit of the lane's
/// number reads from is better: lanes send one register at a time.
Source ExchangeFinder::pickCopy(Source source, BitSpan &taken) const {
  for (uint64_t chosen = 0; chosen < uint64_t(1) << copies.size() &&
                            chosen < uint64_t(1) << laneBits;
       ++chosen) {
    Source other = source;
    for (auto [index, copy] : llvm::enumerate(copies))
      if (chosen >> index & 1) {
        other.registers ^= copy.registers;
        other.lanes ^= copy.lanes;
      }
    if (taken.add(other.lanes))
      return other;
  }
  return source;
}

bool ExchangeFinder::findSources() {
  for (uint64_t column : toRegister.columns) {
    std::optional<uint64_t> here = inThread.solve(column),
                            near = inOneWarp.solve(column);
    if (!near)
      return false;
    ofRegister.push_back(here ? Source{*here, 0} : split(*near));
  }
  ofLane.resize(laneBits);
  BitSpan taken;
  SmallVector<unsigned> moving;
  for (unsigned lane = 0; lane < laneBits; ++lane) {
    uint64_t difference = toLane.columns[lane] ^ fromLane.columns[lane];
    if (std::optional<uint64_t> here = inThread.solve(difference)) {
      ofLane[lane] = {*here, uint64_t(1) << lane};
      taken.add(ofLane[lane].lanes);
    } else {
      moving.push_back(lane);
    }
  }
  for (unsigned lane : moving) {
    std::optional<uint64_t> near = inOneWarp.solve(toLane.columns[lane]);
    if (!near)
      return false;
    ofLane[lane] = pickCopy(split(*near), taken);
  }
  for (auto [wanted, had] : llvm::zip_equal(toWarp.columns, fromWarp.columns)) {
    std::optional<uint64_t> here = inThread.solve(wanted ^ had),
                            near = inOneWarp.solve(wanted ^ had);
    if (!near)
      return false;
    ofWarp.push_back(here ? Source{*here, 0} : split(*near));
  }
  return true;
}

/// Two lanes that read different registers of one lane cannot do so in the same
/// round. Lanes that differ in some bits then take another register first, one
/// that comes from a lane which no lane reads yet.
bool ExchangeFinder::choosePlaces() {
  keeps.assign(laneBits, 0);
  reads = ofLane;
  while (true) {
    BitSpan lanes;
    std::optional<unsigned> conflict;
    for (unsigned lane = 0; lane < laneBits && !conflict; ++lane) {
      if (std::optional<uint64_t> others = lanes.solve(reads[lane].lanes)) {
        uint64_t registers = reads[lane].registers;
        for (unsigned other = 0; other < lane; ++other)
          if (*others >> other & 1)
            registers ^= reads[other].registers;
        if (registers)
          conflict = lane;
      }
      lanes.add(reads[lane].lanes);
    }
    if (!conflict)
      return true;
    BitSpan all;
    for (const Source &read : reads)
      all.add(read.lanes);
    // Best a lane's own: then one round in two or more needs no shuffle.
    auto *unused = llvm::find_if(ofRegister, [&](const Source &source) {
      return source.lanes == uint64_t(1) << *conflict &&
             !all.contains(source.lanes);
    });
    if (unused == ofRegister.end())
      unused = llvm::find_if(ofRegister, [&](const Source &source) {
        return !all.contains(source.lanes);
      });
    if (unused == ofRegister.end())
      return false;
    keeps[*conflict] ^= uint64_t(1) << (unused - ofRegister.begin());
    reads[*conflict].registers ^= unused->registers;
    reads[*conflict].lanes ^= unused->lanes;
  }
}

/// The matrices, and the part of each round that is the same for all threads.
void ExchangeFinder::describe(Exchange &exchange) const {
  SmallVector<uint64_t> lanes, registers;
  for (const Source &read : reads) {
    lanes.push_back(read.lanes);
    registers.push_back(read.registers);
  }
  // G leads from the lane that is read to the register that it sends: N after
  // the inverse of M. Lanes that no lane reads send anything.
  BitSpan span(lanes);
  for (unsigned lane = 0; lane < laneBits; ++lane)
    span.add(uint64_t(1) << lane);
  for (unsigned lane = 0; lane < laneBits; ++lane) {
    uint64_t readers = *span.solve(uint64_t(1) << lane);
    exchange.sendsOfLane.push_back(
        sumOf(registers, readers & ((uint64_t(1) << laneBits) - 1)));
  }
  auto sends = [&](const Source &source) {
    return source.registers ^ sumOf(exchange.sendsOfLane, source.lanes);
  };
  exchange.readsOfLane = lanes;
  exchange.keepsOfLane = keeps;
  for (const Source &source : ofWarp) {
    exchange.readsOfWarp.push_back(source.lanes);
    exchange.sendsOfWarp.push_back(sends(source));
  }
  exchange.fromWeights = fromRegister.weights;
  exchange.toWeights = toRegister.weights;

  SmallVector<OddDigit> odd = getOddDigits(to, inRegister),
                        matched = *matchOddDigits(from, to);
  for (int64_t number = 0; number < to.getInputSize(inRegister); ++number) {
    Source source;
    for (auto [weight, part] : llvm::zip_equal(toRegister.weights, ofRegister))
      if (number / weight % 2) {
        source.registers ^= part.registers;
        source.lanes ^= part.lanes;
      }
    int64_t send = flipBits(0, sends(source), fromRegister.weights);
    for (auto [digit, other] : llvm::zip_equal(odd, matched))
      send += number / digit.weight % digit.count * other.weight;
    exchange.rounds.push_back({int64_t(source.lanes), send});
  }
}

std::optional<Exchange> ExchangeFinder::find() {
  for (unsigned out = 0; out < from.getOutputs().size(); ++out)
    if (from.getRadix(out) != to.getRadix(out))
      return std::nullopt;
  if (!matchOddDigits(from, to) || !findSources() || !choosePlaces())
    return std::nullopt;
  Exchange exchange;
  describe(exchange);
  return exchange;
}

static bool isZero(ArrayRef<uint64_t> words) {
  return llvm::all_of(words, [](uint64_t word) { return word == 0; });
}

bool Exchange::readsOwnLane() const {
  for (auto [lane, reads] : llvm::enumerate(readsOfLane))
    if (reads != uint64_t(1) << lane)
      return false;
  return isZero(readsOfWarp);
}

bool Exchange::isInThread() const {
  return readsOwnLane() && isZero(keepsOfLane) &&
         llvm::all_of(rounds,
                      [](const Round &round) { return round.lane == 0; });
}

bool Exchange::isSameForAll() const {
  return isZero(sendsOfLane) && isZero(sendsOfWarp) && isZero(keepsOfLane);
}

//===----------------------------------------------------------------------===//
// The cheapest way
//===----------------------------------------------------------------------===//

llvm::Expected<Conversion> layouts::planConversion(const Layout &from,
                                                   const Layout &to,
                                                   int64_t elementBytes) {
  for (const Layout *layout : {&from, &to})
    if (llvm::Error error = checkInRegisters(*layout))
      return error;
  if (from.getOutputs() != to.getOutputs())
    return llvm::createStringError("the layouts are of different tiles");
  if (from.getInputSize(inWarp) != to.getInputSize(inWarp))
    return llvm::createStringError(llvm::formatv(
        "one layout has {0} warps, the other {1}: a tile is converted by the "
        "warps that have it",
        from.getInputSize(inWarp), to.getInputSize(inWarp)));
  if (std::optional<Exchange> exchange = ExchangeFinder(from, to).find()) {
    Way way = Way::Shuffles;
    if (exchange->isInThread()) {
      way = Way::Registers;
      bool sameNumbers = llvm::all_of(
          llvm::enumerate(exchange->rounds), [](const auto &round) {
            return round.value().send == int64_t(round.index());
          });
      if (exchange->isSameForAll() && sameNumbers &&
          from.getInputSize(inRegister) == to.getInputSize(inRegister))
        way = Way::Nothing;
    }
    return Conversion{way, std::move(exchange), std::nullopt};
  }
  llvm::Expected<Layout> scratch = chooseScratch(from, to, elementBytes);
  if (!scratch)
    return scratch.takeError();
  return Conversion{Way::Scratch, std::nullopt, *scratch,
                    scratch->getInputSize(0) * elementBytes};
}
