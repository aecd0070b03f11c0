//===- Decoder.cpp - From typed PTX to a Program --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/Decoder.h"
#include "Decode/Communication.h"
#include "Decode/Handlers.h"
#include "Decode/RegisterSharing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::Operand;
using ptx::StateSpace;
using ptx::Type;

/// Calls `callback` for every symbol that an operand names.
template <typename F>
static void forEachSymbol(const Operand &operand, F callback) {
  switch (operand.kind()) {
  case Operand::SymbolAddress:
    callback(operand.symbol());
    return;
  case Operand::Vector:
  case Operand::Pair:
  case Operand::Address:
    for (const Operand &part : operand.parts())
      forEachSymbol(part, callback);
    return;
  default:
    return;
  }
}

template <typename F>
static void forEachSymbol(const ptx::Initializer &initializer, F callback) {
  if (initializer.symbol)
    callback(initializer.symbol);
  for (const ptx::Initializer &element : initializer.elements)
    forEachSymbol(element, callback);
}

/// What the registers and constants of a warp can take. Kernels of compilers
/// take less than a hundredth of it.
static constexpr uint64_t registerFileLimit = 16 << 20;

/// Registers that a function declares, used or not: there are tables of them.
static constexpr uint32_t registerCountLimit = 1 << 24;

static llvm::Error tooManyRegisters(const ptx::Function &entry,
                                    uint64_t bytes) {
  return llvm::createStringError(
      "'" + entry.name + "': the registers and constants of a warp take " +
      Twine(bytes) + " bytes; the emulator has room for " +
      Twine(registerFileLimit) + " [ptx-limit]");
}

static bool isSharedSpace(StateSpace space) {
  return space == StateSpace::Shared || space == StateSpace::SharedCta ||
         space == StateSpace::SharedCluster;
}

llvm::Expected<std::unique_ptr<Program>>
Decoder::decode(LoadedModule &module, const ptx::Function &entry) {
  Decoder decoder(module);
  decoder.program = std::make_unique<Program>();
  decoder.program->module = &module;
  decoder.program->entry = &entry;
  decoder.fileEnd = 64; // The constant predicates.
  decoder.predicateNext = 8;
  decoder.predicateEnd = 64;
  if (llvm::Error error = decoder.collectFunctions(entry))
    return error;
  if (llvm::Error error = decoder.placeShared())
    return error;
  if (llvm::Error error = decoder.placeFrames())
    return error;
  if (llvm::Error error = decoder.placeRegisters())
    return error;
  for (uint32_t index = 0; index != decoder.program->functions.size(); ++index)
    decoder.decodeFunction(index);
  if (decoder.fileEnd > registerFileLimit)
    return tooManyRegisters(*decoder.program->entry, decoder.fileEnd);
  if (module.device().countsExecution())
    decoder.placeCounters();

  std::vector<char> &image = decoder.program->registerImage;
  image.assign(llvm::alignTo(decoder.fileEnd, 64), 0);
  uint32_t ones = ~0u;
  memcpy(image.data(), &ones, sizeof(ones));
  for (const Constant &constant : decoder.constantValues)
    for (unsigned lane = 0; lane != 32; ++lane)
      memcpy(image.data() + constant.reg + lane * constant.bytes,
             &constant.bits, std::min<size_t>(constant.bytes, 8));
  return std::move(decoder.program);
}

llvm::Error Decoder::collectFunctions(const ptx::Function &entry) {
  llvm::SetVector<const ptx::Function *> reached;
  auto reach = [&](const ptx::Symbol *symbol) {
    if (symbol->kind != ptx::Symbol::FunctionKind)
      return;
    const auto *function = static_cast<const ptx::Function *>(symbol);
    if (function->hasBody)
      reached.insert(function);
  };
  reached.insert(&entry);
  // A function whose address is in memory can be called from anywhere.
  for (const ptx::Variable *variable : moduleField.ptx().variables)
    if (variable->initializer)
      forEachSymbol(*variable->initializer, reach);
  for (size_t index = 0; index != reached.size(); ++index)
    for (const ptx::Instruction &instruction : reached[index]->instructions)
      for (const Operand &operand : instruction.operands())
        forEachSymbol(operand, reach);

  uint32_t first = 0;
  for (const ptx::Function *function : reached) {
    ProgramFunction part;
    part.function = function;
    part.first = first;
    // One instruction more: the return that a body may leave out.
    part.end = first + function->instructions.size() + 1;
    first = part.end;
    program->functions.push_back(part);
  }
  program->code.reserve(first);
  program->origins.reserve(first);
  return llvm::Error::success();
}

