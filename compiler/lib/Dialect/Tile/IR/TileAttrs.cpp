//===- TileAttrs.cpp - Layouts, memory spaces, kinds of reduction ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom::tile;

#include "drawloom/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "drawloom/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drawloom/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #tile.layout
//===----------------------------------------------------------------------===//

/// `[0, 64] by 3`, or `[0, 64]` for a bit.
static ParseResult parseDigit(AsmParser &parser, Layout::Digit &digit) {
  auto parseCoordinate = [&] {
    return parser.parseInteger(digit.basis.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseCoordinate))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("by")))
    return parser.parseInteger(digit.count);
  return success();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return {};
  std::vector<Layout::Output> outputs;
  for (auto [i, size] : llvm::enumerate(shape))
    outputs.push_back({Layout::dimName(i), size});

  std::vector<Layout::Input> inputs;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return {};
    Layout::Input &input = inputs.emplace_back(Layout::Input{name.str(), {}});
    auto parseNext = [&] {
      return parseDigit(parser, input.digits.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNext))
      return {};
  }
  if (parser.parseGreater())
    return {};

  llvm::Expected<Layout> layout =
      Layout::get(std::move(inputs), std::move(outputs));
  if (!layout) {
    parser.emitError(loc) << llvm::toString(layout.takeError());
    return {};
  }
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(),
                                       std::move(*layout));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getLayout() << '>';
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Layout layout) {
  for (auto [i, output] : llvm::enumerate(layout.getOutputs()))
    if (output.name != Layout::dimName(i))
      return emitError() << "a layout's outputs are the dimensions of a tile, "
                            "but output "
                         << i << " is named '" << output.name << "'";
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  SmallVector<int64_t> covered;
  for (const Layout::Output &output : getLayout().getOutputs())
    covered.push_back(output.size);
  if (ArrayRef<int64_t>(covered) == shape) {
    // Which CTA has what may be known before the rest.
    bool isCtaPart =
        llvm::all_of(getLayout().getInputs(), [](const Layout::Input &input) {
          return input.name == "cta";
        });
    if (isCtaPart || getLayout().isOnto())
      return success();
    return emitError() << "some elements of the tile have no place: add the "
                          "bases that reach them";
  }
  InFlightDiagnostic diagnostic = emitError() << "the layout is for a tile of ";
  llvm::interleave(covered, diagnostic, "x");
  diagnostic << ", not of ";
  llvm::interleave(
      shape,
      [&](int64_t size) {
        ShapedType::isDynamic(size) ? diagnostic << "?" : diagnostic << size;
      },
      [&] { diagnostic << "x"; });
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// #tile.panels
//===----------------------------------------------------------------------===//

Attribute PanelsAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> sizes;
  if (parser.parseLess() ||
      parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return {};
  if (sizes.size() != 2) {
    parser.emitError(loc) << "expected <width in bytes>x<count>, such as "
                             "'128x2'";
    return {};
  }
  int64_t swizzle = 0;
  bool transposed = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("transposed")))
      transposed = true;
    else if (parser.parseKeyword("swizzle") || parser.parseInteger(swizzle))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PanelsAttr>(loc, parser.getContext(), sizes[0],
                                       sizes[1], swizzle, transposed);
}

void PanelsAttr::print(AsmPrinter &printer) const {
  printer << '<' << getWidth() << 'x' << getCount();
  if (getSwizzle())
    printer << ", swizzle " << getSwizzle();
  if (getTransposed())
    printer << ", transposed";
  printer << '>';
}

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width, int64_t count, int64_t swizzle,
                                 bool) {
  if (width < 1 || count < 1)
    return emitError() << "panels<" << width << "x" << count
                       << ">: both are 1 or more";
  if (swizzle != 0 && swizzle != 16 && swizzle != 32)
    return emitError() << "a swizzle of " << swizzle
                       << " bytes; it moves 16 or 32 at once";
  if (swizzle != 0 && width != 32 && width != 64 && width != 128)
    return emitError() << "a swizzle of panels of " << width
                       << " bytes; they are 32, 64 or 128 bytes wide";
  return success();
}
