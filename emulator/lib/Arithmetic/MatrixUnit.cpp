//===- MatrixUnit.cpp - The products of matrix instructions --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/MatrixUnit.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MemAlloc.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <oneapi/dnnl/dnnl.h>

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int);
}
#endif

using namespace drawloom::emu;

// The largest product: M and N are what an MMA has at most, K is where a longer
// product isn't faster any more.
static constexpr unsigned maxN = 256, maxK = 512;
static constexpr unsigned maxSeparateSteps = 8;
static constexpr size_t pageBytes = 4096;

unsigned MmaForm::maxSteps() const {
  if (separate())
    return maxSeparateSteps;
  // Sums of integers are exact in f32 below 2^24, and 255 * 255 * 256 is.
  return (d == Accumulator::S32 ? 256 : maxK) / k();
}

namespace {
/// One thread: that is how many a worker of the emulator has, and the order of
/// the additions is then oneDNN's own.
class OneThread {
public:
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  OneThread() : before(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before); }

private:
  int before;
#endif
};
} // namespace

static llvm::Error check(dnnl_status_t status, const char *what) {
  if (status == dnnl_success)
    return llvm::Error::success();
  return llvm::createStringError("oneDNN's %s failed with status %d", what,
                                 int(status));
}

struct MatrixUnit::Library {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_status_t status;

  Library() {
    status = dnnl_engine_create(&engine, dnnl_cpu, 0);
    if (status == dnnl_success)
      status = dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
  }
  ~Library() {
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
  }
};

struct MatrixUnit::Primitive {
  dnnl_primitive_t primitive = nullptr;
  dnnl_memory_t memories[3] = {};
  /// oneDNN has no bf16 for this processor: the operands are widened to f32.
  bool widens = false;

  ~Primitive() {
    for (dnnl_memory_t memory : memories)
      dnnl_memory_destroy(memory);
    dnnl_primitive_destroy(primitive);
  }
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

// Both operands may have to be widened to f32.
static constexpr size_t aBytes = MatrixUnit::maxM * maxK * sizeof(float);
static constexpr size_t bBytes = maxN * maxK * sizeof(float);

static char *allocate(size_t bytes) {
  return static_cast<char *>(llvm::allocate_buffer(bytes, pageBytes));
}

ProductOperands::ProductOperands()
    : aData(allocate(aBytes)), bData(allocate(bBytes)) {}

ProductOperands::~ProductOperands() {
  llvm::deallocate_buffer(aData, aBytes, pageBytes);
  llvm::deallocate_buffer(bData, bBytes, pageBytes);
}

Panel ProductOperands::panel(char *data, unsigned rows, bool transposed,
                             unsigned step) const {
  size_t bytes = bytesOf(infoOf(formField.a).compute);
  size_t k = formField.k();
  if (transposed)
    return {data + step * k * rows * bytes, rows * bytes};
  if (formField.separate())
    return {data + step * k * rows * bytes, k * bytes};
  return {data + step * k * bytes, room * k * bytes};
}

Panel ProductOperands::a(unsigned step) const {
  return panel(aData, formField.m, formField.aTransposed, step);
}

Panel ProductOperands::b(unsigned step) const {
  return panel(bData, formField.n, formField.bTransposed, step);
}

std::optional<uint64_t> ProductOperands::hash(Panel panel, unsigned rows,
                                              bool transposed) const {
  size_t bytes = bytesOf(infoOf(formField.a).compute);
  size_t lines = transposed ? formField.k() : rows;
  size_t length = bytes * (transposed ? rows : formField.k());
  llvm::SmallVector<uint64_t, 256> hashes;
  bool isZero = true;
  for (size_t line = 0; line != lines; ++line) {
    llvm::ArrayRef<uint8_t> data(
        reinterpret_cast<uint8_t *>(panel.data + line * panel.stride), length);
    isZero &= llvm::all_of(data, [](uint8_t byte) { return byte == 0; });
    hashes.push_back(llvm::xxh3_64bits(data));
  }
  if (isZero)
    return std::nullopt;
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<uint8_t *>(hashes.data()),
                     hashes.size() * sizeof(uint64_t)));
}

std::optional<uint64_t> ProductOperands::hash(unsigned step) const {
  std::optional<uint64_t> ofA =
      hash(a(step), formField.m, formField.aTransposed);
  std::optional<uint64_t> ofB =
      hash(b(step), formField.n, formField.bTransposed);
  if (!ofA || !ofB)
    return std::nullopt;
  return llvm::hash_combine(*ofA, *ofB, formField.m, formField.n);
}

/// Moves rows from one distance to another, in place.
static void moveRows(Panel from, size_t stride, unsigned rows, size_t bytes) {
  bool apart = stride > from.stride;
  for (unsigned i = 0; i != rows; ++i) {
    unsigned row = apart ? rows - 1 - i : i;
    memmove(from.data + row * stride, from.data + row * from.stride, bytes);
  }
}

void ProductOperands::setRoom(unsigned steps) {
  if (steps == room)
    return;
  Panel aPanel = a(0), bPanel = b(0);
  size_t k = formField.k() * bytesOf(infoOf(formField.a).compute);
  room = steps;
  if (formField.separate())
    return;
  size_t bytes = stepsField * k;
  if (!formField.aTransposed)
    moveRows(aPanel, steps * k, formField.m, bytes);
  if (!formField.bTransposed)
    moveRows(bPanel, steps * k, formField.n, bytes);
}

void ProductOperands::grow(unsigned steps) {
  // Where there are more than at first, there will be more still.
  if (steps > room)
    setRoom(formField.maxSteps());
  stepsField = steps;
}

//===----------------------------------------------------------------------===//
// The unit
//===----------------------------------------------------------------------===//

