//===- Runtime.h - The state behind the runtime API -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcudart.so.13 is a thin layer over the driver API: it calls what
// libcuda.so.1 exports and nothing else. What it adds is state that the driver
// API leaves to the program:
//
//   - the primary context, made current to a thread at its first call;
//   - the last error of each thread;
//   - what the static constructors of a program registered: fat binaries, and
//     the host's stand-ins for their kernels and variables. A fat binary is
//     loaded when one of these is first used, so that a program without PTX for
//     the device fails there, as on hardware, and not before main.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_RUNTIME_H
#define DRAWLOOM_CUDA_RUNTIME_H

#include "Exports.h"
#include "RuntimeExports.h"
#include "llvm/ADT/Twine.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace drawloom::cuda {

/// Remembers an error as the thread's last one, and returns it.
Error note(Error error);
inline Error note(Result result) { return note(Error(int(result))); }

/// The thread's last error.
Error &lastError();

/// Makes a context current to the thread if none is. cudaSuccess, or why there
/// can't be one.
Error ready();

/// Says why a call fails that the driver isn't asked for, and notes the error.
Error fail(const llvm::Twine &message, Error error);

/// A fat binary that a program registered.
struct RegisteredBinary {
  const void *image = nullptr;
  LibraryState *library = nullptr;
  std::optional<Result> loaded; ///< Nothing before the first use.
  /// Managed variables: the host's pointer to each, and its name.
  std::vector<std::pair<void **, std::string>> managed;
};

/// Programs register from constructors and unregister while they exit, so it is
/// never destroyed.
class Registry {
public:
  static Registry &get();

  RegisteredBinary *add(const void *image);
  void remove(RegisteredBinary *binary);
  void addKernel(RegisteredBinary *binary, const void *host, const char *name);
  void addVariable(RegisteredBinary *binary, const void *host,
                   const char *name);

  void addManaged(RegisteredBinary *binary, void **pointer, const char *name);
  /// Sets the pointers to the managed variables; false if there is one that
  /// can't be had.
  bool placeManaged(RegisteredBinary &binary);

  /// The kernel behind the host's stand-in. A handle of the driver is its own.
  /// cudaErrorInvalidDeviceFunction for null.
  Error kernel(FunctionState *&function, const void *host);
  /// The address and size of the variable behind the host's stand-in.
  Error variable(DevicePointer &address, size_t &bytes, const void *host);
  /// Why the last fat binary that couldn't be loaded couldn't be.
  Error loadFailure();

private:
  struct Symbol {
    RegisteredBinary *binary;
    std::string name;
    KernelState *kernel = nullptr;
    /// Whether the message that it can't have it was printed.
    bool rejected = false;
  };

  Error load(RegisteredBinary &binary);
  void reject(Symbol &kernel);

  std::mutex mutex;
  std::map<RegisteredBinary *, std::unique_ptr<RegisteredBinary>> binaries;
  std::map<const void *, Symbol> kernels, variables;
  Result lastFailure = CUDA_SUCCESS;
};

} // namespace drawloom::cuda

/// What every exported function that needs a context starts with.
#define DRAWLOOM_READY()                                                       \
  if (Error error = ready(); error != cudaSuccess)                             \
  return error

#endif // DRAWLOOM_CUDA_RUNTIME_H
