//===- Names.cpp - What a name means in a scope ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom::ptx;
using llvm::StringRef;

void NameTable::leaveScope() {
  while (hidden.size() > scopes.back()) {
    Hidden &entry = hidden.back();
    if (entry.isRange)
      ranges[entry.name].pop_back();
    else if (entry.before.kind == Binding::None)
      singles.erase(entry.name);
    else
      singles[entry.name] = entry.before;
    hidden.pop_back();
  }
  scopes.pop_back();
}

bool NameTable::declare(StringRef name, Binding binding) {
  uint32_t member;
  const Binding *range = lookupRange(name, member);
  if (range && range->depth == depth())
    return false;
  binding.depth = depth();
  auto [it, inserted] = singles.try_emplace(name, binding);
  if (!inserted && it->second.depth == binding.depth)
    return false;
  if (!scopes.empty())
    hidden.push_back({name, false, inserted ? Binding() : it->second});
  it->second = binding;
  return true;
}

void NameTable::declareOutside(StringRef name, Binding binding) {
  binding.depth = 0;
  auto [it, inserted] = singles.try_emplace(name, binding);
  if (inserted)
    return;
  // Something in a scope has the name: it comes to light when that scope ends.
  for (Hidden &entry : hidden)
    if (!entry.isRange && entry.name == name &&
        entry.before.kind == Binding::None) {
      entry.before = binding;
      return;
    }
}

bool NameTable::declareRange(StringRef prefix, Binding binding) {
  binding.depth = depth();
  llvm::SmallVectorImpl<Binding> &declarations = ranges[prefix];
  if (!declarations.empty() && declarations.back().depth == binding.depth)
    return false;
  if (!scopes.empty())
    hidden.push_back({prefix, true, Binding()});
  declarations.push_back(binding);
  return true;
}

uint32_t NameTable::lineOf(StringRef name) const {
  uint32_t member;
  if (const Binding *binding = lookup(name, member))
    return binding->line;
  auto it = ranges.find(name);
  return it != ranges.end() && !it->second.empty() ? it->second.back().line : 0;
}

void NameTable::replace(StringRef name, const ptx::Symbol *symbol) {
  singles[name].symbol = symbol;
}

/// `%r12` may be member 12 of `%r<n>` or member 2 of `%r1<n>`: every split is
/// tried, from the shortest prefix on, as ptxas does it, whichever of the two
/// is the inner one. Members have at most 10 digits and no leading zeros, which
/// bounds the number of splits.
const Binding *NameTable::lookupRange(StringRef name, uint32_t &member) const {
  size_t split = name.size();
  while (split > 0 && llvm::isDigit(name[split - 1]))
    --split;
  if (name.size() - split > 10)
    split = name.size() - 10;
  for (; split < name.size(); ++split) {
    if (name[split] == '0' && split + 1 < name.size())
      continue;
    auto it = ranges.find(name.substr(0, split));
    if (it == ranges.end())
      continue;
    uint64_t number = 0;
    for (char digit : name.substr(split))
      number = number * 10 + (digit - '0');
    for (const Binding &binding : llvm::reverse(it->second))
      if (number < binding.reg.count) {
        member = static_cast<uint32_t>(number);
        return &binding;
      }
  }
  return nullptr;
}

const Binding *NameTable::lookup(StringRef name, uint32_t &member) const {
  member = 0;
  const Binding *range =
      llvm::isDigit(name.back()) ? lookupRange(name, member) : nullptr;
  // Most registers are members of ranges that nothing hides.
  auto it = singles.find(name);
  if (it == singles.end())
    return range;
  if (range && range->depth > it->second.depth)
    return range;
  member = 0;
  return &it->second;
}
