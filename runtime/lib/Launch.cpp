//===- Launch.cpp - A kernel and tensors: a launch ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace drawloom::runtime;
using llvm::ArrayRef;
using llvm::Twine;

/// Values of CUfunction_attribute and CUlaunchAttributeID, and of
/// CUtensorMapL2promotion.
static constexpr int functionMaxDynamicShared = 8;
static constexpr int functionNonPortableCluster = 14;
static constexpr int launchClusterDimension = 4;
static constexpr int promoteToL2Of256Bytes = 3;
/// More than this has to be asked for, on every architecture.
static constexpr unsigned sharedWithoutAsking = 48 * 1024;
static constexpr unsigned portableCluster = 8;
static constexpr int64_t maxGrid = INT32_MAX;
/// A launch takes smaller clusters where more of the work tiles would be empty
/// than one of this many.
static constexpr int64_t mostIdlePart = 8;

Tensor Tensor::packed(ElementType type, ArrayRef<int64_t> shape,
                      DevicePointer address) {
  Tensor tensor{type, llvm::SmallVector<int64_t, 4>(shape), {}, address};
  tensor.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- != 0;) {
    tensor.strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return tensor;
}

/// Whether the tensor is what the kernel was compiled for.
static llvm::Error checkTensor(const ArgumentInfo &argument,
                               const Tensor &tensor) {
  auto reject = [&](const Twine &why) {
    return llvm::createStringError("argument '" + describe(argument) +
                                   "': " + why + " [argument]");
  };
  if (tensor.type != argument.type)
    return reject("the tensor holds " +
                  (tensor.type ? Twine(tensor.type->name) : Twine("nothing")));
  if (tensor.shape.size() != argument.shape.size() ||
      tensor.strides.size() != argument.shape.size())
    return reject("the tensor has " + Twine(tensor.shape.size()) +
                  " sizes and " + Twine(tensor.strides.size()) + " strides");
  for (auto [d, size] : llvm::enumerate(tensor.shape))
    if (size < 0 ||
        (argument.shape[d] != dynamicSize && argument.shape[d] != size))
      return reject("dimension " + Twine(d) + " of the tensor is " +
                    Twine(size));
  if (llvm::is_contained(tensor.shape, 0))
    return llvm::Error::success();
  for (auto [d, stride] : llvm::enumerate(tensor.strides)) {
    int64_t wanted = argument.getStride(d), last = tensor.shape[d] - 1;
    // The stride of one element is never used.
    if (wanted == dynamicSize || wanted == stride || last == 0)
      continue;
    return reject("the stride of dimension " + Twine(d) + " of the tensor is " +
                  Twine(stride) + ", not " + Twine(wanted) +
                  ": the kernel looks for its index " + Twine(last) + " at " +
                  Twine(last) + " x " + Twine(wanted) + ", and it is at " +
                  Twine(last) + " x " + Twine(stride));
  }
  return llvm::Error::success();
}

static llvm::Error checkArguments(const KernelInfo &kernel,
                                  ArrayRef<Argument> arguments) {
  if (arguments.size() != kernel.arguments.size())
    return llvm::createStringError(
        "@" + kernel.name + " takes " + Twine(kernel.arguments.size()) +
        " arguments, not " + Twine(arguments.size()) + " [argument]");
  for (auto [info, argument] : llvm::zip_equal(kernel.arguments, arguments))
    if (info.isView)
      if (llvm::Error error = checkTensor(info, argument.tensor))
        return error;
  return llvm::Error::success();
}

