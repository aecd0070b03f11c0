//===- Registry.cpp - What a program registers ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cxxabi.h>
#include <utility>

using namespace drawloom;
using namespace drawloom::cuda;

Registry &Registry::get() {
  static Registry *registry = new Registry;
  return *registry;
}

RegisteredBinary *Registry::add(const void *image) {
  std::lock_guard lock(mutex);
  auto binary = std::make_unique<RegisteredBinary>();
  binary->image = image;
  RegisteredBinary *result = binary.get();
  binaries[result] = std::move(binary);
  return result;
}

void Registry::remove(RegisteredBinary *binary) {
  std::lock_guard lock(mutex);
  auto found = binaries.find(binary);
  if (found == binaries.end())
    return;
  // What it launched runs now, at the latest; the driver says what failed.
  if (binary->library)
    cuLibraryUnload(binary->library);
  auto belongs = [&](const auto &entry) {
    return entry.second.binary == binary;
  };
  std::erase_if(kernels, belongs);
  std::erase_if(variables, belongs);
  binaries.erase(found);
}

void Registry::addKernel(RegisteredBinary *binary, const void *host,
                         const char *name) {
  std::lock_guard lock(mutex);
  kernels[host] = {binary, name};
}

void Registry::addVariable(RegisteredBinary *binary, const void *host,
                           const char *name) {
  std::lock_guard lock(mutex);
  variables[host] = {binary, name};
}

void Registry::addManaged(RegisteredBinary *binary, void **pointer,
                          const char *name) {
  std::lock_guard lock(mutex);
  binary->managed.emplace_back(pointer, name);
}

bool Registry::placeManaged(RegisteredBinary &binary) {
  std::lock_guard lock(mutex);
  if (load(binary))
    return false;
  for (auto &[pointer, name] : binary.managed) {
    DevicePointer address = 0;
    if (cuLibraryGetManaged(&address, nullptr, binary.library, name.c_str()))
      return false;
    *pointer = reinterpret_cast<void *>(address);
  }
  return true;
}

Error Registry::load(RegisteredBinary &binary) {
  if (!binary.loaded)
    binary.loaded = cuLibraryLoadData(&binary.library, binary.image, nullptr,
                                      nullptr, 0, nullptr, nullptr, 0);
  if (*binary.loaded)
    lastFailure = *binary.loaded;
  return Error(int(*binary.loaded));
}

/// A name of C++ as people write it, up to a line of it.
static std::string readableName(const std::string &name) {
  std::unique_ptr<char, void (*)(void *)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), free);
  std::string result = text ? text.get() : name;
  constexpr size_t most = 160;
  if (result.size() > most)
    result.replace(most, std::string::npos, "...");
  return result;
}

/// The driver has said that there is no PTX, not which kernel wanted it. A
/// library such as torch has thousands, and its user doesn't compile it.
void Registry::reject(Symbol &kernel) {
  if (std::exchange(kernel.rejected, true))
    return;
  llvm::errs() << "drawloom: so the kernel '" << readableName(kernel.name)
               << "' can't run; if it is a library's, compute it on the CPU\n";
}

Error Registry::kernel(FunctionState *&function, const void *host) {
  std::lock_guard lock(mutex);
  if (!host)
    return fail("a kernel at null", cudaErrorInvalidDeviceFunction);
  auto found = kernels.find(host);
  if (found == kernels.end()) {
    function = static_cast<FunctionState *>(const_cast<void *>(host));
    return cudaSuccess;
  }
  Symbol &symbol = found->second;
  if (Error error = load(*symbol.binary)) {
    if (error == cudaErrorNoKernelImageForDevice)
      reject(symbol);
    return error;
  }
  if (!symbol.kernel &&
      cuLibraryGetKernel(&symbol.kernel, symbol.binary->library,
                         symbol.name.c_str()))
    return fail("the PTX of the program has no kernel '" + symbol.name + "'",
                cudaErrorInvalidDeviceFunction);
  function = reinterpret_cast<FunctionState *>(symbol.kernel);
  return cudaSuccess;
}

Error Registry::variable(DevicePointer &address, size_t &bytes,
                         const void *host) {
  std::lock_guard lock(mutex);
  auto found = variables.find(host);
  if (found == variables.end())
    return cudaErrorInvalidSymbol;
  Symbol &symbol = found->second;
  if (Error error = load(*symbol.binary))
    return error;
  Result result = cuLibraryGetGlobal(&address, &bytes, symbol.binary->library,
                                     symbol.name.c_str());
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol
                                        : Error(int(result));
}

Error Registry::loadFailure() {
  std::lock_guard lock(mutex);
  return lastFailure ? Error(int(lastFailure)) : cudaErrorInvalidDeviceFunction;
}

//===----------------------------------------------------------------------===//
// What generated code calls
//===----------------------------------------------------------------------===//

static RegisteredBinary *behind(void **handle) {
  return reinterpret_cast<RegisteredBinary *>(handle);
}

void **cuda::__cudaRegisterFatBinary(void *wrapper) {
  return reinterpret_cast<void **>(Registry::get().add(wrapper));
}

void cuda::__cudaRegisterFatBinaryEnd(void **) {}

void cuda::__cudaUnregisterFatBinary(void **handle) {
  Registry::get().remove(behind(handle));
}

// Called before the host uses managed variables. What it uses next is null if
// it can't have them; so the reason is printed.
char cuda::__cudaInitModule(void **handle) {
  if (ready() == cudaSuccess && Registry::get().placeManaged(*behind(handle)))
    return 1;
  llvm::errs() << "drawloom: the program's managed variables can't be had\n";
  return 0;
}

void cuda::__cudaRegisterFunction(void **handle, const char *hostFunction,
                                  char *, const char *deviceName, int, void *,
                                  void *, Dim3 *, Dim3 *, int *) {
  Registry::get().addKernel(behind(handle), hostFunction, deviceName);
}

void cuda::__cudaRegisterVar(void **handle, char *hostVariable, char *,
                             const char *deviceName, int, size_t, int, int) {
  Registry::get().addVariable(behind(handle), hostVariable, deviceName);
}

void cuda::__cudaRegisterManagedVar(void **handle, void **hostPointer, char *,
                                    const char *deviceName, int, size_t, int,
                                    int) {
  Registry::get().addManaged(behind(handle), hostPointer, deviceName);
}
