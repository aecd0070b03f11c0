//===- build_linear.cpp - A program from C++ ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds D = A B^T + bias, compiles it and prints PTX: docs/Frontend.md.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Frontend/Fusion.h"
#include "drawloom/Session/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
using namespace drawloom::frontend;

int main() {
  mlir::DialectRegistry registry;
  registerProgramDialects(registry);
  mlir::MLIRContext context(registry);

  Fusion fusion("linear");
  Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
  Tensor b = fusion.input("b", {"N", "K"}, DataType::BF16);
  Tensor bias = fusion.input("bias", {"M", "N"}, DataType::BF16);
  Tensor product = matmul(a, transpose(b));
  Tensor sum = add(product, bias);
  fusion.output("d", cast(sum, DataType::BF16));

  fusion.target("sm_100a");
  fusion.schedule().tile = {128, 256, 64};
  fusion.schedule().persistent = tile::Persistence::Static;
  fusion.circularBuffer({a, b}, 4);
  fusion.circularBuffer({bias}, 2);
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      fusion.build(context);
  if (!module) {
    llvm::errs() << llvm::toString(module.takeError()) << '\n';
    return 1;
  }

  llvm::Expected<CompiledModule> compiled = compile(**module, {});
  if (!compiled) {
    llvm::errs() << llvm::toString(compiled.takeError()) << '\n';
    return 1;
  }
  llvm::outs() << compiled->ptx;
}
