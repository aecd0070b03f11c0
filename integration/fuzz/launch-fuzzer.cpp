//===- launch-fuzzer.cpp - Any bytes are a launch, a map, or refused ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The small formats that the emulator reads: launches in JSON, arrays of
// numpy's, and the 128 bytes of a tensor map. The first byte says which. A map
// that is decoded and passes the checks is encoded and decoded to the same map.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/LaunchFile.h"
#include <cstdlib>
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;

/// True if there is a value; an error is fine, but has to say something.
template <typename T>
static bool isThere(llvm::Expected<T> &value) {
  if (value)
    return true;
  if (llvm::toString(value.takeError()).empty()) {
    llvm::errs() << "refused without a reason\n";
    abort();
  }
  return false;
}

static void tryMap(llvm::StringRef bytes) {
  TensorMapBytes raw = {};
  memcpy(raw.data(), bytes.data(), std::min(bytes.size(), raw.size()));
  llvm::Expected<TensorMap> map = decodeTensorMap(raw.data());
  if (!isThere(map))
    return;
  const DeviceModel *model = findDeviceModel("b200");
  llvm::Expected<TensorMapBytes> encoded = encodeTensorMap(*map, model->target);
  if (!isThere(encoded))
    return;
  llvm::Expected<TensorMap> again = decodeTensorMap(encoded->data());
  if (isThere(again) && *again == *map)
    return;
  llvm::errs() << "encoded and decoded again it differs\n";
  abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0] % 3) {
  case 0: {
    llvm::Expected<LaunchFile> file = parseLaunchFile(bytes, ".", ".");
    isThere(file);
    break;
  }
  case 1: {
    llvm::Expected<NumpyArray> array = parseNumpy(bytes);
    isThere(array);
    break;
  }
  case 2:
    tryMap(bytes);
    break;
  }
  return 0;
}
