//===- Support.h - LLVM's support library, precompiled --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What files that know nothing of MLIR include most.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PRECOMPILED_SUPPORT_H
#define DRAWLOOM_PRECOMPILED_SUPPORT_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#endif // DRAWLOOM_PRECOMPILED_SUPPORT_H
