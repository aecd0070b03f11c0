//===- Arguments.cpp - What a program is called with ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Run/Arguments.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Input/Read.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "drawloom/Interpreter/Npy.h"
#include "drawloom/Run/FindSizes.h"
#include "drawloom/Run/Strides.h"
#include "drawloom/Runtime/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::run;
using interp::Format;
using interp::HostTensor;
using llvm::Expected;
using llvm::Twine;

namespace {

class ArgumentMaker {
public:
  ArgumentMaker(tile::KernelOp kernel, const ArgumentOptions &options)
      : kernel(kernel), options(options), random(options.seed.value_or(0)) {}
  Expected<Arguments> make();

private:
  llvm::Error checkNames();
  llvm::Error takeTensors();
  llvm::Error readFiles();
  llvm::Error setShape(unsigned argument, ArrayRef<int64_t> shape,
                       StringRef source);
  llvm::Error solve();
  llvm::Error solve(const SizeClass &sizes);
  Expected<int64_t> chooseSize(const SizeClass &sizes) const;
  Expected<HostTensor> makeScalar(unsigned argument, Format format);
  Expected<HostTensor> makeTensor(unsigned argument, Format format);
  Expected<SmallVector<int64_t>> placeTensor(unsigned argument);
  void fillRandom(HostTensor &tensor);
  void fillOffsets(HostTensor &tensor, int64_t end);
  std::string describe(unsigned argument, unsigned dimension) const {
    return "dimension " + std::to_string(dimension) + " of '" +
           names[argument] + "'";
  }

  tile::KernelOp kernel;
  const ArgumentOptions &options;
  std::mt19937_64 random;
  std::vector<std::string> names;
  /// -1 for what is open.
  std::vector<SmallVector<int64_t>> shapes;
  std::vector<std::optional<HostTensor>> given;
  Accesses accesses;
};

} // namespace

static llvm::Error error(const Twine &message) {
  return llvm::createStringError(message + " [argument]");
}

llvm::Error ArgumentMaker::checkNames() {
  auto check = [&](StringRef name, StringRef option,
                   bool mustBeView) -> llvm::Error {
    for (auto [index, known] : llvm::enumerate(names)) {
      if (known != name)
        continue;
      if (isa<tile::ViewType>(kernel.getArgumentTypes()[index]) == mustBeView)
        return llvm::Error::success();
      return error(option + ": '" + name + "' is a " +
                   (mustBeView ? "scalar; use --scalar"
                               : "tensor; use --shape or --input"));
    }
    return error(option + ": @" + kernel.getSymName() + " has no argument '" +
                 name + "', only " + llvm::join(names, ", "));
  };
  for (auto &entry : options.shapes)
    if (llvm::Error e = check(entry.first, options.shapesName, true))
      return e;
  for (auto &entry : options.inputs)
    if (llvm::Error e = check(entry.first, "--input", true))
      return e;
  for (auto &entry : options.scalars)
    if (llvm::Error e = check(entry.first, "--scalar", false))
      return e;
  return llvm::Error::success();
}

llvm::Error ArgumentMaker::setShape(unsigned argument, ArrayRef<int64_t> shape,
                                    StringRef source) {
  SmallVector<int64_t> &known = shapes[argument];
  std::string prefix = source.empty() ? "" : (source + ": ").str();
  if (shape.size() != known.size())
    return error(prefix + "'" + names[argument] + "' has " +
                 Twine(known.size()) + " dimensions, not " +
                 Twine(shape.size()));
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size < 0)
      continue;
    if (known[d] >= 0 && known[d] != size)
      return error(prefix + describe(argument, d) + " is " + Twine(known[d]) +
                   ", not " + Twine(size));
    known[d] = size;
  }
  return llvm::Error::success();
}

llvm::Error ArgumentMaker::takeTensors() {
  for (auto &[name, tensor] : options.tensors) {
    auto known = llvm::find(names, name);
    if (known == names.end())
      return error("@" + kernel.getSymName() + " has no argument '" + name +
                   "', only " + llvm::join(names, ", "));
    unsigned argument = known - names.begin();
    Format format = *interp::getFormat(kernel.getArgumentTypes()[argument]);
    if (tensor.getFormat() != format)
      return error("'" + name + "' has elements of " +
                   interp::getInfo(format).name + ", not " +
                   interp::getInfo(tensor.getFormat()).name);
    if (llvm::Error e = setShape(argument, tensor.getShape(), ""))
      return e;
    given[argument] = tensor;
  }
  return llvm::Error::success();
}

