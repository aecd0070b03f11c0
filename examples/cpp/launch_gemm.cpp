//===- launch_gemm.cpp - A launch from C++ --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches what `drawloom compile examples/gemm.mlir --emit ptx` has written:
// docs/Run.md. Under `drawloom run -- launch-gemm gemm` it needs no GPU.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Runtime/Launch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::runtime;

static std::string read(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// A matrix of ones times a matrix of ones: every element is k.
static llvm::Expected<bool> run(const std::string &json,
                                const std::string &ptx) {
  constexpr int64_t m = 200, n = 136, k = 72;
  std::vector<uint16_t> ones(m * k, 0x3f80); // 1 in bf16
  std::vector<float> result(m * n);

  llvm::Expected<std::shared_ptr<Driver>> driver = Driver::open();
  if (!driver)
    return driver.takeError();
  llvm::Expected<Device> device = Device::open(*driver);
  if (!device)
    return device.takeError();
  llvm::Expected<KernelInfo> info = readKernelInfo(json);
  if (!info)
    return info.takeError();
  llvm::Expected<Kernel> kernel = Kernel::load(*device, *info, ptx);
  if (!kernel)
    return kernel.takeError();
  llvm::Expected<Buffer> a = device->allocate(m * k * sizeof(uint16_t));
  if (!a)
    return a.takeError();
  llvm::Expected<Buffer> b = device->allocate(n * k * sizeof(uint16_t));
  if (!b)
    return b.takeError();
  llvm::Expected<Buffer> d = device->allocate(m * n * sizeof(float));
  if (!d)
    return d.takeError();
  auto bytes = [](auto &values, size_t count) {
    return llvm::MutableArrayRef<char>(reinterpret_cast<char *>(values.data()),
                                       count * sizeof(values[0]));
  };
  if (llvm::Error error = a->upload(bytes(ones, m * k)))
    return error;
  if (llvm::Error error = b->upload(bytes(ones, n * k)))
    return error;

  ElementType bf16 = findElementType("bf16"), f32 = findElementType("f32");
  if (llvm::Error error =
          kernel->launch({{Tensor::packed(bf16, {m, k}, a->address())},
                          {Tensor::packed(bf16, {n, k}, b->address())},
                          {Tensor::packed(f32, {m, n}, d->address())}}))
    return error;
  if (llvm::Error error = device->synchronize())
    return error;
  if (llvm::Error error = d->download(bytes(result, m * n)))
    return error;
  return llvm::all_of(result, [&](float x) { return x == k; });
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: launch-gemm NAME, for NAME.ptx and NAME.json\n";
    return 2;
  }
  std::string name = argv[1];
  llvm::Expected<bool> right = run(read(name + ".json"), read(name + ".ptx"));
  if (!right) {
    llvm::errs() << llvm::toString(right.takeError()) << '\n';
    return 1;
  }
  llvm::outs() << (*right ? "right\n" : "wrong\n");
  return *right ? 0 : 1;
}
