//===- Execute.h - Kernels on a device, and what came out -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs a compiled kernel on a GPU or an emulated one, and compares its results
// with the reference interpreter's. A result is right if it lies within the
// deviation that the interpreter derives for it (Interpreter/Deviation.h);
// there is no tolerance to choose.

#ifndef DRAWLOOM_RUN_EXECUTE_H
#define DRAWLOOM_RUN_EXECUTE_H

#include "drawloom/Run/Arguments.h"
#include "drawloom/Runtime/Launch.h"
#include "drawloom/Session/Compile.h"

namespace drawloom::run {

/// The emulated device that runs code for the architecture: "h100" or "b200".
llvm::StringRef getEmulatedDevice(const target::Architecture &arch);

/// The emulated driver that is installed beside a command.
std::string findDriverOfCommand();

/// Opens `cuda`, a GPU of the host, or an emulated `h100` or `b200` with so
/// many SMs (0: as many as DRAWLOOM_SMS says, or the real one has), with more
/// settings of the emulated driver. A process can have one emulated device at a
/// time.
llvm::Expected<runtime::Device>
openDevice(llvm::StringRef name, unsigned sms,
           llvm::ArrayRef<runtime::Driver::Setting> settings = {},
           llvm::StringRef emulatedDriver = findDriverOfCommand());

/// SMs that an emulated device has by default: two, or one for each CTA of
/// a cluster.
unsigned countSms(const runtime::KernelInfo &kernel);

/// The kernel of that name, or the only one if there is no name. The module
/// loses the others; functions on tensors have become kernels. What is wrong is
/// a diagnostic.
mlir::FailureOr<tile::KernelOp> chooseKernel(mlir::ModuleOp module,
                                             const target::Architecture &arch,
                                             llvm::StringRef wanted);

/// The kernel ran and failed: it deadlocked, or accessed memory illegally. What
/// is wrong before it runs is another error.
class KernelError : public llvm::ErrorInfo<KernelError> {
public:
  static char ID;
  explicit KernelError(std::string words) : words(std::move(words)) {}
  void log(llvm::raw_ostream &os) const override { os << words; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string words;
};

/// Runs the only kernel of the module; what it stored is in `arguments` then.
/// `chosen` is called with the kernel that is launched, before it starts.
llvm::Error
execute(const CompiledModule &module, const runtime::Device &device,
        Arguments &arguments, const runtime::LaunchOptions &options = {},
        llvm::function_ref<void(const runtime::Kernel::Choice &)> chosen = {});

/// How an output compares with the reference.
struct Comparison {
  std::string name;
  int64_t elements = 0;
  /// Of the elements that have a bound, and so the next two.
  double largestError = 0;
  /// Of the element with the largest error.
  double boundThere = 0;
  /// The largest error in units of its bound.
  double largestShare = 0;
  int64_t outOfBound = 0;
  /// Elements for which there is no bound. They were not compared.
  int64_t unbounded = 0;
  /// The first one out of bound, as text.
  std::string first;

  /// Without a bound for any element there is nothing to say.
  bool isJudged() const { return elements == 0 || unbounded < elements; }
  bool matches() const { return outOfBound == 0 && isJudged(); }
};

/// Runs `kernel` with the interpreter on `before` and compares every output
/// with `after`. Fails with a diagnostic where the program has no meaning, or
/// if `interrupted`, which is asked often, says so.
mlir::FailureOr<std::vector<Comparison>>
compare(tile::KernelOp kernel, const target::Architecture &arch,
        const Arguments &before, const Arguments &after,
        llvm::function_ref<bool()> interrupted = nullptr);

} // namespace drawloom::run

#endif // DRAWLOOM_RUN_EXECUTE_H
