//===- Code.cpp - Which operations there is code for ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/Code.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
/// The elements that an operation is emitted for.
enum class Elements : uint8_t {
  /// Also floats of eight bits, which are converted or moved.
  All,
  /// What the hardware has arithmetic for.
  Numbers,
  /// Functions that are computed in f32, and rounded to their type.
  UpToF32,
};

struct ElementRow {
  StringLiteral name;
  Elements elements;
};
} // namespace

static constexpr ElementRow elementRows[] = {
    {"arith.addf", Elements::Numbers},
    {"arith.addi", Elements::Numbers},
    {"arith.addui_extended", Elements::Numbers},
    {"arith.andi", Elements::Numbers},
    {"arith.bitcast", Elements::All},
    {"arith.cmpf", Elements::Numbers},
    {"arith.cmpi", Elements::Numbers},
    {"arith.constant", Elements::All},
    {"arith.divf", Elements::Numbers},
    {"arith.divsi", Elements::Numbers},
    {"arith.divui", Elements::Numbers},
    {"arith.extf", Elements::All},
    {"arith.extsi", Elements::Numbers},
    {"arith.extui", Elements::Numbers},
    {"arith.fptosi", Elements::All},
    {"arith.fptoui", Elements::All},
    {"arith.index_cast", Elements::Numbers},
    {"arith.index_castui", Elements::Numbers},
    {"arith.maximumf", Elements::Numbers},
    {"arith.maxnumf", Elements::Numbers},
    {"arith.maxsi", Elements::Numbers},
    {"arith.maxui", Elements::Numbers},
    {"arith.minimumf", Elements::Numbers},
    {"arith.minnumf", Elements::Numbers},
    {"arith.minsi", Elements::Numbers},
    {"arith.minui", Elements::Numbers},
    {"arith.mulf", Elements::Numbers},
    {"arith.muli", Elements::Numbers},
    {"arith.mulsi_extended", Elements::Numbers},
    {"arith.mului_extended", Elements::Numbers},
    {"arith.negf", Elements::Numbers},
    {"arith.ori", Elements::Numbers},
    {"arith.remf", Elements::Numbers},
    {"arith.remsi", Elements::Numbers},
    {"arith.remui", Elements::Numbers},
    {"arith.select", Elements::All},
    {"arith.shli", Elements::Numbers},
    {"arith.shrsi", Elements::Numbers},
    {"arith.shrui", Elements::Numbers},
    {"arith.sitofp", Elements::All},
    {"arith.subf", Elements::Numbers},
    {"arith.subi", Elements::Numbers},
    {"arith.truncf", Elements::All},
    {"arith.trunci", Elements::Numbers},
    {"arith.uitofp", Elements::All},
    {"arith.xori", Elements::Numbers},
    {"math.absf", Elements::Numbers},
    {"math.absi", Elements::Numbers},
    {"math.ceil", Elements::UpToF32},
    {"math.copysign", Elements::Numbers},
    {"math.cos", Elements::UpToF32},
    {"math.erf", Elements::UpToF32},
    {"math.exp", Elements::UpToF32},
    {"math.exp2", Elements::UpToF32},
    {"math.expm1", Elements::UpToF32},
    {"math.floor", Elements::UpToF32},
    {"math.fma", Elements::Numbers},
    {"math.log", Elements::UpToF32},
    {"math.log1p", Elements::UpToF32},
    {"math.log2", Elements::UpToF32},
    {"math.powf", Elements::UpToF32},
    {"math.round", Elements::UpToF32},
    {"math.roundeven", Elements::UpToF32},
    {"math.rsqrt", Elements::UpToF32},
    {"math.sin", Elements::UpToF32},
    {"math.sqrt", Elements::UpToF32},
    {"math.tanh", Elements::UpToF32},
    {"math.trunc", Elements::UpToF32},
};

static const ElementRow *findRow(Operation *op) {
  const auto *row = llvm::find_if(elementRows, [&](const ElementRow &row) {
    return row.name == op->getName().getStringRef();
  });
  return row == std::end(elementRows) ? nullptr : row;
}

bool tile::isShortFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Whether there is a register for the type.
static bool hasRegister(Type type) {
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64() || isShortFloat(type) || type.isSignlessInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << '\'' << type << '\'';
  return text;
}

static std::string whyNoElement(Type element, Elements elements) {
  if (!hasRegister(element))
    return formatv("works on {0}, which has no code; there is code for i1, i8, "
                   "i16, i32, i64, index, f16, bf16, f32, f64, and for "
                   "f8E4M3FN and f8E5M2",
                   toText(element));
  if (isShortFloat(element) && elements != Elements::All)
    return formatv("computes with {0}, for which the hardware has no "
                   "arithmetic: convert it first",
                   toText(element));
  if (element.isF64() && elements == Elements::UpToF32)
    return "computes a function in f64, which has no code; f32 has";
  return "";
}

