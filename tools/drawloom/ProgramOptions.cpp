//===- ProgramOptions.cpp - What drawloom run is asked about a program ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOptions.h"
#include "CommandLine.h"
#include "Orders.h"
#include "Verb.h"
#include "drawloom/Run/Execute.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::run;

void drawloom::printProgramOptions() {
  llvm::outs()
      << "Options for a program:\n"
         "  --arch ARCH      the GPU to compile for: "
      << target::listArchitectures()
      << "\n"
         "  --device DEVICE  where to run: cuda, a GPU of this machine, or an "
         "emulated\n"
         "                   h100 or b200; without it, emulated, by the "
         "architecture\n"
         "  --sms N          SMs of the emulated device (2, or a cluster's "
         "CTAs), 0 for as\n"
         "                   many as the real one, as with --time\n"
         "  --kernel NAME    this kernel, if there are several\n"
         "  --random         fill inputs that no file gives with random "
         "numbers\n"
         "  --seed N         other random numbers (0)\n"
         "  --compare        compare with the reference interpreter; each "
         "result must be\n"
         "                   within the bound that follows from the program\n"
         "  --orders N       run again under N random orders and every "
         "adversarial one:\n"
         "                   every output must have the same bits\n"
         "  --unproved       run a kernel that is not proved deadlock-free\n"
         "  --no-cache       compile even what was compiled before "
         "(docs/Cache.md)\n"
         "  --shape NAME=MxN[,...]       sizes of arguments; ? leaves one "
         "open\n"
         "  --scalar NAME=NUMBER[,...]   arguments that are no tensors\n"
         "  --input NAME=FILE.npy[,...]  what arguments hold\n"
         "  --output NAME=FILE.npy[,...] where to write arguments after the "
         "run\n"
         "  --help           this text\n";
}

void drawloom::printRunProgramHelp() {
  llvm::outs()
      << "drawloom run - compile and run a tile program, or run PTX or a "
         "command\n"
         "\n"
         "Usage: drawloom run FILE.mlir --arch ARCH [options]\n"
         "       drawloom run FILE.ptx --launch LAUNCH.json [options]\n"
         "       drawloom run [options] -- COMMAND [arguments]\n"
         "\n"
         "FILE.mlir holds linalg on tensors, a tile program, or a kernel with "
         "roles.\n"
         "Sizes that the program walks together are one size. Those that are "
         "not named are\n"
         "chosen: with ragged edges and several output tiles.\n"
         "\n";
  printProgramOptions();
}

/// Splits "A=x,B=y" and gives each part to `read`, which may complain.
static llvm::Error
readList(const CommandLine &line, llvm::StringRef option,
         llvm::function_ref<bool(llvm::StringRef, llvm::StringRef)> read,
         llvm::StringRef example) {
  std::optional<llvm::StringRef> text = line.get(option);
  if (!text)
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef> parts;
  text->split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    name.consume_front("%");
    if (name.empty() || value.empty() || !read(name, value))
      return llvm::createStringError(option + " takes " + example + ", not '" +
                                     part + "'");
  }
  return llvm::Error::success();
}

static bool readShape(llvm::StringRef text,
                      llvm::SmallVectorImpl<int64_t> &shape) {
  llvm::SmallVector<llvm::StringRef> sizes;
  text.split(sizes, 'x');
  for (llvm::StringRef size : sizes) {
    int64_t &number = shape.emplace_back(-1);
    if (size != "?" && (size.getAsInteger(10, number) || number < 0))
      return false;
  }
  return true;
}

static llvm::Error readNumber(const CommandLine &line, llvm::StringRef option,
                              uint64_t most, uint64_t &number) {
  if (std::optional<llvm::StringRef> text = line.get(option))
    if (text->getAsInteger(10, number) || number > most)
      return llvm::createStringError(option + " takes a number up to " +
                                     llvm::Twine(most) + ", not '" + *text +
                                     "'");
  return llvm::Error::success();
}

/// The architecture, and the device that runs its code.
static llvm::Error readDevice(const CommandLine &line,
                              ProgramOptions &options) {
  std::optional<llvm::StringRef> arch = line.get("--arch");
  if (!arch)
    return llvm::createStringError("name the GPU to compile for with --arch: " +
                                   target::listArchitectures());
  llvm::Expected<const target::Architecture *> found =
      target::findArchitecture(*arch);
  if (!found)
    return found.takeError();
  options.arch = *found;
  options.device =
      line.get("--device").value_or(getEmulatedDevice(**found)).str();
  if (!llvm::is_contained({"cuda", "h100", "b200"}, options.device))
    return llvm::createStringError("--device takes cuda, h100 or b200, not '" +
                                   options.device + "'");
  return llvm::Error::success();
}

