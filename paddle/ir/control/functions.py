"""cond, case, switch_case and while_loop: control flow of Programs written with functions."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any

from paddle.core.dtype import VarType, get_default_dtype, to_vartype
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.core.pytree import difference, leaves, paths, rebuilt
from paddle.core.tensor import Tensor
from paddle.ir.block import Block
from paddle.ir.control.blocks import check_condition, location, reopened, sub_block
from paddle.ir.control.conditional import ConditionalBlock
from paddle.ir.control.loop import While
from paddle.ir.current import default_main_program
from paddle.ir.recording.control_flow_shapes import common_shape
from paddle.ir.recording.lowering import as_variable
from paddle.ir.variable import Variable

__all__ = ["case", "cond", "switch_case", "while_loop"]

_NUMBERS = (bool, int, float)
# What `case` and `switch_case` are made of; 1.x records its branches in another order.
_branching: ContextVar[Callable | None] = ContextVar("branching", default=None)


@contextlib.contextmanager
def branching_by(function: Callable) -> Iterator[None]:
    """Lets `case` and `switch_case` call another function in place of :func:`cond`."""
    token = _branching.set(function)
    try:
        yield
    finally:
        _branching.reset(token)


def _check_callable(api: str, argument: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(
            f"{api}({argument}): expected a function, but received {type(value).__name__}."
        )


def _truth(api: str, value: Any) -> bool:
    """The value of a condition in dynamic mode."""
    if isinstance(value, Tensor):
        if value.size != 1:
            raise InvalidArgumentError(
                f"{api}: expected a condition of one element, but its shape is {value.shape}.",
                hint="reduce it by paddle.all or paddle.any",
            )
        if value.dtype != VarType.BOOL:
            raise TypeError(f"{api}: expected a bool Tensor as condition, but got {value.dtype}.")
        return bool(value)
    if isinstance(value, bool):
        return value
    raise TypeError(
        f"{api}: expected a bool Tensor as condition, but received {type(value).__name__}."
    )


# -- cond ------------------------------------------------------------------------------------------


def cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """Runs one of two functions, depending on a condition.

    In a static Program both functions are recorded and the run decides; in dynamic mode the chosen
    one is called.

    Args:
        pred (Variable|Tensor): one boolean.
        true_fn (callable, optional): without arguments; runs if ``pred`` is true.
        false_fn (callable, optional): without arguments; runs if it is false.
        name (str, optional): has no effect.

    Returns:
        What the function returns: None, a Variable, or a pytree (list, tuple, dict) of them. Both
        have to return the same structure. Where element types or ranks differ there is a warning,
        and the Program declares what ``true_fn`` returns. Numbers become Variables.

    Raises:
        TypeError: ``pred`` is no bool Variable, or a function cannot be called.
        ValueError: the functions return different things.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [1])
                y = static.nn.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
                exe = static.Executor()
                print(exe.run(feed={"x": [-3.0]}, fetch_list=[y])[0])  # [3.]
            paddle.disable_static()
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is not None:
            _check_callable("cond", argument, function)
    if not recording():
        chosen = true_fn if _truth("cond(pred)", pred) else false_fn
        return None if chosen is None else chosen()
    check_condition("cond", "pred", pred)
    blocks = default_main_program().blocks
    count = len(blocks)
    try:
        yes, no = branches = [
            Branch("true_fn", true_fn, pred),
            Branch("false_fn", false_fn, pred),
        ]
        check_branches(yes, no)
    except BaseException:
        del blocks[count:]
        raise
    pairs = zip(leaves(yes.result), leaves(no.result), strict=True)
    kinds = [common_type(a, b) for a, b in pairs]
    for branch in branches:
        branch.hand_out(kinds)
    run_branch(pred, yes)
    other = C.logical_not(pred)
    run_branch(other, no)
    if all(kind is None for kind in kinds):
        return None if yes.result is None else yes.result
    mask = C.cast(pred, in_dtype=VarType.BOOL, out_dtype=VarType.INT32)
    merged = []
    for a, b in zip(yes.outputs, no.outputs, strict=True):
        merged.append(select(mask, b, a) if isinstance(a, Variable) else a)
    return rebuilt(yes.result, merged)


