"""From an operator's definition to the function that runs it: generated once, specialised.

:func:`compile_call` writes the eager path of one operator as Python source with fixed arity - no
dictionaries, no loops over slots - and compiles it; :func:`compile_backward` does the same for its
step on the tape. ``PADDLE_DEBUG=calls`` prints the sources.

What a generated call does: hand over to the thread's hook if there is one (static recording,
mixed precision), take the buffers, run the kernel, wrap the results, and record a
:class:`~paddle.core.tape.Node` if gradients are on and any input needs one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from paddle.core.debug import enabled
from paddle.core.dtype import ALLOWED, check_dtypes
from paddle.core.errors import kernel_error
from paddle.core.mode import call_hook, get_mode
from paddle.core.op import REQUIRED, OpDef, _Operators, py
from paddle.core.tape import Node, edge_of, flat_grads, needs_grad_flags, tie_outputs
from paddle.core.tensor import Parameter, Tensor, wrap
from paddle.core.writes import sequence, stamp, unshared


def compile_call(op: OpDef) -> Callable:
    """Returns the eager function of ``op``: inputs by position, attributes by keyword."""
    scope = _scope(op)
    return _compile(py(op.name), _signature(op, scope), _body(op, scope), scope)


def compile_operator(op: OpDef, otherwise: Callable) -> Callable:
    """Returns what Python calls for ``x + y``: the call of ``op`` where both are Tensors.

    A method that calls the function of :func:`compile_call` takes a sixth longer.

    Args:
        op (OpDef): of two inputs; its attributes have their default values.
        otherwise (callable): is called with both if the second one is not a Tensor.
    """
    scope = _scope(op)
    scope["otherwise"] = otherwise
    x, y = op.params
    others = f"type({y}) is not Tensor and type({y}) is not Parameter"
    lines = [f"if {others}: return otherwise({x}, {y})"]
    lines += [f"{py(attr)} = {default!r}" for attr, default in op.attrs.items()]
    return _compile(otherwise.__name__, f"{x}, {y}", lines + _body(op, scope, True), scope)


def _scope(op: OpDef) -> dict[str, Any]:
    """What the generated function of ``op`` refers to by name."""
    scope = {**_RUNTIME, "op": op, "kernel": op.kernel, "direct": op.direct}
    scope["allowed"] = ALLOWED.get(op.dtypes)
    return scope


def _body(op: OpDef, scope: dict[str, Any], defaults: bool = False) -> list[str]:
    """The lines of a call; with ``defaults`` every attribute is known to have its default value."""
    names = list(op.params)
    args = "(" + "".join(f"{n}, " for n in names) + ")"
    attrs = "{" + ", ".join(f"{a!r}: {py(a)}" for a in op.attrs) + "}"
    lines = [
        "call_mode = get_mode()",
        f"if call_mode > 1: return call_hook(op, {args}, {attrs})",
        "try:",
    ]
    lines += ["    " + line for line in _take_buffers(op, names) + _run_kernel(op, names, defaults)]
    lines.append("except Exception as error:")
    lines.append(f"    raise kernel_error(op, {args}, {attrs}, error) from error")
    lines += _wrap_outputs(op)
    lines += _record(op, names, scope)
    returned = [f"o{i}" for i, s in enumerate(op.outputs) if not s.writes]
    lines.append("return " + (", ".join(returned) or "None"))
    return lines


def _signature(op: OpDef, scope: dict[str, Any]) -> str:
    """The parameter list: inputs, trailing optional ones None, then attributes with defaults."""
    required = [i for i, s in enumerate(op.inputs) if not s.optional]
    last = max(required, default=-1)
    parts = [n if i <= last else f"{n}=None" for i, n in enumerate(op.params)]
    if op.attrs:
        parts.append("*")
    for attr, default in op.attrs.items():
        name = py(attr)
        if name in _RESERVED or name in op.params:
            raise ValueError(f"{op.name}: an attribute cannot be named {name!r} here")
        if default is REQUIRED:
            parts.append(name)
        else:
            scope[f"default_{name}"] = default
            parts.append(f"{name}=default_{name}")
    return ", ".join(parts)


def _take_buffers(op: OpDef, names: list[str]) -> list[str]:
    """Lines that take the buffers out of the arguments, ready to be written where they will be."""
    lines = []
    written = {s.writes for s in op.outputs}
    for name, slot in zip(names, op.inputs, strict=True):
        value = f"[t._buf for t in {name}]" if slot.many else f"{name}._buf"
        if slot.name in written:
            value = f"unshared({name})"
        none = f"None if {name} is None else " if slot.optional else ""
        if slot.many:  # a Tensor can be iterated too, but its rows are not what is meant
            lines.append(f"if isinstance({name}, Tensor): raise TypeError")
        lines.append(f"b_{name} = {none}{value}")
        if op.dtypes and slot is op.inputs[0]:
            test = "" if slot.many or slot.optional else f"if b_{name}.dtype not in allowed: "
            lines.append(f"{test}check_dtypes(op, b_{name})")
        if slot.name in written:
            lines.append(f"v_{name} = {none}b_{name}._version")
    if op.unify is True:
        x, y = names[:2]
        lines += [
            f"if {x}._dt is not {y}._dt:",
            f"    {x}, {y} = unify({x}, {y}); b_{x} = {x}._buf; b_{y} = {y}._buf",
        ]
    return lines


def _run_kernel(op: OpDef, names: list[str], defaults: bool) -> list[str]:
    """Lines that run the kernel, or the ATen function that equals it for default attributes."""
    buffers = [f"b_{n}" for n in names]
    keywords = [f"{py(a)}={py(a)}" for a in op.attrs]
    single = len(op.outputs) == 1
    target = "o0" if single else ", ".join(f"o{i}" for i in range(len(op.outputs)))
    call = f"{target} = kernel({', '.join(buffers + keywords)})"
    if op.direct is None:
        return [call]
    if defaults:
        return [f"{target} = direct({', '.join(buffers)})"]
    tests = " and ".join(f"{py(a)} == {op.attrs[a]!r}" for a in op.attrs) or "True"
    return [f"if {tests}: {target} = direct({', '.join(buffers)})", f"else: {call}"]


def _keeps_dtype(op: OpDef) -> bool:
    """Whether the first result certainly has the dtype of the first argument, so none is asked."""
    if op.infer not in ("same", "broadcast"):
        return False
    return op.unify is True or sum(not slot.optional for slot in op.inputs) == 1


def has_dimensions(op: OpDef) -> bool:
    """Whether no result of an operator has rank 0; see :func:`paddle.core.infer.of_dimensions`."""
    rule = getattr(op.infer, "func", op.infer)  # one rule may serve several ranks, as a partial
    return isinstance(rule, str) or getattr(rule, "of_dimensions", False)


def _wrap_outputs(op: OpDef) -> list[str]:
    """Lines that turn the buffers o0, o1, ... into Tensors and keep the buffers as r0, r1, ..."""
    lines = []
    certain = has_dimensions(op)
    for i, slot in enumerate(op.outputs):
        name = f"o{i}"
        if slot.writes:
            into = op.params[[s.name for s in op.inputs].index(slot.writes)]
            check = f"b_{into}._version != v_{into}"  # a kernel may choose not to write
            lines.append(f"if b_{into} is not None and {check}: stamp(b_{into})")
            continue
        if slot.many:
            listed = f"[None if b is None else wrap(b) for b in {name}]"
            none = f"None if {name} is None else " if slot.optional else ""
            lines.append(f"{name} = {none}{listed}")
            continue
        body = [] if certain else [f"if not r{i}.dim(): r{i}.unsqueeze_(0)"]
        dtype = f"{op.params[0]}._dt" if i == 0 and _keeps_dtype(op) else f"r{i}.dtype"
        body += [
            f"{name} = new(Tensor)",
            f"{name}._buf = r{i}",
            f"{name}._dt = {dtype}",
        ]
        if i != _single_carried(op):  # else the lines that record set them, one way or the other
            body += [f"{name}._edge = None", f"{name}.stop_gradient = True"]
        lines.append(f"r{i} = {name}")
        if slot.optional:
            lines.append(f"if {name} is not None:")
            body = ["    " + b for b in body]
        lines += body
    return lines


def _record(op: OpDef, names: list[str], scope: dict[str, Any]) -> list[str]:
    carried = op.grad_outputs
    if not carried or not op.inputs:
        return []
    from paddle.core.derive import gradient_of

    gradient = gradient_of(op)
    frozen, edges = [], []
    for n, s in zip(names, op.inputs, strict=True):
        if not s.differentiable:
            edges.append(f"*[None] * len({n} or ())" if s.many else "None")
            continue
        test = f"all([t.stop_gradient for t in {n}])" if s.many else f"{n}.stop_gradient"
        frozen.append(f"({n} is None or {test})" if s.optional else test)
        if s.many:
            listed = f"[None if t.stop_gradient else edge_of(t) for t in {n}]"
            edges.append(f"*({listed} if {n} is not None else ())" if s.optional else f"*{listed}")
        else:
            none = f"{n} is None or {n}.stop_gradient" if s.optional else f"{n}.stop_gradient"
            edges.append(f"None if {none} else {n} if {n}._edge is None else {n}._edge")
    lines = [f"if call_mode and not ({' and '.join(frozen)}):"]
    saved = _saved_values(op, gradient, names)
    scope["backward"] = compile_backward(op)
    tail = "".join(f"{e}, " for e in edges), "".join(f"{v}, " for v in saved)
    body = [
        "node = Node()",  # without __init__ faster than object.__new__
        "node.seq = sequence()",
        "node.backward = backward",
        f"node.edges = ({tail[0]})",
        f"node.saved = ({tail[1]})",
    ]
    lists = [n for n, s in zip(names, op.inputs, strict=True) if s.many]
    if len(lists) > 1:  # with one list its length follows from the number of edges
        body.append("node.sizes = (" + "".join(f"len({n} or ()), " for n in lists) + ")")
    i = _single_carried(op)
    if i is not None:
        body.append(f"o{i}._edge = node; o{i}.stop_gradient = False")
    elif len(carried) == 1 and not op.outputs[carried[0]].many:
        i = carried[0]
        body.append(f"if o{i} is not None: o{i}._edge = node; o{i}.stop_gradient = False")
        i = None
    else:
        body.append("tie_outputs(node, (" + "".join(f"o{i}, " for i in carried) + "))")
    lines += ["    " + b for b in body]
    return lines if i is None else [*lines, f"else: o{i}._edge = None; o{i}.stop_gradient = True"]


def _single_carried(op: OpDef) -> int | None:
    """Position of the one output that carries a gradient and is always there: the hot case."""
    carried = op.grad_outputs
    if len(carried) != 1 or not op.inputs:
        return None
    slot = op.outputs[carried[0]]
    return None if slot.many or slot.optional else carried[0]


def _saved_values(op: OpDef, gradient: Any, names: list[str]) -> list[str]:
    """Expressions for what the node keeps."""
    position = {}
    argument = {s.name: n for n, s in zip(names, op.inputs, strict=True)}
    many = {s.name for s in [*op.inputs, *op.outputs] if s.many}
    optional = {s.name for s in [*op.inputs, *op.outputs] if s.optional}
    for i, s in enumerate(op.outputs):
        if s.many:
            position[s.name] = f"[t._buf for t in o{i}]"
        elif s.writes:
            position[s.name] = f"b_{names[[x.name for x in op.inputs].index(s.writes)]}"
        else:
            position[s.name] = f"r{i}"
    # Inputs last: a gradient operator may have an input and an output of one name.
    position |= {slot: f"b_{n}" for slot, n in argument.items()}
    saved = []
    for token in gradient.saves:
        slot, _, what = token.partition(".")
        value = position[slot]
        if what != "shape":
            listed = f"{value} and tuple({value})" if slot in optional else f"tuple({value})"
            saved.append(listed if slot in many else value)
        elif slot in many:
            saved.append(f"[b.shape for b in {value}]")
        else:
            none = f"None if {value} is None else " if slot in optional else ""
            if gradient.own_shapes:
                none += f"None if {argument[slot]}.stop_gradient else "
            saved.append(f"{none}{value}.shape")
    return saved + [py(a) for a in gradient.attrs]


def compile_backward(op: OpDef) -> Callable:
    """Returns ``step(node, *d_outs)``, giving one gradient per edge of the node."""
    cached = op._derived.get("backward")
    if cached is not None:
        return cached
    from paddle.core.derive import gradient_of

    gradient = gradient_of(op)
    carried = op.grad_outputs
    scope: dict[str, Any] = {**_RUNTIME, "kernel": gradient.kernel}
    douts = [f"d{k}" for k in range(len(carried))]
    kept = [f"s{i}" for i in range(len(gradient.saves))]
    attrs = [f"a_{py(a)}" for a in gradient.attrs]
    lines = []
    if kept or attrs:
        lines.append(f"{', '.join(kept + attrs)}, = node.saved")
    keywords = [f"{py(a)}=a_{py(a)}" for a in gradient.attrs]
    sized = [i for i, s in enumerate(op.inputs) if s.many]
    if gradient.takes_needs_grad:
        lines += _needs_grad(op)
        keywords.append("needs_grad=needs_grad")
    call = f"kernel({', '.join(douts + kept + keywords)})"
    if len(op.inputs) == 1:
        lines.append(f"return flat_grads(node, ({call},))" if sized else f"return ({call},)")
    elif not sized:
        lines.append(f"return {call}")
    else:
        lines.append(f"return flat_grads(node, {call})")
    step = _compile(f"{py(op.name)}_backward", ", ".join(["node", *douts]), lines, scope)
    step.op = op  # type: ignore[attr-defined]
    op._derived["backward"] = step
    return step


def _needs_grad(op: OpDef) -> list[str]:
    """Lines that turn the node's edges into one flag per slot, a tuple of them for a list."""
    if not any(s.many for s in op.inputs):
        flags = "".join(f"edges[{i}] is not None, " for i in range(len(op.inputs)))
        return ["edges = node.edges", f"needs_grad = ({flags})"]
    return ["needs_grad = needs_grad_flags(node)"]


