//===- Orders.h - The same under many orders ------------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--orders N` for all that `drawloom run` runs: what is right is the same
// under every order, and if it isn't, the first difference is named.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_ORDERS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_ORDERS_H

#include "CommandLine.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace drawloom::emu {
class Device;
struct Launch;
struct RunOptions;
} // namespace drawloom::emu

namespace drawloom {

/// The number of `--orders`; 0 if it isn't given.
llvm::Expected<unsigned> readOrders(const CommandLine &line);

/// "[3, 5]" for element 29 of an array of 4 x 8.
std::string describeElement(llvm::ArrayRef<int64_t> shape, uint64_t number);

/// Runs a launch again and says who writes to these bytes last: "st.global.u32
/// in line 29: CTA 0, warp 1, lane 3", or "no thread".
std::string findWriter(emu::Device &device, const emu::Launch &launch,
                       const emu::RunOptions &options, uint64_t address,
                       uint64_t bytes);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_ORDERS_H