class Branch:
    """One of the two functions of cond, recorded into a block.

    Args:
        label (str): its name among the arguments.
        function (callable|None): what is recorded.
        pred (Variable): the condition, for messages.
    """

    def __init__(self, label: str, function: Callable | None, pred: Variable) -> None:
        self.label = label
        self.outputs: list[Any] = []
        with sub_block() as self.block:
            self.result = None if function is None else function()
        self.result = rebuilt(self.result, [_taken(v) for v in leaves(self.result)])

    def hand_out(self, kinds: list[VarType | None]) -> None:
        """Copies what the function returned to variables outside of the block."""
        parent = self.block.parent_block
        assert parent is not None
        with reopened(self.block):
            for value, kind in zip(leaves(self.result), kinds, strict=True):
                if kind is None:
                    self.outputs.append(value)
                    continue
                inside = value if isinstance(value, Variable) else _constant(value, kind)
                outside = parent.create_var(
                    type=inside.type, shape=inside.shape, dtype=inside.dtype,
                    stop_gradient=inside.stop_gradient,
                )  # fmt: skip
                copy_into(inside, outside)
                self.outputs.append(outside)


def _taken(value: Any) -> Any:
    return as_variable(value) if isinstance(value, Tensor) else value


def _constant(value: Any, kind: VarType) -> Variable:
    from paddle.core.constants import number

    return number(value, kind)


def copy_into(source: Variable, target: Variable) -> None:
    block = default_main_program().current_block()
    block.append_op(type="assign", inputs={"X": [source]}, outputs={"Out": [target]})


def run_branch(condition: Variable, branch: Branch) -> None:
    ConditionalBlock([condition], is_scalar_condition=True).finish(branch.block)


def _number_type(value: Any) -> VarType:
    if isinstance(value, bool):
        return VarType.BOOL
    return VarType.INT64 if isinstance(value, int) else to_vartype(get_default_dtype())


def common_type(a: Any, b: Any) -> VarType | None:
    """The element type of one result of cond; None where it is no Variable."""
    if isinstance(a, Variable):
        return a.dtype
    if isinstance(b, Variable):
        return b.dtype
    if isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS):
        kinds = {_number_type(a), _number_type(b)}
        if len(kinds) == 1:
            return kinds.pop()
        return to_vartype(get_default_dtype()) if VarType.BOOL not in kinds else VarType.INT64
    return None


def check_branches(yes: Branch, no: Branch) -> None:
    found = difference(yes.result, no.result)
    if found is not None:
        raise InvalidArgumentError(
            f"cond: true_fn and false_fn are expected to return the same structure, but {found}."
            f"{location()}"
        )
    for (path, a), b in zip(paths(yes.result), leaves(no.result), strict=True):
        if _agree(a, b):
            continue
        told = (
            "cond: true_fn and false_fn are expected to return values of the same type and rank, "
            f"but {'result ' + path if path else 'the result'} is {_described(a)} in true_fn and "
            f"{_described(b)} in false_fn."
        )
        if not (_dense(a) and _dense(b)):
            raise InvalidArgumentError(f"{told}{location()}")
        warnings.warn(
            f"{told} The Program takes it for what true_fn returns; operators after it may work "
            f"on the other one in another way than is meant.{location()}",
            stacklevel=3,
        )


def _dense(value: Any) -> bool:
    """Whether a value is a Variable whose rank and element type the run decides."""
    return isinstance(value, Variable) and value.type == VarType.LOD_TENSOR


