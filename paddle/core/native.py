"""Libraries of compiled operators: the C interface of ``paddle/include/paddle/c_abi.h`` by ctypes.

The structs are in :mod:`paddle.core.native_structs`; no other file knows them. Buffers are opaque
here: :data:`memory`, which :mod:`paddle.ops.native_buffers` sets, makes them and says where they
lie. A library stays open for as long as the process lives, so nothing that came from it dangles.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_int32, c_int64
from ctypes import c_void_p as pointer
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from paddle.core import errors
from paddle.core.native_slots import (
    NativeGradient,
    attribute_of,
    slot_of,
    text_of,
)
from paddle.core.native_structs import (
    TYPES as TYPES,
)
from paddle.core.native_structs import (
    CCall,
    CDevice,
    CDType,
    CHost,
    CLibrary,
    CLod,
    COperator,
    CTensor,
    CValue,
    decode,
    encode,
)
from paddle.core.op import REQUIRED, py

VERSION = 1
MAX_RANK = 32
MAX_OUTPUTS = 1 << 20
CPU, CUDA = 1, 2  # kinds of devices, as DLPack numbers them
OTHER_OUTPUTS, OK = -1, 0
RUNTIME = 1  # flag of a call: sizes are those of real tensors
UNWANTED = 1  # flag of an output
ENTRY = "paddle_operator_library"

HAS_SHAPE, HAS_DTYPE, STRIDES, OWN_LOD, SHARES_LOD, RANDOM = 1, 2, 4, 8, 16, 32  # of operators

# An error's class by its code.
ERRORS: dict[int, Any] = {
    1: errors.InvalidArgumentError,
    2: errors.NotFoundError,
    3: errors.OutOfRangeError,
    4: errors.AlreadyExistsError,
    5: errors.ResourceExhaustedError,
    6: errors.PreconditionNotMetError,
    7: errors.PermissionDeniedError,
    8: errors.ExecutionTimeoutError,
    9: errors.UnimplementedError,
    10: errors.UnavailableError,
    11: errors.FatalError,
    12: errors.ExternalError,
    13: errors.InvalidTypeError,
}


# ---------------------------------------------------------------- what a library says


class NativeOperator:
    """A compiled operator as its library describes it, and its three functions."""

    def __init__(self, library: NativeLibrary, index: int, told: COperator) -> None:
        self.library = library
        self.index = index
        self.name = text_of(told.name)
        if not self.name.isidentifier() or iskeyword(self.name):
            said = f"expected a name that Python can have, but received {self.name!r}."
            raise errors.InvalidArgumentError(said)
        self.doc = text_of(told.doc).strip()
        self.flags = told.flags
        self.inputs = [slot_of(told.inputs[i]) for i in range(told.input_count)]
        self.outputs = [slot_of(told.outputs[i]) for i in range(told.output_count)]
        self.attributes = [attribute_of(told.attributes[i]) for i in range(told.attribute_count)]
        self.kernels = [
            (told.kernels[i].device, (told.kernels[i].dtype.code, told.kernels[i].dtype.bits))
            for i in range(told.kernel_count)
        ]
        self.gradient: NativeGradient | None = None
        if told.gradient:
            given = told.gradient[0]
            names = [text_of(given.attribute_names[i]) for i in range(given.attribute_count)]
            values = [decode(given.attribute_values[i]) for i in range(given.attribute_count)]
            # How many bindings there are, the gradient's own slots say.
            self.gradient = NativeGradient(
                text_of(given.name), None, None, dict(zip(names, values))
            )
            self._bindings = given.inputs, given.outputs
        self._check(told)

    def _check(self, told: COperator) -> None:
        """Refuses what no operator can be."""
        if min(told.input_count, told.output_count, told.attribute_count, told.kernel_count) < 0:
            raise errors.InvalidArgumentError(
                f"operator {self.name}: {told.input_count} inputs, {told.output_count} outputs, "
                f"{told.attribute_count} attributes and {told.kernel_count} kernels."
            )
        for listed in (self.inputs, self.outputs, self.attributes):
            names = [one.name for one in listed]  # type: ignore[attr-defined]
            wrong = [n for i, n in enumerate(names) if not n or n in names[:i]]
            if wrong:
                what = f"has {wrong[0]} twice" if wrong[0] else "has something without a name"
                raise errors.InvalidArgumentError(f"operator {self.name} {what}.")
        for slot in self.outputs:
            if max(slot.inplace, slot.reuses) >= len(self.inputs):
                raise errors.InvalidArgumentError(
                    f"operator {self.name}: its output {slot.name} is written into input "
                    f"{max(slot.inplace, slot.reuses)}, but there are {len(self.inputs)}."
                )
        for attribute in self.attributes:
            name = py(attribute.name)
            if attribute.type not in TYPES or not name.isidentifier() or iskeyword(name):
                raise errors.InvalidArgumentError(
                    f"operator {self.name}: its attribute {attribute.name!r} has the type "
                    f"{attribute.type}; expected a name that Python can have and a type of 1 to 12."
                )

    def bind(self, inputs: int, outputs: int) -> NativeGradient | None:
        """The gradient with its bindings read, the numbers of that operator's slots being known."""
        if self.gradient is None:
            return None
        given = [
            [(table[i].source, table[i].slot) for i in range(count)] if table else None
            for table, count in zip(self._bindings, (inputs, outputs))
        ]
        return NativeGradient(self.gradient.name, given[0], given[1], self.gradient.attributes)

    def attributes_of(self, attrs: dict[str, Any]) -> tuple[Any, list]:
        """The attributes of a call as the C interface has them, and what keeps them alive."""
        array = (CValue * max(len(self.attributes), 1))()
        kept = []
        for i, attribute in enumerate(self.attributes):
            value = attrs.get(attribute.name, attribute.initial)
            if value is REQUIRED:
                raise errors.InvalidArgumentError(
                    f"operator {self.name}: attribute {attribute.name} has no default and was "
                    "not given."
                )
            kept.append(encode(attribute.name, self.name, attribute.type, value, array[i]))
        return array, kept


