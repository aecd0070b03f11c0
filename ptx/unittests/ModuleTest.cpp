//===- ModuleTest.cpp - The typed form ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Parser.h"
#include "drawloom/PTX/Printer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace drawloom::ptx;

/// Parses statements as the body of a kernel `k`, or as they are if they begin
/// with a directive of the module's level.
static std::unique_ptr<Module> parse(const std::string &source) {
  std::string text =
      ".version 8.6\n.target sm_100a\n.address_size 64\n" + source;
  ParseResult result = parseModule(llvm::MemoryBufferRef(text, "test.ptx"));
  EXPECT_TRUE(result) << result.str();
  return std::move(result.module);
}
static std::unique_ptr<Module> parseBody(const std::string &body) {
  return parse(".entry k() {" + body + "}");
}
static const Function &kernel(const Module &module) {
  return *module.findFunction("k");
}

TEST(Module, InstructionsHoldNoText) {
  auto module = parseBody(".reg .f32 %f<3>; .reg .pred p;"
                          "@!p add.ftz.rn.f32 %f2, %f1, 0f3F800000;");
  const Instruction &add = kernel(*module).instructions.front();
  EXPECT_EQ(add.opcode(), Opcode::Add);
  EXPECT_EQ(add.variant->get(Slot::Rnd), Modifier::Rn);
  EXPECT_TRUE(add.variant->has(Modifier::Ftz));
  EXPECT_FALSE(add.variant->has(Modifier::Sat));
  EXPECT_EQ(add.variant->type(Slot::Type), Type::F32);
  EXPECT_EQ(add.guard, 3u);
  EXPECT_TRUE(add.guardNegated);
  ASSERT_EQ(add.operands().size(), 3u);
  EXPECT_EQ(add.operands()[0].index(), 2u);
  EXPECT_EQ(add.operands()[0].type(), Type::F32);
  EXPECT_EQ(add.operands()[2].kind(), Operand::Float32);
  EXPECT_EQ(add.operands()[2].integer(), 0x3F800000);
}

TEST(Module, RegistersAreNumberedThroughAllScopes) {
  auto module = parseBody(".reg .b32 %r<10>; .reg .b32 x;"
                          "{ .reg .b32 x; mov.b32 x, %r3; }"
                          "{ .reg .b32 %r<2>; mov.b32 x, %r1; }");
  const Function &k = kernel(*module);
  EXPECT_EQ(k.registerCount, 14u);
  EXPECT_EQ(k.instructions[0].operands()[0].index(), 11u);
  EXPECT_EQ(k.instructions[0].operands()[1].index(), 3u);
  EXPECT_EQ(k.instructions[1].operands()[0].index(), 10u);
  EXPECT_EQ(k.instructions[1].operands()[1].index(), 13u);
  EXPECT_EQ(k.declarationOf(13).name, "%r");
  EXPECT_EQ(k.declarationOf(10).name, "x");
}

TEST(Module, ARangeHidesItsOwnMembersOnly) {
  auto module = parseBody(".reg .f32 %f<20>;"
                          "{ .reg .f32 %f<11>; mov.f32 %f1, %f15;"
                          "  { .reg .f32 %f<3>; mov.f32 %f2, %f10; } "
                          "  mov.f32 %f10, %f11; }"
                          "mov.f32 %f1, %f10;"
                          "{ .reg .f32 %f1<5>; mov.f32 %f12, %f15; }");
  const Function &k = kernel(*module);
  auto operands = [&](unsigned instruction) {
    auto list = k.instructions[instruction].operands();
    return std::vector<uint64_t>{list[0].index(), list[1].index()};
  };
  EXPECT_EQ(operands(0), (std::vector<uint64_t>{20 + 1, 15}));
  EXPECT_EQ(operands(1), (std::vector<uint64_t>{20 + 11 + 2, 20 + 10}));
  EXPECT_EQ(operands(2), (std::vector<uint64_t>{20 + 10, 11}));
  EXPECT_EQ(operands(3), (std::vector<uint64_t>{1, 10}));
  // Of two prefixes the shorter one is meant, as by ptxas.
  EXPECT_EQ(operands(4), (std::vector<uint64_t>{12, 15}));
}

