//===- Ptxas.h - NVIDIA's assembler as a tool we run ---------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Finding ptxas, running it, and reading its answer as data.
//
// Where ptxas is looked for, in this order: the file that DRAWLOOM_PTXAS names;
// a pip-installed toolkit in the active Python environment, then in the one
// that Drawloom's tests keep; CUDA_HOME; PATH. The first that is new enough for
// the architecture wins. One that DRAWLOOM_PTXAS names is used or rejected,
// never passed over: who names a tool wants that tool.
//
// The invariant: an assembled module is one that ptxas followed to the letter.
// What ptxas prints as information but which changes the program (a setmaxnreg
// that it ignores) is an error here.

#ifndef DRAWLOOM_TARGET_PTXAS_H
#define DRAWLOOM_TARGET_PTXAS_H

#include "drawloom/Target/Version.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drawloom::target {

struct Architecture;

//===----------------------------------------------------------------------===//
// Finding it
//===----------------------------------------------------------------------===//

/// Which step of the search came upon a tool.
enum class ToolOrigin { Variable, Python, CudaHome, Path };

/// Says the origin in a word or two: "DRAWLOOM_PTXAS", "pip", ...
llvm::StringRef toString(ToolOrigin origin);

/// Where to look. A snapshot, so that a search depends on nothing else.
struct ToolSearch {
  std::optional<std::string> ptxasVariable;
  /// Roots of Python environments, each with lib/python3.x/site-packages.
  std::vector<std::string> pythonPrefixes;
  std::optional<std::string> cudaHome;
  std::vector<std::string> path;
  /// A folder that remembers the versions of programs, so that one which hasn't
  /// changed is not run to tell; empty for none.
  std::string memory = "";

  static ToolSearch fromEnvironment();
};

/// A ptxas that runs.
struct Ptxas {
  std::string path;
  ToolOrigin origin;
  Version version;
};

/// A file that the search came upon: a ptxas, or why it is not one.
struct PtxasCandidate {
  std::string path;
  ToolOrigin origin;
  std::optional<Version> version;
  std::string problem;
};

/// The first CUDA release whose ptxas reads this PTX ISA.
Version firstReleaseFor(Version ptx);

/// Everything that the search comes upon, in its order.
std::vector<PtxasCandidate> listPtxas(const ToolSearch &search);

/// The ptxas to use for `arch`. The error says what was looked at and what to
/// install.
llvm::Expected<Ptxas> findPtxas(const ToolSearch &search,
                                const Architecture &arch);

/// Reads the answer of `ptxas --version` or `nvcc --version`.
std::optional<Version> parseToolVersion(llvm::StringRef text);

/// Runs `program --version` and reads the answer.
llvm::Expected<Version> queryToolVersion(llvm::StringRef program);

//===----------------------------------------------------------------------===//
// Its answer
//===----------------------------------------------------------------------===//

/// What one function of the module takes, as ptxas -v reports it.
struct FunctionResources {
  std::string name;
  bool isKernel = false;
  unsigned registers = 0;
  unsigned barriers = 0;
  uint64_t stackBytes = 0;
  uint64_t spillStoreBytes = 0;
  uint64_t spillLoadBytes = 0;
  /// Static shared memory; what a launch adds is not known here.
  uint64_t sharedBytes = 0;
  uint64_t constantBytes = 0;

  bool spills() const { return spillStoreBytes != 0 || spillLoadBytes != 0; }
};

enum class Severity { Info, Warning, Error };

/// One message of ptxas that is not part of the resource report.
struct PtxasMessage {
  Severity severity = Severity::Info;
  /// `C7508` and the like; empty for most.
  std::string code;
  /// Line of the PTX text from 1; 0 where ptxas names none.
  unsigned line = 0;
  /// The function that the text names, if it does.
  std::string function;
  std::string text;

  /// True for a setmaxnreg that ptxas does not carry out.
  bool isIgnoredRegisterBudget() const;
};

/// Everything that ptxas said.
struct PtxasReport {
  std::vector<FunctionResources> functions;
  std::vector<PtxasMessage> messages;

  bool hasErrors() const;
};

/// Reads what `ptxas -v` printed.
PtxasReport parsePtxasOutput(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

/// PTX that was assembled: the cubin, and what ptxas said on the way.
struct AssembledModule {
  std::vector<char> cubin;
  PtxasReport report;
};

/// PTX that ptxas rejects, or does not carry out as written.
class AssemblyError : public llvm::ErrorInfo<AssemblyError> {
public:
  static char ID; // NOLINT(readability-identifier-naming): ErrorInfo asks so

  explicit AssemblyError(PtxasReport report) : report(std::move(report)) {}

  const PtxasReport &getReport() const { return report; }

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  PtxasReport report;
};

/// Assembles `ptx` for `arch`. The same text and the same ptxas give the same
/// bytes. Fails with an AssemblyError when ptxas objects to the text, and with
/// a plain error when it cannot be run. `withLines`: with the line of the PTX
/// of each instruction.
llvm::Expected<AssembledModule> assemble(llvm::StringRef ptx,
                                         const Architecture &arch,
                                         const Ptxas &ptxas,
                                         bool withLines = false);

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_PTXAS_H
