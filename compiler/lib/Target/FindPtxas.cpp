//===- FindPtxas.cpp - Which ptxas to use ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RememberVersion.h"
#include "RunTool.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Ptxas.h"
#include "drawloom/Target/Sass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include <tuple>

using namespace drawloom::target;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

llvm::StringRef drawloom::target::toString(ToolOrigin origin) {
  switch (origin) {
  case ToolOrigin::Variable:
    return "DRAWLOOM_PTXAS";
  case ToolOrigin::Python:
    return "pip";
  case ToolOrigin::CudaHome:
    return "CUDA_HOME";
  case ToolOrigin::Path:
    return "PATH";
  }
  llvm_unreachable("all origins have a name");
}

static std::string join(llvm::StringRef folder,
                        std::initializer_list<llvm::StringRef> names) {
  llvm::SmallString<128> joined(folder);
  for (llvm::StringRef name : names)
    path::append(joined, name);
  return std::string(joined);
}

ToolSearch ToolSearch::fromEnvironment() {
  auto get = [](llvm::StringRef name) -> std::optional<std::string> {
    std::optional<std::string> value = llvm::sys::Process::GetEnv(name);
    return value && !value->empty() ? value : std::nullopt;
  };
  ToolSearch search;
  search.ptxasVariable = get("DRAWLOOM_PTXAS");
  for (llvm::StringRef variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::optional<std::string> prefix = get(variable))
      search.pythonPrefixes.push_back(*prefix);

  // The environment that utils/install-deps makes, where it would make it.
  std::optional<std::string> cache = get("DRAWLOOM_CACHE");
  if (!cache) {
    if (std::optional<std::string> root = get("XDG_CACHE_HOME"))
      cache = join(*root, {"drawloom"});
    else if (std::optional<std::string> home = get("HOME"))
      cache = join(*home, {".cache", "drawloom"});
  }
  if (cache)
    search.pythonPrefixes.push_back(join(*cache, {"venv"}));

  search.cudaHome = get("CUDA_HOME");
  llvm::SmallVector<llvm::StringRef> folders;
  std::string pathVariable = get("PATH").value_or("");
  llvm::SplitString(pathVariable, folders, ":");
  for (llvm::StringRef folder : folders)
    search.path.push_back(folder.str());
  return search;
}

/// The files of that name of one Python environment: pip puts them under
/// site-packages/nvidia, in a folder that is named after the toolkit (cu13) or
/// after the package (cuda_nvcc).
static std::vector<std::string> filesInPython(llvm::StringRef prefix,
                                              llvm::StringRef tool) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator python(join(prefix, {"lib"}), error), end;
       !error && python != end; python.increment(error)) {
    if (!path::filename(python->path()).starts_with("python3"))
      continue;
    std::string nvidia = join(python->path(), {"site-packages", "nvidia"});
    std::error_code inner;
    for (fs::directory_iterator package(nvidia, inner), end;
         !inner && package != end; package.increment(inner))
      files.push_back(join(package->path(), {"bin", tool}));
  }
  llvm::sort(files);
  return files;
}

std::optional<Version>
drawloom::target::parseToolVersion(llvm::StringRef text) {
  llvm::Regex pattern("release [0-9.]+, V([0-9]+)\\.([0-9]+)\\.([0-9]+)");
  llvm::SmallVector<llvm::StringRef> groups;
  if (!pattern.match(text, &groups))
    return std::nullopt;
  Version version;
  if (groups[1].getAsInteger(10, version.major) ||
      groups[2].getAsInteger(10, version.minor) ||
      groups[3].getAsInteger(10, version.patch))
    return std::nullopt;
  return version;
}

llvm::Expected<Version>
drawloom::target::queryToolVersion(llvm::StringRef program) {
  llvm::Expected<ToolRun> run =
      runTool(program, {"--version"}, std::min(getToolSeconds(), 30u));
  if (!run)
    return run.takeError();
  if (std::optional<Version> version = parseToolVersion(run->output))
    return *version;
  return llvm::createStringError(
      "'--version' names no CUDA release [ptxas-missing]");
}

static PtxasCandidate probe(std::string file, ToolOrigin origin,
                            llvm::StringRef memory) {
  PtxasCandidate candidate{std::move(file), origin, std::nullopt, ""};
  if (!fs::exists(candidate.path)) {
    candidate.problem = "there is no such file";
    return candidate;
  }
  if (!fs::can_execute(candidate.path)) {
    candidate.problem = "the file is not executable";
    return candidate;
  }
  VersionMemory remembered(memory, candidate.path);
  candidate.version = remembered.recall();
  if (candidate.version)
    return candidate;
  if (llvm::Expected<Version> version = queryToolVersion(candidate.path)) {
    candidate.version = *version;
    remembered.keep(*version);
  } else {
    candidate.problem = llvm::toString(version.takeError());
  }
  return candidate;
}

