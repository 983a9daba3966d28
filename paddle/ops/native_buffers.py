"""Buffers of compiled operators: what the C interface asks of torch's tensors, and their kernels.

:mod:`paddle.ops.native_kernels` writes the short way of a call, :mod:`paddle.ops.native_operators`
makes operators of it.
"""

from __future__ import annotations

import math
import os
import sys
import warnings
from typing import Any

import torch

from paddle.core import flags, native
from paddle.core.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    NotFoundError,
    UnimplementedError,
)
from paddle.core.levels import levels_on, put_levels
from paddle.core.native import Block, CTensor, NativeOperator, Shown
from paddle.core.op import computed, py

# torch's data types as DLPack writes them: (class, bits).
CODES: dict[torch.dtype, tuple[int, int]] = {
    torch.bool: (6, 8),
    torch.uint8: (1, 8),
    torch.int8: (0, 8),
    torch.int16: (0, 16),
    torch.int32: (0, 32),
    torch.int64: (0, 64),
    torch.float16: (2, 16),
    torch.bfloat16: (4, 16),
    torch.float32: (2, 32),
    torch.float64: (2, 64),
    torch.complex64: (5, 64),
    torch.complex128: (5, 128),
}
DTYPES = {code: dtype for dtype, code in CODES.items()}
_DEVICES = {"cpu": 1, "meta": 1, "cuda": 10 if torch.version.hip else 2, "xpu": 14}
_OTHER_DEVICE = 12  # what DLPack calls an extension
_REMEMBERED = 512  # calls that look different, of one operator

_VERBOSITY = "GLOG_v"
Given = list[list[Any]]  # the buffers of each slot; none where it is missing


def device_code(device: torch.device) -> tuple[int, int]:
    """The device as DLPack writes it."""
    return _DEVICES.get(device.type, _OTHER_DEVICE), device.index or 0


def device_of(code: tuple[int, int]) -> torch.device:
    """The device that DLPack writes so."""
    kind, number = code
    if kind in (1, 3):  # page-locked memory is the host's
        return torch.device("cpu")
    names = [name for name, found in _DEVICES.items() if found == kind and name != "meta"]
    if not names:
        raise InvalidArgumentError(f"a library asked for memory on a device of kind {kind}.")
    return torch.device(names[0], number)


def _dtype(code: tuple[int, int]) -> torch.dtype:
    found = DTYPES.get(code)
    if found is None:
        raise InvalidTypeError(f"a library asked for the data type of class and bits {code}.")
    return found


def type_name(code: tuple[int, int]) -> str:
    """The name of a data type: ``float32``."""
    return str(DTYPES[code])[6:] if code in DTYPES else f"type {code}"


def _shown(buffer: torch.Tensor) -> Shown:
    return Shown(tuple(buffer.shape), CODES[buffer.dtype], device_code(buffer.device))


# ---------------------------------------------------------------- the host's functions


def _empty(sizes: list[int], dtype: tuple[int, int], device: tuple[int, int]) -> torch.Tensor:
    return torch.empty(sizes, dtype=_dtype(dtype), device=device_of(device))


class _Pointed:
    """Foreign memory as torch takes it: the interface by which GPU libraries share arrays."""

    def __init__(self, address: int, count: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (count,), "typestr": "|u1", "data": (address, False), "version": 2,
        }  # fmt: skip


def _elements(shape: list[int]) -> int:
    """How many numbers a shape of a library has, which may say anything."""
    if any(size < 0 for size in shape):
        raise InvalidArgumentError(f"expected sizes of at least 0, but a library says {shape}.")
    return math.prod(shape)


