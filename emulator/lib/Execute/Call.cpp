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
#include "Execute/External.h"
#include "Execute/Lanes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

/// What a call passes or takes: a .param variable of the caller, a register or
/// an immediate.
static Argument argumentOf(Decoder &decoder, const Operand &operand,
                           Type formal) {
  Argument argument;
  if (operand.is(Operand::SymbolAddress)) {
    const auto *variable = static_cast<const ptx::Variable *>(operand.symbol());
    argument.offset = decoder.frameOffset(variable);
    argument.bytes = sizeOf(*variable);
    return argument;
  }
  argument.isRegister = true;
  Type type = Decoder::declaredType(operand);
  if (type == Type::None)
    type = formal;
  if (type == Type::Pred) {
    argument.reg = decoder.predicate(operand);
    return argument;
  }
  argument.laneBytes = Decoder::laneBytes(type);
  argument.reg = decoder.source(operand, type);
  return argument;
}

static Type typeOf(const ptx::Parameter &parameter) {
  return parameter.variable ? parameter.variable->type : parameter.reg.type;
}

static llvm::ArrayRef<Argument>
argumentsOf(Decoder &decoder, const Operand &list,
            llvm::ArrayRef<ptx::Parameter> formals) {
  llvm::SmallVector<Argument, 8> arguments;
  for (auto [index, operand] : llvm::enumerate(list.parts()))
    arguments.push_back(argumentOf(
        decoder, operand,
        index < formals.size() ? typeOf(formals[index]) : Type::B32));
  return decoder.keepList<Argument>(arguments);
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
        decoder.refuse(inst, ReportKind::NotExecuted,
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
  llvm::ArrayRef<ptx::Parameter> none;
  info.results = argumentsOf(decoder, decoder.operand(0),
                             prototype ? prototype->results : none);
  info.arguments = argumentsOf(decoder, decoder.operand(2),
                               prototype ? prototype->parameters : none);
  inst.extra = decoder.keep(info);
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
