"""register_op: operators that users write in Python."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable
from typing import Any

from paddle.core.errors import AlreadyExistsError, InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.op import REGISTRY, USERS, C, OpDef, Slot, define
from paddle.core.user_kernels import FORMS, Result, adapted, by_running, shape_rule

__all__ = ["PythonOperator", "register_op"]

_SLOT = re.compile(r"[A-Za-z_]\w*[*?~]*(=[A-Za-z_]\w*)?")


class PythonOperator:
    """An operator that :func:`register_op` made: a function of Tensors or Variables.

    Its inputs come by position, or by the kernel's names; attributes by keyword.

    Attributes:
        definition (OpDef): what the registry holds.
    """

    def __init__(self, definition: OpDef, function: Callable, form: str | None) -> None:
        functools.update_wrapper(self, function)
        self.definition = definition
        self._form = form
        self.__signature__ = inspect.signature(function)

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.definition.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the operator, or records it in a Program."""
        return getattr(C, self.definition.name)(*args, **kwargs)

    def grad(
        self, saves: str = "", cpu: Callable | None = None, own_shapes: bool = False
    ) -> Callable[[Callable], PythonOperator]:
        """Decorator of the operator's gradient.

        The function gets the gradients of the outputs, then what it needs of inputs and outputs,
        in the form of the operator's kernel. By keyword come the attributes that it names and, if
        it asks for it, ``needs_grad``: a flag for each input. It returns the gradient of each input
        slot, None where there is none.

        Args:
            saves (str): the slots that it needs: ``"X Out"``, or ``"X.shape"`` for the shape alone.
            cpu (callable, optional): takes its place for tensors in main memory.
            own_shapes (bool): it reads the shape of an input for that input's gradient only.
                Default: False.

        Raises:
            ValueError: there are no such slots or attributes.
        """
        op = self.definition

        def register(function: Callable) -> PythonOperator:
            results = [Result(f"the gradient of {s.name}", s.many, True) for s in op.inputs]
            kernel = adapted(f"the gradient of {op.name}", function, self._form, cpu, results)
            op.grad(saves, own_shapes)(kernel)
            op.differentiable = True
            op._derived.clear()
            vars(C).pop(op.name, None)  # a caller that was made before knows no gradient
            return self

        return register

    def __reduce__(self) -> str:
        """Copies are the operator itself; files have its name, as they have that of a function."""
        return vars(self)["__qualname__"]

    def __repr__(self) -> str:
        return repr(self.definition)


