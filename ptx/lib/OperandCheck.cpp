//===- OperandCheck.cpp - Do these operands fit that form -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "drawloom/PTX/Module.h"
#include "llvm/ADT/SmallString.h"

using namespace drawloom::ptx;

static std::string dotted(Type type) { return "." + spelling(type).str(); }

/// How many operands of `specs` after `index` must be there.
static size_t requiredAfter(const Variant &variant, size_t index) {
  size_t count = 0;
  for (size_t i = index + 1; i < variant.shapes.size(); ++i)
    count += variant.shapes[i].wanted &&
             variant.form->operands[i].presence != OperandSpec::Optional;
  return count;
}

bool OperandCheck::run(llvm::ArrayRef<Operand> operands) {
  llvm::ArrayRef<OperandSpec> specs = variant.form->operands;
  // The parser has read and checked a call by itself.
  if (!specs.empty() && specs.front().kind == OperandSpec::Call)
    return true;
  size_t used = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!variant.shapes[i].wanted)
      continue;
    if (specs[i].presence == OperandSpec::Optional &&
        operands.size() - used <= requiredAfter(variant, i))
      continue;
    operandIndex = used;
    partIndex = -1;
    if (used == operands.size())
      return reject([&] {
        return mnemonic() + " lacks an operand: '" + specs[i].name.str() +
               "' of '" + variant.form->operandText.str() + "'";
      });
    if (!checkOperand(specs[i], variant.shapes[i], operands[used]))
      return false;
    ++used;
  }
  operandIndex = used;
  partIndex = -1;
  if (used < operands.size())
    return reject([&] {
      return mnemonic() + " takes " + std::to_string(used) +
             (used == 1 ? " operand" : " operands") + ", not " +
             std::to_string(operands.size());
    });
  return true;
}

bool OperandCheck::checkOperand(const OperandSpec &spec,
                                const OperandShape &shape,
                                const Operand &operand) {
  switch (spec.kind) {
  case OperandSpec::Value:
    return checkValue(spec, shape, operand);
  case OperandSpec::Address:
    return checkAddress(spec, shape, operand);
  case OperandSpec::Label:
    return operand.is(Operand::Label) ||
           reject([&] { return mnemonic() + " takes a label here"; });
  case OperandSpec::Targets:
    return operand.is(Operand::Targets) || reject([&] {
             return mnemonic() + " takes the label of a .branchtargets here";
           });
  case OperandSpec::Call:
    return reject([&] { return "a call is an instruction of its own"; });
  }
  return false;
}

bool OperandCheck::checkValue(const OperandSpec &spec,
                              const OperandShape &shape,
                              const Operand &operand) {
  if (spec.hasPair) {
    if (!operand.is(Operand::Pair)) {
      if (!spec.pairOptional)
        return reject([&] {
          return mnemonic() + " takes a pair here, '" + spec.name.str() +
                 "|predicate'";
        });
      return checkScalar(spec, shape.type, operand);
    }
    partIndex = 0;
    if (!checkScalar(spec, shape.type, operand.parts()[0]))
      return false;
    partIndex = 1;
    const Operand &second = operand.parts()[1];
    return (second.is(Operand::Sink) && spec.allowSink) ||
           (second.is(Operand::Register) && second.type() == Type::Pred) ||
           reject([&] {
             return name() + " after '|' must be a predicate register";
           });
  }
  if (operand.is(Operand::Pair))
    return reject([&] { return mnemonic() + " takes no pair 'd|p' here"; });
  if (spec.isVector)
    return checkVector(spec, shape, operand);
  if (spec.type.rule == TypeRef::Packed && operand.is(Operand::Vector))
    return checkPacked(spec, shape.type, operand);
  return checkScalar(spec, shape.type, operand);
}

