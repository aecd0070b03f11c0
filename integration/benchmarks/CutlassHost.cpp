//===- CutlassHost.cpp - Kernels of CUTLASS's with their host code --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CutlassHost.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>

static std::string cacheFolder() {
  if (auto root = llvm::sys::Process::GetEnv("DRAWLOOM_CACHE"))
    return *root;
  if (auto root = llvm::sys::Process::GetEnv("XDG_CACHE_HOME"))
    return *root + "/drawloom";
  return llvm::sys::Process::GetEnv("HOME").value_or(".") + "/.cache/drawloom";
}

/// The newest file of `folder` called <name>-<hash><extension>; or nothing.
static std::string newest(const std::string &folder, llvm::StringRef name,
                          llvm::StringRef extension) {
  std::error_code error;
  std::string result;
  llvm::sys::TimePoint<> when;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::StringRef file = llvm::sys::path::filename(it->path());
    llvm::StringRef rest = file;
    if (!rest.consume_front(name) || !rest.consume_front("-") ||
        !file.ends_with(extension))
      continue;
    auto status = it->status();
    if (status &&
        (result.empty() || status->getLastModificationTime() > when)) {
      result = it->path();
      when = status->getLastModificationTime();
    }
  }
  return result;
}

/// The emulator's CUDA driver, for the host code: it encodes tensor maps, which
/// are the same for all devices. Whether it is there.
static bool loadDriver() {
  static char here;
  llvm::SmallString<128> path(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable("", &here)));
  llvm::sys::path::append(path, "..", "lib", "drawloom", "libcuda.so.1");
  // Host code finds its functions among the global symbols.
  void *driver = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  auto *init =
      driver ? reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))
             : nullptr;
  return init && init(0) == 0;
}

std::optional<CutlassKernel> findCutlassKernel(llvm::StringRef name) {
  auto [peer, kernel] = name.split('_');
  auto title = (peer + "_" + kernel.split('_').first).str();
  CutlassKernel result = {newest(cacheFolder() + "/peers", name, ".ptx"),
                          nullptr};
  std::string path = newest(cacheFolder() + "/hosts", title, ".so");
  if (result.ptxFile.empty() || path.empty() || !loadDriver())
    return std::nullopt;
  if (void *host = dlopen(path.c_str(), RTLD_LAZY))
    result.describe = reinterpret_cast<decltype(result.describe)>(
        dlsym(host, ("describe_" + kernel).str().c_str()));
  if (!result.describe)
    return std::nullopt;
  return result;
}
