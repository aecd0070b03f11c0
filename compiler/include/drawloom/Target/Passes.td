//===- Passes.td - Checks on the way to a cubin ---------- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TARGET_PASSES_TD
#define DRAWLOOM_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckKernels : Pass<"check-kernels", "::mlir::ModuleOp"> {
  let summary = "refuse what the GPU does not have";
  let description = [{
    Changes nothing. Checks that need the program as it was written, with its
    names and places. Each guards against code that LLVM and ptxas would accept
    and that would then do something else than the program says, or against a
    limit of the hardware.

    ```mlir
    llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32, 33>} {  // refused
      llvm.return
    }
    ```

    Refused, with the words:

    | why | message |
    |---|---|
    | no kernel | `there is no kernel in this module: mark an llvm.func with nvvm.kernel` |
    | a tensor map that LLVM would copy | `parameter 0 of kernel 'k' is passed by value and is no grid constant: LLVM would copy it to local memory, and 'nvvm.prefetch' would read the copy` |
    | its alignment | `parameter 0 of kernel 'k' is a tensor map aligned to 16 bytes; a tensor map needs 64: add llvm.align = 64 : i64` |
    | a limit | `kernel 'k' asks for 1056 threads in a CTA (nvvm.reqntid array<i32: 32, 33>), and sm_90a has at most 1024` |
    | an operation of another GPU | `'nvvm.tcgen05.alloc' needs tensor memory, which sm_90a does not have; compile for sm_100a, sm_103a, sm_110a` |
    | no such GPU | `unknown architecture 'sm_80'; the known ones are sm_90a, sm_100a, sm_103a, sm_110a` |
  }];
  let options = [
    Option<"arch", "arch", "std::string", "",
           "the GPU, such as sm_100a">,
  ];
}

def CheckLowered : Pass<"check-lowered", "::mlir::ModuleOp"> {
  let summary = "refuse what no pass has lowered to nvvm and llvm";
  let description = [{
    Changes nothing. LLVM IR is made of `llvm` and `nvvm` operations alone; what
    is left of another dialect after upstream's passes has no code.

    ```mlir
    %s = math.sqrt %x : f32  // refused: `math` is lowered above, or not at all
    ```

    Refused, with the words:

    | why | message |
    |---|---|
    | an operation | `'math.sqrt' cannot be compiled to PTX: a kernel is an llvm.func of nvvm and llvm operations, and scf, cf, arith, vector and ub are lowered to these` |
    | a type | `the type tensor<4xf32> has no counterpart in the llvm dialect` |
    | a cast | `this cast between f32 and i64 is not a conversion that LLVM has` |
  }];
}

#endif // DRAWLOOM_TARGET_PASSES_TD
