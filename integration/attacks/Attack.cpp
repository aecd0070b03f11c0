//===- Attack.cpp - One kernel that may try anything ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Attack.h"
#include "Guard.h"
#include "drawloom/Checker/RaceChecker.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::attacks;
using namespace drawloom::emu;

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

void Tally::add(llvm::StringRef name, Outcome outcome) {
  ++count;
  static constexpr const char *words[] = {"", "bytes outside", "unreported",
                                          "crashed", "hung"};
  if (outcome == Outcome::Good)
    return;
  llvm::outs() << name << ": " << words[unsigned(outcome)] << '\n';
  outside += outcome == Outcome::Outside;
  unreported += outcome == Outcome::Unreported;
  crashes += outcome == Outcome::Crashed;
  hangs += outcome == Outcome::Hung;
}

std::string Tally::str(llvm::StringRef what) const {
  std::string text =
      (llvm::Twine(count) + " " + what + ", " + llvm::Twine(outside) +
       " bytes outside, " + llvm::Twine(crashes) + " crashes, " +
       llvm::Twine(hangs) + " hangs")
          .str();
  if (unreported)
    text += ", " + llvm::utostr(unreported) + " unreported";
  return text + "; at most " + llvm::utostr(mostKiB >> 10) + " MiB";
}

Outcome attacks::apart(llvm::function_ref<Outcome()> work, unsigned seconds,
                       uint64_t &kiB) {
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0)
    return Outcome::Crashed;
  if (child == 0) {
    alarm(seconds);
    _exit(int(work()));
  }
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  kiB = usage.ru_maxrss;
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? Outcome::Hung : Outcome::Crashed;
  // A sanitizer ends the process with a code of its own.
  return WEXITSTATUS(status) <= int(Outcome::Hung)
             ? Outcome(WEXITSTATUS(status))
             : Outcome::Crashed;
}

//===----------------------------------------------------------------------===//
// Attacks
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<Attack>>
attacks::readAttacks(llvm::StringRef folder) {
  auto buffer = llvm::MemoryBuffer::getFile(folder + "/attacks.json");
  if (!buffer)
    return llvm::createStringError("no list of attacks in '" + folder + "'");
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return parsed.takeError();
  std::vector<Attack> attacks;
  for (const llvm::json::Value &value : *parsed->getAsArray()) {
    const llvm::json::Object &object = *value.getAsObject();
    Attack attack;
    attack.name = object.getString("name").value_or("").str();
    attack.file = object.getString("file").value_or("").str();
    attack.device = object.getString("device").value_or("h100").str();
    attack.grid = object.getInteger("grid").value_or(1);
    attack.block = object.getInteger("block").value_or(32);
    attack.cluster = object.getInteger("cluster").value_or(1);
    attack.expected = object.getString("expected").value_or("any").str();
    attack.map = object.getString("map").value_or("").str();
    if (auto output = object.getString("output"))
      attack.output = output->str();
    attacks.push_back(std::move(attack));
  }
  return attacks;
}

/// Whether something holds eight bytes of what only the host has.
static bool holdsSecret(llvm::StringRef bytes) {
  llvm::StringRef secret(reinterpret_cast<const char *>(Watch::target()), 256);
  for (size_t at = 0; at + 8 <= secret.size(); ++at)
    if (bytes.contains(secret.substr(at, 8)))
      return true;
  return false;
}

static Launch makeLaunch(const Attack &attack, const Kernel &kernel,
                         uint64_t buffer) {
  Launch launch;
  launch.kernel = &kernel;
  launch.grid = {attack.grid};
  launch.block = {attack.block};
  launch.cluster = {attack.cluster};
  launch.parameters.resize(kernel.parameterBytes);
  uint64_t given[] = {buffer, Watch::target()};
  memcpy(launch.parameters.data(), given,
         std::min(sizeof(given), launch.parameters.size()));
  std::string map = llvm::fromHex(attack.map);
  if (!map.empty() && launch.parameters.size() >= 64 + map.size()) {
    uint64_t word;
    memcpy(&word, map.data(), sizeof(word));
    word |= buffer;
    memcpy(map.data(), &word, sizeof(word));
    memcpy(launch.parameters.data() + 64, map.data(), map.size());
  }
  return launch;
}

