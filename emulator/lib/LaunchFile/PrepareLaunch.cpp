//===- PrepareLaunch.cpp - A launch file in a device ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/LaunchFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error failAt(const Twine &where, const Twine &problem) {
  return llvm::createStringError(where + ": " + problem + " [launch-file]");
}

/// The kernel that the file names, or the only one.
static llvm::Expected<const Kernel *> findKernel(StringRef name,
                                                 LoadedModule &module) {
  if (!name.empty())
    return module.kernel(name);
  llvm::SmallVector<StringRef> entries;
  for (const ptx::Function *function : module.ptx().functions)
    if (function->isEntry && function->hasBody)
      entries.push_back(function->name);
  if (entries.size() == 1)
    return module.kernel(entries.front());
  return failAt("kernel", entries.empty()
                              ? Twine("the module has no entry")
                              : "name one of " + llvm::join(entries, ", "));
}

/// An array of at most `limit` bytes.
static llvm::Expected<NumpyArray> makeArray(const LaunchArray &array,
                                            uint64_t limit) {
  if (!array.file.empty()) {
    llvm::Expected<NumpyArray> read = readNumpyFile(array.file);
    if (!read)
      return failAt("arrays." + array.name + ".file",
                    llvm::toString(read.takeError()));
    return read;
  }
  NumpyArray result;
  result.type = array.type;
  result.shape = array.shape;
  llvm::Expected<uint64_t> size = NumpyArray::elementSize(array.type);
  if (!size)
    return failAt("arrays." + array.name + ".type",
                  llvm::toString(size.takeError()));
  uint64_t bytes = llvm::SaturatingMultiply(result.elementCount(), *size);
  if (bytes > limit)
    return failAt("arrays." + array.name + ".shape",
                  Twine(bytes) + " bytes, and " + Twine(limit) +
                      " are left of what the arrays of a launch file can have");
  result.bytes.assign(bytes, static_cast<char>(array.fill));
  return result;
}

/// ": .u64 in, .u32 count"
static std::string
listParameters(llvm::ArrayRef<Kernel::Parameter> parameters) {
  std::string text;
  for (const Kernel::Parameter &parameter : parameters)
    text += (Twine(text.empty() ? ": ." : ", .") +
             ptx::spelling(parameter.variable->type) + " " +
             parameter.variable->name)
                .str();
  return text;
}

llvm::Expected<PreparedLaunch> PreparedLaunch::create(const LaunchFile &file,
                                                      Device &device,
                                                      LoadedModule &module) {
  PreparedLaunch result;
  llvm::Expected<const Kernel *> kernel = findKernel(file.kernel, module);
  if (!kernel)
    return kernel.takeError();
  Launch &launch = result.launchField;
  launch.kernel = *kernel;
  launch.grid = file.grid;
  launch.block = file.block;
  launch.cluster = file.cluster;
  launch.explicitCluster = file.explicitCluster;
  if (!file.explicitCluster && (*kernel)->requiredCluster)
    launch.cluster = *(*kernel)->requiredCluster;
  launch.dynamicShared = file.dynamicShared;

  uint64_t left = file.arrayLimit;
  for (const LaunchArray &array : file.arrays) {
    llvm::Expected<NumpyArray> before = makeArray(array, left);
    if (!before)
      return before.takeError();
    if (before->bytes.size() > left)
      return failAt("arrays." + array.name + ".file",
                    Twine(before->bytes.size()) + " bytes, and " + Twine(left) +
                        " are left of what the arrays of a launch file can "
                        "have");
    left -= before->bytes.size();
    auto address = device.memory().allocate(
        std::max<size_t>(before->bytes.size(), 1), array.name);
    if (!address)
      return failAt("arrays." + array.name,
                    llvm::toString(address.takeError()));
    result.arraysField.push_back({array.name, array.output, array.outputFolder,
                                  std::move(*before), *address});
  }
  result.restore(device);

  const std::vector<Kernel::Parameter> &parameters = (*kernel)->parameters;
  if (file.parameters.size() != parameters.size())
    return failAt("parameters", Twine(file.parameters.size()) + " values; '" +
                                    (*kernel)->function->name + "' takes " +
                                    Twine(parameters.size()) +
                                    listParameters(parameters));
  launch.parameters.resize((*kernel)->parameterBytes);
  for (auto [value, parameter] : llvm::zip(file.parameters, parameters)) {
    llvm::Expected<std::string> bytes = result.encode(value, device);
    if (!bytes)
      return bytes.takeError();
    if (bytes->size() != parameter.size)
      return failAt(value.where, Twine(bytes->size()) + " bytes; '" +
                                     parameter.variable->name + "' has " +
                                     Twine(parameter.size));
    memcpy(launch.parameters.data() + parameter.offset, bytes->data(),
           bytes->size());
  }
  if (std::optional<std::string> problem = checkLaunch(device.model(), launch))
    return llvm::createStringError(*problem);
  return result;
}

llvm::Expected<const PreparedLaunch::Array *>
PreparedLaunch::find(const LaunchValue &value) const {
  for (const Array &array : arraysField)
    if (array.name == value.array)
      return &array;
  return failAt(value.where, "there is no array '" + value.array + "'");
}

