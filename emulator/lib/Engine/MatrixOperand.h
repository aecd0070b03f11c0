//===- MatrixOperand.h - Operands of matrix instructions --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What wgmma and tcgen05.mma share: reading an operand into a panel of the
// matrix unit, from shared memory with reports and listeners, or from wherever
// the 16-byte pieces of its rows are.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MATRIXOPERAND_H
#define DRAWLOOM_EMULATOR_MATRIXOPERAND_H

#include "Arithmetic/MatrixUnit.h"
#include "Arithmetic/SharedMatrix.h"
#include "Machine/Machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drawloom::emu {

/// An operand of one MMA.
struct SharedOperand {
  IssuePoint issue;
  SharedMatrix matrix;
};

/// Reads the matrices called `name` of MMAs that are steps of one product, from
/// the shared memory of `cta` to `panel(step)`. `outer` is their M or N, `k`
/// how many elements each has along K. False if the launch has failed.
bool packShared(Machine &machine, CTA &cta, llvm::StringRef name,
                llvm::ArrayRef<SharedOperand> steps, ElementFormat format,
                bool transposed, unsigned outer, unsigned k,
                llvm::function_ref<Panel(unsigned step)> panel);

/// Tells the listener, which is there, that an operation reads a matrix from
/// the shared memory of `cta`: `rows` of so many 16-byte pieces, or columns if
/// it is transposed.
void tellMatrix(const IssuePoint &issue, CTA &cta, const SharedMatrix &matrix,
                bool transposed, unsigned rows, unsigned pieces);
/// The same for an operand of an MMA; `outer` and `k` as for packShared.
inline void tellOperand(const IssuePoint &issue, CTA &cta,
                        const SharedMatrix &matrix, ElementFormat format,
                        bool transposed, unsigned outer, unsigned k) {
  unsigned perPiece = infoOf(format).perPiece;
  if (transposed)
    tellMatrix(issue, cta, matrix, true, k, outer / perPiece);
  else
    tellMatrix(issue, cta, matrix, false, outer, k / perPiece);
}

/// Calls `pack(panel)` for A as it is stored: into `panel` itself, or, if A is
/// sparse, into a panel that is expanded into it. False if the launch has
/// failed.
template <typename F>
bool packStored(Machine &machine, const IssuePoint &issue, const MmaForm &form,
                llvm::ArrayRef<RowMetadata> metadata, Panel panel, F pack) {
  if (!form.sparsity)
    return pack(panel);
  constexpr unsigned maxRows = 128, maxRowBytes = 64 * 2; // 4-bit elements.
  alignas(64) char buffer[maxRows * maxRowBytes];
  size_t bytes = bytesOf(infoOf(form.a).compute);
  size_t k = stepK(form.a);
  Panel stored = {buffer, (form.aTransposed ? form.m : k) * bytes};
  if (!pack(stored))
    return false;
  std::string problem = expand(form.sparsity, metadata, form.k(), bytes,
                               form.aTransposed, stored, panel);
  if (!problem.empty())
    machine.fail(issue, ReportKind::Protocol, problem);
  return problem.empty();
}

/// Copies rows whose 16-byte pieces are at `piece(row, c)`.
template <typename F>
void packRows(F piece, ElementFormat format, unsigned rows, Panel panel) {
  const ElementInfo &info = infoOf(format);
  size_t bytes = info.perPiece * bytesOf(info.compute);
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned c = 0; c != piecesPerStep; ++c)
      info.convert(piece(row, c), panel.data + row * panel.stride + c * bytes);
}

/// That of a host thread.
struct WorkerMatrixUnit : Extension {
  static constexpr ExtensionSlot slot = ExtensionSlot::MatrixUnit;
  MatrixUnit unit;
};
inline MatrixUnit &matrixUnit(Machine &machine) {
  return machine.worker().extensions.get<WorkerMatrixUnit>().unit;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MATRIXOPERAND_H
