# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A backend has to bring a compiler. The target is an NVIDIA GPU, so Triton's
own compiler for these takes it, and this one takes nothing."""
from triton.backends.nvidia import compiler as nvidia


class Backend(nvidia.CUDABackend):

    @staticmethod
    def supports_target(target):
        return False
