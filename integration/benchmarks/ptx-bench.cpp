//===- ptx-bench.cpp - How fast PTX is parsed -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses PTX again and again on one thread and prints megabytes a second of
// processor time: from text to the typed form, checks included. Without
// arguments it parses a module that it makes up, with about the mix of
// instructions that kernels for sm_100a have; with arguments, those files.
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace drawloom;

static llvm::cl::OptionCategory category("ptx-bench");
static llvm::cl::list<std::string> inputs(llvm::cl::Positional,
                                          llvm::cl::desc("[file.ptx ...]"),
                                          llvm::cl::cat(category));
static llvm::cl::opt<double>
    seconds("seconds", llvm::cl::init(2),
            llvm::cl::desc("How long to measure (default 2)"),
            llvm::cl::cat(category));

/// One round of the loop that the synthetic kernel repeats: address arithmetic,
/// a wait with its own scope and label, copies, an MMA, and an epilogue.
static void printRound(unsigned round, llvm::raw_ostream &os) {
  unsigned r = 16 + round % 900, rd = 16 + round % 90, p = 1 + round % 30;
  os << "\t// begin inline asm\n\t{\n\t.reg .pred       P1;\n\tLAB_WAIT:\n"
     << "\tmbarrier.try_wait.parity.shared::cta.b64 P1, [%r" << r << "], %r"
     << r + 1 << ";\n\t@P1 bra DONE;\n\tbra     LAB_WAIT;\n\tDONE:\n\t}\n"
     << "\t// end inline asm\n";
  os << "$L__BB0_" << round << ":\n";
  for (unsigned i = 0; i < 12; ++i) {
    unsigned a = r + i, b = r + 2 * i;
    os << "\tadd.s32 \t%r" << a << ", %r" << b << ", " << 64 * i << ";\n"
       << "\tshl.b32 \t%r" << a + 1 << ", %r" << a << ", 7;\n"
       << "\tand.b32  \t%r" << b + 1 << ", %r" << a + 1 << ", 4032;\n"
       << "\tmov.b32 \t%r" << a + 2 << ", %r" << b << ";\n"
       << "\tsetp.lt.s32 \t%p" << p << ", %r" << a << ", %r" << b << ";\n"
       << "\tselp.b32 \t%r" << a << ", %r" << b << ", 0, %p" << p << ";\n"
       << "\tmul.wide.u32 \t%rd" << rd << ", %r" << a << ", 4;\n"
       << "\tadd.s64 \t%rd" << rd + 1 << ", %rd" << rd << ", %rd1;\n"
       << "\tld.shared.v4.b32 \t{%r" << a << ", %r" << a + 1 << ", %r" << a + 2
       << ", %r" << a + 3 << "}, [%r" << b << "+" << 16 * i << "];\n"
       << "\tfma.rn.f32 \t%f" << i << ", %f" << i + 1 << ", %f" << i + 2
       << ", 0f3F800000;\n"
       << "\tcvt.rn.bf16x2.f32 \t%r" << a << ", %f" << i << ", %f" << i + 1
       << ";\n"
       << "\tst.global.v4.b32 \t[%rd" << rd + 1 << "], {%r" << a << ", %r"
       << a + 1 << ", %r" << a + 2 << ", %r" << a + 3 << "};\n";
  }
  os << "\telect.sync \t%r" << r << "|%p" << p << ", -1;\n"
     << "\t@%p" << p
     << " cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
     << "::complete_tx::bytes [%r" << r << "], [%rd" << rd << ", {%r" << r + 1
     << ", %r" << r + 2 << "}], [%r" << r + 3 << "];\n"
     << "\t@%p" << p << " tcgen05.mma.cta_group::1.kind::f16 [%r" << r
     << "], %rd" << rd << ", %rd" << rd + 1 << ", %r" << r + 1 << ", %p" << p
     << ";\n\ttcgen05.ld.sync.aligned.32x32b.x32.b32 {";
  for (unsigned i = 0; i < 32; ++i)
    os << (i ? ", " : "") << "%r" << r + i;
  os << "}, [%r" << r + 1 << "];\n\ttcgen05.wait::ld.sync.aligned;\n"
     << "\t@%p" << p << " bra \t$L__BB0_" << round << ";\n";
}

static std::string makeModule(size_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << ".version 8.8\n.target sm_100a\n.address_size 64\n\n"
     << ".visible .entry kernel(.param .u64 kernel_param_0)\n"
     << ".reqntid 128, 1, 1\n{\n\t.reg .pred \t%p<40>;\n\t.reg .b32 \t%r<1000>;"
     << "\n\t.reg .f32 \t%f<32>;\n\t.reg .b64 \t%rd<120>;\n\n"
     << "\tld.param.u64 \t%rd1, [kernel_param_0];\n";
  for (unsigned round = 0; text.size() < bytes; ++round)
    printRound(round, os);
  os << "\tret;\n}\n";
  return text;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Measures how fast PTX text becomes the typed form, in MB/s.\n");
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  if (inputs.empty())
    buffers.push_back(llvm::MemoryBuffer::getMemBufferCopy(makeModule(4 << 20),
                                                           "synthetic.ptx"));
  for (const std::string &path : inputs) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!buffer) {
      llvm::errs() << path << ": " << buffer.getError().message() << '\n';
      return 1;
    }
    buffers.push_back(std::move(*buffer));
  }

  size_t bytes = 0, instructions = 0;
  // Processor time: what else runs on the host does not count.
  std::clock_t start = std::clock();
  double elapsed = 0;
  do {
    for (const std::unique_ptr<llvm::MemoryBuffer> &buffer : buffers) {
      ptx::ParseResult result = ptx::parseModule(*buffer);
      if (!result) {
        llvm::errs() << result.str();
        return 1;
      }
      bytes += buffer->getBufferSize();
      for (const ptx::Function *function : result.module->functions)
        instructions += function->instructions.size();
    }
    elapsed = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (elapsed < seconds);

  double megabytes = static_cast<double>(bytes) / 1e6;
  llvm::outs() << llvm::format("%.1f million instructions, %.0f ns each\n",
                               instructions / 1e6,
                               elapsed * 1e9 /
                                   std::max<size_t>(instructions, 1))
               << llvm::format("parsed %.1f MB in %.1f s: %.1f MB/s\n",
                               megabytes, elapsed, megabytes / elapsed);
  return 0;
}