llvm::Error Decoder::placeShared() {
  uint32_t reserved = moduleField.device().model().sharedReserved;
  program->sharedBegin = reserved;
  uint64_t end = reserved, dynamicAlignment = 16;
  std::vector<const ptx::Variable *> dynamic;
  const ptx::Variable *outside = nullptr;
  for (const ProgramFunction &part : program->functions)
    for (const ptx::Instruction &instruction : part.function->instructions)
      for (const Operand &operand : instruction.operands())
        forEachSymbol(operand, [&](const ptx::Symbol *symbol) {
          if (symbol->kind != ptx::Symbol::VariableKind)
            return;
          const auto *variable = static_cast<const ptx::Variable *>(symbol);
          if (!isSharedSpace(variable->space) ||
              sharedOffsets.contains(variable))
            return;
          const ptx::Variable *definition =
              variable->definition ? variable->definition : variable;
          uint64_t size = sizeOf(*definition);
          uint64_t alignment = alignmentOf(*definition);
          if (auto it = sharedOffsets.find(definition);
              it != sharedOffsets.end()) {
            uint32_t offset = it->second;
            sharedOffsets[variable] = offset;
            return;
          }
          if (size == 0) {
            dynamic.push_back(variable);
            dynamicAlignment = std::max(dynamicAlignment, alignment);
            sharedOffsets[variable] = 0;
            return;
          }
          std::optional<uint64_t> start =
              placeBehind(end, size, alignment, sharedOffsetMask);
          if (!start) {
            outside = outside ? outside : definition;
            return;
          }
          sharedOffsets[definition] = *start;
          sharedOffsets[variable] = *start;
          program->shared.push_back(
              {definition, uint32_t(*start), uint32_t(size)});
        });
  // Where the dynamic part begins, which has nothing yet.
  uint64_t staticEnd = end;
  if (!outside && !dynamic.empty() &&
      !placeBehind(staticEnd, 0, dynamicAlignment, sharedOffsetMask))
    outside = dynamic.front();
  if (outside)
    return llvm::createStringError(
        "'" + program->entry->name + "' declares more shared memory than the " +
        Twine(sharedOffsetMask - reserved) +
        " bytes of a CTA's window: there is no room for the " +
        Twine(sizeOf(*outside)) + " bytes of '" + outside->name +
        "' [ptx-limit]");
  program->staticSharedEnd = staticEnd;
  for (const ptx::Variable *variable : dynamic) {
    sharedOffsets[variable] = program->staticSharedEnd;
    program->shared.push_back({variable, program->staticSharedEnd, 0});
  }
  return llvm::Error::success();
}

