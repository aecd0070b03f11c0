//===- Module.cpp - Modules and functions
//-------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

/// The buffers that a caller gives for what the loader has to say.
namespace {
class JitLog {
public:
  JitLog(unsigned count, const int *options, void **values)
      : count(count), options(options), values(values) {
    writeSize(JitInfoLogSize, 0);
  }

  void error(llvm::StringRef text) {
    char *buffer = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i != count; ++i) {
      if (options[i] == JitErrorLog)
        buffer = static_cast<char *>(values[i]);
      if (options[i] == JitErrorLogSize)
        size = reinterpret_cast<uintptr_t>(values[i]);
    }
    if (!buffer || !size) {
      complain(text);
      return;
    }
    size_t length = std::min(text.size(), size - 1);
    memcpy(buffer, text.data(), length);
    buffer[length] = 0;
    writeSize(JitErrorLogSize, length);
  }

private:
  /// The size of a log comes back where the size of its buffer stood.
  void writeSize(JitOption option, size_t size) {
    for (unsigned i = 0; i != count; ++i)
      if (options[i] == option)
        values[i] = reinterpret_cast<void *>(size);
  }

  unsigned count;
  const int *options;
  void **values;
};
} // namespace

static Result loadText(Call &call, ModuleState **module, const char *text,
                       JitLog log) {
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "module.ptx"));
  if (!parsed) {
    log.error(parsed.str());
    return CUDA_ERROR_INVALID_PTX;
  }
  auto loaded = call.device().load(std::move(parsed.module));
  if (!loaded) {
    log.error(llvm::toString(loaded.takeError()));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  auto *state = new ModuleState;
  state->context = &call.context();
  state->loaded = std::move(*loaded);
  call.context().modules.insert(state);
  *module = state;
  return CUDA_SUCCESS;
}