def _agree(a: Any, b: Any) -> bool:
    if isinstance(a, Variable) and isinstance(b, Variable):
        return a.type == b.type and a.dtype == b.dtype and len(a.shape) == len(b.shape)
    if isinstance(a, Variable) or isinstance(b, Variable):
        variable, other = (a, b) if isinstance(a, Variable) else (b, a)
        return isinstance(other, _NUMBERS) and len(variable.shape) <= 1
    if isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS):
        return True
    return type(a) is type(b) and bool(a == b)


def _described(value: Any) -> str:
    if not isinstance(value, Variable):
        return f"{type(value).__name__} {value!r:.60}"
    kind = "a tensor array" if value.type == VarType.LOD_TENSOR_ARRAY else str(value.dtype)
    made = f" ({value.op.location.file}:{value.op.location.line})" if _has_location(value) else ""
    return f"{kind} of shape {list(value.shape)}{made}"


def _has_location(value: Variable) -> bool:
    return value.op is not None and value.op.location is not None


def select(mask: Variable, no: Variable, yes: Variable) -> Variable:
    """The variable that has the value of the branch that ran."""
    block: Block = default_main_program().current_block()
    shape = common_shape([yes._dims, no._dims]) or yes._dims
    made = block.create_var(
        type=yes.type, shape=shape, dtype=yes.dtype,
        stop_gradient=yes.stop_gradient and no.stop_gradient,
    )  # fmt: skip
    block.append_op(
        type="select_input", inputs={"X": [no, yes], "Mask": [mask]}, outputs={"Out": [made]}
    )
    return made


# -- choices ---------------------------------------------------------------------------------------


def case(pred_fn_pairs: Any, default: Callable | None = None, name: str | None = None) -> Any:
    """Runs the function of the first condition that holds.

    Args:
        pred_fn_pairs (list[tuple]|tuple[tuple]): pairs of one boolean and a function without
            arguments.
        default (callable, optional): runs if no condition holds; None means the last function.
        name (str, optional): has no effect.

    Returns:
        What the function returns, see :func:`cond`.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                x = static.data("x", [1])
                y = static.nn.case(
                    [(x < 0.0, lambda: x * 0.0), (x < 1.0, lambda: x)], default=lambda: x / x)
                exe = static.Executor()
                print(exe.run(feed={"x": [5.0]}, fetch_list=[y])[0])  # [1.]
            paddle.disable_static()
    """
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(
            "case(pred_fn_pairs): expected a list or tuple, "
            f"but received {type(pred_fn_pairs).__name__}."
        )
    if not pred_fn_pairs:
        raise InvalidArgumentError("case(pred_fn_pairs): expected at least one pair.")
    for i, pair in enumerate(pred_fn_pairs):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(
                f"case(pred_fn_pairs[{i}]): expected a pair (condition, function), "
                f"but received {pair!r:.60}."
            )
        if not isinstance(pair[0], (Variable, Tensor)):
            raise TypeError(
                f"case(pred_fn_pairs[{i}][0]): expected a Variable, "
                f"but received {type(pair[0]).__name__}."
            )
        _check_callable("case", f"pred_fn_pairs[{i}][1]", pair[1])
    pairs = list(pred_fn_pairs)
    if default is None:
        default = pairs.pop()[1]
    else:
        _check_callable("case", "default", default)
    final = default
    for pred, function in reversed(pairs):
        final = partial(_branching.get() or cond, pred, function, final)
    return final()


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable | None = None, name: str | None = None
) -> Any:
    """Runs the function that belongs to a number.

    Args:
        branch_index (Variable|Tensor): one integer: uint8, int32 or int64.
        branch_fns (dict|list|tuple): number -> function without arguments, as a dict, a list of
            pairs, or a list of functions numbered from 0.
        default (callable, optional): runs for other numbers; None means the function of the
            largest number.
        name (str, optional): has no effect.

    Returns:
        What the function returns, see :func:`cond`.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                i = static.data("i", [1], "int32")
                y = static.nn.switch_case(
                    i, {1: lambda: paddle.ones([1]), 2: lambda: paddle.full([1], 2.0)},
                    default=lambda: paddle.zeros([1]))
                exe = static.Executor()
                print(exe.run(feed={"i": [2]}, fetch_list=[y])[0])  # [2.]
            paddle.disable_static()
    """
    if not isinstance(branch_index, (Variable, Tensor)):
        raise TypeError(
            "switch_case(branch_index): expected a Variable, "
            f"but received {type(branch_index).__name__}."
        )
    if branch_index.dtype not in (VarType.UINT8, VarType.INT32, VarType.INT64):
        raise TypeError(
            "switch_case(branch_index): expected uint8, int32 or int64, "
            f"but received {branch_index.dtype}."
        )
    table = _numbered(branch_fns)
    if default is None:
        default = table[max(table)]
    else:
        _check_callable("switch_case", "default", default)
    if not recording():
        return table.get(int(branch_index), default)()
    index = branch_index
    if index.dtype != VarType.INT64:
        index = C.cast(index, in_dtype=index.dtype, out_dtype=VarType.INT64)
    final = default
    pairs = []
    for number in sorted(table):
        constant = _constant(number, VarType.INT64)
        pairs.append((C.equal(index, constant), table[number]))
    for pred, function in pairs:
        final = partial(_branching.get() or cond, pred, function, final)
    return final()


