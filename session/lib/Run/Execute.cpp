//===- Execute.cpp - Kernels on a device, and what came out ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Run/Execute.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "drawloom/Run/Strides.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::run;
using interp::HostTensor;
using Choice = runtime::Kernel::Choice;

char KernelError::ID = 0;

StringRef run::getEmulatedDevice(const target::Architecture &arch) {
  return arch.mma == target::MmaInstruction::Tcgen05 ? "b200" : "h100";
}

std::string run::findDriverOfCommand() {
  static int anchor;
  llvm::SmallString<128> path(
      llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "lib", "drawloom", "libcuda.so.1");
  return path.str().str();
}

llvm::Expected<runtime::Device>
run::openDevice(StringRef name, unsigned sms,
                ArrayRef<runtime::Driver::Setting> settings,
                StringRef emulatedDriver) {
  bool isEmulated = name != "cuda";
  SmallVector<runtime::Driver::Setting> all(settings);
  if (isEmulated) {
    all.push_back({"DRAWLOOM_DEVICE", name.str()});
    if (sms)
      all.push_back({"DRAWLOOM_SMS", std::to_string(sms)});
  }
  llvm::Expected<std::shared_ptr<runtime::Driver>> driver =
      isEmulated ? runtime::Driver::open(emulatedDriver, all)
                 : runtime::Driver::open();
  if (!driver)
    return driver.takeError();
  return runtime::Device::open(*driver);
}

static bool isFallbackOf(tile::KernelOp kernel, tile::KernelOp first) {
  return !tile::getSchedule(first).fallbackCluster.empty() &&
         kernel.getSymName() == tile::getFallbackName(first.getSymName());
}

FailureOr<tile::KernelOp> run::chooseKernel(ModuleOp module,
                                            const target::Architecture &arch,
                                            StringRef wanted) {
  if (failed(runPath(module, {.arch = &arch, .stopAfter = Stage::Tile})))
    return failure();
  // A kernel with smaller clusters goes where the one does that it belongs to.
  SmallVector<tile::KernelOp> kernels;
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (kernels.empty() || !isFallbackOf(kernel, kernels.back()))
      kernels.push_back(kernel);
  std::string names;
  tile::KernelOp chosen;
  for (tile::KernelOp kernel : kernels) {
    names += (names.empty() ? "@" : ", @") + kernel.getSymName().str();
    if (wanted.empty() ? kernels.size() == 1 : kernel.getSymName() == wanted)
      chosen = kernel;
  }
  if (kernels.empty())
    return module.emitError() << "holds no program: a function on tensors, or "
                                 "a tile.kernel [no-kernel]";
  if (!chosen)
    return module.emitError()
           << (wanted.empty() ? "holds several kernels; choose one with "
                                "--kernel: "
                              : "has no such kernel, only ")
           << names << " [no-kernel]";
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<tile::KernelOp>()))
    if (kernel != chosen && !isFallbackOf(kernel, chosen))
      kernel.erase();
  return chosen;
}

unsigned run::countSms(const runtime::KernelInfo &kernel) {
  return std::max(2u, kernel.clusterSize());
}

