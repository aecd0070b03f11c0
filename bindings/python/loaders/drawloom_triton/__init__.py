# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's driver for the emulator, by Triton's entry point `triton.backends`.

`drawloom run` puts this package on the path and names it as the backend. Kernels
are compiled by Triton's own backend for NVIDIA's GPUs and launched by its own
launcher; what is different is in driver.py.
"""
