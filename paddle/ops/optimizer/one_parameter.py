"""The kernels of operators that update one parameter, written as text from an update rule.

Written out, a call costs no more than if somebody had written it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REQUIRED, Slot
from paddle.ops.optimizer.counting import corrections_of, number, steps_of
from paddle.ops.optimizer.lists import follow


def check_shapes(param: torch.Tensor, **others: torch.Tensor | None) -> None:
    """The fused kernels trust their arguments; what is smaller than the parameter is refused."""
    shape = param.shape
    for name, other in others.items():
        if other is not None and other.shape != shape:
            raise InvalidArgumentError(
                f"expected {name} of the parameter's shape {list(shape)}, "
                f"but received {list(other.shape)}."
            )


def in_words(slot: str) -> str:
    """``AvgSquaredGrad`` -> ``avg_squared_grad``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", slot).lower()


def compile_kernel(
    update: Callable,
    inputs: Sequence[Slot],
    written: Sequence[str],
    states: Sequence[str],
    powers: Sequence[str],
    counts: str,
    settings: dict[str, Any],
    further: dict[str, Any],
) -> Callable:
    """Writes and compiles a kernel that runs an update on lists of one.

    Args:
        update (callable): the function over lists.
        inputs (list[Slot]): the operator's inputs, which become the arguments.
        written (list[str]): the inputs that are written into.
        states (list[str]): the inputs of the parameter's shape, as the function takes them.
        powers (list[str]): the inputs that are powers of beta.
        counts (str): what the function takes behind the rate: ``steps``, ``corrections`` or "".
        settings (dict): attributes that the function takes, with defaults.
        further (dict): attributes that it does not take.
    """
    args = [in_words(s.name) + ("=None" if s.optional else "") for s in inputs]
    defaults = settings | further
    attrs = [k if v is REQUIRED else f"{k}=defaults[{k!r}]" for k, v in defaults.items()]
    alike = ["grad", *map(in_words, states)]
    optional = {in_words(s.name) for s in inputs if s.optional}
    lines = [f"def {update.__name__}({', '.join([*args, *(['*', *attrs] if attrs else [])])}):"]
    unlike = [f"{n}.shape != param.shape" for n in alike if n not in optional]
    unlike += [f"{n} is not None and {n}.shape != param.shape" for n in alike if n in optional]
    lines.append(f"    if {' or '.join(unlike)}:")
    lines.append(f"        check_shapes(param, {', '.join(f'{n}={n}' for n in alike)})")
    for tensor in (in_words(s.name) for s in inputs if s.name.endswith("Tensor")):
        lines.append(f"    if {tensor} is not None:")
        lines.append(f"        {tensor.removesuffix('_tensor')} = number({tensor})")
    mastered = "multi_precision" in further
    work = "work" if mastered else "param"
    lines += _MASTERED if mastered else []
    lists = ", ".join(f"[{one}]" for one in (work, *alike))
    rate = "number(learning_rate)"
    if "learning_rate" in optional:  # as operators of 1.x have none
        rate = f"None if learning_rate is None else {rate}"
    given = f"{lists}, {rate}{_counted(counts, powers)}"
    lines.append(f"    update({given}{''.join(f', {k}={k}' for k in settings)})")
    lines += ["    if work is not param:", "        param.copy_(work)"] if mastered else []
    lines += [f"    {in_words(p)}.mul_({beta_of(p)})" for p in powers if p in written]
    lines.append(f"    return {'None, ' * len(written) if len(written) > 1 else None}")
    scope: dict[str, Any] = {
        "update": update, "defaults": defaults, "number": number, "steps_of": steps_of,
        "corrections_of": corrections_of, "check_shapes": check_shapes, "follow": follow,
        "__name__": update.__module__,
    }  # fmt: skip
    exec(compile("\n".join(lines), f"<update {update.__name__}>", "exec"), scope)
    return scope[update.__name__]


_MASTERED = [
    "    work = param",
    "    if multi_precision and master_param is not None:",
    "        check_shapes(param, master=master_param)",
    "        follow(master_param, param)",
    "        work, grad = master_param, grad.to(master_param.dtype)",
]


def beta_of(power: str) -> str:
    """``Beta1Pow`` -> ``beta1``."""
    return in_words(power).removesuffix("_pow")


def _counted(counts: str, powers: Sequence[str]) -> str:
    """What the call passes behind the rate."""
    held = ", ".join(f"[{in_words(p)}]" for p in powers)
    if counts == "steps":
        return f", steps_of([{held}], [{', '.join(map(beta_of, powers))}])"
    return f", corrections_of([{held}])[0]" if counts else ""