static constexpr size_t cBytes =
    MatrixUnit::maxM * maxN * maxSeparateSteps * sizeof(float);

MatrixUnit::MatrixUnit()
    : library(std::make_unique<Library>()), cData(allocate(cBytes)) {}

MatrixUnit::~MatrixUnit() {
  primitives.clear();
  llvm::deallocate_buffer(cData, cBytes, pageBytes);
}

std::unique_ptr<ProductOperands> MatrixUnit::take(const MmaForm &form,
                                                  unsigned steps) {
  std::unique_ptr<ProductOperands> operands;
  if (unused.empty()) {
    operands = std::make_unique<ProductOperands>();
  } else {
    operands = std::move(unused.back());
    unused.pop_back();
  }
  operands->formField = form;
  operands->stepsField = operands->room = steps;
  return operands;
}

void MatrixUnit::give(std::unique_ptr<ProductOperands> operands) {
  unused.push_back(std::move(operands));
}

llvm::Expected<MatrixUnit::Primitive *>
MatrixUnit::primitive(const MmaForm &form, unsigned steps, Compute compute) {
  int64_t m = form.m, n = form.n, k = form.k(), batch = steps;
  if (!form.separate()) {
    k *= steps;
    batch = 1;
  }
  uint64_t key = uint64_t(compute == Compute::F32) |
                 uint64_t(form.aTransposed) << 1 |
                 uint64_t(form.bTransposed) << 2 | batch << 4 | m << 12 |
                 n << 24 | k << 36;
  std::unique_ptr<Primitive> &entry = primitives[key];
  if (entry)
    return entry.get();

  auto made = std::make_unique<Primitive>();
  dnnl_data_type_t type = compute == Compute::F32 ? dnnl_f32 : dnnl_bf16;
  const dnnl_dims_t dims[3] = {{batch, m, k}, {batch, k, n}, {batch, m, n}};
  const dnnl_dims_t strides[3] = {
      {m * k, form.aTransposed ? 1 : k, form.aTransposed ? m : 1},
      {n * k, form.bTransposed ? n : 1, form.bTransposed ? 1 : k},
      {m * n, n, 1}};
  const dnnl_data_type_t types[3] = {type, type, dnnl_f32};
  // Without a batch oneDNN has faster code.
  unsigned skip = batch == 1;
  dnnl_memory_desc_t descs[3];
  for (unsigned i = 0; i != 3; ++i) {
    if (llvm::Error error = check(dnnl_memory_desc_init_by_strides(
                                      &descs[i], 3 - skip, dims[i] + skip,
                                      types[i], strides[i] + skip),
                                  "memory_desc_init_by_strides"))
      return error;
    if (llvm::Error error =
            check(dnnl_memory_create(&made->memories[i], &descs[i],
                                     library->engine, DNNL_MEMORY_NONE),
                  "memory_create"))
      return error;
  }
  dnnl_matmul_desc_t matmul;
  if (llvm::Error error =
          check(dnnl_matmul_desc_init(&matmul, &descs[0], &descs[1], nullptr,
                                      &descs[2]),
                "matmul_desc_init"))
    return error;
  dnnl_primitive_desc_t description;
  dnnl_status_t status = dnnl_primitive_desc_create(
      &description, &matmul, nullptr, library->engine, nullptr);
  if (status == dnnl_unimplemented && compute == Compute::BF16) {
    made->widens = true;
    entry = std::move(made);
    return entry.get();
  }
  if (llvm::Error error = check(status, "primitive_desc_create"))
    return error;
  status = dnnl_primitive_create(&made->primitive, description);
  dnnl_primitive_desc_destroy(description);
  if (llvm::Error error = check(status, "primitive_create"))
    return error;
  entry = std::move(made);
  return entry.get();
}

/// From bf16 to f32 in place, from the end on.
static void widen(char *data, size_t elements) {
  while (elements--) {
    uint16_t narrow;
    memcpy(&narrow, data + elements * sizeof(narrow), sizeof(narrow));
    uint32_t wide = uint32_t(narrow) << 16;
    memcpy(data + elements * sizeof(wide), &wide, sizeof(wide));
  }
}

llvm::Expected<Products> MatrixUnit::multiply(ProductOperands &operands) {
  OneThread guard;
  if (llvm::Error error = check(library->status, "engine"))
    return error;
  const MmaForm &form = operands.form();
  const unsigned steps = operands.steps();
  operands.setRoom(steps);
  llvm::Expected<Primitive *> found =
      primitive(form, steps, infoOf(form.a).compute);
  if (!found)
    return found.takeError();
  if ((*found)->widens) {
    size_t k = size_t(form.k()) * steps;
    widen(operands.aData, form.m * k);
    widen(operands.bData, form.n * k);
    found = primitive(form, steps, Compute::F32);
    if (!found)
      return found.takeError();
  }
  Primitive &primitive = **found;
  void *const data[3] = {operands.aData, operands.bData, cData};
  for (auto [memory, at] : llvm::zip_equal(primitive.memories, data))
    if (llvm::Error error =
            check(dnnl_memory_set_data_handle(memory, at), "memory"))
      return error;
  const dnnl_exec_arg_t arguments[] = {
      {DNNL_ARG_SRC, primitive.memories[0]},
      {DNNL_ARG_WEIGHTS, primitive.memories[1]},
      {DNNL_ARG_DST, primitive.memories[2]}};
  if (llvm::Error error =
          check(dnnl_primitive_execute(primitive.primitive, library->stream,
                                       std::size(arguments), arguments),
                "primitive_execute"))
    return error;
  if (llvm::Error error =
          check(dnnl_stream_wait(library->stream), "stream_wait"))
    return error;
  return Products{reinterpret_cast<const float *>(cData),
                  form.separate() ? steps : 1, form.m};
}