llvm::Expected<std::optional<int64_t>>
drawloom::runtime::countItems(const KernelInfo &kernel,
                              ArrayRef<Argument> arguments) {
  if (llvm::Error error = checkArguments(kernel, arguments))
    return error;
  if (!kernel.items.count)
    return std::nullopt;
  int64_t items = 1;
  for (const ItemFactor &factor : *kernel.items.count) {
    int64_t count = factor.tile;
    if (factor.argument)
      count = llvm::divideCeil(
          arguments[*factor.argument].tensor.shape[factor.dimension],
          factor.tile);
    if (count == 0)
      return 0;
    if (llvm::MulOverflow(items, count, items) || items > maxGrid)
      return llvm::createStringError("@" + kernel.name + " has more than " +
                                     Twine(maxGrid) +
                                     " work tiles [grid-limit]");
  }
  return items;
}

llvm::Expected<unsigned>
drawloom::runtime::countCtas(const KernelInfo &kernel,
                             ArrayRef<Argument> arguments, unsigned smCount) {
  llvm::Expected<std::optional<int64_t>> items = countItems(kernel, arguments);
  if (!items)
    return items.takeError();
  int64_t size = kernel.clusterSize();
  // As many clusters as there is room for, and at least one. Each CTA takes an
  // item.
  int64_t clusters = std::max<int64_t>(smCount / size, 1);
  bool hasCtaForEach = kernel.items.kind == ItemsInfo::Kind::One ||
                       kernel.items.kind == ItemsInfo::Kind::Dynamic;
  if (*items) {
    int64_t needed = llvm::divideCeil(**items, size);
    clusters = hasCtaForEach ? needed : std::min(clusters, needed);
  }
  if (clusters * size > maxGrid)
    return llvm::createStringError(
        "@" + kernel.name + " needs " + Twine(clusters * size) +
        " CTAs; a grid has at most " + Twine(maxGrid) + " [grid-limit]");
  return clusters * size;
}

/// What tells a launch about clusters.
static LaunchAttribute makeClusterAttribute(const KernelInfo &info) {
  LaunchAttribute cluster = {};
  cluster.id = launchClusterDimension;
  llvm::copy(info.cluster, cluster.value.clusterDim);
  return cluster;
}

static LaunchConfig makeConfig(const KernelInfo &info, unsigned ctas,
                               LaunchAttribute &cluster) {
  LaunchConfig config = {};
  config.grid[0] = ctas;
  config.grid[1] = config.grid[2] = 1;
  config.block[0] = info.threads;
  config.block[1] = config.block[2] = 1;
  config.sharedBytes = info.sharedBytes;
  if (info.clusterSize() > 1) {
    config.attributes = &cluster;
    config.attributeCount = 1;
  }
  return config;
}

llvm::Expected<Kernel> Kernel::load(const Device &device, KernelInfo info,
                                    llvm::StringRef image) {
  // A target with a suffix runs on one architecture only.
  llvm::StringRef target = info.target;
  if (target.consume_back("a") && target != device.architecture())
    return llvm::createStringError(
        "@" + info.name + " is for " + info.target + ", and the device, " +
        device.name() + ", is " + device.architecture() + " [wrong-device]");
  llvm::Expected<Module> module = device.load(image);
  if (!module)
    return module.takeError();
  Kernel kernel(std::move(*module), std::move(info));
  kernel.smCount = device.smCount();
  const KernelInfo &first = kernel.infoField;
  if (llvm::Error error = kernel.prepare(first).moveInto(kernel.function))
    return error;
  if (first.fallback.empty())
    return kernel;
  if (llvm::Error error = kernel.prepare(first.fallback.front())
                              .moveInto(kernel.fallbackFunction))
    return error;
  const Context &context = kernel.module.getContext();
  LaunchAttribute cluster = makeClusterAttribute(first);
  LaunchConfig config = makeConfig(first, first.clusterSize(), cluster);
  if (llvm::Error error =
          context.check(context.enter().cuOccupancyMaxActiveClusters(
                            &kernel.room, kernel.function, &config),
                        "cuOccupancyMaxActiveClusters of '" + first.name + "'"))
    return error;
  return kernel;
}