static std::string whyNoElements(Operation *op, Elements elements) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes()))) {
    // Views and streams of items are no values in registers.
    Type element = getElementTypeOrSelf(type);
    if (!element.isIntOrIndexOrFloat() && !isa<ComplexType>(element))
      continue;
    if (std::string why = whyNoElement(element, elements); !why.empty())
      return why;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Of other dialects, and of ours, what is no operation on elements. Each has
/// code by itself or is gone by then.
static bool isKnown(Operation *op) {
  static const llvm::StringSet<> names = {"affine.delinearize_index",
                                          "arith.ceildivui",
                                          "scf.for",
                                          "scf.if",
                                          "scf.yield",
                                          "tensor.extract_slice",
                                          "tensor.splat"};
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "tile" || dialect == "agent" ||
         names.contains(op->getName().getStringRef());
}

/// Tiles have two axes, as registers and slots do: the others are cut.
static std::string whyNoRank(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes()))) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || (tile.getRank() > 0 && tile.getRank() <= 2))
      continue;
    return formatv("works on a {0}, and tiles of rank {1} are unsupported{2}",
                   toText(tile), tile.getRank(),
                   tile.getRank() ? "; slice the outer dimensions with a loop, "
                                    "or make them dimensions of the work tile"
                                  : "; load a scalar instead");
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// An index is an i32 in a kernel: coordinates of TMA are, and more than that
/// no view has in a dimension.
static std::string whyNoIndex(int64_t index, StringRef what) {
  if (llvm::isInt<32>(index))
    return "";
  return formatv("{0} {1}, and an index of a kernel has 32 bits: from {2} to "
                 "{3}",
                 what, index, INT32_MIN, INT32_MAX);
}

static std::string whyNoIndices(ArrayRef<int64_t> indices, StringRef what) {
  for (int64_t index : indices)
    if (!ShapedType::isDynamic(index))
      if (std::string why = whyNoIndex(index, what); !why.empty())
        return why;
  return "";
}

/// The numbers in the text of an operation that are indices.
static std::string whyNoIndices(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return whyNoIndices(load.getStaticOffsets(), "has offset");
  if (auto store = dyn_cast<StoreOp>(op))
    return whyNoIndices(store.getStaticOffsets(), "has offset");
  if (auto part = dyn_cast<SubviewOp>(op)) {
    std::string why = whyNoIndices(part.getStaticOffsets(), "has offset");
    return why.empty() ? whyNoIndices(part.getStaticSizes(), "has size") : why;
  }
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant || !getElementTypeOrSelf(constant.getType()).isIndex())
    return "";
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    return whyNoIndex(number.getInt(), "is");
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    return whyNoIndex(splat.getSplatValue<APInt>().getSExtValue(), "is");
  return "";
}

/// What a launch passes and no operation computes with.
static std::string whyNoArguments(KernelOp kernel) {
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Type element = argument.getType();
    if (auto view = dyn_cast<ViewType>(element)) {
      element = view.getElementType();
      if (std::string why = whyNoIndices(
              view.getShape(),
              "has argument '" + getArgumentName(argument) + "' of size");
          !why.empty())
        return why;
    }
    if (!hasRegister(element) &&
        !isa<Float8E8M0FNUType, FloatTF32Type>(element))
      return formatv("has argument '{0}' of type {1}, which can't be passed at "
                     "launch; use a type of whole bytes, such as i8",
                     getArgumentName(argument), toText(element));
  }
  return "";
}

std::string tile::whyNoCode(Operation *op, const target::Architecture &arch) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return whyNoArguments(kernel);
  if (auto mma = dyn_cast<MmaOp>(op))
    return target::whyNoCode(describeMma(mma), arch);
  bool onTiles =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (const ElementRow *row = findRow(op)) {
    if (std::string why = whyNoElements(op, row->elements); !why.empty())
      return why;
  } else if (op->getName().getDialectNamespace() == "math") {
    return "has no code; of the functions, exp, exp2, expm1, log, log2, log1p, "
           "powf, sin, cos, tanh, erf, sqrt, rsqrt, floor, ceil, trunc, round "
           "and roundeven have";
  } else if (!isKnown(op) || (onTiles && isa<arith::CeilDivUIOp>(op))) {
    return "has no code yet";
  }
  if (isa<AxisOpInterface>(op))
    if (std::string why = whyNoElements(op, Elements::Numbers); !why.empty())
      return why;
  if (isa<LoadOp, StoreOp>(op))
    if (std::string why = whyNoElements(op, Elements::All); !why.empty())
      return why;
  if (std::string why = whyNoIndices(op); !why.empty())
    return why;
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && onTiles && !isa<SplatElementsAttr>(constant.getValue()))
    return "is a tile of different numbers: load it, or make it of tile.iota";
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!slice.hasUnitStride())
      return "takes every other element of a tile, which has no code yet";
    if (slice.getSourceType().getRank() != slice.getType().getRank())
      return "takes a slice of another rank, which has no code yet";
  }
  return whyNoRank(op);
}

LogicalResult tile::requireCode(KernelOp kernel,
                                const target::Architecture &arch) {
  // MMAs first: what they can't multiply need not be loaded either.
  WalkResult mmas = kernel.walk([&](MmaOp op) -> WalkResult {
    std::string why = whyNoCode(op, arch);
    if (why.empty())
      return WalkResult::advance();
    op->emitError(why);
    return WalkResult::interrupt();
  });
  if (mmas.wasInterrupted())
    return failure();
  WalkResult others = kernel.walk([&](Operation *op) -> WalkResult {
    std::string why = whyNoCode(op, arch);
    if (why.empty())
      return WalkResult::advance();
    op->emitOpError(why) << " [unsupported-operation]";
    return WalkResult::interrupt();
  });
  return failure(others.wasInterrupted());
}
