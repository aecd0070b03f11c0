//===- RaceChecker.h - Races in a run ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A RaceChecker watches runs of the emulator and finds races: two accesses to
// the same bytes, at least one of them a write, that nothing orders. The order
// is that of PTX's memory model, not that of the run: a race is found in
// whatever order the two happened to come.
//
//   RaceChecker checker({.isStrict = false});
//   options.listener = &checker;
//   run(device, launches, options);
//   for (const Finding &finding : checker.findings())
//     llvm::errs() << finding.str();
//
// It looks at shared, tensor and global memory, at what threads do and what
// engines do for them. docs/MemoryModel.md says what orders what.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_RACECHECKER_H
#define DRAWLOOM_CHECKER_RACECHECKER_H

#include "drawloom/Checker/Fix.h"
#include "drawloom/Checker/HostOrder.h"
#include "drawloom/Checker/PlanNames.h"
#include "drawloom/Checker/Suppressions.h"
#include "drawloom/Emulator/Listener.h"
#include "llvm/Support/JSON.h"

namespace drawloom::checker {

enum class Severity : uint8_t { Note, Warning, Error };
llvm::StringRef spelling(Severity severity);

enum class Rule : uint8_t {
#define RULE(Name, ...) Name,
#include "drawloom/Checker/Rules.def"
};
/// "proxy-fence"
llvm::StringRef spelling(Rule rule);
/// "missing proxy fence: async-proxy read after generic-proxy write"
llvm::StringRef titleOf(Rule rule);
Severity severityOf(Rule rule, bool isStrict);
/// Whether it is about two accesses without an order.
inline bool isRace(Rule rule) { return rule <= Rule::SameStore; }
/// A kernel without these fences has them nowhere: it is said once.
inline bool isOncePerKernel(Rule rule) { return rule == Rule::TensorFence; }
/// Whether it is about operations of streams and the host, not instructions.
inline bool isHostOrder(Rule rule) {
  return rule >= Rule::StreamOrder && rule <= Rule::UninitializedCopy;
}
/// What costs time and isn't an error; reported on request.
inline bool isRemark(Rule rule) { return rule >= Rule::BankConflict; }
/// What comes after it isn't defined, although kernels that run on hardware do
/// it. In strict mode, the run ends there.
bool endsStrictRun(Rule rule);

/// One of the two accesses, or what else an instruction does.
struct Site {
  std::string instruction; ///< As it is written, without operands.
  uint32_t line = 0;       ///< Of the PTX.
  /// From .loc: the line, and the calls that it is inlined by; empty if there
  /// is none.
  std::vector<ptx::SourceLine> source;
  uint32_t cta = 0; ///< Linear index in the grid.
  uint16_t warp = 0;
  int16_t lane = -1; ///< -1 for all lanes together.
  bool writes = false;
  bool isEngine = false; ///< An operation that the thread has issued.
  std::string role = {}; ///< "@mma", if a plan says so.
  /// "kernel 'scale', operation 3 in stream 2", of rules between streams and
  /// the host. The instruction is one of a kernel, if it is known.
  std::string operation = {};

  bool operator==(const Site &) const = default;
};

struct Finding {
  enum Space : uint8_t { Shared, TensorMemory, Global, Registers, Local };

  Rule rule = Rule::Unordered;
  Severity severity = Severity::Error;
  std::string kernel; ///< Its name, as people write it.
  uint32_t firstInstruction = 0, secondInstruction = 0;
  /// In the order in which they came, or as they stand in the text if nothing
  /// orders them. If one instruction is to blame, the second has none.
  Site first, second;
  Space space = Shared;
  /// Of shared memory: the byte of the CTA `cta`. Of tensor memory: the column.
  /// Of global memory: the address. Of local memory: the byte of the thread.
  /// Registers have none.
  uint64_t address = 0;
  uint32_t cta = 0;
  /// "tile+188", if a variable is there. Between streams and the host: which
  /// bytes of which allocation.
  std::string array;
  std::string slot;       ///< "slot 2 of @operands", if a plan says so.
  std::string why;        ///< There is no order, because ...
  std::string advice;     ///< What would give it.
  std::vector<Fix> fixes; ///< What may be inserted, the likeliest first.
  /// What came of trying them; empty if they weren't tried.
  std::string tried;
  /// How often accesses of these two instructions were found.
  uint64_t count = 1;
  /// How far apart the two threads are. Of pairs that are found, the farthest
  /// is described: what orders that one orders the others, too.
  enum Distance : uint8_t {
    SameWarp,
    SameCta,
    SameCluster,
    SameLaunch,
    Launches
  };
  Distance distance = SameWarp;
  /// By CheckOptions::suppressions: it isn't reported and doesn't count.
  bool isSuppressed = false;

