//===- RaceChecker.cpp - Races in a run -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RaceChecker.h"
#include "ClusterChecker.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;

RaceChecker::RaceChecker(CheckOptions options)
    : options(std::move(options)),
      global(std::make_unique<GlobalChecker>(this->options.isStrict)) {}
RaceChecker::~RaceChecker() = default;

void RaceChecker::launchStarted(uint32_t index, const emu::Launch &launch) {
  if (kernels.size() <= index)
    kernels.resize(index + 1);
  kernels[index] = launch.kernel;
  checkRegisters(*launch.kernel, global->findings);
  arrays.resize(kernels.size());
  arrays[index] = std::make_unique<SharedArrays>(*launch.kernel);
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
      kernel, start, *arrays[start.launch], *global, options.isStrict);
  running.push_back(checker.get());
  return checker;
}

void RaceChecker::endCluster(std::unique_ptr<emu::ClusterListener> listener) {
  auto *checker = static_cast<ClusterChecker *>(listener.get());
  global->check(checker->log);
  checker->ended();
  collect(checker->findings.take());
  collect(global->findings.take());
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

void RaceChecker::roundEnded() {
  for (ClusterChecker *checker : running)
    global->check(checker->log);
}

void RaceChecker::collect(std::vector<Finding> more) {
  for (Finding &finding : more) {
    auto lines =
        std::minmax(finding.firstInstruction, finding.secondInstruction);
    auto it = llvm::find_if(found, [&](const Finding &other) {
      return other.rule == finding.rule && other.kernel == finding.kernel &&
             (isOncePerKernel(finding.rule) ||
              std::minmax(other.firstInstruction, other.secondInstruction) ==
                  lines);
    });
    if (it != found.end()) {
      it->count += finding.count;
      continue;
    }
    auto placeOf = [](const Site &site) {
      return Suppressions::Place{site.line, site.sourceFile, site.sourceLine};
    };
    finding.isSuppressed = options.suppressions.covers(
        spelling(finding.rule), finding.kernel,
        {placeOf(finding.first), placeOf(finding.second)});
    found.push_back(std::move(finding));
  }
}

unsigned RaceChecker::count(Severity severity) const {
  return llvm::count_if(found, [&](const Finding &finding) {
    return finding.severity == severity && !finding.isSuppressed;
  });
}
