//===- Claims.h - What a kernel does with its mbarriers -------- -*- C++
//-*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The protocol of a kernel, taken from its PTX without running it: for every
// mbarrier who sets it up, who arrives, which bytes it counts, and who waits
// for which parity. Every warp of every CTA of a cluster is walked over all its
// paths (Walk.h), and each path adds what it does.
//
//   extract   PTX -> Claims     what is done, and what could not be followed
//   fit       Claims -> Misfit  what cannot fit together, whatever the sizes
//
// Invariant: what any run does to a barrier is among the claims, unless the
// line is among those that were not followed, or a counter is beyond its bound.

#ifndef DRAWLOOM_PROTOCOL_CLAIMS_H
#define DRAWLOOM_PROTOCOL_CLAIMS_H

#include "drawloom/Protocol/Paths.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace drawloom::protocol {

/// A warp of a cluster.
struct WarpId {
  unsigned rank = 0;
  unsigned warp = 0;

  auto operator<=>(const WarpId &) const = default;
};

/// What one line does to a barrier.
struct Part {
  Event::Kind kind = Event::Kind::Other;
  uint32_t line = 0;
  std::string mnemonic;
  /// Who does it: lanes of warps.
  std::map<WarpId, uint32_t> who;
  /// Counts, bytes or parities.
  std::set<int64_t> numbers;
  /// Of a wait: the parities that a path waited for first.
  std::set<int64_t> firstParities;
  /// Of a wait that is a path's first: its lanes, and those that hadn't arrived
  /// there before on some path.
  std::map<WarpId, uint32_t> firstLanes, earlyLanes;
  /// Of another wait: whether the one before it had the same parity, whether it
  /// had the other, and whether that was another line's.
  bool repeats = false, follows = false, followsOther = false;
  /// Of a wait that is a path's first: barriers that a path may have arrived at
  /// before.
  std::set<BarrierId> arrivedBefore;
  /// Of copies: where they go, as CTA and byte; and whether that is all. Of an
  /// expectation: where the copies go that follow it.
  std::set<BarrierId> targets;
  bool knowsTargets = true;
};

struct Barrier {
  std::map<std::pair<Event::Kind, uint32_t>, Part> parts;
  /// By warp: how often it arrives, at most, without a wait in between.
  std::map<WarpId, unsigned> longestRun;
  /// By warp that arrives: the barriers that it has always waited for before,
  /// with parity 0 or 1 the first time.
  std::map<WarpId, std::array<std::set<BarrierId>, 2>> waitedBefore;
  /// Whether a warp waits for both parities.
  bool alternates = false;

  bool has(Event::Kind kind) const;
  std::set<int64_t> numbersOf(Event::Kind kind) const;
};

/// A line that could not be followed, and why. Line 0: a whole warp.
struct Unfollowed {
  uint32_t line = 0;
  std::string mnemonic, why;

  auto operator<=>(const Unfollowed &) const = default;
};

/// Something that a proof of progress has to assume, and where.
struct Assumption {
  /// A name for programs, such as "bytes".
  std::string rule;
  /// Behind "if": "the loop ends".
  std::string words;
  std::set<uint32_t> lines;

  auto operator<=>(const Assumption &) const = default;
};

struct Claims {
  std::string kernel;
  unsigned threads = 0;
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// That a thread has at the entry; 0 if the kernel doesn't say so.
  unsigned registers = 0;
  std::map<BarrierId, Barrier> barriers;
  /// By byte: what a barrier is for, if the kernel says so (Graph.h).
  std::map<int64_t, std::string> names;
  std::set<Unfollowed> unfollowed;
  /// Whether slots or parities depend on counters without a bound, and their
  /// lines; they were followed for so many values, and what is claimed holds up
  /// to there. For all sizes, if there are none.
  bool isCounted = false;
  std::set<uint32_t> counters;
  unsigned countedTo = 0;
  /// Operands of products: CTA and byte, and how many bytes, by how they lie
  /// there.
  std::map<BarrierId, std::map<uint64_t, int64_t>> reads;
  /// In which order each warp uses barriers.
  std::map<WarpId, std::shared_ptr<const Paths>> paths;
  /// What warps decide alike, in the order of Step::Kind::Decide: the texts of
  /// conditions, and whether their values are always the same.
  std::vector<std::pair<std::string, bool>> decisions;
  /// What is assumed so that no warp deadlocks.
  std::set<Assumption> assumptions;

  unsigned ctas() const { return cluster[0] * cluster[1] * cluster[2]; }
  /// Whether count, bytes, parity, who arrives and who waits are known of it.
  bool isWhole(const Barrier &barrier) const;
  /// Whether this is so of all, and every line was followed.
  bool isWhole() const;
};

struct ExtractOptions {
  /// 0: what the kernel says.
  unsigned threads = 0;
  /// The CTAs of a cluster along x, y and z; all 0: what the kernel says.
  std::array<unsigned, 3> cluster = {0, 0, 0};
  /// States of a warp after which it is given up.
  unsigned stateLimit = 50000;
  /// Whether marks, and copies to other CTAs, are steps of paths, too; other
  /// barriers than mbarriers aren't then.
  bool hasGraph = false;
  /// By parameter, and where in it a tensor map is: how many bytes a copy by it
  /// brings, if that is known.
  std::map<std::pair<int, int64_t>, int64_t> boxes = {};
};

/// An error if the kernel doesn't say how many threads it has, and the options
/// don't.
llvm::Expected<Claims> extract(const ptx::Function &kernel,
                               const ExtractOptions &options);

/// Something that cannot fit.
struct Misfit {
  /// A name of the rule, such as "count".
  std::string rule;
  BarrierId barrier;
  uint32_t line = 0; ///< Of the PTX.
  std::string title, why, advice;
  /// From .loc: the line, and the calls that it is inlined by; empty if there
  /// is none.
  std::vector<ptx::SourceLine> source = {};
  bool isSuppressed = false; ///< Known to the user: not printed.
};

/// What cannot fit, ordered by line.
std::vector<Misfit> fit(const Claims &claims);

/// Fills in the source lines of misfits of a kernel.
void locate(llvm::MutableArrayRef<Misfit> misfits, const ptx::Module &module,
            const ptx::Function &kernel);

struct Progress;
/// `progress` is null if it wasn't asked for (Progress.h). `isQuiet`: only what
/// cannot fit.
void print(const Claims &claims, llvm::ArrayRef<Misfit> misfits,
           const Progress *progress, llvm::StringRef file, bool isQuiet,
           llvm::raw_ostream &os);
llvm::json::Value toJson(const Claims &claims, llvm::ArrayRef<Misfit> misfits,
                         const Progress *progress);

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_CLAIMS_H
