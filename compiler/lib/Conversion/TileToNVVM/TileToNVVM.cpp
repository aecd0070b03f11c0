//===- TileToNVVM.cpp - Tiles with layouts to nvvm ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "Patterns.h"
#include "Threads.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace drawloom {
#define GEN_PASS_DEF_CONVERTTILETONVVM
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tonvvm;

void drawloom::addTileToNVVMTypes(TypeConverter &types) {
  types.addConversion([](Type type) { return type; });
  types.addConversion([](RankedTensorType tile) -> std::optional<Type> {
    if (VectorType registers = getRegisters(tile))
      return registers;
    return std::nullopt;
  });
  types.addConversion([](tile::BufferType buffer) -> Type {
    if (buffer.getSpace() == tile::Space::Tmem)
      return IntegerType::get(buffer.getContext(), 32);
    return LLVM::LLVMPointerType::get(buffer.getContext(),
                                      unsigned(NVVM::NVVMMemorySpace::Shared));
  });
  auto cast = [](OpBuilder &b, Type type, ValueRange values, Location loc) {
    return UnrealizedConversionCastOp::create(b, loc, type, values)
        .getResult(0);
  };
  types.addSourceMaterialization(cast);
  types.addTargetMaterialization(cast);
}

void drawloom::addTileToNVVMPatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  addConvertLayout(types, patterns);
  addAccessShared(types, patterns);
  addAccessTensorMemory(types, patterns);
}

namespace {
struct Sync : OpConversionPattern<agent::SyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(agent::SyncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (op.getParticipants() == agent::Participants::warp)
      NVVM::SyncWarpOp::create(b, constant(b, -1));
    else
      NVVM::BarrierOp::create(b);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertTileToNVVM
    : drawloom::impl::ConvertTileToNVVMBase<ConvertTileToNVVM> {
  void runOnOperation() override;
};
} // namespace

void ConvertTileToNVVM::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkLayouts(module)))
    return signalPassFailure();
  bool allocates =
      module.walk([](tile::AllocOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (allocates && !module.lookupSymbol(sharedMemoryName)) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(b, module.getLoc(),
                           LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           sharedMemoryName, Attribute(), sharedMemoryAlignment,
                           unsigned(NVVM::NVVMMemorySpace::Shared));
  }

  TypeConverter types;
  addTileToNVVMTypes(types);
  RewritePatternSet patterns(&getContext());
  addTileToNVVMPatterns(types, patterns);
  patterns.add<Sync>(types, &getContext());
  ConversionTarget target(getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<tile::ConvertLayoutOp, tile::ReadOp, tile::WriteOp,
                      tile::AllocOp, agent::SyncOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return signalPassFailure();
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
}