/// The entry of a kernel of the module, with what it has to be asked for.
llvm::Expected<void *> Kernel::prepare(const KernelInfo &info) const {
  llvm::Expected<void *> function = module.function(info.name);
  if (!function)
    return function.takeError();
  const Context &context = module.getContext();
  auto set = [&](int attribute, unsigned value) {
    return context.check(
        context.enter().cuFuncSetAttribute(*function, attribute, value),
        "cuFuncSetAttribute of '" + info.name + "'");
  };
  if (info.sharedBytes > sharedWithoutAsking)
    if (llvm::Error error = set(functionMaxDynamicShared, info.sharedBytes))
      return error;
  if (info.clusterSize() > portableCluster)
    if (llvm::Error error = set(functionNonPortableCluster, 1))
      return error;
  return *function;
}

llvm::Expected<std::string>
drawloom::runtime::whyFallback(const KernelInfo &kernel,
                               ArrayRef<Argument> arguments, int room) {
  if (kernel.fallback.empty())
    return "";
  std::string clusters =
      "clusters of " + std::to_string(kernel.clusterSize()) + " CTAs";
  if (room == 0)
    return "the device has no room for " + clusters;
  llvm::Expected<std::optional<int64_t>> items = countItems(kernel, arguments);
  if (!items)
    return items.takeError();
  llvm::Expected<std::optional<int64_t>> others =
      countItems(kernel.fallback.front(), arguments);
  if (!others)
    return others.takeError();
  if (!*items || !*others)
    return "";
  // Whole clusters of items, of which some lie outside the problem.
  int64_t idle = **items - **others;
  if (mostIdlePart * idle <= **items)
    return "";
  return ("with " + Twine(clusters) + ", " + Twine(idle) + " of " +
          Twine(**items) + " tiles would be empty (limit 1/" +
          Twine(mostIdlePart) + ")")
      .str();
}

llvm::Expected<Kernel::Choice>
Kernel::choose(ArrayRef<Argument> arguments) const {
  llvm::Expected<std::string> why = whyFallback(infoField, arguments, room);
  if (!why)
    return why.takeError();
  const KernelInfo *info =
      why->empty() ? &infoField : &infoField.fallback.front();
  return Choice{info, std::move(*why)};
}

namespace {
/// The bytes of one parameter.
union ParameterValue {
  TensorMap map;
  uint64_t number;
};
} // namespace

/// A number for a parameter of few bytes.
static llvm::Expected<uint64_t> narrow(const ArgumentInfo &argument,
                                       const Parameter &parameter,
                                       int64_t value, const Twine &what) {
  if (parameter.bytes == 8 || llvm::isIntN(8 * parameter.bytes, value))
    return value;
  return llvm::createStringError(
      "argument '" + argument.name + "': " + what + " is " + Twine(value) +
      ", and the kernel takes it in " + Twine(8 * parameter.bytes) +
      " bits [argument]");
}

static llvm::Error encodeMap(const Context &context,
                             const ArgumentInfo &argument,
                             const Parameter &parameter, const Tensor &tensor,
                             TensorMap &result) {
  llvm::Expected<TensorMapRequest> map =
      makeTensorMap(argument, parameter, tensor);
  if (!map)
    return map.takeError();
  llvm::SmallVector<uint32_t, 5> ones(map->dims.size(), 1);
  return context.check(
      context.enter().cuTensorMapEncodeTiled(
          &result, map->type, map->dims.size(),
          reinterpret_cast<void *>(tensor.address), map->dims.data(),
          map->strides.data(), map->box.data(), ones.data(),
          /*interleave=*/0, map->swizzle, promoteToL2Of256Bytes,
          /*fill=*/0),
      "cuTensorMapEncodeTiled for '" + argument.name + "'");
}

