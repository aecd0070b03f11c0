//===- PrintNetwork.cpp - A network as text -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Progress/Network.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::progress;
using llvm::raw_ostream;

namespace {
class Printer {
public:
  Printer(const Network &network, raw_ostream &os) : network(network), os(os) {}

  void print();

private:
  void print(const Count &count);
  void print(const Body &body, unsigned indent);
  void print(const Loop &loop, unsigned indent);
  void print(const ItemLoop &loop, unsigned indent);
  void print(const OnItems &items, unsigned indent);
  void print(const Produce &scope, unsigned indent);
  void print(const Consume &scope, unsigned indent);
  void print(const Arrive &event, unsigned);
  void print(const Wait &event, unsigned);
  void print(const Transfer &event, unsigned);
  void print(const Relinquish &event, unsigned);
  void print(const Launch &event, unsigned);

  const Network &network;
  raw_ostream &os;
};
} // namespace

static const char *nameOf(Arrival arrival) {
  switch (arrival) {
  case Arrival::everyWarp:
    return "";
  case Arrival::leaderAfterBarrier:
    return " leader-after-barrier";
  case Arrival::leaderAlone:
    return " leader-alone";
  case Arrival::oneWarp:
    return " one-warp";
  }
  return "";
}

static const char *nameOf(Engine engine) {
  return engine == Engine::tensorCore ? " by-tensor-core" : "";
}

void Printer::print(const Count &count) {
  if (!count.size) {
    os << count.offset;
    return;
  }
  os << network.sizes[*count.size].name;
  if (count.offset != 0)
    os << (count.offset < 0 ? " - " : " + ") << std::abs(count.offset);
  if (count.most != unbounded)
    os << ", at most " << count.most;
}

void Printer::print(const Body &body, unsigned indent) {
  for (const Step &step : body) {
    os.indent(2 * indent);
    std::visit([&](const auto &what) { print(what, indent); }, step.what);
  }
}

void Printer::print(const Loop &loop, unsigned indent) {
  os << "loop ";
  print(loop.trips);
  os << '\n';
  print(loop.body, indent + 1);
}

void Printer::print(const ItemLoop &loop, unsigned indent) {
  os << "for each of " << network.sizes[loop.stream].name << '\n';
  print(loop.body, indent + 1);
}

void Printer::print(const OnItems &items, unsigned indent) {
  os << "every " << items.every << " from " << items.from << '\n';
  print(items.body, indent + 1);
}

void Printer::print(const Produce &scope, unsigned indent) {
  os << "produce " << network.pipes[scope.pipe].name;
  if (scope.lag)
    os << " lag " << scope.lag;
  if (scope.bytes.announced || !scope.bytes.copies.empty()) {
    os << " bytes " << scope.bytes.announced << " of ";
    llvm::interleave(scope.bytes.copies, os, "+");
  }
  os << '\n';
  print(scope.body, indent + 1);
}

void Printer::print(const Consume &scope, unsigned indent) {
  os << "consume ";
  llvm::interleave(
      scope.pipes, os, [&](PipeId pipe) { os << network.pipes[pipe].name; },
      ", ");
  if (scope.lag)
    os << " lag " << scope.lag;
  os << '\n';
  print(scope.body, indent + 1);
}

void Printer::print(const Arrive &event, unsigned) {
  os << "arrive " << network.barriers[event.barrier].name << '\n';
}

void Printer::print(const Wait &event, unsigned) {
  os << "wait " << network.barriers[event.barrier].name << '\n';
}

void Printer::print(const Transfer &event, unsigned) {
  os << (event.take ? "take " : "give ") << event.amount << ' '
     << network.pools[event.pool].name << (event.oneWarp ? " by one warp" : "")
     << '\n';
}

void Printer::print(const Relinquish &event, unsigned) {
  os << "relinquish " << network.pools[event.pool].name << '\n';
}

void Printer::print(const Launch &event, unsigned) {
  os << (event.wait ? "launch wait" : "launch dependents") << '\n';
}

void Printer::print() {
  if (network.ctas > 1)
    os << "cluster of " << network.ctas << " CTAs\n";
  for (const Size &size : network.sizes) {
    os << "size " << size.name << " from " << size.min;
    if (size.max != unbounded)
      os << " to " << size.max;
    if (size.perItemOf)
      os << " for each of " << network.sizes[*size.perItemOf].name;
    os << '\n';
  }
  for (const Pipe &pipe : network.pipes) {
    os << "pipe " << pipe.name << " slots ";
    print(pipe.slots);
    os << ": @" << network.roles[pipe.producer].name << nameOf(pipe.arrival)
       << nameOf(pipe.engine) << " ->";
    for (const Consumer &consumer : pipe.consumers) {
      os << " @" << network.roles[consumer.role].name;
      if (consumer.every > 1)
        os << " every " << consumer.every << " from " << consumer.from;
      os << nameOf(consumer.arrival) << nameOf(consumer.engine);
    }
    os << (pipe.shared ? " shared" : "") << (pipe.awaited ? "" : " not awaited")
       << '\n';
  }
  for (const Barrier &barrier : network.barriers)
    os << "barrier " << barrier.name << " of " << barrier.warps << " warps\n";
  for (const Pool &pool : network.pools)
    os << "pool " << pool.name << " with " << pool.available
       << (pool.shared ? " shared" : "") << '\n';
  for (const Role &role : network.roles) {
    os << "role @" << role.name << " on " << role.warps
       << (role.warps == 1 ? " warp" : " warps")
       << (role.leads ? " of the first CTA\n" : "\n");
    print(role.body, 1);
  }
}

void drawloom::progress::print(const Network &network, raw_ostream &os) {
  Printer(network, os).print();
}
