"""Clipping of 1.x: of gradients before an update, and of errors on the way back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.user_frame import outside
from paddle.fluid.recording import recorded
from paddle.ir.current import default_main_program
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.nn import clip as clip2
from paddle.nn.clip import ClipGradBase

__all__ = [
    "ErrorClipByValue", "GradientClipBase", "GradientClipByGlobalNorm", "GradientClipByNorm",
    "GradientClipByValue", "append_gradient_clip_ops", "error_clip_callback", "set_gradient_clip",
]  # fmt: skip

_WANTED = "an instance of a class derived from GradientClipBase"


class ErrorClipByValue:
    """Clamps the gradient of a variable while backward goes on from it.

    Set it as ``variable.error_clip`` before ``minimize``.

    Args:
        max (float): upper bound.
        min (float, optional): lower bound; None means ``-max``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 3], "float32")
                w = fluid.layers.create_parameter([3, 1], "float32")
                hidden = paddle.matmul(x, w)
                hidden.error_clip = fluid.clip.ErrorClipByValue(max=0.1)
                fluid.optimizer.SGD(0.1).minimize(paddle.mean(hidden))
                ops = fluid.default_main_program().global_block().ops
                print("clip" in [op.type for op in ops])  # True
            paddle.disable_static()
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def __str__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"

    def _append_clip_op(self, block: Any, grad_name: str) -> None:
        attrs = {"min": self.min, "max": self.max}
        block.append_op("clip", {"X": grad_name}, {"Out": grad_name}, attrs)


def error_clip_callback(block: Any, context: dict) -> None:
    """A callback of ``append_backward``; variables with ``error_clip`` are clipped without it too.

    Args:
        block (Block): where gradients are added.
        context (dict): gradient -> variable, and ``__current_op_desc__``.
    """


class GradientClipBase(ClipGradBase):
    """Base of the three ways to clip gradients.

    Args:
        need_clip (callable, optional): takes a parameter and says whether its gradient is clipped.
    """

    def __init__(self, need_clip: Callable | None = None) -> None:
        if need_clip is not None and not callable(need_clip):
            raise TypeError(
                f"{type(self).__name__}(need_clip): expected a callable or None, "
                f"but received {type(need_clip).__name__}."
            )
        self._need_clip_func = need_clip

    def __call__(self, params_grads: list) -> list:
        """Clips pairs of parameter and gradient.

        Args:
            params_grads (list): pairs (parameter, gradient); a gradient may be None.

        Returns:
            list: the pairs with clipped gradients.
        """
        asked = self._need_clip_func
        chosen = [
            pair for pair in params_grads
            if pair[1] is not None and (asked is None or asked(pair[0]))
        ]  # fmt: skip
        if not chosen:
            return list(params_grads)
        done = {id(p): pair for (p, _), pair in zip(chosen, super().__call__(chosen), strict=True)}
        return [done.get(id(pair[0]), pair) for pair in params_grads]

    def _recorded(self, params_grads: list) -> list:
        clipped = self.record(params_grads)
        return [(p, g) for (p, _), g in zip(params_grads, clipped, strict=True)]


class GradientClipByValue(GradientClipBase, clip2.ClipGradByValue):
    """Clamps every element of every gradient into [min, max].

    Args:
        max (float): upper bound.
        min (float, optional): lower bound; None means ``-max``.
        need_clip (callable, optional): takes a parameter and says whether its gradient is clipped.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            clip = fluid.clip.GradientClipByValue(min=-1, max=1)
            print(clip)  # Gradient Clip By Value, min = -1.000000, max=1.000000
    """

    def __init__(self, max: float, min: float | None = None, need_clip: Any = None) -> None:
        GradientClipBase.__init__(self, need_clip)
        clip2.ClipGradByValue.__init__(self, max, min)

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        return [_one(p, g, "clip", {"min": self.min, "max": self.max}) for p, g in pairs]


