//===- FidelityTest.cpp - How far results can be trusted -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Fidelity.h"
#include "Harness.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::emu;

static Fidelity classOf(llvm::StringRef mnemonic, bool isExecuted = true) {
  const FidelityRule *rule = fidelityRuleOf(mnemonic, isExecuted);
  return rule ? rule->fidelity : Fidelity::Exact;
}

TEST(Fidelity, Classes) {
  EXPECT_EQ(classOf("fma.rn.f32"), Fidelity::Exact);
  EXPECT_EQ(classOf("cvt.rn.bf16x2.f32"), Fidelity::Exact);
  EXPECT_EQ(classOf("cvt.rs.satfinite.e4m3x4.f32"), Fidelity::Inferred);
  EXPECT_EQ(classOf("ex2.approx.ftz.f32"), Fidelity::Approximate);
  EXPECT_EQ(classOf("sqrt.rn.f32"), Fidelity::Exact);
  EXPECT_EQ(classOf("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
            Fidelity::Exact);
  EXPECT_EQ(classOf("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
            Fidelity::Inferred);
  EXPECT_EQ(classOf("wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8"),
            Fidelity::Exact);
  EXPECT_EQ(classOf("tcgen05.mma.cta_group::1.kind::i8"), Fidelity::Exact);
  EXPECT_EQ(classOf("tcgen05.mma.cta_group::1.kind::f16"), Fidelity::Inferred);
  EXPECT_EQ(classOf("isspacep.global"), Fidelity::Exact);
  EXPECT_EQ(classOf("isspacep.global", false), Fidelity::NotExecuted);
  EXPECT_EQ(classOf("mov.u64 %globaltimer"), Fidelity::Inferred);
}

// More of bf16 and f16 are distinguished by the order of the rows.
TEST(Fidelity, Errors) {
  auto measured = [](llvm::StringRef mnemonic) {
    return fidelityRuleOf(mnemonic, true)->str();
  };
  EXPECT_EQ(measured("ex2.approx.ftz.f32"),
            "off by at most 1 ulp; PTX allows 2 ulp");
  EXPECT_EQ(measured("ex2.approx.f16x2"),
            "off by at most 2^-11.0 of the value; PTX allows 2^-9.9 of the "
            "value");
  EXPECT_EQ(measured("ex2.approx.ftz.bf16x2"),
            "off by at most 2^-8.0 of the value; PTX allows 2^-7 of the value");
}

/// What a kernel of one warp has executed.
static FidelityReport reportOf(const std::string &body) {
  DeviceModel model = *findDeviceModel("b200");
  model.memoryBytes = 1 << 20;
  Harness h("b200", "");
  h.counts = true;
  h.reload(model, perLaneKernel(body));
  uint64_t out = h.allocate<uint32_t>(32), wide = h.allocate<uint64_t>(32);
  h.launch("k", {1}, {32}, {out, wide});
  FidelityReport report;
  report.add(*llvm::cantFail(h.module->kernel("k")));
  return report;
}

static std::string textOf(const FidelityReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return text;
}

TEST(Fidelity, Report) {
  FidelityReport report =
      reportOf("ex2.approx.f32 %f1, %f2; ex2.approx.f32 %f1, %f1; "
               "mov.u32 %r1, %clock; setp.eq.u32 %p1, %lane, 99; "
               "@%p1 bra never; bra end; never: tanh.approx.f32 %f1, %f1; "
               "end: mov.b32 %o, 0;");
  EXPECT_EQ(report.count(Fidelity::Approximate), 1u);
  EXPECT_EQ(report.count(Fidelity::Inferred), 1u);
  EXPECT_EQ(report.count(Fidelity::NotExecuted), 0u);
  std::string text = textOf(report);
  llvm::StringRef said = text;
  EXPECT_TRUE(
      said.contains("1 approximate, 1 inferred, 0 not executed; no warp "
                    "came to 1 more\n"))
      << text;
  EXPECT_TRUE(said.contains("approximate: off by at most 1 ulp; PTX allows 2 "
                            "ulp\n             2 times  ex2.approx.f32\n"))
      << text;
  EXPECT_TRUE(said.contains("inferred: the clock counts warp instructions of "
                            "the emulator\n             1 times  mov.u32 "
                            "%clock\n"))
      << text;
}

TEST(Fidelity, Json) {
  FidelityReport report = reportOf("ex2.approx.f32 %f1, %f2; mov.b32 %o, 0;");
  std::string text;
  llvm::raw_string_ostream os(text);
  report.writeJson(os);
  auto json = llvm::json::parse(text);
  ASSERT_TRUE(bool(json)) << llvm::toString(json.takeError());
  const llvm::json::Object &root = *json->getAsObject();
  EXPECT_EQ(root.getObject("counts")->getInteger("approximate"), 1);
  bool isFound = false;
  for (const llvm::json::Value &value : *root.getArray("forms")) {
    const llvm::json::Object &form = *value.getAsObject();
    if (form.getString("form") != "ex2.approx.f32")
      continue;
    isFound = true;
    EXPECT_EQ(form.getInteger("times"), 1);
    EXPECT_EQ(form.getString("class"), "approximate");
    EXPECT_EQ(form.getString("allowed"), "2 ulp");
    EXPECT_EQ(form.getString("measured"), "1 ulp");
  }
  EXPECT_TRUE(isFound);
}

// What isn't executed ends the run, and is in the report.
TEST(Fidelity, NotExecuted) {
  FidelityReport report = reportOf(
      "multimem.st.relaxed.gpu.global.u32 [%rd1], %r1; mov.b32 %o, 0;");
  EXPECT_EQ(report.count(Fidelity::NotExecuted), 1u);
  std::string text = textOf(report);
  EXPECT_TRUE(llvm::StringRef(text).contains(
      "not executed: its addresses are of memory that several GPUs share; "
      "there is one here\n"))
      << text;
}
