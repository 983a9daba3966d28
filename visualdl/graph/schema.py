"""The messages of model files: tables of field numbers, and protobuf classes made of them.

Only fields that the graph shows are listed; protobuf skips the others. A field is ``number label
kind``; labels are ``?`` (at most one), ``!`` (one), ``*`` (many). ``paddle`` is the ProgramDesc of
``.pdmodel`` and ``__model__``, ``onnx`` the ModelProto of ``.onnx``.
"""

from __future__ import annotations

import functools
from typing import Any

from visualdl.graph.errors import GraphError

_PADDLE = """
Version: version=1?int64
OpVersion: version=1!int32
OpVersionPair: op_name=1!bytes op_version=2!OpVersion
OpVersionMap: pair=1*OpVersionPair
ProgramDesc: blocks=1*BlockDesc version=4?Version op_version_map=5?OpVersionMap
BlockDesc: idx=1!int32 parent_idx=2!int32 vars=3*VarDesc ops=4*OpDesc forward_block_idx=5?int32
OpDesc: inputs=1*Slot outputs=2*Slot type=3!bytes attrs=4*Attr is_target=5?bool
Slot: parameter=1!bytes arguments=2*bytes
Complex: r=1!double i=2!double
Scalar: type=1!int32 b=2?bool i=3?int64 r=4?double c=5?Complex
Attr: name=1!bytes type=2!int32 i=3?int32 f=4?float s=5?bytes ints=6*int32 floats=7*float \
strings=8*bytes b=10?bool bools=11*bool block_idx=12?int32 l=13?int64 blocks_idx=14*int32 \
longs=15*int64 float64s=16*double var_name=17?bytes vars_name=18*bytes float64=19?double \
scalar=20?Scalar scalars=21*Scalar
VarDesc: name=1!bytes type=2!VarType persistable=3?bool need_check_feed=4?bool \
is_parameter=5?bool stop_gradient=6?bool
TensorDesc: data_type=1!int32 dims=2*int64
LoDTensorDesc: tensor=1!TensorDesc lod_level=2?int32
VarType: type=1!int32 selected_rows=2?TensorDesc lod_tensor=3?LoDTensorDesc \
tensor_array=4?LoDTensorDesc string=8?TensorDesc strings=9?TensorDesc vocab=10?TensorDesc \
sparse_coo=11?TensorDesc sparse_csr=12?TensorDesc
"""

_ONNX = """
ModelProto: ir_version=1?int64 producer_name=2?bytes producer_version=3?bytes graph=7?GraphProto \
opset_import=8*OperatorSetId
OperatorSetId: domain=1?bytes version=2?int64
GraphProto: node=1*NodeProto name=2?bytes initializer=5*TensorProto input=11*ValueInfo \
output=12*ValueInfo value_info=13*ValueInfo
NodeProto: input=1*bytes output=2*bytes name=3?bytes op_type=4?bytes attribute=5*Attribute \
domain=7?bytes
Attribute: name=1?bytes f=2?float i=3?int64 s=4?bytes t=5?TensorProto g=6?GraphProto \
floats=7*float ints=8*int64 strings=9*bytes tensors=10*TensorProto graphs=11*GraphProto \
type=20?int32
TensorProto: dims=1*int64 data_type=2?int32 name=8?bytes
ValueInfo: name=1?bytes type=2?TypeProto
TypeProto: tensor_type=1?TensorType
TensorType: elem_type=1?int32 shape=2?ShapeProto
ShapeProto: dim=1*Dimension
Dimension: dim_value=1?int64 dim_param=2?bytes
"""

_LABELS = {"?": 1, "!": 2, "*": 3}
_KINDS = {
    "double": 1, "float": 2, "int64": 3, "int32": 5, "bool": 8, "bytes": 12,
}  # fmt: skip
_MESSAGE = 11
_SOURCES = {"paddle": _PADDLE, "onnx": _ONNX}


def parse(family: str, message: str, data: bytes, what: str) -> Any:
    """Reads a message.

    Args:
        family (str): ``"paddle"`` or ``"onnx"``.
        message (str): name of the message.
        data (bytes): what the file holds.
        what (str): name of the file, for the error.

    Returns:
        Message: of protobuf.

    Raises:
        GraphError: the bytes are something else, or end too early.
    """
    from google.protobuf.message import DecodeError

    made = classes(family)(message)()
    try:
        made.ParseFromString(data)
        complete = made.IsInitialized()
    except (DecodeError, RecursionError, MemoryError) as error:
        raise GraphError(f"{what}: expected a {message}, but the bytes are damaged.") from error
    if not complete:
        raise GraphError(f"{what}: expected a {message}, but it is incomplete or damaged.")
    return made


@functools.cache
def classes(family: str) -> Any:
    """Makes the classes of a family; they live in a pool of their own, beside paddle's and onnx's.

    Args:
        family (str): ``"paddle"`` or ``"onnx"``.

    Returns:
        Callable: gives a class by the name of its message.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    package = f"visualdl.graph.{family}"
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{package}.proto", package=package, syntax="proto2"
    )
    for message, fields in table(family).items():
        described = file.message_type.add(name=message)
        for name, (number, label, kind) in fields.items():
            field = described.field.add(name=name, number=number, label=_LABELS[label])
            field.type = _KINDS.get(kind, _MESSAGE)
            if field.type == _MESSAGE:
                field.type_name = f".{package}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)

    def found(name: str) -> Any:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))

    return found


def table(family: str) -> dict[str, dict[str, tuple[int, str, str]]]:
    """Returns the fields of each message of a family: number, label, kind."""
    made: dict[str, dict[str, tuple[int, str, str]]] = {}
    for line in _SOURCES[family].strip().splitlines():
        message, _, fields = line.partition(":")
        made[message] = {}
        for field in fields.split():
            name, _, rest = field.partition("=")
            at = next(i for i, c in enumerate(rest) if c in _LABELS)
            made[message][name] = (int(rest[:at]), rest[at], rest[at + 1 :])
    return made
