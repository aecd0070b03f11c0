//===- Schedule.h - Schedules of the C API ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_C_LIB_SCHEDULE_H
#define DRAWLOOM_C_LIB_SCHEDULE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace drawloom::capi {

/// A context for programs that have schedules.
std::unique_ptr<mlir::MLIRContext> makeProgramContext();

/// The attribute that has these fields.
llvm::Expected<mlir::Attribute> readSchedule(llvm::StringRef fields,
                                             mlir::MLIRContext &context);

} // namespace drawloom::capi

#endif // DRAWLOOM_C_LIB_SCHEDULE_H
