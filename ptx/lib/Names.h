//===- Names.h - What a name means in a scope -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One hash table holds the innermost meaning of every name; entering a scope
// costs nothing, leaving it puts back what its declarations hid. So a lookup
// costs the same at any depth.
//
// A parameterised declaration, `%r<100>`, is entered once, under its prefix:
// `%r42` is found as `%r` with 42 below 100. It hides its own members and no
// others: within `%r<11>` the name `%r42` is still that of the outer `%r<100>`.
// So a prefix has a list of declarations, the innermost one last.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_NAMES_H
#define DRAWLOOM_PTX_LIB_NAMES_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace drawloom::ptx {

/// What a name stands for.
struct Binding {
  enum Kind : uint8_t {
    None,
    Register,      ///< `reg`
    Symbol,        ///< `symbol`
    TargetList,    ///< `index` of a .branchtargets or .calltargets
    CallPrototype, ///< `index` of a .callprototype
  };
  Kind kind = None;
  uint32_t depth = 0; ///< Of the scope that declares it.
  uint32_t line = 0;  ///< Of the declaration.
  uint32_t index = 0;
  const ptx::Symbol *symbol = nullptr;
  RegisterDeclaration reg = {};
};

class NameTable {
public:
  void enterScope() { scopes.push_back(hidden.size()); }
  void leaveScope();
  /// 0 at the module's level.
  uint32_t depth() const { return static_cast<uint32_t>(scopes.size()); }

  /// Declares `name` in the current scope. False if the scope has it already.
  bool declare(llvm::StringRef name, Binding binding);
  /// Declares `name` at the module's level from within a scope.
  void declareOutside(llvm::StringRef name, Binding binding);
  /// Declares `prefix<count>`. False if the scope has that prefix already.
  bool declareRange(llvm::StringRef prefix, Binding binding);
  /// The line of the declaration that stands in the way of `declare` or
  /// `declareRange`.
  uint32_t lineOf(llvm::StringRef name) const;
  /// Changes what a name of the module's level means.
  void replace(llvm::StringRef name, const ptx::Symbol *symbol);

  /// The meaning of `name`; kind None if it has none. For a member of a range
  /// the register declaration is that of the range, and `member` the number.
  const Binding *lookup(llvm::StringRef name, uint32_t &member) const;

private:
  struct Hidden {
    llvm::StringRef name;
    bool isRange;   ///< The last declaration of a prefix goes away.
    Binding before; ///< Of a single name.
  };

  const Binding *lookupRange(llvm::StringRef name, uint32_t &member) const;

  llvm::DenseMap<llvm::StringRef, Binding> singles;
  llvm::DenseMap<llvm::StringRef, llvm::SmallVector<Binding, 1>> ranges;
  std::vector<Hidden> hidden;
  llvm::SmallVector<size_t, 8> scopes;
};

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_NAMES_H
