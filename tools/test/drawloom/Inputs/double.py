# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doubles 64 numbers of a buffer that was filled `copy`, `set`, `half` or not at all;
or, with `spin FILE`, runs the kernel `spin` of a file on zeros. With `endless FILE NUMBER` it does
so with `endless`, and writes the number of its process to a file."""

import ctypes
import os
import sys

KERNEL = b"""
.version 8.7
.target sm_90a
.address_size 64
.visible .entry twice(.param .u64 buffer) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [buffer];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.u64 %rd0, %rd0, %rd1;
  ld.global.u32 %r1, [%rd0];
  add.u32 %r1, %r1, %r1;
  st.global.u32 [%rd0], %r1;
  ret;
}
"""

name, fills = b"twice", sys.argv[1:]
if fills[:1] == ["spin"]:
    name, fills = b"spin", ["zero"]
    with open(sys.argv[2], "rb") as file:
        KERNEL = file.read()
elif fills[:1] == ["endless"]:
    name, fills = b"endless", ["zero"]
    with open(sys.argv[2], "rb") as file:
        KERNEL = file.read()
    with open(sys.argv[3], "w") as file:
        file.write(str(os.getpid()))
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        sys.exit(f"{name}: {result}")


device, context, module, function, buffer = (ctypes.c_int(), *(ctypes.c_void_p() for _ in range(4)))
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), KERNEL)
call("cuModuleGetFunction", ctypes.byref(function), module, name)
call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(256))
for filled in fills:
    if filled in ("copy", "zero"):
        call("cuMemcpyHtoD_v2", buffer, bytes(256), ctypes.c_size_t(256))
    else:
        count = ctypes.c_size_t(64 if filled == "set" else 32)
        call("cuMemsetD32_v2", buffer, ctypes.c_uint(1), count)
parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(buffer), ctypes.c_void_p))
ctas = 4 if name == b"endless" else 1
for _ in range(2):
    call("cuLaunchKernel", function, ctas, 1, 1, 64, 1, 1, 0, None, parameters, None)
call("cuCtxSynchronize")
