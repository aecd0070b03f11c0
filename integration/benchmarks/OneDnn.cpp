//===- OneDnn.cpp - The library alone, to compare with --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneDnn.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <ctime>
#include <oneapi/dnnl/dnnl.h>

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
extern "C" void omp_set_num_threads(int);
#endif

double processorSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

static void check(dnnl_status_t status) {
  if (status == dnnl_success)
    return;
  llvm::errs() << "oneDNN failed with status " << status << "\n";
  std::exit(1);
}

OneDnnProduct multiplyByOneDnn(int64_t m, int64_t n, int64_t k,
                               llvm::ArrayRef<uint16_t> a,
                               llvm::ArrayRef<uint16_t> b) {
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  // The emulator uses one thread; so does what it is compared with.
  omp_set_num_threads(1);
#endif
  OneDnnProduct product;
  product.d.resize(m * n);
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  check(dnnl_engine_create(&engine, dnnl_cpu, 0));
  check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  const dnnl_dims_t dims[3] = {{m, k}, {k, n}, {m, n}};
  const dnnl_dims_t strides[3] = {{k, 1}, {1, k}, {n, 1}};
  const dnnl_data_type_t types[3] = {dnnl_bf16, dnnl_bf16, dnnl_f32};
  void *data[3] = {const_cast<uint16_t *>(a.data()),
                   const_cast<uint16_t *>(b.data()), product.d.data()};
  dnnl_memory_desc_t descs[3];
  dnnl_memory_t memories[3];
  for (unsigned i = 0; i != 3; ++i) {
    check(dnnl_memory_desc_init_by_strides(&descs[i], 2, dims[i], types[i],
                                           strides[i]));
    check(dnnl_memory_create(&memories[i], &descs[i], engine, data[i]));
  }
  dnnl_matmul_desc_t matmul;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t primitive;
  check(
      dnnl_matmul_desc_init(&matmul, &descs[0], &descs[1], nullptr, &descs[2]));
  check(dnnl_primitive_desc_create(&description, &matmul, nullptr, engine,
                                   nullptr));
  check(dnnl_primitive_create(&primitive, description));
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, memories[0]},
                                       {DNNL_ARG_WEIGHTS, memories[1]},
                                       {DNNL_ARG_DST, memories[2]}};
  for (unsigned round = 0; round != 5; ++round) {
    double start = processorSeconds();
    check(dnnl_primitive_execute(primitive, stream, 3, arguments));
    check(dnnl_stream_wait(stream));
    double taken = processorSeconds() - start;
    // The first round includes what is done once.
    if (round == 1 || (round > 1 && taken < product.seconds))
      product.seconds = taken;
  }
  dnnl_primitive_destroy(primitive);
  dnnl_primitive_desc_destroy(description);
  for (dnnl_memory_t memory : memories)
    dnnl_memory_destroy(memory);
  dnnl_stream_destroy(stream);
  dnnl_engine_destroy(engine);
  return product;
}
