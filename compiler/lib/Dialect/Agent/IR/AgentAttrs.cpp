//===- AgentAttrs.cpp - What passes decide about a kernel -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// A rule by its name, as a string: rules' names have dashes.
static ParseResult parseRule(AsmParser &parser, Rule &rule) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  std::optional<Rule> known = findRule(name);
  if (!known)
    return parser.emitError(loc) << "there is no rule '" << name << "'";
  rule = *known;
  return success();
}

static void printRule(AsmPrinter &printer, Rule rule) {
  printer.printString(getInfo(rule).name);
}

#define GET_ATTRDEF_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentAttrs.cpp.inc"

void AgentDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drawloom/Dialect/Agent/IR/AgentAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Checks that the numbers of a place are 0 or more.
static LogicalResult
verifyNumbers(function_ref<InFlightDiagnostic()> emitError,
              ArrayRef<std::pair<StringRef, int64_t>> numbers) {
  for (auto [name, number] : numbers)
    if (number < 0)
      return emitError() << name << " = " << number
                         << "; places and sizes are 0 or more";
  return success();
}

LogicalResult PlaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t start, int64_t stride, int64_t full,
                                int64_t empty, StringAttr reuses) {
  if (failed(verifyNumbers(emitError, {{"start", start},
                                       {"stride", stride},
                                       {"full", full},
                                       {"empty", empty}})))
    return failure();
  for (int64_t barrier : {full, empty})
    if (barrier % 8 != 0)
      return emitError() << "a barrier at byte " << barrier
                         << "; an mbarrier is at a multiple of 8";
  return success();
}

LogicalResult ScratchAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t offset, int64_t bytes, int64_t column,
                                  int64_t columns) {
  return verifyNumbers(emitError, {{"offset", offset},
                                   {"bytes", bytes},
                                   {"column", column},
                                   {"columns", columns}});
}

LogicalResult
NamedBarrierAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t barrier, int64_t parts) {
  if (barrier < 1 || barrier > 15)
    return emitError() << "barrier " << barrier
                       << "; a CTA has 15 named ones, from 1 on";
  return verifyNumbers(emitError, {{"parts", parts}});
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

std::string ReasonAttr::str() const {
  return Reason{getRule(), getSentence().str()}.str();
}

ArrayAttr agent::toAttribute(MLIRContext *context, ArrayRef<Reason> reasons) {
  SmallVector<Attribute> list;
  for (const Reason &reason : reasons)
    list.push_back(ReasonAttr::get(context, reason.rule, reason.sentence));
  return ArrayAttr::get(context, list);
}

ArrayAttr agent::addReason(ArrayAttr because, MLIRContext *context,
                           const Reason &reason) {
  SmallVector<Attribute> list;
  if (because)
    for (auto other : because.getAsRange<ReasonAttr>())
      if (other.getRule() != reason.rule)
        list.push_back(other);
  list.push_back(ReasonAttr::get(context, reason.rule, reason.sentence));
  return ArrayAttr::get(context, list);
}

bool agent::hasReason(ArrayAttr because, Rule rule) {
  return because &&
         llvm::any_of(because.getAsRange<ReasonAttr>(), [&](ReasonAttr reason) {
           return reason.getRule() == rule;
         });
}

//===----------------------------------------------------------------------===//
// The verdict on progress
//===----------------------------------------------------------------------===//

LogicalResult SizeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr name, UnitAttr perItem, ArrayAttr of,
                               AffineMapAttr value) {
  if (bool(of) != bool(value))
    return emitError() << "'of' and 'value' come together: the numbers that a "
                          "size is computed from, and how";
  if (!value)
    return success();
  AffineMap map = value.getValue();
  if (map.getNumDims() != 0 || map.getNumResults() != 1 ||
      map.getNumSymbols() != of.size() || !map.getResult(0).isPureAffine())
    return emitError() << "'value' is " << value << "; it has one result and "
                       << of.size() << " symbols, one for each entry of 'of'";
  for (Attribute entry : of)
    if (auto place = dyn_cast<DenseI64ArrayAttr>(entry);
        !place || place.empty() || place.size() > 2 ||
        llvm::any_of(place.asArrayRef(), [](int64_t n) { return n < 0; }))
      return emitError() << "'of' holds " << entry
                         << "; it names an argument and, for a view, a "
                            "dimension";
  return success();
}

