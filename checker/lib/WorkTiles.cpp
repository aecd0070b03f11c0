//===- WorkTiles.cpp - What roles of a CTA take next ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkTiles.h"
#include "Describe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;

void WorkTiles::answer(const emu::AnswerEvent &event) {
  if (!event.isCanceled)
    return failedQuery(event.origin);
  const emu::Origin &by = event.origin;
  Taker &taker = takers[{by.rank, by.warp}];
  taker.instructions.insert(by.instruction);
  // An answer has several parts, which are taken one by one; two answers never
  // name the same cluster.
  if (taker.items.empty() || taker.items.back().cta != event.firstCta)
    taker.items.push_back({event.firstCta, by});
  std::vector<emu::Dim3> &seen = order[by.rank];
  if (!llvm::is_contained(seen, event.firstCta))
    seen.push_back(event.firstCta);
}

void WorkTiles::failedQuery(const emu::Origin &by) {
  const bool isFirst =
      llvm::StringRef(ptx::spelling(kernel->parsed(by.instruction)->opcode()))
          .contains("get_first_ctaid");
  if (!isFirst || !findings.isFirst(Rule::FailedQuery, kernel, by.instruction,
                                    by.instruction))
    return;
  Finding finding;
  finding.rule = Rule::FailedQuery;
  finding.space = Finding::Registers;
  finding.kernel = llvm::demangle(kernel->function->name);
  finding.first = describeSite(*kernel, ctas, by);
  finding.firstInstruction = finding.secondInstruction = by.instruction;
  finding.cta = finding.first.cta;
  std::string line = lineOf(finding.first);
  finding.why = line + " asks for the first CTA of a request that failed, as "
                       "the last one of every CTA does; what it gets is "
                       "undefined, whether it is used or not";
  finding.advice = "query_cancel.is_canceled first, and its predicate as the "
                   "guard of " +
                   line;
  findings.add(std::move(finding));
}

std::vector<WorkTiles::Role> WorkTiles::rolesOf(uint32_t rank) const {
  std::vector<Role> roles;
  for (const auto &[key, taker] : takers) {
    if (key.first != rank)
      continue;
    Role role{taker.instructions, {&taker.items}};
    llvm::erase_if(roles, [&](const Role &other) {
      if (llvm::none_of(other.instructions, [&](uint32_t instruction) {
            return role.instructions.contains(instruction);
          }))
        return false;
      role.instructions.insert(other.instructions.begin(),
                               other.instructions.end());
      role.warps.insert(role.warps.begin(), other.warps.begin(),
                        other.warps.end());
      return true;
    });
    roles.push_back(std::move(role));
  }
  return roles;
}

/// Whether two warps have nothing in common.
template <typename Items>
static bool areApart(const Items &first, const Items &second) {
  return llvm::none_of(first, [&](const auto &item) {
    return llvm::any_of(
        second, [&](const auto &other) { return other.cta == item.cta; });
  });
}

WorkTiles::Items WorkTiles::itemsOf(const Role &role, uint32_t rank) const {
  if (llvm::none_of(role.warps, [&](const Items *warp) {
        return areApart(*warp, *role.warps.front());
      }))
    return *role.warps.front();
  Items all;
  for (const emu::Dim3 &cta : order.at(rank))
    for (const Items *warp : role.warps) {
      auto it = llvm::find_if(
          *warp, [&](const Item &item) { return item.cta == cta; });
      if (it == warp->end())
        continue;
      all.push_back(*it);
      break;
    }
  return all;
}

void WorkTiles::compare(uint32_t rank, bool isOver) {
  std::vector<Role> roles = rolesOf(rank);
  for (const Role &role : roles) {
    for (size_t at = 1; at != role.warps.size(); ++at)
      for (const Items *before : llvm::ArrayRef(role.warps).take_front(at))
        if (!areApart(*before, *role.warps[at])) {
          compareTwo(*before, *role.warps[at], isOver);
          break;
        }
    if (&role != &roles.front())
      compareTwo(itemsOf(roles.front(), rank), itemsOf(role, rank), isOver);
  }
  for (auto it = takers.begin(); it != takers.end();)
    it = it->first.first == rank ? takers.erase(it) : std::next(it);
  order.erase(rank);
}

void WorkTiles::compareTwo(const Items &first, const Items &second,
                           bool isOver) {
  size_t least = std::min(first.size(), second.size()), at = 0;
  while (at != least && first[at].cta == second[at].cta)
    ++at;
  if (at == std::max(first.size(), second.size()) || (at == least && !isOver))
    return;
  // Who takes less has its last one shown.
  const Item &one = first[std::min(at, first.size() - 1)];
  const Item &other = second[std::min(at, second.size() - 1)];
  if (!findings.isFirst(Rule::WorkTiles, kernel, one.by.instruction,
                        other.by.instruction))
    return;
  auto words = [&](const Items &items) {
    return "warp " + utostr(items.back().by.warp) + " takes " +
           (at < items.size() ? "that of CTA " + items[at].cta.str()
                              : "no more") +
           ", " + utostr(items.size()) + " in all";
  };
  Finding finding;
  finding.rule = Rule::WorkTiles;
  finding.space = Finding::Registers;
  finding.kernel = llvm::demangle(kernel->function->name);
  finding.first = describeSite(*kernel, ctas, one.by);
  finding.second = describeSite(*kernel, ctas, other.by);
  finding.firstInstruction = one.by.instruction;
  finding.secondInstruction = other.by.instruction;
  finding.cta = finding.first.cta;
  finding.why = "of the work tiles from cluster launch control, the " +
                (at ? utostr(at) + " before are the same; as the next, "
                    : std::string("first is another: ")) +
                words(first) + "; " + words(second);
  finding.advice =
      "every role takes every answer, once: it waits for the mbarrier that the "
      "answer comes with, and the next try_cancel to the same place waits for "
      "all that have read it";
  findings.add(std::move(finding));
}