llvm::Error ArgumentMaker::readFiles() {
  for (auto &[name, path] : options.inputs) {
    unsigned argument = llvm::find(names, name) - names.begin();
    std::optional<Format> format =
        interp::getFormat(kernel.getArgumentTypes()[argument]);
    auto buffer = input::readBytes(path);
    if (!buffer)
      return buffer.takeError();
    Expected<HostTensor> tensor = interp::readNpy(**buffer, *format);
    if (!tensor)
      return error("'" + path + "': " + llvm::toString(tensor.takeError()));
    if (llvm::Error e = setShape(argument, tensor->getShape(), path))
      return e;
    given[argument] = std::move(*tensor);
  }
  return llvm::Error::success();
}

/// As far as the program reaches, if it is known how far.
Expected<int64_t> ArgumentMaker::chooseSize(const SizeClass &sizes) const {
  int64_t size = -1;
  for (const Reach &reach : sizes.reaches) {
    int64_t end = reach.more;
    bool isKnown = true;
    for (auto [argument, dimension] : reach.dimensions) {
      isKnown &= shapes[argument][dimension] >= 0;
      if (llvm::AddOverflow(end, shapes[argument][dimension], end))
        return error(describe(sizes.members.front().argument,
                              sizes.members.front().dimension) +
                     " reaches further than 2^63 elements");
    }
    if (isKnown)
      size = std::max(size, end);
  }
  if (size >= 0)
    return size;
  if (!options.choosesSizes)
    return error(describe(sizes.members.front().argument,
                          sizes.members.front().dimension) +
                 " follows from no array that was given; give this one, too");
  return sizes.chooseSize();
}

llvm::Error ArgumentMaker::solve(const SizeClass &sizes) {
  // A dimension with a size determines the others.
  const ClassMember *named = nullptr;
  for (const ClassMember &member : sizes.members)
    if (!named && shapes[member.argument][member.dimension] >= 0)
      named = &member;
  int64_t size = 0;
  if (named) {
    size = shapes[named->argument][named->dimension] - named->more;
  } else {
    Expected<int64_t> chosen = chooseSize(sizes);
    if (!chosen)
      return chosen.takeError();
    size = *chosen;
  }
  if (size < 0 && named)
    return error(describe(named->argument, named->dimension) + " is " +
                 Twine(size + named->more) + ", and has " + Twine(named->more) +
                 " at least");
  for (const ClassMember &member : sizes.members) {
    int64_t &known = shapes[member.argument][member.dimension];
    if (known >= 0 && known != size + member.more)
      return error(describe(member.argument, member.dimension) + " is " +
                   Twine(known) + ", but the program walks it together with " +
                   describe(named->argument, named->dimension) +
                   ", which makes it " + Twine(size + member.more));
    if (llvm::AddOverflow(size, member.more, known) || known < 0)
      return error(describe(member.argument, member.dimension) +
                   " has no size: the program walks it with " + Twine(size) +
                   " elements and " + Twine(member.more) + " more");
  }
  return llvm::Error::success();
}

llvm::Error ArgumentMaker::solve() {
  // What reaches as far as others needs theirs, so it is last.
  std::vector<SizeClass> classes = findSizes(kernel);
  for (bool isLast : {false, true})
    for (const SizeClass &sizes : classes)
      if (sizes.reaches.empty() != isLast)
        if (llvm::Error e = solve(sizes))
          return e;
  return llvm::Error::success();
}

Expected<HostTensor> ArgumentMaker::makeScalar(unsigned argument,
                                               Format format) {
  if (given[argument])
    return std::move(*given[argument]);
  auto number = options.scalars.find(names[argument]);
  double value = 0;
  if (number != options.scalars.end())
    value = number->second;
  else if (!options.seed)
    return error("nothing is said about '" + names[argument] +
                 "'; give it with --scalar, or use --random");
  else if (interp::isFloat(format))
    value = std::uniform_real_distribution<double>(0.25, 1)(random);
  else
    value = double(random() % 8 + 1);
  HostTensor scalar(format, {});
  if (interp::isFloat(format))
    scalar.setFloat(0, value);
  else
    scalar.setInt(0, int64_t(value));
  return scalar;
}

void ArgumentMaker::fillRandom(HostTensor &tensor) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  bool isFloat = interp::isFloat(tensor.getFormat());
  bool hasSign = interp::getInfo(tensor.getFormat()).hasSign;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    if (isFloat)
      tensor.setFloat(i, hasSign ? uniform(random)
                                 : std::exp2(4 * uniform(random)));
    else
      tensor.setInt(i, int64_t(random() % 17) - 8);
}

/// Ascending, from 0 to `end`.
void ArgumentMaker::fillOffsets(HostTensor &tensor, int64_t end) {
  int64_t count = tensor.getNumElements();
  std::vector<int64_t> offsets(std::max<int64_t>(count, 2));
  for (int64_t &offset : offsets)
    offset = end ? int64_t(random() % uint64_t(end + 1)) : 0;
  offsets.front() = 0;
  offsets.back() = end;
  llvm::sort(offsets);
  for (int64_t i = 0; i < count; ++i)
    tensor.setInt(i, offsets[i]);
}