llvm::Error run::execute(const CompiledModule &module,
                         const runtime::Device &device, Arguments &arguments,
                         const runtime::LaunchOptions &options,
                         llvm::function_ref<void(const Choice &)> chosen) {
  if (module.kernels.size() != 1)
    return llvm::createStringError(
        "a launch is of one kernel, and the module has " +
        llvm::Twine(module.kernels.size()) + "; choose one [no-kernel]");
  const runtime::KernelInfo &called = module.kernels.front().info;
  llvm::Expected<runtime::Kernel> kernel =
      runtime::Kernel::load(device, called, module.ptx);
  if (!kernel)
    return kernel.takeError();
  std::vector<runtime::Buffer> buffers;
  SmallVector<runtime::Argument> values;
  for (auto [info, tensor, strides] : llvm::zip_equal(
           called.arguments, arguments.tensors, arguments.strides)) {
    if (!info.isView) {
      values.push_back({{}, tensor.getBits(0)});
      continue;
    }
    std::vector<char> memory = scatter(tensor.getBytes(), tensor.getShape(),
                                       strides, info.type->bytes);
    llvm::Expected<runtime::Buffer> buffer = device.allocate(memory.size());
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error = buffer->upload(memory))
      return error;
    values.push_back(
        {runtime::Tensor{info.type, SmallVector<int64_t, 4>(tensor.getShape()),
                         SmallVector<int64_t, 4>(ArrayRef<int64_t>(strides)),
                         buffer->address()}});
    buffers.push_back(std::move(*buffer));
  }
  if (chosen) {
    llvm::Expected<Choice> choice = kernel->choose(values);
    if (!choice)
      return choice.takeError();
    chosen(*choice);
  }
  if (llvm::Error error = kernel->launch(values, options))
    return error;
  if (llvm::Error error = device.synchronize())
    return llvm::make_error<KernelError>(llvm::toString(std::move(error)));
  runtime::Buffer *buffer = buffers.data();
  for (auto [info, tensor, strides] : llvm::zip_equal(
           called.arguments, arguments.tensors, arguments.strides)) {
    if (!info.isView)
      continue;
    std::vector<char> memory(buffer->size());
    if (llvm::Error error = buffer++->download(memory))
      return error;
    gather(memory, tensor.getShape(), strides, info.type->bytes,
           tensor.getMutableBytes());
  }
  return llvm::Error::success();
}

/// "[2, 7]"
static std::string describePlace(ArrayRef<int64_t> shape, int64_t linear) {
  std::string text;
  for (int64_t stride : interp::getStrides(shape)) {
    text += (text.empty() ? "[" : ", ") + std::to_string(linear / stride);
    linear %= stride;
  }
  return text.empty() ? "" : text + "]";
}

static double read(const HostTensor &tensor, int64_t index) {
  return interp::isFloat(tensor.getFormat()) ? tensor.getFloat(index)
                                             : double(tensor.getInt(index));
}

static std::string describeWrong(const Twine &what, double got, double wanted,
                                 double bound) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << what << " is " << llvm::format("%.9g", got) << "; right is "
     << llvm::format("%.9g", wanted);
  if (bound != 0)
    os << ", or up to " << llvm::format("%.3g", bound) << " from it";
  return text;
}

static Comparison compareTensor(StringRef name, const HostTensor &result,
                                const HostTensor &reference,
                                const std::optional<HostTensor> &deviation) {
  Comparison comparison;
  comparison.name = name.str();
  comparison.elements = result.getNumElements();
  bool isFirst = true;
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    double got = read(result, i), wanted = read(reference, i);
    double bound = deviation ? deviation->getFloat(i) : 0;
    if (std::isinf(bound)) {
      ++comparison.unbounded;
      continue;
    }
    if (!interp::isWithin(got, wanted, bound)) {
      if (comparison.outOfBound++ == 0)
        comparison.first = describeWrong(
            name + describePlace(result.getShape(), i), got, wanted, bound);
    }
    double error = std::abs(got - wanted);
    if (!std::isfinite(error))
      continue;
    if (error > comparison.largestError || isFirst) {
      comparison.largestError = error;
      comparison.boundThere = bound;
      isFirst = false;
    }
    if (error != 0)
      comparison.largestShare =
          std::max(comparison.largestShare, error / bound);
  }
  return comparison;
}

FailureOr<std::vector<Comparison>>
run::compare(tile::KernelOp kernel, const target::Architecture &arch,
             const Arguments &before, const Arguments &after,
             llvm::function_ref<bool()> interrupted) {
  std::vector<HostTensor> reference = before.tensors;
  SmallVector<HostTensor *> pointers;
  for (HostTensor &tensor : reference)
    pointers.push_back(&tensor);
  interp::Arithmetic arithmetic = interp::getArithmetic(arch.name);
  interp::Options options;
  options.arithmetic = &arithmetic;
  options.interrupted = interrupted;
  std::vector<std::optional<HostTensor>> deviations;
  if (failed(interp::run(kernel, pointers, options, deviations)))
    return failure();
  std::vector<Comparison> result;
  for (size_t i = 0; i != reference.size(); ++i)
    if (before.isOutput[i])
      result.push_back(compareTensor(before.names[i], after.tensors[i],
                                     reference[i], deviations[i]));
  return result;
}
