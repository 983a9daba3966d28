"""What libraries written for 1.x and 2.0 take from ``fluid.dygraph`` and ``fluid.framework``."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from paddle.core.errors import PreconditionNotMetError
from paddle.core.mode import grad_enabled, hooked, recording, set_grad_enabled, undecided
from paddle.core.place import Place, current_place, name_of, set_device
from paddle.core.tensor import Tensor
from paddle.framework import by_name
from paddle.ir.recording.alongside import OperatorLog
from paddle.ir.variable import Variable
from paddle.tensor.creation import zeros
from paddle.tensor.to_tensor import to_tensor

__all__ = ["Tracer", "dygraph_only", "guard", "tensor_to_fill", "to_variable", "tracer"]


@contextlib.contextmanager
def guard(place: Place | None = None) -> Iterator[None]:
    """Makes operators run at once within a block.

    Args:
        place (Place, optional): the device to use there.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.fluid import dygraph

            paddle.enable_static()
            with dygraph.guard():
                print(paddle.ones([2]).numpy())  # [1. 1.]
            paddle.disable_static()
    """
    before = current_place()
    with contextlib.ExitStack() as stack:
        if undecided() is not None or recording():
            stack.enter_context(hooked(None))
        if place is not None:
            set_device(name_of(place))
            stack.callback(set_device, name_of(before))
        yield


def tensor_to_fill(
    type: Any = None, name: str | None = None, shape: Any = None, dtype: Any = None,
    persistable: bool | None = None, **kwargs: Any,
) -> Tensor:  # fmt: skip
    """Returns a Tensor that an operator is to fill, for :meth:`Tracer.trace_op`.

    Args:
        type (VarType, optional): the kind of variable; Tensors are all there are.
        name (str, optional): its name.
        shape (list[int], optional): its sizes; None means that it holds nothing yet.
        dtype (str, optional): its data type. Default: float32.
        persistable (bool, optional): whether it is.
        **kwargs: what else a Variable is described by.
    """
    made = zeros([0] if shape is None else list(shape), "float32" if dtype is None else dtype)
    made.persistable = bool(persistable)
    if name is not None:
        made.name = name
    return made


def to_variable(
    value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None
) -> Any:
    """Makes a Tensor of an array; a Tensor stays as it is.

    Args:
        value (np.ndarray|list|tuple|Tensor): the value.
        name (str, optional): its name.
        zero_copy (bool, optional): True is not supported: the Tensor has memory of its own.
        dtype (str, optional): of the Tensor; None: that of the array.

    Raises:
        NotImplementedError: ``zero_copy`` is True.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.fluid.dygraph import to_variable
            print(to_variable(np.zeros([2, 3], "float32")).shape)  # [2, 3]
    """
    if zero_copy:
        raise NotImplementedError(
            "to_variable(zero_copy=True): a Tensor has memory of its own; leave the argument out."
        )
    if isinstance(value, (Tensor, Variable)):
        return value if dtype is None else value.astype(dtype)
    made = to_tensor(np.asarray(value) if not isinstance(value, np.ndarray) else value, dtype)
    if name is not None:
        made.name = name
    return made


def dygraph_only(func: Callable) -> Callable:
    """Decorates a function that makes sense in dynamic mode alone.

    Args:
        func (Callable): the function.

    Raises:
        RuntimeError: the function is called in static mode.
    """

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        if recording():
            raise PreconditionNotMetError(
                f"{func.__name__}() works in dynamic mode; call paddle.disable_static() before."
            )
        return func(*args, **kwargs)

    return run


class ProgramDescTracer:
    """Makes a description of a Program of the operators that dynamic mode ran.

    They count from the last :meth:`reset` on, in blocks of ``program_desc_tracing_guard``.
    """

    def __init__(self) -> None:
        self._of_thread = threading.local()

    @property
    def log(self) -> OperatorLog:
        """The operators that this thread ran."""
        found = getattr(self._of_thread, "log", None)
        if found is None:
            found = self._of_thread.log = OperatorLog()
        return found

    def reset(self) -> None:
        """Forgets what ran."""
        self.log.reset()

    def create_program_desc(
        self, inputs: list[Tensor], feed_prefix: str, outputs: list[Tensor], fetch_prefix: str,
        tmp_prefix: str,
    ) -> tuple[Any, list[str], list[str], list[Tensor]]:  # fmt: skip
        """Describes what ran between inputs and outputs, as a Program.

        Args:
            inputs (list[Tensor]): what the code was given.
            feed_prefix (str): names of their variables begin with it, numbers follow.
            outputs (list[Tensor]): what it returned.
            fetch_prefix (str): as ``feed_prefix``.
            tmp_prefix (str): of what lies between.

        Returns:
            tuple: the description, the names of inputs and of outputs, and the stored Tensors.
        """
        program, *rest = self.log.taken_out(inputs, feed_prefix, outputs, fetch_prefix, tmp_prefix)
        return (program.desc, *rest)  # type: ignore[return-value]


class Tracer:
    """Runs operators by name, as 2.0's own layers do in dynamic mode."""

    def __init__(self) -> None:
        self.programs = ProgramDescTracer()

    def _get_program_desc_tracer(self) -> ProgramDescTracer:
        return self.programs

    def trace_op(
        self, type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any],
        attrs: Mapping[str, Any], stop_gradient: bool = False,
    ) -> None:  # fmt: skip
        """Runs an operator and puts its results into given Tensors.

        Args:
            type (str): the operator's name.
            inputs (dict): slot -> Tensor, or a list of them.
            outputs (dict): slot -> Tensor that becomes the result, or a list of them.
            attrs (dict): attributes.
            stop_gradient (bool): the results get no gradient. Default: False.

        Raises:
            ValueError: there is no such operator, slot or attribute.
        """
        by_name.trace("trace_op", type, inputs, outputs, attrs, stop_gradient)

    @property
    def _has_grad(self) -> bool:
        """Whether operators are recorded for backward; can be set."""
        return grad_enabled()

    @_has_grad.setter
    def _has_grad(self, value: bool) -> None:
        set_grad_enabled(value)


_TRACER = Tracer()


def tracer() -> Tracer | None:
    """Returns what runs operators; None in static mode."""
    return None if recording() else _TRACER


@contextlib.contextmanager
def program_desc_tracing_guard(enable: bool) -> Iterator[None]:
    """Notes the operators that run inside, for ``ProgramDescTracer.create_program_desc``.

    Args:
        enable (bool): do so; False: they are not noted.
    """
    with _TRACER.programs.log.writing() if enable else hooked(None):
        yield