/// The number of SMs, and the seed of random inputs.
static llvm::Error readNumbers(const CommandLine &line,
                               ProgramOptions &options) {
  uint64_t sms = 0, seed = 0;
  if (llvm::Error error = readNumber(line, "--sms", 1024, sms))
    return error;
  if (llvm::Error error = readNumber(line, "--seed", UINT64_MAX, seed))
    return error;
  if (line.has("--sms"))
    options.sms = sms;
  if (line.has("--random"))
    options.arguments.seed = seed;
  else if (line.has("--seed"))
    return llvm::createStringError("--seed goes with --random");
  return llvm::Error::success();
}

/// What only an emulated device does: orders, checks, times and fidelity.
static llvm::Error readEmulation(const CommandLine &line, llvm::StringRef verb,
                                 ProgramOptions &options) {
  llvm::Expected<unsigned> orders = readOrders(line);
  if (!orders)
    return orders.takeError();
  options.orders = *orders;
  if (options.orders && options.device == "cuda")
    return llvm::createStringError(
        "--orders needs an emulated device, not --device cuda");
  llvm::Expected<CheckOptions> check = CheckOptions::read(line, verb);
  if (!check)
    return check.takeError();
  options.check = *check;
  if (options.check.checks && options.device == "cuda")
    return llvm::createStringError(
        "--check needs an emulated device, not --device cuda");
  if (line.has("--time")) {
    if (options.device == "cuda" || options.orders)
      return llvm::createStringError(
          options.orders ? "--time is an order of its own; leave out --orders"
                         : "--time needs an emulated device, not --device "
                           "cuda");
    setenv("DRAWLOOM_TIME", "default", 0);
    if (!options.sms)
      options.sms = 0; // A time is that of the whole GPU.
  }
  if (std::optional<llvm::StringRef> file = line.get("--fidelity")) {
    if (options.device == "cuda")
      return llvm::createStringError(
          "--fidelity needs an emulated device, not --device cuda");
    setenv("DRAWLOOM_FIDELITY", file->str().c_str(), 1);
  }
  return llvm::Error::success();
}

/// The sizes of arguments, what they hold, and the files of outputs.
static llvm::Error readArguments(const CommandLine &line,
                                 ProgramOptions &options) {
  if (llvm::Error error = readList(
          line, "--shape",
          [&](llvm::StringRef name, llvm::StringRef value) {
            return readShape(value, options.arguments.shapes[name.str()]);
          },
          "NAME=SIZES such as A=512x256"))
    return error;
  if (llvm::Error error = readList(
          line, "--scalar",
          [&](llvm::StringRef name, llvm::StringRef value) {
            return !value.getAsDouble(options.arguments.scalars[name.str()]);
          },
          "NAME=NUMBER such as alpha=0.5"))
    return error;
  auto readFile = [](auto &files) {
    return [&files](llvm::StringRef name, llvm::StringRef value) {
      files[name.str()] = value.str();
      return true;
    };
  };
  if (llvm::Error error =
          readList(line, "--input", readFile(options.arguments.inputs),
                   "NAME=FILE such as A=a.npy"))
    return error;
  return readList(line, "--output", readFile(options.outputs),
                  "NAME=FILE such as D=d.npy");
}

llvm::Expected<ProgramOptions>
ProgramOptions::read(llvm::ArrayRef<llvm::StringRef> arguments,
                     llvm::StringRef verb) {
  llvm::Expected<CommandLine> parsed =
      CommandLine::parse(arguments, CheckOptions::with({{"--arch", true},
                                                        {"--device", true},
                                                        {"--sms", true},
                                                        {"--kernel", true},
                                                        {"--random", false},
                                                        {"--seed", true},
                                                        {"--compare", false},
                                                        {"--orders", true},
                                                        {"--unproved", false},
                                                        {"--no-cache", false},
                                                        {"--shape", true},
                                                        {"--scalar", true},
                                                        {"--input", true},
                                                        {"--output", true},
                                                        {"--time", false},
                                                        {"--fidelity", true}}));
  if (!parsed)
    return parsed.takeError();
  const CommandLine &line = *parsed;
  ProgramOptions options;
  if (line.getOperands().size() != 1)
    return llvm::createStringError("name one file to run, not more");
  options.input = line.getOperands().front().str();
  if (llvm::Error error = readDevice(line, options))
    return error;
  llvm::StringRef kernel = line.get("--kernel").value_or("");
  kernel.consume_front("@");
  options.kernel = kernel.str();
  options.compares = line.has("--compare");
  options.unproved = line.has("--unproved");
  options.usesCache = !line.has("--no-cache");
  if (llvm::Error error = readNumbers(line, options))
    return error;
  if (llvm::Error error = readEmulation(line, verb, options))
    return error;
  if (llvm::Error error = readArguments(line, options))
    return error;
  return options;
}
