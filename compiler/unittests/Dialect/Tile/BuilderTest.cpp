//===- BuilderTest.cpp - Tile programs made in C++ ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace drawloom::tile;

namespace {

class BuilderTest : public ::testing::Test {
protected:
  BuilderTest() : builder(&context) {
    context
        .loadDialect<TileDialect, arith::ArithDialect, tensor::TensorDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  std::string text() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
};

TEST_F(BuilderTest, Mma) {
  Location loc = builder.getUnknownLoc();
  auto view = ViewType::get({ShapedType::kDynamic, 64}, builder.getBF16Type());
  auto result = ViewType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                              builder.getF32Type());
  auto kernel =
      KernelOp::create(builder, loc, "MMA", TypeRange{view, view, result});
  Block &body = kernel.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value a = body.getArgument(0), b = body.getArgument(1),
        d = body.getArgument(2);

  auto items = ForEachOp::create(builder, loc, d, ArrayRef<int64_t>{128, 256});
  EXPECT_EQ(kernel.getForEach(), items);
  EXPECT_EQ(items.getNested(), ForEachOp());
  builder.setInsertionPointToStart(&items.getBody().front());
  OpFoldResult m = items.getOffsets()[0], n = items.getOffsets()[1],
               zero = builder.getIndexAttr(0);
  Value x = LoadOp::create(
      builder, loc, RankedTensorType::get({128, 64}, builder.getBF16Type()), a,
      ArrayRef<OpFoldResult>{m, zero});
  Value y = LoadOp::create(
      builder, loc, RankedTensorType::get({256, 64}, builder.getBF16Type()), b,
      ArrayRef<OpFoldResult>{n, zero});
  auto type = RankedTensorType::get({128, 256}, builder.getF32Type());
  Value acc =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto mma = MmaOp::create(builder, loc, x, y, acc);
  EXPECT_EQ(mma.getM(), 128);
  EXPECT_EQ(mma.getN(), 256);
  EXPECT_EQ(mma.getK(), 64);
  EXPECT_EQ(mma.getScaleBlock(), 0);
  StoreOp::create(builder, loc, mma, d, ArrayRef<OpFoldResult>{m, n});

  ASSERT_TRUE(succeeded(verify(*module)));
  EXPECT_NE(text().find("tile.load %arg0[%arg3, 0] : !tile.view<?x64xbf16> -> "
                        "tensor<128x64xbf16>"),
            std::string::npos)
      << text();
}

TEST_F(BuilderTest, NestedItemsAndInferredTypes) {
  Location loc = builder.getUnknownLoc();
  auto view = ViewType::get({64, 128}, builder.getF32Type());
  auto kernel = KernelOp::create(builder, loc, "nested",
                                 TypeRange{view, builder.getIndexType()});
  Block &body = kernel.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value extent = body.getArgument(1);
  auto groups =
      ForEachOp::create(builder, loc, ValueRange{extent}, ArrayRef<int64_t>{1});
  builder.setInsertionPointToStart(&groups.getBody().front());
  auto items = ForEachOp::create(builder, loc, ValueRange{extent, extent},
                                 ArrayRef<int64_t>{64, 64});
  EXPECT_EQ(groups.getNested(), items);
  builder.setInsertionPointToStart(&items.getBody().front());

  auto type = RankedTensorType::get({64, 128}, builder.getF32Type());
  auto load = LoadOp::create(
      builder, loc, type, body.getArgument(0),
      ArrayRef<OpFoldResult>{items.getOffsets()[0], items.getOffsets()[1]});
  EXPECT_EQ(load.getTileDims(), (SmallVector<int64_t>{0, 1}));
  EXPECT_EQ(load.getPadOrZero(), builder.getF32FloatAttr(0.0));
  auto reduce = ReduceOp::create(builder, loc, Reduction::AddF, load, 0);
  EXPECT_EQ(reduce.getType(),
            RankedTensorType::get({128}, builder.getF32Type()));
  auto total = ReduceOp::create(builder, loc, Reduction::AddF, reduce, 0);
  EXPECT_EQ(total.getType(), builder.getF32Type());
  auto expand = ExpandDimsOp::create(builder, loc, reduce, 1);
  EXPECT_EQ(expand.getType(),
            RankedTensorType::get({128, 1}, builder.getF32Type()));
  auto transpose =
      TransposeOp::create(builder, loc, load, ArrayRef<int64_t>{1, 0});
  EXPECT_EQ(transpose.getType(),
            RankedTensorType::get({128, 64}, builder.getF32Type()));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(BuilderTest, LayoutsOfOtherNumbers) {
  // From places to places: fine as a Layout, but no tile is laid out so.
  llvm::Expected<Layout> layout = Layout::swizzle("offset", 1024, 3, 7, 4);
  ASSERT_TRUE(bool(layout));
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_FALSE(
      LayoutAttr::getChecked(builder.getUnknownLoc(), &context, *layout));
  EXPECT_EQ(message, "a layout's outputs are the dimensions of a tile, but "
                     "output 0 is named 'offset'");
}

TEST_F(BuilderTest, Identities) {
  auto f32 = [&](double value) { return builder.getF32FloatAttr(value); };
  auto i8 = [&](int64_t value) { return builder.getI8IntegerAttr(value); };
  double infinity = std::numeric_limits<double>::infinity();
  const std::pair<Reduction, TypedAttr> table[] = {
      {Reduction::AddF, f32(0)},
      {Reduction::MulF, f32(1)},
      {Reduction::MaximumF, f32(-infinity)},
      {Reduction::MaxNumF, f32(-infinity)},
      {Reduction::MinimumF, f32(infinity)},
      {Reduction::MinNumF, f32(infinity)},
      {Reduction::AddI, i8(0)},
      {Reduction::MulI, i8(1)},
      {Reduction::MaxSI, i8(-128)},
      {Reduction::MinSI, i8(127)},
      {Reduction::MaxUI, i8(0)},
      {Reduction::MinUI, i8(-1)},
      {Reduction::AndI, i8(-1)},
      {Reduction::OrI, i8(0)},
      {Reduction::XOrI, i8(0)},
  };
  for (auto [kind, identity] : table) {
    EXPECT_EQ(ReduceOp::getIdentity(kind, identity.getType()), identity)
        << stringifyReduction(kind).str();
    // A kind for floats has no identity among integers, and the reverse.
    Type other = isa<FloatType>(identity.getType())
                     ? Type(builder.getI8Type())
                     : Type(builder.getF32Type());
    EXPECT_EQ(ReduceOp::getIdentity(kind, other), TypedAttr())
        << stringifyReduction(kind).str();
  }
  EXPECT_EQ(std::size(table), size_t(getMaxEnumValForReduction() + 1));

  // No infinity: the largest finite value, 448.
  auto f8 = Float8E4M3FNType::get(&context);
  EXPECT_EQ(ReduceOp::getIdentity(Reduction::MaximumF, f8),
            FloatAttr::get(f8, -448.0));
  // No zero and no sign either: the smallest value is 2^-127.
  auto e8 = Float8E8M0FNUType::get(&context);
  auto smallest = FloatAttr::get(e8, std::ldexp(1.0, -127));
  EXPECT_EQ(ReduceOp::getIdentity(Reduction::AddF, e8), TypedAttr());
  EXPECT_EQ(ReduceOp::getIdentity(Reduction::MaximumF, e8), smallest);
  EXPECT_EQ(LoadOp::getDefaultPad(e8), smallest);
  EXPECT_EQ(ReduceOp::getIdentity(Reduction::AddI, builder.getIndexType()),
            builder.getIndexAttr(0));
}

} // namespace