bool OperandCheck::checkVector(const OperandSpec &spec,
                               const OperandShape &shape,
                               const Operand &operand) {
  // Without .v2 or .v4 ptxas takes a vector of one as well.
  unsigned wanted = shape.length ? shape.length : 1;
  if (!shape.length && !operand.is(Operand::Vector))
    return checkScalar(spec, shape.type, operand);

  if (!operand.is(Operand::Vector)) {
    bool whole = (operand.is(Operand::Register) ||
                  (operand.is(Operand::Special) && spec.allowSpecial)) &&
                 operand.elements() == wanted && wanted > 1;
    if (!whole)
      return reject([&] {
        return mnemonic() + " takes a vector of " + std::to_string(wanted) +
               " here, '{...}'";
      });
    bool wider = spec.type.rule == TypeRef::Wider;
    return (wider ? fitsWider(shape.type, operand.type())
                  : fits(shape.type, operand.type())) ||
           reject([&] {
             return name() + " is declared as " + dotted(operand.type()) +
                    "; " + mnemonic() + " takes " + dotted(shape.type) +
                    " here";
           });
  }
  llvm::ArrayRef<Operand> parts = operand.parts();
  if (parts.size() != wanted)
    return reject([&] {
      return "this vector has " + std::to_string(parts.size()) +
             (parts.size() == 1 ? " element; " : " elements; ") + mnemonic() +
             " takes " + std::to_string(wanted);
    });
  unsigned bits = 0;
  for (auto [index, part] : llvm::enumerate(parts)) {
    partIndex = static_cast<int>(index);
    if (part.is(Operand::Sink) && spec.isOut)
      continue;
    if (!checkScalar(spec, shape.type, part))
      return false;
    if (!part.is(Operand::Register))
      continue;
    if (bits && bits != bitsOf(part.type()))
      return reject([&] {
        return name() + " is declared as " + dotted(part.type()) +
               "; the elements of a vector have one size, and others here "
               "have " +
               std::to_string(bits) + " bits";
      });
    bits = bitsOf(part.type());
  }
  return checkSomeElement(spec, operand);
}

/// A destination of sinks alone has no type.
bool OperandCheck::checkSomeElement(const OperandSpec &spec,
                                    const Operand &vector) {
  partIndex = -1;
  bool allSinks = llvm::all_of(vector.parts(), [](const Operand &part) {
    return part.is(Operand::Sink);
  });
  return !spec.isOut || !allSinks || reject([&] {
    return "at least one element of this vector must be a register";
  });
}

bool OperandCheck::checkPacked(const OperandSpec &spec, Type type,
                               const Operand &operand) {
  llvm::ArrayRef<Operand> parts = operand.parts();
  unsigned count = parts.size();
  unsigned bits = count ? bitsOf(type) / count : 0;
  if (kindOf(type) != TypeKind::Bits ||
      (count != 2 && count != 4 && count != 8) || bits < 8 || bits > 64)
    return reject([&] {
      return mnemonic() + " cannot pack or unpack a vector of " +
             std::to_string(count);
    });
  for (auto [index, part] : llvm::enumerate(parts)) {
    partIndex = static_cast<int>(index);
    if (part.is(Operand::Sink) && spec.isOut)
      continue;
    if (part.is(Operand::Integer) && !spec.isOut)
      continue;
    if (part.is(Operand::Register) && part.elements() == 1 &&
        part.type() != Type::Pred && bitsOf(part.type()) == bits)
      continue;
    return reject([&] {
      return name() + " does not fit: " + std::to_string(count) +
             " elements of " + dotted(type) + " have " + std::to_string(bits) +
             " bits each";
    });
  }
  return checkSomeElement(spec, operand);
}