def unify_dtypes(x: Any, y: Any) -> tuple[Any, Any]:
    """Brings two operands to one data type; see :mod:`paddle.core.promotion`."""
    from paddle.core.promotion import unify

    return unify(x, y)


# What generated functions refer to by name.
_RUNTIME: dict[str, Any] = {
    "Node": Node,
    "Parameter": Parameter,
    "Tensor": Tensor,
    "call_hook": call_hook,
    "check_dtypes": check_dtypes,
    "edge_of": edge_of,
    "flat_grads": flat_grads,
    "get_mode": get_mode,
    "kernel_error": kernel_error,
    "new": object.__new__,
    "sequence": sequence,
    "stamp": stamp,
    "tie_outputs": tie_outputs,
    "unify": unify_dtypes,
    "unshared": unshared,
    "needs_grad_flags": needs_grad_flags,
    "wrap": wrap,
}


_RESERVED = frozenset(
    {*_RUNTIME, "allowed", "call_mode", "direct", "error", "kernel", "node", "op"}
)


def _compile(name: str, signature: str, lines: list[str], scope: dict[str, Any]) -> Any:
    """Compiles a function of the given source lines."""
    source = f"def {name}({signature}):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"
    if enabled("calls"):
        print(source)
    exec(compile(source, f"<operator {name}>", "exec"), scope)
    return scope[name]


_Operators.compile = staticmethod(compile_call)
