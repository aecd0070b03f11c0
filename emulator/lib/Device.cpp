//===- Device.cpp - A device and its kernels -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Device.h"
#include "Decode/Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;

// NVIDIA's data sheets, and the table of technical specifications by compute
// capability in the CUDA C++ programming guide.
static const DeviceModel models[] = {
    // name, product, target, SMs, memory, threads, CTAs, registers, shared:
    // SM, CTA, default, reserved; CTAs of a cluster, tensor memory columns,
    // clock, bits of fp8 sums (DeepSeek-V3's report, section 3.3.2).
    {"h100",
     "NVIDIA H100 80GB HBM3",
     {90, 'a'},
     132,
     uint64_t(80) << 30,
     2048,
     32,
     65536,
     228 << 10,
     227 << 10,
     48 << 10,
     1 << 10,
     16,
     0,
     1980000,
     14},
    {"b200",
     "NVIDIA B200",
     {100, 'a'},
     148,
     uint64_t(180) << 30,
     2048,
     32,
     65536,
     228 << 10,
     227 << 10,
     48 << 10,
     1 << 10,
     16,
     512,
     1965000,
     0},
    {"rtx5090",
     "NVIDIA GeForce RTX 5090",
     {120, 'a'},
     170,
     uint64_t(32) << 30,
     1536,
     24,
     65536,
     100 << 10,
     99 << 10,
     48 << 10,
     1 << 10,
     8,
     0,
     2407000,
     0},
};

llvm::ArrayRef<DeviceModel> drawloom::emu::deviceModels() { return models; }

const DeviceModel *drawloom::emu::findDeviceModel(llvm::StringRef name) {
  const auto *it =
      llvm::find_if(models, [&](auto &model) { return model.name == name; });
  return it == std::end(models) ? nullptr : it;
}

struct LoadedModule::Decoded {
  Kernel kernel;
  std::unique_ptr<Program> program;
};

Device::~Device() = default;

llvm::Expected<std::unique_ptr<Device>>
Device::create(const DeviceModel &model) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("x86-64-v3"))
    return llvm::createStringError("the emulator needs a processor with AVX2 "
                                   "and FMA (x86-64-v3) [processor]");
#endif
  std::unique_ptr<Device> device(new Device);
  device->modelField = model;
  auto memory = GlobalMemory::create(model.memoryBytes);
  if (!memory)
    return memory.takeError();
  device->memoryField = std::move(*memory);
  device->heapField = std::make_unique<DeviceHeap>(device->memory());
  return device;
}

llvm::Expected<std::unique_ptr<LoadedModule>>
Device::load(std::unique_ptr<ptx::Module> module) {
  if (!ptx::provides(modelField.target, module->target))
    return llvm::createStringError("the module is for " + module->target.str() +
                                   "; " + modelField.name + " is " +
                                   modelField.target.str() + " [wrong-device]");
  std::unique_ptr<LoadedModule> loaded(
      new LoadedModule(*this, std::move(module)));
  if (llvm::Error error = loaded->placeVariables())
    return error;
  return loaded;
}

LoadedModule::LoadedModule(Device &device, std::unique_ptr<ptx::Module> module)
    : deviceField(device), moduleField(std::move(module)) {}

LoadedModule::~LoadedModule() {
  for (uint64_t address : allocated)
    llvm::cantFail(deviceField.memory().free(address));
}

uint64_t drawloom::emu::sizeOf(const ptx::Variable &variable) {
  uint64_t size = variable.elementSize();
  for (int64_t extent : variable.extents)
    size = llvm::SaturatingMultiply<uint64_t>(
        size, extent == ptx::Variable::unsized ? 0 : extent);
  return size;
}

uint64_t drawloom::emu::alignmentOf(const ptx::Variable &variable) {
  uint64_t natural = std::max(variable.elementSize(), 1u);
  return std::max<uint64_t>(variable.alignment, llvm::PowerOf2Ceil(natural));
}

std::optional<uint64_t> drawloom::emu::placeBehind(uint64_t &end, uint64_t size,
                                                   uint64_t alignment,
                                                   uint64_t limit) {
  // Neither is as large as 2^63, so that the sum can't wrap.
  uint64_t start = llvm::alignTo(end, alignment);
  if (start > limit || size > limit - start)
    return std::nullopt;
  end = start + size;
  return start;
}