llvm::Error Decoder::placeFrames() {
  for (ProgramFunction &part : program->functions) {
    // A call takes room of its own, even of a function without variables: else
    // recursion would have no end.
    uint64_t end = part.function->isEntry ? 0 : frameLinkBytes;
    const ptx::Variable *outside = nullptr;
    auto place = [&](const ptx::Variable *variable) {
      std::optional<uint64_t> start =
          placeBehind(end, sizeOf(*variable), alignmentOf(*variable),
                      localWindowSize - stackSlack);
      if (!start)
        outside = outside ? outside : variable;
      frameOffsets[variable] = start.value_or(0);
    };
    const ptx::Function &function = *part.function;
    if (function.isEntry) {
      llvm::Expected<std::vector<Kernel::Parameter>> parameters =
          layoutParameters(function);
      if (!parameters)
        return parameters.takeError();
      for (const Kernel::Parameter &parameter : *parameters)
        frameOffsets[parameter.variable] = parameter.offset;
    } else {
      auto placeArguments = [&](llvm::ArrayRef<ptx::Parameter> list,
                                std::vector<Argument> &arguments) {
        for (const ptx::Parameter &parameter : list) {
          Argument argument;
          if (parameter.variable) {
            place(parameter.variable);
            argument.offset = frameOffsets[parameter.variable];
            argument.bytes = sizeOf(*parameter.variable);
          } else {
            argument.isRegister = true; // Placed with the registers.
          }
          arguments.push_back(argument);
        }
      };
      placeArguments(function.prototype->results, part.results);
      placeArguments(function.prototype->parameters, part.parameters);
    }
    for (const ptx::Variable *variable : function.variables)
      if (variable->space == StateSpace::Param)
        place(variable);
    for (const ptx::Variable *variable : function.variables)
      if (variable->space == StateSpace::Local) {
        place(variable);
        part.locals.push_back(
            {variable, frameOffsets[variable], uint32_t(sizeOf(*variable))});
      }
    if (outside)
      return llvm::createStringError(
          "'" + function.name + "': the .param and .local variables up to '" +
          outside->name + "', which has " + Twine(sizeOf(*outside)) +
          " bytes, don't fit into the " + Twine(localWindowSize - stackSlack) +
          " bytes of a thread's stack [ptx-limit]");
    part.frameBytes = end;
    program->usesLocal |= part.frameBytes != 0;
  }
  return llvm::Error::success();
}

llvm::Error Decoder::placeRegisters() {
  program->sharedBase = allocate(4);
  program->frameBase = allocate(4);
  program->stackPointer = allocate(4);
  sink = allocate(16);
  predicateSink = predicateSlot();
  for (ProgramFunction &part : program->functions) {
    part.registersBegin = fileEnd;
    predicateNext = predicateEnd = 0; // Predicates are the function's own.
    if (part.function->registerCount > registerCountLimit)
      return llvm::createStringError("'" + part.function->name + "' declares " +
                                     Twine(part.function->registerCount) +
                                     " registers; the emulator takes " +
                                     Twine(registerCountLimit) +
                                     " [ptx-limit]");
    RegisterSharing sharing = shareRegisters(*part.function);
    std::vector<Reg> starts;
    for (const RegisterPlace &place : sharing.places) {
      for (unsigned element = 0; element != place.elements; ++element) {
        Reg reg = place.laneBytes ? allocate(place.laneBytes) : predicateSlot();
        part.registers.push_back({reg, place.laneBytes});
        if (element == 0)
          starts.push_back(reg);
      }
    }
    std::vector<Reg> places;
    for (uint32_t place : sharing.placeOf)
      places.push_back(starts.empty() ? sink : starts[place]);
    part.registersEnd = fileEnd;
    if (fileEnd > registerFileLimit)
      return tooManyRegisters(*program->entry, fileEnd);
    auto placeArguments = [&](llvm::ArrayRef<ptx::Parameter> list,
                              std::vector<Argument> &arguments) {
      for (auto [parameter, argument] : llvm::zip(list, arguments))
        if (argument.isRegister) {
          argument.reg = places[parameter.reg.first];
          argument.laneBytes = parameter.reg.type == Type::Pred
                                   ? 0
                                   : laneBytes(parameter.reg.type);
        }
    };
    placeArguments(part.function->prototype->results, part.results);
    placeArguments(part.function->prototype->parameters, part.parameters);
    part.placeOf = std::move(places);
  }
  predicateNext = predicateEnd = 0;
  return llvm::Error::success();
}

void Decoder::decodeFunction(uint32_t index) {
  functionField = &program->functions[index];
  registers = functionField->placeOf;
  for (const ptx::Instruction &instruction :
       functionField->function->instructions)
    decodeInstruction(instruction);
  placeWatchers();
  placeCommunication();
  emitReturn();
}