bool OperandCheck::checkScalar(const OperandSpec &spec, Type type,
                               const Operand &operand) {
  switch (operand.kind()) {
  case Operand::Register:
    return checkRegister(spec, type, operand);
  case Operand::Integer:
  case Operand::Float32:
  case Operand::Float64:
    return checkImmediate(spec, type, operand);
  case Operand::SymbolAddress: {
    bool isFunction = operand.symbol()->kind == Symbol::FunctionKind;
    if (!spec.allowSymbol || (isFunction && !spec.allowSpecial))
      return reject([&] {
        return mnemonic() + " takes no symbol here; load the address of " +
               name() + " with mov first";
      });
    bool fitsAddress = (bitsOf(type) == 32 || bitsOf(type) == 64) &&
                       (isInteger(type) || kindOf(type) == TypeKind::Bits);
    return fitsAddress ||
           reject([&] { return "an address does not fit " + dotted(type); });
  }
  case Operand::Special: {
    if (!spec.allowSpecial)
      return reject([&] {
        return mnemonic() + " takes no special register; read " + name() +
               " with mov first";
      });
    if (operand.elements() > 1)
      return reject([&] { return name() + " is a vector; name its element"; });
    if (type == Type::Pred || operand.type() == Type::Pred)
      return type == operand.type() || reject([&] {
               return name() + " has type " + dotted(operand.type()) + "; " +
                      mnemonic() + " takes " + dotted(type) + " here";
             });
    bool integral = isInteger(type) || kindOf(type) == TypeKind::Bits;
    return (integral && bitsOf(type) <= bitsOf(operand.type())) || reject([&] {
             return name() + " has type " + dotted(operand.type()) + "; " +
                    mnemonic() + " takes " + dotted(type) + " here";
           });
  }
  case Operand::Sink:
    return spec.allowSink || reject([&] {
             return mnemonic() + " needs a register here, not '_'";
           });
  case Operand::Vector:
    return reject([&] { return mnemonic() + " takes no vector here"; });
  case Operand::Address:
    return reject([&] { return mnemonic() + " takes no address '[ ]' here"; });
  default:
    return reject(
        [&] { return mnemonic() + " takes " + dotted(type) + " here"; });
  }
}

bool OperandCheck::checkRegister(const OperandSpec &spec, Type type,
                                 const Operand &operand) {
  if (!spec.allowRegister)
    return reject([&] {
      return mnemonic() +
             (spec.allowSink ? " has no result to give: write '_', not "
                             : " takes an immediate here, not the register ") +
             name();
    });
  if (operand.elements() > 1)
    return reject([&] {
      return name() + " is a vector of " + std::to_string(operand.elements()) +
             "; name one of its elements, such as .x";
    });
  bool compatible = spec.type.rule == TypeRef::Wider
                        ? fitsWider(type, operand.type())
                        : fits(type, operand.type());
  if (!compatible)
    return reject([&] {
      return name() + " is declared as " + dotted(operand.type()) + "; " +
             mnemonic() + " takes " + dotted(type) + " here";
    });
  if (operand.isNegated() && (type != Type::Pred || spec.isOut))
    return reject([&] { return "'!' belongs to source predicates only"; });
  return true;
}

bool OperandCheck::checkImmediate(const OperandSpec &spec, Type type,
                                  const Operand &operand) {
  if (!spec.allowImmediate)
    return reject([&] {
      return mnemonic() + (spec.isOut ? " writes to this operand: it must be "
                                        "a register, not an immediate"
                                      : " takes a register here, not an "
                                        "immediate");
    });
  TypeKind kind = kindOf(type);
  bool integral =
      kind == TypeKind::Bits || isInteger(type) || kind == TypeKind::Pred;
  if (operand.is(Operand::Integer)) {
    if (!integral || bitsOf(type) > 64)
      return reject([&] {
        return "an integer does not fit " + dotted(type) +
               (type == Type::F32 || type == Type::F64
                    ? "; write a floating-point literal such as 1.0"
                    : "; move it to a register first");
      });
    return checkRange(spec, operand.integer());
  }
  bool fitsFloat =
      type == Type::F32 || type == Type::F64 ||
      type == (operand.is(Operand::Float32) ? Type::B32 : Type::B64);
  return fitsFloat || reject([&] {
           return "a floating-point literal does not fit " + dotted(type);
         });
}

