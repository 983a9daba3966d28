"""Scaling of losses, so that small gradients survive in float16."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded
from paddle.core.listening import listeners_of
from paddle.core.mode import no_grad
from paddle.core.op import C
from paddle.core.selected_rows import RowsGradient
from paddle.core.tensor import Tensor

_FP32, _INT32, _BOOL = VarType.FP32, VarType.INT32, VarType.BOOL


class GradScaler(Guarded):
    """Multiplies the loss by a factor, divides the gradients by it, and adapts the factor.

    A step whose gradients overflow is left out. After ``decr_every_n_nan_or_inf`` such steps in a
    row the factor is multiplied by ``decr_ratio``; after ``incr_every_n_steps`` good steps in a row
    by ``incr_ratio``.

    Args:
        enable (bool): False makes all methods pass on what they get. Default: True.
        init_loss_scaling (float): the first factor. Default: 2**15.
        incr_ratio (float): greater than 1. Default: 2.0.
        decr_ratio (float): between 0 and 1. Default: 0.5.
        incr_every_n_steps (int): Default: 1000.
        decr_every_n_nan_or_inf (int): Default: 2.
        use_dynamic_loss_scaling (bool): False keeps the first factor. Default: True.

    Raises:
        ValueError: a ratio or a number of steps is out of its range.

    Examples:
        .. code-block:: python

            import paddle
            model = paddle.nn.Linear(4, 2)
            optimizer = paddle.optimizer.SGD(0.01, parameters=model.parameters())
            scaler = paddle.amp.GradScaler(init_loss_scaling=1024)
            with paddle.amp.auto_cast():
                loss = model(paddle.rand([8, 4])).mean()
            scaled = scaler.scale(loss)
            scaled.backward()
            scaler.minimize(optimizer, scaled)
            optimizer.clear_grad()
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**15,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 1000,
        decr_every_n_nan_or_inf: int = 2,
        use_dynamic_loss_scaling: bool = True,
    ) -> None:
        self._enable = enable
        _expect("init_loss_scaling", init_loss_scaling, "above 0", lambda v: v > 0)
        _expect("incr_ratio", incr_ratio, "above 1", lambda v: v > 1)
        _expect("decr_ratio", decr_ratio, "between 0 and 1", lambda v: 0 < v < 1)
        _expect("incr_every_n_steps", incr_every_n_steps, "from 1 on", lambda v: v >= 1)
        bad = decr_every_n_nan_or_inf
        _expect("decr_every_n_nan_or_inf", bad, "from 1 on", lambda v: v >= 1)
        self._dynamic = use_dynamic_loss_scaling
        self._rule = {
            "incr_every_n_steps": int(incr_every_n_steps),
            "decr_every_n_nan_or_inf": int(bad),
            "incr_ratio": float(incr_ratio),
            "decr_ratio": float(decr_ratio),
        }
        self._scale = C.fill_constant(shape=[1], value=float(init_loss_scaling), dtype=_FP32)
        self._good = C.fill_constant(shape=[1], value=0, dtype=_INT32)
        self._bad = C.fill_constant(shape=[1], value=0, dtype=_INT32)

    def scale(self, var: Tensor) -> Tensor:
        """The loss times the factor.

        Args:
            var (Tensor): the loss.

        Returns:
            Tensor: shape and dtype of ``var``.

        Examples:
            .. code-block:: python

                import paddle
                scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
                print(scaler.scale(paddle.to_tensor([0.5])).item())  # 4.0
        """
        if not isinstance(var, Tensor):
            raise TypeError(
                f"GradScaler.scale(var): expected a Tensor, but received {type(var).__name__}."
            )
        if not self._enable:
            return var
        return var * (self._scale if var.dtype is _FP32 else self._scale.astype(var.dtype))

    def minimize(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Divides the gradients by the factor, updates if they are finite, adapts the factor.

        Args:
            optimizer (Optimizer): has the parameters; their gradients come from a scaled loss.
            *args: of ``optimizer.minimize``, first the scaled loss.
            **kwargs: of ``optimizer.minimize``.

        Returns:
            tuple|None: what ``optimizer.minimize`` returns; None where the step was left out.
        """
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        with no_grad():
            found = self._unscale(optimizer)
            result = None if found else optimizer.minimize(*args, **kwargs)
            if self._dynamic:
                self._adapt(found)
        return result

    def state_dict(self) -> dict[str, Any]:
        """Returns the factor, the counts of good and bad steps, and the rule of adaption.

        Returns:
            dict: plain numbers, and the factor as an array; empty where ``enable`` is False.

        Examples:
            .. code-block:: python

                import paddle
                scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
                print(scaler.state_dict()["scale"])  # [8.]
        """
        if not self._enable:
            return {}
        return {
            "scale": self._scale.numpy(),
            "incr_count": int(self._good),
            "decr_count": int(self._bad),
            "use_dynamic_loss_scaling": bool(self._dynamic),
            **self._rule,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state that :meth:`state_dict` returned.

        Args:
            state_dict (dict): the state.

        Raises:
            TypeError: it is no dict.
            ValueError: an entry is missing or out of its range; nothing was changed.

        Examples:
            .. code-block:: python

                import paddle
                scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
                again = paddle.amp.GradScaler()
                again.load_state_dict(scaler.state_dict())
                print(again.state_dict()["scale"])  # [8.]
        """
        if not self._enable:
            return
        state = _checked_state(state_dict, self.state_dict())
        self._dynamic = state["use_dynamic_loss_scaling"]
        self._rule = {key: state[key] for key in self._rule}
        self._scale = C.fill_constant(shape=[1], value=state["scale"], dtype=_FP32)
        self._good = C.fill_constant(shape=[1], value=state["incr_count"], dtype=_INT32)
        self._bad = C.fill_constant(shape=[1], value=state["decr_count"], dtype=_INT32)

    set_state_dict = load_state_dict

    def _unscale(self, optimizer: Any) -> bool:
        """Divides the gradients; says whether one of them is infinite or no number.

        Processes that exchange gradients leave the same steps out.
        """
        parameters = optimizer._parameter_list
        found = self._divide([p for p in parameters if p._grad is not None])
        for listener in listeners_of(parameters):
            found = listener.anywhere(found)
        return found

    def _divide(self, held: list[Any]) -> bool:
        if not held:
            return False
        grads = [p.grad for p in held]
        rows = [type(g) is RowsGradient and g.is_rows for g in grads]
        parts = [g.values() if r else g for g, r in zip(grads, rows, strict=True)]
        parts, found = C.check_finite_and_unscale(parts, self._scale)
        for p, grad, part, r in zip(held, grads, parts, rows, strict=True):
            p._grad = grad.with_values(part) if r else part
        return bool(found)

    def _adapt(self, found: bool) -> None:
        flag = C.fill_constant(shape=[1], value=found, dtype=_BOOL)
        state = (self._scale, self._good, self._bad)
        _, self._scale, self._good, self._bad = C.update_loss_scaling(
            [], flag, *state, **self._rule
        )


def _checked_state(given: Any, model: dict[str, Any]) -> dict[str, Any]:
    """The entries of a state as numbers of the kinds that ``model`` has."""
    where = "GradScaler.load_state_dict"
    if not isinstance(given, dict):
        raise TypeError(f"{where}: expected a dict, but received {type(given).__name__}.")
    lacking = [key for key in model if key not in given]
    if lacking:
        raise InvalidArgumentError(
            f"{where}: expected {sorted(model)}, but received no {', '.join(lacking)}.",
            hint="was it saved from a GradScaler(enable=False)?",
        )
    state: dict[str, Any] = {}
    for key, now in model.items():
        value = given[key]
        value = value.item() if getattr(value, "size", 0) == 1 else value
        kind = float if key == "scale" else type(now)
        if isinstance(value, bool) != (kind is bool) or not isinstance(value, numbers.Real):
            raise InvalidArgumentError(
                f"{where}: expected one {kind.__name__} as {key!r}, but received "
                f"{type(value).__name__}."
            )
        state[key] = kind(value)
        least = {"incr_ratio": 1, "incr_every_n_steps": 1, "decr_every_n_nan_or_inf": 1}.get(key, 0)
        if not state[key] >= least:
            raise InvalidArgumentError(
                f"{where}: expected {key!r} from {least} on, but received {state[key]}."
            )
    return state


def _expect(argument: str, value: Any, wanted: str, right: Callable[[Any], bool]) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(
            f"GradScaler({argument}): expected a number, but received {type(value).__name__}."
        )
    if not right(value):
        raise InvalidArgumentError(
            f"GradScaler({argument}): expected a number {wanted}, but received {value}."
        )
