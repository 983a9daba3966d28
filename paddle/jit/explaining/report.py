"""paddle.jit.explain: what of a function was converted, what stayed Python, and why."""

from __future__ import annotations

import collections
import inspect
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from paddle.core.dtype import dtype_name
from paddle.jit.calls.static_function import ConversionSwitch, StaticFunction
from paddle.jit.explaining import events
from paddle.jit.explaining.errors import function_around
from paddle.jit.explaining.source_facts import foreign_calls, kept_statements, written_statements
from paddle.nn.layer.layers import Layer


@dataclass(frozen=True)
class Converted:
    """A function that runs as converted code.

    Attributes:
        name (str): its name, of a layer's method with the class.
        file (str): where it is.
        line (int): its first line.
        calls (int): how often it was called while recording.
    """

    name: str
    file: str
    line: int
    calls: int

    def __str__(self) -> str:
        times = f", {self.calls} calls" if self.calls > 1 else ""
        return f"{self.name} ({self.file}:{self.line}){times}"


@dataclass(frozen=True)
class AsPython:
    """A callable that runs as it is.

    Attributes:
        name (str): what it is.
        reason (str): why it was not converted.
        places (tuple[str]): ``file:line`` of the calls.
    """

    name: str
    reason: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        where = f" (called at {', '.join(self.places)})" if self.places else ""
        return f"{self.name}: {self.reason}{where}"


@dataclass(frozen=True)
class Statement:
    """A statement of control flow.

    Attributes:
        kind (str): ``if``, ``while``, ``for``, ``assert`` ...; ``guard`` is the code after a
            ``break``, ``continue`` or ``return`` that only some runs reach.
        file (str): where it is.
        line (int): its line.
        function (str): the function around it.
        source (str): the line.
        became (str): ``operator``, ``Python`` or ``not reached``.
        remarks (tuple[str]): more on it.
    """

    kind: str
    file: str
    line: int
    function: str
    source: str
    became: str
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = f" ({'; '.join(self.remarks)})" if self.remarks else ""
        return f"{self.file}:{self.line} in {self.function}: {self.source} -> {self.became}{more}"


@dataclass(frozen=True)
class ProgramReport:
    """One Program of the function.

    Attributes:
        arguments (dict[str, str]): what the Program is for, by argument.
        inputs (tuple[str]): its inputs: name, shape and data type.
        operators (dict[str, int]): how many operators of each type it has, blocks included.
        parameters (tuple[str]): trainable Tensors that it uses: name and shape.
        buffers (tuple[str]): other Tensors that it uses.
        is_for_this_call (bool): whether it is the one for the arguments given.
    """

    arguments: dict[str, str]
    inputs: tuple[str, ...]
    operators: dict[str, int]
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]
    is_for_this_call: bool

    def lines(self) -> Iterator[str]:
        """The report on it, line by line."""
        given = ", ".join(f"{k}={v}" for k, v in self.arguments.items()) or "no arguments"
        yield given + (" <- this call" if self.is_for_this_call else "")
        count = sum(self.operators.values())
        kinds = ", ".join(f"{k} {n}" if n > 1 else k for k, n in self.operators.items())
        yield f"  {count} operators: {kinds}" if count else "  no operators"
        yield f"  inputs: {', '.join(self.inputs) or 'none'}"
        yield f"  parameters: {', '.join(self.parameters) or 'none'}"
        yield f"  buffers: {', '.join(self.buffers) or 'none'}"


@dataclass(frozen=True)
class Explanation:
    """What :func:`explain` found; ``print`` shows all of it.

    Attributes:
        name (str): the function.
        runs_as (str): ``Program``, or ``Python`` with a reason.
        converted (list[Converted]): functions that run as converted code.
        as_python (list[AsPython]): callables that run as they are, and why.
        statements (list[Statement]): control flow, and what it became.
        programs (list[ProgramReport]): one for each Program that the function has now.
        differences (list[str]): by what the Programs differ.
    """

    name: str
    runs_as: str
    converted: list[Converted] = field(default_factory=list)
    as_python: list[AsPython] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    programs: list[ProgramReport] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    @property
    def operators(self) -> list[Statement]:
        """The statements that became operators."""
        return [s for s in self.statements if s.became.startswith("operator")]

    def __str__(self) -> str:
        lines = [f"{self.name} runs as {self.runs_as}."]
        lines += _section("Converted", self.converted)
        lines += _section("Runs as Python", self.as_python)
        lines += _section("Control flow", self.statements)
        count = len(self.programs)
        lines.append(f"Programs: {count}")
        for number, program in enumerate(self.programs):
            first, *rest = program.lines()
            lines += [f"  [{number}] {first}", *[f"    {line}" for line in rest]]
        if count > 1:
            lines += [f"  they differ by {', '.join(self.differences) or 'nothing that is known'}"]
        return "\n".join(lines)

    __repr__ = __str__


