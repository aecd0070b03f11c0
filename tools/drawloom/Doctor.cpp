//===- Doctor.cpp - drawloom doctor ---------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "RunCommand.h"
#include "Verb.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::target;

static void printDoctorHelp() {
  llvm::outs()
      << "drawloom doctor - tell which GPU tools are here, and what they "
         "allow\n"
         "\n"
         "Usage: drawloom doctor\n"
         "\n"
         "Looks for ptxas in this order, and shows every one it finds:\n"
         "  1. the file that DRAWLOOM_PTXAS names\n"
         "  2. a pip-installed toolkit (nvidia-cuda-nvcc) in VIRTUAL_ENV or "
         "CONDA_PREFIX,\n"
         "     then in the environment that Drawloom's tests use\n"
         "  3. CUDA_HOME\n"
         "  4. PATH\n"
         "The first that is new enough for an architecture is used for it.\n"
         "\n"
      << exitStatusHelp << "No ptxas that can make cubins is a tool error.\n";
}

static void printEntry(llvm::StringRef first, const llvm::Twine &second) {
  llvm::outs() << "  " << llvm::left_justify(first, 9) << second << '\n';
}

static std::string str(Version version) {
  return llvm::formatv("{0}", version);
}

/// Lists the assemblers. Returns the architectures that one of them serves.
static std::vector<std::string> reportPtxas(const ToolSearch &search) {
  // Who is used for what is decided by findPtxas, as in a compile.
  std::vector<std::pair<std::string, std::string>> uses;
  std::vector<std::string> served;
  for (const Architecture &arch : architectures()) {
    llvm::Expected<Ptxas> ptxas = findPtxas(search, arch);
    if (!ptxas) {
      llvm::consumeError(ptxas.takeError());
      continue;
    }
    served.push_back(arch.name.str());
    auto use = llvm::find_if(
        uses, [&](const auto &other) { return other.first == ptxas->path; });
    if (use == uses.end())
      uses.push_back({ptxas->path, arch.name.str()});
    else
      use->second += ", " + arch.name.str();
  }

  llvm::outs() << "ptxas\n";
  std::vector<PtxasCandidate> candidates = listPtxas(search);
  if (candidates.empty())
    printEntry("none", "install one with 'pip install nvidia-cuda-nvcc', or "
                       "set DRAWLOOM_PTXAS");
  for (const PtxasCandidate &candidate : candidates) {
    printEntry(candidate.version ? str(*candidate.version) : "?",
               candidate.path + " (" + toString(candidate.origin) + ")");
    if (!candidate.version)
      printEntry("", candidate.problem);
    for (const auto &[path, names] : uses)
      if (path == candidate.path)
        printEntry("", "used for " + names);
  }
  return served;
}

static void reportToolkit(const ToolSearch &search) {
  llvm::outs() << "CUDA toolkit\n";
  std::vector<std::pair<std::string, llvm::StringRef>> places;
  if (search.cudaHome)
    places.push_back({*search.cudaHome + "/bin", "CUDA_HOME"});
  for (const std::string &folder : search.path)
    places.push_back({folder, "PATH"});
  for (const auto &[folder, origin] : places) {
    llvm::SmallString<128> nvcc(folder);
    llvm::sys::path::append(nvcc, "nvcc");
    if (!llvm::sys::fs::can_execute(nvcc))
      continue;
    llvm::Expected<Version> version = queryToolVersion(nvcc);
    if (!version) {
      printEntry("?", nvcc + " (" + origin +
                          "): " + llvm::toString(version.takeError()));
      continue;
    }
    printEntry(str(*version), nvcc + " (" + origin + ")");
    return;
  }
  printEntry("none", "no nvcc in CUDA_HOME or on PATH; Drawloom needs none");
}

namespace {
/// The few calls of the CUDA driver API that are needed to name the devices.
class Driver {
public:
  static llvm::Expected<Driver> load();

  llvm::Expected<Version> getVersion() const;
  llvm::Expected<int> countDevices() const;
  /// Name and compute capability.
  llvm::Expected<std::pair<std::string, Version>> describe(int index) const;

private:
  explicit Driver(llvm::sys::DynamicLibrary library) : library(library) {}

  template <typename... Args>
  llvm::Error call(const char *name, Args... args) const {
    auto *function =
        reinterpret_cast<int (*)(Args...)>(library.getAddressOfSymbol(name));
    if (!function)
      return llvm::createStringError("libcuda.so.1 has no %s", name);
    if (int result = function(args...))
      return llvm::createStringError("%s answers with error %d", name, result);
    return llvm::Error::success();
  }

  mutable llvm::sys::DynamicLibrary library;
};
} // namespace

llvm::Expected<Driver> Driver::load() {
  std::string problem;
  Driver driver(
      llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &problem));
  if (!driver.library.isValid())
    return llvm::createStringError(problem);
  if (llvm::Error error = driver.call("cuInit", 0u))
    return error;
  return driver;
}

