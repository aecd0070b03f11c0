//===- Subject.cpp - A kernel that is right, to be changed ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"
#include <random>

using namespace drawloom;
using namespace drawloom::mutate;

namespace {

/// What a run executes, and which barriers it waits for.
class RunListener : public emu::ClusterListener {
public:
  RunListener(Subject &subject, const emu::Kernel &kernel)
      : subject(subject), kernel(kernel) {}
  void access(const emu::AccessEvent &event) override { note(event.origin); }
  void operation(const emu::OperationEvent &event) override {
    note(event.origin);
  }
  void group(const emu::GroupEvent &event) override { note(event.origin); }
  void barrier(const emu::BarrierEvent &event) override {
    note(event.origin);
    if (event.kind != emu::BarrierEvent::Arrive ||
        event.level != emu::BarrierEvent::Cta)
      return;
    auto &lines = rounds[{event.origin.rank, event.number, event.generation}];
    lines.insert(kernel.place(event.origin.instruction).line);
    if (lines.size() > 1)
      subject.meetOthers.insert(lines.begin(), lines.end());
  }
  void fence(const emu::FenceEvent &event) override { note(event.origin); }
  void dependency(const emu::DependencyEvent &event) override {
    note(event.origin);
  }
  void mbarrier(const emu::MbarrierEvent &event) override {
    note(event.origin);
    if (event.kind == emu::MbarrierEvent::Wait && event.phase >= 0) {
      int64_t &last = subject.awaited[event.address];
      last = std::max(last, event.phase);
    }
    uint32_t line = kernel.place(event.origin.instruction).line;
    int64_t &first = subject.barriers[line]
                         .try_emplace(event.address, event.phase)
                         .first->second;
    first = std::min(first, event.phase);
  }

private:
  void note(const emu::Origin &origin) {
    if (executed.size() <= origin.instruction)
      executed.resize(origin.instruction + 1);
    if (executed[origin.instruction])
      return;
    executed[origin.instruction] = true;
    subject.executed.insert(kernel.place(origin.instruction).line);
  }
  Subject &subject;
  const emu::Kernel &kernel;
  std::vector<bool> executed;
  /// Of a barrier: the lines by which lanes come to it.
  std::map<std::tuple<uint16_t, uint8_t, uint64_t>, std::set<uint32_t>> rounds;
};

class RunWatcher : public emu::Listener {
public:
  explicit RunWatcher(Subject &subject) : subject(subject) {}
  void launchStarted(uint32_t, const emu::Launch &launch) override {
    kernel = launch.kernel;
  }
  std::unique_ptr<emu::ClusterListener>
  startCluster(const emu::ClusterStart &) override {
    return std::make_unique<RunListener>(subject, *kernel);
  }

private:
  Subject &subject;
  const emu::Kernel *kernel = nullptr;
};

} // namespace

FindingKey drawloom::mutate::keyOf(const checker::Finding &finding) {
  return {finding.rule, finding.first.line, finding.second.line};
}

Checked Subject::run(llvm::StringRef text,
                     const emu::RunOptions &schedule) const {
  checker::RaceChecker checker;
  emu::RunOptions options = schedule;
  options.listener = &checker;
  options.threads = 1;
  options.stepLimit = right.steps ? 10 * right.steps : options.stepLimit;
  Checked checked;
  checked.outcome = launch->run(text, options);
  for (const checker::Finding &finding : checker.findings())
    if (finding.severity != checker::Severity::Note)
      checked.findings.push_back(finding);
  return checked;
}

void Subject::drawMutants(unsigned seed) {
  RunWatcher watcher(*this);
  emu::RunOptions options;
  options.threads = 1;
  options.listener = &watcher;
  launch->run(launch->text(), options);
  mutants = makeMutants(launch->text());
  llvm::erase_if(mutants, [&](const Mutant &mutant) {
    bool isTwice =
        mutant.category == "double" &&
        llvm::Regex("^(bar|barrier)(\\.cta)?\\.sync").match(mutant.opcode);
    return !executed.contains(mutant.line) ||
           (isTwice && !meetOthers.contains(mutant.line));
  });
  std::mt19937 random(seed);
  std::shuffle(mutants.begin(), mutants.end(), random);
}

bool Subject::arePartners(uint32_t one, uint32_t other) const {
  auto first = barriers.find(one), second = barriers.find(other);
  return first != barriers.end() && second != barriers.end() &&
         llvm::any_of(first->second, [&](const auto &barrier) {
           return second->second.contains(barrier.first);
         });
}

bool Subject::isAwaited(uint32_t line) const {
  auto found = barriers.find(line);
  return found == barriers.end() ||
         llvm::any_of(found->second, [&](const auto &barrier) {
           auto last = awaited.find(barrier.first);
           return last != awaited.end() && last->second >= barrier.second;
         });
}

llvm::Error Subject::runAsIs() {
  emu::RunOptions options;
  for (unsigned i = 0; i != 4; ++i) {
    Checked checked = run(launch->text(), options);
    if (!checked.outcome.ok())
      return llvm::createStringError(launch->name() + " isn't right as it is");
    for (const checker::Finding &finding : checked.findings)
      known.insert(keyOf(finding));
    if (i == 0)
      right = std::move(checked.outcome);
    else
      hasOneResult &= checked.outcome.result == right.result;
    options.policy = emu::Policy::Random;
    options.seed = i;
  }
  return llvm::Error::success();
}
