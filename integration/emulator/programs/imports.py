# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports the modules that its arguments name, in that order, and runs a kernel
through the driver's library that the loader finds: all in one process."""

import ctypes
import importlib
import sys

PTX = b"""
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %p;
  ld.param.u64 %p, [p];
  st.global.u32 [%p], 42;
  ret;
}
"""


def main() -> None:
    modules = [importlib.import_module(name) for name in sys.argv[1:]]
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name: str, *arguments: object) -> None:
        if result := getattr(cuda, name)(*arguments):
            sys.exit(f"{name}: {result}")

    context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory, word = ctypes.c_uint64(), ctypes.c_uint32()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4))
    parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, parameters, None)
    call("cuMemcpyDtoH_v2", ctypes.byref(word), memory, ctypes.c_size_t(4))
    print(f"{' and '.join(f'{m.__name__} {m.__version__}' for m in modules)} are imported; "
          f"the kernel stored {word.value}")


if __name__ == "__main__":
    main()
