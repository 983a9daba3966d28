"""The structs of ``paddle/include/paddle/c_abi.h`` for ctypes, and attributes in them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_uint8, c_uint32, c_uint64
from ctypes import c_void_p as pointer
from typing import Any

import numpy as np

from paddle.core import errors

# ---------------------------------------------------------------- structs


class CDevice(ctypes.Structure):
    """PD_Device: a device."""

    _fields_ = [("type", c_int32), ("id", c_int32)]


class CDType(ctypes.Structure):
    """PD_DType: a data type."""

    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", ctypes.c_uint16)]


class CLod(ctypes.Structure):
    """PD_Lod: how rows are split into sequences."""

    _fields_ = [
        ("levels", c_int32),
        ("lengths", POINTER(c_int64)),
        ("offsets", POINTER(POINTER(c_int64))),
    ]


class CTensor(ctypes.Structure):
    """PD_Tensor: a tensor, or sizes alone."""

    _fields_ = [
        ("data", pointer),
        ("device", CDevice),
        ("ndim", c_int32),
        ("dtype", CDType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
        ("handle", c_uint64),
        ("lod", POINTER(CLod)),
        ("flags", c_uint32),
        ("reserved", c_uint32),
    ]


class CString(ctypes.Structure):
    """PD_String: text with its length."""

    _fields_ = [("s", c_char_p), ("count", c_int64)]


class _As(ctypes.Union):
    _fields_ = [("i", c_int64), ("d", c_double), ("s", c_char_p), ("list", pointer)]


class CValue(ctypes.Structure):
    """PD_Value: an attribute of a call."""

    _fields_ = [("type", c_int32), ("reserved", c_int32), ("count", c_int64), ("as_", _As)]


class CSlot(ctypes.Structure):
    """PD_Slot: an input or output of an operator."""

    _fields_ = [("name", c_char_p), ("doc", c_char_p), ("flags", c_uint32), ("inplace", c_int32)]


class CAttribute(ctypes.Structure):
    """PD_Attribute: what an operator says of an attribute."""

    _fields_ = [
        ("name", c_char_p),
        ("doc", c_char_p),
        ("type", c_int32),
        ("has_initial", c_int32),
        ("initial", CValue),
    ]


class CBinding(ctypes.Structure):
    """PD_Binding: where an input of a gradient comes from."""

    _fields_ = [("source", c_int32), ("slot", c_int32)]


class CGradient(ctypes.Structure):
    """PD_Gradient: which operator gives the gradients."""

    _fields_ = [
        ("name", c_char_p),
        ("inputs", POINTER(CBinding)),
        ("outputs", POINTER(CBinding)),
        ("attribute_count", c_int32),
        ("attribute_names", POINTER(c_char_p)),
        ("attribute_values", POINTER(CValue)),
    ]


class CKernel(ctypes.Structure):
    """PD_Kernel: a device and a data type."""

    _fields_ = [("device", c_int32), ("dtype", CDType)]


class COperator(ctypes.Structure):
    """PD_Operator: an operator as its library describes it."""

    _fields_ = [
        ("name", c_char_p),
        ("doc", c_char_p),
        ("flags", c_uint32),
        ("input_count", c_int32),
        ("inputs", POINTER(CSlot)),
        ("output_count", c_int32),
        ("outputs", POINTER(CSlot)),
        ("attribute_count", c_int32),
        ("attributes", POINTER(CAttribute)),
        ("gradient", POINTER(CGradient)),
        ("kernel_count", c_int32),
        ("kernels", POINTER(CKernel)),
    ]


class CCall(ctypes.Structure):
    """PD_Call: what a function of a library is called with."""

    _fields_ = [
        ("size", c_uint32),
        ("flags", c_uint32),
        ("device", CDevice),
        ("stream", pointer),
        ("input_count", c_int32),
        ("output_count", c_int32),
        ("inputs", POINTER(CTensor)),
        ("input_counts", POINTER(c_int32)),
        ("outputs", POINTER(CTensor)),
        ("output_counts", POINTER(c_int32)),
        ("attributes", POINTER(CValue)),
        ("host_data", pointer),
    ]


_function = ctypes.CFUNCTYPE(c_int32, c_int32, pointer)


class CLibrary(ctypes.Structure):
    """PD_Library: the functions of a library."""

    _fields_ = [
        ("version", c_uint32),
        ("size", c_uint32),
        ("built_with", c_char_p),
        ("count", ctypes.CFUNCTYPE(c_int32)),
        ("describe", ctypes.CFUNCTYPE(POINTER(COperator), c_int32)),
        ("infer_shape", _function),
        ("infer_dtype", _function),
        ("call", _function),
    ]


class CHost(ctypes.Structure):
    """PD_Host: the functions that a library calls."""

    _fields_ = [
        ("version", c_uint32),
        ("size", c_uint32),
        ("error", ctypes.CFUNCTYPE(None, pointer, c_int32, c_char_p)),
        (
            "allocate",
            ctypes.CFUNCTYPE(
                c_int32, pointer, c_int32, POINTER(c_int64), CDType, CDevice, POINTER(CTensor)
            ),
        ),
        ("release", ctypes.CFUNCTYPE(None, c_uint64)),
        ("retain", ctypes.CFUNCTYPE(None, c_uint64)),
        (
            "convert",
            ctypes.CFUNCTYPE(c_int32, pointer, POINTER(CTensor), CDType, CDevice, POINTER(CTensor)),
        ),
        ("room", ctypes.CFUNCTYPE(pointer, pointer, c_int32)),
        ("set_lod", ctypes.CFUNCTYPE(c_int32, pointer, c_int32, POINTER(CLod))),
        ("stream", ctypes.CFUNCTYPE(pointer, CDevice)),
        (
            "call_operator",
            ctypes.CFUNCTYPE(
                c_int32, pointer, c_char_p, c_int32, POINTER(c_int32), POINTER(CTensor), c_int32,
                POINTER(c_char_p), POINTER(CValue), POINTER(c_int32), POINTER(POINTER(CTensor)),
                POINTER(POINTER(c_int32)),
            ),
        ),
        ("log", ctypes.CFUNCTYPE(None, c_int32, c_char_p)),
    ]  # fmt: skip


# ---------------------------------------------------------------- attributes

# Type of an attribute by its number: (name, C type of an element, None: a string).
TYPES: dict[int, tuple[str, Any]] = {
    1: ("bool", c_uint8),
    2: ("int", c_int32),
    3: ("int64_t", c_int64),
    4: ("float", ctypes.c_float),
    5: ("double", c_double),
    6: ("std::string", None),
    7: ("std::vector<bool>", c_uint8),
    8: ("std::vector<int>", c_int32),
    9: ("std::vector<int64_t>", c_int64),
    10: ("std::vector<float>", ctypes.c_float),
    11: ("std::vector<double>", c_double),
    12: ("std::vector<std::string>", None),
}
_PYTHON: dict[str, tuple[str, Any]] = {
    "bool": ("a bool", (bool, np.bool_)),
    "int": ("an int", (int, np.integer)),
    "int64_t": ("an int", (int, np.integer)),
    "float": ("a number", (int, float, np.integer, np.floating)),
    "double": ("a number", (int, float, np.integer, np.floating)),
    "std::string": ("a str", (str, bytes)),
}


def _checked(where: str, kind: int, value: Any) -> Any:
    """A value of the Python type that an attribute's (single) type asks for."""
    name = TYPES[kind][0]
    words, types = _PYTHON[name]
    if name == "bool" and isinstance(value, (int, np.integer)) and value in (0, 1):
        value = bool(value)
    if not isinstance(value, types):
        got = f"{type(value).__name__} {value!r}"[:80]
        raise errors.InvalidTypeError(f"{where} is a {name}: expected {words}, but received {got}.")
    if name in ("int", "int64_t"):
        bits = 31 if name == "int" else 63
        if not -(1 << bits) <= value < 1 << bits:
            raise errors.OutOfRangeError(f"{where} is of {bits + 1} bits, but received {value}.")
    if isinstance(value, str):
        return value.encode()
    return value.item() if isinstance(value, np.generic) else value


