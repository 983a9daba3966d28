"""Programs, Variables and the mode, as ``fluid.framework`` has them."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import recording
from paddle.core.place import CUDAPinnedPlace
from paddle.core.place import device_count as device_count_of_machine
from paddle.core.tensor import Parameter as EagerParameter
from paddle.core.tensor import Tensor
from paddle.fluid import mode
from paddle.ir import current, variable
from paddle.ir.program import Program

__all__ = [
    "ComplexVariable", "Parameter", "Variable", "cuda_pinned_places", "default_main_program",
    "default_startup_program", "program_guard",
]  # fmt: skip


class _EitherMode(type):
    """Classes of which eager Tensors are instances too in dynamic mode, as in 1.x."""

    _recorded: Any
    _eager: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        if isinstance(instance, cls._recorded):
            return True
        return isinstance(instance, cls._eager) and not recording()

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(other, (cls._recorded, cls._eager))

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = cls._recorded(*args, **kwargs)
        made.block.vars[made.name] = made  # who makes one puts it into its block, in 1.x
        return made

    def __getattr__(cls, name: str) -> Any:
        if name == "__signature__":
            return inspect.signature(cls._recorded)
        return getattr(cls._recorded, name)


class Variable(metaclass=_EitherMode):
    """What stands for a tensor: in a Program, or in dynamic mode an eager Tensor.

    A call makes a Variable of a Program; its arguments are those of ``paddle.static.Variable``.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                x = fluid.dygraph.to_variable(np.ones([2], "float32"))
                print(isinstance(x, fluid.Variable))  # True
    """

    _recorded, _eager = variable.Variable, Tensor


class Parameter(metaclass=_EitherMode):
    """A Variable that training changes: in a Program, or in dynamic mode an eager one."""

    _recorded, _eager = variable.Parameter, EagerParameter


class ComplexVariable:
    """Two Tensors as the parts of complex numbers, as 1.8's dynamic mode has it.

    It only keeps them. What computes with complex numbers here is the Tensor that
    ``dygraph.to_variable`` makes of a complex array; 1.8 makes a ComplexVariable of that.

    Args:
        real (Tensor): the real parts.
        imag (Tensor): the imaginary parts, of the same dtype and shape.

    Raises:
        InvalidArgumentError: the parts differ in shape or dtype.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                part = fluid.dygraph.to_variable(np.ones([2], "float32"))
                both = fluid.ComplexVariable(part, part * 2)
                print(both.dtype, both.numpy())  # complex64 [1.+2.j 1.+2.j]
    """

    def __init__(self, real: Tensor, imag: Tensor) -> None:
        if real.shape != imag.shape or real.dtype != imag.dtype:
            raise InvalidArgumentError(
                "ComplexVariable(real, imag): expected parts of one shape and dtype, but received "
                f"{real.shape} of {real.dtype} and {imag.shape} of {imag.dtype}."
            )
        if real.dtype not in _COMPLEX_OF:
            raise InvalidArgumentError(
                "ComplexVariable(real, imag): expected float32 or float64, but received "
                f"{real.dtype}."
            )
        self.real, self.imag = real, imag

    @property
    def dtype(self) -> str:
        """``complex64`` or ``complex128``."""
        return _COMPLEX_OF[self.real.dtype]

    @property
    def shape(self) -> list[int]:
        """The shape of each part."""
        return self.real.shape

    @property
    def name(self) -> dict[str, str]:
        """The names of the parts: ``{"real": ..., "imag": ...}``."""
        return {"real": self.real.name, "imag": self.imag.name}

    @name.setter
    def name(self, name: str) -> None:
        self.real.name, self.imag.name = f"{name}.real", f"{name}.imag"

    def numpy(self) -> Any:
        """The complex numbers as an array."""
        return self.real.numpy() + 1j * self.imag.numpy()

    def __str__(self) -> str:
        return f"REAL: {self.real}\nIMAG: {self.imag}"

    __repr__ = __str__


_COMPLEX_OF = {VarType.FP32: "complex64", VarType.FP64: "complex128"}


def default_main_program() -> Program:
    """The Program that operators are added to; settles an open mode to static.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4])
            print(fluid.default_main_program().global_block().has_var("x"))  # True
            paddle.disable_static()
    """
    mode.prefer_static()
    mode.note_programs()
    return current.default_main_program()


def default_startup_program() -> Program:
    """The Program that fills parameters; settles an open mode to static.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            fluid.default_startup_program().random_seed = 1
            paddle.disable_static()
    """
    mode.prefer_static()
    mode.note_programs()
    return current.default_startup_program()


@contextlib.contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Makes given Programs the default ones inside a ``with`` block, in static mode.

    Where dynamic mode was chosen (``enable_dygraph``, ``disable_static``, a ``dygraph.guard``
    around this block), it stays, as in 1.x.

    Args:
        main_program (Program): the main Program.
        startup_program (Program, optional): the startup Program; None keeps the current one.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            main = fluid.Program()
            with fluid.program_guard(main, fluid.Program()):
                x = fluid.layers.fill_constant([2], "float32", 1.0)
            print(len(main.global_block().ops))  # 1
    """
    with current.program_guard(main_program, startup_program), mode.static_block():
        mode.note_programs()
        yield


def _get_var(name: str, program: Program | None = None) -> variable.Variable:
    """A variable of the global block by name.

    Args:
        name (str): its name.
        program (Program, optional): None means the default main one.

    Raises:
        ValueError: there is none of that name.
    """
    program = default_main_program() if program is None else program
    return program.global_block().var(str(name))


def cuda_pinned_places(device_count: int | None = None) -> list[CUDAPinnedPlace]:
    """Places of the host's memory that devices read directly.

    Args:
        device_count (int, optional): how many; None means as many as there are devices.

    Returns:
        list[CUDAPinnedPlace]: the places.

    Raises:
        RuntimeError: there is no device.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            if fluid.is_compiled_with_cuda():
                print(len(fluid.cuda_pinned_places(1)))
    """
    count = device_count_of_machine()
    if not count:
        raise PreconditionNotMetError("fluid.cuda_pinned_places: there is no CUDA device.")
    return [CUDAPinnedPlace() for _ in range(count if device_count is None else device_count)]
