"""What 1.x's native module ``fluid.core`` has beside classes: questions about operators, flags."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, MutableMapping
from typing import Any

from paddle.core import flags
from paddle.core.derive import gradient_of
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import REGISTRY, computed
from paddle.core.place import is_compiled_with_cuda, to_torch_device
from paddle.fluid.op import get_all_op_protos
from paddle.ir.autodiff.gradient_makers import GRAD_MAKERS
from paddle.ir.autodiff.single_gradient import gradient_operators
from paddle.ir.operator import declared
from paddle.passes.graph import described
from paddle.serialization.program.desc import OpDesc
from paddle.serialization.program.reading import NEXT_VERSION
from paddle.static import gradients

__all__ = [
    "OpProtoHolder", "calc_gradient", "empty_var_name", "get_grad_op_desc", "globals_of_flags",
    "grad_var_name", "grad_var_suffix", "has_grad_op_maker", "has_infer_inplace",
    "has_non_empty_grad_op_maker", "infer_no_need_buffer_slots", "is_float16_supported",
    "is_version_supported", "op_support_gpu", "registered_kernels",
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
    """What is known of an operator, or of the gradient of one."""
    found = declared(name)
    if found is None or found.kernel is None:
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


def registered_kernels() -> dict[str, list[str]]:
    """Returns what kernels there are of each operator: one, of ATen, for all places and types."""
    kernel = "data_type[any]:data_layout[ANY_LAYOUT]:place[{}]:library_type[PLAIN]"
    places = ["CPUPlace", "CUDAPlace(0)"] if is_compiled_with_cuda() else ["CPUPlace"]
    kernels = [kernel.format(place) for place in places]
    found = {}
    for name in REGISTRY:
        known = computed(name)
        if known is not None:
            found[name] = list(kernels)
            if known.grad_outputs:
                found[f"{name}_grad"] = list(kernels)
    return found


def has_grad_op_maker(op_type: str) -> bool:
    """Whether an operator has a gradient of its own.

    That of a gradient operator is derived from the kernel when it is asked for, to any order: no
    end of operators could be listed, so none is.

    Args:
        op_type (str): the operator.

    Raises:
        ValueError: there is no such operator.
    """
    known = _known(op_type)
    return known.base is None and (bool(known.grad_outputs) or op_type in GRAD_MAKERS)


has_non_empty_grad_op_maker = has_grad_op_maker


def get_grad_op_desc(
    op_desc: OpDesc, no_grad_set: Collection[str] = (), grad_sub_block_list: Any = ()
) -> tuple[list[OpDesc], dict[str, str]]:
    """Returns the gradient operators of an operator.

    Args:
        op_desc (OpDesc): the operator.
        no_grad_set (set[str]): names of gradients that are not asked for: ``"x@GRAD"``.
        grad_sub_block_list (list[BlockDesc]): blocks of the gradient; none can be given.

    Returns:
        tuple[list[OpDesc], dict[str, str]]: the operators, and for the name of each gradient that
        they read or compute the variable.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.fluid import core
            paddle.enable_static()
            y = paddle.tanh(paddle.static.data("x", [2, 3]))
            made, names = core.get_grad_op_desc(y.block.ops[0].desc, set(), [])
            print(made[0].type(), names["x@GRAD"])  # tanh_grad x
            paddle.disable_static()
    """
    if list(grad_sub_block_list):
        raise NotImplementedError(
            "core.get_grad_op_desc(grad_sub_block_list): operators with blocks are differentiated "
            "by paddle.static.append_backward."
        )
    made, names = gradient_operators(described(op_desc), set(no_grad_set))
    return [OpDesc(op) for op in made], names


def infer_no_need_buffer_slots(
    op_type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any]
) -> set[str]:
    """Returns the input slots of a gradient operator of which at most the shape is used.

    Args:
        op_type (str): a gradient operator.
        inputs (dict): slot -> names of variables.
        outputs (dict): slot -> names of variables.
        attrs (dict): attributes.

    Raises:
        ValueError: there is no such operator.
    """
    base = _known(op_type).base
    if base is None:
        return set()
    read = {token for token in gradient_of(base).saves if "." not in token}
    return {s for s in inputs if s not in read and not s.endswith("@GRAD")}


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
