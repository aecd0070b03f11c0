//===- FormsTest.cpp - Every form of arithmetic is executed --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the instruction table, writes down every form of the families of
// arithmetic with every choice of modifiers, and runs each in a kernel of its
// own. What the results are is for other tests; here, none may be unknown. The
// same for the mnemonics that other compilers' kernels use.
//
//===----------------------------------------------------------------------===//

#include "Decode/Program.h"
#include "Harness.h"
#include "VariantText.h"
#include "drawloom/PTX/InstructionTable.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;

static const Opcode opcodes[] = {
    Opcode::Add,     Opcode::Sub,      Opcode::Addc,    Opcode::Subc,
    Opcode::MulLo,   Opcode::MulHi,    Opcode::MulWide, Opcode::Mul24Lo,
    Opcode::Mul24Hi, Opcode::MadLo,    Opcode::MadHi,   Opcode::MadWide,
    Opcode::MadcLo,  Opcode::MadcHi,   Opcode::Mad24Lo, Opcode::Mad24Hi,
    Opcode::Sad,     Opcode::Div,      Opcode::Rem,     Opcode::Abs,
    Opcode::Neg,     Opcode::Min,      Opcode::Max,     Opcode::Dp4a,
    Opcode::Dp2aLo,  Opcode::Dp2aHi,   Opcode::And,     Opcode::Or,
    Opcode::Xor,     Opcode::Not,      Opcode::Cnot,    Opcode::Lop3,
    Opcode::ShfL,    Opcode::ShfR,     Opcode::Shl,     Opcode::Shr,
    Opcode::Popc,    Opcode::Clz,      Opcode::Brev,    Opcode::Bfind,
    Opcode::Fns,     Opcode::Bfe,      Opcode::Bfi,     Opcode::Bmsk,
    Opcode::Szext,   Opcode::Prmt,     Opcode::Setp,    Opcode::Set,
    Opcode::Selp,    Opcode::Slct,     Opcode::Mul,     Opcode::Fma,
    Opcode::Mad,     Opcode::Rcp,      Opcode::Sqrt,    Opcode::Rsqrt,
    Opcode::Sin,     Opcode::Cos,      Opcode::Lg2,     Opcode::Ex2,
    Opcode::Tanh,    Opcode::Copysign, Opcode::Testp,   Opcode::Mov,
    Opcode::Cvt,     Opcode::CvtPack};

TEST(Forms, EveryOneIsExecuted) {
  unsigned count = 0;
  for (Opcode opcode : opcodes) {
    std::vector<std::string> instructions;
    for (const ptx::Form &form : ptx::InstructionTable::get().formsOf(opcode))
      for (std::string &text : variantsOf(form))
        instructions.push_back(std::move(text));
    std::string text = variantPrelude();
    for (size_t i = 0; i != instructions.size(); ++i)
      text += variantKernel("k" + std::to_string(i), instructions[i] + ";");
    Harness h("b200", text);
    ASSERT_NE(h.module, nullptr) << ptx::spelling(opcode).str();
    for (size_t i = 0; i != instructions.size(); ++i)
      EXPECT_TRUE(h.run("k" + std::to_string(i), {1}, {32}, {}))
          << instructions[i];
    count += instructions.size();
  }
  RecordProperty("variants", static_cast<int>(count));
  EXPECT_GT(count, 1000u);
}

/// The mnemonics of a kernel in a file of forms that the emulator doesn't
/// execute.
static std::vector<std::string> notExecuted(llvm::StringRef device,
                                            llvm::StringRef file,
                                            llvm::StringRef name) {
  auto buffer = llvm::MemoryBuffer::getFile(
      std::string(DRAWLOOM_PTX_FORMS) + "/" + file.str(), /*IsText=*/true);
  EXPECT_TRUE(buffer) << file.str();
  if (!buffer)
    return {};
  ptx::ParseResult parsed = ptx::parseModule(**buffer);
  EXPECT_TRUE(parsed) << parsed.str();
  if (!parsed)
    return {};
  DeviceModel model = *findDeviceModel(device);
  model.memoryBytes = 1 << 20;
  auto machine = llvm::cantFail(Device::create(model));
  auto module = llvm::cantFail(machine->load(std::move(parsed.module)));
  auto kernel = module->kernel(name);
  if (!kernel) { // Hopper has no pairs.
    llvm::consumeError(kernel.takeError());
    return {};
  }
  const Program &program = *(*kernel)->program;
  EXPECT_GT(program.code.size(), 7u);
  std::vector<std::string> result;
  for (uint32_t index : program.notExecuted)
    result.push_back(program.source(&program.code[index])->variant->mnemonic());
  return result;
}

// What the kernels of other compilers use is executed, all of it.
TEST(Forms, TheCensus) {
  for (auto [device, file] :
       {std::pair("b200", "Census-sm_100a.ptx"), {"h100", "Census-sm_90a.ptx"}})
    for (const char *kernel : {"kernel", "pair"})
      EXPECT_EQ(notExecuted(device, file, kernel), std::vector<std::string>());
}
