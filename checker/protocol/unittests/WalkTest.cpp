//===- WalkTest.cpp - Paths of kernels made by hand -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Protocol/Walk.h"
#include "drawloom/PTX/Parser.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace drawloom::protocol;

namespace {

struct Nothing : Monitor {
  std::unique_ptr<Monitor> clone() const override {
    return std::make_unique<Nothing>();
  }
  void appendKey(std::string &) const override {}
  llvm::Error see(const Event &) override { return llvm::Error::success(); }
  llvm::Error end(uint32_t) override { return llvm::Error::success(); }
};

} // namespace

/// With its parameter known, a kernel has one path.
TEST(Walk, BranchOnLoadedValue) {
  constexpr llvm::StringLiteral text = R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 p) {
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [p];
  ld.global.u32 %r0, [%rd0];
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra end;
end:
  ret;
}
)";
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "kernel.ptx"));
  ASSERT_TRUE(parsed) << parsed.str();
  auto walk =
      Walk::create(*parsed.module->findFunction("kernel"),
                   {.threads = 32, .parameters = std::vector<uint64_t>{4096}});
  ASSERT_TRUE(bool(walk));
  EXPECT_EQ(llvm::toString((*walk)->run(0, std::make_unique<Nothing>())),
            "line 12: what decides here is not known");
}