class NativeLibrary:
    """An opened library and its operators.

    Args:
        path (str): its file, or a name that the loader of the system looks for.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.handle = ctypes.CDLL(path)  # RTLD_NOW and RTLD_LOCAL; it stays open
        try:
            entry = self.handle[ENTRY]
        except AttributeError:
            raise errors.InvalidArgumentError(
                f"{path} is no library of operators: it has no function {ENTRY}.",
                hint="include paddle/extension.h or paddle/fluid/framework/op_registry.h of "
                "paddle.sysconfig.get_include(), and build it again",
            ) from None
        entry.restype = POINTER(CLibrary)
        entry.argtypes = [POINTER(CHost)]
        state.text = ""
        table = entry(ctypes.byref(_host))
        if not table:
            raise errors.PreconditionNotMetError(
                f"{path} cannot be used: {state.text or 'no word'}"
            )
        self.table = table[0]
        if self.table.version != VERSION:  # what stands behind it may be anything
            raise errors.UnavailableError(
                f"{path} was built for version {self.table.version} of the interface of operators, "
                f"but this is version {VERSION}.",
                hint="build it again with the headers of paddle.sysconfig.get_include()",
            )
        lacking = [name for name, *_ in CLibrary._fields_[3:] if not getattr(self.table, name)]
        if self.table.size < ctypes.sizeof(CLibrary) or lacking:
            raise errors.InvalidArgumentError(
                f"{path} cannot be used: its table has {self.table.size} bytes"
                + "".join(f", no {name}" for name in lacking)
                + f"; expected {ctypes.sizeof(CLibrary)} bytes and every function."
            )
        self.built_with = text_of(self.table.built_with)
        count = self.table.count()
        if count < 0:
            raise errors.InvalidArgumentError(f"{path} cannot be used: it has {count} operators.")
        self.operators = [self._described(path, index) for index in range(count)]
        self.call = self._raw("call")

    def _described(self, path: str, index: int) -> NativeOperator:
        state.text = ""
        told = self.table.describe(index)
        try:
            if told:
                return NativeOperator(self, index, told[0])
            said = state.text or "no word"
        except (errors.FrameworkError, ValueError, KeyError) as error:
            said = str(error).partition(") ")[2] or str(error)
        raise errors.InvalidArgumentError(f"{path}: its operator {index} cannot be used: {said}")

    def _raw(self, field: str) -> Any:
        """A function without types of arguments: ctypes calls it in half of the time."""
        return ctypes.CFUNCTYPE(c_int32)(
            ctypes.cast(getattr(self.table, field), pointer).value or 0
        )


# ---------------------------------------------------------------- a call


@dataclass(frozen=True)
class Shown:
    """What the interface says of a tensor: sizes, and pairs of numbers for dtype and device."""

    shape: Sequence[int]
    dtype: tuple[int, int]
    device: tuple[int, int] = (CPU, 0)
    strides: Sequence[int] | None = None


class Block:
    """The structs of one call: made once for calls that are alike; only pointers change.

    Args:
        op (NativeOperator): what is called.
        inputs (list): for each slot a list of :class:`Shown`, empty where it is missing.
        outputs (list): the same for what is offered; None stands for an output nothing is known of.
        attributes: of :meth:`NativeOperator.attributes_of`.
        runtime (bool): whether sizes are those of real tensors.
        device (tuple): where it runs.
    """

    def __init__(
        self, op: NativeOperator, inputs: list[list[Shown]], outputs: list[list[Shown | None]],
        attributes: tuple[Any, list], runtime: bool = True, device: tuple[int, int] = (CPU, 0),
    ) -> None:  # fmt: skip
        self.op = op
        self.attributes = attributes
        flat_in = [t for slot in inputs for t in slot]
        flat_out = [t for slot in outputs for t in slot]
        self.ins = (CTensor * max(len(flat_in), 1))()
        self.outs = (CTensor * max(len(flat_out), 1))()
        self.in_counts = (c_int32 * max(len(inputs), 1))(*map(len, inputs))
        self.out_counts = (c_int32 * max(len(outputs), 1))(*map(len, outputs))
        self._sizes: list[Any] = []
        self._lods: list[Any] = []
        self.levels: dict[int, list[list[int]]] = {}  # what set_lod said of outputs
        for i, shown in enumerate(flat_in):
            self._fill(self.ins[i], shown, i + 1)
        for i, offered in enumerate(flat_out):
            self._fill(self.outs[i], offered, len(flat_in) + i + 1)
        self.call = CCall(
            ctypes.sizeof(CCall), RUNTIME if runtime else 0, CDevice(*device), None,
            len(flat_in), len(flat_out), self.ins, self.in_counts, self.outs, self.out_counts,
            attributes[0], None,
        )  # fmt: skip
        self.reference = ctypes.byref(self.call)
        _blocks[ctypes.addressof(self.call)] = self
        step = ctypes.sizeof(CTensor)
        self.input_pointers = [pointer.from_buffer(self.ins, i * step) for i in range(len(flat_in))]
        self.output_pointers = [
            pointer.from_buffer(self.outs, i * step) for i in range(len(flat_out))
        ]

    def _fill(self, into: CTensor, shown: Shown | None, handle: int) -> None:
        sizes = (c_int64 * MAX_RANK)()
        self._sizes.append(sizes)
        into.shape, into.handle = sizes, handle
        if shown is None:
            into.ndim = -1
            return
        if len(shown.shape) > MAX_RANK:
            raise errors.UnimplementedError(
                f"operator {self.op.name}: a tensor of {len(shown.shape)} dimensions, but "
                f"libraries take {MAX_RANK} at most."
            )
        sizes[: len(shown.shape)] = list(shown.shape)
        into.ndim, into.dtype = len(shown.shape), CDType(*shown.dtype, 1)
        into.device = CDevice(*shown.device)
        if shown.strides is not None:
            strides = (c_int64 * MAX_RANK)(*shown.strides)
            self._sizes.append(strides)
            into.strides = strides

    def put_lod(self, position: int, levels: list[list[int]]) -> None:
        """Says how the rows of an input are split into sequences."""
        offsets = [(c_int64 * len(level))(*level) for level in levels]
        rows = (POINTER(c_int64) * len(levels))(
            *(ctypes.cast(o, POINTER(c_int64)) for o in offsets)
        )
        lengths = (c_int64 * len(levels))(*map(len, levels))
        lod = CLod(len(levels), lengths, rows)
        self._lods.append((offsets, rows, lengths, lod))
        self.ins[position].lod = ctypes.pointer(lod)

    def unwanted(self, position: int) -> None:
        """Says of an output that nobody will look at it."""
        self.outs[position].flags |= UNWANTED

    def room(self, count: int) -> int:
        """Makes the array of outputs longer; returns its address."""
        kept = self.call.output_count
        count = max(count, kept)
        if count > MAX_OUTPUTS:
            said = f"operator {self.op.name}: a library asked for room for {count} outputs."
            raise errors.OutOfRangeError(said)
        more = (CTensor * max(count, 1))()
        ctypes.memmove(more, self.call.outputs, kept * ctypes.sizeof(CTensor))
        for i in range(kept, count):
            self._fill(more[i], None, 0)
        self.outs = more
        self.call.outputs = more
        self.call.output_count = count
        return ctypes.addressof(more)

    def run(self, function: Any) -> int:
        """Calls one of the library's functions; raises its error.

        Returns:
            int: OK or OTHER_OUTPUTS.
        """
        code = function(self.op.index, self.reference)
        if code > 0:
            raise failure(code)
        return code

    def results(self) -> list[list[CTensor]]:
        """What stands in the outputs now, for each slot."""
        counts = list(self.call.output_counts[: len(self.op.outputs)])
        if min(counts, default=0) < 0 or sum(counts) > self.call.output_count:
            raise errors.InvalidArgumentError(
                f"operator {self.op.name}: its library says that there are {counts} outputs, but "
                f"there is room for {self.call.output_count}."
            )
        position = itertools.count()
        return [[self.call.outputs[next(position)] for _ in range(n)] for n in counts]


def failure(code: int) -> Exception:
    """The error that a function of a library reported by its code."""
    text, state.text = getattr(state, "text", ""), ""
    (raised, said), state.raised = getattr(state, "raised", None) or (None, 0), None
    if raised is not None and said == code:  # in a function of ours that the library called
        return raised
    kind = ERRORS.get(code, errors.ExternalError)
    return kind(text or f"it failed with code {code} and without a word.")


# ---------------------------------------------------------------- the host's functions

state = threading.local()  # text and raised: the error of the last function that failed
_blocks: Any = weakref.WeakValueDictionary()
_held: dict[int, list[Any]] = {}  # handle -> [buffer, how often it counts, its sizes]
_numbers = itertools.count(1 << 32)  # inputs and offers have small numbers


class Memory:
    """What the host's functions need of buffers; :mod:`paddle.ops.native_buffers` has it."""

    empty: Callable[[list[int], tuple[int, int], tuple[int, int]], Any]
    shown: Callable[[Any], Shown]
    address: Callable[[Any], int]
    convert: Callable[[CTensor, tuple[int, int], tuple[int, int]], Any]
    stream: Callable[[tuple[int, int]], int | None]
    call_operator: Callable[[str, list[list[CTensor]], dict[str, Any]], list[list[Any]]]
    log: Callable[[int, str], None]


