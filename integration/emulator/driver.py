# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA driver API through ctypes, as far as a launch needs it.

The library is the emulator's libcuda.so.1, but nothing here knows that, except
`last_report` and `statistics`.
"""

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy as np

STATIC_SHARED = 1
MAX_DYNAMIC_SHARED = 8
NON_PORTABLE_CLUSTER = 14
CLUSTER_DIMENSION = 4
PROGRAMMATIC = 6
SHARED_PER_BLOCK_OPTIN = 97
SM_COUNT = 16

# CUtensorMapDataType.
MAP_TYPES = {"u8": 0, "i8": 0, "fp8": 0, "u16": 1, "fp16": 6, "fp32": 7, "bf16": 9,
             "tf32": 11, "fp4": 13}


class DriverError(Exception):
    """A call of the driver failed."""


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", c_int), ("pad", c_int), ("value", c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint),
                ("stream", c_void_p), ("attributes", POINTER(LaunchAttribute)),
                ("attribute_count", c_uint)]


class Driver:
    """One device, its primary context current."""

    def __init__(self, library: str, device: str, sms: int):
        os.environ.update(DRAWLOOM_DEVICE=device, DRAWLOOM_SMS=str(sms))
        self.cuda = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        self.call("cuInit", 0)
        handle, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(handle), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), handle)
        self.call("cuCtxSetCurrent", context)
        self.shared_limit = self.attribute(SHARED_PER_BLOCK_OPTIN)
        self.sm_count = self.attribute(SM_COUNT)

    def call(self, name: str, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result:
            text = c_char_p()
            self.cuda.cuGetErrorName(result, byref(text))
            raise DriverError(f"{name}: {text.value.decode() if text.value else result}")

    def attribute(self, number: int) -> int:
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), number, 0)
        return value.value

    def last_report(self) -> str:
        self.cuda.drawloomLastReport.restype = c_char_p
        return self.cuda.drawloomLastReport().decode()

    def statistics(self) -> tuple[int, int, int]:
        """Of the last run: warp instructions, CTAs, asynchronous operations."""
        numbers = (c_uint64 * 3)()
        self.cuda.drawloomLastStatistics(numbers)
        return tuple(numbers)

    def timing(self) -> tuple[int, ...]:
        """Of the last timed run: cycles, those of tensor cores, SMs, bytes of L2, of DRAM, ns."""
        numbers = (c_uint64 * 6)()
        self.cuda.drawloomLastTiming(numbers)
        return tuple(numbers)

    def reset(self):
        """Frees all memory and forgets an error."""
        self.call("cuDevicePrimaryCtxReset_v2", 0)

    def allocate(self, size: int) -> int:
        address = c_uint64()
        self.call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def upload(self, array: np.ndarray) -> int:
        array = np.ascontiguousarray(array)
        address = self.allocate(max(array.nbytes, 1))
        self.write(address, array)
        return address

    def write(self, address: int, array: np.ndarray):
        array = np.ascontiguousarray(array)
        self.call("cuMemcpyHtoD_v2", c_uint64(address), array.ctypes.data_as(c_void_p),
                  c_size_t(array.nbytes))

    def clear(self, address: int, size: int):
        if size:
            self.call("cuMemsetD8_v2", c_uint64(address), 0, c_size_t(size))

    def download(self, address: int, shape, dtype) -> np.ndarray:
        array = np.empty(shape, dtype)
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(c_void_p), c_uint64(address),
                  c_size_t(array.nbytes))
        return array

    def load(self, ptx: bytes):
        module = c_void_p()
        log = ctypes.create_string_buffer(8192)
        options = (c_int * 2)(5, 6)
        values = (c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", byref(module), c_char_p(ptx), 2, options, values)
        except DriverError as error:
            raise DriverError(f"{error}\n{log.value.decode()}") from None
        return module

    def function(self, module, name: str):
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module, name.encode())
        return function

    def dynamic_shared_limit(self, function) -> int:
        """What is left beside the function's static shared memory."""
        static = c_int()
        self.call("cuFuncGetAttribute", byref(static), STATIC_SHARED, function)
        return self.shared_limit - static.value

    def parameters(self, function) -> list[tuple[int, int]]:
        """Offset and size of each parameter."""
        result = []
        offset, size = c_size_t(), c_size_t()
        while not self.cuda.cuFuncGetParamInfo(function, c_size_t(len(result)), byref(offset),
                                               byref(size)):
            result.append((offset.value, size.value))
        return result

    def tensor_map(self, dtype: str, address: int, dims, strides, box, swizzle: int) -> bytes:
        """`dims` and `box` from the innermost dimension out; `strides` in bytes,
        from the second dimension on."""
        rank = len(dims)
        raw = ctypes.create_string_buffer(128 + 64)
        at = -ctypes.addressof(raw) % 64
        self.call("cuTensorMapEncodeTiled", c_void_p(ctypes.addressof(raw) + at),
                  MAP_TYPES[dtype], rank, c_void_p(address), (c_uint64 * rank)(*dims),
                  (c_uint64 * (rank - 1))(*strides), (c_uint * rank)(*box),
                  (c_uint * rank)(*[1] * rank), 0, swizzle, 2, 0)
        return raw.raw[at:at + 128]

    def launch(self, function, grid, block, cluster, shared: int, parameters: bytes):
        """Runs the kernel to its end. `parameters` is the whole buffer."""
        self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        if np.prod(cluster) > 8:
            self.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        attributes = (LaunchAttribute * 1)()
        attributes[0].id = CLUSTER_DIMENSION
        attributes[0].value[:3] = list(cluster)
        config = LaunchConfig((c_uint * 3)(*grid), (c_uint * 3)(*block), shared, None,
                              attributes, 1 if np.prod(cluster) > 1 else 0)
        size = c_size_t(len(parameters))
        extra = (c_void_p * 5)(1, ctypes.cast(c_char_p(parameters), c_void_p).value,
                               2, ctypes.addressof(size), 0)
        self.call("cuLaunchKernelEx", byref(config), function, None, extra)
        self.call("cuCtxSynchronize")