TEST(Module, OneLabelInManyScopes) {
  std::string body = "bra again;";
  for (int i = 0; i < 300; ++i)
    body += "{ again: bra again; }";
  auto module = parseBody(body + "again: ret;");
  const Function &k = kernel(*module);
  ASSERT_EQ(k.labels.size(), 301u);
  // The first branch goes to the label of the outer scope, the last one.
  EXPECT_EQ(k.instructions[0].operands()[0].index(), 300u);
  EXPECT_EQ(k.labels[300].position, 301u);
  for (unsigned i = 0; i < 300; ++i) {
    const Operand &target = k.instructions[i + 1].operands()[0];
    EXPECT_EQ(target.kind(), Operand::Label);
    EXPECT_EQ(target.index(), i);
    EXPECT_EQ(k.labels[i].position, i + 1);
  }
}

TEST(Module, ConstantExpressions) {
  struct Case {
    const char *text;
    int64_t value;
  };
  for (Case c : {Case{"1+2*3", 7},
                 Case{"(1+2)*3", 9},
                 Case{"-1", -1},
                 Case{"~0", -1},
                 Case{"!5", 0},
                 Case{"!0", 1},
                 Case{"1<<4|3", 19},
                 Case{"7 % 4", 3},
                 Case{"10/3", 3},
                 Case{"-7/2", -3},
                 Case{"1 ? 2 : 3", 2},
                 Case{"0 ? 2 : 1 ? 4 : 5", 4},
                 Case{"2 > 1", 1},
                 Case{"1 && 0", 0},
                 Case{"1 || 0", 1},
                 Case{"5 ^ 1", 4},
                 Case{"-1 < 0", 1},
                 Case{"-1 < 0U", 0},
                 Case{"(.u64)-1 > 5", 1},
                 Case{"-8 >> 1", -4},
                 Case{"(.u64)-8 >> 1", 0x7FFFFFFFFFFFFFFC},
                 Case{"1 << 64", 0},
                 Case{"WARP_SZ*2", 64},
                 Case{"(-9223372036854775807-1)/-1", INT64_MIN},
                 Case{"(-9223372036854775807-1)%-1", 0}}) {
    auto module =
        parseBody(".reg .b64 r; mov.b64 r, " + std::string(c.text) + ";");
    ASSERT_TRUE(module) << c.text;
    const Operand &value = kernel(*module).instructions[0].operands()[1];
    EXPECT_EQ(value.kind(), Operand::Integer) << c.text;
    EXPECT_EQ(value.integer(), c.value) << c.text;
  }
}

TEST(Module, AddressesVectorsAndPairs) {
  auto module = parseBody(
      ".reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred p; .reg .v4 .b32 v;"
      ".shared .b8 tile[64];"
      "ld.shared.v2.b32 {%r0, _}, [tile+8];"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [%r1+16], [%rd0, {%r2, %r3}], [%r4];"
      "elect.sync %r0|p, -1;"
      "mov.b32 %r0, v.w;");
  llvm::ArrayRef<Instruction> list = kernel(*module).instructions;

  const Operand &vector = list[0].operands()[0];
  EXPECT_EQ(vector.kind(), Operand::Vector);
  EXPECT_EQ(vector.parts()[1].kind(), Operand::Sink);
  const Operand &base = list[0].operands()[1].parts()[0];
  EXPECT_EQ(base.kind(), Operand::SymbolAddress);
  EXPECT_EQ(base.symbol()->name, "tile");
  EXPECT_EQ(base.symbolOffset(), 8);

  EXPECT_EQ(list[1].operands()[0].parts()[0].integer(), 16);
  llvm::ArrayRef<Operand> map = list[1].operands()[1].parts();
  ASSERT_EQ(map.size(), 2u);
  EXPECT_EQ(map[1].kind(), Operand::Vector);

  EXPECT_EQ(list[2].operands()[0].kind(), Operand::Pair);
  EXPECT_EQ(list[3].operands()[1].component(), 3);
  EXPECT_EQ(list[3].operands()[1].elements(), 1u);
}

