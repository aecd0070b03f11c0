# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's driver for NVIDIA's GPUs, with three differences:

- it is there when torch is imported and has no GPU of its own;
- arguments may live in host memory: CPU tensors of torch, and numpy arrays. Each
  is copied to the device for the launch and back after it, as one allocation, so
  that an access past its end is reported;
- the autotuner's benchmark is the number of warp instructions that were executed,
  because the time that an emulator takes says nothing.
"""
import copy
import ctypes
import os
import sys

from triton.backends.nvidia import driver as nvidia
from triton.runtime import jit


def is_numpy(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def is_cpu_tensor(value):
    torch = sys.modules.get("torch")
    return (torch is not None and isinstance(value, torch.Tensor)
            and value.device.type == "cpu")


class ArrayArgument:
    """A numpy array as Triton's launcher wants arguments."""

    def __init__(self, array):
        self.dtype = array.dtype
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data


class DevicePointer:
    """Where an argument is on the device."""

    def __init__(self, address, dtype):
        self.address = address
        self.dtype = dtype

    def data_ptr(self):
        return self.address


class Library:
    """The calls of the CUDA driver that copies need."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        if result := getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name}: error {result}; see the report above")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def upload(self, address, host, size):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address),
                  ctypes.c_void_p(host), ctypes.c_size_t(size))

    def download(self, host, address, size):
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(host),
                  ctypes.c_uint64(address), ctypes.c_size_t(size))

    def free(self, address):
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def executed(self):
        """Warp instructions of the last run."""
        numbers = (ctypes.c_uint64 * 3)()
        self.library.drawloomLastStatistics(numbers)
        return numbers[0]


class Mirror:
    """Device copies of the host memory that a launch's arguments are in. Views of
    one array or tensor are in one copy."""

    def __init__(self, library):
        self.library = library
        self.blocks = {}

    def address(self, pointer, start, size, writable):
        # Kernels are compiled for the last bits of an address, and a view has
        # those of the host. So a few bytes before a copy are unused.
        lead = start % 256
        if start not in self.blocks:
            device = self.library.allocate(lead + max(size, 1))
            self.blocks[start] = (device, lead, size, writable)
            if size:
                self.library.upload(device + lead, start, size)
        return self.blocks[start][0] + lead + pointer - start

    def argument(self, value):
        if isinstance(value, tuple):
            fields = [self.argument(field) for field in value]
            return (type(value)(*fields) if hasattr(value, "_fields") else
                    tuple(fields))
        if is_numpy(value):
            owner = value
            while is_numpy(owner.base):
                owner = owner.base
            low, high = byte_bounds(owner)
            pointer = value.ctypes.data
            return DevicePointer(
                self.address(pointer, low, high - low, value.flags.writeable),
                value.dtype)
        if is_cpu_tensor(value):
            storage = value.untyped_storage()
            return DevicePointer(
                self.address(value.data_ptr(), storage.data_ptr(),
                             storage.nbytes(), True), value.dtype)
        # A descriptor, or a tensor under another type: what it is made of moves.
        base = getattr(value, "base", None)
        if (moved := self.argument(base) if base is not None else None) is base:
            return value
        value = copy.copy(value)
        value.base = moved
        return value

    def copy_back(self):
        for start, (device, lead, size, writable) in self.blocks.items():
            if size and writable:
                self.library.download(start, device + lead, size)
            self.library.free(device)


def byte_bounds(array):
    """The first byte of an array, and the first one past it."""
    low = high = array.ctypes.data
    if array.size == 0:
        return low, low
    for length, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (length - 1) * stride
        else:
            high += (length - 1) * stride
    return low, high + array.itemsize


class Launcher(nvidia.CudaLauncher):

    def __init__(self, src, metadata):
        super().__init__(src, metadata)
        launch = self.launch
        library = Library()

        def launch_with_host_memory(*words):
            *words, scratch, profile, annotations, signature, arguments = words
            mirror = Mirror(library)
            launch(*words, mirror.argument(scratch), mirror.argument(profile),
                   annotations, signature,
                   tuple(mirror.argument(value) for value in arguments))
            mirror.copy_back()

        self.launch = launch_with_host_memory


class Driver(nvidia.CudaDriver):

    def __init__(self):
        self.library = Library()
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            super().__init__()
        else:
            self.utils = nvidia.CudaUtils()
            self.get_device_capability = self._get_device_capability
            self.get_current_stream = self._get_current_stream
            self.get_current_device = self._get_current_device
            self.set_current_device = self._set_current_device
        self.launcher_cls = Launcher
        # Triton asks an argument for its address before it launches.
        specialize = jit.native_specialize_impl
        jit.native_specialize_impl = lambda backend, value, *flags: specialize(
            backend, ArrayArgument(value) if is_numpy(value) else value, *flags)

    @staticmethod
    def is_active():
        return os.environ.get("TRITON_DEFAULT_BACKEND") == "drawloom"

    def get_active_torch_device(self):
        import torch
        if torch.cuda.is_available():
            return super().get_active_torch_device()
        return torch.device("cpu")

    def get_benchmarker(self):

        def count(kernel_call, *, quantiles=None, **_):
            kernel_call()
            self.library.call("cuCtxSynchronize")
            executed = float(self.library.executed())
            return [executed] * len(quantiles) if quantiles else executed

        return count