def _numbered(branch_fns: Any) -> dict[int, Callable]:
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(
            "switch_case(branch_fns): expected a dict, list or tuple, "
            f"but received {type(branch_fns).__name__}."
        )
    if not branch_fns:
        raise InvalidArgumentError("switch_case(branch_fns): expected at least one function.")
    items = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if all(callable(item) for item in items):
        items = list(enumerate(items))
    table: dict[int, Callable] = {}
    for item in items:
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            raise TypeError(
                "switch_case(branch_fns): expected functions, or pairs (number, function), "
                f"but it holds {item!r:.60}."
            )
        number, function = item
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(
                f"switch_case(branch_fns): expected an int as number of a function, "
                f"but received {type(number).__name__}."
            )
        if number in table:
            raise InvalidArgumentError(
                f"switch_case(branch_fns): number {number} occurs more than once."
            )
        _check_callable("switch_case", f"branch_fns[{number}]", function)
        table[number] = function
    return table


# -- loops -----------------------------------------------------------------------------------------


def while_loop(
    cond: Callable, body: Callable, loop_vars: Any, is_test: bool = False, name: str | None = None
) -> list:
    """Repeats a function as long as a condition holds.

    The values in ``loop_vars`` stay as they are; what the last call returned is the result. Tensor
    arrays are an exception: they are changed in place.

    Args:
        cond (callable): ``cond(*loop_vars)`` returns one boolean.
        body (callable): ``body(*loop_vars)`` returns the new values: as many, of the same
            structure, element types and ranks. Sizes may change.
        loop_vars (list|tuple): Variables, tensor arrays, numbers, and pytrees of them.
        is_test (bool): keep nothing for a backward pass. Default: False.
        name (str, optional): has no effect.

    Returns:
        list: the values after the last call, in the form of ``loop_vars``.

    Raises:
        TypeError: the arguments, or what ``cond`` returns, have a wrong type.
        ValueError: ``body`` returns another number of values, or other element types or ranks.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.static as static
            paddle.enable_static()
            with static.program_guard(static.Program(), static.Program()):
                i = paddle.full([1], 0, "int64")
                total = paddle.full([1], 0, "int64")
                i, total = static.nn.while_loop(
                    lambda i, total: i < 5, lambda i, total: [i + 1, total + i], [i, total])
                print(static.Executor().run(fetch_list=[i, total]))  # [array([5]), array([10])]
            paddle.disable_static()
    """
    _check_callable("while_loop", "cond", cond)
    _check_callable("while_loop", "body", body)
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(
            f"while_loop(loop_vars): expected a list or tuple, but got {type(loop_vars).__name__}."
        )
    if not loop_vars:
        raise InvalidArgumentError("while_loop(loop_vars): expected at least one value.")
    if not recording():
        return _repeat(cond, body, list(loop_vars))
    start = list(loop_vars)
    loop = Loop(start)
    condition = _own_condition(cond(*rebuilt(start, loop.values)), loop.values)
    with While(condition, is_test).block():
        results = body(*rebuilt(start, loop.values))
        loop.take(results)
        again = check_condition("while_loop", "cond", cond(*rebuilt(start, loop.results)))
        loop.store()
        copy_into(again, condition)
    return rebuilt(start, loop.values)


