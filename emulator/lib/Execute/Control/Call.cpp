//===- Call.cpp - call and brx -------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.12.4 and 9.7.12.5. Warp::call does the work; functions
// without a body are looked up in External.cpp.

#include "Decode/Decoder.h"
#include "Execute/Control/External.h"
#include "Machine/Lanes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

static Type typeOf(const ptx::Parameter &parameter) {
  return parameter.variable ? parameter.variable->type : parameter.reg.type;
}

/// The .param variable of the caller that an operand names.
static std::string placeOf(Decoder &decoder, const Operand &operand,
                           Argument &argument) {
  const auto *variable = static_cast<const ptx::Variable *>(operand.symbol());
  if (decoder.isKernelParameter(operand))
    return "'" + variable->name.str() +
           "' is a parameter of the kernel; a call takes .param variables of "
           "the function that it is in";
  argument.offset = decoder.frameOffset(variable);
  argument.bytes = sizeOf(*variable);
  return "";
}

/// What a call passes: a .param variable of the caller, a register or an
/// immediate. The answer says why it can't; it is empty if it can.
static std::string argumentOf(Decoder &decoder, const Operand &operand,
                              Type formal, Argument &argument) {
  if (operand.is(Operand::SymbolAddress))
    return placeOf(decoder, operand, argument);
  argument.isRegister = true;
  Type type = Decoder::declaredType(operand);
  if (type == Type::None)
    type = formal;
  if (type == Type::Pred) {
    argument.reg = decoder.predicate(operand);
    return "";
  }
  argument.laneBytes = Decoder::laneBytes(type);
  argument.reg = decoder.source(operand, type);
  return "";
}

/// The same for where a result goes. Constants have registers, too, and must
/// not be written.
static std::string resultOf(Decoder &decoder, const Operand &operand, Type,
                            Argument &argument) {
  if (operand.is(Operand::SymbolAddress))
    return placeOf(decoder, operand, argument);
  if (operand.is(Operand::Sink))
    return "";
  if (!operand.is(Operand::Register) || operand.isNegated())
    return "a result goes to a register, a .param variable or '_'";
  argument.isRegister = true;
  argument.reg = decoder.dest(operand);
  if (operand.type() != Type::Pred)
    argument.laneBytes = Decoder::laneBytes(operand.type());
  return "";
}

template <typename F>
static std::string readList(Decoder &decoder, const Operand &list,
                            llvm::ArrayRef<ptx::Parameter> formals, F read,
                            llvm::ArrayRef<Argument> &result) {
  llvm::SmallVector<Argument, 8> arguments;
  for (auto [index, operand] : llvm::enumerate(list.parts())) {
    Type formal = index < formals.size() ? typeOf(formals[index]) : Type::B32;
    std::string problem =
        read(decoder, operand, formal, arguments.emplace_back());
    if (!problem.empty())
      return problem;
  }
  result = decoder.keepList<Argument>(arguments);
  return "";
}

/// "a predicate", "a register of 32 bits", "64 bytes".
static std::string describe(const Argument &argument) {
  if (!argument.isRegister)
    return llvm::utostr(argument.bytes) + " bytes of .param memory";
  if (!argument.laneBytes)
    return "a predicate";
  return "a register of " + llvm::utostr(8 * argument.laneBytes) + " bits";
}

/// Whether what one side has can be copied to the other: a predicate to a
/// predicate, and as many bytes as there are.
static bool agree(const Argument &caller, const Argument &callee) {
  auto nothing = [](const Argument &side) {
    return !side.isRegister && side.bytes == 0;
  };
  if (nothing(caller) || nothing(callee))
    return true; // An unused result, or an open array.
  bool predicates[] = {caller.isRegister && caller.laneBytes == 0,
                       callee.isRegister && callee.laneBytes == 0};
  if (predicates[0] || predicates[1])
    return predicates[0] && predicates[1];
  if (caller.isRegister == callee.isRegister)
    return caller.isRegister ? caller.laneBytes == callee.laneBytes
                             : caller.bytes == callee.bytes;
  uint32_t lane = caller.isRegister ? caller.laneBytes : callee.laneBytes;
  uint32_t bytes = caller.isRegister ? callee.bytes : caller.bytes;
  return bytes == lane || (lane == 4 && bytes < lane);
}

/// What is wrong with calling a function with these operands, as text; empty
/// if nothing is. An open array at the end can be left out.
static std::string checkCall(const CallInfo &call,
                             const ProgramFunction &callee) {
  auto check = [&](llvm::StringRef what, llvm::ArrayRef<Argument> operands,
                   llvm::ArrayRef<Argument> formals) -> std::string {
    bool isOpen = !formals.empty() && !formals.back().isRegister &&
                  formals.back().bytes == 0;
    if (operands.size() != formals.size() &&
        !(isOpen && operands.size() + 1 == formals.size()))
      return "it has " + llvm::utostr(formals.size()) + " " + what.str() +
             "s, and the call " + llvm::utostr(operands.size());
    for (auto [index, pair] : llvm::enumerate(llvm::zip(operands, formals)))
      if (auto &[operand, formal] = pair; !agree(operand, formal))
        return "its " + what.str() + " " + llvm::utostr(index) + " is " +
               describe(formal) + ", and that of the call " + describe(operand);
    return "";
  };
  std::string problem;
  if (callee.function->isEntry)
    problem = "it is a kernel";
  if (problem.empty())
    problem = check("parameter", call.arguments, callee.parameters);
  if (problem.empty())
    problem = check("result", call.results, callee.results);
  return problem.empty() ? problem
                         : "a call of '" + callee.function->name.str() +
                               "' that doesn't agree with it: " + problem;
}

