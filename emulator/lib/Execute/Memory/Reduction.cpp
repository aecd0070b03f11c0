//===- Reduction.cpp - Reductions of arrays ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Memory/Reduction.h"
#include "Execute/Memory/AtomicOps.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using namespace drawloom::emu::atomic_ops;
using ptx::Modifier;
using ptx::Type;

template <typename T, typename Op>
static void reduce(char *to, const char *from, size_t bytes) {
  for (size_t at = 0; at != bytes; at += sizeof(T)) {
    T a, b;
    memcpy(&a, to + at, sizeof(T));
    memcpy(&b, from + at, sizeof(T));
    a = Op::template apply<T>(a, b);
    memcpy(to + at, &a, sizeof(T));
  }
}

namespace {
struct FlushingAdd {
  template <typename T>
  static T apply(T a, T b) {
    return flush(flush(a) + flush(b));
  }
};
} // namespace

template <typename Op>
static Reduce *arithmetic(Type type) {
  switch (type) {
  case Type::U32:
    return reduce<uint32_t, Op>;
  case Type::S32:
    return reduce<int32_t, Op>;
  case Type::U64:
    return reduce<uint64_t, Op>;
  case Type::S64:
    return reduce<int64_t, Op>;
  case Type::F16:
    return reduce<_Float16, Op>;
  case Type::BF16:
    return reduce<BFloat16, Op>;
  default:
    return nullptr;
  }
}

static Reduce *add(Type type, bool flushes) {
  switch (type) {
  case Type::F32:
    return flushes ? reduce<float, FlushingAdd> : reduce<float, Add>;
  case Type::F64:
    return reduce<double, Add>;
  default:
    return arithmetic<Add>(type);
  }
}

template <typename Op>
static Reduce *bitwise(Type type) {
  switch (ptx::bitsOf(type)) {
  case 32:
    return reduce<uint32_t, Op>;
  case 64:
    return reduce<uint64_t, Op>;
  default:
    return nullptr;
  }
}

Reduce *drawloom::emu::reductionOf(Modifier op, Type type, bool flushes) {
  switch (op) {
  case Modifier::Add:
    return add(type, flushes);
  case Modifier::Min:
    return arithmetic<Min>(type);
  case Modifier::Max:
    return arithmetic<Max>(type);
  case Modifier::Inc:
    return type == Type::U32 ? reduce<uint32_t, Inc> : nullptr;
  case Modifier::Dec:
    return type == Type::U32 ? reduce<uint32_t, Dec> : nullptr;
  case Modifier::And:
    return bitwise<And>(type);
  case Modifier::Or:
    return bitwise<Or>(type);
  case Modifier::Xor:
    return bitwise<Xor>(type);
  default:
    return nullptr;
  }
}
