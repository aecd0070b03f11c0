//===- Fix.cpp - Instructions that would give an order --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/Fix.h"
#include "Describe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::StringRef;
using ptx::Opcode;

//===----------------------------------------------------------------------===//
// In a text
//===----------------------------------------------------------------------===//

std::string drawloom::checker::describe(const Fix &fix) {
  std::string text;
  for (const Insertion &one : fix)
    text += (text.empty() ? "" : ", and ") + one.text +
            (one.isAfter ? " after line " : " before line ") +
            llvm::utostr(one.line);
  return text;
}

/// Where the line begins; npos if there are fewer.
static size_t startOfLine(StringRef text, uint32_t line) {
  size_t at = 0;
  for (; line > 1 && at != StringRef::npos; --line) {
    at = text.find('\n', at);
    at += at != StringRef::npos;
  }
  return at;
}

/// Behind the semicolon that ends a statement, which may be on a later line,
/// with comments in between.
static size_t endOfStatement(StringRef text, size_t at) {
  while (at < text.size() && text[at] != ';')
    if (text.substr(at).starts_with("//"))
      at = text.find('\n', at);
    else if (text.substr(at).starts_with("/*"))
      at = text.find("*/", at);
    else
      ++at;
  return at < text.size() ? at + 1 : StringRef::npos;
}

/// In front of an instruction's guard, behind labels and what else is there.
static size_t startOfStatement(StringRef text, size_t line, size_t at) {
  size_t before = text.slice(line, at).find_last_of(";:{}");
  return before == StringRef::npos ? line : line + before + 1;
}

std::optional<std::string> drawloom::checker::insert(const Fix &fix,
                                                     StringRef ptx) {
  std::vector<std::pair<size_t, StringRef>> places;
  for (const Insertion &one : fix) {
    size_t line = startOfLine(ptx, one.line);
    size_t at = ptx.find(one.instruction, line);
    if (line == StringRef::npos || at > ptx.find('\n', line))
      return std::nullopt;
    size_t place =
        one.isAfter ? endOfStatement(ptx, at) : startOfStatement(ptx, line, at);
    if (place == StringRef::npos)
      return std::nullopt;
    places.push_back({place, one.text});
  }
  llvm::sort(places, [](const auto &a, const auto &b) {
    return a.first > b.first; // The last first: it moves nothing.
  });
  std::string result = ptx.str();
  for (auto [place, text] : places)
    result.insert(place, (" " + text + " ").str());
  return result;
}

//===----------------------------------------------------------------------===//
// Tried
//===----------------------------------------------------------------------===//

/// Whether two findings, of two texts, are about the same lines.
static bool isSame(const Finding &a, const Finding &b) {
  auto linesOf = [](const Finding &finding) {
    auto of = [](const Site &site) {
      return std::pair(site.line, site.instruction);
    };
    auto first = of(finding.first), second = of(finding.second);
    return first < second ? std::pair(first, second) : std::pair(second, first);
  };
  return a.rule == b.rule && a.kernel == b.kernel &&
         (isOncePerKernel(a.rule) || linesOf(a) == linesOf(b));
}

