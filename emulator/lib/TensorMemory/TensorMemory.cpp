//===- TensorMemory.cpp - The tensor memory of an SM ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory/TensorMemory.h"
#include "Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

std::string TensorAddress::str() const {
  return formatv("lane {0}, column {1}", lane, column);
}

TensorLanes drawloom::emu::lanesOf(const TensorRegion &region) {
  TensorLanes lanes;
  for (unsigned lane = 0; lane != lanes.size(); ++lane)
    lanes[lane] = region.halves >> lane / 16 & 1;
  return lanes;
}

void drawloom::emu::addRanges(llvm::SmallVectorImpl<TensorRange> &ranges,
                              uint32_t rank, const TensorLanes &lanes,
                              const TensorRegion &region) {
  for (unsigned lane = 0; lane != lanes.size(); ++lane) {
    if (!lanes[lane])
      continue;
    unsigned first = lane;
    while (lane != lanes.size() && lanes[lane])
      ++lane;
    ranges.push_back({uint16_t(rank), uint16_t(first), uint16_t(lane - first),
                      uint16_t(region.column), uint16_t(region.columns)});
    --lane;
  }
}

TensorMemory::TensorMemory(unsigned columns)
    : columnsField(columns), words(new uint32_t[size_t(lanes) * columns]),
      owners(columns / unit, nullptr) {}

bool TensorMemory::isFree(unsigned firstUnit, unsigned units) const {
  return llvm::all_of(llvm::ArrayRef(owners).slice(firstUnit, units),
                      [](CTA *owner) { return !owner; });
}

uint32_t TensorMemory::take(const IssuePoint &issue, unsigned firstUnit,
                            unsigned units) {
  llvm::fill(llvm::MutableArrayRef(owners).slice(firstUnit, units), issue.cta);
  uint32_t column = firstUnit * unit, count = units * unit;
  allocations.push_back({issue, column, count});
  for (unsigned lane = 0; lane != lanes; ++lane)
    std::fill_n(at(lane, column), count, ~0u);
  return column;
}

std::optional<uint32_t> TensorMemory::allocate(const IssuePoint &issue,
                                               uint32_t count) {
  unsigned units = count / unit;
  for (unsigned first = 0; first + units <= owners.size(); ++first)
    if (isFree(first, units))
      return take(issue, first, units);
  return std::nullopt;
}

std::optional<uint32_t>
TensorMemory::allocatePair(const IssuePoint (&issues)[2], uint32_t count) {
  TensorMemory &even = tensorMemory(*issues[0].cta);
  TensorMemory &odd = tensorMemory(*issues[1].cta);
  unsigned units = count / unit;
  for (unsigned first = 0; first + units <= even.owners.size(); ++first)
    if (even.isFree(first, units) && odd.isFree(first, units)) {
      even.take(issues[0], first, units);
      return odd.take(issues[1], first, units);
    }
  return std::nullopt;
}

/// "32 columns from column 64 on"
static std::string describeColumns(uint32_t column, uint32_t count) {
  return formatv("{0} columns from column {1} on", count, column);
}

/// The allocations of a CTA; of all with their CTAs if it is null.
std::string TensorMemory::list(CTA *of) const {
  llvm::SmallVector<std::string, 4> parts;
  for (const Allocation &allocation : allocations)
    if (!of || allocation.issue.cta == of)
      parts.push_back(
          describeColumns(allocation.column, allocation.count) +
          (of ? "" : " by CTA " + allocation.issue.cta->id().str()));
  return parts.empty() ? "nothing" : llvm::join(parts, ", ");
}

std::string TensorMemory::free(CTA &cta, uint32_t column, uint32_t count) {
  auto *it = llvm::find_if(allocations, [&](const Allocation &allocation) {
    return allocation.issue.cta == &cta && allocation.column == column;
  });
  if (it == allocations.end())
    return formatv("column {0}, where no allocation starts; the CTA has "
                   "allocated {1}",
                   column, list(&cta));
  if (it->count != count)
    return formatv("{0} columns from column {1} on: {2} were allocated there",
                   count, column, it->count);
  llvm::fill(llvm::MutableArrayRef(owners).slice(column / unit, count / unit),
             nullptr);
  allocations.erase(it);
  wakeAll();
  return "";
}

std::string TensorMemory::checkAccess(CTA &cta,
                                      const TensorRegion &region) const {
  uint32_t end = region.column + region.columns;
  if (end > columnsField)
    return formatv("columns {0} to {1} of tensor memory, which has {2}",
                   region.column, end - 1, columnsField);
  for (unsigned index = region.column / unit; index * unit < end; ++index)
    if (owners[index] != &cta)
      return formatv("columns {0} to {1} of tensor memory, but column {2} "
                     "isn't the CTA's: it has allocated {3}",
                     region.column, end - 1,
                     std::max<uint32_t>(index * unit, region.column),
                     list(&cta));
  return "";
}

std::string TensorMemory::describe(const Fragment &waiter) const {
  return formatv("waits for {0} of the {1} columns of tensor memory; allocated "
                 "are {2}",
                 waiter.waitValue, columnsField, list(nullptr));
}

void TensorMemory::ctaExited(CTA &cta) {
  for (const Allocation &allocation : allocations)
    if (allocation.issue.cta == &cta) {
      cta.machine().fail(
          allocation.issue, ReportKind::Protocol,
          "the CTA exits and hasn't freed its tensor memory "
          "(tcgen05.dealloc): " +
              describeColumns(allocation.column, allocation.count) +
              ", allocated here");
      return;
    }
}

void drawloom::emu::prepareSm(Sm &sm, const DeviceModel &model) {
  if (unsigned columns = model.tensorMemoryColumns)
    sm.extensions.get<TensorMemory>(columns);
}

TensorMemory &drawloom::emu::tensorMemory(CTA &cta) {
  return cta.sm().extensions.get<TensorMemory>(
      cta.machine().device().model().tensorMemoryColumns);
}
