//===- Device.h - A GPU, its memory and its modules -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device of a driver with its primary context. Buffers and modules free what
// they hold, and keep the context alive until they have. The context is made
// current for the calling thread by every function here that needs it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_RUNTIME_DEVICE_H
#define DRAWLOOM_RUNTIME_DEVICE_H

#include "drawloom/Runtime/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace drawloom::runtime {

/// The primary context of a device, held by its users.
class Context {
public:
  Context(std::shared_ptr<Driver> driver, int device, void *handle)
      : driver(std::move(driver)), device(device), handle(handle) {}
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// The functions of the driver, with this context current.
  const DriverFunctions &enter() const;
  llvm::Error check(int result, llvm::StringRef call) const {
    return driver->check(result, call);
  }

private:
  friend class Device;
  std::shared_ptr<Driver> driver;
  int device;
  void *handle;
};

/// Device memory.
class Buffer {
public:
  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  DevicePointer address() const { return pointer; }
  size_t size() const { return bytes; }

  /// Copies as many bytes as the buffer has.
  llvm::Error upload(llvm::ArrayRef<char> from);
  llvm::Error download(llvm::MutableArrayRef<char> to) const;

private:
  friend class Device;
  Buffer() = default;
  void swap(Buffer &other) noexcept;

  std::shared_ptr<Context> context;
  DevicePointer pointer = 0;
  size_t bytes = 0;
};

/// A module of kernels on a device.
class Module {
public:
  Module(Module &&other) noexcept { swap(other); }
  Module &operator=(Module &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Module();

  llvm::Expected<void *> function(llvm::StringRef name) const;
  const Context &getContext() const { return *context; }

private:
  friend class Device;
  Module() = default;
  void swap(Module &other) noexcept;

  std::shared_ptr<Context> context;
  void *handle = nullptr;
};

class Device {
public:
  static llvm::Expected<Device> open(std::shared_ptr<Driver> driver,
                                     int ordinal = 0);

  /// As the driver calls it.
  const std::string &name() const { return nameField; }
  unsigned smCount() const { return sms; }
  const Driver &getDriver() const { return *driver; }
  /// "sm_90": without the suffix of a kernel's target.
  std::string architecture() const;

  llvm::Expected<Buffer> allocate(size_t bytes) const;
  /// Loads PTX or a cubin.
  llvm::Expected<Module> load(llvm::StringRef image) const;
  /// Waits until everything that was launched has ended; what went wrong there
  /// comes out here.
  llvm::Error synchronize() const;

  /// After an error in a kernel every call fails. This starts afresh: buffers
  /// and modules from before must be gone.
  llvm::Error reset();

private:
  Device() = default;
  llvm::Error retain();

  std::shared_ptr<Driver> driver;
  std::shared_ptr<Context> context;
  int handle = 0;
  std::string nameField;
  unsigned sms = 0;
  unsigned capability = 0;
};

} // namespace drawloom::runtime

#endif // DRAWLOOM_RUNTIME_DEVICE_H
