# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libdrawloom-c.so.1 through ctypes.

ctypes rather than an extension module: the library has a C API and no Python in it,
so one wheel is right for every Python, and a call costs microseconds where the
shortest compile costs milliseconds. drawloom-c/Drawloom.h describes the functions.
"""
from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import operator
import pathlib
import re
import signal
import sys
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int,
                    c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_void_p)
from typing import Any, Callable, NamedTuple

FOLDER = str(pathlib.Path(__file__).parent)


class Message(NamedTuple):
    """Something that the compiler said, at a place of a program."""
    severity: str  #: "error", "warning", "remark" or "note"
    file: str  #: Empty if it is about no place.
    line: int  #: From 1; 0 if it is about the whole file.
    column: int
    text: str

    @property
    def code(self) -> str:
        """What the message is about, whatever its words: "shared-memory-limit"
        (docs/Messages.md), or the name of an operation that is wrong. Without either,
        "syntax".
        """
        line = self.text.split("\n", 1)[0]
        found = re.search(r" \[([a-z][a-z0-9-]*)\]$", line) or re.match(
            r"'(\w+\.[\w.]+)' op ", line)
        return found[1] if found else "syntax"


class Error(Exception):
    """What can't be compiled or run, and why.

    >>> try:
    ...     drawloom.compile("tile.kernel @k() { oops }\\n", arch="sm_90a")
    ... except drawloom.Error as error:
    ...     print(error.messages[0].line, error.messages[0].column)
    1 20
    """

    def __init__(self, text: str, messages: tuple[Message, ...] = ()):
        super().__init__(text)
        #: One after the other; a note follows what it belongs to.
        self.messages = messages or (Message("error", "", 0, 0, text),)


class Bytes(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class RawMessage(Structure):
    _fields_ = [("severity", c_char_p), ("file", c_char_p), ("line", c_uint),
                ("column", c_uint), ("text", c_char_p)]


class CompileOptions(Structure):
    _fields_ = [("structSize", c_size_t), ("name", c_char_p), ("arch", c_char_p),
                ("kernel", c_char_p), ("stage", c_char_p), ("unproved", c_int),
                ("noCache", c_int)]


class Array(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("data", c_void_p),
                ("rank", c_size_t), ("shape", POINTER(c_int64))]


class RunOptions(Structure):
    _fields_ = [("structSize", c_size_t), ("kernel", c_char_p), ("device", c_char_p),
                ("sms", c_uint), ("order", c_char_p), ("check", c_char_p),
                ("compare", c_int), ("random", c_int), ("seed", c_uint64)]


class Size(Structure):
    _fields_ = [("value", c_int64), ("name", c_char_p)]


class Place(Structure):
    _fields_ = [("file", c_char_p), ("line", c_uint)]


#: Asked whether calls are to stop.
Interrupted = CFUNCTYPE(c_int, c_void_p)


#: What each function returns and takes.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "ApiVersion": (c_int, []),
    "Version": (c_char_p, []),
    "SetInterrupted": (None, [Interrupted, c_void_p]),
    "BytesDestroy": (None, [Bytes]),
    "ErrorText": (c_char_p, [c_void_p]),
    "ErrorCount": (c_size_t, [c_void_p]),
    "ErrorAt": (RawMessage, [c_void_p, c_size_t]),
    "ErrorDestroy": (None, [c_void_p]),
    "Compile": (c_void_p, [c_char_p, c_size_t, POINTER(CompileOptions),
                           POINTER(c_void_p)]),
    "Reschedule": (c_void_p, [c_char_p, c_size_t, c_char_p, c_char_p,
                              POINTER(Bytes)]),
    "ProgramDestroy": (None, [c_void_p]),
    "ProgramCount": (c_size_t, [c_void_p]),
    "ProgramKernel": (c_char_p, [c_void_p, c_size_t]),
    "ProgramGet": (c_void_p, [c_void_p, c_char_p, c_char_p, POINTER(Bytes)]),
    "Run": (c_void_p, [c_void_p, POINTER(Array), c_size_t, POINTER(RunOptions),
                       POINTER(c_void_p)]),
    "Compare": (c_void_p, [c_void_p, c_char_p, POINTER(Array), c_size_t,
                           POINTER(Array), c_size_t, POINTER(Bytes)]),
    "ResultDestroy": (None, [c_void_p]),
    "ResultCount": (c_size_t, [c_void_p]),
    "ResultAt": (Array, [c_void_p, c_size_t]),
    "ResultReport": (c_char_p, [c_void_p]),
    "FusionCreate": (c_void_p, [c_char_p, Place]),
    "FusionDestroy": (None, [c_void_p]),
    "FusionInput": (c_void_p, [c_void_p, c_char_p, POINTER(Size), c_size_t, c_char_p,
                               Place, POINTER(c_uint32)]),
    "FusionApply": (c_void_p, [c_void_p, c_char_p, POINTER(c_uint32), c_size_t,
                               c_double, c_char_p, Place, POINTER(c_uint32)]),
    "FusionOutput": (c_void_p, [c_void_p, c_char_p, c_uint32, Place]),
    "FusionSchedule": (c_void_p, [c_void_p, c_char_p]),
    "FusionDescribe": (c_void_p, [c_void_p, c_uint32, POINTER(Bytes)]),
    "FusionShape": (c_void_p, [c_void_p, c_uint32, POINTER(Bytes)]),
    "FusionText": (c_void_p, [c_void_p, c_int, POINTER(Bytes)]),
}
#: These return an error.
FALLIBLE = {"Compile", "Reschedule", "ProgramGet", "Run", "Compare", "FusionInput",
            "FusionApply", "FusionOutput", "FusionSchedule", "FusionDescribe",
            "FusionShape", "FusionText"}
#: And these may take seconds.
LONG = {"Compile", "ProgramGet", "Run", "Compare"}


def installed(name: str) -> pathlib.Path:
    """The path of a file of this package."""
    for file in importlib.metadata.files("drawloom") or ():
        if file.name == name:
            return pathlib.Path(str(file.locate())).resolve()
    raise FileNotFoundError(f"drawloom has no {name}; reinstall it")


@functools.cache
def library() -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(installed("libdrawloom-c.so.1")))
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, "drawloom" + name)
        function.restype, function.argtypes = result, arguments
    return loaded


def call(name: str, *arguments: Any) -> Any:
    """Calls drawloomNAME; what went wrong is an exception."""
    function = getattr(library(), "drawloom" + name)
    result = (_call_interruptibly if name in LONG else _call)(function, *arguments)
    if name not in FALLIBLE or not result:
        return result
    try:
        raw = [call("ErrorAt", result, i) for i in range(call("ErrorCount", result))]
        raise Error(
            _text(call("ErrorText", result)),
            tuple(Message(_text(m.severity), _text(m.file), m.line, m.column,
                          _text(m.text)) for m in raw))
    finally:
        call("ErrorDestroy", result)


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _text(data: bytes) -> str:
    """Words of the library, which may repeat what isn't UTF-8."""
    return data.decode(errors="replace")