llvm::Expected<std::vector<Kernel::Parameter>>
drawloom::emu::layoutParameters(const ptx::Function &entry) {
  std::vector<Kernel::Parameter> result;
  uint64_t end = 0;
  for (const ptx::Parameter &parameter : entry.prototype->parameters) {
    if (!parameter.variable)
      continue;
    std::optional<uint64_t> start =
        placeBehind(end, sizeOf(*parameter.variable),
                    alignmentOf(*parameter.variable), paramWindowSize);
    if (!start)
      return llvm::createStringError(
          "'" + entry.name + "': the parameters up to '" +
          parameter.variable->name + "' take more than the " +
          llvm::Twine(paramWindowSize) +
          " bytes that a kernel can have [ptx-limit]");
    result.push_back({parameter.variable, uint32_t(*start),
                      uint32_t(sizeOf(*parameter.variable))});
  }
  return result;
}

static Dim3 dimensions(llvm::ArrayRef<int64_t> values) {
  Dim3 result;
  if (values.size() > 0)
    result.x = values[0];
  if (values.size() > 1)
    result.y = values[1];
  if (values.size() > 2)
    result.z = values[2];
  return result;
}

/// What the directives of an entry say.
static void readDirectives(Kernel &kernel, const DeviceModel &model) {
  uint64_t ctasPerSm = 0, maxRegisters = 0;
  for (const ptx::Directive &directive :
       kernel.function->prototype->directives) {
    switch (directive.kind) {
    case ptx::DirectiveKind::ReqNTid:
      kernel.requiredBlock = dimensions(directive.values);
      kernel.maxThreads = kernel.requiredBlock->count();
      break;
    case ptx::DirectiveKind::MaxNTid:
      kernel.maxThreads = dimensions(directive.values).count();
      break;
    case ptx::DirectiveKind::ReqNCtaPerCluster:
      kernel.requiredCluster = dimensions(directive.values);
      break;
    case ptx::DirectiveKind::MaxNReg:
      maxRegisters = directive.values[0];
      break;
    case ptx::DirectiveKind::MinNCtaPerSm:
      ctasPerSm = directive.values[0];
      break;
    default:
      break;
    }
  }
  // What a CTA may have if so many fit on an SM, in the units that registers
  // are given out in (8 a thread).
  if (kernel.maxThreads && ctasPerSm)
    kernel.registers = std::min<uint64_t>(
        255,
        llvm::alignDown(
            model.registersPerSm /
                llvm::SaturatingMultiply<uint64_t>(
                    llvm::alignTo(uint64_t(kernel.maxThreads), 32), ctasPerSm),
            8));
  // More than a setmaxnreg.inc of the kernel asks for is of no use to it;
  // ptxas doesn't give it more either.
  uint64_t largest = 0;
  for (const ptx::Instruction &instruction : kernel.function->instructions)
    if (instruction.opcode() == ptx::Opcode::SetmaxnregInc)
      largest =
          std::max<uint64_t>(largest, instruction.operandData[0].integer());
  if (largest)
    kernel.registers = std::min<uint64_t>(kernel.registers, largest);
  if (maxRegisters)
    kernel.registers = maxRegisters;
}

llvm::Expected<const Kernel *> LoadedModule::kernel(llvm::StringRef name) {
  auto it = kernels.find(name);
  if (it != kernels.end())
    return &it->second->kernel;
  const ptx::Function *function = moduleField->findFunction(name);
  if (!function || !function->isEntry || !function->hasBody) {
    std::string known;
    for (const ptx::Function *other : moduleField->functions)
      if (other->isEntry && other->hasBody)
        known += (known.empty() ? "" : ", ") + ("'" + other->name + "'").str();
    return llvm::createStringError(
        "there is no entry '" + name + "' in the module; it has " +
        (known.empty() ? std::string("none") : known));
  }
  auto program = Decoder::decode(*this, *function);
  if (!program)
    return program.takeError();
  auto parameters = layoutParameters(*function);
  if (!parameters)
    return parameters.takeError();
  auto decoded = std::make_unique<Decoded>();
  decoded->program = std::move(*program);
  Kernel &kernel = decoded->kernel;
  kernel.module = this;
  kernel.function = function;
  kernel.program = decoded->program.get();
  kernel.parameters = std::move(*parameters);
  if (!kernel.parameters.empty())
    kernel.parameterBytes =
        kernel.parameters.back().offset + kernel.parameters.back().size;
  kernel.staticSharedBytes =
      kernel.program->staticSharedEnd - kernel.program->sharedBegin;
  kernel.localBytes =
      llvm::alignTo(kernel.program->functions.front().frameBytes, 16);
  readDirectives(kernel, deviceField.model());
  return &kernels.try_emplace(name, std::move(decoded)).first->second->kernel;
}
