//===- Memory.cpp - Allocation, copies and fills --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

Result cuda::cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  DRAWLOOM_CALL(Context);
  if (!freeBytes || !totalBytes)
    return CUDA_ERROR_INVALID_VALUE;
  emu::GlobalMemory &memory = call.device().memory();
  *totalBytes = memory.capacity();
  *freeBytes =
      memory.capacity() - memory.used() + call.driver().visible.bytes();
  return CUDA_SUCCESS;
}

Result cuda::cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  DRAWLOOM_CALL(Idle);
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  auto allocated = call.device().memory().allocate(bytes);
  if (!allocated) {
    llvm::consumeError(allocated.takeError());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  call.context().memory.insert(*allocated);
  if (Check *check = call.driver().check.get())
    check->listener().allocated(*allocated, bytes);
  if (HostWatch *watch = call.driver().watch.get())
    watch->allocated(*allocated, bytes);
  *address = *allocated;
  return CUDA_SUCCESS;
}

Result cuda::cuMemFree_v2(DevicePointer address) {
  DRAWLOOM_CALL(Idle);
  if (address == 0)
    return CUDA_SUCCESS;
  if (!call.context().memory.erase(address))
    return CUDA_ERROR_INVALID_VALUE;
  call.driver().release(address);
  return CUDA_SUCCESS;
}

