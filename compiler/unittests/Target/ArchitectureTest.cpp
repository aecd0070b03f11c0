//===- ArchitectureTest.cpp - The table of architectures ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/Architecture.h"
#include "PtxasFixture.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::target;

static std::string lookupError(llvm::StringRef name) {
  llvm::Expected<const Architecture *> arch = findArchitecture(name);
  return arch ? "" : llvm::toString(arch.takeError());
}

TEST(Architecture, IsFoundByName) {
  for (llvm::StringRef name : {"sm_90a", "sm_100a", "sm_103a", "sm_110a"}) {
    llvm::Expected<const Architecture *> arch = findArchitecture(name);
    ASSERT_TRUE(bool(arch)) << llvm::toString(arch.takeError());
    EXPECT_EQ((*arch)->name, name);
  }
}

TEST(Architecture, UnknownNamesAreAnsweredWithTheKnownOnes) {
  EXPECT_EQ(lookupError("sm_80"),
            "unknown architecture 'sm_80'; the known ones are sm_90a, sm_100a, "
            "sm_103a, sm_110a [unknown-architecture]");
  EXPECT_EQ(lookupError("sm_100"),
            "unknown architecture 'sm_100'; the known ones are sm_90a, "
            "sm_100a, sm_103a, sm_110a; did you mean 'sm_100a'? "
            "[unknown-architecture]");
}

TEST(Architecture, DevicesAreAnsweredWithTheirArchitecture) {
  EXPECT_EQ(lookupError("b200"),
            "unknown architecture 'b200': b200 is a "
            "device; its architecture is sm_100a [unknown-architecture]");
  EXPECT_EQ(lookupError("Hopper"),
            "unknown architecture 'Hopper': Hopper is a "
            "family; its architecture is sm_90a [unknown-architecture]");
}

TEST(Architecture, NumbersAgreeWithEachOther) {
  llvm::SmallVector<ArchitectureSet> bits;
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    EXPECT_FALSE(llvm::is_contained(bits, arch.bit));
    bits.push_back(arch.bit);
    EXPECT_GE(arch.ptx, arch.firstPtx);
    EXPECT_EQ(arch.maxSharedMemoryPerCta + arch.reservedSharedMemoryPerCta,
              arch.sharedMemoryPerSm);
    EXPECT_LE(arch.maxThreadsPerCta, arch.maxWarpsPerSm * arch.warpSize);
    EXPECT_LE(arch.portableClusterSize, arch.maxClusterSize);
    EXPECT_EQ(arch.tensorMemory.columns != 0,
              arch.mma == MmaInstruction::Tcgen05);
    // A warp's unit is a whole number of registers for each of its threads,
    // and that is the step of a budget.
    EXPECT_EQ(arch.registerAllocationUnit,
              arch.registerBudget.step * arch.warpSize);
  }
}

TEST(MmaForm, ShapesFollowTheIsa) {
  auto find = [](llvm::StringRef archName, llvm::StringRef kind,
                 unsigned ctaGroup, unsigned k) -> const MmaForm * {
    const Architecture *arch = llvm::cantFail(findArchitecture(archName));
    for (const MmaForm *form : arch->mmaForms())
      if (form->kind == kind && form->ctaGroup == ctaGroup && form->k == k)
        return form;
    return nullptr;
  };
  const MmaForm *half = find("sm_100a", "f16", 1, 16);
  ASSERT_NE(half, nullptr);
  EXPECT_TRUE(half->allows(128, 256, 16));
  EXPECT_TRUE(half->allows(64, 8, 16));
  EXPECT_FALSE(half->allows(256, 256, 16));
  EXPECT_FALSE(half->allows(128, 12, 16));
  EXPECT_FALSE(half->allows(128, 264, 16));
  EXPECT_FALSE(half->allows(128, 0, 16));
  EXPECT_FALSE(half->allows(128, 256, 32));

  const MmaForm *pair = find("sm_100a", "f16", 2, 16);
  ASSERT_NE(pair, nullptr);
  EXPECT_TRUE(pair->allows(256, 256, 16));
  EXPECT_FALSE(pair->allows(64, 256, 16));
  EXPECT_FALSE(pair->allows(256, 24, 16));

  // Only sm_103a multiplies 4-bit types 96 deep, and only it has no integers.
  EXPECT_NE(find("sm_103a", "mxf4nvf4", 2, 96), nullptr);
  EXPECT_EQ(find("sm_100a", "mxf4nvf4", 2, 96), nullptr);
  EXPECT_NE(find("sm_100a", "i8", 1, 32), nullptr);
  EXPECT_EQ(find("sm_103a", "i8", 1, 32), nullptr);
}

namespace {
class ArchitectureFacts : public PtxasFixture {};
} // namespace

TEST_F(ArchitectureFacts, SharedMemoryOfACta) {
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    auto withBytes = [&](unsigned bytes) {
      return kernel(
          arch,
          "ld.param.u64 %d0, [p]; ld.volatile.shared.u32 %r0, [s]; "
          "st.global.u32 [%d0], %r0;",
          "", llvm::formatv(".shared .align 16 .b8 s[{0}];", bytes).str());
    };
    EXPECT_TRUE(accepts(arch, withBytes(arch.maxSharedMemoryPerCta)));
    EXPECT_FALSE(accepts(arch, withBytes(arch.maxSharedMemoryPerCta + 1)));
  }
}

