//===- Fusion.cpp - Fusions of the C API ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Frontend/Fusion.h"
#include "Handles.h"
#include "Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::capi;
using namespace drawloom::frontend;

struct DrawloomFusion {
  /// Keeps the names of the caller's files, which the fusion points to.
  llvm::StringSet<> files;
  Fusion fusion;
  std::vector<Tensor> tensors;
  /// Its fields, as an attribute's are written.
  std::string schedule;
  bool hasSchedule = false;

  DrawloomFusion(llvm::StringRef name, DrawloomPlace place)
      : fusion(name, locate(place)) {}

  Where locate(DrawloomPlace place) {
    // Locations are printed, and what prints them takes UTF-8 only.
    std::string file = llvm::json::fixUTF8(orEmpty(place.file));
    return {files.insert(file).first->getKeyData(), place.line};
  }

  /// The first mistake, as an error.
  llvm::Error check() const {
    return fusion.error().empty() ? llvm::Error::success()
                                  : llvm::createStringError(fusion.error());
  }

  llvm::Error add(Tensor made, DrawloomTensor *tensor) {
    if (llvm::Error error = check())
      return error;
    *tensor = tensors.size();
    tensors.push_back(made);
    return llvm::Error::success();
  }
};

static llvm::Expected<DataType> findType(llvm::StringRef name) {
  std::string names;
  for (DataType type :
       {DataType::F32, DataType::F16, DataType::BF16, DataType::E4M3,
        DataType::E5M2, DataType::I32, DataType::I8}) {
    if (toString(type) == name)
      return type;
    names += (names.empty() ? "" : ", ") + toString(type).str();
  }
  return llvm::createStringError("a tensor of a fusion has elements of " +
                                 names + ", not '" + name + "' [fusion]");
}

/// Whether it is one of the fusion's.
static llvm::Error checkTensor(const DrawloomFusion &fusion,
                               DrawloomTensor tensor, llvm::StringRef what) {
  if (tensor < fusion.tensors.size())
    return llvm::Error::success();
  return llvm::createStringError(what + " is no tensor of the fusion [fusion]");
}

DrawloomFusion *drawloomFusionCreate(const char *name, DrawloomPlace place) {
  return new DrawloomFusion(llvm::json::fixUTF8(orEmpty(name)), place);
}

void drawloomFusionDestroy(DrawloomFusion *fusion) { delete fusion; }

DrawloomError *drawloomFusionInput(DrawloomFusion *fusion, const char *name,
                                   const DrawloomSize *shape, size_t rank,
                                   const char *type, DrawloomPlace place,
                                   DrawloomTensor *tensor) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error =
            checkGiven({{fusion, "fusion"}, {tensor, "tensor"}}))
      return error;
    if (llvm::Error error = checkStrings({{name, "name"}, {type, "type"}}))
      return error;
    if (llvm::Error error = checkShape(orEmpty(name), shape, rank))
      return error;
    for (const DrawloomSize &size : llvm::ArrayRef(shape, rank))
      if (llvm::Error error = checkStrings({{size.name, "name of a size"}}))
        return error;
    llvm::Expected<DataType> known = findType(orEmpty(type));
    if (!known)
      return known.takeError();
    std::vector<Size> sizes;
    for (const DrawloomSize &size : llvm::ArrayRef(shape, rank))
      sizes.push_back(size.name ? Size(size.name) : Size(size.value));
    return fusion->add(fusion->fusion.input(orEmpty(name), sizes, *known,
                                            fusion->locate(place)),
                       tensor);
  });
}

namespace {
// What an operation is called with decides which of the tables has it.
struct OfOne {
  llvm::StringLiteral name;
  Tensor (*make)(Tensor, Where);
};
struct OfTwo {
  llvm::StringLiteral name;
  Tensor (*make)(Tensor, Tensor, Where);
};
struct WithNumber {
  llvm::StringLiteral name;
  Tensor (*make)(Tensor, double, Where);
};
struct AlongAxis {
  llvm::StringLiteral name;
  Tensor (*make)(Tensor, unsigned, Where);
};
} // namespace

static constexpr OfOne ofOne[] = {{"exp", exp},   {"rsqrt", rsqrt},
                                  {"relu", relu}, {"gelu", gelu},
                                  {"silu", silu}, {"transpose", transpose}};
static constexpr OfTwo ofTwo[] = {
    {"matmul", matmul}, {"add", add}, {"sub", sub}, {"mul", mul},
    {"div", div},       {"max", max}, {"min", min}};
static constexpr WithNumber withNumber[] = {
    {"add", add}, {"mul", mul}, {"max", max}, {"min", min}};
static constexpr AlongAxis alongAxis[] = {{"unsqueeze", unsqueeze},
                                          {"sum", sum},
                                          {"maximum", maximum},
                                          {"cumsum", cumsum},
                                          {"cummax", cummax}};