class GradientClipByNorm(GradientClipBase, clip2.ClipGradByNorm):
    """Scales each gradient whose L2 norm exceeds ``clip_norm`` down to that norm.

    Args:
        clip_norm (float): the largest norm of one gradient.
        need_clip (callable, optional): takes a parameter and says whether its gradient is clipped.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.clip.GradientClipByNorm(2.0))  # Gradient Clip By Norm, clip_norm=2.000000
    """

    def __init__(self, clip_norm: float, need_clip: Any = None) -> None:
        GradientClipBase.__init__(self, need_clip)
        clip2.ClipGradByNorm.__init__(self, clip_norm)

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        return [_one(p, g, "clip_by_norm", {"max_norm": self.clip_norm}) for p, g in pairs]


class GradientClipByGlobalNorm(GradientClipBase, clip2.ClipGradByGlobalNorm):
    """Scales all gradients together so that their common L2 norm is at most ``clip_norm``.

    Args:
        clip_norm (float): the largest norm of all gradients together.
        group_name (str): parameters that ``set_gradient_clip`` gave the same group have one norm.
            Default: default_group.
        need_clip (callable, optional): takes a parameter and says whether its gradient is clipped.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            clip = fluid.clip.GradientClipByGlobalNorm(1.0)
            print(clip)  # Gradient Clip By GlobalNorm, global_norm=1.000000
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", need_clip: Any = None
    ) -> None:
        GradientClipBase.__init__(self, need_clip)
        clip2.ClipGradByGlobalNorm.__init__(self, clip_norm, group_name)

    def record(self, pairs: list) -> list:
        """Adds the clipping operators for pairs of Variables; returns the clipped gradients."""
        if not pairs:
            return []
        program = pairs[0][0].block.program
        squares = [self._square(program, p, g) for p, g in pairs]
        with program._optimized_guard(pairs[-1]):
            factor = self._factor_of(squares)
        return [_scaled(program, p, g, factor) for p, g in pairs]

    def _square(self, program: Program, param: Variable, grad: Variable) -> Variable:
        """The squared norm of one gradient; of rows, of those that occur, added up."""
        with program._optimized_guard([param, grad]):
            if grad.type == VarType.SELECTED_ROWS:
                grad = recorded("merge_selected_rows", {"X": grad}, stop=True)
                grad = recorded("get_tensor_from_selected_rows", {"X": grad}, stop=True)
            square = recorded("square", {"X": grad}, stop=True)
            attrs = {"dim": [0], "keep_dim": False, "reduce_all": True}
            return recorded("reduce_sum", {"X": square}, attrs, stop=True)

    def _factor_of(self, squares: list, most: Any = None) -> Variable:
        """``clip_norm / max(clip_norm, norm of all)``."""
        norm = recorded("sqrt", {"X": recorded("sum", {"X": squares}, stop=True)}, stop=True)
        most = self._limit(norm.dtype) if most is None else most
        larger = recorded("elementwise_max", {"X": most, "Y": norm}, {"axis": -1}, stop=True)
        return recorded("elementwise_div", {"X": most, "Y": larger}, {"axis": -1}, stop=True)

    def _limit(self, dtype: Any) -> Variable:
        limit = {"shape": [1], "value": self.clip_norm, "str_value": repr(self.clip_norm)}
        return recorded("fill_constant", {}, {**limit, "dtype": int(dtype)}, stop=True)


def _one(param: Variable, grad: Variable, type: str, attrs: dict[str, Any]) -> Variable:
    with param.block.program._optimized_guard([param, grad]):
        made = recorded(type, {"X": grad}, attrs, stop=True)
    _note_role(param, made)
    return made


def _scaled(program: Program, param: Variable, grad: Variable, factor: Variable) -> Variable:
    with program._optimized_guard([param, grad]):
        made = recorded("elementwise_mul", {"X": grad, "Y": factor}, {"axis": -1}, stop=True)
    _note_role(param, made)
    return made


def _note_role(param: Variable, made: Variable) -> None:
    made.block.program.current_block().ops[-1]._set_attr("op_role_var", [param.name, made.name])


def set_gradient_clip(clip: Any, param_list: Any = None, program: Any = None) -> None:
    """Sets how the gradients of parameters are clipped by optimizers without ``grad_clip``.

    Args:
        clip (GradientClipBase): how.
        param_list (list[Variable|str], optional): of which parameters; None means all.
        program (Program, optional): None means the default main Program.

    Raises:
        TypeError: ``clip`` is of another class, or ``param_list`` holds something else.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = fluid.data("x", [None, 3], "float32")
                w = fluid.layers.create_parameter([3, 1], "float32")
                loss = paddle.mean(paddle.matmul(x, w))
                fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
                fluid.optimizer.SGD(0.1).minimize(loss)
            paddle.disable_static()
    """
    warnings.warn(
        "set_gradient_clip is deprecated: give the optimizer grad_clip instead.",
        DeprecationWarning,
        stacklevel=outside(),
    )
    if not isinstance(clip, ClipGradBase):
        raise TypeError(
            f"set_gradient_clip(clip): expected {_WANTED}, but received {type(clip).__name__}."
        )
    program = default_main_program() if program is None else program
    for block in program.blocks:
        for op in block.ops:
            if op.type in _UPDATES:
                warnings.warn(
                    "set_gradient_clip: the Program has updates already, which stay without; call "
                    "it before minimize.",
                    stacklevel=outside(),
                )
                break
    params = program.global_block().all_parameters() if param_list is None else list(param_list)
    found = [program.global_block().var(p) if isinstance(p, str) else p for p in params]
    for param in found:
        if not isinstance(param, Variable):
            raise TypeError(
                "set_gradient_clip(param_list): expected parameters or their names, but it holds "
                f"{type(param).__name__}."
            )
        param.gradient_clip_attr = clip


_UPDATES = ("sgd", "momentum", "adam", "adamax", "adagrad", "rmsprop", "lamb", "ftrl")


def append_gradient_clip_ops(param_grads: list) -> list:
    """Adds the clipping that :func:`set_gradient_clip` set for parameters.

    Args:
        param_grads (list): pairs (parameter, gradient).

    Returns:
        list: pairs (parameter, clipped gradient).
    """
    chosen = [
        (p, g) for p, g in param_grads
        if g is not None and getattr(p, "gradient_clip_attr", None) is not None
    ]  # fmt: skip
    if not chosen or len(chosen) < sum(g is not None for _, g in param_grads):
        if chosen:
            warnings.warn(
                "set_gradient_clip: some of the parameters have no clip; as in 1.8.5, none of the "
                "gradients is clipped then.",
                stacklevel=outside(),
            )
        return list(param_grads)
    groups: dict[str, list] = {}
    limits: dict[str, Any] = {}
    for param, grad in chosen:
        _note_group(param, grad, groups, limits)
    clipped: dict[str, Variable] = {}
    factors: dict[str, Variable] = {}
    clip = chosen[-1][0].gradient_clip_attr  # 1.8.5 clips all in the way of the last one
    for param, grad in chosen:
        if not isinstance(clip, clip2.ClipGradByGlobalNorm):
            clipped[param.name] = clip.record([(param, grad)])[0]
            continue
        program, group = param.block.program, clip.group_name
        with program._optimized_guard([param, grad]):
            if group not in factors:
                factors[group] = _as_1x(clip)._factor_of(groups[group], limits[group])
        clipped[param.name] = _scaled(program, param, grad, factors[group])
    return [(p, clipped.get(p.name, g)) for p, g in param_grads]


def _note_group(param: Variable, grad: Variable, groups: dict, limits: dict) -> None:
    clip = param.gradient_clip_attr
    if not isinstance(clip, clip2.ClipGradByGlobalNorm):
        return
    program, one = param.block.program, _as_1x(clip)
    if clip.group_name not in groups:
        groups[clip.group_name] = []
        with program._optimized_guard([param, grad]):
            limits[clip.group_name] = one._limit(grad.dtype)
    elif limits[clip.group_name].block.program is not program:
        raise ValueError("set_gradient_clip: a group belongs to one Program.")
    groups[clip.group_name].append(one._square(program, param, grad))


def _as_1x(clip: Any) -> GradientClipByGlobalNorm:
    if isinstance(clip, GradientClipByGlobalNorm):
        return clip
    return GradientClipByGlobalNorm(clip.clip_norm, clip.group_name)
