# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of other compilers, as PTX, built without a GPU.

A peer is a module of this package with a function `kernels()`. It imports the
peer's own package only when it builds, so listing needs none of them.
"""

import importlib
import pkgutil

from .kernel import Kernel

PEERS = tuple(module.name for module in pkgutil.iter_modules(__path__)
              if module.name not in ("__main__", "kernel"))


def all_kernels() -> list[Kernel]:
    kernels = []
    for peer in PEERS:
        kernels += importlib.import_module(f".{peer}", __package__).kernels()
    names = [kernel.name for kernel in kernels]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"kernels with the same name: {', '.join(twice)}")
    return kernels
