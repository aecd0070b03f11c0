//===- LoadModule.cpp - Variables of a module ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Device.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using ptx::StateSpace;

/// Whether a variable lives as long as the module, in the device's memory.
static bool isStatic(const ptx::Variable &variable) {
  return variable.space == StateSpace::Global ||
         variable.space == StateSpace::Const;
}

/// Calls `callback` for the static variables of the module and its functions.
template <typename F>
static void forEachStatic(const ptx::Module &module, F callback) {
  for (const ptx::Variable *variable : module.variables)
    if (isStatic(*variable))
      callback(*variable);
  for (const ptx::Function *function : module.functions)
    for (const ptx::Variable *variable : function->variables)
      if (isStatic(*variable))
        callback(*variable);
}

llvm::Error LoadedModule::placeVariables() {
  addresses.assign(moduleField->symbolCount, 0);
  const ptx::Variable *undefined = nullptr;
  uint64_t constantEnd = 0;
  std::vector<std::pair<const ptx::Variable *, uint64_t>> constants;
  llvm::Error error = llvm::Error::success();
  forEachStatic(*moduleField, [&](const ptx::Variable &variable) {
    if (error || variable.definition)
      return;
    uint64_t size = sizeOf(variable);
    if (variable.linkage == ptx::Linkage::Extern && !variable.initializer) {
      undefined = undefined ? undefined : &variable;
      return;
    }
    if (variable.space == StateSpace::Const) {
      std::optional<uint64_t> offset =
          placeBehind(constantEnd, size, alignmentOf(variable),
                      deviceField.memory().capacity());
      if (!offset)
        error = llvm::createStringError(
            "line " + Twine(variable.line) + ": '" + variable.name + "' of " +
            Twine(size) + " bytes: the constants take more than the device's " +
            Twine(deviceField.memory().capacity()) + " bytes [ptx-limit]");
      else
        constants.emplace_back(&variable, *offset);
      return;
    }
    auto address = deviceField.memory().allocate(std::max<uint64_t>(size, 1),
                                                 variable.name);
    if (!address) {
      error = address.takeError();
      return;
    }
    allocated.push_back(*address);
    addresses[variable.number] = *address;
  });
  if (error)
    return error;
  if (undefined)
    return llvm::createStringError(
        "line " + Twine(undefined->line) + ": '" + undefined->name +
        "' is declared .extern and defined nowhere [unresolved-symbol]");
  if (constantEnd) {
    auto address =
        deviceField.memory().allocate(constantEnd, "constant memory");
    if (!address)
      return address.takeError();
    allocated.push_back(*address);
    deviceField.memory().protect(*address);
    constantBaseField = *address;
    constantSizeField = constantEnd;
    for (auto [variable, offset] : constants)
      addresses[variable->number] = *address + offset;
  }
  forEachStatic(*moduleField, [&](const ptx::Variable &variable) {
    if (variable.definition)
      addresses[variable.number] = addresses[variable.definition->number];
  });
  forEachStatic(*moduleField, [&](const ptx::Variable &variable) {
    if (variable.initializer && !error)
      error = initialize(variable);
  });
  return error;
}

uint64_t LoadedModule::addressOf(const ptx::Symbol *symbol) const {
  if (symbol->kind == ptx::Symbol::FunctionKind)
    return codeAddress(*symbol);
  return symbol->number < addresses.size() ? addresses[symbol->number] : 0;
}

std::optional<std::pair<uint64_t, uint64_t>>
LoadedModule::variable(llvm::StringRef name) const {
  const ptx::Variable *variable = moduleField->findVariable(name);
  if (!variable || !isStatic(*variable))
    return std::nullopt;
  return std::make_pair(addressOf(variable), sizeOf(*variable));
}

/// Writes the values of an initializer one after the other; a list that is
/// shorter than its array leaves zeros.
static void fill(const LoadedModule &module, const ptx::Initializer &value,
                 llvm::ArrayRef<uint64_t> strides, char *&out, char *end) {
  if (value.kind == ptx::Initializer::List) {
    char *start = out;
    for (const ptx::Initializer &element : value.elements)
      fill(module, element, strides.drop_front(strides.size() > 1), out, end);
    if (strides.size() > 1)
      out = std::min(end, start + strides.front());
    return;
  }
  uint64_t size = strides.back();
  uint64_t bits = value.value;
  if (value.symbol) {
    bits += module.addressOf(value.symbol);
    if (value.mask)
      bits = (bits & value.mask) >> llvm::countr_zero(value.mask);
  }
  if (size > uint64_t(end - out))
    return;
  memcpy(out, &bits, std::min<uint64_t>(size, sizeof(bits)));
  out += size;
}

llvm::Error LoadedModule::initialize(const ptx::Variable &variable) {
  uint64_t size = sizeOf(variable);
  char *out = deviceField.memory().translate(addressOf(&variable), size);
  if (!out)
    return llvm::createStringError("line " + Twine(variable.line) +
                                   ": no memory for '" + variable.name +
                                   "' [ptx-limit]");
  // The bytes of each level of nesting, the whole variable first and a scalar
  // last.
  llvm::SmallVector<uint64_t, 4> strides;
  uint64_t level = size;
  for (int64_t extent : variable.extents) {
    strides.push_back(level);
    level /= std::max<int64_t>(extent, 1);
  }
  if (variable.vector > 1)
    strides.push_back(level);
  strides.push_back(ptx::bitsOf(variable.type) / 8);
  char *end = out + size;
  fill(*this, *variable.initializer, strides, out, end);
  return llvm::Error::success();
}
