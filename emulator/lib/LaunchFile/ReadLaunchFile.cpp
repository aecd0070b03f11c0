//===- ReadLaunchFile.cpp - A launch from JSON ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFile/JsonReader.h"
#include "drawloom/Emulator/LaunchFile.h"
#include "drawloom/Emulator/Schedule.h"
#include "drawloom/Input/Scan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::StringRef;
using llvm::Twine;
using llvm::json::Value;

/// A structure of parameters has at most so many bytes.
static constexpr uint64_t maxStruct = 1 << 20;
/// Structures and memory in each other, at most.
static constexpr unsigned maxDepth = 16;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
struct ScalarType {
  llvm::StringLiteral name;
  unsigned bytes;
  enum { Unsigned, Signed, Float } kind;
};
} // namespace

static constexpr ScalarType scalarTypes[] = {
    {"u8", 1, ScalarType::Unsigned},  {"u16", 2, ScalarType::Unsigned},
    {"u32", 4, ScalarType::Unsigned}, {"u64", 8, ScalarType::Unsigned},
    {"s8", 1, ScalarType::Signed},    {"s16", 2, ScalarType::Signed},
    {"s32", 4, ScalarType::Signed},   {"s64", 8, ScalarType::Signed},
    {"f32", 4, ScalarType::Float},    {"f64", 8, ScalarType::Float},
};

static constexpr llvm::StringLiteral swizzles[] = {
    "none",       "32B", "64B", "128B", "128B-atom32", "128B-atom32-flip8",
    "128B-atom64"};
static constexpr llvm::StringLiteral interleaves[] = {"none", "16B", "32B"};
static constexpr llvm::StringLiteral promotions[] = {"none", "64B", "128B",
                                                     "256B"};
static constexpr llvm::StringLiteral fills[] = {"zero", "nan"};

/// The bytes of a number; nothing if the type can't hold it.
static std::optional<std::string> encodeScalar(const ScalarType &type,
                                               const Value &value) {
  auto bytesOf = [](const auto &number, unsigned count) {
    return std::string(reinterpret_cast<const char *>(&number), count);
  };
  switch (type.kind) {
  case ScalarType::Unsigned: {
    std::optional<uint64_t> number = value.getAsUINT64();
    if (!number || (type.bytes < 8 && *number >> (8 * type.bytes)))
      return std::nullopt;
    return bytesOf(*number, type.bytes);
  }
  case ScalarType::Signed: {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || !llvm::isIntN(8 * type.bytes, *number))
      return std::nullopt;
    return bytesOf(*number, type.bytes);
  }
  case ScalarType::Float: {
    std::optional<double> number = value.getAsNumber();
    if (!number)
      return std::nullopt;
    return type.bytes == 8 ? bytesOf(*number, 8) : bytesOf(float(*number), 4);
  }
  }
  return std::nullopt;
}

static void readMap(LaunchValue &result, const Value &value, std::string where,
                    JsonError &error) {
  JsonReader reader(value, std::move(where), error);
  TensorMap &map = result.map;
  result.array = reader.require("array") ? reader.text("array").value_or("")
                                         : std::string();
  if (std::optional<std::string> name = reader.text("type")) {
    result.hasType = true;
    bool known = false;
    std::string names;
    for (unsigned i = 0; i <= unsigned(TensorMapType::B6x16P32); ++i) {
      const TensorMapTypeInfo &info = infoOf(TensorMapType(i));
      if (info.name == *name) {
        map.type = TensorMapType(i);
        known = true;
      }
      names += (i ? ", " : "") + info.name.str();
    }
    if (!known)
      reader.fail("type", "'" + *name + "' is not one of " + names);
  }
  llvm::SmallVector<uint64_t, 5> dims, strides, box, elementStrides;
  result.hasDims = reader.numbers("dims", dims, UINT32_MAX + uint64_t(1));
  result.hasStrides = reader.numbers("strides", strides, uint64_t(1) << 40);
  reader.require("box");
  reader.numbers("box", box, UINT32_MAX);
  bool hasElementStrides =
      reader.numbers("elementStrides", elementStrides, UINT32_MAX);
  if (!error) {
    map.rank = box.size();
    auto check = [&](StringRef field, bool given, size_t count, size_t wanted) {
      if (given && count != wanted)
        reader.fail(field, Twine(count) + " numbers; the box has " +
                               Twine(box.size()) + ", so " + Twine(wanted) +
                               " are expected");
    };
    if (box.empty() || box.size() > 5)
      reader.fail("box", "one to five numbers are expected");
    check("dims", result.hasDims, dims.size(), box.size());
    check("strides", result.hasStrides, strides.size(), box.size() - 1);
    check("elementStrides", hasElementStrides, elementStrides.size(),
          box.size());
  }
  if (!error) {
    llvm::copy(dims, map.dims.begin());
    llvm::copy(strides, map.strides.begin());
    llvm::copy(box, map.box.begin());
    llvm::copy(elementStrides, map.elementStrides.begin());
  }
  map.swizzle =
      TensorMapSwizzle(reader.choice("swizzle", swizzles).value_or(0));
  map.interleave =
      TensorMapInterleave(reader.choice("interleave", interleaves).value_or(0));
  map.l2Promotion = reader.choice("l2Promotion", promotions).value_or(0);
  map.fillsNaN = reader.choice("fill", fills).value_or(0) == 1;
  reader.finish();
}

