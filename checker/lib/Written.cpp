//===- Written.cpp - What isn't written yet --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Written.h"
#include "Describe.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::MemoryRange;
using llvm::utostr;

WrittenBytes::WrittenBytes(uint64_t bytes)
    : words((bytes + 63) / 64),
      missingOf((bytes + blockBytes - 1) / blockBytes, blockBytes),
      missing(words.size() * 64) {
  if (uint64_t rest = words.size() * 64 % blockBytes)
    missingOf.back() = rest;
}

template <typename F>
void WrittenBytes::forEachWord(uint64_t offset, uint64_t bytes, F f) const {
  for (uint64_t end = offset + bytes; offset < end;) {
    uint64_t count = std::min(64 - offset % 64, end - offset);
    uint64_t mask = (~uint64_t(0) >> (64 - count)) << offset % 64;
    if (!f(offset / 64, mask))
      return;
    offset += count;
  }
}

void WrittenBytes::write(uint64_t offset, uint64_t bytes) {
  if (!missing)
    return;
  forEachWord(offset, bytes, [&](uint64_t word, uint64_t mask) {
    unsigned more = llvm::popcount(mask & ~words[word]);
    missing -= more;
    missingOf[word * 64 / blockBytes] -= more;
    words[word] |= mask;
    return true;
  });
}

void WrittenBytes::undo(uint64_t offset) {
  uint64_t bit = uint64_t(1) << offset % 64;
  if (!(words[offset / 64] & bit))
    return;
  words[offset / 64] &= ~bit;
  ++missing;
  ++missingOf[offset / blockBytes];
}

bool WrittenBytes::isAnyWritten(uint64_t offset, uint64_t bytes) const {
  bool isAny = !missing;
  if (!isAny)
    forEachWord(offset, bytes, [&](uint64_t word, uint64_t mask) {
      isAny = words[word] & mask;
      return !isAny;
    });
  return isAny;
}

std::pair<uint64_t, uint64_t> WrittenBytes::findGap(uint64_t offset,
                                                    uint64_t bytes) const {
  const uint64_t end = offset + bytes;
  while (missing && offset < end) {
    if (isWritten(offset)) {
      // A whole word is passed at once.
      bool isWhole = offset % 64 == 0 && words[offset / 64] == ~uint64_t(0);
      offset += isWhole ? 64 : 1;
      continue;
    }
    uint64_t begin = offset;
    while (offset < end && !isWritten(offset))
      ++offset;
    if (offset - begin >= padding)
      return {begin, offset};
  }
  return {end, end};
}

/// Calls f(address, lane) for the pieces of a range; -1 for all lanes together.
template <typename F>
static void forEachPiece(const MemoryRange &range, F f) {
  uint32_t lanes = range.lanes;
  for (uint32_t piece = 0; piece != range.count; ++piece, lanes &= lanes - 1)
    f(range.address + piece * range.pitch,
      lanes ? llvm::countr_zero(lanes) : -1);
}

/// Whether it adds to what it reads: an atomic, or an MMA to its accumulator.
static bool isUpdate(const Access &access) {
  if (access.reads && access.writes && !access.isEngine)
    return true;
  llvm::StringRef name =
      ptx::spelling(access.kernel->parsed(access.instruction)->opcode());
  return access.isEngine && name.starts_with("tcgen05.mma");
}

/// `bytes`: that are read; `since`: "the CTA has started".
static void report(Rule rule, const Access &access, Finding::Space space,
                   uint64_t address, int lane, const std::string &what,
                   const char *since, Findings &findings) {
  if (!findings.isFirst(rule, access.kernel, access.instruction,
                        access.instruction))
    return;
  Finding finding;
  finding.rule = rule;
  finding.space = space;
  finding.first = describeSite(access, lane);
  finding.first.writes = false;
  finding.firstInstruction = finding.secondInstruction = access.instruction;
  describeFinding(finding, access, access, address);
  std::string line = lineOf(finding.first);
  finding.why = line + " reads " + what + " not written since " + since +
                "; they may hold anything";
  finding.advice = "a write before " + line +
                   " (if a copy fills the memory, a wait for it), or a "
                   "condition around it";
  findings.add(std::move(finding));
}

