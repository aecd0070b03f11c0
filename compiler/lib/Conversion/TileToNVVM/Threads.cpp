//===- Threads.cpp - The threads that have a tile, and its elements -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tonvvm;

//===----------------------------------------------------------------------===//
// Who runs
//===----------------------------------------------------------------------===//

std::optional<Warps> tonvvm::findWarps(Operation *op) {
  if (auto role = op->getParentOfType<agent::RoleOp>()) {
    if (!role.getAt())
      return std::nullopt;
    return Warps{*role.getAt(), role.getWarps()};
  }
  auto kernel = op->getParentOfType<FunctionOpInterface>();
  if (!kernel)
    return std::nullopt;
  auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName());
  if (!threads || threads.empty() || threads[0] % layouts::lanesOfWarp)
    return std::nullopt;
  return Warps{0, threads[0] / layouts::lanesOfWarp};
}

Value tonvvm::getLane(ImplicitLocOpBuilder &b) {
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  return b.createOrFold<arith::AndIOp>(thread,
                                       constant(b, layouts::lanesOfWarp - 1));
}

Value tonvvm::getWarp(ImplicitLocOpBuilder &b, Operation *op) {
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  Value warp = b.createOrFold<arith::ShRUIOp>(
      thread, constant(b, llvm::Log2_64(layouts::lanesOfWarp)));
  return b.createOrFold<arith::SubIOp>(warp, constant(b, findWarps(op)->first));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value tonvvm::constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
}

Value tonvvm::getParity(ImplicitLocOpBuilder &b, Value number, int64_t mask) {
  Value bits = b.createOrFold<arith::AndIOp>(number, constant(b, mask));
  if (!llvm::isPowerOf2_64(mask)) {
    bits = LLVM::CtPopOp::create(b, bits);
    bits = b.createOrFold<arith::AndIOp>(bits, constant(b, 1));
  }
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bits,
                                       constant(b, 0));
}

Value tonvvm::areZero(ImplicitLocOpBuilder &b, Value number,
                      ArrayRef<int64_t> weights, Value other) {
  for (int64_t weight : weights) {
    Value bit = b.createOrFold<arith::DivUIOp>(number, constant(b, weight));
    bit = b.createOrFold<arith::AndIOp>(bit, constant(b, 1));
    Value isZero = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, bit,
                                                 constant(b, 0));
    other = other ? b.createOrFold<arith::AndIOp>(other, isZero) : isZero;
  }
  return other;
}

void tonvvm::when(ImplicitLocOpBuilder &b, Value condition,
                  llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value tonvvm::sumWords(ImplicitLocOpBuilder &b, Value number,
                       ArrayRef<int64_t> weights, ArrayRef<uint64_t> words) {
  Value sum;
  auto add = [&](Value part) {
    sum = sum ? b.createOrFold<arith::XOrIOp>(sum, part) : part;
  };
  // Bits that move by the same distance do so together.
  llvm::MapVector<int, int64_t> maskOfShift;
  for (auto [weight, word] : llvm::zip_equal(weights, words)) {
    if (!word)
      continue;
    if (llvm::isPowerOf2_64(weight)) {
      for (uint64_t rest = word; rest; rest &= rest - 1)
        maskOfShift[int(llvm::countr_zero(rest)) -
                    int(llvm::Log2_64(weight))] |= weight;
      continue;
    }
    Value bit = b.createOrFold<arith::DivUIOp>(number, constant(b, weight));
    bit = b.createOrFold<arith::AndIOp>(bit, constant(b, 1));
    add(b.createOrFold<arith::MulIOp>(bit, constant(b, int64_t(word))));
  }
  for (auto [shift, mask] : maskOfShift) {
    Value bits = b.createOrFold<arith::AndIOp>(number, constant(b, mask));
    if (shift > 0)
      bits = b.createOrFold<arith::ShLIOp>(bits, constant(b, shift));
    else if (shift < 0)
      bits = b.createOrFold<arith::ShRUIOp>(bits, constant(b, -shift));
    add(bits);
  }
  return sum;
}

SmallVector<Value> tonvvm::apply(ImplicitLocOpBuilder &b,
                                 const tile::Layout &layout,
                                 ArrayRef<Value> place) {
  SmallVector<Value> coordinates;
  for (unsigned out = 0; out < layout.getOutputs().size(); ++out) {
    // A digit of a coordinate is the sum over bits of the bits that reach it,
    // or one odd digit.
    Value coordinate = constant(b, 0);
    int64_t weight = 1;
    for (int64_t count : layout.getRadix(out)) {
      Value digit;
      for (auto [number, input] : llvm::zip_equal(place, layout.getInputs())) {
        int64_t divisor = 1;
        for (const tile::Layout::Digit &part : input.digits) {
          bool reaches =
              count == 2 ? part.count == 2 && part.basis[out] / weight % 2 == 1
                         : part.count == count && part.basis[out] == weight;
          if (reaches) {
            Value value =
                b.createOrFold<arith::DivUIOp>(number, constant(b, divisor));
            value =
                b.createOrFold<arith::RemUIOp>(value, constant(b, part.count));
            digit = digit ? b.createOrFold<arith::XOrIOp>(digit, value) : value;
          }
          divisor *= part.count;
        }
      }
      if (digit) {
        digit = b.createOrFold<arith::MulIOp>(digit, constant(b, weight));
        coordinate = b.createOrFold<arith::AddIOp>(coordinate, digit);
      }
      weight *= count;
    }
    coordinates.push_back(coordinate);
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

const tile::Layout *tonvvm::getLayout(Type type) {
  tile::LayoutAttr layout;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    layout = dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding());
  else if (auto buffer = dyn_cast<tile::BufferType>(type))
    layout = buffer.getLayout();
  return layout ? &layout.getLayout() : nullptr;
}

VectorType tonvvm::getRegisters(RankedTensorType tile) {
  const tile::Layout *layout = getLayout(tile);
  if (!layout || layout->getInputs().empty())
    return {};
  return VectorType::get(layout->getInputSize(layouts::inRegister),
                         getRegisterType(tile.getElementType()));
}

int64_t tonvvm::getElementBytes(Type element) {
  if (element.isInteger(1))
    return 1;
  int64_t bits = element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
  return bits % 8 == 0 && llvm::isPowerOf2_64(bits) ? bits / 8 : 0;
}
