//===- Types.cpp - Types and state spaces ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Types.h"
#include "llvm/ADT/StringSwitch.h"

using namespace drawloom::ptx;

namespace {
struct TypeInfo {
  llvm::StringLiteral text;
  uint16_t bits;
  TypeKind kind;
  bool declarable;
};
} // namespace

static constexpr TypeInfo typeInfos[] = {
    {"", 0, TypeKind::None, false},
#define PTX_TYPE(name, text, bits, kind, declarable)                           \
  {text, bits, TypeKind::kind, declarable},
#include "drawloom/PTX/Types.def"
};

static const TypeInfo &infoOf(Type type) {
  return typeInfos[static_cast<unsigned>(type)];
}

llvm::StringRef drawloom::ptx::spelling(Type type) { return infoOf(type).text; }
TypeKind drawloom::ptx::kindOf(Type type) { return infoOf(type).kind; }
unsigned drawloom::ptx::bitsOf(Type type) { return infoOf(type).bits; }
bool drawloom::ptx::isDeclarable(Type type) { return infoOf(type).declarable; }

std::optional<Type> drawloom::ptx::parseType(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<Type>>(text)
#define PTX_TYPE(name, text, bits, kind, declarable) .Case(text, Type::name)
#include "drawloom/PTX/Types.def"
      .Default(std::nullopt);
}

Type drawloom::ptx::widen(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::U32:
    return Type::U64;
  case Type::S16:
    return Type::S32;
  case Type::S32:
    return Type::S64;
  default:
    return Type::None;
  }
}

bool drawloom::ptx::fits(Type wanted, Type declared) {
  if (bitsOf(wanted) != bitsOf(declared))
    return false;
  TypeKind want = kindOf(wanted), have = kindOf(declared);
  if (want == TypeKind::Pred || have == TypeKind::Pred)
    return want == have;
  if (want == TypeKind::Bits || have == TypeKind::Bits)
    return true;
  // ptxas takes an .f16x2 register for 32 bits of integer.
  if (isInteger(wanted))
    return isInteger(declared) || have == TypeKind::Half2;
  return want == have && want != TypeKind::Format;
}

bool drawloom::ptx::fitsWider(Type wanted, Type declared) {
  if (fits(wanted, declared))
    return true;
  if (bitsOf(declared) < bitsOf(wanted))
    return false;
  TypeKind want = kindOf(wanted), have = kindOf(declared);
  switch (want) {
  case TypeKind::Bits:
    return have != TypeKind::Pred;
  case TypeKind::Unsigned:
  case TypeKind::Signed:
    return have == TypeKind::Bits || have == TypeKind::Half2 ||
           isInteger(declared);
  case TypeKind::Float:
  case TypeKind::Half2:
    return have == TypeKind::Bits;
  default:
    return false;
  }
}

llvm::StringRef drawloom::ptx::spelling(StateSpace space) {
  switch (space) {
  case StateSpace::Generic:
    return "";
  case StateSpace::Reg:
    return "reg";
  case StateSpace::Const:
    return "const";
  case StateSpace::Global:
    return "global";
  case StateSpace::Local:
    return "local";
  case StateSpace::Param:
    return "param";
  case StateSpace::ParamEntry:
    return "param::entry";
  case StateSpace::ParamFunc:
    return "param::func";
  case StateSpace::Shared:
    return "shared";
  case StateSpace::SharedCta:
    return "shared::cta";
  case StateSpace::SharedCluster:
    return "shared::cluster";
  case StateSpace::Tex:
    return "tex";
  case StateSpace::TensorMemory:
    return "tmem";
  }
  return "";
}

bool drawloom::ptx::addresses(StateSpace wanted, StateSpace declared) {
  switch (wanted) {
  case StateSpace::Generic:
    // .param and .const have generic addresses, but no ld or st takes them so.
    return declared == StateSpace::Global || declared == StateSpace::Shared ||
           declared == StateSpace::Local;
  case StateSpace::Shared:
  case StateSpace::SharedCta:
  case StateSpace::SharedCluster:
    return declared == StateSpace::Shared;
  case StateSpace::Param:
  case StateSpace::ParamEntry:
  case StateSpace::ParamFunc:
    return declared == StateSpace::Param;
  default:
    return wanted == declared;
  }
}