static void report(const Access &access, Finding::Space space, uint64_t address,
                   int lane, const std::string &what, const char *since,
                   Findings &findings) {
  // A load may be of what isn't used; a sum uses it.
  report(isUpdate(access) ? Rule::UninitializedUpdate : Rule::Uninitialized,
         access, space, address, lane, what, since, findings);
}

//===----------------------------------------------------------------------===//
// Shared and tensor memory
//===----------------------------------------------------------------------===//

/// From the first byte of a range to the last.
static std::pair<uint64_t, uint64_t> hullOf(const MemoryRange &range) {
  int64_t reach = int64_t(range.count - 1) * range.pitch;
  return {range.address + std::min<int64_t>(reach, 0),
          range.address + std::max<int64_t>(reach, 0) + range.bytes};
}

bool WrittenInCluster::isComplete(uint64_t begin, uint64_t end) const {
  uint32_t rank = emu::getRank(begin);
  return rank < shared.size() && rank == emu::getRank(end - 1) &&
         shared[rank].isComplete(begin & emu::sharedOffsetMask, end - begin);
}

WrittenBytes &WrittenInCluster::sharedOf(uint32_t rank) {
  while (shared.size() <= rank)
    shared.emplace_back(sharedBytes);
  return shared[rank];
}

void WrittenInCluster::touchOperands(Access access,
                                     llvm::ArrayRef<MemoryRange> ranges) {
  uint64_t begin = ~uint64_t(0), end = 0;
  for (const MemoryRange &range : ranges) {
    auto [first, last] = hullOf(range);
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
  if (isComplete(begin, end))
    return;
  for (const MemoryRange &range : ranges) {
    access.range = range;
    touch(access, false);
  }
}

void WrittenInCluster::touch(const Access &access, bool copies) {
  const MemoryRange &range = access.range;
  auto [begin, end] = hullOf(range);
  // Once a block is complete, there is nothing to find or to do.
  if (isComplete(begin, end))
    return;
  storeByEngine(access);
  bool isReported = false;
  forEachPiece(range, [&](uint64_t address, int lane) {
    uint32_t rank = emu::getRank(address);
    uint64_t offset = address & emu::sharedOffsetMask;
    WrittenBytes &memory = sharedOf(rank);
    if (access.reads && !copies && !isReported &&
        !memory.isAnyWritten(offset, range.bytes)) {
      isReported = true;
      report(access, Finding::Shared, address, lane,
             utostr(range.bytes) + " bytes of shared memory",
             "the CTA has started", findings);
    }
    if (access.writes)
      memory.write(offset, range.bytes);
  });
}

void WrittenInCluster::storeByEngine(const Access &copy) {
  if (!copy.isEngine || !copy.reads || copy.range.count != 1)
    return;
  const ptx::Variant &variant = *copy.kernel->parsed(copy.instruction)->variant;
  // Rows of unfilled tensor tiles may be outside the tensor.
  llvm::StringRef name = ptx::spelling(variant.opcode());
  bool isBulk = name == "cp.async.bulk" || name == "cp.reduce.async.bulk";
  if (!isBulk || variant.has(ptx::Modifier::CpMask) ||
      !variant.has(ptx::Modifier::BulkGroup))
    return;
  const uint64_t address = copy.range.address;
  auto [begin, end] =
      sharedOf(emu::getRank(address))
          .findGap(address & emu::sharedOffsetMask, copy.range.bytes);
  if (begin != end)
    report(Rule::UndefinedValue, copy, Finding::Shared,
           address + (begin - (address & emu::sharedOffsetMask)), -1,
           "for its copy to global memory " + utostr(end - begin) +
               " bytes of shared memory",
           "the CTA has started", findings);
}

void WrittenInCluster::markUndefined(const emu::AccessEvent &load) {
  for (const MemoryRange &range : load.ranges) {
    auto [begin, end] = hullOf(range);
    if (!emu::isShared(range.address) || isComplete(begin, end))
      continue;
    forEachPiece(range, [&](uint64_t address, int lane) {
      if (lane < 0 || !emu::isShared(address))
        return;
      const WrittenBytes &memory = sharedOf(emu::getRank(address));
      uint64_t offset = address & emu::sharedOffsetMask;
      for (uint32_t byte = 0; byte != range.bytes; ++byte)
        load.undefined[lane] |= uint32_t(!memory.isWritten(offset + byte))
                                << byte;
    });
  }
}

void WrittenInCluster::undoUndefined(const emu::AccessEvent &store) {
  for (const MemoryRange &range : store.ranges)
    forEachPiece(range, [&](uint64_t address, int lane) {
      if (lane < 0 || !emu::isShared(address))
        return;
      for (uint32_t bytes = store.undefined[lane]; bytes; bytes &= bytes - 1)
        shared[emu::getRank(address)].undo((address & emu::sharedOffsetMask) +
                                           llvm::countr_zero(bytes));
    });
}

void WrittenInCluster::allocate(uint32_t rank, uint32_t column,
                                uint32_t columns) {
  if (tensor.size() <= rank)
    tensor.resize(rank + 1);
  tensor[rank].resize(tensorColumns);
  std::fill_n(tensor[rank].begin() + column, columns, 0);
}

void WrittenInCluster::touchTensor(const Access &access,
                                   llvm::ArrayRef<emu::TensorRange> ranges) {
  for (const emu::TensorRange &range : ranges) {
    if (range.rank >= tensor.size() || tensor[range.rank].empty())
      continue;
    std::bitset<tensorLanes> lanes;
    lanes.set();
    lanes >>= tensorLanes - range.lanes;
    lanes <<= range.lane;
    for (uint32_t column = range.column; column != range.column + range.columns;
         ++column) {
      std::bitset<tensorLanes> &written = tensor[range.rank][column];
      const bool isMissing = (written & lanes).none();
      if (access.writes)
        written |= lanes;
      if (access.reads && isMissing)
        return report(access, Finding::TensorMemory,
                      tensorAddress(range.rank, range.lane, column), -1,
                      utostr(range.lanes) + " lanes of a column",
                      "the columns were allocated", findings);
    }
  }
}

//===----------------------------------------------------------------------===//
// Local memory
//===----------------------------------------------------------------------===//

void WrittenLocal::event(const emu::LocalEvent &event, const Access &access) {
  std::vector<uint32_t> &bytes =
      missing[uint32_t(event.origin.rank) << 16 | event.origin.warp];
  auto touch = [&](uint64_t address, uint32_t size, uint32_t lanes) {
    uint64_t begin = address - emu::localWindow, end = begin + size;
    if (event.kind == emu::LocalEvent::Allocate && bytes.size() < end)
      bytes.resize(end);
    // A store of an undefined value leaves memory without one.
    if (event.undefined && bytes.size() < end)
      bytes.resize(end);
    uint32_t never = end <= bytes.size() ? lanes : 0;
    for (uint64_t at = begin; at < std::min(end, bytes.size()); ++at) {
      never &= bytes[at];
      if (event.kind == emu::LocalEvent::Allocate)
        bytes[at] |= lanes;
      else if (event.kind == emu::LocalEvent::Write)
        bytes[at] &= ~lanes;
      if (!event.undefined)
        continue;
      for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = llvm::countr_zero(rest);
        uint32_t bit = 1u << (at - begin);
        if (event.kind == emu::LocalEvent::Read && bytes[at] >> lane & 1)
          event.undefined[lane] |= bit;
        else if (event.kind == emu::LocalEvent::Write)
          bytes[at] |= uint32_t((event.undefined[lane] & bit) != 0) << lane;
      }
    }
    if (event.kind == emu::LocalEvent::Read && never)
      report(access, Finding::Local, address, llvm::countr_zero(never),
             utostr(size) + " bytes of local memory",
             "their function was called", findings);
  };
  for (const MemoryRange &range : event.ranges) {
    if (range.pitch == 0) {
      touch(range.address, range.bytes, range.lanes);
      continue;
    }
    forEachPiece(range, [&](uint64_t address, int lane) {
      touch(address, range.bytes, 1u << lane);
    });
  }
}

