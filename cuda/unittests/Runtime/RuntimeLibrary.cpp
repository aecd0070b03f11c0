//===- RuntimeLibrary.cpp - libcudart.so.13, as a program sees it ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeLibrary.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace drawloom;
using namespace drawloom::cuda;

/// Finds a symbol of the version that programs ask for.
template <typename T>
static void find(void *handle, T &pointer, const char *symbol) {
  pointer = reinterpret_cast<T>(dlvsym(handle, symbol, "libcudart.so.13"));
  EXPECT_NE(pointer, nullptr) << symbol;
}

static RuntimeLibrary open() {
  setenv("DRAWLOOM_DEVICE", "h100", 1);
  setenv("DRAWLOOM_SMS", "4", 1);
  RuntimeLibrary library = {};
  void *handle = dlopen(DRAWLOOM_LIBCUDART, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  if (!handle)
    abort();
#define RT_FUNCTION(name, parameters) find(handle, library.name, #name);
#define RT_REJECTED(name) find(handle, library.name, #name);
#include "RuntimeFunctions.def"
  find(handle, library.createChannelDesc, "cudaCreateChannelDesc");
  find(handle, library.errorName, "cudaGetErrorName");
  find(handle, library.errorString, "cudaGetErrorString");
  find(handle, library.registerFatBinary, "__cudaRegisterFatBinary");
  find(handle, library.registerFatBinaryEnd, "__cudaRegisterFatBinaryEnd");
  find(handle, library.unregisterFatBinary, "__cudaUnregisterFatBinary");
  find(handle, library.registerFunction, "__cudaRegisterFunction");
  find(handle, library.registerVar, "__cudaRegisterVar");
  find(handle, library.pushCallConfiguration, "__cudaPushCallConfiguration");
  find(handle, library.popCallConfiguration, "__cudaPopCallConfiguration");
  find(handle, library.getKernel, "__cudaGetKernel");
  find(handle, library.launchKernel, "__cudaLaunchKernel");
  return library;
}

const RuntimeLibrary &RuntimeLibrary::get() {
  static RuntimeLibrary library = open();
  return library;
}

void **RuntimeTest::add(const std::string &container) {
  auto entry = std::make_unique<Registered>();
  entry->bytes = container;
  entry->wrapper.data = entry->bytes.data();
  entry->handle = rt.registerFatBinary(&entry->wrapper);
  registered.push_back(std::move(entry));
  return registered.back()->handle;
}

void RuntimeTest::TearDown() {
  for (const std::unique_ptr<Registered> &entry : registered)
    rt.unregisterFatBinary(entry->handle);
  rt.cudaGetLastError();
}
