//===- Fusion.h - A fused kernel, written in C++ -------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A fusion is written as a formula over whole tensors, with a schedule:
//
//   Fusion fusion("linear");
//   Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
//   Tensor b = fusion.input("b", {"N", "K"}, DataType::BF16);
//   Tensor bias = fusion.input("bias", {"M", "N"}, DataType::BF16);
//   Tensor product = matmul(a, transpose(b));
//   Tensor sum = add(product, bias);
//   fusion.output("d", cast(sum, DataType::BF16));
//
//   fusion.target("sm_100a");
//   fusion.schedule().tile = {128, 256, 64};
//   fusion.schedule().persistent = tile::Persistence::Static;
//   fusion.circularBuffer({a, b}, 4);
//   fusion.circularBuffer({bias}, 2);
//   llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
//       fusion.build(context);
//
// It becomes linalg on tensors, as if written by hand: there is one way into
// the compiler. Nothing of the schedule is needed, not even the tile.
//
// Sizes are numbers or names. Dimensions of one name have one size; -1 is a
// size that nothing is known of. Names of all kinds are made of the letters A
// to Z and a to z, digits and _, and begin with no digit: the kernel is called
// as the fusion is, in PTX, too.
//
// The first mistake ends up in build()'s error, at the line of the C++ program
// that made it. A tensor that comes out of a mistake may be used further.

#ifndef DRAWLOOM_FRONTEND_FUSION_H
#define DRAWLOOM_FRONTEND_FUSION_H

#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <concepts>
#include <memory>
#include <source_location>

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace drawloom::frontend {

enum class DataType : uint8_t { F32, F16, BF16, E4M3, E5M2, I32, I8 };

/// "bf16", as MLIR writes it.
llvm::StringRef toString(DataType type);

/// A number of elements, or a name for one that is known at launch.
struct Size {
  static constexpr int64_t dynamic = -1;
  int64_t value = dynamic;
  std::string name;

  // A template, so that 0 is a number and not a null pointer.
  template <std::integral T>
  Size(T value) : value(value) {}
  Size(const char *name) : name(name) {}

  bool isStatic() const { return value != dynamic; }
  std::string print() const;
};

class Fusion;
struct FusionGraph;

/// A tensor of a fusion: a value, as cheap to copy as a pointer.
class Tensor {
public:
  llvm::ArrayRef<Size> shape() const;
  DataType type() const;

private:
  friend class Fusion;
  friend struct FusionGraph;
  Tensor(FusionGraph *graph, unsigned node) : graph(graph), node(node) {}

  FusionGraph *graph;
  unsigned node;
};

/// The line of the program that asks for an operation. Who builds fusions for
/// another language says where that stands; the name has to outlive the fusion.
struct Where {
  const char *file;
  unsigned line;
  unsigned column = 0;

  Where(const char *file, unsigned line) : file(file), line(line) {}
  Where(std::source_location at)
      : file(at.file_name()), line(at.line()), column(at.column()) {}
};

class Fusion {
public:
  explicit Fusion(llvm::StringRef name,
                  Where where = std::source_location::current());
  ~Fusion();
  Fusion(const Fusion &) = delete;
  Fusion &operator=(const Fusion &) = delete;

  Tensor input(llvm::StringRef name, llvm::ArrayRef<Size> shape, DataType type,
               Where where = std::source_location::current());
  void output(llvm::StringRef name, Tensor tensor,
              Where where = std::source_location::current());

  /// The architecture to plan for, such as "sm_100a".
  void target(llvm::StringRef name);

  tile::Schedule &schedule();

  /// The tensors travel in one pipe of so many slots. An input goes by its
  /// name; a product goes by the name of its pipe, `result`.
  void circularBuffer(llvm::ArrayRef<Tensor> tensors, int64_t slots,
                      Where where = std::source_location::current());

  /// The first mistake so far; empty if there is none.
  llvm::StringRef error() const;

  /// A module with the function, or the first mistake.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  build(mlir::MLIRContext &context) const;

  /// Adds the function to a module, so that one module may hold several.
  llvm::Error buildInto(mlir::ModuleOp module) const;

private:
  std::unique_ptr<FusionGraph> graph;
};

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// [..., M, K] times [..., K, N]. Floats are summed in f32, integers in i32.
Tensor matmul(Tensor a, Tensor b,
              Where where = std::source_location::current());

/// The last two dimensions change places. Costs nothing: operations that read
/// the tensor read it so.
Tensor transpose(Tensor x, Where where = std::source_location::current());

/// A dimension of size one in front of dimension `axis`, to broadcast along:
/// unsqueeze(x, 1) makes a column of a vector.
Tensor unsqueeze(Tensor x, unsigned axis,
                 Where where = std::source_location::current());

/// Element by element. Shapes are aligned at their last dimension; what is
/// missing, or has size one, is repeated. Where the types differ, the narrower
/// one is extended. A number has to be one that the tensor's integers have.
Tensor add(Tensor a, Tensor b, Where where = std::source_location::current());
Tensor sub(Tensor a, Tensor b, Where where = std::source_location::current());
Tensor mul(Tensor a, Tensor b, Where where = std::source_location::current());
Tensor div(Tensor a, Tensor b, Where where = std::source_location::current());
Tensor max(Tensor a, Tensor b, Where where = std::source_location::current());
Tensor min(Tensor a, Tensor b, Where where = std::source_location::current());
Tensor add(Tensor a, double b, Where where = std::source_location::current());
Tensor mul(Tensor a, double b, Where where = std::source_location::current());
Tensor max(Tensor a, double b, Where where = std::source_location::current());
Tensor min(Tensor a, double b, Where where = std::source_location::current());

Tensor exp(Tensor x, Where where = std::source_location::current());
Tensor rsqrt(Tensor x, Where where = std::source_location::current());
/// max(x, 0)
Tensor relu(Tensor x, Where where = std::source_location::current());
/// x * (1 + erf(x / sqrt(2))) / 2
Tensor gelu(Tensor x, Where where = std::source_location::current());
/// x / (1 + exp(-x))
Tensor silu(Tensor x, Where where = std::source_location::current());

Tensor cast(Tensor x, DataType type,
            Where where = std::source_location::current());

/// Along one dimension, which goes away. Floats are summed in f32.
Tensor sum(Tensor x, unsigned axis,
           Where where = std::source_location::current());
Tensor maximum(Tensor x, unsigned axis,
               Where where = std::source_location::current());

/// What each element and those before it come to along one dimension, whose
/// size is a number. Floats are summed in f32.
Tensor cumsum(Tensor x, unsigned axis,
              Where where = std::source_location::current());
Tensor cummax(Tensor x, unsigned axis,
              Where where = std::source_location::current());

} // namespace drawloom::frontend

#endif // DRAWLOOM_FRONTEND_FUSION_H