//===----------------------------------------------------------------------===//
// Uses of undefined values
//===----------------------------------------------------------------------===//

static const char *describeUse(emu::UndefinedEvent::Use use) {
  switch (use) {
  case emu::UndefinedEvent::Store:
    return " stores it";
  case emu::UndefinedEvent::Address:
    return " uses it in an address";
  case emu::UndefinedEvent::Branch:
    return " is executed or not by a predicate that depends on it";
  case emu::UndefinedEvent::Operand:
    return " multiplies it";
  }
  return "";
}

void drawloom::checker::reportUndefined(const emu::UndefinedEvent &event,
                                        const Access &use, Findings &findings) {
  if (!findings.isFirst(Rule::UndefinedValue, use.kernel, event.source,
                        use.instruction))
    return;
  Access source = use;
  source.instruction = event.source;
  Finding finding;
  finding.rule = Rule::UndefinedValue;
  finding.space = Finding::Registers;
  finding.first = describeSite(source, use.lane);
  finding.second = describeSite(use, use.lane);
  finding.firstInstruction = event.source;
  finding.secondInstruction = use.instruction;
  describeFinding(finding, source, use, 0);
  bool isShuffle =
      use.kernel->parsed(event.source)->opcode() == ptx::Opcode::Shfl;
  std::string first = lineOf(finding.first), second = lineOf(finding.second);
  finding.why = (isShuffle ? "what " + first +
                                 " reads from a lane that takes no part in it"
                           : "what " + first +
                                 " loads was never written, or written with an "
                                 "undefined value") +
                "; it may be anything, and " + second + describeUse(event.use);
  finding.advice =
      isShuffle ? "a source lane that the member mask of " + first +
                      " names, or a condition around " + second
                : "a write before " + first +
                      " (if a copy fills the memory, a wait for it), or a "
                      "condition around " +
                      second;
  findings.add(std::move(finding));
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

void WrittenGlobal::allocate(uint64_t address, uint64_t bytes) {
  regions.insert_or_assign(address,
                           Region{address + bytes, WrittenBytes(bytes)});
  // The last word has bits for bytes that there aren't.
  if (bytes % 64)
    regions.find(address)->second.bytes.write(bytes, 64 - bytes % 64);
}

std::map<uint64_t, WrittenGlobal::Region>::iterator
WrittenGlobal::find(uint64_t address) {
  auto it = regions.upper_bound(address);
  if (it == regions.begin())
    return regions.end();
  --it;
  return address < it->second.end ? it : regions.end();
}

void WrittenGlobal::write(uint64_t address, uint64_t bytes) {
  auto it = find(address);
  if (it == regions.end())
    return;
  it->second.bytes.write(address - it->first,
                         std::min(bytes, it->second.end - address));
  if (it->second.bytes.isComplete())
    regions.erase(it);
}

std::pair<uint64_t, uint64_t> WrittenGlobal::findGap(uint64_t address,
                                                     uint64_t bytes) {
  auto it = find(address);
  if (it == regions.end())
    return {address, address};
  auto [begin, end] = it->second.bytes.findGap(
      address - it->first, std::min(bytes, it->second.end - address));
  return {it->first + begin, it->first + end};
}

void WrittenGlobal::touch(const Access &access) {
  if (regions.empty() || access.proxy == emu::Proxy::TensorMap)
    return;
  bool isReported = false;
  forEachPiece(access.range, [&](uint64_t address, int lane) {
    auto it = find(address);
    if (it == regions.end())
      return;
    if (access.reads && !access.isEngine && !isReported &&
        !it->second.bytes.isAnyWritten(address - it->first,
                                       access.range.bytes)) {
      isReported = true;
      report(access, Finding::Global, address, lane,
             utostr(access.range.bytes) + " bytes of global memory",
             "they were allocated", findings);
    }
    if (access.writes)
      write(address, access.range.bytes);
  });
}