uint32_t Decoder::watch(Reg reg, Execute *watcher) {
  watching.insert(position());
  auto [it, isNew] =
      watched.try_emplace(reg, Watched{program->watchedRegisters, watcher});
  program->watchedRegisters += isNew;
  return it->second.number;
}

void Decoder::placeWatchers() {
  if (watched.empty())
    return;
  for (uint32_t index = functionField->first; index != position(); ++index) {
    if (watching.contains(index))
      continue;
    ptx::RegisterAccess access =
        accessOf(*program->source(&program->code[index]));
    access.reads.append(access.writes);
    llvm::SmallVector<WatchedAccess::Register, 4> touched;
    Execute *watcher = nullptr;
    for (uint32_t number : access.reads)
      if (auto it = watched.find(registers[number]); it != watched.end()) {
        touched.push_back({it->second.number, number});
        watcher = it->second.watcher;
      }
    if (!watcher)
      continue;
    Execute *&fn = program->code[index].fn;
    program->watchedAccesses[index] = {
        fn, keepList<WatchedAccess::Register>(touched)};
    fn = watcher;
  }
  watched.clear();
  watching.clear();
}

void Decoder::placeCommunication() {
  for (uint32_t index = functionField->first; index != position(); ++index) {
    Inst &inst = program->code[index];
    switch (communicationOf(*program->source(&inst))) {
    case Communication::None:
      break;
    case Communication::Instruction:
      program->communicating[index] = inst.fn;
      inst.fn = communicate;
      break;
    case Communication::Work:
      program->communicatingWork.insert(index);
      break;
    }
  }
}

void Decoder::placeCounters() {
  auto counts = std::make_unique<ExecutionCounts>();
  counts->times = std::vector<std::atomic<uint64_t>>(program->code.size());
  for (Inst &inst : program->code)
    counts->handlers.push_back(std::exchange(inst.fn, counted));
  program->counts = std::move(counts);
}

void Decoder::emitReturn() {
  Inst inst;
  inst.fn = implicitReturn;
  program->code.push_back(inst);
  program->origins.push_back(functionField->function->instructions.size());
}

void Decoder::decodeInstruction(const ptx::Instruction &instruction) {
  current = &instruction;
  Inst inst;
  bool decoded = false;
  for (DecodeFn decode : DecodeTable::get().of(instruction.opcode()))
    if ((decoded = decode(*this, inst)))
      break;
  if (!decoded) {
    inst = Inst();
    reject(inst, ReportKind::NotExecuted,
           "'" + instruction.variant->mnemonic() +
               "' is valid PTX that the emulator doesn't execute yet "
               "[unsupported-instruction]");
  }
  if (instruction.guard != ptx::Instruction::noGuard) {
    inst.guard = registers[instruction.guard];
    inst.guardFlip = instruction.guardNegated ? ~0u : 0;
  }
  program->code.push_back(inst);
  program->origins.push_back(&instruction -
                             functionField->function->instructions.data());
}

void Decoder::reject(Inst &inst, ReportKind kind, const Twine &message) {
  std::string text = message.str();
  inst.fn = rejected;
  inst.extra =
      keep(Rejection{kind, llvm::StringRef(text).copy(program->arena)});
  if (kind == ReportKind::NotExecuted)
    program->notExecuted.push_back(position());
}

int64_t Decoder::distanceTo(uint32_t label) const {
  uint32_t target =
      functionField->first + functionField->function->labels[label].position;
  return int64_t(target) - int64_t(position());
}

uint32_t Decoder::frameOffset(const ptx::Variable *variable) {
  return frameOffsets.lookup(variable);
}

bool Decoder::isKernelParameter(const Operand &address) const {
  const Operand &base =
      address.is(Operand::Address) ? address.parts().front() : address;
  if (!functionField->function->isEntry)
    return false;
  if (!base.is(Operand::SymbolAddress))
    return true;
  return llvm::any_of(functionField->function->prototype->parameters,
                      [&](const ptx::Parameter &parameter) {
                        return parameter.variable == base.symbol();
                      });
}