memory = Memory()


def held(handle: int) -> Any:
    """The buffer of a handle that was given out; None for inputs and offers."""
    found = _held.get(handle)
    return found[0] if found else None


def bytes_at(address: int, count: int) -> Any:
    """Bytes in memory as a buffer of Python."""
    return (ctypes.c_uint8 * count).from_address(address)


def kept(handle: int) -> bool:
    """Whether a library keeps a handle beside what it hands over."""
    found = _held.get(handle)
    return found is not None and found[1] > 1


def hold(buffer: Any, into: CTensor) -> None:
    """Gives a buffer out: fills a struct, whose handle the library owns."""
    shown = memory.shown(buffer)
    sizes = (c_int64 * max(len(shown.shape), 1))(*shown.shape)
    number = next(_numbers)
    _held[number] = [buffer, 1, sizes]
    into.data, into.device = memory.address(buffer), CDevice(*shown.device)
    into.ndim, into.dtype = len(shown.shape), CDType(*shown.dtype, 1)
    into.shape, into.strides, into.byte_offset = sizes, None, 0
    into.handle, into.lod, into.flags = number, None, 0


def sizes_of(tensor: CTensor) -> list[int]:
    """The shape in a struct."""
    if tensor.ndim > MAX_RANK:
        said = f"a library says that a tensor has {tensor.ndim} dimensions; at most {MAX_RANK} go."
        raise errors.OutOfRangeError(said)
    return list(tensor.shape[: tensor.ndim]) if tensor.ndim > 0 else []


