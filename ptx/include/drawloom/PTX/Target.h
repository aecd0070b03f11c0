//===- Target.h - What a feature of PTX needs -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module declares a PTX version and a target. Every instruction, modifier and
// directive needs some version and some target; a Requirement says which, and
// can print it. Architectures form an onion (sm_90 code runs on sm_100)
// except for architecture-specific targets (sm_90a: that one only) and
// family-specific targets (sm_100f: sm_100 and later of its family).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_TARGET_H
#define DRAWLOOM_PTX_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace drawloom::ptx {

/// A PTX ISA version, such as 8.6.
struct Version {
  uint8_t major = 0;
  uint8_t minor = 0;

  auto operator<=>(const Version &) const = default;
  std::string str() const;
};

/// "8.6"; nothing if the text is not such a version.
std::optional<Version> parseVersion(llvm::StringRef text);

/// A target architecture, such as sm_100a.
struct Target {
  uint16_t sm = 0;
  char suffix = 0; ///< 'a', 'f' or 0.

  bool operator==(const Target &) const = default;
  std::string str() const;
};

/// "sm_100a"; nothing if there is no such target.
std::optional<Target> parseTarget(llvm::StringRef text);

/// The first PTX version that knows `target`.
Version sinceVersion(Target target);

/// Whether code for `declared` may use what needs `needed`.
bool provides(Target declared, Target needed);

/// One way to satisfy a requirement: a version and any of these targets (any
/// target at all if the list is empty).
struct RequirementAlternative {
  Version version;
  llvm::SmallVector<Target, 4> targets;
};

/// What a feature needs; empty means nothing.
struct Requirement {
  llvm::SmallVector<RequirementAlternative, 1> alternatives;

  bool isSatisfied(Version version, Target target) const;
  /// "PTX 8.6 and sm_100a or sm_101a, or PTX 8.8 and sm_100f".
  std::string str() const;
};

/// Reads the notation of the tables: "8.6 sm_100a sm_101a; 8.8 sm_100f".
std::optional<Requirement> parseRequirement(llvm::StringRef text);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_TARGET_H
