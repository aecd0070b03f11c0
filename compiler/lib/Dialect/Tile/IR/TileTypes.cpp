//===- TileTypes.cpp - Views and buffers ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom::tile;

#define GET_TYPEDEF_CLASSES
#include "drawloom/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "drawloom/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

static LogicalResult
verifyElementType(function_ref<InFlightDiagnostic()> emitError, StringRef what,
                  Type type) {
  if (isa<FloatType>(type) || type.isSignlessInteger())
    return success();
  return emitError() << "a " << what << " of " << type
                     << ": elements are floats or signless integers";
}

//===----------------------------------------------------------------------===//
// !tile.view
//===----------------------------------------------------------------------===//

ShapedType ViewType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                               Type elementType) const {
  ArrayRef<int64_t> newShape = shape.value_or(getShape());
  bool sameRank = newShape.size() == getShape().size();
  return get(newShape, elementType,
             sameRank ? getStrides() : ArrayRef<int64_t>());
}

Type ViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  SmallVector<int64_t> strides;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto parseStride = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalQuestion())) {
        strides.push_back(ShapedType::kDynamic);
        return success();
      }
      return parser.parseInteger(strides.emplace_back());
    };
    if (parser.parseKeyword("strides") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseStride))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(loc, parser.getContext(), shape,
                                     elementType, strides);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType();
  if (!getStrides().empty()) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
      ShapedType::isDynamic(stride) ? printer << '?' : printer << stride;
    });
    printer << ']';
  }
  printer << '>';
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               ArrayRef<int64_t> strides) {
  if (shape.empty())
    return emitError() << "a view of rank zero: pass a scalar instead";
  if (!strides.empty() && strides.size() != shape.size())
    return emitError() << strides.size() << " strides for a view of rank "
                       << shape.size() << ": give one for each dimension";
  for (int64_t stride : strides)
    if (stride < 0 && !ShapedType::isDynamic(stride))
      return emitError() << "stride " << stride << ": strides are not negative";
  return verifyElementType(emitError, "view", elementType);
}

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

LayoutAttr BufferType::getLayout() const {
  return dyn_cast_if_present<LayoutAttr>(getEncoding());
}

PanelsAttr BufferType::getPanels() const {
  return dyn_cast_if_present<PanelsAttr>(getEncoding());
}

ShapedType BufferType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                 Type elementType) const {
  bool same = (!shape || *shape == getShape()) &&
              (getLayout() || elementType == getElementType());
  return get(shape.value_or(getShape()), elementType, getSpace(),
             same ? getEncoding() : Attribute());
}

/// A layout needs no name: its form is enough.
static ParseResult parseEncoding(AsmParser &parser, Attribute &encoding) {
  OptionalParseResult named = parser.parseOptionalAttribute(encoding);
  if (named.has_value())
    return *named;
  LayoutAttr layout;
  if (parser.parseCustomAttributeWithFallback(layout))
    return failure();
  encoding = layout;
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  Attribute encoding;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  FailureOr<Space> space = FieldParser<Space>::parse(parser);
  if (failed(space))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parseEncoding(parser, encoding))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), shape,
                                       elementType, *space, encoding);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", " << stringifySpace(getSpace());
  if (LayoutAttr layout = getLayout()) {
    printer << ", ";
    printer.printStrippedAttrOrType(layout);
  } else if (getEncoding()) {
    printer << ", " << getEncoding();
  }
  printer << '>';
}

/// Panels are as wide as what lies there in rows.
static LogicalResult verifyPanels(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType,
                                  Space space, PanelsAttr panels) {
  if (space != Space::Smem)
    return emitError() << "#tile.panels applies to smem buffers, not "
                       << stringifySpace(space);
  uint64_t elements = panels.getTransposed() ? shape.front() : shape.back();
  uint64_t bits = elementType.getIntOrFloatBitWidth();
  // A truth value has a byte.
  uint64_t row =
      llvm::SaturatingMultiply<uint64_t>(elements, bits == 1 ? 8 : bits) / 8;
  uint64_t bytes =
      llvm::SaturatingMultiply<uint64_t>(panels.getWidth(), panels.getCount());
  if (bytes != row)
    return emitError() << "panels<" << panels.getWidth() << "x"
                       << panels.getCount() << ">, " << bytes
                       << " bytes, for rows of " << row;
  return success();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 Space space, Attribute encoding) {
  if (shape.empty())
    return emitError() << "a buffer of rank zero: it holds a tile, and a tile "
                          "has rank one or more";
  if (llvm::any_of(shape, [](int64_t size) { return size < 1; }))
    return emitError() << "a buffer's sizes are known and begin at 1";
  if (failed(verifyElementType(emitError, "buffer", elementType)))
    return failure();
  if (auto layout = dyn_cast_if_present<LayoutAttr>(encoding))
    return layout.verifyEncoding(shape, elementType, emitError);
  if (auto panels = dyn_cast_if_present<PanelsAttr>(encoding))
    return verifyPanels(emitError, shape, elementType, space, panels);
  if (encoding)
    return emitError() << "a buffer with the encoding " << encoding
                       << "; it is a #tile.layout or #tile.panels";
  return success();
}