llvm::Expected<Version> Driver::getVersion() const {
  int number = 0;
  if (llvm::Error error = call("cuDriverGetVersion", &number))
    return error;
  // 13020 is 13.2.
  return Version{unsigned(number / 1000), unsigned(number % 1000 / 10)};
}

llvm::Expected<int> Driver::countDevices() const {
  int count = 0;
  if (llvm::Error error = call("cuDeviceGetCount", &count))
    return error;
  return count;
}

llvm::Expected<std::pair<std::string, Version>>
Driver::describe(int index) const {
  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
  constexpr int majorAttribute = 75, minorAttribute = 76;
  int device = 0, major = 0, minor = 0;
  char name[256] = {};
  if (llvm::Error error = call("cuDeviceGet", &device, index))
    return error;
  if (llvm::Error error =
          call("cuDeviceGetName", &name[0], int(sizeof(name) - 1), device))
    return error;
  if (llvm::Error error =
          call("cuDeviceGetAttribute", &major, majorAttribute, device))
    return error;
  if (llvm::Error error =
          call("cuDeviceGetAttribute", &minor, minorAttribute, device))
    return error;
  return std::make_pair(std::string(name),
                        Version{unsigned(major), unsigned(minor)});
}

/// Lists the emulated devices. Returns their architectures.
static llvm::Expected<std::vector<std::string>> reportEmulator() {
  llvm::Expected<std::string> folder = emulatorFolder();
  if (!folder)
    return folder.takeError();
  std::vector<std::string> runnable;
  for (const emu::DeviceModel &model : emu::deviceModels()) {
    printEntry(model.name, model.product + ": runs " + model.target.str());
    runnable.push_back(model.target.str());
  }
  printEntry("", *folder);
  return runnable;
}

/// Lists the devices. Returns the architectures that one of them can run.
static llvm::Expected<std::vector<std::string>> reportDevices() {
  llvm::Expected<Driver> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  llvm::Expected<Version> version = driver->getVersion();
  if (!version)
    return version.takeError();
  llvm::Expected<int> count = driver->countDevices();
  if (!count)
    return count.takeError();
  printEntry(str(*version), "libcuda.so.1, " + llvm::Twine(*count) +
                                (*count == 1 ? " device" : " devices"));
  std::vector<std::string> runnable;
  for (int index = 0; index < *count; ++index) {
    auto device = driver->describe(index);
    if (!device)
      return device.takeError();
    // Code for an `a` target runs on exactly that compute capability.
    std::string name =
        llvm::formatv("sm_{0}{1}a", device->second.major, device->second.minor);
    bool known = llvm::any_of(architectures(), [&](const Architecture &arch) {
      return arch.name == name;
    });
    printEntry(
        "",
        device->first + ", compute capability " + str(device->second) +
            (known ? ": runs " + name : ": not an architecture of Drawloom's"));
    if (known && !llvm::is_contained(runnable, name))
      runnable.push_back(name);
  }
  return runnable;
}

ExitStatus drawloom::runDoctor(llvm::ArrayRef<llvm::StringRef> arguments) {
  llvm::Expected<CommandLine> line = CommandLine::parse(arguments, {});
  if (!line || !line->getOperands().empty()) {
    return complain("doctor", line ? "takes no operands"
                                   : llvm::toString(line.takeError()));
  }
  if (line->wantsHelp()) {
    printDoctorHelp();
    return Clean;
  }

  ToolSearch search = ToolSearch::fromEnvironment();
  llvm::outs() << versionLine() << "\n\n";
  std::vector<std::string> served = reportPtxas(search);
  reportToolkit(search);
  llvm::outs() << "CUDA driver\n";
  llvm::Expected<std::vector<std::string>> devices = reportDevices();
  std::vector<std::string> runnable;
  if (devices)
    runnable = *devices;
  else
    printEntry("none", llvm::toString(devices.takeError()));

  llvm::outs() << "Emulator\n";
  llvm::Expected<std::vector<std::string>> emulated = reportEmulator();
  if (!emulated)
    printEntry("none", llvm::toString(emulated.takeError()));

  llvm::outs() << "\nPTX can be made for " << listArchitectures() << ".\n";
  if (served.empty())
    llvm::outs() << "Cubins cannot be made: there is no usable ptxas.\n";
  else
    llvm::outs() << "Cubins can be made for " << llvm::join(served, ", ")
                 << ".\n";
  if (emulated)
    llvm::outs() << "The emulator can run " << llvm::join(*emulated, ", ")
                 << ".\n";
  if (runnable.empty())
    llvm::outs() << "No GPU here can run them.\n";
  else
    llvm::outs() << "GPUs here can run " << llvm::join(runnable, ", ") << ".\n";
  return served.empty() ? Failed : Clean;
}
