//===- RoleTimes.cpp - What each role of a kernel waits for ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/RoleTimes.h"
#include "drawloom/Emulator/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::WaitKind;

static std::optional<PlanNames::Barrier>
findBarrier(const emu::Kernel &kernel, uint32_t byte, const PlanNames &names) {
  return names.barrierAt(kernel.function->name,
                         int64_t(byte) - kernel.dynamicSharedOffset());
}

std::vector<PipeFills> checker::countFills(const emu::TimingReport &report,
                                           const PlanNames &names) {
  std::vector<PipeFills> pipes;
  for (const emu::MbarrierPhases &mbarrier : report.mbarriers) {
    std::optional<PlanNames::Barrier> barrier =
        findBarrier(*mbarrier.kernel, mbarrier.byte, names);
    if (!barrier || !barrier->isFull)
      continue;
    std::string kernel = mbarrier.kernel->function->name.str();
    auto pipe = llvm::find_if(pipes, [&](const PipeFills &one) {
      return one.kernel == kernel && one.pipe == barrier->pipe;
    });
    if (pipe == pipes.end())
      pipe = pipes.insert(pipes.end(), {kernel, barrier->pipe});
    pipe->fills += mbarrier.phases;
  }
  return pipes;
}

static RoleTime::Wait nameWait(const emu::Kernel &kernel,
                               const emu::WarpTime::Wait &wait,
                               const PlanNames &names) {
  RoleTime::Wait named;
  named.cycles = wait.cycles;
  switch (wait.kind) {
  case WaitKind::Mbarrier: {
    std::optional<PlanNames::Barrier> barrier =
        findBarrier(kernel, wait.byte, names);
    if (!barrier) {
      named.what = "mbarrier at byte " + llvm::utostr(wait.byte);
      break;
    }
    named.pipe = barrier->pipe;
    named.isFull = barrier->isFull;
    named.what = barrier->pipe + (barrier->isFull ? " full" : " empty");
    break;
  }
  case WaitKind::Barrier:
    named.what = "other warps of the CTA";
    break;
  case WaitKind::Cluster:
    named.what = "other CTAs of the cluster";
    break;
  case WaitKind::Other:
    named.what = "asynchronous operations";
    break;
  }
  return named;
}

std::vector<RoleTime> checker::timeRoles(const emu::TimingReport &report,
                                         const PlanNames &names) {
  std::vector<RoleTime> roles;
  for (const emu::WarpTime &warp : report.warps) {
    std::string kernel = warp.kernel->function->name.str();
    std::string name = names.roleOf(kernel, warp.warp);
    if (name.empty())
      name = "warp " + llvm::utostr(warp.warp);
    auto role = llvm::find_if(roles, [&](const RoleTime &role) {
      return role.kernel == kernel && role.role == name;
    });
    if (role == roles.end()) {
      role = roles.emplace(roles.end());
      role->kernel = kernel;
      role->role = name;
    }
    ++role->warps;
    role->cycles += warp.cycles;
    for (const emu::WarpTime::Wait &wait : warp.waits) {
      RoleTime::Wait named = nameWait(*warp.kernel, wait, names);
      auto same = llvm::find_if(role->waits, [&](const RoleTime::Wait &other) {
        return other.what == named.what;
      });
      if (same == role->waits.end())
        role->waits.push_back(std::move(named));
      else
        same->cycles += named.cycles;
    }
  }
  for (RoleTime &role : roles)
    llvm::sort(role.waits, [](const auto &x, const auto &y) {
      return std::tie(y.cycles, x.what) < std::tie(x.cycles, y.what);
    });
  return roles;
}

std::string checker::describe(llvm::ArrayRef<RoleTime> roles) {
  std::string text;
  for (const RoleTime &role : roles) {
    if (!llvm::StringRef(role.role).starts_with("@") || !role.cycles)
      continue;
    auto share = [&](uint64_t cycles) { return 100.0 * cycles / role.cycles; };
    text += llvm::formatv("{0} waits {1:f1} % of its time", role.role,
                          share(role.waitCycles()));
    constexpr unsigned most = 3;
    llvm::StringRef separator = ": ";
    for (const RoleTime::Wait &wait :
         llvm::ArrayRef(role.waits).take_front(most)) {
      text += llvm::formatv("{0}{1:f1} % for {2}", separator,
                            share(wait.cycles), wait.what);
      separator = ", ";
    }
    text += "\n";
  }
  return text;
}

llvm::json::Object checker::toJson(const emu::TimingReport &report,
                                   llvm::ArrayRef<RoleTime> roles,
                                   llvm::ArrayRef<PipeFills> pipes) {
  llvm::json::Array list, fills;
  for (const PipeFills &pipe : pipes)
    fills.push_back(llvm::json::Object{
        {"kernel", pipe.kernel}, {"pipe", pipe.pipe}, {"fills", pipe.fills}});
  for (const RoleTime &role : roles) {
    llvm::json::Array waits;
    for (const RoleTime::Wait &wait : role.waits)
      waits.push_back(llvm::json::Object{{"for", wait.what},
                                         {"pipe", wait.pipe},
                                         {"full", wait.isFull},
                                         {"cycles", wait.cycles}});
    list.push_back(llvm::json::Object{{"kernel", role.kernel},
                                      {"role", role.role},
                                      {"warps", role.warps},
                                      {"cycles", role.cycles},
                                      {"waits", std::move(waits)}});
  }
  return llvm::json::Object{{"cycles", report.cycles},
                            {"microseconds", report.microseconds},
                            {"clockMhz", report.clockMhz},
                            {"sms", report.smsUsed},
                            {"tensorUtilization", report.tensorUtilization()},
                            {"l2Bytes", report.l2Bytes},
                            {"dramBytes", report.dramBytes},
                            {"prologueCycles", report.prologueCycles},
                            {"tailCycles", report.tailCycles},
                            {"roles", std::move(list)},
                            {"pipes", std::move(fills)}};
}
