# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where Drawloom is installed. What it does is in the command `drawloom`."""
import importlib.metadata
import pathlib

from drawloom_emulator import library_folder

__all__ = ["command", "library_folder"]
__version__ = importlib.metadata.version("drawloom")


def command():
    """The path of the command `drawloom`."""
    for file in importlib.metadata.files("drawloom"):
        if file.parts[-2:] == ("bin", "drawloom"):
            return pathlib.Path(file.locate()).resolve()
    raise FileNotFoundError("drawloom has no command; reinstall it")
