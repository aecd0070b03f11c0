//===- DescribeName.cpp - What a name of a plan is ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Labels.h"
#include "drawloom/PrintPlan/Print.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::plan;
using llvm::StringRef;

static void printReasons(llvm::ArrayRef<std::string> reasons,
                         llvm::raw_ostream &os) {
  os << '\n';
  for (const std::string &reason : reasons)
    os << "- " << reason << '\n';
}

static void printPipe(const Plan &plan, const Pipe &pipe,
                      llvm::raw_ostream &os) {
  os << "**pipe `" << pipe.name << "`**: " << pipe.slots << " × "
     << describeSlot(pipe) << ", " << toString(pipe.memory) << ", `@"
     << plan.roles[pipe.producer].name << "` →";
  for (auto [index, consumer] : llvm::enumerate(pipe.consumers))
    os << (index ? ", `@" : " `@") << plan.roles[consumer.role].name << '`';
  os << "\n\n- holds " << describeTensors(pipe) << "\n- full after "
     << describeFull(pipe) << "\n- empty after " << describeEmpty(pipe) << '\n';
  printReasons(pipe.because, os);
}

static void printRole(const Role &role, llvm::raw_ostream &os) {
  os << "**role `@" << role.name << "`**: " << describeWarps(role);
  if (role.registers)
    os << ", " << *role.registers << " registers";
  os << "\n\n- " << role.does << ", engine " << joinUnits(role.units) << '\n';
  printReasons(role.because, os);
}

std::string plan::describeName(const Plan &plan, StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto isNamed = [&](const auto &thing) { return thing.name == name; };
  if (name == plan.kernel) {
    os << "**" << describePlan(plan)
       << "**\n\n- deadlock-free: " << describeVerdict(plan) << '\n';
    printReasons(plan.reasons, os);
    return text;
  }
  for (const Role &role : plan.roles)
    if (isNamed(role))
      printRole(role, os);
  for (const Pipe &pipe : plan.pipes)
    if (isNamed(pipe) || llvm::any_of(pipe.tensors, isNamed)) {
      os << (text.empty() ? "" : "\n");
      printPipe(plan, pipe, os);
    }
  return text;
}