TEST_F(ArchitectureFacts, NamedBarriers) {
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    auto withBarrier = [&](unsigned number) {
      return kernel(arch, llvm::formatv("bar.sync {0};", number).str());
    };
    EXPECT_TRUE(accepts(arch, withBarrier(arch.namedBarriers - 1)));
    EXPECT_FALSE(accepts(arch, withBarrier(arch.namedBarriers)));
  }
}

TEST_F(ArchitectureFacts, RegisterBudgets) {
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    const RegisterBudgetRange &range = arch.registerBudget;
    std::string body;
    std::set<unsigned> expected;
    for (unsigned value = 8; value <= range.max + 8; ++value) {
      body += llvm::formatv("setmaxnreg.inc.sync.aligned.u32 {0};\n", value);
      if (value < range.min || value > range.max || value % range.step != 0)
        expected.insert(bodyLine + value - 8);
    }
    EXPECT_EQ(rejectedLines(arch, kernel(arch, body)), expected);
  }
}

TEST_F(ArchitectureFacts, RegistersOfAThread) {
  // A kernel that may have as many registers as it likes gets the most that a
  // thread may have, because setmaxnreg makes ptxas take all at entry.
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    llvm::Expected<AssembledModule> module =
        run(arch, kernel(arch, "setmaxnreg.dec.sync.aligned.u32 24;",
                         ".reqntid 128 .minnctapersm 1"));
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    EXPECT_EQ(module->report.functions.front().registers,
              arch.maxRegistersPerThread);
    // With two CTAs of 256 threads, the file of the SM decides.
    llvm::Expected<AssembledModule> shared =
        run(arch, kernel(arch, "setmaxnreg.dec.sync.aligned.u32 24;",
                         ".reqntid 256 .minnctapersm 2"));
    ASSERT_TRUE(bool(shared)) << llvm::toString(shared.takeError());
    EXPECT_EQ(shared->report.functions.front().registers,
              arch.registersPerSm / (2 * 256));
  }
}

TEST_F(ArchitectureFacts, TensorMemoryAllocation) {
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    std::string body;
    std::set<unsigned> expected;
    unsigned line = bodyLine;
    for (unsigned columns = 8; columns <= 1024; columns *= 2, ++line) {
      body += llvm::formatv("tcgen05.alloc.cta_group::1.sync.aligned."
                            "shared::cta.b32 [%r0], {0};\n",
                            columns);
      if (columns < arch.tensorMemory.minAllocation ||
          columns > arch.tensorMemory.columns)
        expected.insert(line);
    }
    EXPECT_EQ(rejectedLines(arch, kernel(arch, body)), expected);
  }
}

TEST_F(ArchitectureFacts, WgmmaShapes) {
  const Architecture *hopper = llvm::cantFail(findArchitecture("sm_90a"));
  for (const MmaForm *form : hopper->mmaForms())
    for (ElementType accumulator : form->accumulators) {
      SCOPED_TRACE((form->kind + " into " + toString(accumulator)).str());
      llvm::StringRef operand = toString(form->operands.front());
      bool isInteger = accumulator == ElementType::S32;
      bool isHalf = accumulator == ElementType::F16;
      std::string body;
      std::set<unsigned> expected;
      // The last line is wrong on purpose: with an error, ptxas checks every
      // line and generates no code.
      for (unsigned n = 8; n <= 264; n += 8) {
        std::string registers;
        for (unsigned i = 0; i < n / (isHalf ? 4 : 2); ++i)
          registers += llvm::formatv("{0}%{1}{2}", i == 0 ? "" : ", ",
                                     isInteger || isHalf ? "r" : "f", i);
        body += llvm::formatv(
            "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{3}{4} "
            "{{{5}}, %d0, %d1, 1{6};\n",
            n, form->k, toString(accumulator), operand,
            operand == "b1" ? ".and.popc" : "", registers,
            isInteger                               ? ""
            : operand == "f16" || operand == "bf16" ? ", 1, 1, 0, 0"
                                                    : ", 1, 1");
        if (!form->allows(64, n, form->k))
          expected.insert(bodyLine + n / 8 - 1);
      }
      EXPECT_EQ(rejectedLines(*hopper, kernel(*hopper, body)), expected);
    }
}

TEST_F(ArchitectureFacts, Tcgen05Kinds) {
  // Shapes are in a run-time descriptor and cannot be asked for; which kinds
  // exist can.
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    std::string body;
    std::set<unsigned> expected;
    unsigned line = bodyLine;
    for (const MmaForm &form : allMmaForms()) {
      if (form.instruction != MmaInstruction::Tcgen05 || form.k == 96)
        continue;
      body += llvm::formatv(
          "tcgen05.mma.cta_group::{0}.kind::{1}{2} [%r0], %d0, %d1, %r1{3}, "
          "%p;\n",
          form.ctaGroup, form.kind,
          form.scales.empty()       ? ""
          : form.kind == "mxf4nvf4" ? ".block_scale.block16"
                                    : ".block_scale",
          form.scales.empty() ? "" : ", [%r2], [%r3]");
      if (!(form.architectures & arch.bit))
        expected.insert(line);
      ++line;
    }
    EXPECT_EQ(rejectedLines(arch, kernel(arch, body)), expected);
  }
}

TEST_F(ArchitectureFacts, ClusterLaunchControl) {
  for (const Architecture &arch : architectures()) {
    SCOPED_TRACE(arch.name.str());
    EXPECT_EQ(
        accepts(arch, kernel(arch, "clusterlaunchcontrol.try_cancel.async."
                                   "shared::cta.mbarrier::complete_tx::"
                                   "bytes.b128 [%r0], [%r1];")),
        arch.clusterLaunchControl);
  }
}
