//===- check-overlap.cpp - What may run at the same time, in any schedule -===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// check-overlap FILE --arch ARCH --shapes AxB,... --blocks N
//
// Compiles a matrix product with an epilogue and asks the order that its PTX
// forces (ForcedOrder.h), for sizes that give each work tile N blocks along k:
//
//   MMAs   epilogue of item i, MMAs of item i + 1: no path
//   loads      MMAs of block j, loads of blocks j + 1 ... j + slots - 1:
//              no path
//   next item  epilogue of item i, loads of the next `slots` blocks: no path
//
// Where a role issues MMAs and computes the epilogue itself, the first one
// cannot hold, and is not asked. To see that the graph is no empty one, the
// paths that must be there are asked for, too: to the item and to the block
// that take over the slot.

#include "CompileText.h"
#include "ForcedOrder.h"
#include "OverlapOptions.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::protocol;
using Node = ForcedOrder::Node;
namespace cl = llvm::cl;

static OverlapOptions options;

namespace {

/// The nodes of the graph by what they do.
class Questions {
public:
  explicit Questions(const ForcedOrder &order);

  /// Asks everything. False if an answer is not what it has to be.
  bool ask();

private:
  using Group = std::vector<unsigned>;
  /// Says whether there is a path between groups that are `distance` apart, and
  /// complains if that is not `wanted`.
  void demand(const llvm::Twine &what, const std::vector<Group> &from,
              const std::vector<Group> &to, size_t distance, bool wanted);
  void findEpilogues();

  const ForcedOrder &order;
  const plan::Pipe *operands = nullptr, *result = nullptr;
  /// By block along k, counted over all items.
  std::vector<Group> mmas, loads;
  /// By item.
  std::vector<Group> itemMmas, epilogues;
  bool holds = true;
  unsigned asked = 0;
};

} // namespace

static void put(std::vector<std::vector<unsigned>> &groups, size_t index,
                unsigned node) {
  if (groups.size() <= index)
    groups.resize(index + 1);
  groups[index].push_back(node);
}

Questions::Questions(const ForcedOrder &order) : order(order) {
  const plan::Plan &plan = order.getPlan();
  for (const plan::Pipe &pipe : plan.pipes) {
    if (pipe.producerEngine == plan::Engine::tensor_core)
      result = &pipe;
    if (pipe.name == "operands")
      operands = &pipe;
  }
  if (!operands)
    return;
  for (auto [index, node] : llvm::enumerate(order.nodes())) {
    if (node.kind == Node::Kind::Mma) {
      int64_t block = node.emptied.find(operands->name)->second - 1;
      put(mmas, block, index);
      put(itemMmas, block / options.blocks, index);
    } else if (node.kind == Node::Kind::Copy &&
               node.event.barrier >= operands->place->full &&
               node.event.barrier <
                   operands->place->full + operands->slots * 8) {
      put(loads, node.filled.find(operands->name)->second - 1, index);
    }
  }
  findEpilogues();
}

/// With results in a pipe: from the wait for one to the wait for the next.
/// Otherwise from the release of an item's last operands to the next wait.
void Questions::findEpilogues() {
  const plan::Pipe &from = result ? *result : *operands;
  const plan::Role *role = &order.getPlan().roles[from.consumers.front().role];
  int64_t perItem = result ? 1 : int64_t(options.blocks);
  for (auto [index, node] : llvm::enumerate(order.nodes())) {
    auto count = node.emptied.find(from.name);
    if (node.kind != Node::Kind::Instruction || order.getRole(node) != role ||
        count == node.emptied.end() || count->second % perItem)
      continue;
    bool isOperand =
        !result &&
        (node.event.kind == Event::Kind::Mma ||
         node.event.kind == Event::Kind::Group ||
         node.event.kind == Event::Kind::GroupWait ||
         (node.event.barrier >= operands->place->full &&
          node.event.barrier < operands->place->empty + operands->slots * 8));
    if (!isOperand)
      put(epilogues, count->second / perItem - 1, index);
  }
}