/// The value of a parameter that is no tensor map.
static llvm::Expected<uint64_t> getNumber(const ArgumentInfo &argument,
                                          const Parameter &parameter,
                                          const Argument &value) {
  std::string dimension = std::to_string(parameter.dimension);
  switch (parameter.kind) {
  case Parameter::Kind::Size:
    return narrow(argument, parameter, value.tensor.shape[parameter.dimension],
                  "size " + dimension);
  case Parameter::Kind::Stride:
    return narrow(argument, parameter,
                  value.tensor.strides[parameter.dimension],
                  "stride " + dimension);
  case Parameter::Kind::Scalar:
    // Floats, and what the kernel takes whole, are passed as they are.
    if (parameter.bytes >= argument.type->bytes)
      return value.bits;
    return narrow(argument, parameter,
                  llvm::SignExtend64(value.bits, 8 * argument.type->bytes),
                  "it");
  default:
    return value.tensor.address;
  }
}

static llvm::Error encode(const Context &context, const ArgumentInfo &argument,
                          const Parameter &parameter, const Argument &value,
                          ParameterValue &result) {
  if (parameter.kind == Parameter::Kind::TensorMap)
    return encodeMap(context, argument, parameter, value.tensor, result.map);
  llvm::Expected<uint64_t> number = getNumber(argument, parameter, value);
  if (!number)
    return number.takeError();
  result.number = *number;
  return llvm::Error::success();
}

namespace {
/// A launch's own memory: allocated, zeroed and freed in the order of its
/// stream, so that launches in other streams have theirs.
class Workspace {
public:
  Workspace(const Context &context, void *stream)
      : context(context), stream(stream) {}
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;
  ~Workspace() {
    // An error in the stream is reported where the host waits for it.
    for (DevicePointer pointer : pointers)
      (void)context.enter().cuMemFreeAsync(pointer, stream);
  }

  llvm::Expected<DevicePointer> allocate(size_t bytes) {
    DevicePointer pointer = 0;
    if (llvm::Error error = context.check(
            context.enter().cuMemAllocAsync(&pointer, bytes, stream),
            "cuMemAllocAsync of " + std::to_string(bytes) + " bytes"))
      return error;
    pointers.push_back(pointer);
    if (llvm::Error error = context.check(
            context.enter().cuMemsetD8Async(pointer, 0, bytes, stream),
            "cuMemsetD8Async"))
      return error;
    return pointer;
  }

private:
  const Context &context;
  void *stream;
  llvm::SmallVector<DevicePointer, 1> pointers;
};
} // namespace

llvm::Error Kernel::launch(ArrayRef<Argument> arguments,
                           const LaunchOptions &options) const {
  llvm::Expected<Choice> choice = choose(arguments);
  if (!choice)
    return choice.takeError();
  const KernelInfo &info = *choice->info;
  llvm::Expected<unsigned> ctas = countCtas(info, arguments, smCount);
  if (!ctas)
    return ctas.takeError();
  if (*ctas == 0)
    return llvm::Error::success();
  if (llvm::Error error = checkCondition(info, arguments))
    return error;

  const Context &context = module.getContext();
  std::vector<ParameterValue> values(info.parameters.size());
  Workspace workspace(context, options.stream);
  llvm::SmallVector<void *> pointers;
  for (auto [parameter, value] : llvm::zip_equal(info.parameters, values)) {
    pointers.push_back(&value);
    if (parameter.kind == Parameter::Kind::Workspace) {
      llvm::Expected<DevicePointer> memory =
          workspace.allocate(parameter.bytes);
      if (!memory)
        return memory.takeError();
      value.number = *memory;
      continue;
    }
    if (llvm::Error error =
            encode(context, info.arguments[parameter.argument], parameter,
                   arguments[parameter.argument], value))
      return error;
  }
  LaunchAttribute cluster = makeClusterAttribute(info);
  LaunchConfig config =
      makeConfig(info, options.ctas ? options.ctas : *ctas, cluster);
  config.stream = options.stream;
  return context.check(context.enter().cuLaunchKernelEx(
                           &config,
                           &info == &infoField ? function : fallbackFunction,
                           pointers.data(), nullptr),
                       "cuLaunchKernelEx of '" + info.name + "'");
}