Result cuda::cuMemFreeAsync(DevicePointer address, StreamState *stream) {
  DRAWLOOM_CALL(Idle);
  if (!call.driver().stream(call.context(), stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (address == 0)
    return CUDA_SUCCESS;
  if (!call.context().memory.erase(address))
    return CUDA_ERROR_INVALID_VALUE;
  if (HostWatch *watch = call.driver().watch.get())
    watch->freedInStream(call.context(), stream, address);
  call.driver().release(address);
  return CUDA_SUCCESS;
}

Result cuda::cuMemGetAddressRange_v2(DevicePointer *base, size_t *bytes,
                                     DevicePointer address) {
  DRAWLOOM_CALL(Context);
  const emu::Allocation *allocation = call.device().memory().find(address);
  if (!allocation || address >= allocation->end())
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = allocation->address;
  if (bytes)
    *bytes = allocation->size;
  return CUDA_SUCCESS;
}

Result cuda::cuPointerGetAttribute(void *value, int attribute,
                                   DevicePointer address) {
  DRAWLOOM_CALL(Context);
  const emu::Allocation *allocation = call.device().memory().find(address);
  // To what isn't the device's, the driver knows no attribute.
  if (!value || !allocation || address >= allocation->end())
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<HostVisible::Kind> visible =
      call.driver().visible.kindOf(allocation->address);
  switch (attribute) {
  case PointerContext:
    *static_cast<ContextState **>(value) = &call.context();
    return CUDA_SUCCESS;
  case PointerMemoryType:
    *static_cast<unsigned *>(value) =
        visible == HostVisible::Kind::Host ? memoryTypeHost : memoryTypeDevice;
    return CUDA_SUCCESS;
  case PointerDevicePointer:
    *static_cast<DevicePointer *>(value) = address;
    return CUDA_SUCCESS;
  case PointerHostPointer:
    if (!visible)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<void **>(value) = reinterpret_cast<void *>(address);
    return CUDA_SUCCESS;
  case PointerIsManaged:
    *static_cast<unsigned *>(value) = visible == HostVisible::Kind::Managed;
    return CUDA_SUCCESS;
  case PointerDeviceOrdinal:
    *static_cast<int *>(value) = 0;
    return CUDA_SUCCESS;
  case PointerRangeStart:
    *static_cast<DevicePointer *>(value) = allocation->address;
    return CUDA_SUCCESS;
  case PointerRangeSize:
    *static_cast<size_t *>(value) = allocation->size;
    return CUDA_SUCCESS;
  case PointerMapped:
    *static_cast<unsigned *>(value) = 1;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

/// How much of an answer there is.
static size_t pointerAttributeBytes(int attribute) {
  switch (attribute) {
  case PointerContext:
  case PointerDevicePointer:
  case PointerHostPointer:
  case PointerRangeStart:
  case PointerRangeSize:
    return 8;
  default:
    return 4;
  }
}

// What an address doesn't have is zero here, not an error.
Result cuda::cuPointerGetAttributes(unsigned count, const int *attributes,
                                    void **values, DevicePointer address) {
  if (!count || !attributes || !values)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i != count; ++i) {
    if (!values[i])
      return CUDA_ERROR_INVALID_VALUE;
    Result result = cuPointerGetAttribute(values[i], attributes[i], address);
    if (result == CUDA_ERROR_INVALID_VALUE)
      memset(values[i], 0, pointerAttributeBytes(attributes[i]));
    else if (result)
      return result;
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory that the host and kernels share
//===----------------------------------------------------------------------===//

static Result allocateVisible(Call &call, DevicePointer &address, size_t bytes,
                              HostVisible::Kind kind) {
  emu::GlobalMemory &memory = call.device().memory();
  auto allocated = memory.allocate(bytes);
  if (!allocated) {
    llvm::consumeError(allocated.takeError());
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (!call.driver().visible.add(memory, *allocated, kind)) {
    llvm::cantFail(memory.free(*allocated));
    complain("the host can't map " + llvm::Twine(bytes) + " bytes at 0x" +
             llvm::Twine::utohexstr(*allocated) +
             ", where kernels would use them");
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (HostWatch *watch = call.driver().watch.get())
    watch->allocated(*allocated, bytes);
  address = *allocated;
  return CUDA_SUCCESS;
}

Result cuda::cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  DRAWLOOM_CALL(Idle);
  if (!pointer || bytes == 0 || flags > 7)
    return CUDA_ERROR_INVALID_VALUE;
  DevicePointer address = 0;
  if (Result result =
          allocateVisible(call, address, bytes, HostVisible::Kind::Host))
    return result;
  *pointer = reinterpret_cast<void *>(address);
  return CUDA_SUCCESS;
}

Result cuda::cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

Result cuda::cuMemFreeHost(void *pointer) {
  DRAWLOOM_CALL(Idle);
  auto address = reinterpret_cast<DevicePointer>(pointer);
  if (call.driver().visible.kindOf(address) != HostVisible::Kind::Host)
    return CUDA_ERROR_INVALID_VALUE;
  call.driver().release(address);
  return CUDA_SUCCESS;
}

Result cuda::cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  DRAWLOOM_CALL(Context);
  if (!pointer || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  return call.driver()
                 .registered.emplace(reinterpret_cast<uint64_t>(pointer), bytes)
                 .second
             ? CUDA_SUCCESS
             : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

Result cuda::cuMemHostUnregister(void *pointer) {
  DRAWLOOM_CALL(Context);
  auto &registered = call.driver().registered;
  auto it = registered.find(reinterpret_cast<uint64_t>(pointer));
  if (it == registered.end())
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (HostWatch *watch = call.driver().watch.get())
    watch->unregistered(pointer, it->second);
  registered.erase(it);
  return CUDA_SUCCESS;
}

Result cuda::cuMemHostGetDevicePointer_v2(DevicePointer *address, void *pointer,
                                          unsigned flags) {
  DRAWLOOM_CALL(Context);
  if (!address || flags)
    return CUDA_ERROR_INVALID_VALUE;
  auto same = reinterpret_cast<DevicePointer>(pointer);
  const emu::Allocation *allocation = call.device().memory().find(same);
  if (!allocation || same >= allocation->end() ||
      call.driver().visible.kindOf(allocation->address) !=
          HostVisible::Kind::Host) {
    complain("a kernel can't use host memory that cuMemHostAlloc didn't give");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  *address = same;
  return CUDA_SUCCESS;
}

Result cuda::cuMemAllocManaged(DevicePointer *address, size_t bytes,
                               unsigned flags) {
  DRAWLOOM_CALL(Idle);
  // CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST.
  if (!address || bytes == 0 || (flags != 1 && flags != 2))
    return CUDA_ERROR_INVALID_VALUE;
  if (Result result =
          allocateVisible(call, *address, bytes, HostVisible::Kind::Managed))
    return result;
  call.context().memory.insert(*address);
  return CUDA_SUCCESS;
}

/// For hints about managed memory: whether all of it is that.
static Result checkManaged(DevicePointer address, size_t bytes) {
  DRAWLOOM_CALL(Context);
  emu::GlobalMemory &memory = call.device().memory();
  if (!memory.translate(address, bytes) ||
      call.driver().visible.kindOf(memory.find(address)->address) !=
          HostVisible::Kind::Managed)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

Result cuda::cuMemPrefetchAsync_v2(DevicePointer address, size_t bytes,
                                   MemoryLocation, unsigned, StreamState *) {
  return checkManaged(address, bytes);
}
Result cuda::cuMemAdvise_v2(DevicePointer address, size_t bytes, int,
                            MemoryLocation) {
  return checkManaged(address, bytes);
}
// 0 bytes are the whole allocation.
Result cuda::cuStreamAttachMemAsync(StreamState *, DevicePointer address,
                                    size_t bytes, unsigned) {
  return checkManaged(address, bytes);
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// The memory behind `address`: the device's if it is one of its addresses,
/// else the host's own. Null if the device has no such bytes.
static char *behind(Call &call, DevicePointer address, size_t bytes) {
  emu::GlobalMemory &memory = call.device().memory();
  if (address - emu::globalBase < memory.capacity())
    return memory.translate(address, bytes);
  return reinterpret_cast<char *>(address);
}

/// The same for a pointer of the host's. Null if the host can't see what is
/// there.
static char *ofHost(Call &call, const void *pointer, size_t bytes) {
  auto address = reinterpret_cast<DevicePointer>(pointer);
  emu::GlobalMemory &memory = call.device().memory();
  if (address - emu::globalBase < memory.capacity()) {
    const emu::Allocation *allocation = memory.find(address);
    if (!allocation || !call.driver().visible.kindOf(allocation->address)) {
      complain("0x" + llvm::Twine::utohexstr(address) +
               " is an address of the device, and the copy takes it for one "
               "of the host");
      return nullptr;
    }
  }
  return behind(call, address, bytes);
}

/// The checker learns that the host has written, if it is the device's memory.
static void tellWritten(Call &call, const void *to, size_t bytes) {
  if (Check *check = call.driver().check.get())
    check->listener().written(reinterpret_cast<uint64_t>(to) -
                                  call.device().memory().hostDelta(),
                              bytes);
}

// A stream is in order and its work is done when the host looks, so what is
// asynchronous on hardware is done at once here.

namespace {
/// Where a copy or a fill goes: in a stream, or in the default stream by a call
/// that isn't asynchronous.
struct Transfer {
  StreamState *stream = nullptr;
  bool isAsync = false;
};
} // namespace

static Result copy(Call &call, const Transfer &transfer, char *to,
                   const char *from, size_t bytes) {
  if (!call.driver().stream(call.context(), transfer.stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!to || !from)
    return CUDA_ERROR_INVALID_VALUE;
  auto move = [&] { memmove(to, from, bytes); };
  if (HostWatch *watch = call.driver().watch.get())
    watch->copy(call.context(), transfer.stream, transfer.isAsync, to, from,
                bytes, move);
  else
    move();
  tellWritten(call, to, bytes);
  return CUDA_SUCCESS;
}

static Result copyHtoD(const Transfer &transfer, DevicePointer to,
                       const void *from, size_t bytes) {
  DRAWLOOM_CALL(Idle);
  return copy(call, transfer, call.device().memory().translate(to, bytes),
              ofHost(call, from, bytes), bytes);
}

static Result copyDtoH(const Transfer &transfer, void *to, DevicePointer from,
                       size_t bytes) {
  DRAWLOOM_CALL(Idle);
  return copy(call, transfer, ofHost(call, to, bytes),
              call.device().memory().translate(from, bytes), bytes);
}

static Result copyDtoD(const Transfer &transfer, DevicePointer to,
                       DevicePointer from, size_t bytes) {
  DRAWLOOM_CALL(Idle);
  emu::GlobalMemory &memory = call.device().memory();
  return copy(call, transfer, memory.translate(to, bytes),
              memory.translate(from, bytes), bytes);
}

static Result copyAny(const Transfer &transfer, DevicePointer to,
                      DevicePointer from, size_t bytes) {
  DRAWLOOM_CALL(Idle);
  return copy(call, transfer, behind(call, to, bytes),
              behind(call, from, bytes), bytes);
}

/// A fill with `count` elements of T. T's size divides a valid address.
template <typename T>
static Result fill(const Transfer &transfer, DevicePointer address, T value,
                   size_t count) {
  DRAWLOOM_CALL(Idle);
  if (!call.driver().stream(call.context(), transfer.stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (count == 0)
    return CUDA_SUCCESS;
  if (address % sizeof(T) || count > SIZE_MAX / sizeof(T))
    return CUDA_ERROR_INVALID_VALUE;
  char *memory = call.device().memory().translate(address, count * sizeof(T));
  if (!memory)
    return CUDA_ERROR_INVALID_VALUE;
  auto set = [&] { std::fill_n(reinterpret_cast<T *>(memory), count, value); };
  if (HostWatch *watch = call.driver().watch.get())
    watch->fill(call.context(), transfer.stream, transfer.isAsync, memory,
                count * sizeof(T), set);
  else
    set();
  tellWritten(call, memory, count * sizeof(T));
  return CUDA_SUCCESS;
}

Result cuda::cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  return copyHtoD({}, to, from, bytes);
}
Result cuda::cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  return copyDtoH({}, to, from, bytes);
}
Result cuda::cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from,
                             size_t bytes) {
  return copyDtoD({}, to, from, bytes);
}
Result cuda::cuMemcpy(DevicePointer to, DevicePointer from, size_t bytes) {
  return copyAny({}, to, from, bytes);
}
Result cuda::cuMemsetD8_v2(DevicePointer address, unsigned char value,
                           size_t count) {
  return fill<uint8_t>({}, address, value, count);
}
Result cuda::cuMemsetD16_v2(DevicePointer address, unsigned short value,
                            size_t count) {
  return fill<uint16_t>({}, address, value, count);
}
Result cuda::cuMemsetD32_v2(DevicePointer address, unsigned value,
                            size_t count) {
  return fill<uint32_t>({}, address, value, count);
}

Result cuda::cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                  size_t bytes, StreamState *stream) {
  return copyHtoD({stream, true}, to, from, bytes);
}
Result cuda::cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                                  StreamState *stream) {
  return copyDtoH({stream, true}, to, from, bytes);
}
Result cuda::cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                  size_t bytes, StreamState *stream) {
  return copyDtoD({stream, true}, to, from, bytes);
}
Result cuda::cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes,
                           StreamState *stream) {
  return copyAny({stream, true}, to, from, bytes);
}
Result cuda::cuMemsetD8Async(DevicePointer address, unsigned char value,
                             size_t count, StreamState *stream) {
  return fill<uint8_t>({stream, true}, address, value, count);
}
Result cuda::cuMemsetD16Async(DevicePointer address, unsigned short value,
                              size_t count, StreamState *stream) {
  return fill<uint16_t>({stream, true}, address, value, count);
}
Result cuda::cuMemsetD32Async(DevicePointer address, unsigned value,
                              size_t count, StreamState *stream) {
  return fill<uint32_t>({stream, true}, address, value, count);
}