static const Inst *callDirect(Warp &warp, const Inst *inst, uint32_t mask) {
  return warp.call(inst, mask, *inst->as<CallInfo>().callee);
}

/// Lanes that call the same function go together; if there are several, the
/// first goes and the others come back here.
static const Inst *callIndirect(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<CallInfo>();
  const uint64_t *pointers = warp.lanes<uint64_t>(info.pointer);
  uint64_t pointer = pointers[std::countr_zero(mask)];
  uint32_t same = 0;
  forEachLane(mask, [&](unsigned lane) {
    same |= uint32_t(pointers[lane] == pointer) << lane;
  });
  const Program &program = warp.program();
  for (const ProgramFunction &function : program.functions) {
    if (codeAddress(*function.function) != pointer)
      continue;
    if (std::string problem = checkCall(info, function); !problem.empty())
      return warp.fail(inst, same, ReportKind::IllegalInstruction, problem);
    if (same != mask)
      warp.setAside(inst, mask & ~same);
    return warp.call(inst, same, function);
  }
  return warp.fail(inst, same, ReportKind::IllegalAddress,
                   "a call to 0x" + llvm::utohexstr(pointer, true) +
                       ", where there is no function of this module");
}

static bool decodeCall(Decoder &decoder, Inst &inst) {
  const Operand &callee = decoder.operand(1);
  CallInfo info;
  const ptx::Prototype *prototype = nullptr;
  if (callee.is(Operand::SymbolAddress)) {
    const auto *function = static_cast<const ptx::Function *>(callee.symbol());
    prototype = function->prototype;
    if (!function->hasBody) {
      inst.fn = externalFunction(function->name);
      if (!inst.fn) {
        decoder.reject(inst, ReportKind::NotExecuted,
                       "a call of '" + function->name +
                           "', which has no body in this module");
        return true;
      }
    } else {
      info.callee = decoder.result().find(function);
      inst.fn = callDirect;
    }
  } else {
    inst.fn = callIndirect;
    info.pointer = decoder.source(callee, Type::B64);
    const Operand &targets = decoder.operand(3);
    if (targets.is(Operand::Prototype))
      prototype = &decoder.function().callPrototypes[targets.index()].prototype;
    else if (!decoder.function().targetLists[targets.index()].functions.empty())
      prototype =
          static_cast<const ptx::Function *>(
              decoder.function().targetLists[targets.index()].functions.front())
              ->prototype;
  }
  llvm::ArrayRef<ptx::Parameter> results, parameters;
  if (prototype) {
    results = prototype->results;
    parameters = prototype->parameters;
  }
  std::string problem =
      readList(decoder, decoder.operand(0), results, resultOf, info.results);
  if (problem.empty())
    problem = readList(decoder, decoder.operand(2), parameters, argumentOf,
                       info.arguments);
  if (problem.empty() && info.callee)
    problem = checkCall(info, *info.callee);
  inst.extra = decoder.keep(info);
  if (!problem.empty())
    decoder.reject(inst, ReportKind::IllegalInstruction, problem);
  return true;
}

namespace {
struct Targets {
  llvm::ArrayRef<int64_t> distances;
};
} // namespace

static const Inst *branchIndexed(Warp &warp, const Inst *inst, uint32_t mask) {
  llvm::ArrayRef<int64_t> distances = inst->as<Targets>().distances;
  const uint32_t *index = warp.lanes<uint32_t>(inst->slot[0]);
  uint32_t first = index[std::countr_zero(mask)];
  uint32_t same = 0;
  forEachLane(mask, [&](unsigned lane) {
    same |= uint32_t(index[lane] == first) << lane;
  });
  if (first >= distances.size())
    return warp.fail(inst, same, ReportKind::IllegalInstruction,
                     "index " + llvm::Twine(first) + " into a list of " +
                         llvm::Twine(distances.size()) + " targets");
  const Inst *target = inst + distances[first];
  if (same != mask)
    warp.setAside(inst, mask & ~same);
  return warp.branch(inst, same, target);
}

static bool decodeBrx(Decoder &decoder, Inst &inst) {
  inst.fn = branchIndexed;
  inst.slot[0] = decoder.source(0, Type::U32);
  llvm::SmallVector<int64_t, 8> distances;
  for (uint32_t label :
       decoder.function().targetLists[decoder.operand(1).index()].labels)
    distances.push_back(decoder.distanceTo(label));
  inst.extra = decoder.keep(Targets{decoder.keepList<int64_t>(distances)});
  return true;
}

void drawloom::emu::registerCall(DecodeTable &table) {
  table.add(Opcode::Call, decodeCall);
  table.add(Opcode::BrxIdx, decodeBrx);
}
