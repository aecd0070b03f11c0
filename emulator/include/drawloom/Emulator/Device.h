//===- Device.h - A device, its memory and its modules ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Device is what outlives a launch: memory, and the modules loaded into it. A
// LoadedModule is a parsed PTX module whose variables have addresses; a Kernel
// is one of its entries, decoded. All of them are immutable while a launch
// runs, except for the bytes in memory.
//
//   auto device = Device::create(*findDeviceModel("h100"));
//   auto module = (*device)->load(std::move(parsed.module));
//   auto kernel = (*module)->kernel("vector_add");
//   RunResult result = run(**device, {{*kernel, grid, block, ...}}, {});
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_DEVICE_H
#define DRAWLOOM_EMULATOR_DEVICE_H

#include "drawloom/Emulator/DeviceHeap.h"
#include "drawloom/Emulator/GlobalMemory.h"
#include "drawloom/Emulator/IssueSlots.h"
#include "drawloom/Emulator/Report.h"
#include "drawloom/PTX/Module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace drawloom::emu {

class LoadedModule;
struct Program;

/// What a device is like. The models are rows of a table in Device.cpp.
struct DeviceModel {
  llvm::StringRef name;    ///< "h100"
  llvm::StringRef product; ///< As the CUDA driver calls it.
  ptx::Target target;      ///< The most specific target it runs.
  unsigned smCount;
  uint64_t memoryBytes;
  unsigned threadsPerSm;
  unsigned ctasPerSm;
  unsigned registersPerSm;
  unsigned sharedPerSm;         ///< Bytes, with what the system takes.
  unsigned sharedPerCta;        ///< Bytes at most, if asked for.
  unsigned sharedPerCtaDefault; ///< Bytes without asking.
  unsigned sharedReserved;      ///< Bytes at the start that the system takes.
  unsigned ctasPerCluster;      ///< At most, also what isn't portable.
  unsigned tensorMemoryColumns; ///< 0 if there is no tensor memory.
  unsigned clockKHz;
  /// Significant bits that the sums of fp8 matrix instructions keep; 0 for all
  /// that f32 has.
  unsigned fp8SumBits;
};

llvm::ArrayRef<DeviceModel> deviceModels();
/// The model of that name; null if there is none.
const DeviceModel *findDeviceModel(llvm::StringRef name);

/// Where an instruction stands.
struct InstructionPlace {
  llvm::StringRef function;
  uint32_t line = 0; ///< Of the PTX text; 0 for the end of a function.
  /// From `.loc`: the line, and the calls that it is inlined by; empty if there
  /// is none.
  std::vector<ptx::SourceLine> source;
};

/// An entry function, ready to be launched.
struct Kernel {
  LoadedModule *module = nullptr;
  const ptx::Function *function = nullptr;
  const Program *program = nullptr;

  uint32_t parameterBytes = 0;
  uint32_t staticSharedBytes = 0;      ///< Without what the system takes.
  uint32_t maxThreads = 0;             ///< .maxntid or .reqntid; 0 if not said.
  std::optional<Dim3> requiredBlock;   ///< .reqntid
  std::optional<Dim3> requiredCluster; ///< .reqnctapercluster
  /// Registers of a thread as far as the PTX says it (.maxnreg, or .maxntid
  /// with .minnctapersm): what setmaxnreg's pool and occupancy start from.
  uint32_t registers = 0;
  uint32_t localBytes = 0; ///< Of a thread, without recursion.

  /// Offset and size of each parameter in the buffer.
  struct Parameter {
    const ptx::Variable *variable;
    uint32_t offset, size;
  };
  std::vector<Parameter> parameters;

  /// A variable in shared memory.
  struct SharedArray {
    llvm::StringRef name;
    uint32_t offset; ///< From the start of the CTA's shared memory.
    uint32_t size;   ///< 0 for the dynamic part.
  };
  /// Of the module, by offset.
  std::vector<SharedArray> sharedArrays() const;
  /// Where the dynamic part begins; 0 if there is none.
  uint32_t dynamicSharedOffset() const;

