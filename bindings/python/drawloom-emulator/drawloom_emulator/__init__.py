# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the emulator of Drawloom is installed.

`drawloom run -- COMMAND` is all that a program needs. This is for programs that
start others themselves, or open the driver by its path.
"""
import importlib.metadata
import pathlib

__version__ = importlib.metadata.version("drawloom-emulator")


def _installed(name: str) -> pathlib.Path:
    for file in importlib.metadata.files("drawloom-emulator") or ():
        if file.name == name:
            return pathlib.Path(str(file.locate())).resolve()
    raise FileNotFoundError(f"drawloom-emulator has no {name}; reinstall it")


def library_folder() -> pathlib.Path:
    """The folder of libcuda.so.1 and libcudart.so.13: for LD_LIBRARY_PATH of a
    program that is to run on the emulator, and of no other."""
    return _installed("libcuda.so.1").parent


def command() -> pathlib.Path:
    """The path of the command `drawloom-run`."""
    return _installed("drawloom-run")
