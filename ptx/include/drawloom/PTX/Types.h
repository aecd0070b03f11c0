//===- Types.h - Types and state spaces -------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is typed twice: a register has the type of its declaration, and an
// instruction names the type that it works on. The two need not be equal, only
// compatible (PTX ISA, section 9.4): `fits` and `fitsWider` are that rule, and
// nothing else in the library decides about it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_TYPES_H
#define DRAWLOOM_PTX_TYPES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace drawloom::ptx {

enum class Type : uint8_t {
  None,
#define PTX_TYPE(name, text, bits, kind, declarable) name,
#include "drawloom/PTX/Types.def"
};

/// What the bits of a type mean, as far as compatibility asks.
enum class TypeKind : uint8_t {
  None,
  Pred,
  Bits,
  Unsigned,
  Signed,
  Float,
  Half2,  ///< Two 16-bit halves: .f16x2 and .b32 registers.
  Format, ///< Packed and alternate formats: they live in .bN registers.
  Opaque, ///< Texture, sampler and surface handles.
};

llvm::StringRef spelling(Type type);
TypeKind kindOf(Type type);
/// The size of a register that holds a value of `type`.
unsigned bitsOf(Type type);
/// Whether `.reg` and variables may have this type.
bool isDeclarable(Type type);
/// The type of that spelling, without the dot.
std::optional<Type> parseType(llvm::StringRef text);
/// The integer type of the same signedness and twice the width; None for the
/// widest.
Type widen(Type type);

inline bool isInteger(Type type) {
  return kindOf(type) == TypeKind::Unsigned || kindOf(type) == TypeKind::Signed;
}

/// Whether an operand register declared as `declared` may stand where an
/// instruction works on `wanted`.
bool fits(Type wanted, Type declared);
/// The same with ld's, st's and cvt's license to use a wider register (PTX ISA,
/// section 9.4.1).
bool fitsWider(Type wanted, Type declared);

enum class StateSpace : uint8_t {
  Generic,
  Reg,
  Const,
  Global,
  Local,
  Param,
  ParamEntry,
  ParamFunc,
  Shared,
  SharedCta,
  SharedCluster,
  Tex,
  TensorMemory,
};

/// `shared::cta` and so on, without the dot; empty for generic.
llvm::StringRef spelling(StateSpace space);

/// Whether a variable declared in `declared` (Shared, Global, ...) can be
/// addressed by an instruction that works in `wanted`.
bool addresses(StateSpace wanted, StateSpace declared);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_TYPES_H