/// Steps through the search, passing what each origin holds to `visit`. Stops
/// when it returns false.
static void
forEachOrigin(const ToolSearch &search,
              llvm::function_ref<bool(std::vector<PtxasCandidate>)> visit) {
  if (search.ptxasVariable &&
      !visit(
          {probe(*search.ptxasVariable, ToolOrigin::Variable, search.memory)}))
    return;
  auto probeExisting = [&](llvm::ArrayRef<std::string> files,
                           ToolOrigin origin) {
    std::vector<PtxasCandidate> candidates;
    for (const std::string &file : files)
      if (fs::exists(file))
        candidates.push_back(probe(file, origin, search.memory));
    return candidates;
  };
  for (llvm::StringRef prefix : search.pythonPrefixes) {
    std::vector<PtxasCandidate> candidates =
        probeExisting(filesInPython(prefix, "ptxas"), ToolOrigin::Python);
    // One environment may hold two toolkits side by side: the newer first.
    llvm::sort(candidates,
               [](const PtxasCandidate &left, const PtxasCandidate &right) {
                 return std::tie(right.version, left.path) <
                        std::tie(left.version, right.path);
               });
    if (!visit(std::move(candidates)))
      return;
  }
  if (search.cudaHome &&
      !visit(probeExisting(join(*search.cudaHome, {"bin", "ptxas"}),
                           ToolOrigin::CudaHome)))
    return;
  std::vector<std::string> onPath;
  onPath.reserve(search.path.size());
  for (llvm::StringRef folder : search.path)
    onPath.push_back(join(folder, {"ptxas"}));
  visit(probeExisting(onPath, ToolOrigin::Path));
}

std::vector<PtxasCandidate>
drawloom::target::listPtxas(const ToolSearch &search) {
  std::vector<PtxasCandidate> all;
  forEachOrigin(search, [&](std::vector<PtxasCandidate> candidates) {
    for (PtxasCandidate &candidate : candidates) {
      bool known = llvm::any_of(all, [&](const PtxasCandidate &other) {
        return fs::equivalent(other.path, candidate.path);
      });
      if (!known)
        all.push_back(std::move(candidate));
    }
    return true;
  });
  return all;
}

// PTX ISA, 'Release Notes': which CUDA brought which ISA.
static constexpr struct {
  Version ptx;
  Version release;
} releases[] = {
    {{8, 0}, {12, 0}}, {{8, 1}, {12, 1}}, {{8, 2}, {12, 2}}, {{8, 3}, {12, 3}},
    {{8, 4}, {12, 4}}, {{8, 5}, {12, 5}}, {{8, 6}, {12, 7}}, {{8, 7}, {12, 8}},
    {{8, 8}, {12, 9}}, {{9, 0}, {13, 0}},
};

Version drawloom::target::firstReleaseFor(Version ptx) {
  for (const auto &entry : releases)
    if (entry.ptx >= ptx)
      return entry.release;
  return std::end(releases)[-1].release;
}

llvm::Expected<Ptxas> drawloom::target::findPtxas(const ToolSearch &search,
                                                  const Architecture &arch) {
  Version needed = firstReleaseFor(arch.ptx);
  std::optional<Ptxas> found;
  std::string seen;
  llvm::raw_string_ostream os(seen);
  forEachOrigin(search, [&](const std::vector<PtxasCandidate> &candidates) {
    for (const PtxasCandidate &candidate : candidates) {
      if (candidate.version && *candidate.version >= needed) {
        found = Ptxas{candidate.path, candidate.origin, *candidate.version};
        return false;
      }
      os << "\n  " << candidate.path << " (" << toString(candidate.origin)
         << "): ";
      if (candidate.version)
        os << *candidate.version << " is too old";
      else
        os << candidate.problem;
      // A tool that was asked for by name is not replaced by another.
      if (candidate.origin == ToolOrigin::Variable)
        return false;
    }
    return true;
  });
  if (found)
    return *found;

  std::string message;
  llvm::raw_string_ostream text(message);
  text << "no usable ptxas: " << arch.name << " takes PTX " << arch.ptx
       << ", so the ptxas of CUDA " << needed << " or newer\n"
       << "  looked at: DRAWLOOM_PTXAS, pip-installed toolkits, CUDA_HOME and "
          "PATH"
       << seen
       << "\n  install one with 'pip install nvidia-cuda-nvcc', or set "
          "DRAWLOOM_PTXAS to its path";
  return llvm::createStringError(message);
}

llvm::Expected<std::string>
drawloom::target::findNvdisasm(const ToolSearch &search, const Ptxas &ptxas) {
  constexpr llvm::StringLiteral tool = "nvdisasm";
  std::vector<std::string> files = {
      join(path::parent_path(ptxas.path), {tool})};
  for (llvm::StringRef prefix : search.pythonPrefixes)
    llvm::append_range(files, filesInPython(prefix, tool));
  if (search.cudaHome)
    files.push_back(join(*search.cudaHome, {"bin", tool}));
  for (llvm::StringRef folder : search.path)
    files.push_back(join(folder, {tool}));
  for (const std::string &file : files)
    if (fs::can_execute(file))
      return file;
  return llvm::createStringError(
      "no nvdisasm next to " + ptxas.path +
      ", in pip-installed toolkits, CUDA_HOME or PATH; install one with 'pip "
      "install nvidia-cuda-nvdisasm' [ptxas-missing]");
}
