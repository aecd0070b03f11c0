//===- Owners.cpp - Which role an operation belongs to --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Owners.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

static constexpr llvm::StringLiteral ownerName = "agent.owner";
static constexpr llvm::StringLiteral ownersName = "agent.owners";

Item Item::of(tile::KernelOp kernel) {
  Item item{kernel, {}, &kernel.getBody().front()};
  for (tile::ForEachOp loop = kernel.getForEach(); loop;
       loop = loop.getNested()) {
    item.nest.push_back(loop);
    item.body = &loop.getBody().front();
  }
  return item;
}

SmallVector<Operation *, 4> Item::loopsAround(Operation *op) {
  SmallVector<Operation *, 4> loops;
  for (Block *block = op->getBlock(); block && block != body;
       block = block->getParentOp()->getBlock())
    loops.push_back(block->getParentOp());
  std::reverse(loops.begin(), loops.end());
  return loops;
}

int Owners::of(Value value) const {
  if (auto result = dyn_cast<OpResult>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return ofCarried(loop, result.getResultNumber());
    return of(result.getOwner());
  }
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getArgNumber() == 0)
    return noRole;
  return ofCarried(loop, argument.getArgNumber() - 1);
}

void Owners::write(tile::KernelOp kernel) const {
  erase(kernel);
  Builder builder(kernel);
  auto nameOf = [&](int role) -> Attribute {
    if (role == noRole)
      return builder.getUnitAttr();
    return FlatSymbolRefAttr::get(kernel.getContext(), roles[role].name);
  };
  SmallVector<Attribute> list;
  for (const RoleSpec &role : roles)
    list.push_back(OwnerAttr::get(
        kernel.getContext(), builder.getStringAttr(role.name), role.warps,
        role.loads, toAttribute(kernel.getContext(), role.because)));
  kernel->setAttr(rolesAttrName, builder.getArrayAttr(list));
  kernel.walk([&](Operation *op) {
    if (int role = of(op); role != noRole)
      op->setAttr(ownerName, nameOf(role));
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || loop.getInitArgs().empty())
      return;
    SmallVector<Attribute> names;
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      names.push_back(nameOf(ofCarried(loop, i)));
    loop->setAttr(ownersName, builder.getArrayAttr(names));
  });
}

void Owners::erase(tile::KernelOp kernel) {
  kernel->removeAttr(rolesAttrName);
  kernel.walk([](Operation *op) {
    op->removeAttr(ownerName);
    op->removeAttr(ownersName);
  });
}

/// The roles that the kernel lists; false if there is no such list.
static bool readRoles(tile::KernelOp kernel, Owners &owners) {
  auto list = kernel->getAttrOfType<ArrayAttr>(rolesAttrName);
  if (!list || list.empty())
    return false;
  for (auto role : list.getAsRange<OwnerAttr>()) {
    RoleSpec &spec = owners.roles.emplace_back();
    spec.name = role.getName().str();
    spec.warps = role.getWarps();
    spec.loads = role.getLoads();
    for (auto reason : role.getBecause().getAsRange<ReasonAttr>())
      spec.because.push_back({reason.getRule(), reason.getSentence().str()});
  }
  return true;
}

FailureOr<Owners> Owners::read(tile::KernelOp kernel) {
  Owners owners;
  if (!readRoles(kernel, owners))
    return kernel.emitError() << "kernel @" << kernel.getSymName()
                              << " has no roles yet: run assign-roles before "
                                 "form-pipes [pass-order]";
  auto find = [&](Attribute attr) -> std::optional<int> {
    if (isa<UnitAttr>(attr))
      return noRole;
    auto symbol = dyn_cast<FlatSymbolRefAttr>(attr);
    for (size_t i = 0; symbol && i < owners.roles.size(); ++i)
      if (symbol.getValue() == owners.roles[i].name)
        return i;
    return std::nullopt;
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    if (Attribute attr = op->getAttr(ownerName)) {
      std::optional<int> role = find(attr);
      if (!role) {
        op->emitError() << "belongs to " << attr
                        << ", which is none of the kernel's roles [role-owner]";
        return WalkResult::interrupt();
      }
      owners.set(op, *role);
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    auto names = op->getAttrOfType<ArrayAttr>(ownersName);
    if (!loop || !names)
      return WalkResult::advance();
    if (names.size() != loop.getInitArgs().size()) {
      op->emitError() << "names " << names.size() << " owners for "
                      << loop.getInitArgs().size()
                      << " carried values [role-owner]";
      return WalkResult::interrupt();
    }
    for (auto [i, attr] : llvm::enumerate(names)) {
      std::optional<int> role = find(attr);
      if (!role) {
        op->emitError() << "carries a value of " << attr
                        << ", which is none of the kernel's roles [role-owner]";
        return WalkResult::interrupt();
      }
      owners.setCarried(loop, i, *role);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return owners;
}

bool drawloom::agent::isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() > 0 &&
         !llvm::is_contained(tensor.getShape(), 0) &&
         tensor.getElementType().isSignlessIntOrIndexOrFloat();
}

BlockArgument drawloom::agent::getArgument(Value view) {
  while (auto cut = view.getDefiningOp<tile::SubviewOp>())
    view = cut.getView();
  auto argument = dyn_cast<BlockArgument>(view);
  if (!argument || !isa<tile::KernelOp>(argument.getOwner()->getParentOp()))
    return {};
  return argument;
}

std::string drawloom::agent::getViewName(Value view) {
  if (BlockArgument argument = getArgument(view))
    return tile::getArgumentName(argument);
  return "view";
}
