//===- TileKernelOps.cpp - Kernels and their work tiles -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace drawloom::tile;

/// The for_each of a block, or null.
static ForEachOp findForEach(Block &block) {
  auto loops = block.getOps<ForEachOp>();
  return loops.empty() ? ForEachOp() : *loops.begin();
}

/// A block that holds a for_each belongs to no work tile: every role that takes
/// one repeats it. So there is one stream of work tiles, and nothing writes.
static LogicalResult verifyAroundItems(Block &block) {
  ForEachOp items = findForEach(block);
  if (!items)
    return success();
  for (Operation &op : block.without_terminator()) {
    if (&op == items)
      continue;
    if (isa<ForEachOp>(op)) {
      InFlightDiagnostic diagnostic =
          op.emitOpError()
          << "is a second stream of work tiles next to the first: nest one in "
             "the other, or write two kernels";
      diagnostic.attachNote(items.getLoc()) << "the first is here";
      return diagnostic;
    }
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
        getEffectsRecursively(&op);
    auto writes = [](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    };
    if (!effects || llvm::any_of(*effects, writes)) {
      InFlightDiagnostic diagnostic =
          op.emitOpError()
          << (effects ? "writes" : "may write")
          << " outside the work tiles: move it into the tile.for_each";
      diagnostic.attachNote(items.getLoc()) << "the work tiles are here";
      return diagnostic;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// tile.kernel
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     TypeRange argumentTypes) {
  OpBuilder::InsertionGuard guard(builder);
  state.getOrAddProperties<Properties>().sym_name = builder.getStringAttr(name);
  state.getOrAddProperties<Properties>().function_type =
      TypeAttr::get(builder.getFunctionType(argumentTypes, {}));
  Block *entry = builder.createBlock(state.addRegion());
  for (Type type : argumentTypes)
    entry->addArgument(type, state.location);
  ensureTerminator(*state.regions.front(), builder, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  // The name stays with the argument: pipes and messages use it. A number is no
  // name.
  SmallVector<Type> types;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
    StringRef ssaName = argument.ssaName.name.drop_front();
    if (!argument.sourceLoc && !llvm::isDigit(ssaName.front()))
      argument.sourceLoc =
          NameLoc::get(parser.getBuilder().getStringAttr(ssaName),
                       parser.getEncodedSourceLoc(argument.ssaName.location));
  }
  Builder &builder = parser.getBuilder();
  result.addAttribute(
      getFunctionTypeAttrName(result.name),
      TypeAttr::get(builder.getFunctionType(types, resultTypes)));
  call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
      getResAttrsAttrName(result.name));

  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getSymNameAttrName(), getSymVisibilityAttrName(),
       getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (StringRef name = findArgumentName(argument); !name.empty())
      setName(argument, name);
}

LogicalResult KernelOp::verifyType() {
  if (!getResultTypes().empty())
    return emitOpError() << "returns " << getResultTypes().front()
                         << ": a kernel has no results, it stores to a view";
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<ViewType, FloatType, IndexType>(type) && !type.isSignlessInteger())
      return emitOpError() << "argument " << i << " is a " << type
                           << ": arguments are views and scalars; pass a "
                              "tensor as '!tile.view'";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  return verifyAroundItems(getBody().front());
}

ForEachOp KernelOp::getForEach() { return findForEach(getBody().front()); }

//===----------------------------------------------------------------------===//
// tile.for_each
//===----------------------------------------------------------------------===//

static void buildForEach(OpBuilder &builder, OperationState &state, Value view,
                         ValueRange extents, ArrayRef<int64_t> tiles) {
  OpBuilder::InsertionGuard guard(builder);
  if (view)
    state.addOperands(view);
  state.addOperands(extents);
  auto &properties = state.getOrAddProperties<ForEachOp::Properties>();
  properties.tiles = builder.getDenseI64ArrayAttr(tiles);
  properties.operandSegmentSizes = {view ? 1 : 0, int32_t(extents.size())};
  Block *body = builder.createBlock(state.addRegion());
  for (size_t i = 0; i < tiles.size(); ++i)
    body->addArgument(builder.getIndexType(), state.location);
  ForEachOp::ensureTerminator(*state.regions.front(), builder, state.location);
}