template <typename Row, size_t size>
static const Row *findRow(const Row (&rows)[size], llvm::StringRef name) {
  for (const Row &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

static llvm::Expected<Tensor> apply(llvm::StringRef operation,
                                    llvm::ArrayRef<Tensor> operands,
                                    double number, llvm::StringRef type,
                                    Where where) {
  if (operands.size() == 2)
    if (const OfTwo *row = findRow(ofTwo, operation))
      return row->make(operands[0], operands[1], where);
  if (operands.size() == 1) {
    if (operation == "cast") {
      llvm::Expected<DataType> known = findType(type);
      if (!known)
        return known.takeError();
      return cast(operands[0], *known, where);
    }
    if (const OfOne *row = findRow(ofOne, operation))
      return row->make(operands[0], where);
    if (const WithNumber *row = findRow(withNumber, operation))
      return row->make(operands[0], number, where);
    if (const AlongAxis *row = findRow(alongAxis, operation)) {
      if (!(number >= 0 && number <= maxRank) || number != std::trunc(number))
        return llvm::createStringError(
            operation + ": an axis is a whole number from 0 to " +
            llvm::Twine(maxRank) + " [fusion]");
      return row->make(operands[0], unsigned(number), where);
    }
  }
  return llvm::createStringError("a fusion has no operation '" + operation +
                                 "' of " + llvm::Twine(operands.size()) +
                                 " tensors [fusion]");
}

DrawloomError *drawloomFusionApply(DrawloomFusion *fusion,
                                   const char *operation,
                                   const DrawloomTensor *operands, size_t count,
                                   double number, const char *type,
                                   DrawloomPlace place,
                                   DrawloomTensor *tensor) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error =
            checkGiven({{fusion, "fusion"}, {tensor, "tensor"}}))
      return error;
    if (llvm::Error error =
            checkStrings({{operation, "operation"}, {type, "type"}}))
      return error;
    // No operation has more, so nothing behind them is read.
    if (count > 2 || (count != 0 && !operands))
      return llvm::createStringError(
          "an operation has one or two operands [fusion]");
    std::vector<Tensor> tensors;
    for (DrawloomTensor operand : llvm::ArrayRef(operands, count)) {
      if (llvm::Error error = checkTensor(*fusion, operand, "an operand"))
        return error;
      tensors.push_back(fusion->tensors[operand]);
    }
    llvm::Expected<Tensor> made = apply(orEmpty(operation), tensors, number,
                                        orEmpty(type), fusion->locate(place));
    if (!made)
      return made.takeError();
    return fusion->add(*made, tensor);
  });
}

DrawloomError *drawloomFusionOutput(DrawloomFusion *fusion, const char *name,
                                    DrawloomTensor tensor,
                                    DrawloomPlace place) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error = checkGiven({{fusion, "fusion"}}))
      return error;
    if (llvm::Error error = checkStrings({{name, "name"}}))
      return error;
    if (llvm::Error error = checkTensor(*fusion, tensor, "an output"))
      return error;
    fusion->fusion.output(orEmpty(name), fusion->tensors[tensor],
                          fusion->locate(place));
    return fusion->check();
  });
}

DrawloomError *drawloomFusionSchedule(DrawloomFusion *fusion,
                                      const char *fields) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error = checkGiven({{fusion, "fusion"}}))
      return error;
    if (llvm::Error error = checkStrings({{fields, "schedule"}}))
      return error;
    if (fields) {
      auto context = makeProgramContext();
      auto read = readSchedule(fields, *context);
      if (!read)
        return read.takeError();
    }
    fusion->schedule = orEmpty(fields);
    fusion->hasSchedule = fields;
    return llvm::Error::success();
  });
}

DrawloomError *drawloomFusionDescribe(const DrawloomFusion *fusion,
                                      DrawloomTensor tensor,
                                      DrawloomBytes *bytes) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error = checkGiven({{fusion, "fusion"}, {bytes, "bytes"}}))
      return error;
    if (llvm::Error error = checkTensor(*fusion, tensor, "this"))
      return error;
    std::string text;
    for (const Size &size : fusion->tensors[tensor].shape())
      text += size.print() + "x";
    *bytes = give(text + toString(fusion->tensors[tensor].type()).str());
    return llvm::Error::success();
  });
}

DrawloomError *drawloomFusionShape(const DrawloomFusion *fusion,
                                   DrawloomTensor tensor,
                                   DrawloomBytes *bytes) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error = checkGiven({{fusion, "fusion"}, {bytes, "bytes"}}))
      return error;
    if (llvm::Error error = checkTensor(*fusion, tensor, "this"))
      return error;
    llvm::json::Array sizes;
    for (const Size &size : fusion->tensors[tensor].shape()) {
      if (size.isStatic())
        sizes.push_back(size.value);
      else if (size.name.empty())
        sizes.push_back(nullptr);
      else
        sizes.push_back(size.name);
    }
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(sizes));
    *bytes = give(text);
    return llvm::Error::success();
  });
}

DrawloomError *drawloomFusionText(const DrawloomFusion *fusion, int located,
                                  DrawloomBytes *bytes) {
  return guard([&]() -> llvm::Error {
    if (llvm::Error error = checkGiven({{fusion, "fusion"}, {bytes, "bytes"}}))
      return error;
    auto context = makeProgramContext();
    auto module = fusion->fusion.build(*context);
    if (!module)
      return module.takeError();
    if (fusion->hasSchedule) {
      auto read = readSchedule(fusion->schedule, *context);
      if (!read)
        return read.takeError();
      for (mlir::Operation &op : (*module)->getOps())
        op.setAttr(tile::scheduleAttrName, *read);
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    (*module)->print(os, mlir::OpPrintingFlags().enableDebugInfo(located));
    *bytes = give(text);
    return llvm::Error::success();
  });
}