def register_op(
    name: str, slots: str, *, buffers: str | None = None, infer: Any = None,
    cpu: Callable | None = None, differentiable: bool = True, **traits: Any,
) -> Callable[[Callable], PythonOperator]:  # fmt: skip
    """Decorator that makes an operator of a Python function.

    It is an operator as all others: it runs in dynamic mode and in Programs, is differentiated,
    recorded by ``to_static`` and cast by ``amp``. A saved Program has its name; who loads the
    Program imports the module that registers it, which the error names if that is missing.

    Slots are written ``X Y -> Out``: the function's positional parameters are the input slots in
    order, its keyword-only parameters the attributes with their defaults. Behind a slot ``*`` means
    a list of tensors, ``?`` that it may be None, ``~`` that it has no gradient; ``XOut=X`` is an
    output that is written into that input: what the function returns for it becomes the input's
    value, and a call does not return it.

    Args:
        name (str): the operator's name; no other operator has it.
        slots (str): inputs and outputs.
        buffers (str, optional): what the function gets. None: Tensors, and any function of paddle
            can be called. ``"torch"``: the torch tensors behind them. ``"numpy"``: arrays that
            cannot be written, in main memory; bfloat16 comes as float32, and float32 results go
            back as bfloat16 where the first input is bfloat16.
        infer (str|callable, optional): the shape rule: ``"same"`` (all results are as the first
            input), ``"broadcast"``, ``"floating"``, ``"compare"``, ``"to_bool"``, or a function
            ``rule(inputs, attrs)`` that returns ``(shape, dtype)`` for each output; inputs have
            ``shape``, with -1 where it is not known, and ``dtype``. None: the function itself is
            run on shapes alone, or, with ``"numpy"``, on ones.
        cpu (callable, optional): a function that takes this one's place for tensors in main memory:
            for kernels of a device, as in Triton.
        differentiable (bool): False: it has no gradient. Default: True. Without ``.grad`` torch
            differentiates what the function calls; one of arrays, or with ``cpu``, has no gradient
            then.
        **traits: further facts of the operator: ``random``, ``effects``, ``amp``, ``linear``,
            ``inplace`` ... (see ``paddle/core/traits.py``).

    Returns:
        callable: makes the function a :class:`PythonOperator`.

    Raises:
        RuntimeError: an operator of that name exists.
        ValueError: slots do not fit the function, or an argument is none of those possible.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            from paddle.utils import register_op

            @register_op("example_scaled_tanh", "X -> Out", buffers="numpy", infer="same")
            def scaled_tanh(x, *, scale=1.0):
                return np.tanh(x) * np.asarray(scale, x.dtype)

            @scaled_tanh.grad("Out")
            def _(d_out, out, *, scale):
                return d_out * (scale - out * out / scale).astype(out.dtype)

            x = paddle.to_tensor([0.0], stop_gradient=False)
            y = scaled_tanh(x, scale=3.0)
            y.backward()
            print(y.numpy(), x.grad.numpy())  # [0.] [3.]
    """
    _check(name, slots, buffers, cpu)
    inputs = [Slot.parse(text).name for text in slots.partition("->")[0].split()]
    outputs = [Slot.parse(text) for text in slots.partition("->")[2].split()]
    foreign = buffers == "numpy" or cpu is not None

    def register(function: Callable) -> PythonOperator:
        if not callable(function):
            raise TypeError(
                f"register_op: expected a function to decorate, but received "
                f"{type(function).__name__}."
            )
        returned = [
            Result(s.name, s.many, s.optional, inputs.index(s.writes) if s.writes in inputs else -1)
            for s in outputs
        ]
        kernel = adapted(name, function, buffers, cpu, returned, infer)
        rule = infer
        if infer is not None:
            rule = shape_rule(name, infer, outputs)
        elif buffers == "numpy":
            rule = by_running(name, kernel, outputs)
        made = define(
            name, slots, kernel, infer=rule, differentiable=differentiable and not foreign,
            proto=USERS, **traits,
        )  # fmt: skip
        made.module = getattr(function, "__module__", None) or "__main__"
        made.origin = _origin(function)
        return PythonOperator(made, function, buffers)

    return register


def _origin(function: Callable) -> str:
    """The module whose import registers the operator; of a script, the name it is imported by."""
    module = getattr(function, "__module__", None) or "__main__"
    if module == "__main__":
        code = getattr(function, "__code__", None)
        folder, name = os.path.split(code.co_filename if code is not None else "")
        module = name.removesuffix(".py")
        if not module.isidentifier() or not os.path.isfile(os.path.join(folder, name)):
            return ""  # typed in, or of a notebook
    return f"module {module}"


def _check(name: Any, slots: Any, buffers: Any, cpu: Any) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise InvalidArgumentError(
            f"register_op(name): expected letters, digits and _, but received {name!r}."
        )
    if not isinstance(slots, str) or "->" not in slots:
        raise InvalidArgumentError(
            f"register_op(slots): expected a text like 'X Y -> Out', but received {slots!r}."
        )
    left, _, right = slots.partition("->")
    wrong = [text for text in [*left.split(), *right.split()] if not _SLOT.fullmatch(text)]
    if wrong or not right.split():
        raise InvalidArgumentError(
            f"register_op(slots): expected a text like 'X Y -> Out', but received {slots!r}"
            + (f", where {wrong[0]!r} is no slot." if wrong else ", which has no output.")
        )
    known = [Slot.parse(text).name for text in left.split()]
    for slot in map(Slot.parse, right.split()):
        if slot.writes is not None and slot.writes not in known:
            raise InvalidArgumentError(
                f"register_op(slots): {slot.name} is to be written into {slot.writes}, which is no "
                f"input in {slots!r}."
            )
    if buffers is not None and buffers not in FORMS:
        raise InvalidArgumentError(
            f"register_op(buffers): expected None, 'torch' or 'numpy', but received {buffers!r}."
        )
    if cpu is not None and not callable(cpu):
        raise TypeError(
            f"register_op(cpu): expected a function, but received {type(cpu).__name__}."
        )
    for taken in (name.removesuffix("_grad"), name):
        known = REGISTRY.get(taken)
        if known is not None and (taken == name or known.kernel is not None):
            raise AlreadyExistsError(
                f"register_op(name): there is an operator {taken!r} already, of "
                f"{known.module or 'paddle'}."
            )


guard_module(globals())
