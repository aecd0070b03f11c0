//===- Placement.cpp - Where a plan's decisions are written down ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Plan/Placement.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

LogicalResult plan::checkRolesAreAll(tile::KernelOp kernel) {
  SmallVector<SwitchOp> switches;
  kernel.walk([&](SwitchOp op) { switches.push_back(op); });
  if (switches.empty())
    return success();
  SwitchOp op = switches.front();
  if (switches.size() > 1) {
    InFlightDiagnostic diag =
        switches[1].emitError()
        << "kernel @" << kernel.getSymName() << " has " << switches.size()
        << " switches, and its warps take their roles once; put the roles of "
           "both into one switch, or each switch into a kernel of its own";
    diag.attachNote(op.getLoc()) << "the first one is here";
    return diag;
  }
  if (op->getParentOp() != kernel)
    return op.emitError() << "the roles of kernel @" << kernel.getSymName()
                          << " are inside '" << op->getParentOp()->getName()
                          << "', and its warps take their roles once; put the "
                             "loop or the branch into the roles";
  for (Operation *after = op->getNextNode();
       after && !after->hasTrait<OpTrait::IsTerminator>();
       after = after->getNextNode())
    if (!isa<PipeOp, ItemsOp>(after) && !isMemoryEffectFree(after))
      return after->emitError()
             << "'" << after->getName() << "' comes after the roles of kernel @"
             << kernel.getSymName()
             << ", and nothing runs when they have ended; put it into a role, "
                "or into a kernel of its own";
  return success();
}

static bool isTensorMemory(PipeOp pipe) {
  return pipe.getPipe().getType().getMemory() == Memory::tmem;
}

/// A number of a dictionary that a pass has written; it may have been edited.
static std::optional<int64_t> readNumber(DictionaryAttr fields,
                                         StringRef name) {
  auto value = fields.getAs<IntegerAttr>(name);
  if (!value || !value.getType().isSignlessInteger(64) || value.getInt() < 0)
    return std::nullopt;
  return value.getInt();
}

static NamedAttribute makeNumber(Builder &builder, StringRef name,
                                 int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}

void plan::setPlace(PipeOp pipe, const Place &place) {
  Builder builder(pipe.getContext());
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, int64_t value) {
    fields.push_back(makeNumber(builder, name, value));
  };
  add(isTensorMemory(pipe) ? "column" : "offset", place.start);
  add("stride", place.stride);
  add("full", place.full);
  add("empty", place.empty);
  if (!place.reuses.empty())
    fields.push_back(
        builder.getNamedAttr("reuses", builder.getStringAttr(place.reuses)));
  pipe->setAttr(placeAttrName, builder.getDictionaryAttr(fields));
}

std::optional<Place> plan::getPlace(PipeOp pipe) {
  auto fields = pipe->getAttrOfType<DictionaryAttr>(placeAttrName);
  if (!fields)
    return std::nullopt;
  auto number = [&](StringRef name) { return readNumber(fields, name); };
  std::optional<int64_t> start =
      number(isTensorMemory(pipe) ? "column" : "offset");
  std::optional<int64_t> stride = number("stride"), full = number("full"),
                         empty = number("empty");
  if (!start || !stride || !full || !empty)
    return std::nullopt;
  auto reuses = fields.getAs<StringAttr>("reuses");
  return Place{*start, *stride, *full, *empty, reuses ? reuses.str() : ""};
}

void plan::setScratch(RoleOp role, const ScratchPlace &place) {
  Builder builder(role.getContext());
  role->setAttr(scratchAttrName,
                builder.getDictionaryAttr(
                    {makeNumber(builder, "offset", place.offset),
                     makeNumber(builder, "bytes", place.bytes),
                     makeNumber(builder, "column", place.column),
                     makeNumber(builder, "columns", place.columns)}));
}

std::optional<ScratchPlace> plan::getScratch(RoleOp role) {
  auto fields = role->getAttrOfType<DictionaryAttr>(scratchAttrName);
  if (!fields)
    return std::nullopt;
  std::optional<int64_t> offset = readNumber(fields, "offset"),
                         bytes = readNumber(fields, "bytes"),
                         column = readNumber(fields, "column"),
                         columns = readNumber(fields, "columns");
  if (!offset || !bytes || !column || !columns)
    return std::nullopt;
  return ScratchPlace{*offset, *bytes, *column, *columns};
}

void plan::setNumber(Operation *op, StringRef name, int64_t value) {
  op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(value));
}

std::optional<int64_t> plan::getNumber(Operation *op, StringRef name) {
  auto value = op->getAttrOfType<IntegerAttr>(name);
  if (!value || !value.getType().isSignlessInteger(64) || value.getInt() < 0)
    return std::nullopt;
  return value.getInt();
}

SmallVector<StringRef> plan::getBecause(Operation *op) {
  SmallVector<StringRef> reasons;
  if (auto list = op->getAttrOfType<ArrayAttr>(becauseAttrName))
    for (Attribute reason : list)
      if (auto text = dyn_cast<StringAttr>(reason))
        reasons.push_back(text.getValue());
  return reasons;
}

bool plan::hasBecause(Operation *op, StringRef rule) {
  return llvm::any_of(getBecause(op), [&](StringRef reason) {
    return reason.split(':').first == rule;
  });
}

void plan::addBecause(Operation *op, StringRef rule, const Twine &sentence) {
  Builder builder(op->getContext());
  SmallVector<Attribute> reasons;
  for (StringRef reason : getBecause(op))
    if (reason.split(':').first != rule)
      reasons.push_back(builder.getStringAttr(reason));
  reasons.push_back(builder.getStringAttr(rule + ": " + sentence));
  op->setAttr(becauseAttrName, builder.getArrayAttr(reasons));
}
