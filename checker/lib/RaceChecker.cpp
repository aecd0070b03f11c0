//===- RaceChecker.cpp - Races in a run -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "CheckRegisters.h"
#include "ClusterChecker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::checker;

RaceChecker::RaceChecker(CheckOptions options)
    : options(std::move(options)),
      global(std::make_unique<GlobalChecker>(this->options.isStrict)),
      remarks(this->options.countsCosts ? std::make_unique<Remarks>()
                                        : nullptr) {}
RaceChecker::~RaceChecker() = default;

void RaceChecker::launchStarted(uint32_t index, const emu::Launch &launch) {
  if (kernels.size() <= index)
    kernels.resize(index + 1);
  kernels[index] = launch.kernel;
  checkRegisters(*launch.kernel, global->findings);
  arrays.resize(kernels.size());
  arrays[index] = std::make_unique<SharedArrays>(*launch.kernel);
  answers.resize(kernels.size());
  answers[index] = std::make_unique<Answers>(*launch.kernel->function);
  updates.resize(kernels.size());
  updates[index] = std::make_unique<Updates>(*launch.kernel->function);
  // All launches before it have ended, in this run or before it.
  if (!launch.programmatic || index == 0) {
    early.assign(1, false);
    return global->forget();
  }
  // Those before the last have, if it has waited before it let this one start.
  early.resize(index + 1);
  bool isEarly =
      early[index - 1] ||
      llvm::any_of(running, [&](const ClusterChecker *checker) {
        return checker->launch == index - 1 && checker->startsNextEarly;
      });
  if (options.isStrict || isEarly)
    return;
  roundEnded();
  global->forgetBefore(index - 1);
}

std::unique_ptr<emu::ClusterListener>
RaceChecker::startCluster(const emu::ClusterStart &start) {
  const emu::Kernel *kernel = kernels[start.launch];
  auto checker = std::make_unique<ClusterChecker>(
      kernel, start, *arrays[start.launch], *answers[start.launch],
      *updates[start.launch], *global, options.isStrict);
  if (remarks)
    checker->costs = std::make_unique<Costs>();
  running.push_back(checker.get());
  return checker;
}

void RaceChecker::endCluster(std::unique_ptr<emu::ClusterListener> listener) {
  auto *checker = static_cast<ClusterChecker *>(listener.get());
  global->check(checker->log);
  checker->ended();
  const emu::Kernel &kernel = *kernels[checker->launch];
  if (remarks)
    remarks->add(*checker->costs,
                 [&](Finding &remark) { name(remark, kernel, false); });
  collect(checker->findings.take(), kernel, checker->hasAllColumns);
  collect(global->findings.take(), kernel, false);
  if (checker->hasWaited)
    global->launchWaited(checker->launch);
  if (checker->startsNextEarly && checker->launch < early.size())
    early[checker->launch] = true;
  llvm::erase(running, checker);
}

void RaceChecker::allocated(uint64_t address, uint64_t bytes) {
  global->written.allocate(address, bytes);
}
void RaceChecker::freed(uint64_t address) { global->written.free(address); }
void RaceChecker::written(uint64_t address, uint64_t bytes) {
  global->written.write(address, bytes);
}

void RaceChecker::copiedToHost(const HostOperation &operation, uint64_t address,
                               uint64_t bytes) {
  auto [begin, end] = global->written.findGap(address, bytes);
  if (begin != end)
    hostOrder->copiedUnwritten(operation, begin, end - begin);
}

void RaceChecker::watchHost() {
  hostOrder =
      std::make_unique<HostOrder>(options.isStrict, [this](Finding finding) {
        collectFromHost(std::move(finding));
      });
}

void RaceChecker::expect(size_t launches) {
  touchedBy = std::vector<TouchedMemory>(launches);
  global->touched = touchedBy;
}

/// One for each rule, two operations of the same names and allocation.
void RaceChecker::collectFromHost(Finding finding) {
  auto key = [](const Finding &one) {
    // Without the number of the operation and the bytes.
    auto nameOf = [](const Site &site) {
      auto [name, rest] = llvm::StringRef(site.operation).split(", operation ");
      return std::pair(name, rest.drop_while(llvm::isDigit));
    };
    return std::tuple(one.rule, nameOf(one.first), nameOf(one.second),
                      one.first.writes, one.second.writes,
                      llvm::StringRef(one.array).rsplit(" of the ").second);
  };
  auto it = llvm::find_if(found, [&](const Finding &other) {
    return isHostOrder(other.rule) && key(other) == key(finding);
  });
  if (it != found.end()) {
    ++it->count;
    return;
  }
  finding.isSuppressed = isSuppressed(finding);
  found.push_back(std::move(finding));
}

void RaceChecker::roundEnded() {
  for (ClusterChecker *checker : running)
    global->check(checker->log);
}

void RaceChecker::name(Finding &finding, const emu::Kernel &kernel,
                       bool hasAllColumns) const {
  const PlanNames &names = options.names;
  for (Site *site : {&finding.first, &finding.second})
    if (!site->instruction.empty())
      site->role = names.roleOf(finding.kernel, site->warp);
  if (finding.space == Finding::TensorMemory && hasAllColumns)
    finding.slot = names.columnAt(finding.kernel, finding.address);
  if (finding.space != Finding::Shared)
    return;
  for (const emu::Kernel::SharedArray &array : kernel.sharedArrays())
    if (array.size == 0) // What the plan is about.
      finding.slot = names.sharedAt(finding.kernel,
                                    int64_t(finding.address) - array.offset);
}

void RaceChecker::collect(std::vector<Finding> more, const emu::Kernel &kernel,
                          bool hasAllColumns) {
  for (Finding &finding : more) {
    auto lines =
        std::minmax(finding.firstInstruction, finding.secondInstruction);
    auto it = llvm::find_if(found, [&](const Finding &other) {
      return other.rule == finding.rule && other.kernel == finding.kernel &&
             (isOncePerKernel(finding.rule) ||
              std::minmax(other.firstInstruction, other.secondInstruction) ==
                  lines);
    });
    if (it != found.end() && it->distance >= finding.distance) {
      it->count += finding.count;
      continue;
    }
    finding.isSuppressed = isSuppressed(finding);
    name(finding, kernel, hasAllColumns);
    if (it == found.end()) {
      found.push_back(std::move(finding));
      continue;
    }
    finding.count += it->count;
    *it = std::move(finding);
  }
}

bool RaceChecker::isSuppressed(const Finding &finding) {
  return options.suppressions.covers(
      spelling(finding.rule), finding.kernel,
      {{finding.first.line, finding.first.source},
       {finding.second.line, finding.second.source}});
}

std::vector<Finding> RaceChecker::findingsAndRemarks() {
  std::vector<Finding> all = found;
  if (!remarks)
    return all;
  for (Finding &remark : remarks->findings()) {
    remark.isSuppressed = isSuppressed(remark);
    all.push_back(std::move(remark));
  }
  return all;
}

unsigned RaceChecker::count(Severity severity) const {
  return llvm::count_if(found, [&](const Finding &finding) {
    return finding.severity == severity && !finding.isSuppressed;
  });
}
