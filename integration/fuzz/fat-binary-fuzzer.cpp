//===- fat-binary-fuzzer.cpp - Any bytes are a fat binary, or refused -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the bytes as a fat binary and picks PTX for each device. Text that is
// picked is for the device; a refusal says something.
//
//===----------------------------------------------------------------------===//

#include "drawloom/CUDA/FatBinary.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;
using namespace drawloom::cuda;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  llvm::errs() << what << '\n';
  abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  for (ptx::Target device : {ptx::Target{90, 'a'}, ptx::Target{100, 'a'}}) {
    llvm::Expected<PtxSelection> selection = selectPtx(bytes, device);
    if (!selection) {
      require(!llvm::toString(selection.takeError()).empty(),
              "refused without a reason");
    } else if (selection->text) {
      std::optional<ptx::Target> target = declaredTarget(*selection->text);
      require(target && ptx::provides(device, *target),
              "the text is for another device");
    } else {
      require(!selection->missing.empty(), "nothing, without a reason");
    }
  }
  return 0;
}
