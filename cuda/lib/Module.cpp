//===- Module.cpp - Modules and functions ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include "Image.h"

using namespace drawloom;
using namespace drawloom::cuda;

static bool isManaged(const ptx::Variable &variable) {
  return llvm::any_of(variable.attributes, [](const ptx::Attribute &attribute) {
    return attribute.kind == ptx::Attribute::Managed;
  });
}

llvm::Expected<ModuleState *>
cuda::placeModule(Driver &driver, ContextState &context,
                  std::unique_ptr<ptx::Module> parsed) {
  auto loaded = driver.device->load(std::move(parsed));
  if (!loaded)
    return loaded.takeError();
  if (llvm::StringRef path = environment("DRAWLOOM_TIME_SLOTS");
      !path.empty()) {
    auto slots = emu::readIssueSlots(path, (*loaded)->ptx());
    if (!slots)
      return llvm::createStringError("DRAWLOOM_TIME_SLOTS: " +
                                     llvm::toString(slots.takeError()));
    (*loaded)->setIssueSlots(std::move(*slots));
  }
  auto state = std::make_unique<ModuleState>();
  state->context = &context;
  state->loaded = std::move(*loaded);
  for (const ptx::Variable *variable : state->loaded->ptx().variables) {
    if (!isManaged(*variable) || variable->definition)
      continue;
    DevicePointer address = state->loaded->addressOf(variable);
    if (!driver.visible.add(driver.device->memory(), address,
                            HostVisible::Kind::Managed))
      return llvm::createStringError(
          "line " + llvm::Twine(variable->line) + ": the host can't map '" +
          variable->name + "' at 0x" + llvm::Twine::utohexstr(address) +
          ", where kernels would use it");
    state->managed.push_back(address);
  }
  context.modules.insert(state.get());
  return state.release();
}

ModuleState::~ModuleState() {
  Driver &driver = Driver::get();
  // What its kernels did is over.
  if (driver.watch)
    driver.watch->synchronizeAll(nullptr);
  for (DevicePointer address : managed)
    driver.visible.remove(driver.device->memory(), address);
}

FunctionState *cuda::findFunction(ModuleState &module, llvm::StringRef name) {
  std::unique_ptr<FunctionState> &state = module.functions[name];
  if (state)
    return state.get();
  llvm::Expected<const emu::Kernel *> kernel = module.loaded->kernel(name);
  if (!kernel) {
    llvm::consumeError(kernel.takeError());
    module.functions.erase(name);
    return nullptr;
  }
  state = std::make_unique<FunctionState>();
  state->module = &module;
  state->kernel = *kernel;
  state->name = name;
  const emu::DeviceModel &model = module.loaded->device().model();
  state->maxDynamicShared =
      int(model.sharedPerCtaDefault) -
      int(std::min((*kernel)->staticSharedBytes, model.sharedPerCtaDefault));
  return state.get();
}

Result cuda::cuModuleLoadDataEx(ModuleState **module, const void *image,
                                unsigned optionCount, int *options,
                                void **optionValues) {
  DRAWLOOM_CALL(Idle);
  if (!module || !image || (optionCount && (!options || !optionValues)))
    return CUDA_ERROR_INVALID_VALUE;
  JitLog log(optionCount, options, optionValues);
  std::unique_ptr<ptx::Module> parsed;
  std::string text;
  if (Result result =
          parseImage(parsed, text, image, call.device().model().target, log))
    return result;
  auto placed = placeModule(call.driver(), call.context(), std::move(parsed));
  if (!placed) {
    log.error(llvm::toString(placed.takeError()));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  *module = *placed;
  return CUDA_SUCCESS;
}

Result cuda::cuModuleLoadData(ModuleState **module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

Result cuda::cuModuleLoadFatBinary(ModuleState **module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

Result cuda::cuModuleLoad(ModuleState **module, const char *path) {
  std::string image;
  {
    DRAWLOOM_CALL(Idle);
    if (!module || !path)
      return CUDA_ERROR_INVALID_VALUE;
    JitLog log(0, nullptr, nullptr);
    if (Result result = readImage(image, path, log))
      return result;
  }
  return cuModuleLoadData(module, image.c_str());
}

Result cuda::cuModuleUnload(ModuleState *module) {
  DRAWLOOM_CALL(Idle);
  // A library's module goes with the library.
  if (!call.context().modules.contains(module) || module->library)
    return CUDA_ERROR_INVALID_HANDLE;
  call.context().modules.erase(module);
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
  FunctionState *found = findFunction(*module, name);
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  *function = found;
  return CUDA_SUCCESS;
}

/// The entries of a module, in the order of the text.
static std::vector<llvm::StringRef> entriesOf(const ptx::Module &module) {
  std::vector<llvm::StringRef> names;
  for (const ptx::Function *function : module.functions)
    if (function->isEntry)
      names.push_back(function->name);
  return names;
}

Result cuda::cuModuleGetFunctionCount(unsigned *count, ModuleState *module) {
  DRAWLOOM_CALL(Context);
  if (!call.context().modules.contains(module))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = entriesOf(module->loaded->ptx()).size();
  return CUDA_SUCCESS;
}

Result cuda::cuModuleEnumerateFunctions(FunctionState **functions,
                                        unsigned count, ModuleState *module) {
  DRAWLOOM_CALL(Context);
  if (!call.context().modules.contains(module))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!functions)
    return CUDA_ERROR_INVALID_VALUE;
  for (llvm::StringRef name : entriesOf(module->loaded->ptx())) {
    if (count-- == 0)
      break;
    *functions++ = findFunction(*module, name);
  }
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