/// Checks that a condition is cases of bounds over the sizes that there are.
static LogicalResult
verifyCondition(function_ref<InFlightDiagnostic()> emitError,
                ArrayAttr condition, ArrayAttr sizes) {
  for (Attribute size : sizes)
    if (!isa<SizeAttr>(size))
      return emitError() << "'sizes' holds " << size << ", which is no size";
  for (Attribute entry : condition) {
    auto bounds = dyn_cast<ArrayAttr>(entry);
    if (!bounds)
      return emitError() << "'condition' holds " << entry
                         << "; it is a list of cases, each a list of bounds";
    for (Attribute inner : bounds) {
      auto bound = dyn_cast<BoundAttr>(inner);
      if (!bound || bound.getSize() < 0 ||
          bound.getSize() >= int64_t(sizes.size()))
        return emitError() << "'condition' holds " << inner
                           << "; it holds bounds of the " << sizes.size()
                           << " sizes";
    }
  }
  return success();
}

LogicalResult VerdictAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  VerdictKind kind, ArrayAttr assumes,
                                  StringAttr because, StringAttr words,
                                  ArrayAttr condition, ArrayAttr sizes) {
  if (assumes && !llvm::all_of(assumes, llvm::IsaPred<StringAttr>))
    return emitError() << "'assumes' is " << assumes
                       << "; it is a list of sentences";
  if (bool(because) != (kind == VerdictKind::undecided))
    return emitError() << "'because' comes with 'undecided', and with nothing "
                          "else";
  bool isConditional = kind == VerdictKind::proved_if;
  if (bool(words) != isConditional || bool(condition) != isConditional ||
      bool(sizes) != isConditional)
    return emitError() << "'words', 'condition' and 'sizes' come with "
                          "'proved_if', and with nothing else";
  return isConditional ? verifyCondition(emitError, condition, sizes)
                       : success();
}

//===----------------------------------------------------------------------===//
// Between passes, and for the launch
//===----------------------------------------------------------------------===//

LogicalResult OwnerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringAttr name, int64_t warps, Engine loads,
                                ArrayAttr because) {
  if (name.empty() || warps < 1)
    return emitError() << "role " << name << " with warps = " << warps
                       << "; a role has a name and one warp or more";
  if (loads != Engine::cp_async && (loads != Engine::tma || warps != 1))
    return emitError() << "role " << name << " of " << warps
                       << " warps with loads = " << stringifyEngine(loads)
                       << "; a role loads by cp_async, or by tma with one warp";
  if (!llvm::all_of(because, llvm::IsaPred<ReasonAttr>))
    return emitError() << "'because' is " << because
                       << "; it is a list of reasons";
  return success();
}

LogicalResult ParameterAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ParameterKind kind,
    int64_t argument, std::optional<int64_t> dimension, DenseI64ArrayAttr box,
    std::optional<int64_t> swizzle, std::optional<int64_t> atom) {
  if (argument < 0 || dimension.value_or(0) < 0)
    return emitError() << "arguments and dimensions are numbered from 0";
  bool isMap = kind == ParameterKind::map;
  if (bool(box) != isMap || bool(swizzle) != isMap || bool(atom) != isMap)
    return emitError() << "'box', 'swizzle' and 'atom' come with 'map', and "
                          "with nothing else";
  bool hasDimension =
      kind == ParameterKind::stride || kind == ParameterKind::size;
  if (bool(dimension) != hasDimension)
    return emitError() << "'dimension' comes with 'stride' and 'size', and "
                          "with nothing else";
  return success();
}

LogicalResult AgentDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  auto isListOf = [&](auto isRight) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    return list && llvm::all_of(list, isRight);
  };
  StringRef wanted;
  if (attribute.getName() == rolesAttrName &&
      !isListOf(llvm::IsaPred<OwnerAttr>))
    wanted = "a list of #agent.owner";
  else if (attribute.getName() == parametersAttrName &&
           !isListOf(llvm::IsaPred<ParameterAttr>))
    wanted = "a list of #agent.parameter";
  else if ((attribute.getName() == sharedBytesAttrName ||
            attribute.getName() == workspaceBytesAttrName) &&
           !isa<IntegerAttr>(attribute.getValue()))
    wanted = "a number of bytes";
  if (wanted.empty())
    return success();
  return op->emitOpError() << "has '" << attribute.getName().getValue()
                           << "' = " << attribute.getValue() << "; it is "
                           << wanted;
}
