# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One host of a herd, as a server of models is one: a process that asks for kernels one
after another, through the C API. Waits for a line on standard input, then says in JSON
how long each took and what it got."""

import argparse
import ctypes
import hashlib
import json
import pathlib
import sys
import time
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p


class Options(ctypes.Structure):
    """DrawloomCompileOptions."""
    _fields_ = [("structSize", c_size_t), ("name", c_char_p), ("arch", c_char_p),
                ("kernel", c_char_p), ("stage", c_char_p), ("unproved", c_int),
                ("noCache", c_int)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


def load(path):
    library = ctypes.CDLL(path)
    library.drawloomCompile.restype = c_void_p
    library.drawloomCompile.argtypes = [c_char_p, c_size_t, POINTER(Options), POINTER(c_void_p)]
    library.drawloomProgramGet.restype = c_void_p
    library.drawloomProgramGet.argtypes = [c_void_p, c_char_p, c_char_p, POINTER(Bytes)]
    library.drawloomProgramDestroy.argtypes = [c_void_p]
    library.drawloomBytesDestroy.argtypes = [Bytes]
    library.drawloomErrorText.restype = c_char_p
    library.drawloomErrorText.argtypes = [c_void_p]
    return library


def compile_one(library, path):
    """Its PTX."""
    def expect(error):
        if error:
            sys.exit(library.drawloomErrorText(error).decode())
    text = path.read_bytes()
    options = Options(ctypes.sizeof(Options), path.name.encode(), b"sm_100a")
    program, made = c_void_p(), Bytes()
    expect(library.drawloomCompile(text, len(text), byref(options), byref(program)))
    expect(library.drawloomProgramGet(program, b"ptx", None, byref(made)))
    ptx = ctypes.string_at(made.data, made.size)
    library.drawloomBytesDestroy(made)
    library.drawloomProgramDestroy(program)
    return ptx


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    library = load(args.library)
    print("ready", flush=True)
    sys.stdin.readline()
    times, kernels = [], {}
    for program in args.programs:
        start = time.monotonic()
        ptx = compile_one(library, program)
        times.append(time.monotonic() - start)
        kernels[program.stem] = hashlib.sha256(ptx).hexdigest()
    print(json.dumps([times, kernels]))


if __name__ == "__main__":
    main()
