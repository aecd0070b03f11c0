# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in, arrays out: types of elements by MLIR's names, and DLPack."""
from __future__ import annotations

import ctypes
import difflib
import math
from typing import Any

import numpy as np

#: The names in numpy, or in ml_dtypes where numpy has none.
NAMES = {
    "f64": "float64", "f32": "float32", "tf32": "float32", "f16": "float16",
    "bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
    "f8E8M0FNU": "float8_e8m0fnu", "i1": "bool_", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64",
}
#: Bits of an f32 that a tf32 doesn't have.
BELOW_TF32 = 0x1fff


def dtype_of(element: str) -> np.dtype[Any]:
    """numpy's type for elements that MLIR calls so.

    >>> dtype_of("f32"), dtype_of("bf16")
    (dtype('float32'), dtype(bfloat16))
    """
    name = NAMES[element]
    known: np.dtype[Any]
    if hasattr(np, name):
        known = np.dtype(getattr(np, name))
        return known
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(f"{element} isn't in numpy: pip install ml_dtypes") from error
    known = np.dtype(getattr(ml_dtypes, name))
    return known


def element_of(dtype: Any) -> str:
    """MLIR's name for a type of numpy's, of ml_dtypes', or its own name.

    >>> element_of("bfloat16"), element_of(np.float32), element_of("bf16")
    ('bf16', 'f32', 'bf16')
    """
    if isinstance(dtype, str) and dtype in NAMES:
        return dtype
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    for element, known in NAMES.items():
        if known.rstrip("_") == name:
            return element
    near = [element for element in NAMES if element.lower() == name.lower()]
    near = near or difflib.get_close_matches(name, NAMES, 1)
    raise TypeError(f"unknown element type '{name}'; expected {', '.join(NAMES)}"
                    + (f"; did you mean '{near[0]}'?" if near else ""))


class _Tensor(ctypes.Structure):
    """DLTensor, which DLManagedTensor begins with."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


#: DLDataTypeCode and bits.
CODES = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64", (2, 16): "f16",
         (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (6, 8): "i1",
         (10, 8): "f8E4M3FN", (12, 8): "f8E5M2", (14, 8): "f8E8M0FNU"}
CPU = 1


def from_dlpack(tensor: Any, keep: list[Any]) -> np.ndarray[Any, Any]:
    """A view of another library's tensor. numpy's own refuses bf16. What `keep` gets
    has to live as long as the view."""
    if tensor.__dlpack_device__()[0] != CPU:
        raise TypeError("the tensor isn't in the memory of the host: copy it there first")
    capsule = tensor.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    raw = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    element = CODES.get((raw.code, raw.bits))
    if element is None or raw.lanes != 1:
        raise TypeError(f"no elements of DLPack's type {raw.code} with {raw.bits} bits")
    dtype = dtype_of(element)
    shape = tuple(raw.shape[i] for i in range(raw.rank))
    strides = None
    if raw.strides:
        strides = tuple(raw.strides[i] * dtype.itemsize for i in range(raw.rank))
    if math.prod(shape) == 0:
        return np.empty(shape, dtype)
    size = dtype.itemsize * math.prod(shape)
    if strides is not None:
        size = dtype.itemsize + sum((n - 1) * s for n, s in zip(shape, strides))
    keep.append(capsule)
    memory = (ctypes.c_char * size).from_address(raw.data + raw.offset)
    array: np.ndarray[Any, Any] = np.ndarray(shape, dtype, memory, strides=strides)
    return array


def view(value: Any, name: str, element: str, keep: list[Any]) -> np.ndarray[Any, Any]:
    """What a caller gives for an argument, as an array of its elements. Numbers are
    rounded to them; arrays have to have them, since rounding is the caller's affair."""
    dtype = dtype_of(element)
    array: np.ndarray[Any, Any]
    if isinstance(value, (bool, int, float)):
        return np.array(value, dtype)
    if not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "__dlpack__"):
        array = from_dlpack(value, keep)
    else:
        array = np.asarray(value)
    if array.dtype != dtype:
        owner = "np" if dtype.name in dir(np) else "ml_dtypes"
        raise TypeError(f"argument '{name}' expects {dtype.name}, got {array.dtype}; "
                        f"convert it with {name}.astype({owner}.{dtype.name})")
    if element == "tf32" and (array.view(np.uint32) & BELOW_TF32).any():
        raise ValueError(f"'{name}' has elements of tf32, and these are f32 with more "
                         "bits: clear the lower 13")
    return array
