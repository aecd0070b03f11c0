//===- Stream.cpp - Streams and events in the runtime API -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace drawloom;
using namespace drawloom::cuda;

Error cuda::cudaStreamCreate(StreamState **stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

Error cuda::cudaStreamCreateWithFlags(StreamState **stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

Error cuda::cudaStreamCreateWithPriority(StreamState **stream, unsigned flags,
                                         int priority) {
  DRAWLOOM_READY();
  return note(cuStreamCreateWithPriority(stream, flags, priority));
}

Error cuda::cudaStreamDestroy(StreamState *stream) {
  DRAWLOOM_READY();
  return note(cuStreamDestroy_v2(stream));
}

Error cuda::cudaStreamSynchronize(StreamState *stream) {
  DRAWLOOM_READY();
  return note(cuStreamSynchronize(stream));
}

Error cuda::cudaStreamQuery(StreamState *stream) {
  DRAWLOOM_READY();
  return note(cuStreamQuery(stream));
}

Error cuda::cudaStreamGetFlags(StreamState *stream, unsigned *flags) {
  DRAWLOOM_READY();
  return note(cuStreamGetFlags(stream, flags));
}

Error cuda::cudaStreamGetPriority(StreamState *stream, int *priority) {
  DRAWLOOM_READY();
  return note(cuStreamGetPriority(stream, priority));
}

Error cuda::cudaStreamGetDevice(StreamState *stream, int *device) {
  DRAWLOOM_READY();
  ContextState *context = nullptr;
  if (Result result = cuStreamGetCtx(stream, &context))
    return note(result);
  return note(cuCtxGetDevice(device));
}

Error cuda::cudaStreamIsCapturing(StreamState *stream, int *status) {
  DRAWLOOM_READY();
  return note(cuStreamIsCapturing(stream, status));
}

Error cuda::cudaStreamGetCaptureInfo(StreamState *stream, int *status,
                                     unsigned long long *id, void **graph,
                                     const void ***nodes, const void **edges,
                                     size_t *count) {
  return cudaStreamIsCapturing(stream, status);
}

Error cuda::cudaStreamWaitEvent(StreamState *stream, EventState *event,
                                unsigned flags) {
  DRAWLOOM_READY();
  return note(cuStreamWaitEvent(stream, event, flags));
}

Error cuda::cudaStreamAddCallback(StreamState *stream, StreamCallback callback,
                                  void *data, unsigned flags) {
  DRAWLOOM_READY();
  if (!callback || flags)
    return note(cudaErrorInvalidValue);
  auto call = [&](Error status) { callback(stream, status, data); };
  using Call = decltype(call);
  auto function = [](void *data) { (*static_cast<Call *>(data))(cudaSuccess); };
  Error status = Error(int(cuLaunchHostFunc(stream, function, &call)));
  if (status == cudaErrorInvalidResourceHandle)
    return note(status);
  // It is called, too, if the work before it has failed.
  if (status != cudaSuccess)
    call(status);
  return cudaSuccess;
}

Error cuda::cudaLaunchHostFunc(StreamState *stream, void (*function)(void *),
                               void *data) {
  DRAWLOOM_READY();
  return note(cuLaunchHostFunc(stream, function, data));
}

Error cuda::cudaLaunchHostFunc_v2(StreamState *stream, void (*function)(void *),
                                  void *data, unsigned) {
  return cudaLaunchHostFunc(stream, function, data);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Error cuda::cudaEventCreate(EventState **event) {
  return cudaEventCreateWithFlags(event, 0);
}

Error cuda::cudaEventCreateWithFlags(EventState **event, unsigned flags) {
  DRAWLOOM_READY();
  return note(cuEventCreate(event, flags));
}

Error cuda::cudaEventDestroy(EventState *event) {
  DRAWLOOM_READY();
  return note(cuEventDestroy_v2(event));
}

Error cuda::cudaEventRecord(EventState *event, StreamState *stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

Error cuda::cudaEventRecordWithFlags(EventState *event, StreamState *stream,
                                     unsigned flags) {
  DRAWLOOM_READY();
  return note(cuEventRecordWithFlags(event, stream, flags));
}

Error cuda::cudaEventSynchronize(EventState *event) {
  DRAWLOOM_READY();
  return note(cuEventSynchronize(event));
}

Error cuda::cudaEventQuery(EventState *event) {
  DRAWLOOM_READY();
  return note(cuEventQuery(event));
}

Error cuda::cudaEventElapsedTime(float *milliseconds, EventState *start,
                                 EventState *end) {
  DRAWLOOM_READY();
  return note(cuEventElapsedTime_v2(milliseconds, start, end));
}