def _repeat(cond: Callable, body: Callable, values: list) -> list:
    """while_loop in dynamic mode."""
    while _truth("while_loop(cond)", cond(*values)):
        found = body(*values)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        problem = difference(values, found)
        if problem is not None:
            raise _wrong_body(problem)
        values = found
    return values


def _wrong_body(problem: str) -> Exception:
    return InvalidArgumentError(
        "while_loop(body): expected a value for each of loop_vars, in the same structure, but "
        f"{problem} (in loop_vars and in what body returned).{location()}"
    )


def _own_condition(value: Any, loop_values: list) -> Variable:
    """The condition in a variable that nothing else writes."""
    condition = check_condition("while_loop", "cond", value)
    fresh = condition.block is default_main_program().current_block() and condition.op is not None
    if fresh and not condition.persistable and all(condition is not v for v in loop_values):
        return condition
    return C.assign(condition)


class Loop:
    """The variables that go from iteration to iteration.

    Args:
        start (list): what the user passed.
    """

    def __init__(self, start: list) -> None:
        self.start = start
        self.values = [self._variable(v) for v in leaves(start)]
        self.results: list[Any] = []

    def _variable(self, value: Any) -> Any:
        """A copy that the loop may overwrite: values that others use stay as they are."""
        if isinstance(value, _NUMBERS):
            return _constant(value, _number_type(value))
        if isinstance(value, Tensor):
            value = as_variable(value)
        if not isinstance(value, Variable) or value.type == VarType.LOD_TENSOR_ARRAY:
            return value
        return C.assign(value)

    def take(self, results: Any) -> None:
        """Checks and notes what the body returned."""
        listed = list(results) if isinstance(results, (list, tuple)) else [results]
        problem = difference(self.start, listed)
        if problem is not None:
            raise _wrong_body(problem)
        named = zip(paths(self.start), self.values, leaves(listed), strict=True)
        self.results = [self._checked(path, old, new) for (path, _), old, new in named]

    def _checked(self, path: str, old: Any, new: Any) -> Any:
        new = _taken(new)
        if not isinstance(old, Variable):
            if isinstance(new, Variable) or not (type(old) is type(new) and bool(old == new)):
                raise InvalidArgumentError(
                    f"while_loop(body): loop_vars{path} is {_described(old)}, which a Program "
                    f"cannot change, but body returned {_described(new)}.{location()}"
                )
            return new
        if isinstance(new, _NUMBERS):
            new = _constant(new, old.dtype)
        if not isinstance(new, Variable) or not _agree(old, new):
            raise InvalidArgumentError(
                f"while_loop(body): expected the element type and rank of loop_vars{path}, "
                f"{_described(old)}, but body returned {_described(new)}.{location()}"
            )
        return new

    def store(self) -> None:
        """Writes the new values into the variables of the loop, all at once."""
        held = {id(v) for v in self.values if isinstance(v, Variable)}
        pairs = []
        for old, new in zip(self.values, self.results, strict=True):
            if isinstance(old, Variable) and new is not old:
                # Another loop variable: it is about to be overwritten itself.
                crossed = id(new) in held and new.type != VarType.LOD_TENSOR_ARRAY
                pairs.append((old, C.assign(new) if crossed else new))
        for old, new in pairs:
            shape = common_shape([old._dims, new._dims])
            copy_into(new, old)
            if shape is not None:
                old._dims = shape
            if not new.stop_gradient:
                old.stop_gradient = False


guard_module(globals())
