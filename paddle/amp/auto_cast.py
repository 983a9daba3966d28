"""Mixed precision by a hook: operators called inside of it get inputs of the right precision."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Iterator
from typing import Any

from paddle.amp.lists import LOW, custom, lacks_half
from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import current_hook, hooked, recording
from paddle.core.op import C, OpDef, py
from paddle.core.place import current_backend
from paddle.core.user_frame import outside
from paddle.ir.recording.context import is_capturing

LEVELS = ("O0", "O1", "O2")


@contextlib.contextmanager
def auto_cast(
    enable: bool = True,
    custom_white_list: Any = None,
    custom_black_list: Any = None,
    level: str = "O1",
) -> Iterator[None]:
    """Runs operators in mixed precision, as a context or a decorator.

    Products of matrices (the white list: convolutions, ``matmul``, ``linear``) get inputs of 16
    bits. Sums of many terms and losses (the black list: ``softmax``, ``mean``, ``exp``, ...) get
    inputs of 32 bits, and so do operators that take no others, such as ``inverse``. Any other
    operator runs in 16 bits if all its inputs have 16. Parameters stay in 32 bits, and so do their
    gradients. A GPU computes in float16; a CPU in bfloat16, which has the range of float32, so that
    :class:`paddle.amp.GradScaler` is not needed there.

    For static Programs see :func:`paddle.static.amp.decorate`.

    Args:
        enable (bool): False changes nothing. Default: True.
        custom_white_list (set|list|tuple, optional): names of operators to run in 16 bits.
        custom_black_list (set|list|tuple, optional): names of operators to run in 32 bits.
        level (str): ``'O1'`` as described; with ``'O2'`` all operators but those of the black list
            run in 16 bits; ``'O0'`` changes nothing. Not in 2.0. Default: ``'O1'``.

    Raises:
        ValueError: an operator is in both lists or does not exist, or the level is another one.
        RuntimeError: in static mode.

    Examples:
        .. code-block:: python

            import paddle
            conv = paddle.nn.Conv2D(3, 2, 3, bias_attr=False)
            data = paddle.rand([10, 3, 32, 32])
            with paddle.amp.auto_cast():
                print(conv(data).dtype)  # VarType.BF16 on a CPU, VarType.FP16 on a GPU
            with paddle.amp.auto_cast(enable=False):
                print(conv(data).dtype)  # VarType.FP32
    """
    if not isinstance(enable, bool):
        raise TypeError(f"auto_cast(enable): expected a bool, but received {enable!r}.")
    if level not in LEVELS:
        raise InvalidArgumentError(
            f"auto_cast(level): expected one of {list(LEVELS)}, but received {level!r}."
        )
    if recording() and not is_capturing():
        raise PreconditionNotMetError(
            "auto_cast: expected dynamic mode, but static mode is on.",
            hint="paddle.static.amp.decorate(optimizer).minimize(loss) casts inside of a Program",
        )
    white, black = custom("auto_cast", custom_white_list, custom_black_list)
    outer = current_hook()
    inner = outer.inner if isinstance(outer, Caster) else outer
    on = enable and level != "O0"
    with hooked(Caster(white, black, low_dtype(), level == "O2", inner) if on else inner):
        yield


def low_dtype() -> VarType:
    """The 16 bits of the current device: float16 on a GPU, bfloat16 on a CPU."""
    backend = current_backend()
    if backend.float16:
        return VarType.FP16
    _tell_once(backend.title)
    return VarType.BF16


@functools.cache
def _tell_once(title: str) -> None:
    warnings.warn(
        f"mixed precision on a {title} computes in bfloat16; float16 needs a GPU.",
        stacklevel=outside(),
    )


class Caster:
    """A hook that casts the inputs of operators and then calls them.

    Args:
        white (frozenset): operators that run in 16 bits.
        black (frozenset): operators that run in 32 bits.
        low (VarType): the dtype of 16 bits.
        pure (bool): all operators but the black ones run in 16 bits.
        inner (callable, optional): the hook that gets the calls then, in static mode the recorder.
    """

    def __init__(
        self, white: frozenset[str], black: frozenset[str], low: VarType, pure: bool, inner: Any
    ) -> None:
        self.inner = inner
        self.records = getattr(inner, "records", False)
        self._white, self._black, self._low, self._pure = white, black, low, pure
        self.key = (white, black, low, pure)  # what a converted function is recorded anew for

    def over(self, inner: Any) -> Caster:
        """The same casts before another hook, such as the recorder of static mode."""
        return Caster(self._white, self._black, self._low, self._pure, inner)

    def __call__(self, op: OpDef, args: tuple, attrs: dict[str, Any]) -> Any:
        """Calls an operator with inputs of the precision that it is to have."""
        with hooked(self.inner):
            if op.name != "cast" and not any(slot.writes for slot in op.outputs):
                args = self._cast(op, args)
            if self.inner is not None:
                return self.inner(op, args, attrs)
            return getattr(C, op.name)(*args, **{py(k): v for k, v in attrs.items()})

    def _cast(self, op: OpDef, args: tuple) -> tuple:
        if op.amp == "norm":  # their kernels take data of 16 bits beside factors of 32
            return args
        target = self._target(op, args)
        return args if target is None else tuple(_cast_arg(a, target) for a in args)

    def _target(self, op: OpDef, args: tuple) -> VarType | None:
        if op.name in self._white:
            return self._low
        if op.name in self._black or lacks_half(op):
            return VarType.FP32
        if self._pure:
            return self._low
        listed = [t for a in args for t in (a if isinstance(a, (list, tuple)) else [a])]
        found = {t.dtype for t in listed if t is not None}
        return VarType.FP32 if VarType.FP32 in found and found & LOW else None


def _cast_arg(arg: Any, target: VarType) -> Any:
    if isinstance(arg, (list, tuple)):
        return [_cast_arg(a, target) for a in arg]
    if arg is None or arg.dtype is target:
        return arg
    if arg.dtype is not VarType.FP32 and arg.dtype not in LOW:
        return arg
    return arg.astype(dtype_name(target))