def _borrowed(tensor: CTensor) -> torch.Tensor:
    """The tensor that a struct describes; its memory is somebody else's."""
    shape, dtype = native.sizes_of(tensor), _dtype((tensor.dtype.code, tensor.dtype.bits))
    count = _elements(shape)
    device = device_of((tensor.device.type, tensor.device.id))
    if not count:
        return torch.empty(shape, dtype=dtype, device=device)
    if not tensor.data:
        raise InvalidArgumentError("a library handed over a tensor without memory.")
    strides = tensor.strides[: len(shape)] if tensor.strides else None
    if strides:  # of an input of an operator with PD_TAKES_STRIDES
        count = 1 + sum((n - 1) * step for n, step in zip(shape, strides))
    address, length = tensor.data + tensor.byte_offset, count * dtype.itemsize
    if device.type == "cpu":
        raw = torch.frombuffer(native.bytes_at(address, length), dtype=torch.uint8)
    elif device.type == "cuda":
        raw = torch.as_tensor(_Pointed(address, length), device=device)
    else:
        found = native.held(tensor.handle)
        if found is None:
            raise InvalidArgumentError(f"a library cannot hand over memory of {device} here.")
        return _part(found, tensor)
    flat = raw.view(dtype)
    return flat.as_strided(shape, strides) if strides else flat.view(shape)


def _part(base: torch.Tensor, tensor: CTensor) -> torch.Tensor:
    """What a struct says of a buffer: itself, reshaped, or a part of it."""
    shape = native.sizes_of(tensor)
    dtype = _dtype((tensor.dtype.code, tensor.dtype.bits))
    start = (tensor.data or 0) + tensor.byte_offset
    same = list(base.shape) == shape and base.dtype is dtype
    if same and (start == base.data_ptr() or not base.numel()):
        return base
    if tensor.strides:
        raise InvalidArgumentError("a library returned a part of a tensor with strides.")
    count = _elements(shape)
    raw = base.reshape(-1).view(torch.uint8)
    offset, length = start - base.data_ptr() if count else 0, count * dtype.itemsize
    if offset < 0 or offset + length > raw.numel():
        raise InvalidArgumentError(
            f"a library returned a tensor of shape {shape} and {type_name(CODES[dtype])} in memory "
            f"of shape {list(base.shape)} and {type_name(CODES[base.dtype])}, which is too small."
        )
    return raw[offset : offset + length].view(dtype).view(shape)


def _convert(source: CTensor, dtype: tuple[int, int], device: tuple[int, int]) -> torch.Tensor:
    return _borrowed(source).to(device_of(device), _dtype(dtype), copy=True)


def _stream(device: tuple[int, int]) -> int | None:
    where = device_of(device)
    if where.type == "cpu":
        return None
    stream = getattr(torch, where.type).current_stream(where)
    return getattr(stream, "cuda_stream", None) or getattr(stream, "sycl_queue", None)


def _call_operator(name: str, given: list[list[CTensor]], attrs: dict[str, Any]) -> Given:
    op = computed(name)
    if op is None:
        raise NotFoundError(f"there is no operator named {name!r} for a library to call.")
    given += [[] for _ in op.inputs[len(given) :]]
    if len(given) != len(op.inputs):
        raise InvalidArgumentError(
            f"operator {name} has {len(op.inputs)} inputs, but a library gave it {len(given)}."
        )
    unknown = [a for a in attrs if a not in op.attrs]
    if unknown:
        raise InvalidArgumentError(
            f"operator {name} has no attribute {unknown[0]!r}; it has {list(op.attrs)}."
        )
    buffers: list[Any] = []
    for slot, tensors in zip(op.inputs, given):
        made = [_borrowed(t) for t in tensors]
        buffers.append(made if slot.many else made[0] if made else None)
    full = {py(k): v for k, v in {**op.attrs, **attrs}.items()}
    with torch.no_grad():
        outs = op.kernel(*buffers, **full)
    outs = (outs,) if len(op.outputs) == 1 else outs
    listed = [[] if o is None else list(o) if isinstance(o, (list, tuple)) else [o] for o in outs]
    flat = [b for item in buffers for b in (item if isinstance(item, list) else [item])]
    taken = {b.untyped_storage().data_ptr() for b in flat if b is not None}
    return [[_owned(b, taken) for b in slot] for slot in listed]


def _owned(buffer: torch.Tensor, taken: set[int]) -> torch.Tensor:
    """A buffer that is contiguous, shares no memory with others, and has a dimension as 2.0 has."""
    buffer = buffer.contiguous() if buffer.dim() else buffer.reshape(1)
    return buffer.clone() if buffer.untyped_storage().data_ptr() in taken else buffer