def explain(function: Any, *args: Any, **kwargs: Any) -> Explanation:
    """Explains what conversion makes of a function for given arguments.

    The function is recorded, not run: nothing is computed and no parameter changes. What Python
    does while recording, such as ``print`` of a string, happens.

    Args:
        function (callable|Layer): a function, a method or a layer, decorated by
            :func:`paddle.jit.to_static` or not.
        *args: arguments as for a call; an InputSpec may stand for a Tensor. Without any, the
            ``input_spec`` of ``to_static`` and default values are taken.
        **kwargs: arguments by keyword.

    Returns:
        Explanation: which functions and layers were converted, which run as Python and why, what
        became of each ``if`` and loop, and which Programs the function has by now. To be printed,
        or read by its attributes.

    Raises:
        TypeError: ``function`` cannot be called, or not with these arguments.

    Examples:
        .. code-block:: python

            import paddle

            @paddle.jit.to_static
            def func(x):
                if x.sum() > 3:
                    x = x - 1
                return x

            report = paddle.jit.explain(func, paddle.ones([4]))
            print(report)
            print(len(report.programs))  # 1
    """
    static = _static(function)
    if not ConversionSwitch.on:
        reason = "Python: conversion is off, by ProgramTranslator().enable(False)"
        return Explanation(_name(static), reason)
    from paddle.jit.rewriting.source import NotConvertible

    before = len(static.program_cache)
    log: list[events.Event]
    try:
        with events.listening() as log:
            program = _program(static, args, kwargs)
        if len(static.program_cache) == before:  # it was recorded before; so nobody was told
            with events.listening() as log:
                _program(_twin(static), args, kwargs)
    except NotConvertible as error:
        why = error.reason.partition(" cannot be converted: ")[2] or error.reason
        return Explanation(_name(static), f"Python: {why}")
    calls = [e.subject for e in log if e.kind == "converted"]
    functions = [f for f in [static, *calls] if _code(f) is not None]
    return Explanation(
        _name(static),
        "a Program",
        _converted(functions),
        _as_python(functions, log),
        _statements(functions, log),
        list(_programs(static, program)),
        _differences(static),
    )


# -- what is explained ----------------------------------------------------------------------------


def _static(function: Any) -> StaticFunction:
    if isinstance(function, Layer):
        own = function.forward
        if isinstance(own, StaticFunction):
            return own
        return StaticFunction(getattr(own, "__func__", own), None, function)
    if isinstance(function, StaticFunction):
        return function
    if inspect.ismethod(function):
        return StaticFunction(function.__func__, None, function.__self__)
    if not callable(function):
        raise TypeError(
            "paddle.jit.explain(function): expected a function or a Layer, but received "
            f"{type(function).__name__}."
        )
    return StaticFunction(function)


def _twin(static: StaticFunction) -> StaticFunction:
    """The same function without Programs."""
    return StaticFunction(static._function, static._input_spec, static._owner())


def _program(static: StaticFunction, args: tuple, kwargs: dict[str, Any]) -> Any:
    if not args and not kwargs:
        return static.concrete_program_for()
    return static.get_concrete_program(*args, **kwargs)[0]


def _name(function: Any) -> str:
    """A function's name without the functions around it; of a layer, its class."""
    if isinstance(function, StaticFunction):
        owner = function._owner()
        if owner is not None:
            return f"{type(owner).__name__}.{function._function.__name__}"
        function = function._function
    if inspect.ismethod(function):
        return f"{type(function.__self__).__name__}.{function.__func__.__name__}"
    if isinstance(function, Layer):
        return f"{type(function).__name__}.forward"
    if isinstance(function, type):
        return f"class {function.__qualname__.rpartition('<locals>.')[2]}"
    name = getattr(function, "__qualname__", None)
    return name.rpartition("<locals>.")[2] if name else repr(function)


# -- events ---------------------------------------------------------------------------------------


def _code(function: Any) -> Any:
    """The code object behind a callable, or None."""
    if isinstance(function, StaticFunction):
        function = function._function
    return getattr(getattr(function, "__func__", function), "__code__", None)


def _converted(functions: list[Any]) -> list[Converted]:
    found: dict[tuple, list] = {}
    for function in functions:
        code = _code(function)
        held = found.setdefault((code.co_filename, code.co_firstlineno), [_name(function), 0])
        held[1] += 1
    return [Converted(name, file, line, calls) for (file, line), (name, calls) in found.items()]


