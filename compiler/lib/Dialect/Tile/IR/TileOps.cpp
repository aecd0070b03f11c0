//===- TileOps.cpp - What TableGen makes of the operations ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace drawloom::tile;

/// The kind of a reduction is a bare word: `tile.reduce addf %x ...`.
static ParseResult parseReductionKind(OpAsmParser &parser,
                                      ReductionAttr &kind) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Reduction> value = symbolizeReduction(word);
  if (!value)
    return parser.emitError(loc)
           << "'" << word
           << "' is no kind of reduction: use the name of an arith operation, "
              "as in 'addf' or 'maxsi'";
  kind = ReductionAttr::get(parser.getContext(), *value);
  return success();
}

static void printReductionKind(OpAsmPrinter &printer, Operation *,
                               ReductionAttr kind) {
  printer << stringifyReduction(kind.getValue());
}

#define GET_OP_CLASSES
#include "drawloom/Dialect/Tile/IR/TileOps.cpp.inc"
