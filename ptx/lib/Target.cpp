//===- Target.cpp - What a feature of PTX needs ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::ptx;

namespace {
/// An architecture: the PTX version that introduced it, its suffix 'a' and its
/// suffix 'f' ({} if it has none), and the family it belongs to (0: none).
struct Architecture {
  uint16_t sm;
  Version base;
  Version specific;
  Version family;
  uint8_t familyId;
};
} // namespace

/// PTX ISA, section 11.1.2: the table of targets and the table of families.
static constexpr Architecture architectures[] = {
    {20, {2, 0}, {}, {}, 0},           {30, {3, 0}, {}, {}, 0},
    {32, {4, 0}, {}, {}, 0},           {35, {3, 1}, {}, {}, 0},
    {37, {4, 1}, {}, {}, 0},           {50, {4, 0}, {}, {}, 0},
    {52, {4, 1}, {}, {}, 0},           {53, {4, 2}, {}, {}, 0},
    {60, {5, 0}, {}, {}, 0},           {61, {5, 0}, {}, {}, 0},
    {62, {5, 0}, {}, {}, 0},           {70, {6, 0}, {}, {}, 0},
    {72, {6, 1}, {}, {}, 0},           {75, {6, 3}, {}, {}, 0},
    {80, {7, 0}, {}, {}, 0},           {86, {7, 1}, {}, {}, 0},
    {87, {7, 4}, {}, {}, 0},           {88, {9, 0}, {}, {}, 0},
    {89, {7, 8}, {}, {}, 0},           {90, {7, 8}, {8, 0}, {}, 0},
    {100, {8, 6}, {8, 6}, {8, 8}, 10}, {101, {8, 6}, {8, 6}, {8, 8}, 11},
    {103, {8, 8}, {8, 8}, {8, 8}, 10}, {110, {9, 0}, {9, 0}, {9, 0}, 11},
    {120, {8, 7}, {8, 7}, {8, 8}, 12}, {121, {8, 8}, {8, 8}, {8, 8}, 12},
};

static const Architecture *find(uint16_t sm) {
  const auto *it = llvm::find_if(
      architectures, [&](const Architecture &a) { return a.sm == sm; });
  return it == std::end(architectures) ? nullptr : it;
}

std::string Version::str() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::optional<Version> drawloom::ptx::parseVersion(llvm::StringRef text) {
  Version version;
  auto [major, minor] = text.split('.');
  if (major.getAsInteger(10, version.major) ||
      minor.getAsInteger(10, version.minor))
    return std::nullopt;
  return version;
}

std::string Target::str() const {
  std::string text = "sm_" + std::to_string(sm);
  if (suffix)
    text += suffix;
  return text;
}

std::optional<Target> drawloom::ptx::parseTarget(llvm::StringRef text) {
  Target target;
  if (!text.consume_front("sm_"))
    return std::nullopt;
  if (text.ends_with("a") || text.ends_with("f")) {
    target.suffix = text.back();
    text = text.drop_back();
  }
  if (text.getAsInteger(10, target.sm))
    return std::nullopt;
  const Architecture *arch = find(target.sm);
  if (!arch || sinceVersion(target) == Version())
    return std::nullopt;
  return target;
}

Version drawloom::ptx::sinceVersion(Target target) {
  const Architecture *arch = find(target.sm);
  if (!arch)
    return {};
  if (target.suffix == 'a')
    return arch->specific;
  return target.suffix == 'f' ? arch->family : arch->base;
}

bool drawloom::ptx::provides(Target declared, Target needed) {
  if (!needed.suffix)
    return declared.sm >= needed.sm;
  if (needed.suffix == 'a')
    return declared == needed;
  const Architecture *have = find(declared.sm), *want = find(needed.sm);
  return declared.suffix && have && want && have->familyId == want->familyId &&
         declared.sm >= needed.sm;
}

bool Requirement::isSatisfied(Version version, Target target) const {
  return alternatives.empty() ||
         llvm::any_of(alternatives, [&](const RequirementAlternative &a) {
           return version >= a.version &&
                  (a.targets.empty() ||
                   llvm::any_of(a.targets, [&](Target needed) {
                     return provides(target, needed);
                   }));
         });
}

std::string Requirement::str() const {
  std::string text;
  for (const RequirementAlternative &a : alternatives) {
    if (!text.empty())
      text += ", or ";
    text += "PTX " + a.version.str();
    llvm::StringRef join = " and ";
    for (Target target : a.targets) {
      text += join;
      text += target.str();
      join = " or ";
    }
  }
  return text;
}

std::optional<Requirement>
drawloom::ptx::parseRequirement(llvm::StringRef text) {
  Requirement requirement;
  llvm::SmallVector<llvm::StringRef, 4> alternatives, words;
  text.split(alternatives, ';', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef alternative : alternatives) {
    words.clear();
    alternative.split(words, ' ', -1, /*KeepEmpty=*/false);
    std::optional<Version> version =
        words.empty() ? std::nullopt : parseVersion(words.front());
    if (!version)
      return std::nullopt;
    RequirementAlternative parsed{*version, {}};
    for (llvm::StringRef word : llvm::drop_begin(words)) {
      std::optional<Target> target = parseTarget(word);
      if (!target)
        return std::nullopt;
      parsed.targets.push_back(*target);
    }
    requirement.alternatives.push_back(std::move(parsed));
  }
  return requirement;
}
