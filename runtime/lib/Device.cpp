//===- Device.cpp - A GPU, its memory and its modules ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Device.h"
#include "llvm/ADT/Twine.h"
#include <utility>

using namespace drawloom::runtime;

/// Values of CUdevice_attribute and CUjit_option.
static constexpr int attributeSmCount = 16;
static constexpr int attributeCapabilityMajor = 75;
static constexpr int attributeCapabilityMinor = 76;
static constexpr int jitErrorLog = 5;
static constexpr int jitErrorLogSize = 6;

Context::~Context() {
  driver->functions().cuDevicePrimaryCtxRelease_v2(device);
}

const DriverFunctions &Context::enter() const {
  driver->functions().cuCtxSetCurrent(handle);
  return driver->functions();
}

Buffer::~Buffer() {
  if (context)
    context->enter().cuMemFree_v2(pointer);
}

void Buffer::swap(Buffer &other) noexcept {
  std::swap(context, other.context);
  std::swap(pointer, other.pointer);
  std::swap(bytes, other.bytes);
}

/// A copy that is not of the whole buffer is a mistake of the caller.
static llvm::Error checkSize(size_t given, size_t wanted) {
  if (given == wanted)
    return llvm::Error::success();
  return llvm::createStringError("a copy of " + llvm::Twine(given) +
                                 " bytes, and the buffer has " +
                                 llvm::Twine(wanted) + " [buffer-size]");
}

llvm::Error Buffer::upload(llvm::ArrayRef<char> from) {
  if (llvm::Error error = checkSize(from.size(), bytes))
    return error;
  if (bytes == 0)
    return llvm::Error::success();
  return context->check(
      context->enter().cuMemcpyHtoD_v2(pointer, from.data(), bytes),
      "cuMemcpyHtoD");
}

llvm::Error Buffer::download(llvm::MutableArrayRef<char> to) const {
  if (llvm::Error error = checkSize(to.size(), bytes))
    return error;
  if (bytes == 0)
    return llvm::Error::success();
  return context->check(
      context->enter().cuMemcpyDtoH_v2(to.data(), pointer, bytes),
      "cuMemcpyDtoH");
}

Module::~Module() {
  if (context)
    context->enter().cuModuleUnload(handle);
}

void Module::swap(Module &other) noexcept {
  std::swap(context, other.context);
  std::swap(handle, other.handle);
}

llvm::Expected<void *> Module::function(llvm::StringRef name) const {
  void *function = nullptr;
  if (llvm::Error error =
          context->check(context->enter().cuModuleGetFunction(
                             &function, handle, name.str().c_str()),
                         ("cuModuleGetFunction of '" + name + "'").str()))
    return error;
  return function;
}

llvm::Expected<Device> Device::open(std::shared_ptr<Driver> driver,
                                    int ordinal) {
  Device device;
  device.driver = std::move(driver);
  const DriverFunctions &cuda = device.driver->functions();
  auto check = [&](int result, llvm::StringRef call) {
    return device.driver->check(result, call);
  };
  if (llvm::Error error =
          check(cuda.cuDeviceGet(&device.handle, ordinal), "cuDeviceGet"))
    return error;
  char name[256] = {};
  int sms = 0, major = 0, minor = 0;
  if (llvm::Error error =
          check(cuda.cuDeviceGetName(name, sizeof(name) - 1, device.handle),
                "cuDeviceGetName"))
    return error;
  for (auto [attribute, value] : {std::pair(attributeSmCount, &sms),
                                  std::pair(attributeCapabilityMajor, &major),
                                  std::pair(attributeCapabilityMinor, &minor)})
    if (llvm::Error error =
            check(cuda.cuDeviceGetAttribute(value, attribute, device.handle),
                  "cuDeviceGetAttribute"))
      return error;
  device.nameField = name;
  device.sms = sms;
  device.capability = major * 10 + minor;
  if (llvm::Error error = device.retain())
    return error;
  return device;
}

llvm::Error Device::retain() {
  void *primary = nullptr;
  if (llvm::Error error = driver->check(
          driver->functions().cuDevicePrimaryCtxRetain(&primary, handle),
          "cuDevicePrimaryCtxRetain"))
    return error;
  context = std::make_shared<Context>(driver, handle, primary);
  return llvm::Error::success();
}

std::string Device::architecture() const {
  return "sm_" + std::to_string(capability);
}

llvm::Expected<Buffer> Device::allocate(size_t bytes) const {
  Buffer buffer;
  // A driver gives no memory of 0 bytes, and a kernel takes a pointer.
  size_t asked = std::max<size_t>(bytes, 1);
  if (llvm::Error error =
          context->check(context->enter().cuMemAlloc_v2(&buffer.pointer, asked),
                         "cuMemAlloc of " + std::to_string(asked) + " bytes"))
    return error;
  buffer.context = context;
  buffer.bytes = bytes;
  return buffer;
}

llvm::Expected<Module> Device::load(llvm::StringRef image) const {
  // PTX is read up to its NUL.
  std::string copy = image.str();
  std::string log(16 * 1024, '\0');
  int options[] = {jitErrorLog, jitErrorLogSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  Module module;
  llvm::Error error =
      context->check(context->enter().cuModuleLoadDataEx(
                         &module.handle, copy.c_str(), 2, options, values),
                     "cuModuleLoadData");
  if (error) {
    log.resize(log.find('\0') == std::string::npos ? log.size()
                                                   : log.find('\0'));
    return llvm::joinErrors(std::move(error), llvm::createStringError(log));
  }
  module.context = context;
  return module;
}

llvm::Error Device::synchronize() const {
  return context->check(context->enter().cuCtxSynchronize(),
                        "cuCtxSynchronize");
}

llvm::Error Device::reset() {
  context.reset();
  if (llvm::Error error =
          driver->check(driver->functions().cuDevicePrimaryCtxReset_v2(handle),
                        "cuDevicePrimaryCtxReset"))
    return error;
  return retain();
}
