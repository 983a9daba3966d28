"""From a Program and the values of its variables to a model of ONNX."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paddle.core.dtype import numpy_dtype
from paddle.core.errors import FrameworkError, InvalidArgumentError, UnimplementedError
from paddle.core.user_frame import outside
from paddle.ir.block import Block
from paddle.ir.cloning import reads
from paddle.ir.inference import feed_names, fetch_variables, persistables
from paddle.ir.program import Program
from paddle.ir.recording.shapes import infer_outputs
from paddle.ir.variable import Variable
from paddle.onnx.conversion import Conversion
from paddle.onnx.graph import Graph, Model, Port, fill_tensor, reads_of
from paddle.onnx.opsets import NEWEST, OLDEST, NeedsOpset
from paddle.onnx.package import onnx_package
from paddle.passes import prepare
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel
from paddle.version import full_version

# Passes over Programs that are for running them here, not for what they compute.
_SKIPPED = ("sparse_updates", "lifetimes")


def of_saved_model(
    model: SavedModel, opset: int = OLDEST, where: str = "paddle.onnx.export"
) -> Any:
    """Returns the ``forward`` of a SavedModel as a ModelProto.

    Args:
        model (SavedModel): Programs and values.
        opset (int): the lowest opset that will do.
        where (str): the function that is called, for error texts.
    """
    program = model.programs[MAIN]
    return to_onnx(program, model.values, opset=opset, where=where)


def to_onnx(
    program: Program,
    values: Mapping[str, Any],
    feeds: Sequence[str] | None = None,
    fetches: Sequence[str] | None = None,
    opset: int = OLDEST,
    where: str = "paddle.onnx.export",
    sizes: Mapping[str, Sequence[int]] | None = None,
) -> Any:
    """Returns a Program for inference as a ModelProto.

    Inputs and outputs have the names of the variables. Where operators need a later opset than is
    asked for, the model gets it, and a warning says why.

    Args:
        program (Program): for inference; stays as it is.
        values (Mapping): stored variable -> its value: an array, or what has one as ``array``
            (:class:`~paddle.serialization.tensor_stream.Dense`).
        feeds (Sequence[str], optional): the inputs. None: those that its feed operators state.
        fetches (Sequence[str], optional): the outputs. None: those that its fetch operators state.
        opset (int): the lowest opset that will do; 0: the oldest possible, without a warning.
            Default: 11.
        where (str): the function that is called, for error texts.
        sizes (Mapping, optional): input -> its sizes, -1 for open ones, in place of those that the
            Program states; the sizes of what is computed follow.

    Raises:
        UnimplementedError: operators that ONNX cannot express; names all of them.
        NotFoundError: the package onnx is not installed.
    """
    onnx_package(where)
    inputs = feed_names(program) if feeds is None else list(feeds)
    outputs = [v.name for v in fetch_variables(program)] if fetches is None else list(fetches)
    made = prepare(program, inputs, outputs, use_prune=True, fuse=False, skipped=_SKIPPED)
    if sizes:
        _resize(made, sizes)
    wanted, why = max(opset, OLDEST), ""
    while True:
        try:
            proto = _written(made, values, inputs, outputs, wanted, where)
            break
        except NeedsOpset as needed:
            wanted, why = needed.opset, needed.why
            if wanted > newest_opset():
                raise UnimplementedError(
                    f"{where}: {why} needs opset {wanted}, but the onnx package that is installed "
                    f"has {newest_opset()} at most.",
                    hint="install a later one: pip install -U onnx",
                ) from None
    if opset and wanted > opset:
        reason = f"{why} needs opset {wanted}" if why else f"{OLDEST} is the oldest that is written"
        warnings.warn(
            f"{where}(opset_version): {opset} was asked for, but {reason}; the model has opset "
            f"{wanted}.",
            stacklevel=outside(),
        )
    return proto


def _resize(program: Program, sizes: Mapping[str, Sequence[int]]) -> None:
    """Gives inputs other sizes, and what is computed from them what follows."""
    block = program.global_block()
    for name, shape in sizes.items():
        block.var(name).shape = shape
    changed = set(sizes)
    for op in block.ops:
        if changed.isdisjoint(reads(op)):
            continue
        changed.update(op.output_arg_names)
        if op.sub_blocks or op.definition is None:
            continue
        try:
            infer_outputs(op)
        except FrameworkError:  # these sizes are too little to go by: what was stated stays open
            for name in op.output_arg_names:
                var = block._var_recursive(name)
                var.shape = [-1] * len(var.shape)


def newest_opset() -> int:
    """Returns the newest opset that is written, with the onnx package that is installed."""
    return min(NEWEST, onnx_package().defs.onnx_opset_version())


def _written(
    program: Program,
    values: Mapping[str, Any],
    feeds: list[str],
    fetches: list[str],
    opset: int,
    where: str,
) -> Any:
    model = Model(opset)
    model.reserved.update(feeds, fetches)
    graph, block = Graph(model), program.global_block()
    read = set(fetches).union(*(reads(op) for b in program.blocks for op in b.ops))
    env = {name: name for name in feeds}
    for var in persistables(program):
        if var.name in read and var.name not in env:
            env[var.name] = model.store(_array(values, var, where), var.dtype, var.name)
    conversion = Conversion(model, read)
    conversion.convert(block, graph, env)
    conversion.raise_problems(where)
    _check_outputs(block, fetches, env, where)
    inputs = [_port(block.var(name), name) for name in feeds]
    taken = set(feeds)
    results = [_output(graph, block.var(name), env, taken) for name in fetches]
    _name_values(model, env, graph)
    _drop_unused(graph, results, model.names)
    return _model_proto(graph, inputs, results, opset)


def _check_outputs(block: Block, fetches: list[str], env: Mapping[str, str], where: str) -> None:
    lacking = [name for name in fetches if name not in env]
    if not lacking:
        return
    types = sorted({op.type for op in block.ops if set(op.output_arg_names) & set(lacking)})
    named = ", ".join(f"no value for output {name!r}" for name in lacking)
    raise UnimplementedError(
        f"{where}: {named}: the form that {', '.join(types)} has in ONNX does not give it.",
        hint="leave it out: output_spec",
    )


def _array(values: Mapping[str, Any], var: Variable, where: str) -> np.ndarray:
    found = values.get(var.name) if hasattr(values, "get") else values[var.name]
    if found is None:
        raise InvalidArgumentError(f"{where}: there is no value for variable {var.name!r}.")
    array = np.asarray(getattr(found, "array", found))
    return (
        np.ascontiguousarray(array).reshape(array.shape).astype(numpy_dtype(var.dtype), copy=False)
    )


def _name_values(model: Model, env: Mapping[str, str], graph: Graph) -> None:
    """Lets results of nodes be called as the variables that stand for them."""
    made = {name for node in graph.nodes for name in node.outputs}
    for variable, value in env.items():
        if value in made and value not in model.names and variable not in model.reserved:
            model.names[value] = variable
            model.reserved.add(variable)


def _drop_unused(graph: Graph, outputs: list[Port], names: Mapping[str, str]) -> None:
    """Removes nodes whose results nobody reads."""
    wanted = {port.name for port in outputs}
    needed = {value for value, name in names.items() if name in wanted} | wanted
    kept = []
    for node in reversed(graph.nodes):
        if needed.isdisjoint(node.outputs):
            continue
        kept.append(node)
        needed |= reads_of(node)
    graph.nodes = kept[::-1]


def _port(var: Variable, name: str) -> Port:
    sizes = [f"{name}_dim_{i}" if n < 0 else n for i, n in enumerate(var.shape)]
    return Port(name, var.dtype, sizes)


def _output(graph: Graph, var: Variable, env: Mapping[str, str], taken: set[str]) -> Port:
    """Gives an output its name, another one where that is taken.

    A Tensor has no rank 0 here, so the result has shape [1].
    """
    value, names = env[var.name], graph.model.names
    name = var.name
    while name in taken:
        name += "_"
    taken.add(name)
    port = _port(var, name)
    port.dtype = graph.model.dtypes.get(value, var.dtype)
    if not var.shape:  # what files declare without dimensions may be a vector all the same
        value, port.sizes = graph.Reshape(value, [-1]), [f"{name}_dim_0"]
    made = {output for node in graph.nodes for output in node.outputs}
    if value not in made or value in names:
        value = graph.Identity(value)
    names[value] = name
    return port


def _model_proto(graph: Graph, inputs: list[Port], outputs: list[Port], opset: int) -> Any:
    helper = onnx_package().helper
    opsets = [helper.make_opsetid("", opset)]
    made = helper.make_model(
        graph.proto("main", inputs, outputs),
        opset_imports=opsets,
        ir_version=helper.find_min_ir_version_for(opsets, ignore_unknown=True),
        producer_name="pypaddle",
        producer_version=full_version,
    )
    used = _used(made.graph)
    for name, constant in graph.model.constants.items():
        if name in used:
            fill_tensor(made.graph.initializer.add(), name, constant)
    return made


def _used(graph: Any) -> set[str]:
    """The values that nodes of a GraphProto read, in bodies too."""
    found = {port.name for port in graph.output}
    for node in graph.node:
        found.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found |= _used(attribute.g)
    return found


__all__ = ["newest_opset", "of_saved_model", "to_onnx"]