Result cuda::cuModuleLoadDataEx(ModuleState **module, const void *image,
                                unsigned optionCount, int *options,
                                void **optionValues) {
  DRAWLOOM_CALL(Idle);
  if (!module || !image || (optionCount && (!options || !optionValues)))
    return CUDA_ERROR_INVALID_VALUE;
  JitLog log(optionCount, options, optionValues);
  // PTX is text and ends with a NUL; what begins like this is something else.
  auto beginsWith = [&](llvm::StringRef magic) {
    return strncmp(static_cast<const char *>(image), magic.data(),
                   magic.size()) == 0;
  };
  if (beginsWith("\x7f"
                 "ELF")) {
    log.error("the module is a cubin, which is machine code; the emulator runs "
              "PTX");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  // A fat binary, or the wrapper that nvcc puts around one.
  if (beginsWith("\x50\xed\x55\xba") || beginsWith("\xb1\x43\x62\x46")) {
    log.error("the module is a fat binary; give the emulator the PTX in it");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  return loadText(call, module, static_cast<const char *>(image), log);
}

Result cuda::cuModuleLoadData(ModuleState **module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

Result cuda::cuModuleLoad(ModuleState **module, const char *path) {
  {
    DRAWLOOM_CALL(Idle);
    if (!module || !path)
      return CUDA_ERROR_INVALID_VALUE;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return CUDA_ERROR_FILE_NOT_FOUND;
  return cuModuleLoadData(module, (*buffer)->getBufferStart());
}

Result cuda::cuModuleUnload(ModuleState *module) {
  DRAWLOOM_CALL(Idle);
  if (!call.context().modules.erase(module))
    return CUDA_ERROR_INVALID_HANDLE;
  delete module;
  return CUDA_SUCCESS;
}

Result cuda::cuModuleGetLoadingMode(int *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = 2; // Functions are decoded when they are asked for.
  return CUDA_SUCCESS;
}

Result cuda::cuModuleGetFunction(FunctionState **function, ModuleState *module,
                                 const char *name) {
  DRAWLOOM_CALL(Context);
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.context().modules.contains(module))
    return CUDA_ERROR_INVALID_HANDLE;
  std::unique_ptr<FunctionState> &state = module->functions[name];
  if (!state) {
    auto kernel = module->loaded->kernel(name);
    if (!kernel) {
      llvm::consumeError(kernel.takeError());
      module->functions.erase(name);
      return CUDA_ERROR_NOT_FOUND;
    }
    state = std::make_unique<FunctionState>();
    state->module = module;
    state->kernel = *kernel;
    state->name = name;
    const emu::DeviceModel &model = call.device().model();
    state->maxDynamicShared =
        int(model.sharedPerCtaDefault) -
        int(std::min((*kernel)->staticSharedBytes, model.sharedPerCtaDefault));
  }
  *function = state.get();
  return CUDA_SUCCESS;
}

Result cuda::cuModuleGetGlobal_v2(DevicePointer *address, size_t *bytes,
                                  ModuleState *module, const char *name) {
  DRAWLOOM_CALL(Context);
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!call.context().modules.contains(module))
    return CUDA_ERROR_INVALID_HANDLE;
  auto variable = module->loaded->variable(name);
  if (!variable)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = variable->first;
  if (bytes)
    *bytes = variable->second;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Result cuda::cuFuncGetAttribute(int *value, int attribute,
                                FunctionState *handle) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  const emu::Kernel &kernel = *function->kernel;
  emu::Dim3 cluster = kernel.requiredCluster.value_or(emu::Dim3{0, 0, 0});
  ptx::Target target = call.device().model().target;
  switch (attribute) {
  case FunctionMaxThreadsPerBlock:
    *value = kernel.maxThreads ? kernel.maxThreads : 1024;
    break;
  case FunctionSharedBytes:
    *value = kernel.staticSharedBytes;
    break;
  case FunctionLocalBytes:
    *value = kernel.localBytes;
    break;
  case FunctionRegisters:
    *value = kernel.registers;
    break;
  case FunctionPtxVersion:
  case FunctionBinaryVersion:
    *value = target.sm;
    break;
  case FunctionMaxDynamicShared:
    *value = function->maxDynamicShared;
    break;
  case FunctionClusterWidth:
    *value = cluster.x;
    break;
  case FunctionClusterHeight:
    *value = cluster.y;
    break;
  case FunctionClusterDepth:
    *value = cluster.z;
    break;
  case FunctionNonPortableCluster:
    *value = function->nonPortableCluster;
    break;
  case FunctionConstantBytes:
  case FunctionCacheModeCa:
  case FunctionPreferredCarveout:
  case FunctionClusterMustBeSet:
  case FunctionClusterPolicy:
    *value = 0;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

Result cuda::cuFuncSetAttribute(FunctionState *handle, int attribute,
                                int value) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  const emu::DeviceModel &model = call.device().model();
  switch (attribute) {
  case FunctionMaxDynamicShared:
    if (value < 0 || uint64_t(value) + function->kernel->staticSharedBytes >
                         model.sharedPerCta)
      return CUDA_ERROR_INVALID_VALUE;
    function->maxDynamicShared = value;
    return CUDA_SUCCESS;
  case FunctionNonPortableCluster:
    function->nonPortableCluster = value != 0;
    return CUDA_SUCCESS;
  case FunctionPreferredCarveout:
  case FunctionClusterPolicy:
    return CUDA_SUCCESS; // Hints.
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

Result cuda::cuFuncSetCacheConfig(FunctionState *handle, int) {
  DRAWLOOM_CALL(Context);
  return call.driver().function(call.context(), handle)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

Result cuda::cuFuncGetModule(ModuleState **module, FunctionState *handle) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  *module = function->module;
  return CUDA_SUCCESS;
}

Result cuda::cuFuncGetName(const char **name, FunctionState *handle) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = function->name.c_str();
  return CUDA_SUCCESS;
}

Result cuda::cuFuncGetParamInfo(FunctionState *handle, size_t index,
                                size_t *offset, size_t *size) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!offset || index >= function->kernel->parameters.size())
    return CUDA_ERROR_INVALID_VALUE;
  const emu::Kernel::Parameter &parameter = function->kernel->parameters[index];
  *offset = parameter.offset;
  if (size)
    *size = parameter.size;
  return CUDA_SUCCESS;
}
