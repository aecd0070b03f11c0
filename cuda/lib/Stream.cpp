//===- Stream.cpp - Streams and events ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"

using namespace drawloom;
using namespace drawloom::cuda;

Result cuda::cuStreamCreateWithPriority(StreamState **stream, unsigned flags,
                                        int priority) {
  DRAWLOOM_CALL(Context);
  if (!stream)
    return CUDA_ERROR_INVALID_VALUE;
  auto *state = new StreamState;
  state->context = &call.context();
  state->flags = flags;
  state->priority = priority;
  call.context().streams.insert(state);
  *stream = state;
  return CUDA_SUCCESS;
}

Result cuda::cuStreamCreate(StreamState **stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

Result cuda::cuStreamDestroy_v2(StreamState *stream) {
  DRAWLOOM_CALL(Idle);
  if (!call.context().streams.erase(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (HostWatch *watch = call.driver().watch.get())
    watch->destroyed(*stream);
  delete stream;
  return CUDA_SUCCESS;
}

Result cuda::cuStreamSynchronize(StreamState *stream) {
  DRAWLOOM_CALL(Idle);
  if (!call.driver().stream(call.context(), stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (HostWatch *watch = call.driver().watch.get())
    watch->synchronize(call.context(), stream);
  return CUDA_SUCCESS;
}

Result cuda::cuStreamQuery(StreamState *stream) {
  return cuStreamSynchronize(stream);
}

Result cuda::cuStreamGetCtx(StreamState *stream, ContextState **context) {
  DRAWLOOM_CALL(Context);
  if (!call.driver().stream(call.context(), stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = &call.context();
  return CUDA_SUCCESS;
}

Result cuda::cuStreamGetCtx_v2(StreamState *stream, ContextState **context,
                               void **greenContext) {
  Result result = cuStreamGetCtx(stream, context);
  if (result == CUDA_SUCCESS && greenContext)
    *greenContext = nullptr;
  return result;
}

Result cuda::cuStreamGetFlags(StreamState *stream, unsigned *flags) {
  DRAWLOOM_CALL(Context);
  std::optional<StreamState *> found =
      call.driver().stream(call.context(), stream);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = *found ? (*found)->flags : 0;
  return CUDA_SUCCESS;
}

Result cuda::cuStreamGetPriority(StreamState *stream, int *priority) {
  DRAWLOOM_CALL(Context);
  std::optional<StreamState *> found =
      call.driver().stream(call.context(), stream);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!priority)
    return CUDA_ERROR_INVALID_VALUE;
  *priority = *found ? (*found)->priority : 0;
  return CUDA_SUCCESS;
}

Result cuda::cuStreamIsCapturing(StreamState *stream, int *status) {
  DRAWLOOM_CALL(Context);
  if (!call.driver().stream(call.context(), stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  *status = 0;
  return CUDA_SUCCESS;
}

// Nothing is captured, so there is no sequence to say more about.
Result cuda::cuStreamGetCaptureInfo(StreamState *stream, int *status,
                                    uint64_t *id) {
  return cuStreamIsCapturing(stream, status);
}

Result cuda::cuStreamGetCaptureInfo_v2(StreamState *stream, int *status,
                                       uint64_t *id, void **graph,
                                       const void ***nodes, size_t *count) {
  return cuStreamIsCapturing(stream, status);
}

Result cuda::cuStreamGetCaptureInfo_v3(StreamState *stream, int *status,
                                       uint64_t *id, void **graph,
                                       const void ***nodes, const void **edges,
                                       size_t *count) {
  return cuStreamIsCapturing(stream, status);
}

// What is recorded has happened already, so there is nothing to wait for.
Result cuda::cuStreamWaitEvent(StreamState *stream, EventState *event,
                               unsigned) {
  DRAWLOOM_CALL(Idle);
  if (!call.driver().stream(call.context(), stream) ||
      !call.context().events.contains(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (HostWatch *watch = call.driver().watch.get())
    watch->wait(call.context(), stream, *event);
  return CUDA_SUCCESS;
}

Result cuda::cuLaunchHostFunc(StreamState *stream, void (*function)(void *),
                              void *data) {
  checker::HostOperationRef operation;
  {
    DRAWLOOM_CALL(Idle);
    if (!call.driver().stream(call.context(), stream))
      return CUDA_ERROR_INVALID_HANDLE;
    if (!function)
      return CUDA_ERROR_INVALID_VALUE;
    if (HostWatch *watch = call.driver().watch.get())
      operation = watch->hostFunctionStarts(call.context(), stream);
  }
  function(data);
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (operation && driver.watch)
    driver.watch->hostFunctionEnded(*operation);
  return CUDA_SUCCESS;
}

// How the host waits has no effect here.
Result cuda::cuLaunchHostFunc_v2(StreamState *stream, void (*function)(void *),
                                 void *data, unsigned) {
  return cuLaunchHostFunc(stream, function, data);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Result cuda::cuEventCreate(EventState **event, unsigned flags) {
  DRAWLOOM_CALL(Context);
  if (!event)
    return CUDA_ERROR_INVALID_VALUE;
  auto *state = new EventState;
  state->context = &call.context();
  state->flags = flags;
  call.context().events.insert(state);
  *event = state;
  return CUDA_SUCCESS;
}

Result cuda::cuEventDestroy_v2(EventState *event) {
  DRAWLOOM_CALL(Context);
  if (!call.context().events.erase(event))
    return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
}

Result cuda::cuEventRecordWithFlags(EventState *event, StreamState *stream,
                                    unsigned) {
  DRAWLOOM_CALL(Idle);
  if (!call.context().events.contains(event) ||
      !call.driver().stream(call.context(), stream))
    return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = Clock::now();
  if (HostWatch *watch = call.driver().watch.get())
    watch->record(call.context(), stream, *event);
  return CUDA_SUCCESS;
}

Result cuda::cuEventRecord(EventState *event, StreamState *stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

Result cuda::cuEventSynchronize(EventState *event) {
  DRAWLOOM_CALL(Idle);
  if (!call.context().events.contains(event))
    return CUDA_ERROR_INVALID_HANDLE;
  if (HostWatch *watch = call.driver().watch.get())
    watch->synchronize(*event);
  return CUDA_SUCCESS;
}

Result cuda::cuEventQuery(EventState *event) {
  return cuEventSynchronize(event);
}

Result cuda::cuEventElapsedTime_v2(float *milliseconds, EventState *start,
                                   EventState *end) {
  DRAWLOOM_CALL(Idle);
  if (!call.context().events.contains(start) ||
      !call.context().events.contains(end))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  if (!start->recorded || !end->recorded ||
      ((start->flags | end->flags) & eventDisableTiming))
    return CUDA_ERROR_INVALID_HANDLE;
  // The answer is CUDA_ERROR_NOT_READY unless both are over.
  if (HostWatch *watch = call.driver().watch.get()) {
    watch->synchronize(*start);
    watch->synchronize(*end);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(*end->recorded -
                                                           *start->recorded)
                      .count();
  return CUDA_SUCCESS;
}

Result cuda::cuEventElapsedTime(float *milliseconds, EventState *start,
                                EventState *end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
