"""One call of an operator with arrays as inputs, and how it is run in each mode.

The samples of this project's own tests and those of :class:`paddle.testing.OpTest` are such cases:
whatever has the attributes ``op``, ``inputs``, ``attrs`` and ``levels``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from paddle import jit, static, tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.lod import LoDTensor
from paddle.core.op import REGISTRY, C, OpDef, py
from paddle.testing.bits import convert_uint16_to_float


@dataclass
class Case:
    """One call of an operator.

    Attributes:
        op (str): the operator's name.
        inputs (dict): slot -> array, list of arrays for a list slot, or None. Arrays of uint16 are
            the bits of bfloat16.
        attrs (dict): attributes that differ from their defaults.
        levels (dict): slot -> levels (LoD, as offsets) of its tensor; a list of them for a list
            slot.
    """

    op: str
    inputs: dict[str, Any]
    attrs: dict[str, Any] = field(default_factory=dict)
    levels: dict[str, Any] = field(default_factory=dict)

    @property
    def definition(self) -> OpDef:
        """The operator."""
        return REGISTRY[self.op]


def convert(array: Any, dtype: str | None) -> Any:
    """Converts a floating (or complex) array, or a list of them, to another precision."""
    if array is None or dtype is None:
        return array
    if isinstance(array, list):
        return [convert(a, dtype) for a in array]
    if array.dtype.kind == "f":
        return array.astype("float32" if dtype == "bfloat16" else dtype)
    if array.dtype.kind == "c":
        return array.astype("complex64")
    return array


def arrays(case: Any, dtype: str | None = None) -> list[Any]:
    """The inputs in slot order, as arrays."""
    return [convert(case.inputs.get(s.name), dtype) for s in REGISTRY[case.op].inputs]


def tensors(case: Any, dtype: str | None = None) -> list[Any]:
    """Makes the operator's arguments, one for each slot; floating ones in ``dtype``."""
    op = REGISTRY[case.op]
    unknown = set(case.inputs) - {s.name for s in op.inputs}
    if unknown:
        raise InvalidArgumentError(
            f"{case.op}: there are no input slots {sorted(unknown)}; the operator is {op!r}."
        )

    def make(array: Any) -> Any:
        if array is None:
            return None
        if isinstance(array, list):
            return [make(a) for a in array]
        array = np.asarray(array)
        if array.dtype == np.uint16:
            return of_bits(array)
        made = tensor.to_tensor(convert(array, dtype))
        if dtype == "bfloat16" and array.dtype.kind == "f":
            made = made.astype("bfloat16")
        return made

    return with_levels(case, [make(case.inputs.get(slot.name)) for slot in op.inputs])


def of_bits(bits: np.ndarray) -> Any:
    """A Tensor of bfloat16 of its bits, which NumPy holds as uint16."""
    return tensor.to_tensor(convert_uint16_to_float(bits)).astype("bfloat16")


def with_levels(case: Any, args: list[Any]) -> list[Any]:
    """Puts the levels of sequences on arguments; returns these."""
    for slot, arg in zip(REGISTRY[case.op].inputs, args, strict=True):
        levels = case.levels.get(slot.name)
        if levels is not None:
            many = isinstance(arg, list)
            for one, lod in zip(arg, levels, strict=True) if many else [(arg, levels)]:
                one._buf._lod = lod
    return args


def call(case: Any, args: list[Any]) -> list[Any]:
    """Calls the operator in the current mode; its outputs, one per slot that it returns."""
    out = getattr(C, case.op)(*args, **{py(k): v for k, v in case.attrs.items()})
    slots = [s for s in REGISTRY[case.op].outputs if not s.writes]
    if not slots:
        return []
    return [out] if len(slots) == 1 else list(out)


def by_slot(case: Any, args: list[Any], outs: list[Any]) -> dict[str, Any]:
    """What each output slot holds after a call; that of one that is written is the input's."""
    op = REGISTRY[case.op]
    given = dict(zip((s.name for s in op.inputs), args, strict=True))
    made = iter(outs)
    return {s.name: given[s.writes] if s.writes else next(made) for s in op.outputs}


def feed_of(case: Any) -> dict[str, np.ndarray]:
    """What is fed to a Program whose variables are named after slots (``X``, or ``X_0``)."""
    feed: dict[str, np.ndarray] = {}
    for slot, value in case.inputs.items():
        if isinstance(value, list):
            feed |= {f"{slot}_{i}": np.asarray(a) for i, a in enumerate(value)}
        elif value is not None:
            feed[slot] = np.asarray(value)
    return {k: v.reshape(1) if v.ndim == 0 else v for k, v in feed.items()}


def feed_levels(case: Any, main: Any, feed: dict[str, Any]) -> dict[str, Any]:
    """Feeds with the levels of a case; variables are named as :func:`feed_of` names them."""
    feed = dict(feed)
    for slot, levels in case.levels.items():
        many = isinstance(case.inputs[slot], list)
        for name, lod in (
            [(f"{slot}_{i}", lod) for i, lod in enumerate(levels)] if many else [(slot, levels)]
        ):
            made = LoDTensor()
            made.set(feed[name], static.cpu_places(1)[0])
            made.set_lod(lod)
            feed[name] = made
            main.global_block().var(name).lod_level = len(lod)
    return feed


def fed_variable(name: str, array: np.ndarray, batch: bool = False, **options: Any) -> Any:
    """A fed Variable of the shape of an array; with ``batch`` its first size is unknown."""
    shape = list(array.shape)
    if batch and shape:
        shape[0] = -1
    dtype = VarType.BF16 if array.dtype == np.uint16 else array.dtype
    block = static.default_main_program().global_block()
    return block.create_var(
        name=name, shape=shape, dtype=dtype, is_data=True, need_check_feed=True,
        **{"stop_gradient": True, **options},
    )  # fmt: skip


def variables(
    case: Any, feed: dict[str, np.ndarray], batched: Callable[[str], bool] = lambda slot: False
) -> list[Any]:
    """The operator's arguments as fed Variables; those of slots that are batched have no size."""

    def make(name: str, value: Any) -> Any:
        if value is None:
            return None
        batch = batched(name) or name in (case.levels or {})
        if isinstance(value, list):
            names = [f"{name}_{i}" for i in range(len(value))]
            return [fed_variable(n, feed[n], batch) for n in names]
        return fed_variable(name, feed[name], batch)

    return [make(s.name, case.inputs.get(s.name)) for s in REGISTRY[case.op].inputs]


def converted(case: Any, wanted: Collection[int] | None = None) -> Callable[[list], list]:
    """The call as a function that ``to_static`` has made a Program of.

    Args:
        case (Case): the call.
        wanted (list[int], optional): which results are returned, the others being None; some serve
            PaddlePaddle's gradients alone, and no Program here computes them. Default: all.
    """

    def function(args: list[Any]) -> list[Any]:
        outs = call(case, args)
        return [o if wanted is None or i in wanted else None for i, o in enumerate(outs)]

    return jit.to_static(function)