namespace {
/// What came of one attempt.
struct Attempt {
  std::string report, printed;
  bool launched = false;
};
} // namespace

/// Loads the kernel and runs it under a schedule.
static Attempt attempt(const Attack &attack, llvm::MemoryBufferRef text,
                       Device &device, uint64_t buffer,
                       llvm::StringRef schedule) {
  Attempt made;
  llvm::raw_string_ostream output(made.printed);
  ptx::ParseResult parsed = ptx::parseModule(text);
  if (!parsed) {
    made.report = parsed.str();
  } else if (auto module = device.load(std::move(parsed.module)); !module) {
    made.report = llvm::toString(module.takeError());
  } else if (auto kernel = (*module)->kernel("k"); !kernel) {
    made.report = llvm::toString(kernel.takeError());
  } else {
    Launch launch = makeLaunch(attack, **kernel, buffer);
    RunOptions options;
    options.stepLimit = 200000;
    options.threads = 1;
    options.output = &output;
    // The checker also has tables of events and addresses.
    checker::CheckOptions check;
    check.countsCosts = true;
    checker::RaceChecker listener(std::move(check));
    if (schedule == "random") {
      options.policy = Policy::Random;
      options.seed = 1;
    } else if (schedule == "adversarial") {
      options.policy = Policy::Adversarial;
    } else if (schedule == "checked") {
      options.listener = &listener;
    }
    made.launched = true;
    RunResult result = run(device, launch, options);
    if (!result.ok())
      made.report = result.report->str();
  }
  return made;
}

Outcome attacks::attackOnce(const Attack &attack, llvm::StringRef folder) {
  auto text = llvm::MemoryBuffer::getFile(folder + "/" + attack.file);
  const DeviceModel *known = findDeviceModel(attack.device);
  if (!text || !known)
    return Outcome::Unreported;
  DeviceModel model = *known;
  model.memoryBytes = uint64_t(1) << 30;
  model.smCount = 16;
  static const char *const schedules[] = {"deterministic", "random",
                                          "adversarial", "checked"};
  for (llvm::StringRef schedule : schedules) {
    Watch watch;
    auto device = llvm::cantFail(Device::create(model));
    GlobalMemory &memory = device->memory();
    constexpr size_t bufferBytes = 4000;
    const uint64_t buffer = llvm::cantFail(memory.allocate(bufferBytes));
    // What is left of the last page is unallocated, and zero.
    const llvm::StringRef rest(memory.translate(buffer, bufferBytes) +
                                   bufferBytes,
                               4096 - bufferBytes);
    auto [report, printed, launched] =
        attempt(attack, **text, *device, buffer, schedule);
    if (watch.changed() ||
        rest.find_first_not_of('\0') != llvm::StringRef::npos ||
        holdsSecret({memory.translate(buffer, bufferBytes), bufferBytes}) ||
        holdsSecret(printed) || printed.size() > (8u << 20))
      return Outcome::Outside;
    if (attack.output && schedule == "deterministic" &&
        printed != llvm::fromHex(*attack.output))
      return Outcome::Outside;
    bool wrong = attack.expected == "reported"  ? !launched || report.empty()
                 : attack.expected == "runs"    ? !report.empty()
                 : attack.expected == "refused" ? launched
                                                : false;
    if (wrong && schedule == "deterministic") {
      llvm::outs() << attack.name << ": " << attack.expected
                   << " is expected; it says '" << report << "'\n";
      llvm::outs().flush();
      return Outcome::Unreported;
    }
  }
  return Outcome::Good;
}