bool OperandCheck::checkRange(const OperandSpec &spec, int64_t value) {
  auto contains = [&](const ValueRange &range) {
    return value >= range.first && value <= range.last &&
           (value - range.first) % range.step == 0;
  };
  if (spec.values.empty() || llvm::any_of(spec.values, contains))
    return true;
  return reject([&] {
    std::string text = std::to_string(value) +
                       " is not one of the values of '" + spec.name.str() +
                       "':";
    for (auto [index, range] : llvm::enumerate(spec.values)) {
      text += (index ? ", " : " ") + std::to_string(range.first);
      if (range.last != range.first)
        text += " to " + std::to_string(range.last);
      if (range.step != 1)
        text += " in steps of " + std::to_string(range.step);
    }
    return text;
  });
}

bool OperandCheck::checkAddress(const OperandSpec &spec,
                                const OperandShape &shape,
                                const Operand &operand) {
  if (!operand.is(Operand::Address))
    return reject([&] {
      return mnemonic() + " takes an address here: '[" + spec.name.str() + "]'";
    });
  llvm::ArrayRef<Operand> parts = operand.parts();
  partIndex = 0;
  if (!checkBase(shape.space, parts.front()))
    return false;
  if (operand.isUnified() && shape.space != StateSpace::Global &&
      shape.space != StateSpace::Generic)
    return reject([&] { return "'.unified' belongs to .global addresses"; });
  size_t used = 1;
  for (const OperandSpec &element : spec.elements) {
    OperandShape elementShape = variant.shapeOf(element);
    if (!elementShape.wanted ||
        (element.presence == OperandSpec::Optional && used == parts.size()))
      continue;
    partIndex = static_cast<int>(used);
    if (used == parts.size())
      return reject([&] {
        return "this address lacks '" + element.name.str() + "' of '" +
               variant.form->operandText.str() + "'";
      });
    int outer = partIndex;
    if (!checkOperand(element, elementShape, parts[used])) {
      // Inside brackets the place of the element is what is reported.
      if (why)
        why->part = outer;
      return false;
    }
    ++used;
  }
  partIndex = static_cast<int>(used);
  return used == parts.size() || reject([&] {
           return "this address has " + std::to_string(parts.size()) +
                  " parts; " + mnemonic() + " takes " + std::to_string(used);
         });
}

bool OperandCheck::checkBase(StateSpace space, const Operand &base) {
  switch (base.kind()) {
  case Operand::Register: {
    bool integral =
        isInteger(base.type()) || kindOf(base.type()) == TypeKind::Bits;
    unsigned bits = bitsOf(base.type());
    // An address is widened or cut to the size of its space (PTX ISA, section
    // 6.4.1), but 32 bits of .global or generic ask for the 32-bit ABI, which
    // ptxas has no more.
    bool full = (space == StateSpace::Generic || space == StateSpace::Global) &&
                addressSize != 32;
    bool fitting = space == StateSpace::TensorMemory
                       ? bits == 32
                       : bits <= 64 && !(full && bits == 32);
    if (!integral || !fitting)
      return reject([&] {
        return name() + " is declared as " + dotted(base.type()) +
               "; an address here takes " +
               (space == StateSpace::TensorMemory ? "32 bits"
                : full                            ? "64 bits"
                                                  : "32 or 64 bits") +
               " of integer or bits";
      });
    return (base.elements() == 1 && base.component() < 0) || reject([&] {
             return "an address cannot be an element of the vector " + name();
           });
  }
  case Operand::SymbolAddress: {
    if (base.symbol()->kind == Symbol::FunctionKind)
      return reject([&] { return name() + " is a function, not a variable"; });
    auto *variable = static_cast<const Variable *>(base.symbol());
    return addresses(space, variable->space) || reject([&] {
             return name() + " is in ." + spelling(variable->space).str() +
                    "; " + mnemonic() +
                    (space == StateSpace::Generic
                         ? " takes a generic address"
                         : " addresses ." + spelling(space).str());
           });
  }
  case Operand::Integer:
    return space == StateSpace::Local ||
           reject([&] { return "an immediate address is for .local only"; });
  default:
    return reject(
        [&] { return "an address begins with a register or a variable"; });
  }
}
