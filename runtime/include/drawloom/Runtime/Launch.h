//===- Launch.h - A kernel and tensors: a launch ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the arguments of a tile program into a launch of its kernel:
//
//   shapes, strides, pointers ──→ tensor maps, sizes, strides, pointers
//   sizes and tiles           ──→ work tiles ──→ the grid
//   sizes                     ──→ the condition under which the kernel ends
//
// Everything that the hardware would reject, or silently do wrong, is checked
// here, and the error has the argument's name and the arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_RUNTIME_LAUNCH_H
#define DRAWLOOM_RUNTIME_LAUNCH_H

#include "drawloom/Runtime/Device.h"
#include "drawloom/Runtime/KernelInfo.h"

namespace drawloom::runtime {

/// A tensor in device memory. Sizes and strides are in elements, the outermost
/// dimension first.
struct Tensor {
  ElementType type = nullptr;
  llvm::SmallVector<int64_t, 4> shape = {};
  llvm::SmallVector<int64_t, 4> strides = {};
  DevicePointer address = 0;

  /// With rows one after the other.
  static Tensor packed(ElementType type, llvm::ArrayRef<int64_t> shape,
                       DevicePointer address);
};

/// What one argument is called with.
struct Argument {
  /// For a view.
  Tensor tensor = {};
  /// For a scalar: its bits.
  uint64_t bits = 0;
};

/// What cuTensorMapEncodeTiled is asked for. The innermost dimension is the
/// first.
struct TensorMapRequest {
  int type = 0;
  llvm::SmallVector<uint64_t, 5> dims = {};
  /// In bytes, of dimension 1 and up.
  llvm::SmallVector<uint64_t, 4> strides = {};
  llvm::SmallVector<uint32_t, 5> box = {};
  int swizzle = 0;
};

/// The map of a tensor. An error if TMA can't address it. A size of 0 counts as
/// 1: there is no map with 0, and a kernel reads nothing of such a tensor.
llvm::Expected<TensorMapRequest> makeTensorMap(const ArgumentInfo &argument,
                                               const Parameter &parameter,
                                               const Tensor &tensor);

/// How many work tiles a launch has; nothing if only the kernel can tell.
llvm::Expected<std::optional<int64_t>>
countItems(const KernelInfo &kernel, llvm::ArrayRef<Argument> arguments);

/// How many CTAs are launched on a device with that many SMs: all that fit at
/// once, or one for each item, whatever is less; 0 if there are no items.
llvm::Expected<unsigned> countCtas(const KernelInfo &kernel,
                                   llvm::ArrayRef<Argument> arguments,
                                   unsigned smCount);

/// Why a launch takes the kernel with smaller clusters that belongs to this
/// one; empty if it doesn't, or if there is none. `room` is how many clusters
/// of this one the device takes at once.
llvm::Expected<std::string> whyFallback(const KernelInfo &kernel,
                                        llvm::ArrayRef<Argument> arguments,
                                        int room);

/// An error if the kernel is not proved deadlock-free with the sizes of the
/// launch.
llvm::Error checkCondition(const KernelInfo &kernel,
                           llvm::ArrayRef<Argument> arguments);

struct LaunchOptions {
  /// Instead of what countCtas says; 0 leaves it to that. For tests: a kernel
  /// whose CTAs take every C-th item is right with any number of them.
  unsigned ctas = 0;
  /// A CUstream; null is the default one.
  void *stream = nullptr;
};

/// A kernel that is loaded on a device.
class Kernel {
public:
  /// `image` is the PTX or the cubin that `info` came with.
  static llvm::Expected<Kernel> load(const Device &device, KernelInfo info,
                                     llvm::StringRef image);

  const KernelInfo &info() const { return infoField; }

  /// Which kernel a launch with these arguments takes.
  struct Choice {
    /// This one, or the one with smaller clusters.
    const KernelInfo *info;
    /// Why it is the other one; empty if it isn't.
    std::string why;
  };
  llvm::Expected<Choice> choose(llvm::ArrayRef<Argument> arguments) const;

  /// Starts the kernel that `choose` says; an argument for each of the tile
  /// program's. Without items nothing is started.
  llvm::Error launch(llvm::ArrayRef<Argument> arguments,
                     const LaunchOptions &options = {}) const;

private:
  Kernel(Module module, KernelInfo info)
      : module(std::move(module)), infoField(std::move(info)) {}

  llvm::Expected<void *> prepare(const KernelInfo &info) const;

  Module module;
  KernelInfo infoField;
  /// The entry of the kernel, and of the one with smaller clusters if there is
  /// one.
  void *function = nullptr;
  void *fallbackFunction = nullptr;
  unsigned smCount = 0;
  /// How many clusters the device takes at once; asked for only if there is a
  /// choice.
  int room = 1;
};

} // namespace drawloom::runtime

#endif // DRAWLOOM_RUNTIME_LAUNCH_H
