//===- WaitObject.cpp - What a fragment can wait for ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/WaitObject.h"
#include "Machine/AsyncOp.h"
#include "Machine/Extension.h"
#include "Machine/Machine.h"
#include "Machine/Warp.h"

using namespace drawloom::emu;

AsyncOp::~AsyncOp() = default;
Extension::~Extension() = default;
WaitObject::~WaitObject() = default;

void WaitObject::wake(Fragment &fragment) {
  Warp &warp = *fragment.warp;
  warp.machine().progressed();
  warp.wake(fragment);
}

void WaitObject::wakeAll() {
  while (!waiters.empty())
    wake(waiters.front());
}

void WaitObject::wakeIf(llvm::function_ref<bool(const Fragment &)> wanted) {
  for (auto it = waiters.begin(); it != waiters.end();) {
    Fragment &fragment = *it++;
    if (wanted(fragment))
      wake(fragment);
  }
}