def _as_python(functions: list[Any], log: list[events.Event]) -> list[AsPython]:
    found: dict[tuple[str, str], dict[str, None]] = {}
    for event in log:
        if event.kind == "left":
            places = found.setdefault((_name(event.subject), event.text), {})
            if event.location is not None:
                places[f"{event.location.file}:{event.location.line}"] = None
    for function in functions:
        for name, package, place in foreign_calls(function):
            found.setdefault((name, f"it belongs to {package}"), {})[place] = None
    return [AsPython(name, why, tuple(places)) for (name, why), places in found.items()]


def _statements(functions: list[Any], log: list[events.Event]) -> list[Statement]:
    """The statements of all converted functions, in the order of their lines."""
    written = {place: _name(f) for f in functions for place in written_statements(f)}
    kept = {place for f in functions for place in kept_statements(f)}
    decided: dict[tuple, dict[str, None]] = collections.defaultdict(dict)
    for event in log:
        if event.kind not in ("converted", "left") and event.location is not None:
            decided[(event.location.file, event.location.line, event.kind)][event.text] = None
    made = []
    for place in {**written, **dict.fromkeys(decided)}:
        file, line, kind = place
        function = written.get(place) or function_around(file, line, "<lambda>")
        texts = list(decided.get(place, ()))
        if place not in written and kind == "if":
            kind = "guard"
        became = {text.partition("; ")[0] for text in texts}
        if not became:
            became = {"Python" if place in kept else "not reached"}
        remarks = [text.partition("; ")[2] for text in texts]
        made.append(
            Statement(
                kind, file, line, function, _source(file, line),
                " and ".join(sorted(became, reverse=True)),
                tuple(dict.fromkeys(r for r in remarks if r)),
            )
        )  # fmt: skip
    return sorted(made, key=lambda s: (s.file, s.line, s.kind))


def _source(file: str, line: int) -> str:
    return linecache.getline(file, line).strip()


# -- Programs -------------------------------------------------------------------------------------


def _programs(static: StaticFunction, current: Any) -> Iterator[ProgramReport]:
    names = static.function_spec.args_name
    for (_, key), program in static.program_cache.items():
        main = program.main_program
        counts = collections.Counter(op.type for block in main.blocks for op in block.ops)
        yield ProgramReport(
            {name: _described(part) for name, part in zip(names, key)},
            tuple(f"{v.name} {_tensor(v.shape, v.dtype)}" for v in program.inputs),
            dict(counts.most_common()),
            tuple(f"{p.name} {list(p.shape)}" for p in program.parameters),
            tuple(f"{b.name} {list(b.shape)}" for b in program.buffers),
            program is current,
        )


def _tensor(shape: Any, dtype: Any) -> str:
    return f"{dtype_name(dtype)}{list(shape)}"


def _described(key: tuple) -> str:
    """An argument of a kind of call as text; see :mod:`paddle.jit.calls.cache_key`."""
    rest = list(key)
    text = _taken(rest)
    return text if not rest else f"{text} ..."


def _taken(rest: list) -> str:
    """Takes one value off a description."""
    first = rest.pop(0)
    if not isinstance(first, type):  # a Tensor: shape, data type, stop_gradient
        dtype = rest.pop(0)
        rest.pop(0)
        return _tensor(first, dtype)
    if first.__name__ == "InputSpec":
        shape, dtype, _, _ = [rest.pop(0) for _ in range(4)]
        return _tensor(shape, dtype)
    if issubclass(first, dict):
        items = [f"{rest.pop(0)!r}: {_taken(rest)}" for _ in range(rest.pop(0))]
        return "{" + ", ".join(items) + "}"
    if issubclass(first, (list, tuple)):
        text = ", ".join([_taken(rest) for _ in range(rest.pop(0))])
        return f"({text})" if issubclass(first, tuple) else f"[{text}]"
    value = rest.pop(0)
    if issubclass(first, (int, float, bool, str, bytes, complex, type(None))):
        return repr(value)
    return f"<{first.__name__}>"


def _differences(static: StaticFunction) -> list[str]:
    keys = [key for key, _ in static.program_cache.items()]
    if len(keys) < 2:
        return []
    found = []
    for i, name in enumerate(static.function_spec.args_name):
        kinds = len({key[1][i] for key in keys})
        if kinds > 1:
            found.append(f"argument {name} ({kinds} kinds)")
    states = len({key[0][2] for key in keys})
    if states > 1:
        found.append(f"the layers' mode, parameters and buffers ({states} states)")
    if len({key[0][:2] for key in keys}) > 1:
        found.append("auto_cast around the call, or the default dtype")
    return found


def _section(title: str, entries: list) -> list[str]:
    return [f"{title}:", *[f"  {entry}" for entry in entries]] if entries else []


__all__: list[str] = [
    "AsPython",
    "Converted",
    "Explanation",
    "ProgramReport",
    "Statement",
    "explain",
]
