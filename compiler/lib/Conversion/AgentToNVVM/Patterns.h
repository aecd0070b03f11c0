//===- Patterns.h - Patterns by family ------------------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_PATTERNS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_PATTERNS_H

#include "CodeWriter.h"

namespace drawloom::codegen {

/// What an operation becomes: a value for each of its results.
using Values = llvm::SmallVector<mlir::Value, 1>;
template <typename OpT>
using Code = Values (*)(OpT op, typename OpT::Adaptor operands, CodeWriter &w);

template <typename OpT>
class CodePattern : public mlir::OpConversionPattern<OpT> {
public:
  CodePattern(const mlir::TypeConverter &types, mlir::MLIRContext *context,
              const KernelValues &kernel, Code<OpT> code)
      : mlir::OpConversionPattern<OpT>(types, context), kernel(kernel),
        code(code) {}

  llvm::LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor operands,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    CodeWriter w(kernel, op, rewriter);
    rewriter.replaceOp(op, code(op, operands, w));
    return llvm::success();
  }

private:
  const KernelValues &kernel;
  Code<OpT> code;
};

/// Where families add their patterns.
struct PatternList {
  const mlir::TypeConverter &types;
  const KernelValues &kernel;
  mlir::RewritePatternSet &patterns;

  template <typename OpT>
  void add(Code<OpT> code) {
    patterns.add<CodePattern<OpT>>(types, patterns.getContext(), kernel, code);
  }
};

/// Scalars, loops, branches, and the sizes of views.
void addControl(PatternList &list);
/// Set-up, slots, barriers and fences.
void addProtocol(PatternList &list);
/// Tiles between global and shared memory, by TMA or by threads.
void addCopies(PatternList &list);
/// Tiles between registers and shared memory.
void addShared(PatternList &list);
void addConvertLayout(PatternList &list);
/// Operations on elements, and those that name registers anew.
void addElementwise(PatternList &list);
/// Sums and maxima along an axis.
void addReductions(PatternList &list);
/// Tiles and scalars between registers and global memory.
void addGlobalAccess(PatternList &list);
/// MMAs and tensor memory of Blackwell.
void addTcgen05(PatternList &list);
/// MMAs of Hopper's warp groups.
void addWgmma(PatternList &list);

/// The result of a function or a conversion of elements; null if the operation
/// itself can be made with other types.
mlir::Value makeFunction(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                         mlir::ValueRange operands);
/// Whether an operation on scalars that have a register type is a function
/// without an instruction.
bool isFunction(mlir::Operation *op);

/// The matrix descriptors of the MMAs of a role, made where the builder is.
void addDescriptors(mlir::ImplicitLocOpBuilder &b, agent::RoleOp role,
                    const KernelValues &kernel, RoleValues &values);
/// The low half of the descriptor of an operand in shared memory, by its
/// number, if the role keeps it; null if not. The role keeps all of wgmma.
mlir::Value getLowDescriptor(mlir::Operation *mma, unsigned index,
                             CodeWriter &w);
/// The descriptor of an operand in shared memory for tcgen05.
mlir::Value getDescriptor(agent::MultiplyOp mma, unsigned index, CodeWriter &w);

/// Tells the caches that the kernel's tensor maps will be needed, before its
/// roles begin: a thread of the first role that copies by TMA.
void prefetchMaps(mlir::ImplicitLocOpBuilder &b, agent::SwitchOp roles,
                  const KernelValues &kernel);

/// The cache policies of a role's bulk copies, made where the builder is.
void addPolicies(mlir::ImplicitLocOpBuilder &b, agent::RoleOp role,
                 const tile::Schedule &schedule, RoleValues &values);

/// Non-TMA copies, called by those of addCopies.
void loadByThreads(agent::SlotLoadOp op, agent::SlotLoadOp::Adaptor operands,
                   CodeWriter &w);
void storeByThreads(agent::SlotStoreOp op, agent::SlotStoreOp::Adaptor operands,
                    CodeWriter &w);

/// tile.read and tile.write in tensor memory, called by those of addShared.
mlir::Value readTensor(tile::ReadOp op, tile::ReadOp::Adaptor operands,
                       CodeWriter &w);
void writeTensor(tile::WriteOp op, tile::WriteOp::Adaptor operands,
                 CodeWriter &w);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_PATTERNS_H