def encode(name: str, owner: str, kind: int, value: Any, into: CValue) -> Any:
    """Writes an attribute into a struct; returns what must be kept as long as that is used.

    Args:
        name (str): the attribute, for messages.
        owner (str): its operator.
        kind (int): its type, a key of :data:`TYPES`.
        value: what the user gave.
        into (CValue): the struct.
    """
    into.type = kind
    where = f"attribute {name} of operator {owner}"
    if kind <= 6:
        value = _checked(where, kind, value)
        into.count = 1
        if kind == 6:
            into.count, into.as_.s = len(value), value
        elif kind >= 4:
            into.as_.d = float(value)
        else:
            into.as_.i = int(value)
        return value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        got = f"{type(value).__name__} {value!r}"[:80]
        raise errors.InvalidTypeError(
            f"{where} is a {TYPES[kind][0]}: expected a list, but received {got}."
        )
    parts = [
        _checked(f"attribute {name}[{i}] of operator {owner}", kind - 6, part)
        for i, part in enumerate(value)
    ]
    into.count = len(parts)
    array: Any
    if kind == 12:
        array = (CString * max(len(parts), 1))(*(CString(part, len(part)) for part in parts))
    else:
        array = (TYPES[kind][1] * max(len(parts), 1))(*parts)
    into.as_.list = ctypes.addressof(array)
    return array, parts


def decode(value: CValue) -> Any:
    """The Python value in a struct."""
    kind, given, count = value.type, value.as_, value.count
    if kind == 1:
        return bool(given.i)
    if kind in (2, 3):
        return int(given.i)
    if kind in (4, 5):
        return float(given.d)
    if kind == 6:
        return ctypes.string_at(given.s, count).decode() if given.s else ""
    if kind == 12:
        strings = ctypes.cast(given.list, POINTER(CString))
        return [ctypes.string_at(strings[i].s, strings[i].count).decode() for i in range(count)]
    parts = ctypes.cast(given.list, POINTER(TYPES[kind][1]))[:count] if count else []
    return [bool(part) for part in parts] if kind == 7 else list(parts)