void ForEachOp::build(OpBuilder &builder, OperationState &state, Value view,
                      ArrayRef<int64_t> tiles) {
  buildForEach(builder, state, view, {}, tiles);
}

void ForEachOp::build(OpBuilder &builder, OperationState &state,
                      ValueRange extents, ArrayRef<int64_t> tiles) {
  buildForEach(builder, state, {}, extents, tiles);
}

ParseResult ForEachOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> offsets;
  SmallVector<int64_t> tiles;
  auto parseTile = [&] { return parser.parseInteger(tiles.emplace_back()); };
  if (parser.parseArgumentList(offsets, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("tiles") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseTile) ||
      parser.parseKeyword("of"))
    return failure();

  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  OpAsmParser::UnresolvedOperand view;
  OptionalParseResult viewResult = parser.parseOptionalOperand(view);
  if (viewResult.has_value()) {
    Type type;
    if (failed(*viewResult) || parser.parseColonType(type) ||
        parser.resolveOperand(view, type, result.operands))
      return failure();
  } else if (parser.parseOperandList(extents, OpAsmParser::Delimiter::Square) ||
             parser.resolveOperands(extents, builder.getIndexType(),
                                    result.operands)) {
    return failure();
  }
  auto &properties = result.getOrAddProperties<Properties>();
  properties.tiles = builder.getDenseI64ArrayAttr(tiles);
  properties.operandSegmentSizes = {viewResult.has_value() ? 1 : 0,
                                    int32_t(extents.size())};

  for (OpAsmParser::Argument &offset : offsets)
    offset.type = builder.getIndexType();
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*body, offsets))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return success();
}

void ForEachOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getOffsets(), printer, [&](BlockArgument offset) {
    printer.printRegionArgument(offset, {}, /*omitType=*/true);
  });
  printer << ") tiles [";
  llvm::interleaveComma(getTiles(), printer);
  printer << "] of ";
  if (Value view = getView())
    printer << view << " : " << view.getType();
  else
    printer << '[' << getExtents() << ']';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getTilesAttrName(), getOperandSegmentSizeAttr()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

LogicalResult ForEachOp::verify() {
  int64_t rank = getRank();
  if (rank == 0)
    return emitOpError() << "has no dimensions: give at least one tile size";
  for (auto [i, size] : llvm::enumerate(getTiles()))
    if (size < 1)
      return emitOpError() << "tile size " << i << " is " << size
                           << ": sizes begin at 1";
  if (getView() && !getExtents().empty())
    return emitOpError() << "has a view and extents: give one of the two";
  if (auto view = getView()) {
    if (view.getType().getRank() != rank)
      return emitOpError() << "has " << rank << " tile sizes for "
                           << view.getType() << " of rank "
                           << view.getType().getRank()
                           << ": give one for each dimension";
  } else if (int64_t(getExtents().size()) != rank) {
    return emitOpError() << "has " << rank << " tile sizes for "
                         << getExtents().size()
                         << " extents: give one for each";
  }
  return success();
}

LogicalResult ForEachOp::verifyRegions() {
  Block &block = getBody().front();
  if (int64_t(block.getNumArguments()) != getRank() ||
      !llvm::all_of(block.getArgumentTypes(), llvm::IsaPred<IndexType>))
    return emitOpError() << "has " << getRank() << " tile sizes, so its body "
                         << "must have as many arguments of type 'index', but "
                            "it has ("
                         << block.getArgumentTypes() << ")";
  return verifyAroundItems(block);
}

ForEachOp ForEachOp::getNested() { return findForEach(getBody().front()); }

SmallVector<Region *> ForEachOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> ForEachOp::getLoopInductionVars() {
  return SmallVector<Value>(getOffsets());
}