def _call_interruptibly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Python handles Ctrl-C in its main thread, between steps of its own, and there are
    none while the library works. So the library asks a few times a second, which is
    such a step; what was to handle the signal does when the library has stopped."""
    handler = signal.getsignal(signal.SIGINT)
    noted: list[Any] = []
    ask = Interrupted(lambda _: len(noted))
    call("SetInterrupted", ask, None)
    try:
        if (threading.current_thread() is not threading.main_thread()
                or not callable(handler)):
            return function(*arguments)
        signal.signal(signal.SIGINT, lambda *event: noted.extend(event))
        try:
            result = function(*arguments)
        finally:
            signal.signal(signal.SIGINT, handler)
    finally:
        call("SetInterrupted", Interrupted(), None)
    if noted:
        try:
            handler(*noted[:2])
        except BaseException:
            call("ErrorDestroy", result)  # Of these that is all that they return.
            raise
    return result


def take(name: str, *arguments: Any) -> bytes:
    """Calls drawloomNAME, which gives bytes."""
    made = Bytes()
    try:
        call(name, *arguments, byref(made))
        return ctypes.string_at(made.data, made.size)
    finally:
        call("BytesDestroy", made)


def encoded(text: str | None, what: str, *, is_needed: bool = False) -> bytes | None:
    """A string for the library, which takes an address for one as well: so the type is
    looked at here. None is none, if it isn't needed."""
    if text is None and not is_needed:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{what} is a string, not {_name(text)}")
    if "\0" in text:
        raise ValueError(f"{what} has a character 0 in it, and a string ends there")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} has characters that UTF-8 can't write: "
                         f"{error.reason}") from None


def whole(value: Any, what: str, least: int, most: int) -> int:
    """A whole number in a range; the library would take its last bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {_name(value)}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} is {number if abs(number) < 1 << 128 else 'huge'}; it is "
                         f"from {least} to {most}")
    return number


def _name(value: Any) -> str:
    return "None" if value is None else type(value).__name__


class Handle:
    """Something of the library's, destroyed with its last reference. A function
    that makes it writes its address to `pointer`."""

    def __init__(self, destroy: str, address: int | None = None):
        self.pointer = c_void_p(address)
        self.destroy = getattr(library(), "drawloom" + destroy)

    @property
    def address(self) -> int | None:
        return self.pointer.value

    def __del__(self) -> None:
        if hasattr(self, "destroy"):  # Or the library isn't there.
            self.destroy(self.pointer)

    def __reduce__(self) -> Any:
        raise TypeError("what the library holds can't be pickled or copied")


def place() -> Place:
    """The line of the program that called the package."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(FOLDER):
        frame = frame.f_back
    file = frame.f_code.co_filename.replace("\0", "")
    return Place(file.encode(errors="replace"), frame.f_lineno or 0)