Expected<HostTensor> ArgumentMaker::makeTensor(unsigned argument,
                                               Format format) {
  if (given[argument])
    return std::move(*given[argument]);
  ArrayRef<int64_t> shape = shapes[argument];
  if (!interp::countElements(format, shape))
    return error("'" + names[argument] + "' has more than " +
                 Twine(interp::maxTensorBytes) + " bytes");
  HostTensor tensor(format, shape);
  if (!accesses.loaded[argument]) {
    // What the kernel does not write shows.
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      if (interp::isFloat(format))
        tensor.setFloat(i, std::nan(""));
      else
        tensor.setInt(i, int64_t(1) << (interp::getInfo(format).bits - 1));
    return tensor;
  }
  if (!options.seed)
    return error("nothing is said about '" + names[argument] +
                 "'; give it with --input, or use --random");
  for (const OffsetTensor &offsets : findOffsets(kernel))
    if (offsets.argument == argument) {
      fillOffsets(tensor, shapes[offsets.into][offsets.dimension]);
      return tensor;
    }
  fillRandom(tensor);
  return tensor;
}

/// The strides of an argument in device memory.
Expected<SmallVector<int64_t>> ArgumentMaker::placeTensor(unsigned argument) {
  Type type = kernel.getArgumentTypes()[argument];
  auto view = dyn_cast<tile::ViewType>(type);
  if (!view)
    return SmallVector<int64_t>();
  Expected<SmallVector<int64_t>> strides =
      chooseStrides(view.getStrides(), shapes[argument]);
  if (!strides)
    return error("'" + names[argument] +
                 "': " + llvm::toString(strides.takeError()));
  int64_t bits = interp::getInfo(*interp::getFormat(type)).bits;
  if (countPlaces(shapes[argument], *strides) * llvm::divideCeil(bits, 8) >
      interp::maxTensorBytes)
    return error("'" + names[argument] + "' has more than " +
                 Twine(interp::maxTensorBytes) + " bytes");
  return strides;
}

Expected<Arguments> ArgumentMaker::make() {
  accesses = findAccesses(kernel);
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    names.push_back(tile::getArgumentName(argument));
    shapes.emplace_back();
    if (auto view = dyn_cast<tile::ViewType>(argument.getType()))
      for (int64_t size : view.getShape())
        shapes.back().push_back(ShapedType::isDynamic(size) ? -1 : size);
    if (!interp::getFormat(argument.getType()))
      return error("'" + names.back() +
                   "' is of a type that nothing can be made for");
  }
  given.resize(names.size());
  if (llvm::Error e = checkNames())
    return e;
  if (llvm::Error e = takeTensors())
    return e;
  if (llvm::Error e = readFiles())
    return e;
  for (auto &[name, shape] : options.shapes) {
    unsigned argument = llvm::find(names, name) - names.begin();
    if (llvm::Error e = setShape(argument, shape, options.shapesName))
      return e;
  }
  if (llvm::Error e = solve())
    return e;

  Arguments result;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    Format format = *interp::getFormat(type);
    Expected<HostTensor> tensor =
        view ? makeTensor(index, format) : makeScalar(index, format);
    if (!tensor)
      return tensor.takeError();
    result.tensors.push_back(std::move(*tensor));
    result.isOutput.push_back(accesses.stored[index]);
    Expected<SmallVector<int64_t>> strides = placeTensor(index);
    if (!strides)
      return strides.takeError();
    result.strides.push_back(std::move(*strides));
  }
  result.names = std::move(names);
  return result;
}

Expected<Arguments> run::makeArguments(tile::KernelOp kernel,
                                       const ArgumentOptions &options) {
  return ArgumentMaker(kernel, options).make();
}

std::string run::describe(const Arguments &arguments) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [name, tensor, strides] :
       llvm::zip_equal(arguments.names, arguments.tensors, arguments.strides)) {
    os << (text.empty() ? "" : ", ") << name << " ";
    if (tensor.getRank() != 0) {
      interp::printType(os, tensor.getFormat(), tensor.getShape());
      auto packed = runtime::Tensor::packed(nullptr, tensor.getShape(), 0);
      if (llvm::ArrayRef(strides) != llvm::ArrayRef(packed.strides)) {
        os << " strides [";
        llvm::interleaveComma(strides, os);
        os << "]";
      }
    } else if (interp::isFloat(tensor.getFormat()))
      os << llvm::format("%g", tensor.getFloat(0));
    else
      os << tensor.getInt(0);
  }
  return text;
}