  /// Events name an instruction by its number in the decoded program.
  uint32_t instructionCount() const;
  InstructionPlace place(uint32_t instruction) const;
  /// As it was parsed, with its words and operands; null for the `ret` that a
  /// function's end stands for.
  const ptx::Instruction *parsed(uint32_t instruction) const;
};

class Device {
public:
  static llvm::Expected<std::unique_ptr<Device>>
  create(const DeviceModel &model);
  ~Device();

  const DeviceModel &model() const { return modelField; }
  GlobalMemory &memory() { return *memoryField; }
  /// What kernels allocate.
  DeviceHeap &heap() { return *heapField; }
  /// Kernels that are decoded from now on count what they execute, for a
  /// FidelityReport.
  void countExecution() { countsField = true; }
  bool countsExecution() const { return countsField; }

  /// Places the module's variables and fills them in. An error if the module
  /// is for a target that this device isn't, or needs a symbol that it lacks.
  llvm::Expected<std::unique_ptr<LoadedModule>>
  load(std::unique_ptr<ptx::Module> module);

private:
  Device() = default;

  DeviceModel modelField;
  std::unique_ptr<GlobalMemory> memoryField;
  std::unique_ptr<DeviceHeap> heapField;
  bool countsField = false;
};

/// A module on a device; gives its memory back when it is destroyed.
class LoadedModule {
public:
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  Device &device() { return deviceField; }
  const ptx::Module &ptx() const { return *moduleField; }

  /// The entry of that name, decoded at the first call. It lives as long as the
  /// module. An error if there is no such entry.
  llvm::Expected<const Kernel *> kernel(llvm::StringRef name);
  /// The address and size of a variable in global or constant memory.
  std::optional<std::pair<uint64_t, uint64_t>>
  variable(llvm::StringRef name) const;

  /// The address of a symbol in global or constant memory, by its number; 0 if
  /// it has none.
  uint64_t addressOf(const ptx::Symbol *symbol) const;
  /// The allocation of the constants; both 0 if there are none.
  uint64_t constantBase() const { return constantBaseField; }
  uint64_t constantSize() const { return constantSizeField; }

  /// What the clock counts by, in place of the PTX.
  void setIssueSlots(IssueSlots slots) { slotsField = std::move(slots); }
  /// Of a function's instructions; empty if they were not set.
  llvm::ArrayRef<IssueCount> issueSlots(const ptx::Function &function) const {
    auto found = slotsField.find(&function);
    if (found == slotsField.end())
      return {};
    return found->second;
  }

private:
  friend class Device;
  LoadedModule(Device &device, std::unique_ptr<ptx::Module> module);

  llvm::Error placeVariables();
  llvm::Error initialize(const ptx::Variable &variable);

  Device &deviceField;
  std::unique_ptr<ptx::Module> moduleField;
  std::vector<uint64_t> addresses; ///< By symbol number.
  std::vector<uint64_t> allocated;
  uint64_t constantBaseField = 0, constantSizeField = 0;

  struct Decoded;
  llvm::StringMap<std::unique_ptr<Decoded>> kernels;
  IssueSlots slotsField;
};

/// The generic address of a function of a module, as `mov` gives it.
inline uint64_t codeAddress(const ptx::Symbol &function) {
  return codeWindow + uint64_t(function.number + 1) * 16;
}

/// Where the parameters of an entry stand in the buffer. An error if they take
/// more than paramWindowSize.
llvm::Expected<std::vector<Kernel::Parameter>>
layoutParameters(const ptx::Function &entry);

/// The bytes that a variable takes; 0 for an unsized array, and as many as a
/// number can say for one that no memory holds.
uint64_t sizeOf(const ptx::Variable &variable);
/// The place of `size` bytes at or behind `end`, which is moved behind them;
/// nothing if they would not be inside [0, limit).
std::optional<uint64_t> placeBehind(uint64_t &end, uint64_t size,
                                    uint64_t alignment, uint64_t limit);
/// Its alignment, written or natural.
uint64_t alignmentOf(const ptx::Variable &variable);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_DEVICE_H