std::optional<Fix> drawloom::checker::tryFixes(const Finding &finding,
                                               llvm::ArrayRef<Finding> all,
                                               StringRef ptx, RunPtx run) {
  auto isThere = [](llvm::ArrayRef<Finding> in, const Finding &wanted) {
    return llvm::any_of(
        in, [&](const Finding &one) { return isSame(one, wanted); });
  };
  for (const Fix &fix : finding.fixes) {
    std::optional<std::string> text = insert(fix, ptx);
    if (!text)
      continue;
    llvm::Expected<std::vector<Finding>> found = run(*text);
    if (!found) {
      // It hangs, or isn't PTX that this place may have.
      llvm::consumeError(found.takeError());
      continue;
    }
    bool hasOther = llvm::any_of(*found, [&](const Finding &other) {
      return other.severity != Severity::Note && !isThere(all, other);
    });
    if (!isThere(*found, finding) && !hasOther)
      return fix;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// For a finding
//===----------------------------------------------------------------------===//

static Insertion after(const Site &site, StringRef text) {
  return {text.str(), true, site.line, site.instruction};
}
static Insertion before(const Site &site, StringRef text) {
  return {text.str(), false, site.line, site.instruction};
}

static constexpr StringRef warpBarrier = "bar.warp.sync 0xffffffff;";
static constexpr StringRef ctaBarrier = "bar.sync 0;";
static constexpr StringRef clusterBarrier =
    "barrier.cluster.arrive; barrier.cluster.wait;";

/// What says that asynchronous work is over, if instructions of its own thread
/// do.
static StringRef completionOf(const Access &access) {
  const ptx::Instruction *parsed = access.kernel->parsed(access.instruction);
  switch (parsed->opcode()) {
  case Opcode::CpAsync:
    return "cp.async.wait_all;";
  case Opcode::WgmmaMmaAsync:
  case Opcode::WgmmaMmaAsyncSp:
    return "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
  case Opcode::Tcgen05Ld:
  case Opcode::Tcgen05LdRed:
    return "tcgen05.wait::ld.sync.aligned;";
  case Opcode::Tcgen05St:
    return "tcgen05.wait::st.sync.aligned;";
  default:
    break;
  }
  if (!StringRef(parsed->variant->mnemonic()).contains("bulk_group"))
    return "";
  return access.writes
             ? "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
             : "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;";
}

/// Work that isn't waited for, and the other access. Which of them came first
/// depends on when the work was done.
static std::vector<Fix> completionFixes(const Finding &finding,
                                        const Access &earlier,
                                        const Access &later) {
  const Site &work = earlier.isEngine ? finding.first : finding.second,
             &other = earlier.isEngine ? finding.second : finding.first;
  std::vector<Fix> fixes;
  if (StringRef wait = completionOf(earlier.isEngine ? earlier : later);
      !wait.empty())
    fixes = {{after(work, wait)},
             {after(work, wait), before(other, ctaBarrier)}};
  if (!earlier.isEngine)
    fixes.push_back({after(finding.first, ctaBarrier)});
  return fixes;
}

std::vector<Fix> drawloom::checker::fixesOf(const Finding &finding,
                                            const Access &earlier,
                                            const Access &later) {
  const Site &first = finding.first, &second = finding.second;
  bool isOneCta =
      earlier.cluster == later.cluster && earlier.rank == later.rank;
  switch (finding.rule) {
  case Rule::Unordered: {
    // A barrier makes the loads of lost updates come before the stores, and no
    // fewer of them are lost.
    if (earlier.cluster != later.cluster ||
        (earlier.isUpdate && later.isUpdate))
      return {};
    StringRef barrier = !isOneCta                    ? clusterBarrier
                        : earlier.warp == later.warp ? warpBarrier
                                                     : ctaBarrier;
    return {{before(second, barrier)}, {after(first, barrier)}};
  }
  case Rule::MissingSyncwarp:
    return {{after(first, warpBarrier)}};
  case Rule::InsufficientScope:
  case Rule::InsufficientScopeOnRelease: {
    if (earlier.cluster != later.cluster)
      return {};
    StringRef fence =
        isOneCta ? "fence.acq_rel.cta;" : "fence.acq_rel.cluster;";
    return {{after(first, fence), before(second, fence)}};
  }
  case Rule::InFlight:
    return completionFixes(finding, earlier, later);
  case Rule::ProxyFence:
  case Rule::ProxyFenceBeforeRefill: {
    StringRef fence = finding.space == Finding::Global
                          ? "fence.proxy.async.global;"
                          : "fence.proxy.async.shared::cta;";
    if (earlier.cluster != later.cluster)
      return {{before(second, fence)}};
    return {{after(first, fence)}, {before(second, fence)}};
  }
  case Rule::ProxyFenceBetweenCtas:
    return {{before(second, "fence.proxy.async;")}};
  case Rule::ProxyFenceAfterMma:
    return {{before(second, "fence.proxy.async.shared::cta;")}};
  case Rule::TensorFence: {
    // The fence goes behind the wait for a load or a store.
    Opcode opcode = earlier.kernel->parsed(earlier.instruction)->opcode();
    StringRef wait =
        opcode == Opcode::Tcgen05Ld   ? "tcgen05.wait::ld.sync.aligned; "
        : opcode == Opcode::Tcgen05St ? "tcgen05.wait::st.sync.aligned; "
                                      : "";
    return {{after(first, (wait + "tcgen05.fence::before_thread_sync;").str()),
             before(second, "tcgen05.fence::after_thread_sync;")}};
  }
  case Rule::TensorLoadReuse:
    return {{after(first, "tcgen05.wait::ld.sync.aligned;")}};
  default: // Nothing to insert, or no race.
    return {};
  }
}

std::vector<Fix> drawloom::checker::fixesOf(const Finding &finding) {
  const Site &first = finding.first, &second = finding.second;
  switch (finding.rule) {
  case Rule::BarrierInit:
    if (first.cta != second.cta)
      return {};
    return {
        {before(second, first.warp == second.warp ? warpBarrier : ctaBarrier)}};
  case Rule::BarrierInitFence:
    return {{after(first, "fence.mbarrier_init.release.cluster;")}};
  case Rule::PeerStart:
    return {{before(first, clusterBarrier)}};
  default:
    return {};
  }
}