static LaunchValue readValue(const Value &value, std::string where,
                             JsonError &error, bool isField, unsigned depth) {
  LaunchValue result;
  result.where = where;
  JsonReader reader(value, where, error);
  if (depth > maxDepth) {
    error.set(where, "structures and memory are more than " + Twine(maxDepth) +
                         " levels deep");
    return result;
  }
  if (isField) {
    reader.require("offset");
    result.at = reader.number("offset", maxStruct).value_or(0);
  }
  unsigned kinds = 0;
  for (const ScalarType &type : scalarTypes)
    if (const Value *number = reader.take(type.name)) {
      ++kinds;
      std::optional<std::string> bytes = encodeScalar(type, *number);
      if (!bytes)
        reader.fail(type.name, "that is no number of this type");
      result.bytes = bytes.value_or("");
    }
  if (std::optional<std::string> array = reader.text("pointer")) {
    ++kinds;
    result.kind = LaunchValue::Pointer;
    result.array = *array;
    // In a structure, "offset" says where the pointer is.
    result.offset =
        reader.number(isField ? "arrayOffset" : "offset", UINT64_MAX >> 1)
            .value_or(0);
  }
  if (const Value *map = reader.take("tensorMap")) {
    ++kinds;
    result.kind = LaunchValue::Map;
    readMap(result, *map, reader.path("tensorMap"), error);
  }
  if (std::optional<std::string> digits = reader.text("bytes")) {
    ++kinds;
    if (digits->size() % 2 || !llvm::all_of(*digits, llvm::isHexDigit))
      reader.fail("bytes", "two hexadecimal digits for each byte are expected");
    else
      result.bytes = llvm::fromHex(*digits);
  }
  if (reader.take("fields")) {
    ++kinds;
    result.kind = LaunchValue::Struct;
    reader.require("size");
    result.size = reader.number("size", maxStruct).value_or(0);
    reader.elements("fields", [&](const Value &field, std::string path) {
      result.parts.push_back(
          readValue(field, std::move(path), error, true, depth + 1));
    });
  }
  if (const Value *held = reader.take("memory")) {
    ++kinds;
    result.kind = LaunchValue::Memory;
    result.parts.push_back(
        readValue(*held, reader.path("memory"), error, false, depth + 1));
  }
  if (kinds != 1)
    error.set(where, kinds ? "several values, where one is expected"
                           : "a value is expected: a number such as "
                             "{\"u32\": 1}, a pointer, a tensorMap, bytes, "
                             "fields or memory");
  reader.finish();
  return result;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static std::string relativeTo(StringRef folder, StringRef path) {
  if (path.empty() || llvm::sys::path::is_absolute(path) || folder.empty())
    return path.str();
  llvm::SmallString<256> result(folder);
  llvm::sys::path::append(result, path);
  return std::string(result);
}

static LaunchArray readArray(StringRef name, const Value &value,
                             StringRef folder, StringRef outputFolder,
                             JsonError &error) {
  LaunchArray result;
  result.name = name.str();
  JsonReader reader(value, "arrays." + result.name, error);
  result.file = relativeTo(folder, reader.text("file").value_or(""));
  result.output = reader.text("output").value_or("");
  result.outputFolder = outputFolder.empty() ? "." : outputFolder.str();
  // Who runs a launch says where its files go, not who wrote it.
  bool leaves =
      llvm::any_of(llvm::make_range(llvm::sys::path::begin(result.output),
                                    llvm::sys::path::end(result.output)),
                   [](StringRef part) { return part == ".."; });
  if (llvm::sys::path::is_absolute(result.output) || leaves)
    reader.fail("output", "'" + result.output +
                              "' is not below the folder that arrays are "
                              "written to; name a file in it, without '..'");
  result.type = reader.text("type").value_or("");
  bool hasShape = reader.numbers("shape", result.shape, UINT32_MAX);
  if (result.shape.size() > NumpyArray::mostDimensions)
    reader.fail("shape", Twine(result.shape.size()) +
                             " dimensions; an array has at most " +
                             Twine(NumpyArray::mostDimensions));
  result.fill = reader.number("fill", 255).value_or(0);
  reader.finish();
  if (result.file.empty() == (result.type.empty() || !hasShape))
    error.set(reader.where(), "either a file, or a type and a shape are "
                              "expected");
  return result;
}

static std::vector<const llvm::json::Object::value_type *>
sortedByName(const llvm::json::Object &object) {
  std::vector<const llvm::json::Object::value_type *> entries;
  for (const llvm::json::Object::value_type &entry : object)
    entries.push_back(&entry);
  llvm::sort(entries, [](const auto *a, const auto *b) {
    return StringRef(a->first) < StringRef(b->first);
  });
  return entries;
}

llvm::Expected<LaunchFile>
drawloom::emu::parseLaunchFile(StringRef json, StringRef folder,
                               StringRef outputFolder) {
  llvm::Expected<Value> parsed = input::parseJson(json);
  if (!parsed)
    return parsed.takeError();
  LaunchFile file;
  JsonError error;
  JsonReader reader(*parsed, "", error);
  file.device = reader.text("device").value_or(file.device);
  if (std::optional<uint64_t> count = reader.number("sms", 4096)) {
    file.smCount = *count;
    if (*count == 0)
      reader.fail("sms", "at least one SM is expected");
  }
  file.kernel = reader.text("kernel").value_or("");
  reader.require("grid");
  reader.require("block");
  file.grid = reader.extents("grid").value_or(Dim3{});
  file.block = reader.extents("block").value_or(Dim3{});
  if (std::optional<Dim3> cluster = reader.extents("cluster")) {
    file.cluster = *cluster;
    file.explicitCluster = true;
  }
  file.dynamicShared = reader.number("dynamicShared", UINT32_MAX).value_or(0);
  if (const Value *arrays = reader.take("arrays")) {
    const llvm::json::Object *object = arrays->getAsObject();
    if (!object)
      reader.fail("arrays", "an object, with braces, is expected");
    else
      // In the order of the names: addresses don't depend on a hash.
      for (const llvm::json::Object::value_type *entry : sortedByName(*object))
        file.arrays.push_back(readArray(entry->first, entry->second, folder,
                                        outputFolder, error));
  }
  reader.elements("parameters", [&](const Value &value, std::string path) {
    file.parameters.push_back(
        readValue(value, std::move(path), error, false, 0));
  });
  if (std::optional<std::string> text = reader.text("order"))
    if (llvm::Error problem = parseSchedule(*text, file.options))
      // The file's own code ends the message.
      reader.fail("order", llvm::StringRef(llvm::toString(std::move(problem)))
                               .rsplit(" [")
                               .first.str());
  if (std::optional<uint64_t> limit =
          reader.number("stepLimit", UINT64_MAX >> 1))
    file.options.stepLimit = *limit;
  reader.finish();
  if (error)
    return llvm::createStringError(error.text + " [launch-file]");
  return file;
}
