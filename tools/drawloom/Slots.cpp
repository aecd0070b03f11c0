//===- Slots.cpp - drawloom slots -----------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "CountSlots.h"
#include "Files.h"
#include "Verb.h"
#include "drawloom/Emulator/Device.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Input/Read.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

static void printSlotsHelp() {
  llvm::outs()
      << "drawloom slots - count what ptxas makes of each PTX instruction\n"
         "\n"
         "Usage: drawloom slots FILE.ptx ... [options]\n"
         "\n"
         "A GPU issues SASS, not PTX. This assembles the PTX and counts the "
         "SASS of each\n"
         "instruction: spills, register moves, MEMBAR and CCTL are counted, "
         "too. The clock\n"
         "of the emulator takes the table from DRAWLOOM_TIME_SLOTS "
         "(docs/Timing.md). It\n"
         "needs ptxas and nvdisasm: pip install nvidia-cuda-nvcc "
         "nvidia-cuda-nvdisasm.\n"
         "\n"
         "Options:\n"
         "  --device DEVICE  whose SASS: h100 or b200; without it, the first "
         "that takes the\n"
         "                   PTX\n"
         "  -o FILE          where to write the table; without it, or with "
         "'-', "
         "standard\n"
         "                   output\n"
         "  --help           this text\n"
         "\n"
      << exitStatusHelp
      << "\n"
         "Example:\n"
         "  drawloom slots "
      << findExamples()
      << "/run/saxpy.ptx -o saxpy.slots\n"
         "  DRAWLOOM_TIME_SLOTS=saxpy.slots drawloom run --time \\\n"
         "    "
      << findExamples() << "/run/saxpy.ptx --launch " << findExamples()
      << "/run/saxpy.json\n";
}

/// The table of a file, without the header.
static llvm::Expected<std::string> countFile(llvm::StringRef path,
                                             llvm::StringRef device) {
  auto text = input::readText(path);
  if (!text)
    return text.takeError();
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef((*text)->getBuffer(), path));
  if (!parsed)
    return llvm::createStringError(llvm::StringRef(parsed.str()).rtrim());
  if (device.empty())
    device = parsed.module->target.sm < 100 ? "h100" : "b200";
  const emu::DeviceModel &model = *emu::findDeviceModel(device);
  llvm::Expected<CountedSlots> counted =
      countSlots(*parsed.module, model.target.str());
  if (!counted)
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(counted.takeError()));
  llvm::errs() << llvm::formatv("drawloom: '{0}': {1} instructions of PTX are "
                                "{2} of SASS by ptxas {3} for {4}\n",
                                path, counted->ptx, counted->sass,
                                counted->ptxas, model.target.str());
  return emu::printIssueSlots(counted->slots, *parsed.module);
}

ExitStatus drawloom::runSlots(llvm::ArrayRef<llvm::StringRef> arguments) {
  auto complain = [](const llvm::Twine &words) {
    return drawloom::complain("slots", words);
  };
  llvm::Expected<CommandLine> line =
      CommandLine::parse(arguments, {{"--device", true}, {"-o", true}});
  if (!line)
    return complain(llvm::toString(line.takeError()));
  if (line->wantsHelp()) {
    printSlotsHelp();
    return Clean;
  }
  if (line->getOperands().empty())
    return complain("name a file of PTX");
  llvm::StringRef device = line->get("--device").value_or("");
  if (!device.empty() && device != "h100" && device != "b200")
    return complain("'" + device + "' is not one of h100, b200");
  std::string table = emu::issueSlotsHeader.str() + '\n';
  for (llvm::StringRef path : line->getOperands()) {
    llvm::Expected<std::string> counted = countFile(path, device);
    if (!counted) {
      llvm::errs() << "drawloom: "
                   << input::makePrintable(llvm::toString(counted.takeError()))
                   << '\n';
      return Failed;
    }
    table += *counted;
  }
  return mlir::succeeded(writeOutput(line->get("-o").value_or("-"), table))
             ? Clean
             : Failed;
}