void Questions::demand(const llvm::Twine &what, const std::vector<Group> &from,
                       const std::vector<Group> &to, size_t distance,
                       bool wanted) {
  unsigned found = 0, total = 0;
  std::vector<unsigned> example;
  for (size_t i = 0; i + distance < to.size() && i < from.size(); ++i) {
    std::vector<unsigned> path = order.findPath(from[i], to[i + distance]);
    ++total;
    found += !path.empty();
    if (path.empty() != wanted && example.empty())
      continue;
    if (example.empty())
      example = path;
  }
  bool right = total > 0 && found == (wanted ? total : 0);
  llvm::outs() << (right ? "holds  " : "FAILS  ") << what << ": "
               << (wanted ? "a path" : "no path") << " ("
               << (wanted ? found : total - found) << " of " << total << ")\n";
  if (!right && !wanted)
    for (unsigned node : example)
      llvm::outs() << "         " << order.describe(node) << '\n';
  holds &= right;
  ++asked;
}

bool Questions::ask() {
  if (!operands || mmas.empty()) {
    llvm::outs() << "there is no MMA of operands from a pipe\n";
    return false;
  }
  int64_t slots = operands->slots;
  if (result) {
    demand("epilogue of item i, MMAs of item i + 1", epilogues, itemMmas, 1,
           false);
    demand(llvm::formatv("epilogue of item i, MMAs of item i + {0}, which "
                         "takes over its slot of '{1}'",
                         result->slots, result->name)
               .str(),
           epilogues, itemMmas, result->slots, true);
  }
  for (int64_t distance = 1; distance < slots; ++distance)
    demand(llvm::formatv("MMAs of block j, loads of block j + {0}", distance)
               .str(),
           mmas, loads, distance, false);
  demand(llvm::formatv("MMAs of block j, loads of block j + {0}, which "
                       "takes over its slot of '{1}'",
                       slots, operands->name)
             .str(),
         mmas, loads, slots, true);
  std::vector<Group> next;
  for (size_t item = 0; item != epilogues.size(); ++item) {
    Group group;
    size_t first = (item + 1) * options.blocks;
    for (size_t block = first; block < first + slots && block < loads.size();
         ++block)
      llvm::append_range(group, loads[block]);
    if (group.empty())
      break;
    next.push_back(group);
  }
  demand(
      llvm::formatv("epilogue of item i, loads of the next {0} blocks", slots)
          .str(),
      epilogues, next, 0, false);
  llvm::outs() << "overlap: " << asked << " statements about "
               << itemMmas.size() << " items and " << mmas.size() << " blocks "
               << (holds ? "hold" : "do not all hold")
               << " in every schedule\n";
  return holds;
}

static llvm::Expected<std::vector<uint64_t>>
makeParameters(const runtime::KernelInfo &info) {
  std::vector<uint64_t> values;
  for (const runtime::Parameter &parameter : info.parameters) {
    uint64_t value = 0;
    if (parameter.kind == runtime::Parameter::Kind::Size) {
      llvm::SmallVector<llvm::StringRef> sizes;
      if (parameter.argument < options.shapes.size())
        llvm::StringRef(options.shapes[parameter.argument]).split(sizes, 'x');
      if (parameter.dimension >= sizes.size() ||
          sizes[parameter.dimension].getAsInteger(10, value))
        return llvm::createStringError(
            llvm::formatv("--shapes says no size {0} of argument {1}",
                          parameter.dimension, parameter.argument));
    }
    values.push_back(value);
  }
  return values;
}

static llvm::Expected<bool> check(const CompiledModule &program) {
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(program.ptx, "ptx"));
  if (!parsed)
    return llvm::createStringError(parsed.str());
  const CompiledKernel &kernel = program.kernels.front();
  const ptx::Function *function =
      parsed.module->findFunction(kernel.plan.kernel);
  if (!function)
    return llvm::createStringError("the PTX has no @" + kernel.plan.kernel);
  llvm::Expected<std::vector<uint64_t>> parameters =
      makeParameters(kernel.info);
  if (!parameters)
    return parameters.takeError();
  llvm::Expected<ForcedOrder> order =
      ForcedOrder::create(kernel.plan, *function, *parameters);
  if (!order)
    return order.takeError();
  return Questions(*order).ask();
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Asks what a kernel's barriers force into an order\n");
  llvm::Expected<CompiledModule> program =
      compileFile(options.input, options.arch);
  if (!program) {
    llvm::errs() << llvm::toString(program.takeError()) << '\n';
    return 1;
  }
  llvm::Expected<bool> holds = check(*program);
  if (!holds) {
    llvm::errs() << options.input
                 << ": error: " << llvm::toString(holds.takeError()) << '\n';
    return 1;
  }
  return *holds ? 0 : 1;
}
