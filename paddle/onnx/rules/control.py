"""Rules of control flow: branches, loops, rows by a mask, and arrays, which are sequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.ir.block import Block
from paddle.onnx.graph import Body, Port
from paddle.onnx.rules.registry import rule

# -- branches -------------------------------------------------------------------------------------


def outer_writes(block: Block) -> list[str]:
    """Variables from outside of a block that it, or a block inside it, writes."""
    names: dict[str, None] = {}
    for op in block.ops:
        inner = [n for sub in op.sub_blocks for n in outer_writes(sub)]
        for name in [*op.output_arg_names, *inner]:
            found = block._find_var_recursive(name)
            if name not in block.vars and found is not None and found.type != VarType.STEP_SCOPES:
                names[name] = None
    return list(names)


def _is_array(variable: Any) -> bool:
    return variable.type == VarType.LOD_TENSOR_ARRAY


def _nothing(g: Any, variable: Any) -> str:
    """What stands for a value that was not computed: nobody reads it."""
    if _is_array(variable):
        return g.sequence(variable.dtype)
    return g.fill([max(n, 1) for n in variable.shape], 0, variable.dtype)


def _port(g: Any, variable: Any, name: str, dtype: VarType | None = None) -> Port:
    if _is_array(variable):
        g.need(14, "an array in a block")
    return Port(name, variable.dtype if dtype is None else dtype, None, _is_array(variable))


def _type(g: Any, value: str, variable: Any) -> VarType:
    """The element type of a value; what files declare of variables that change theirs is less."""
    return g.model.dtypes.get(value, variable.dtype)


def _closed(
    graph: Any,
    inputs: list[Port],
    results: list[tuple[str, Any]],
    dtypes: list[VarType] | None = None,
) -> Body:
    """A body whose outputs are nodes of its own, as they have to be, and of given types."""
    outputs = []
    for i, (value, var) in enumerate(results):
        own = _type(graph, value, var)
        wanted = own if dtypes is None else dtypes[i]
        made = graph.Identity(value) if own == wanted else graph.cast(value, wanted)
        outputs.append(_port(graph, var, made, wanted))
    return Body(graph, inputs, outputs)


def _results(made: Any) -> list[str]:
    return [made] if isinstance(made, str) else made


@rule("conditional_block", "conditional_block_infer")
def _(g: Any, op: Any) -> Mapping[str, Any]:
    sub: Block = op.block()
    names = outer_writes(sub)
    if not names:
        return {}
    variables = [sub._var_recursive(n) for n in names]
    inner, env = op.convert_block(sub, {})
    then = _closed(inner, [], [(env[n], v) for n, v in zip(names, variables)])
    types = [port.dtype for port in then.outputs]
    other = g.inner()
    kept = [op.env.get(n) or _nothing(other, v) for n, v in zip(names, variables)]
    otherwise = _closed(other, [], list(zip(kept, variables)), types)
    made = g.node(
        "If", _condition(g, op), outputs=len(names), then_branch=then, else_branch=otherwise
    )
    return op.bound(dict(zip(names, _results(made))), types)


def _condition(g: Any, op: Any) -> str:
    if op.attr("is_scalar_condition"):
        return op["Cond"]
    # A block for the rows of a mask runs where there are some.
    slot = "Input" if op.has("Input") else "Cond"
    found = None
    for value in op.values(slot):
        some = g.Greater(g.Size(value), np.array(0, np.int64))
        found = some if found is None else g.And(found, some)
    assert found is not None
    return found


@rule("select_input")
def _(g: Any, op: Any) -> str:
    values, names = op.values("X"), op.op.inputs["X"]
    variable = op.op.block._var_recursive(names[0])
    mask = g.int64(op["Mask"], op.dtype("Mask"))
    made, out = values[0], [op.dtype("Out")]
    for i, value in enumerate(values[1:], 1):
        yes, no = g.inner(), g.inner()
        then = _closed(yes, [], [(value, variable)], out)
        otherwise = _closed(no, [], [(made, variable)], out)
        chosen = g.Equal(mask, np.array(i, np.int64))
        made = g.If(chosen, then_branch=then, else_branch=otherwise)
    return made


@rule("select_output")
def _(g: Any, op: Any) -> Any:
    return {"Out": [op["X"]] * op.outputs("Out")}  # what is not chosen is not read


# -- loops ----------------------------------------------------------------------------------------


@rule("while")
def _(g: Any, op: Any) -> Mapping[str, Any]:
    sub: Block = op.block()
    condition = op.op.inputs["Condition"][0]
    names = [n for n in outer_writes(sub) if n != condition]
    variables = [sub._var_recursive(n) for n in names]
    model = g.model
    counter, going = model.fresh("step"), model.fresh("going")
    inside = [model.fresh("carried") for _ in names]
    given = {**dict(zip(names, inside)), condition: going}
    inner, env = op.convert_block(sub, given)
    flag = sub._var_recursive(condition)
    inputs = [Port(counter, VarType.INT64, []), Port(going, VarType.BOOL, None)]
    # A condition has one element, which is all that Loop asks for; its rank stays what it was.
    results = [(env[condition], flag), *[(env[n], v) for n, v in zip(names, variables)]]
    body = _closed(inner, inputs, results)
    if not names:
        return {}
    types = [port.dtype for port in body.outputs[1:]]
    inputs += [_port(g, v, n, t) for v, n, t in zip(variables, inside, types)]
    before = []
    for name, variable, dtype in zip(names, variables, types):
        value = op.env.get(name) or _nothing(g, variable)
        same = _is_array(variable) or _type(g, value, variable) == dtype
        before.append(value if same else g.cast(value, dtype))
    made = g.node("Loop", None, op["Condition"], *before, outputs=len(names), body=body)
    return op.bound(dict(zip(names, _results(made))), types)


@rule("recurrent")
def _(g: Any, op: Any) -> Any:
    sub: Block = op.block()
    model, reverse = g.model, bool(op.attr("reverse"))
    sequences = op.op.inputs.get("inputs", [])
    memories, states = op.attr("ex_states") or [], op.attr("states") or []
    outputs = op.op.outputs.get("outputs", [])
    first = op.values("initial_states") if memories else []
    inside = {n: model.fresh("memory") for n in memories}
    slices = {n: model.fresh("slice") for n in sequences}
    inner, env = op.convert_block(sub, {**inside, **slices})
    find = sub._var_recursive
    inputs = [Port(v, find(n).dtype, None) for n, v in [*inside.items(), *slices.items()]]
    body = _closed(inner, inputs, [(env[n], find(n)) for n in [*states, *outputs]])
    directions = [int(reverse)]
    made = _results(g.node(
        "Scan", *first, *op.values("inputs"), outputs=len(states) + len(outputs), body=body,
        num_scan_inputs=len(sequences), scan_input_directions=directions * len(sequences),
        scan_output_directions=directions * len(outputs) if outputs else None,
    ))  # fmt: skip
    return {"outputs": made[len(states) :]}


# -- rows by a mask -------------------------------------------------------------------------------


@rule("split_lod_tensor")
def _(g: Any, op: Any) -> Any:
    mask = g.cast(g.Reshape(op["Mask"], [-1]), VarType.BOOL)
    return {
        "OutTrue": g.Compress(op["X"], mask, axis=0),
        "OutFalse": g.Compress(op["X"], g.Not(mask), axis=0),
    }


@rule("merge_lod_tensor", "merge_lod_tensor_infer")
def _(g: Any, op: Any) -> str:
    mask = g.cast(g.Reshape(op["Mask"], [-1]), VarType.BOOL)
    places, rows = [], []
    for slot, chosen in (("InTrue", mask), ("InFalse", g.Not(mask))):
        if op.has(slot) and op.op.inputs[slot][0] in op.env:
            places.append(g.squeeze(g.NonZero(chosen), [0]))
            rows.append(op[slot])
    if len(rows) == 1:
        raise op.refuse("rows of one branch alone")
    order, joined = g.Concat(*places, axis=0), g.Concat(*rows, axis=0)
    return g.ScatterND(joined, g.unsqueeze(order, [1]), joined)


# -- arrays ---------------------------------------------------------------------------------------


@rule("write_to_array")
def _(g: Any, op: Any) -> str:
    name = op.op.outputs["Out"][0]
    array = op.env.get(name) or g.sequence(op.dtype("Out"))
    at = g.rank0(g.int64(op["I"], op.dtype("I")))
    variable = op.op.block._var_recursive(name)
    there = g.Less(at, g.SequenceLength(array))
    yes, no = g.inner(), g.inner()
    changed = yes.SequenceInsert(yes.SequenceErase(array, at), op["X"], at)
    longer = no.SequenceInsert(array, op["X"])
    return g.If(
        there,
        then_branch=_closed(yes, [], [(changed, variable)]),
        else_branch=_closed(no, [], [(longer, variable)]),
    )


@rule("read_from_array")
def _(g: Any, op: Any) -> str:
    return g.SequenceAt(op["X"], g.rank0(g.int64(op["I"], op.dtype("I"))))


@rule("lod_array_length")
def _(g: Any, op: Any) -> str:
    return op.scalar(g.SequenceLength(op["X"]))


@rule("tensor_array_to_tensor")
def _(g: Any, op: Any) -> Any:
    stack = int(bool(op.attr("use_stack")))
    return {"Out": g.ConcatFromSequence(op["X"], axis=int(op.attr("axis", 0)), new_axis=stack)}