def _log(level: int, text: str) -> None:
    if level <= int(os.environ.get(_VERBOSITY, "0") or 0):
        print(text, file=sys.stderr, flush=True)


native.memory.empty = _empty
native.memory.shown = _shown
native.memory.address = torch.Tensor.data_ptr
native.memory.convert = _convert
native.memory.stream = _stream
native.memory.call_operator = _call_operator
native.memory.log = _log


# ---------------------------------------------------------------- calls


class Caller:
    """Calls one compiled operator on buffers.

    Args:
        op (NativeOperator): the operator.
        gradient (bool): it computes gradients of another one, so what it makes is told by names.
    """

    def __init__(self, op: NativeOperator, gradient: bool = False) -> None:
        self.op = op
        self.gradient = gradient
        self.plans: dict[Any, Any] = {}  # of the generated kernel
        self._warned = False

    # -- shapes --------------------------------------------------------------------------------

    def infer(
        self, given: list[list[Shown]], attributes: tuple[Any, list], runtime: bool,
        levels: dict[int, Any] | None = None, device: tuple[int, int] = (1, 0),
        wanted: list[Any] | None = None,
    ) -> list[list[Shown | None]]:  # fmt: skip
        """Sizes and types of the results, for each output slot; None: nobody knows."""
        op = self.op
        first = next((t for slot in given for t in slot), None)
        start = self._by_rule(given, first)
        for i, flags_of in enumerate(wanted or []):
            if isinstance(flags_of, (list, tuple)) and not start[i]:
                start[i] = [first] * len(flags_of)  # gradients of a list: as many as that has
        if not op.flags & (native.HAS_SHAPE | native.HAS_DTYPE):
            return start
        block = Block(op, given, start, attributes, runtime, device)
        for position, lod in (levels or {}).items():
            block.put_lod(position, lod)
        if op.flags & native.HAS_SHAPE:
            block.run(op.library.table.infer_shape)
        if op.flags & native.HAS_DTYPE:
            block.run(op.library.table.infer_dtype)
        return [[self._read(t, first) for t in slot] for slot in block.results()]

    def _read(self, tensor: CTensor, first: Shown | None) -> Shown | None:
        if tensor.ndim < 0:
            return None
        dtype = (tensor.dtype.code, tensor.dtype.bits)
        device = (tensor.device.type, tensor.device.id) if tensor.device.type else None
        if dtype == (0, 0) and first is not None:
            dtype = first.dtype
        where = device or (first.device if first is not None else (1, 0))
        return Shown(tuple(native.sizes_of(tensor)), dtype, where)

    def _by_rule(self, given: list[list[Shown]], first: Shown | None) -> list[list[Shown | None]]:
        """What is taken of a result before its library says more: that it looks like an input."""
        by_name = {s.name: tensors for s, tensors in zip(self.op.inputs, given)}
        found: list[list[Shown | None]] = []
        for slot in self.op.outputs:
            like = given[slot.inplace] if slot.inplace >= 0 else None
            if like is None and self.gradient:
                like = by_name.get(slot.name.removesuffix("@GRAD").removesuffix("@NEW"))
            if like is None and slot.many:
                like = [] if self.op.flags & native.HAS_SHAPE else self._listed(given)
            if like is None:
                like = [first] if first is not None else []
            found.append(list(like) if slot.many or slot.inplace >= 0 else [*like[:1]] or [None])
        return found

    def _listed(self, given: list[list[Shown]]) -> list[Shown]:
        """What a list of results looks like by default: the first list among the inputs."""
        lists = (t for slot, t in zip(self.op.inputs, given) if slot.many)
        return next(lists, [])

    # -- the long way --------------------------------------------------------------------------

    def run(
        self, given: Given, attrs: dict[str, Any], wanted: list[Any] | None = None,
        in_place: bool = False,
    ) -> Given:  # fmt: skip
        """Calls the operator; every input is looked at anew.

        Args:
            given (list): the buffers of each slot.
            attrs (dict): attributes; missing ones have their defaults.
            wanted (list): for each output slot whether somebody will look at it, a list of flags
                for a list; None: all are wanted.
            in_place (bool): inputs declared so are overwritten; else copies of them are.
        """
        op = self.op
        levels = self._levels(given)
        given = [[_plain(b, op) for b in slot] for slot in given]
        shown = [[self._describe(b) for b in slot] for slot in given]
        flat = [b for slot in given for b in slot if isinstance(b, torch.Tensor)]
        if any(b.is_meta for b in flat):
            return self._on_meta(shown, attrs)
        device = flat[0].device if flat else torch.device("cpu")
        where = device_code(device)
        if where[0] == _OTHER_DEVICE:
            return self._on_cpu(given, attrs, wanted, in_place, device)
        attributes = op.attributes_of(attrs)
        expected = self.infer(shown, attributes, True, levels, where, wanted)
        offers = [
            self._offer(slot, given, expected[i], device, wanted[i] if wanted else True, in_place)
            for i, slot in enumerate(op.outputs)
        ]
        given = list(given)  # what is declared so is written where the result goes
        for told, slot in zip(op.outputs, offers):
            if told.inplace >= 0:
                given[told.inplace] = slot
        specs = [[None if b is None else _shown(b) for b in slot] for slot in offers]
        block = Block(op, shown, specs, attributes, True, where)
        for position, lod in levels.items():
            block.put_lod(position, lod)
        bases = [b for slot in given for b in slot]
        for place, base in zip(block.input_pointers, bases):
            place.value = base.data_ptr() if isinstance(base, torch.Tensor) else None
        made = [b for slot in offers for b in slot]
        for i, offer in enumerate(made):
            block.output_pointers[i].value = None if offer is None else offer.data_ptr()
        if wanted:
            self._mark(block, wanted, offers)
        if where[0] != native.CPU:
            block.call.stream = _stream(where)
        code = self._called(block, device)
        if code == native.OTHER_OUTPUTS:
            offers = self._taken(block, given, made, expected)
        elif any(b is None for b in made):
            missing = next(s.name for s, slot in zip(op.outputs, offers) if None in slot)
            raise InvalidArgumentError(f"operator {op.name} left its output {missing} empty.")
        return self._with_levels(offers, block.levels)

    def _on_cpu(
        self, given: Given, attrs: dict[str, Any], wanted: list[Any] | None, in_place: bool,
        device: torch.device,
    ) -> Given:  # fmt: skip
        """A call on a device that the C interface does not know, a plug-in's: on copies."""
        if not flags.get("FLAGS_device_fallback"):
            raise UnimplementedError(
                f"operator {self.op.name} of a library has no kernel for {device}.",
                hint="FLAGS_device_fallback=1 computes it on the CPU",
            )
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"{self.op.name} runs on the CPU: libraries know no {device}.", stacklevel=2
            )
        moved = [[b.cpu() if isinstance(b, torch.Tensor) else b for b in slot] for slot in given]
        made = self.run(moved, attrs, wanted)
        back = [[None if b is None else b.to(device) for b in slot] for slot in made]
        for i, slot in enumerate(self.op.outputs):
            if in_place and slot.inplace >= 0:
                back[i] = [b.copy_(c) for b, c in zip(given[slot.inplace], back[i])]
        return back

    def _called(self, block: Block, device: torch.device) -> int:
        try:
            if device.type == "cuda":
                with torch.cuda.device(device):
                    return block.run(self.op.library.call)
            return block.run(self.op.library.call)
        except InvalidTypeError as error:
            raise self.no_kernel(error) from error

    def no_kernel(self, error: Exception) -> Exception:
        """The error of a kernel that is not there, with those that are."""
        if not self.op.kernels:
            return error
        names = {1: "CPU", 2: "GPU"}
        there = [f"{names.get(d, d)} {type_name(t)}" for d, t in self.op.kernels]
        return InvalidTypeError(
            str(error).partition(") ")[2] or str(error), hint=f"there are {', '.join(there)}"
        )

    def _describe(self, buffer: Any) -> Shown:
        if isinstance(buffer, Shown):
            return buffer
        shown = _shown(buffer)
        if not self.op.flags & native.STRIDES or buffer.is_contiguous():
            return shown
        return Shown(shown.shape, shown.dtype, shown.device, buffer.stride())

    def _levels(self, given: Given) -> dict[int, Any]:
        if not self.op.flags & (native.OWN_LOD | native.SHARES_LOD):
            return {}
        flat = [b for slot in given for b in slot]
        return {i: lod for i, b in enumerate(flat) if (lod := levels_on(b))}

    def _offer(
        self, slot: Any, given: Given, expected: list, device: Any, wanted: Any, in_place: bool
    ) -> list:
        """Memory for the results of a slot."""
        if slot.inplace >= 0:
            return [b if in_place else b.clone() for b in given[slot.inplace]]
        if in_place and slot.reuses >= 0 and not slot.many:
            old = given[slot.reuses][0]
            like = [(tuple(s.shape), s.dtype) for s in expected if s is not None]
            if old.is_contiguous() and like == [(tuple(old.shape), CODES[old.dtype])]:
                return [old.view_as(old)]  # another object: the levels of sequences stay behind
        if not wanted and not slot.many:
            return []
        return [
            None
            if s is None or -1 in s.shape
            else torch.empty(tuple(s.shape), dtype=_dtype(s.dtype), device=device)
            for s in expected
        ]

    def _mark(self, block: Block, wanted: list[Any], offers: Given) -> None:
        position = 0
        for flag, slot in zip(wanted, offers):
            for i in range(len(slot)):
                if isinstance(flag, (list, tuple)) and not flag[i]:
                    block.unwanted(position)
                position += 1

    def _taken(self, block: Block, given: Given, offers: list, expected: list) -> Given:
        """The buffers of what a library returned."""
        flat = [b for slot in given for b in slot]
        bases: list[Any] = [*flat, *offers]
        seen: set[int] = set()
        returned = block.results()
        try:
            results = [
                [
                    self._one(slot, tensor, bases, flat, seen, given[slot.inplace] if given else [])
                    for tensor in tensors
                ]
                for slot, tensors in zip(self.op.outputs, returned)
            ]
        finally:
            for handle in {tensor.handle for tensors in returned for tensor in tensors}:
                native.release(handle)
        if flags.get("FLAGS_check_native"):
            self._compare(expected, results)
        return results

    def _one(
        self, slot: Any, tensor: CTensor, bases: list, inputs: list, seen: set[int], written: list
    ) -> Any:
        number = tensor.handle - 1
        base = bases[number] if 0 <= number < len(bases) else native.held(tensor.handle)
        if base is None:
            if slot.optional or tensor.flags & native.UNWANTED:
                return None
            raise InvalidArgumentError(
                f"operator {self.op.name} returned no memory for its output {slot.name}."
            )
        part = _part(base, tensor)
        shared = number < len(inputs)
        if slot.inplace >= 0:
            shared = shared and not any(base is one for one in written)
        if shared or id(base) in seen or native.kept(tensor.handle):
            part = part.clone()
        elif part is not base:
            part = part.view_as(part)
        seen.add(id(base))
        return part

    def _compare(self, expected: list, results: Given) -> None:
        """With FLAGS_check_native: what came is what was inferred."""
        if self.gradient and not self.op.flags & native.HAS_SHAPE:
            return
        for slot, told, came in zip(self.op.outputs, expected, results):
            if len(told) != len(came):
                raise InvalidArgumentError(
                    f"operator {self.op.name} returned {len(came)} tensors as {slot.name}, but "
                    f"{len(told)} were inferred."
                )
            for a, b in zip(told, came):
                if a is None or b is None:
                    continue
                if tuple(a.shape) != tuple(b.shape) or a.dtype != CODES[b.dtype]:
                    raise InvalidArgumentError(
                        f"operator {self.op.name} returned {slot.name} of shape {list(b.shape)} "
                        f"and {type_name(CODES[b.dtype])}, but {list(a.shape)} and "
                        f"{type_name(a.dtype)} were inferred.",
                        hint="without a function for it, a result is taken to look like the first "
                        "input; see SetInferShapeFn and SetInferDtypeFn",
                    )

    def _with_levels(self, results: Given, levels: dict[int, Any]) -> Given:
        if levels:
            flat = [b for slot in results for b in slot]
            for position, lod in levels.items():
                if lod and position < len(flat) and flat[position] is not None:
                    put_levels(flat[position], lod)
        return results

    def _on_meta(self, shown: list[list[Shown]], attrs: dict[str, Any]) -> Given:
        """Shapes alone, as they are asked for when a Program is made."""
        made = self.infer(shown, self.op.attributes_of(attrs), True)
        if any(s is None for slot in made for s in slot):
            raise NotImplementedError(f"{self.op.name}: only a run tells the shape on meta tensors")
        return [
            [torch.empty(tuple(s.shape), dtype=_dtype(s.dtype), device="meta") for s in slot if s]
            for slot in made
        ]

    # -- the short way -------------------------------------------------------------------------

    def prepare(self, key: tuple, buffers: tuple, attrs: dict[str, Any]) -> tuple | None:
        """A block for the generated kernel, of calls that look like this one.

        Returns:
            A reference to the structs, the list that the block goes back to, the Block, places for
            the pointers of inputs and of outputs, and what the memory of each output is like. None:
            such calls go the long way.
        """
        if any(type(b) is not torch.Tensor or not b.is_cpu for b in buffers):
            return None
        if any(b.dtype.is_complex for b in buffers):  # they may be conjugated without it showing
            return None
        shown = [[_shown(b)] for b in buffers]
        attributes = self.op.attributes_of(attrs)
        expected = self.infer(shown, attributes, True)
        likes = []
        for slot in expected:
            if len(slot) != 1 or slot[0] is None or -1 in slot[0].shape:
                return None
            shape, dtype = tuple(slot[0].shape), _dtype(slot[0].dtype)
            first = buffers[0]
            steps = tuple(math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))
            likes.append((first.shape == shape and first.dtype is dtype, shape, steps, dtype))
        if len(self.plans) >= _REMEMBERED:
            self.plans.clear()
        free = self.plans.setdefault(key, [])
        made = Block(self.op, shown, expected, attributes)
        return made.reference, free, made, *made.input_pointers, *made.output_pointers, *likes

    def finish(self, code: int, block: Block, buffers: tuple, offers: tuple) -> Any:
        """What a call returns that was not simply done: raises its error, or takes its results."""
        if code > 0:
            error = native.failure(code)
            raise self.no_kernel(error) if isinstance(error, InvalidTypeError) else error
        expected = [[_shown(b)] for b in offers]
        results = self._taken(block, [[b] for b in buffers], list(offers), expected)
        return _returned(self.op, self._with_levels(results, block.levels))

    def levelled(self, block: Block, offers: tuple) -> Any:
        """The results of the generated kernel where the library gave them sequences."""
        return _returned(self.op, self._with_levels([[b] for b in offers], block.levels))

    def into_first(self, *buffers: Any, **attrs: Any) -> Any:
        """The kernel where the result is written into the memory of the first input."""
        x = buffers[0]
        if not x.is_contiguous() or x.is_neg() or x.is_conj():
            return self.slowly(*buffers, **attrs)
        return self.slowly(*buffers, in_place=True, **attrs)

    def slowly(self, *buffers: Any, in_place: bool = False, **attrs: Any) -> Any:
        """The kernel where the generated one does not fit."""
        given = _slots(self.op, buffers)
        named = {a.name: attrs[py(a.name)] for a in self.op.attributes if py(a.name) in attrs}
        return _returned(self.op, self.run(given, named, in_place=in_place))


def _slots(op: NativeOperator, buffers: tuple) -> Given:
    """The arguments of a kernel as lists."""
    return [
        list(b or ()) if slot.many else [] if b is None else [b]
        for slot, b in zip(op.inputs, buffers)
    ]


def _returned(op: NativeOperator, results: Given) -> Any:
    """The results as a kernel returns them."""
    made = [
        slot if told.many else slot[0] if slot else None for told, slot in zip(op.outputs, results)
    ]
    return made[0] if len(made) == 1 else tuple(made)


def _plain(buffer: Any, op: NativeOperator) -> Any:
    """The buffer as a library can read it."""
    if not isinstance(buffer, torch.Tensor):
        return buffer
    if buffer.dtype not in CODES:
        raise InvalidTypeError(f"operator {op.name}: libraries take no {buffer.dtype}.")
    buffer = buffer.detach().resolve_conj().resolve_neg()
    return buffer if op.flags & native.STRIDES else buffer.contiguous()