/// The bytes of an address.
static std::string bytesOf(uint64_t address) {
  return std::string(reinterpret_cast<const char *>(&address), sizeof(address));
}

llvm::Expected<std::string> PreparedLaunch::encode(const LaunchValue &value,
                                                   Device &device) {
  switch (value.kind) {
  case LaunchValue::Bytes:
    return value.bytes;
  case LaunchValue::Pointer: {
    llvm::Expected<const Array *> array = find(value);
    if (!array)
      return array.takeError();
    uint64_t size = (*array)->before.bytes.size();
    if (value.offset > size)
      return failAt(value.where, "the offset is " + Twine(value.offset) +
                                     ", and '" + value.array + "' has " +
                                     Twine(size) + " bytes");
    return bytesOf((*array)->address + value.offset);
  }
  case LaunchValue::Map:
    return encodeMap(value, device);
  case LaunchValue::Struct: {
    std::string result(value.size, '\0');
    for (const LaunchValue &part : value.parts) {
      llvm::Expected<std::string> bytes = encode(part, device);
      if (!bytes)
        return bytes.takeError();
      if (part.at + bytes->size() > value.size)
        return failAt(part.where, "bytes " + Twine(part.at) + " to " +
                                      Twine(part.at + bytes->size() - 1) +
                                      " of a structure of " +
                                      Twine(value.size));
      memcpy(result.data() + part.at, bytes->data(), bytes->size());
    }
    return result;
  }
  case LaunchValue::Memory: {
    llvm::Expected<std::string> bytes = encode(value.parts.front(), device);
    if (!bytes)
      return bytes.takeError();
    auto address = device.memory().allocate(std::max<size_t>(bytes->size(), 1));
    if (!address)
      return failAt(value.where, llvm::toString(address.takeError()));
    memcpy(device.memory().translate(*address, bytes->size()), bytes->data(),
           bytes->size());
    return bytesOf(*address);
  }
  }
  return failAt(value.where, "no value");
}

/// The type of a map for elements of an array, if it follows from theirs.
static std::optional<TensorMapType> mapTypeOf(StringRef type) {
  return llvm::StringSwitch<std::optional<TensorMapType>>(type.drop_front())
      .Cases({"u1", "i1", "b1"}, TensorMapType::U8)
      .Cases({"u2", "i2"}, TensorMapType::U16)
      .Case("u4", TensorMapType::U32)
      .Case("i4", TensorMapType::S32)
      .Case("u8", TensorMapType::U64)
      .Case("i8", TensorMapType::S64)
      .Case("f2", TensorMapType::F16)
      .Case("f4", TensorMapType::F32)
      .Case("f8", TensorMapType::F64)
      .Default(std::nullopt);
}

llvm::Expected<std::string> PreparedLaunch::encodeMap(const LaunchValue &value,
                                                      Device &device) {
  llvm::Expected<const Array *> found = find(value);
  if (!found)
    return found.takeError();
  const Array &array = **found;
  TensorMap map = value.map;
  map.address = array.address;
  if (!value.hasType) {
    std::optional<TensorMapType> type = mapTypeOf(array.before.type);
    if (!type)
      return failAt(value.where, "elements of '" + array.before.type +
                                     "' say no type; write it down");
    map.type = *type;
  }
  llvm::ArrayRef<uint64_t> shape = array.before.shape;
  if (!value.hasDims) {
    if (shape.size() != map.rank)
      return failAt(value.where, "the box has " + Twine(map.rank) +
                                     " dimensions and '" + value.array + "' " +
                                     Twine(shape.size()) + "; write dims down");
    // A map begins with the dimension whose elements are next to each other.
    llvm::copy(llvm::reverse(shape), map.dims.begin());
  }
  if (!value.hasStrides) {
    uint64_t stride = map.dims[0] * infoOf(map.type).bits / 8;
    for (unsigned dim = 1; dim != map.rank; ++dim) {
      map.strides[dim - 1] = stride;
      stride = llvm::SaturatingMultiply(stride, map.dims[dim]);
    }
  }
  llvm::Expected<TensorMapBytes> bytes =
      encodeTensorMap(map, device.model().target);
  if (!bytes)
    return failAt(value.where + ".tensorMap",
                  llvm::toString(bytes.takeError()));
  return std::string(bytes->begin(), bytes->end());
}

void PreparedLaunch::restore(Device &device) const {
  for (const Array &array : arraysField)
    llvm::copy(
        array.before.bytes,
        device.memory().translate(array.address, array.before.bytes.size()));
}

llvm::ArrayRef<char> PreparedLaunch::contents(Device &device,
                                              const Array &array) const {
  size_t size = array.before.bytes.size();
  return {device.memory().translate(array.address, size), size};
}

llvm::Error PreparedLaunch::writeOutputs(Device &device) const {
  for (const Array &array : arraysField) {
    if (array.output.empty())
      continue;
    NumpyArray after = array.before;
    llvm::ArrayRef<char> bytes = contents(device, array);
    after.bytes.assign(bytes.begin(), bytes.end());
    if (llvm::Error error =
            writeNumpyFile(array.outputFolder, array.output, after))
      return error;
  }
  return llvm::Error::success();
}