def _failed(error: BaseException) -> int:
    """Keeps what a function of the host raised; its code."""
    code = next((code for code, kind in ERRORS.items() if isinstance(error, kind)), 12)
    state.text, state.raised = "", (error, code)
    return code


def _safely(function: Callable) -> Callable:
    """A function of the host: what it raises is kept, and the library gets a code."""

    def called(*args: Any) -> Any:
        try:
            function(*args)
            return OK
        except BaseException as error:
            return _failed(error)

    return called


def _error(call: Any, code: int, text: bytes | None) -> None:
    state.text, state.raised = text_of(text).strip(), None  # what it caught before is past


@_safely
def _allocate(call: Any, ndim: int, shape: Any, dtype: Any, device: Any, made: Any) -> None:
    sizes = list(shape[:ndim]) if ndim > 0 else []
    if any(n < 0 for n in sizes):
        raise errors.InvalidArgumentError(f"expected sizes of at least 0, but received {sizes}.")
    hold(memory.empty(sizes, (dtype.code, dtype.bits), (device.type, device.id)), made[0])


@_safely
def _convert(call: Any, source: Any, dtype: Any, device: Any, made: Any) -> None:
    buffer = memory.convert(source[0], (dtype.code, dtype.bits), (device.type, device.id))
    hold(buffer, made[0])


