//===- Print.cpp - A protocol as text and as JSON -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::protocol;
using llvm::formatv;
using Kind = Event::Kind;

static llvm::StringRef spell(Kind kind) {
  switch (kind) {
  case Kind::Init:
    return "init";
  case Kind::Invalidate:
    return "inval";
  case Kind::Wait:
    return "wait";
  case Kind::Arrive:
    return "arrive";
  case Kind::ArriveExpect:
    return "arrive-expect";
  case Kind::Expect:
    return "expect";
  case Kind::Copy:
    return "copy";
  case Kind::Commit:
    return "commit";
  case Kind::CopyArrive:
    return "copy-arrive";
  default:
    return "other";
  }
}

/// "0, 2-5"
static std::string ranges(llvm::ArrayRef<unsigned> numbers) {
  std::string text;
  for (size_t i = 0; i != numbers.size();) {
    size_t end = i + 1;
    while (end != numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end - i > 1)
      text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

/// "warps 4-7, all lanes", with CTAs if there are several.
static std::string describeWho(const Part &part, const Claims &claims) {
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> byLanes;
  for (auto [warp, mask] : part.who)
    byLanes[{warp.rank, static_cast<unsigned>(llvm::popcount(mask))}].push_back(
        warp.warp);
  std::string text;
  for (const auto &[key, warps] : byLanes) {
    text += text.empty() ? "" : "; ";
    text += warps.size() == 1 ? "warp " : "warps ";
    text += ranges(warps);
    if (claims.ctas() > 1)
      text += formatv(" of CTA {0}", key.first);
    text += key.second == lanesOfWarp ? std::string(", all lanes")
            : key.second == 1 ? std::string(", one lane")
                              : formatv(", {0} lanes", key.second).str();
  }
  return text;
}

static std::string list(const std::set<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// A barrier as text, the same for all slots of a ring.
static std::string describe(const Barrier &barrier, const Claims &claims) {
  std::string text;
  for (const auto &[key, part] : barrier.parts) {
    std::string numbers;
    switch (key.first) {
    case Kind::Init:
      numbers = "count " + list(part.numbers);
      break;
    case Kind::ArriveExpect:
    case Kind::Expect:
      numbers = list(part.numbers) + " bytes";
      break;
    case Kind::Arrive:
      if (part.numbers != std::set<int64_t>{1})
        numbers = list(part.numbers) + " times";
      break;
    case Kind::Copy:
      numbers = part.numbers.empty() ? std::string("a tensor map's box")
                                     : list(part.numbers) + " bytes";
      break;
    case Kind::Wait:
      numbers = "parity " + list(part.numbers);
      if (!part.firstParities.empty())
        numbers += ", first " + list(part.firstParities);
      break;
    default:
      break;
    }
    text += formatv("    {0,-14} line {1,-6} {2}{3}{4}\n", spell(key.first),
                    part.line, numbers, numbers.empty() ? "" : "; ",
                    describeWho(part, claims));
  }
  if (!claims.isWhole(barrier))
    text += "    not all of it is known\n";
  return text;
}

static void printBarriers(const Claims &claims, llvm::raw_ostream &os) {
  // Neighbors that are alike are a ring.
  auto at = claims.barriers.begin(), end = claims.barriers.end();
  while (at != end) {
    std::string words = describe(at->second, claims);
    auto next = std::next(at);
    unsigned count = 1;
    while (next != end && next->first.rank == at->first.rank &&
           next->first.byte == at->first.byte + 8 * count &&
           describe(next->second, claims) == words) {
      ++next;
      ++count;
    }
    os << "  " << (count == 1 ? "barrier" : "barriers") << " at byte "
       << at->first.byte;
    if (count > 1)
      os << formatv(" to {0}, {1} alike", at->first.byte + 8 * (count - 1),
                    count);
    if (claims.ctas() > 1)
      os << formatv(", CTA {0}", at->first.rank);
    os << '\n' << words;
    at = next;
  }
}

void protocol::locate(llvm::MutableArrayRef<Misfit> misfits,
                      const ptx::Module &module, const ptx::Function &kernel) {
  for (Misfit &misfit : misfits) {
    // The last .loc in front of the line's first instruction.
    const auto *at =
        llvm::find_if(kernel.instructions, [&](const ptx::Instruction &one) {
          return one.line == misfit.line;
        });
    uint32_t number = at - kernel.instructions.begin();
    const ptx::SourceLocation *location = nullptr;
    for (const ptx::BodyItem &item : kernel.items)
      if (item.kind == ptx::BodyItem::Location && item.position <= number)
        location = &kernel.locations[item.index];
    if (location)
      misfit.source = module.sourceOf(kernel, *location);
  }
}

std::string protocol::describe(const Progress &progress) {
  if (!progress.isProved)
    return "not proved: " + progress.why;
  std::string text = "proved";
  for (auto [number, assumption] : llvm::enumerate(progress.assumptions)) {
    std::vector<unsigned> lines(assumption.lines.begin(),
                                assumption.lines.end());
    text +=
        formatv("{0}{1} (line{2} {3})", number ? ", and " : " if ",
                assumption.words, lines.size() == 1 ? "" : "s", ranges(lines));
  }
  return text + formatv("; {0} role{1}, {2} states", progress.roles,
                        progress.roles == 1 ? "" : "s", progress.states)
                    .str();
}

void protocol::print(const Claims &claims, llvm::ArrayRef<Misfit> misfits,
                     const Progress *progress, llvm::StringRef file,
                     bool isQuiet, llvm::raw_ostream &os) {
  for (const Misfit &misfit : misfits) {
    if (misfit.isSuppressed)
      continue;
    os << formatv("{0}:{1}: error: {2}", file, misfit.line, claims.kernel);
    if (!misfit.source.empty())
      os << ", " << ptx::spell(misfit.source);
    os << formatv(": {0} [{1}]\n", misfit.title, misfit.rule);
    os << formatv("  where:  mbarrier at byte {0}", misfit.barrier.byte);
    if (auto name = claims.names.find(misfit.barrier.byte);
        name != claims.names.end())
      os << " (" << name->second << ')';
    if (claims.ctas() > 1)
      os << formatv(" of CTA {0}", misfit.barrier.rank);
    os << formatv("\n  why:    {0}\n  change: {1}\n", misfit.why,
                  misfit.advice);
  }
  if (isQuiet)
    return;
  os << formatv("{0}: {1} threads", claims.kernel, claims.threads);
  if (claims.ctas() > 1)
    os << formatv(", clusters of {0} CTAs", claims.ctas());
  os << formatv(", {0} mbarrier{1}\n", claims.barriers.size(),
                claims.barriers.size() == 1 ? "" : "s");
  printBarriers(claims, os);
  if (!claims.counters.empty()) {
    std::vector<unsigned> lines(claims.counters.begin(), claims.counters.end());
    os << formatv(
        "  holds as long as what is counted in line{0} {1} has had no "
        "more than {2} values\n",
        lines.size() == 1 ? "" : "s", ranges(lines), claims.countedTo);
  }
  for (const Unfollowed &one : claims.unfollowed) {
    os << "  not followed: ";
    if (one.line)
      os << formatv("line {0}, {1}: ", one.line, one.mnemonic);
    os << one.why << '\n';
  }
  if (progress)
    os << "  deadlock-free: " << describe(*progress) << '\n';
}

llvm::json::Value protocol::toJson(const Claims &claims,
                                   llvm::ArrayRef<Misfit> misfits,
                                   const Progress *progress) {
  using llvm::json::Array;
  using llvm::json::Object;
  auto numbers = [](const std::set<int64_t> &set) {
    Array array;
    for (int64_t number : set)
      array.push_back(number);
    return array;
  };
  Array barriers, findings, unfollowed;
  for (const auto &[id, barrier] : claims.barriers) {
    Array parts;
    for (const auto &[key, part] : barrier.parts) {
      Array who;
      for (auto [warp, mask] : part.who)
        who.push_back(
            Object{{"cta", warp.rank}, {"warp", warp.warp}, {"lanes", mask}});
      parts.push_back(Object{{"kind", spell(key.first)},
                             {"line", part.line},
                             {"instruction", part.mnemonic},
                             {"numbers", numbers(part.numbers)},
                             {"first", numbers(part.firstParities)},
                             {"who", std::move(who)}});
    }
    barriers.push_back(Object{{"cta", id.rank},
                              {"byte", id.byte},
                              {"whole", claims.isWhole(barrier)},
                              {"parts", std::move(parts)}});
  }
  for (const Misfit &misfit : misfits) {
    Object object{{"rule", misfit.rule},        {"severity", "error"},
                  {"title", misfit.title},      {"ptxLine", misfit.line},
                  {"cta", misfit.barrier.rank}, {"byte", misfit.barrier.byte},
                  {"why", misfit.why},          {"advice", misfit.advice}};
    ptx::addSource(object, misfit.source);
    if (misfit.isSuppressed)
      object["suppressed"] = true;
    findings.push_back(std::move(object));
  }
  for (const Unfollowed &one : claims.unfollowed)
    unfollowed.push_back(Object{
        {"line", one.line}, {"instruction", one.mnemonic}, {"why", one.why}});
  Array counters;
  for (uint32_t line : claims.counters)
    counters.push_back(line);
  Object all{{"kernel", claims.kernel},
             {"threads", claims.threads},
             {"ctas", claims.ctas()},
             {"whole", claims.isWhole()},
             {"counters", std::move(counters)},
             {"counted_to", claims.countedTo},
             {"mbarriers", std::move(barriers)},
             {"findings", std::move(findings)},
             {"not_followed", std::move(unfollowed)}};
  Array assumptions;
  if (progress)
    for (const Assumption &one : progress->assumptions) {
      Array lines;
      for (uint32_t line : one.lines)
        lines.push_back(line);
      assumptions.push_back(Object{
          {"rule", one.rule}, {"if", one.words}, {"lines", std::move(lines)}});
    }
  if (progress)
    all["progress"] = Object{{"proved", progress->isUnconditional()},
                             {"assumptions", std::move(assumptions)},
                             {"roles", progress->roles},
                             {"states", progress->states},
                             {"why", progress->why}};
  return all;
}
