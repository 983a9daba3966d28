"""Graph: nodes and constants of an ONNX graph as it grows, and the protos made of it in the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, numpy_dtype, to_vartype
from paddle.onnx.constant_nodes import rearranged
from paddle.onnx.element_types import array_of, element_type
from paddle.onnx.opsets import NeedsOpset
from paddle.onnx.package import onnx_package

_SHARED = 64  # elements up to which equal constants are one
ABSENT = ""  # stands for an optional input that is not given


@dataclasses.dataclass
class Node:
    """An operator of ONNX.

    Attributes:
        type (str): its name.
        inputs (list[str]): values; "" for one that is not given.
        outputs (list[str]): values.
        attrs (dict): numbers, texts, lists of them, arrays, or Graphs.
    """

    type: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Any]


@dataclasses.dataclass
class Constant:
    """A value that is stored in the model; bfloat16 as its bits in uint16."""

    array: np.ndarray
    dtype: VarType


@dataclasses.dataclass
class Port:
    """An input or output of a graph: name, element type and sizes (a text: the size's name).

    Attributes:
        name (str): the value.
        dtype (VarType): the type of its elements.
        sizes (Sequence|None): None where not even their number is known.
        sequence (bool): whether it is a sequence of such tensors.
    """

    name: str
    dtype: VarType
    sizes: Sequence[int | str | None] | None
    sequence: bool = False


class Model:
    """What all graphs of a model share: the opset, constants, and the names of values.

    Args:
        opset (int): the version of the operator set.
    """

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.constants: dict[str, Constant] = {}
        self.names: dict[str, str] = {}  # value -> the name that it gets in the file
        self.reserved: set[str] = set()  # names in the file that are taken
        self.dtypes: dict[str, VarType] = {}  # of values that variables stand for
        self.narrow: dict[str, str] = {}  # numbers of steps as fractions -> the same in 8 bits
        self._shared: dict[tuple, str] = {}
        self._count = 0

    def fresh(self, stem: str) -> str:
        """Returns a name for a value that no other has."""
        while True:
            self._count += 1
            name = f"{stem}.{self._count}"
            if name not in self.reserved:
                return name

    def store(self, array: np.ndarray, dtype: VarType, name: str = "") -> str:
        """Adds a constant and returns its value; small ones that are equal share one."""
        key = None
        if not name and array.size <= _SHARED:
            key = (dtype, array.shape, array.tobytes())
            if key in self._shared:
                return self._shared[key]
        made = name if name and name not in self.reserved else self.fresh(name or "constant")
        self.reserved.add(made)
        self.constants[made] = Constant(array, dtype)
        self.dtypes[made] = dtype
        if key is not None:
            self._shared[key] = made
        return made


class Graph:
    """A graph that rules add nodes to: that of the model, or a body of ``If`` and ``Loop``.

    Nodes are added by their names: ``g.Add(x, y)`` or ``g.Transpose(x, perm=[0, 2, 1])``. Inputs
    are values (names), None for one that is left out, arrays, or lists of integers, which become
    int64 constants. Attributes that are None are left out. A node of several outputs is asked for
    by ``g.node("TopK", x, k, outputs=2)``.

    What opsets write differently (reductions, ``Squeeze``, ``Split``, ``Pad``, ...) has methods of
    its own, with small letters: rules use those, whatever the opset.

    Args:
        model (Model): what it is a part of.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.nodes: list[Node] = []

    @property
    def opset(self) -> int:
        """The version of the operator set."""
        return self.model.opset

    # -- nodes --------------------------------------------------------------------------------

    def node(self, type: str, *inputs: Any, outputs: int = 1, **attrs: Any) -> Any:
        """Adds a node.

        Args:
            type (str): the operator of ONNX.
            *inputs: values, None, arrays or lists of integers.
            outputs (int): how many. Default: 1.
            **attrs: attributes; None leaves one out.

        Returns:
            str: the value, or a list of them.
        """
        given = [self.value(item) for item in inputs]
        while given and given[-1] == ABSENT:
            given.pop()
        kept = {k: v for k, v in attrs.items() if v is not None}
        constants = self.model.constants
        if all(n in constants for n in given):
            found = rearranged(type, [constants[n] for n in given], kept)
            if found is not None:
                return self.model.store(*found)
        made = [self.model.fresh(type) for _ in range(outputs)]
        self.nodes.append(Node(type, given, made, kept))
        return made[0] if outputs == 1 else made

    def __getattr__(self, type: str) -> Callable[..., Any]:
        if not type[:1].isupper():
            raise AttributeError(type)
        return lambda *inputs, **attrs: self.node(type, *inputs, **attrs)

    def value(self, item: Any) -> str:
        """Returns the value that stands for what a rule may give as an input."""
        if item is None:
            return ABSENT
        if isinstance(item, str):
            return item
        if isinstance(item, np.ndarray):
            return self.model.store(item, to_vartype(item.dtype))
        if isinstance(item, (list, tuple)):
            return self.model.store(np.asarray(item, np.int64), VarType.INT64)
        raise TypeError(f"a rule gave {item!r} as an input of a node")

    def inner(self) -> Graph:
        """Returns a new graph for the body of a node of this one."""
        return Graph(self.model)

    def sequence(self, dtype: Any) -> str:
        """Returns an empty sequence of tensors of an element type."""
        return self.node("SequenceEmpty", dtype=element_type(dtype))

    def need(self, opset: int, why: str) -> None:
        """Asks for an opset, where ONNX has no form before it; the model is begun anew with it."""
        if self.opset < opset:
            raise NeedsOpset(opset, why)

    # -- constants ----------------------------------------------------------------------------

    def constant(self, value: Any, dtype: Any) -> str:
        """Returns a constant: a number (of rank 0), a list or an array, of an element type."""
        kind = to_vartype(dtype)
        return self.model.store(array_of(value, kind), kind)

    def known(self, value: str) -> np.ndarray | None:
        """Returns a constant's array; None for a value that only a run can tell."""
        found = self.model.constants.get(value)
        return None if found is None else found.array

    def known_ints(self, value: str) -> list[int] | None:
        """Returns a constant's numbers as integers; None where only a run can tell."""
        found = self.known(value)
        return None if found is None else [int(v) for v in found.reshape(-1)]

    # -- sizes --------------------------------------------------------------------------------

    def int64(self, value: str, dtype: Any) -> str:
        """Returns a value as int64, by a ``Cast`` where its type is another one."""
        return value if to_vartype(dtype) == VarType.INT64 else self.cast(value, VarType.INT64)

    def rank0(self, value: str) -> str:
        """Returns a value of one element without its dimensions."""
        return self.Reshape(value, [])

    def size(self, value: str, axis: int) -> str:
        """Returns the size of a dimension, an int64 of shape [1]."""
        return self.Gather(self.Shape(value), np.array([axis], np.int64), axis=0)

    def sizes(self, value: str, dims: Sequence[int], axes: Sequence[int]) -> str:
        """Returns the sizes of some dimensions as an int64 vector: a constant, if they are known.

        Args:
            value (str): whose dimensions.
            dims (Sequence[int]): what is known of all of them, -1 where nothing.
            axes (Sequence[int]): which ones.
        """
        if all(dims[a] >= 0 for a in axes):
            return self.value([dims[a] for a in axes])
        return self.Gather(self.Shape(value), np.array(axes, np.int64), axis=0)

    # -- what opsets write differently -----------------------------------------------------------

    def cast(self, value: str, dtype: Any) -> str:
        """Returns a value converted to an element type."""
        return self.node("Cast", value, to=element_type(dtype))

    def with_axes(
        self, type: str, value: str, axes: Sequence[int] | None, since: int, **attrs: Any
    ) -> str:
        """Adds a node whose axes are an attribute before opset ``since``, and an input from there.

        Args:
            type (str): the operator.
            value (str): the operand.
            axes (Sequence[int]|None): the axes; None: all.
            since (int): the first opset that takes them as an input.
            **attrs: its other attributes.
        """
        listed = None if axes is None else [int(a) for a in axes]
        if self.opset < since:
            return self.node(type, value, axes=listed, **attrs)
        return self.node(type, value, listed, **attrs)

    def reduce(
        self, type: str, value: str, axes: Sequence[int] | None, keepdims: bool = False
    ) -> str:
        """Adds a reduction, such as ``ReduceSum``; axes None means all."""
        since = 13 if type == "ReduceSum" else 18
        return self.with_axes(type, value, axes, since, keepdims=int(keepdims))

    def squeeze(self, value: str, axes: Sequence[int] | None) -> str:
        """Takes dimensions of size 1 away; axes None means all."""
        return self.with_axes("Squeeze", value, axes, 13)

    def unsqueeze(self, value: str, axes: Sequence[int]) -> str:
        """Puts in dimensions of size 1."""
        return self.with_axes("Unsqueeze", value, axes, 13)

    def split(self, value: str, axis: int, count: int, sections: Sequence[int] | None) -> list[str]:
        """Cuts a value into parts: of the given sizes, or else into equal ones."""
        listed = None if sections is None else [int(s) for s in sections]
        attrs: dict[str, Any] = {"axis": axis}
        given = [value]
        if self.opset < 13:
            attrs["split"] = listed
        elif listed is not None:
            given.append(self.value(listed))
        elif self.opset >= 18:
            attrs["num_outputs"] = count
        made = self.node("Split", *given, outputs=count, **attrs)
        return [made] if count == 1 else made

    def slice(
        self, value: str, starts: Any, ends: Any, axes: Sequence[int], steps: Any = None
    ) -> str:
        """Cuts a range out of each of some axes; starts, ends and steps are values or lists."""
        return self.node("Slice", value, starts, ends, list(axes), steps)

    def pad(self, value: str, pads: Any, number: str | None = None, mode: str = "constant") -> str:
        """Adds cells around a value.

        Args:
            value (str): what gets them.
            pads (str|list): how many before each dimension, then how many behind each.
            number (str): what they hold, a constant of rank 0. None: zeros.
            mode (str): ``constant``, ``reflect``, ``edge`` or ``wrap``.
        """
        if mode == "wrap":
            self.need(19, "pads in circles")
        return self.node("Pad", value, pads, number, mode=mode)

    def clip(self, value: str, low: str | None, high: str | None, dtype: Any) -> str:
        """Limits the numbers of a value; before opset 12 integers by ``Where``."""
        if self.opset >= 12 or to_vartype(dtype) in (VarType.FP32, VarType.FP64, VarType.FP16):
            return self.node("Clip", value, low, high)
        if low is not None:
            value = self.Where(self.Less(value, low), low, value)
        return value if high is None else self.Where(self.Greater(value, high), high, value)

    def where(self, condition: str, x: str, y: str, dtype: Any) -> str:
        """Chooses between two values of a type; runtimes lack those of 16 bits and booleans."""
        kind = to_vartype(dtype)
        if kind == VarType.BOOL:
            return self.Or(self.And(condition, x), self.And(self.Not(condition), y))
        if kind in (VarType.INT16, VarType.INT8, VarType.UINT8):
            wide = VarType.INT32
            made = self.node("Where", condition, self.cast(x, wide), self.cast(y, wide))
            return self.cast(made, kind)
        return self.node("Where", condition, x, y)

    def largest(self, x: Any, y: Any, dtype: Any, type: str = "Max") -> str:
        """The larger (by ``Min`` the smaller) of two; before opset 12 not of integers."""
        x, y = self.value(x), self.value(y)
        if self.opset >= 12 or to_vartype(dtype) in (VarType.FP32, VarType.FP64, VarType.FP16):
            return self.node(type, x, y)
        ahead = self.Greater(x, y) if type == "Max" else self.Less(x, y)
        return self.Where(ahead, x, y)

    def softmax(self, value: str, axis: int, rank: int, log: bool = False) -> str:
        """Adds (the logarithm of) softmax along one axis, which before opset 13 is the last one."""
        type = "LogSoftmax" if log else "Softmax"
        axis %= max(rank, 1)
        if self.opset >= 13 or axis == rank - 1:
            return self.node(type, value, axis=axis)
        order = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
        made = self.node(type, self.Transpose(value, perm=order), axis=rank - 1)
        return self.Transpose(made, perm=order)

    def less_equal(self, x: str, y: str) -> str:
        """Compares by ``<=``."""
        if self.opset >= 12:
            return self.node("LessOrEqual", x, y)
        return self.Or(self.Less(x, y), self.Equal(x, y))

    def greater_equal(self, x: str, y: str) -> str:
        """Compares by ``>=``."""
        return self.less_equal(y, x)

    def fill(self, shape: Any, number: Any, dtype: Any) -> str:
        """Returns a tensor of one number; its shape is an int64 value or a list."""
        kind = to_vartype(dtype)
        array = array_of([number], kind)
        if kind == VarType.BF16 or (self.opset < 20 and kind == VarType.BOOL):
            return self.Expand(self.model.store(array, kind), shape)
        return self.node("ConstantOfShape", shape, value=Constant(array, kind))

    # -- files --------------------------------------------------------------------------------

    def proto(self, name: str, inputs: Sequence[Port], outputs: Sequence[Port]) -> Any:
        """Returns the GraphProto; constants are not in it.

        Args:
            name (str): of the graph.
            inputs (Sequence[Port]): what is given.
            outputs (Sequence[Port]): what it gives.
        """
        helper = onnx_package().helper
        return helper.make_graph(
            [self._node_proto(node, i) for i, node in enumerate(self.nodes)],
            name,
            [_port(p) for p in inputs],
            [_port(p) for p in outputs],
        )

    def _node_proto(self, node: Node, at: int) -> Any:
        helper = onnx_package().helper
        names = self.model.names
        made = helper.make_node(
            node.type,
            [names.get(n, n) for n in node.inputs],
            [names.get(n, n) for n in node.outputs],
            name=f"{node.type}.{at}",
        )
        for key, value in node.attrs.items():
            if isinstance(value, Constant):
                value = fill_tensor(onnx_package().TensorProto(), "", value)
            elif isinstance(value, Body):
                value = value.graph.proto(f"{node.type}.{at}.{key}", value.inputs, value.outputs)
            elif isinstance(value, (list, tuple)):
                value = [v.item() if isinstance(v, np.generic) else v for v in value]
            made.attribute.append(helper.make_attribute(key, value))
        return made


@dataclasses.dataclass
class Body:
    """A graph as an attribute of a node, with its inputs and outputs."""

    graph: Graph
    inputs: list[Port]
    outputs: list[Port]


def reads_of(node: Node) -> set[str]:
    """The values that a node reads, those of its bodies from outside among them."""
    found = set(node.inputs)
    for value in node.attrs.values():
        if isinstance(value, Body):
            found.update(*(reads_of(inner) for inner in value.graph.nodes))
    return found


def _port(port: Port) -> Any:
    helper = onnx_package().helper
    make = (
        helper.make_tensor_sequence_value_info if port.sequence else helper.make_tensor_value_info
    )
    return make(port.name, element_type(port.dtype), port.sizes)


def fill_tensor(proto: Any, name: str, constant: Constant) -> Any:
    """Writes a constant into an empty TensorProto, and returns that."""
    proto.name = name
    proto.data_type = element_type(constant.dtype)
    proto.dims.extend(constant.array.shape)
    array = np.ascontiguousarray(constant.array, numpy_dtype(constant.dtype))
    proto.raw_data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return proto
