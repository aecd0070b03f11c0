//===- Files.h - Tensors in files, for programs under test ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_TEST_FILES_H
#define DRAWLOOM_DEVICE_TEST_FILES_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

/// Ends the program with the error's name.
inline void check(cudaError_t error) {
  if (!error)
    return;
  std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(1);
}

template <class Element>
std::vector<Element> readFile(const char *path, size_t count) {
  std::vector<Element> values(count);
  FILE *file = std::fopen(path, "rb");
  if (!file ||
      std::fread(values.data(), sizeof(Element), count, file) != count) {
    std::fprintf(stderr, "cannot read '%s'\n", path);
    std::exit(1);
  }
  std::fclose(file);
  return values;
}

template <class Element>
Element *copyToDevice(const std::vector<Element> &values) {
  Element *device;
  check(cudaMalloc(&device, values.size() * sizeof(Element)));
  check(cudaMemcpy(device, values.data(), values.size() * sizeof(Element),
                   cudaMemcpyHostToDevice));
  return device;
}

/// A tensor in device memory, with what a file has.
template <class Element>
Element *readTensor(const char *path, size_t count) {
  return copyToDevice(readFile<Element>(path, count));
}

template <class Element>
void writeTensor(const char *path, const Element *device, size_t count) {
  Element *host = new Element[count];
  check(cudaMemcpy(host, device, count * sizeof(Element),
                   cudaMemcpyDeviceToHost));
  FILE *file = std::fopen(path, "wb");
  if (!file || std::fwrite(host, sizeof(Element), count, file) != count) {
    std::fprintf(stderr, "cannot write '%s'\n", path);
    std::exit(1);
  }
  std::fclose(file);
  delete[] host;
}

#endif // DRAWLOOM_DEVICE_TEST_FILES_H
