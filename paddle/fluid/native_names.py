"""What 1.x's native module ``fluid.core`` has beside classes: questions about operators, flags."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

from paddle.core import flags
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import computed
from paddle.core.place import to_torch_device
from paddle.fluid.op import get_all_op_protos
from paddle.serialization.program.reading import NEXT_VERSION
from paddle.static import gradients

__all__ = [
    "OpProtoHolder", "calc_gradient", "empty_var_name", "globals_of_flags", "grad_var_name",
    "grad_var_suffix", "has_infer_inplace", "is_float16_supported", "is_version_supported",
    "op_support_gpu",
]  # fmt: skip


def empty_var_name() -> str:
    """What stands in a slot of a gradient operator that is not asked for."""
    return "@EMPTY@"


def grad_var_suffix() -> str:
    """What the name of a gradient ends with."""
    return "@GRAD"


def grad_var_name(var_name: str) -> str:
    """Returns the name of a variable's gradient.

    Args:
        var_name (str): the variable's name.

    Examples:
        .. code-block:: python

            from paddle.fluid.framework import grad_var_name
            print(grad_var_name("fc_0.w_0"))  # fc_0.w_0@GRAD
    """
    return f"{var_name}@GRAD"


def _known(name: str) -> Any:
    found = computed(name)
    if found is None:
        raise InvalidArgumentError(f"fluid.core: there is no operator {name!r}.")
    return found


def op_support_gpu(op_type: str) -> bool:
    """Whether an operator has a kernel for a GPU: those of ATen run on any device.

    Args:
        op_type (str): the operator.

    Raises:
        ValueError: there is no such operator.
    """
    return bool(_known(op_type).has_kernel)


def is_float16_supported(place: Any) -> bool:
    """Whether operators compute in float16 at a place: those of ATen do at any.

    Args:
        place (Place): where.
    """
    to_torch_device(place)  # refuses what is no place
    return True


def has_infer_inplace(op_type: str) -> bool:
    """Whether an operator can write its result into an input's memory.

    Args:
        op_type (str): the operator.

    Raises:
        ValueError: there is no such operator.
    """
    return _known(op_type).inplace is not None


def is_version_supported(version: int) -> bool:
    """Whether Programs of a version can be read: all up to 2.6's.

    Args:
        version (int): as in a ProgramDesc.
    """
    return 0 <= version < NEXT_VERSION


class _Flags(MutableMapping):
    """The flags as a mapping, ``core.globals()["FLAGS_check_nan_inf"]``."""

    def __getitem__(self, name: str) -> Any:
        if name not in flags.names():
            raise KeyError(name)
        return flags.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        flags.set(name, value)

    def __delitem__(self, name: str) -> None:
        raise InvalidArgumentError(f"core.globals(): the flag {name!r} cannot be taken away.")

    def __iter__(self) -> Iterator[str]:
        return iter(flags.names())

    def __len__(self) -> int:
        return len(flags.names())


def globals_of_flags() -> MutableMapping:
    """Returns the flags, to read and to set.

    Examples:
        .. code-block:: python

            from paddle.fluid import core
            print(core.globals()["FLAGS_check_nan_inf"])  # False
    """
    return _Flags()


class OpProtoHolder:
    """What every operator takes and gives, by name; :meth:`instance` is the one there is."""

    _only: OpProtoHolder | None = None

    def __init__(self) -> None:
        self.op_proto_map = {proto.type: proto for proto in get_all_op_protos()}

    @classmethod
    def instance(cls) -> OpProtoHolder:
        """The holder."""
        if cls._only is None:
            cls._only = cls()
        return cls._only

    def get_op_proto(self, type: str) -> Any:
        """Returns the slots and attributes of an operator.

        Args:
            type (str): its name.

        Raises:
            ValueError: there is no such operator.
        """
        if type not in self.op_proto_map:
            raise InvalidArgumentError(f"OpProtoHolder: there is no operator {type!r}.")
        return self.op_proto_map[type]


def calc_gradient(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None
) -> Any:
    """Adds the gradients of ``targets`` by ``inputs``, as ``fluid.gradients``.

    Args:
        targets (Variable|list[Variable]): what is differentiated.
        inputs (Variable|list[Variable]): by what.
        target_gradients (Variable|list[Variable], optional): gradients of the targets. None: ones.
        no_grad_set (set, optional): variables or names without gradient.

    Returns:
        Variable|list[Variable]: one gradient alone, several in a list.
    """
    found = gradients(targets, inputs, target_gradients, no_grad_set)
    return found[0] if len(found) == 1 else found