  /// Notes are for reports, but for those that were asked for.
  bool isReported() const {
    return !isSuppressed && (severity != Severity::Note || isRemark(rule));
  }
  /// A paragraph: kernel, source line and instruction, what is wrong; both
  /// sides, where, why, what to do.
  std::string str() const;
};

struct CheckOptions {
  /// The text of the ISA; without it, what kernels that run on hardware rely on
  /// is left out (docs/MemoryModel.md).
  bool isStrict = false;
  Suppressions suppressions = {};
  /// Bank conflicts and sectors that are wasted are counted, too.
  bool countsCosts = false;
  /// Of roles and pipes.
  PlanNames names = {};
};

class ClusterChecker;
class GlobalChecker;
class Remarks;
class Answers;
class SharedArrays;
class Updates;

class RaceChecker : public emu::Listener {
public:
  explicit RaceChecker(CheckOptions options = CheckOptions());
  ~RaceChecker() override;

  /// One for each rule and two instructions, in the order of clusters.
  llvm::ArrayRef<Finding> findings() const { return found; }
  /// These, and behind them a remark for each instruction that wastes
  /// wavefronts or sectors, if they are counted.
  std::vector<Finding> findingsAndRemarks();
  unsigned count(Severity severity) const;
  const Suppressions &suppressions() const { return options.suppressions; }

  /// Global memory that holds nothing in particular until it is written
  /// to. What isn't reported here counts as written.
  void allocated(uint64_t address, uint64_t bytes);
  void freed(uint64_t address);
  /// By the host.
  void written(uint64_t address, uint64_t bytes);
  /// By an operation that copies them to the host.
  void copiedToHost(const HostOperation &operation, uint64_t address,
                    uint64_t bytes);

  /// From now on, the order between streams and the host is followed, too; null
  /// before that.
  void watchHost();
  HostOrder *host() { return hostOrder.get(); }
  /// The operations that the launches of the next run are, by their index.
  /// What each has touched is there until the next call.
  void expect(size_t launches);
  TouchedMemory &touched(size_t launch) { return touchedBy[launch]; }

  void launchStarted(uint32_t index, const emu::Launch &launch) override;
  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &start) override;
  void endCluster(std::unique_ptr<emu::ClusterListener> listener) override;
  void roundEnded() override;

private:
  void collect(std::vector<Finding> more, const emu::Kernel &kernel,
               bool hasAllColumns);
  /// Adds names from the plan. Columns have them if the CTA has all columns, so
  /// that they are those of the plan.
  void name(Finding &finding, const emu::Kernel &kernel,
            bool hasAllColumns) const;
  bool isSuppressed(const Finding &finding);
  void collectFromHost(Finding finding);

  CheckOptions options;
  std::vector<const emu::Kernel *> kernels;          ///< Of the launches.
  std::vector<std::unique_ptr<SharedArrays>> arrays; ///< Of these.
  std::vector<std::unique_ptr<Answers>> answers;     ///< Of these.
  std::vector<std::unique_ptr<Updates>> updates;     ///< Of these.
  std::vector<Finding> found;
  std::vector<ClusterChecker *> running;
  /// Launches that have let the next one start before they have waited.
  std::vector<bool> early;
  std::unique_ptr<GlobalChecker> global;
  std::unique_ptr<Remarks> remarks; ///< Null if nothing is counted.
  std::unique_ptr<HostOrder> hostOrder;
  std::vector<TouchedMemory> touchedBy; ///< By launch; empty if unwatched.
};

/// {"findings": [...], "errors": 1, "warnings": 0, "notes": 0}
llvm::json::Object toJson(llvm::ArrayRef<Finding> findings);
/// "check: 1 error, 0 warnings, 2 notes"
void writeCounts(llvm::ArrayRef<Finding> findings, llvm::raw_ostream &os);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_RACECHECKER_H