def release(handle: int) -> None:
    """Takes a handle back."""
    found = _held.get(handle)
    if found is not None:
        found[1] -= 1
        if found[1] <= 0:
            _held.pop(handle, None)


def _retain(handle: int) -> None:
    found = _held.get(handle)
    if found is not None:
        found[1] += 1


def _room(call: int, count: int) -> int | None:
    try:
        return _blocks[call].room(count)
    except Exception as error:  # the library sees that there is none
        _failed(error)
        return None


@_safely
def _set_lod(call: int, output: int, lod: Any) -> None:
    told = lod[0] if lod else None
    levels = [list(told.offsets[i][: told.lengths[i]]) for i in range(told.levels)] if told else []
    _blocks[call].levels[output] = levels


def _stream(device: Any) -> int | None:
    return memory.stream((device.type, device.id))


@_safely
def _call_operator(
    call: Any, name: bytes, slots: int, counts: Any, inputs: Any, attribute_count: int,
    attribute_names: Any, attribute_values: Any, made_count: Any, made: Any, made_counts: Any,
) -> None:  # fmt: skip
    position = itertools.count()
    given = [[inputs[next(position)] for _ in range(counts[i])] for i in range(slots)]
    attrs = {
        text_of(attribute_names[i]): decode(attribute_values[i]) for i in range(attribute_count)
    }
    results = memory.call_operator(text_of(name), given, attrs)
    flat = [buffer for slot in results for buffer in slot]
    array = (CTensor * max(len(flat), 1))()
    for buffer, into in zip(flat, array):
        hold(buffer, into)
    numbers = (c_int32 * max(len(results), 1))(*map(len, results))
    state.made = array, numbers
    made_count[0] = len(flat)
    made[0] = ctypes.cast(array, POINTER(CTensor))
    made_counts[0] = ctypes.cast(numbers, POINTER(c_int32))


def _log(level: int, text: bytes) -> None:
    try:
        memory.log(level, text_of(text))
    except Exception:  # a closed stderr
        return


def _make_host() -> CHost:
    functions: dict[str, Any] = {
        "error": _error, "allocate": _allocate, "release": release, "retain": _retain,
        "convert": _convert, "room": _room, "set_lod": _set_lod, "stream": _stream,
        "call_operator": _call_operator, "log": _log,
    }  # fmt: skip
    kinds: Any = CHost._fields_[2:]
    made = {name: kind(functions[name]) for name, kind, *_ in kinds}
    return CHost(VERSION, ctypes.sizeof(CHost), *made.values())


_host = _make_host()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_host))  # libraries point to it until the very end


@atexit.register
def _leave() -> None:
    """Lets libraries release what they keep in static variables when Python is gone already."""
    nothing = ctypes.cast(ctypes.CDLL(None).labs, pointer).value  # takes a number, does nothing
    for field in (CHost.release, CHost.retain):
        pointer.from_buffer(_host, field.offset).value = nothing


if sys.maxsize <= 1 << 32:  # pragma: no cover
    raise ImportError("libraries of operators need a 64-bit Python")
