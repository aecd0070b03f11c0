//===- Assembly.cpp - How the operations read -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "Verify.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// PipeOp
//===----------------------------------------------------------------------===//

ParseResult drawloom::agent::parseScope(OpAsmParser &parser, ScopeAttr &scope) {
  scope = ScopeAttr::get(parser.getContext(), Scope::cta);
  if (failed(parser.parseOptionalKeyword("scope")))
    return success();
  if (parser.parseLParen())
    return failure();
  FailureOr<Scope> value = FieldParser<Scope, Scope>::parse(parser);
  if (failed(value) || parser.parseRParen())
    return failure();
  scope = ScopeAttr::get(parser.getContext(), *value);
  return success();
}

void drawloom::agent::printScope(OpAsmPrinter &printer, Operation *,
                                 ScopeAttr scope) {
  if (scope.getValue() != Scope::cta)
    printer << " scope(" << stringifyScope(scope.getValue()) << ')';
}

ParseResult drawloom::agent::parseOrdering(OpAsmParser &parser,
                                           OrderingAttr &orders) {
  orders = OrderingAttr::get(parser.getContext(), Ordering::local);
  if (failed(parser.parseOptionalKeyword("orders")))
    return success();
  if (parser.parseLParen())
    return failure();
  FailureOr<Ordering> value = FieldParser<Ordering, Ordering>::parse(parser);
  if (failed(value) || parser.parseRParen())
    return failure();
  orders = OrderingAttr::get(parser.getContext(), *value);
  return success();
}

void drawloom::agent::printOrdering(OpAsmPrinter &printer, Operation *,
                                    OrderingAttr orders) {
  if (orders.getValue() != Ordering::local)
    printer << " orders(" << stringifyOrdering(orders.getValue()) << ')';
}

ParseResult drawloom::agent::parseEngine(OpAsmParser &parser,
                                         EngineAttr &engine) {
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  if (parser.parseLParen())
    return failure();
  FailureOr<Engine> value = FieldParser<Engine, Engine>::parse(parser);
  if (failed(value) || parser.parseRParen())
    return failure();
  engine = EngineAttr::get(parser.getContext(), *value);
  return success();
}

void drawloom::agent::printEngine(OpAsmPrinter &printer, Operation *,
                                  EngineAttr engine) {
  if (engine)
    printer << " by(" << stringifyEngine(engine.getValue()) << ')';
}

/// `smem scope(pair) : (tensor<128x64xbf16>, tensor<256x64xbf16>)`
static ParseResult parseSlotKind(OpAsmParser &parser, ScopeAttr &scope,
                                 Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<Memory> memory = FieldParser<Memory, Memory>::parse(parser);
  SmallVector<Type> payload;
  if (failed(memory) || parseScope(parser, scope) || parser.parseColon() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parser.parseType(payload.emplace_back());
      }))
    return failure();
  type = PipeType::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), *memory,
                              ArrayRef<Type>(payload));
  return success(static_cast<bool>(type));
}

static void printSlotKind(OpAsmPrinter &printer, Operation *op, ScopeAttr scope,
                          Type type) {
  auto pipe = cast<PipeType>(type);
  printer << stringifyMemory(pipe.getMemory());
  printScope(printer, op, scope);
  printer << " : " << listOf(pipe.getPayload());
}

void PipeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getPipe(), getName());
}

//===----------------------------------------------------------------------===//
// ConsumeOp
//===----------------------------------------------------------------------===//

/// Parses `by(...)`, if it is there.
static ParseResult parseEngines(OpAsmParser &parser, StringAttr name,
                                OperationState &result) {
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  SmallVector<Attribute> engines;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        FailureOr<Engine> engine = FieldParser<Engine, Engine>::parse(parser);
        if (succeeded(engine))
          engines.push_back(EngineAttr::get(parser.getContext(), *engine));
        return success(succeeded(engine));
      }))
    return failure();
  result.addAttribute(name, parser.getBuilder().getArrayAttr(engines));
  return success();
}

ParseResult ConsumeOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> pipes, at;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> pipeTypes;
  SMLoc pipesLoc = parser.getCurrentLocation();
  if (parser.parseOperandList(pipes))
    return failure();
  SMLoc argumentsLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("as")) &&
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at")) &&
      parser.parseOperandList(at, AsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("lag"))) {
    int64_t lag;
    if (parser.parseLParen() || parser.parseInteger(lag) ||
        parser.parseRParen())
      return failure();
    result.addAttribute(getLagAttrName(result.name),
                        parser.getBuilder().getI64IntegerAttr(lag));
  }
  if (parseEngines(parser, getEnginesAttrName(result.name), result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseColon())
    return failure();
  do {
    PipeType type;
    if (parser.parseType(type))
      return failure();
    pipeTypes.push_back(type);
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.resolveOperands(pipes, pipeTypes, pipesLoc, result.operands) ||
      parser.resolveOperands(at, VariableType::get(parser.getContext()),
                             result.operands) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(pipes.size()), static_cast<int32_t>(at.size())};

  SmallVector<Type> payload = getSlotValues(pipeTypes);
  if (arguments.size() != payload.size())
    return parser.emitError(argumentsLoc)
           << "names " << arguments.size() << " values, but the slots hold "
           << listOf(payload);
  for (auto [argument, type] : llvm::zip_equal(arguments, payload))
    argument.type = type;
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ConsumeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getPipes();
  if (getBody().getNumArguments())
    printer << " as (" << getBody().getArguments() << ')';
  if (!getAt().empty())
    printer << " at(" << getAt() << ')';
  if (getLag())
    printer << " lag(" << getLag() << ')';
  if (std::optional<ArrayAttr> engines = getEngines()) {
    printer << " by(";
    llvm::interleaveComma(engines->getAsRange<EngineAttr>(), printer,
                          [&](EngineAttr engine) {
                            printer << stringifyEngine(engine.getValue());
                          });
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getLagAttrName(), getEnginesAttrName(),
                            getOperandSegmentSizesAttrName()});
  printer << " : " << getPipes().getTypes();
  printer.printOptionalArrowTypeList(getResultTypes());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/getNumResults() != 0);
}

void ConsumeOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, isa<ShapedType>(argument.getType()) ? "tile" : "word");
}

//===----------------------------------------------------------------------===//
// SwitchOp
//===----------------------------------------------------------------------===//

/// `cluster(2, 1)`
static ParseResult parseCluster(OpAsmParser &parser,
                                DenseI64ArrayAttr &cluster) {
  if (failed(parser.parseOptionalKeyword("cluster")))
    return success();
  SmallVector<int64_t> sizes;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parser.parseInteger(sizes.emplace_back());
      }))
    return failure();
  cluster = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

static void printCluster(OpAsmPrinter &printer, Operation *,
                         DenseI64ArrayAttr cluster) {
  if (!cluster)
    return;
  printer << " cluster(";
  llvm::interleaveComma(cluster.asArrayRef(), printer);
  printer << ')';
}

/// `items(pair)`; nothing if each CTA takes items of its own.
static ParseResult parseItems(OpAsmParser &parser, ScopeAttr &items) {
  items = ScopeAttr::get(parser.getContext(), Scope::cta);
  if (failed(parser.parseOptionalKeyword("items")))
    return success();
  if (parser.parseLParen())
    return failure();
  FailureOr<Scope> value = FieldParser<Scope, Scope>::parse(parser);
  if (failed(value) || parser.parseRParen())
    return failure();
  items = ScopeAttr::get(parser.getContext(), *value);
  return success();
}

static void printItems(OpAsmPrinter &printer, Operation *, ScopeAttr items) {
  if (items.getValue() != Scope::cta)
    printer << " items(" << stringifyScope(items.getValue()) << ')';
}

//===----------------------------------------------------------------------===//
// ItemsOp
//===----------------------------------------------------------------------===//

ParseResult ItemsOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument number;
  OpAsmParser::UnresolvedOperand count;
  SmallVector<Type> item;
  number.type = parser.getBuilder().getIndexType();
  FailureOr<Stream> stream = FieldParser<Stream, Stream>::parse(parser);
  if (failed(stream) || parser.parseArgument(number) ||
      parser.parseKeyword("of") || parser.parseOperand(count) ||
      parser.resolveOperand(count, number.type, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute(getStreamAttrName(result.name),
                      StreamAttr::get(parser.getContext(), *stream));
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parser.parseType(item.emplace_back());
      }))
    return failure();
  auto type = ItemsType::getChecked([&] { return parser.emitError(loc); },
                                    parser.getContext(), ArrayRef<Type>(item));
  Region *body = result.addRegion();
  if (!type || parser.parseRegion(*body, number))
    return failure();
  result.addTypes(type);
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ItemsOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyStream(getStream()) << ' '
          << getBody().getArguments() << " of " << getCount();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getStreamAttrName()});
  printer << " -> " << listOf(getItems().getType().getItem()) << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void ItemsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getItems(), "items");
}

//===----------------------------------------------------------------------===//
// ForEachItemOp
//===----------------------------------------------------------------------===//

ParseResult ForEachItemOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand, 2> operands(1);
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") || parser.parseOperand(operands.front()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("publish")) &&
      parser.parseOperand(operands.emplace_back()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("every"))) {
    int64_t every, from;
    if (parser.parseInteger(every) || parser.parseKeyword("from") ||
        parser.parseInteger(from))
      return failure();
    Builder &builder = parser.getBuilder();
    result.addAttribute(getEveryAttrName(result.name),
                        builder.getI64IntegerAttr(every));
    result.addAttribute(getFromAttrName(result.name),
                        builder.getI64IntegerAttr(from));
  }
  SmallVector<Type> types;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SMLoc typesLoc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, typesLoc, result.operands))
    return failure();
  if (!isa<ItemsType, PipeType>(types.front()))
    return parser.emitError(typesLoc)
           << "expects a stream of work tiles or a pipe, not " << types.front();

  ArrayRef<Type> item = getItemValues(types.front());
  if (arguments.size() != item.size())
    return parser.emitError(loc) << "names " << arguments.size()
                                 << " values, but an item is " << listOf(item);
  for (auto [argument, type] : llvm::zip_equal(arguments, item))
    argument.type = type;
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForEachItemOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") in " << getSource();
  if (getPublish())
    printer << " publish " << getPublish();
  if (getEvery() != 1)
    printer << " every " << getEvery() << " from " << getFrom();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getEveryAttrName(), getFromAttrName()});
  printer << " : " << getOperandTypes() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void ForEachItemOp::getAsmBlockArgumentNames(Region &region,
                                             OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "item");
}

#define GET_OP_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentOps.cpp.inc"