TEST(Module, VariablesAndInitializers) {
  auto module = parse(".extern .global .align 8 .b64 a[];"
                      ".global .align 8 .b64 a[4] = {1, -1};"
                      ".const .v2 .f32 b = {0f3F800000, 2.0};"
                      ".global .u64 c = generic(a)+8;");
  ASSERT_EQ(module->variables.size(), 4u);
  const Variable &declared = *module->variables[0];
  const Variable &defined = *module->variables[1];
  EXPECT_EQ(declared.definition, &defined);
  EXPECT_EQ(declared.extents[0], Variable::unsized);
  EXPECT_EQ(defined.initializer->elements[1].value, -1);
  EXPECT_EQ(module->findVariable("b")->elementSize(), 8u);
  const Initializer &address = *module->findVariable("c")->initializer;
  EXPECT_EQ(address.symbol, &defined);
  EXPECT_TRUE(address.generic);
  EXPECT_EQ(address.value, 8);
}

TEST(Module, CallsHaveResultsCalleeAndArguments) {
  auto module = parse(".func (.param .b32 r) f(.reg .b32 x);"
                      ".entry k() { .reg .b32 %r; .param .b32 o;"
                      "call (o), f, (%r); }"
                      ".func (.param .b32 r) f(.reg .b32 x) { ret; }");
  const Instruction &call = kernel(*module).instructions[0];
  ASSERT_EQ(call.operands().size(), 3u);
  EXPECT_EQ(call.operands()[0].parts().size(), 1u);
  // The declaration and the definition are one function.
  const Function *f = module->findFunction("f");
  EXPECT_EQ(call.operands()[1].symbol(), f);
  EXPECT_TRUE(f->hasBody);
  EXPECT_EQ(f->registerCount, 1u);
}

TEST(Module, DifferencesAreFound) {
  auto differs = [](const std::string &left, const std::string &right) {
    std::string difference;
    bool identical =
        isIdentical(*parseBody(left), *parseBody(right), difference);
    return identical ? "" : difference;
  };
  std::string head = ".reg .b32 a, b; ";
  EXPECT_EQ(differs(head + "mov.b32 a, b;", head + "mov.b32 a,\n b;"), "");
  EXPECT_EQ(differs(head + "mov.b32 a, b;", head + "mov.b32 a, a;"),
            "in function 'k': instruction 0, 'mov.b32'");
  EXPECT_EQ(differs(head + "ret;", head + "ret; ret;"),
            "in function 'k': the number of instructions");
  EXPECT_EQ(differs(head + "x: ret;", head + "y: ret;"),
            "in function 'k': the labels");
  EXPECT_EQ(differs(head, ".reg .b32 a, c; "),
            "in function 'k': the registers");
}

TEST(Module, OneInstructionPrinted) {
  auto module = parseBody(".reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred p;"
                          "@p ld.b32.global %r1, [%rd0+4];");
  const Function &k = kernel(*module);
  std::string text;
  llvm::raw_string_ostream os(text);
  print(k.instructions[0], k, os);
  EXPECT_EQ(text, "@p ld.global.b32 %r1, [%rd0+4];");
}

TEST(Module, ErrorsAreReportedInOrderAndCounted) {
  std::string text = ".version 8.0\n.target sm_90\n.entry k() {\nfoo;\nbar;\n}";
  ParseOptions options;
  options.maxErrors = 1;
  llvm::MemoryBufferRef buffer(text, "t.ptx");
  EXPECT_EQ(parseModule(buffer).diagnostics.size(), 2u);
  ParseResult result = parseModule(buffer, options);
  EXPECT_FALSE(result);
  ASSERT_EQ(result.diagnostics.size(), 1u);
  EXPECT_EQ(result.str(), "t.ptx:4:1: error: there is no instruction 'foo'\n"
                          "foo;\n^\n");
}
