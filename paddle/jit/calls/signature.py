"""FunctionSpec: the parameters of a function, what is given for them, and input_spec."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.jit.calls.cache_key import key_of
from paddle.jit.calls.matching import (
    ANY,
    SpecMatch,
    TensorNames,
    check_input_spec,
    leaves_of,
    with_names,
)
from paddle.static.input import InputSpec

_P = inspect.Parameter


class Call:
    """A call as it is recorded: arguments with an InputSpec in the place of each Tensor.

    Attributes:
        args (tuple): by position.
        kwargs (dict): by keyword.
        key (tuple): one tuple per parameter of the function; calls of equal keys share a Program.
        specs (list[InputSpec]): those in the arguments, in the order of the Tensors of the call.
    """

    def __init__(self, args: tuple, kwargs: dict[str, Any], key: tuple, specs: list) -> None:
        self.args = args
        self.kwargs = kwargs
        self.key = key
        self.specs = specs


class FunctionSpec:
    """What a function takes.

    Args:
        function (callable): the function as written.
        input_spec (list|tuple, optional): what its arguments look like, nested as they are.
        is_method (bool): whether the first parameter is the instance.

    Attributes:
        args_name (list[str]): the names of the parameters, without the instance.
        bind (callable): takes a call's arguments, returns a value per parameter; where the call is
            wrong it raises the TypeError that the function itself would raise.
    """

    def __init__(self, function: Callable, input_spec: Any = None, is_method: bool = False) -> None:
        self.dygraph_function = function
        self.is_method = is_method
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self.name = self.name.rpartition("<locals>.")[2]
        parameters = list(inspect.signature(function, follow_wrapped=False).parameters.values())
        positional = (_P.POSITIONAL_ONLY, _P.POSITIONAL_OR_KEYWORD)
        if is_method and parameters and parameters[0].kind in positional:
            self._owner: list[_P] = parameters[:1]
            parameters = parameters[1:]
        else:
            self._owner = [_P("_instance", _P.POSITIONAL_ONLY)] if is_method else []
        self.parameters = parameters
        self.args_name = [p.name for p in parameters]
        self.input_spec = check_input_spec(self.name, input_spec)
        self._specs = self._by_parameter(self.input_spec)
        self.bind = self._binder()

    # -- binding ------------------------------------------------------------------------------

    def _binder(self) -> Callable:
        """A function with the same parameters that returns their values.

        Python then applies defaults and finds wrong calls by itself, and quickly.
        """
        defaults: dict[str, Any] = {}
        listed = []
        for p in [*self._owner, *self.parameters]:
            if p.default is not _P.empty:
                spec = self._specs.get(p.name, ANY)
                plain = spec is not ANY and not any(
                    isinstance(s, InputSpec) for s in leaves_of(spec)
                )
                # ``input_spec=[spec, True]`` says what the argument is where a call leaves it out.
                defaults[p.name] = spec if plain else p.default
            shown = _Shown(p.name) if p.name in defaults else _P.empty
            listed.append(p.replace(default=shown, annotation=_P.empty))
        head = str(inspect.Signature(listed))
        body = ", ".join(p.name for p in self.parameters)
        scope = {f"_default_{name}": value for name, value in defaults.items()}
        source = f"def made{head}: return ({body}{',' if body else ''})"
        exec(compile(source, f"<signature of {self.name}>", "exec"), scope)
        made = scope["made"]
        made.__name__ = getattr(self.dygraph_function, "__name__", self.name)
        made.__qualname__ = getattr(self.dygraph_function, "__qualname__", self.name)
        # Python 3.10 takes the name in its messages from here, later ones from __qualname__.
        made.__code__ = made.__code__.replace(co_name=made.__name__)
        return made

    # -- input_spec ---------------------------------------------------------------------------

    def _by_parameter(self, input_spec: tuple | None) -> dict[str, Any]:
        """Gives each parameter its part of ``input_spec``, with a name for every InputSpec."""
        if input_spec is None:
            return {}
        rest, found = list(input_spec), {}
        last = self.parameters[-1] if self.parameters else None
        takes_names = last is not None and last.kind is _P.VAR_KEYWORD
        has_rest = any(p.kind is _P.VAR_POSITIONAL for p in self.parameters)
        named = [p for p in self.parameters if p.kind not in (_P.VAR_POSITIONAL, _P.VAR_KEYWORD)]
        if has_rest:
            named = [p for p in named if p.kind is not _P.KEYWORD_ONLY]
        missing = [
            p.name
            for p in self.parameters
            if p.default is _P.empty and p in named and named.index(p) >= len(rest)
        ]
        if missing:
            raise InvalidArgumentError(
                f"{self.name}(input_spec): expected an entry for every argument without default, "
                f"{[p.name for p in named]}, but received {len(rest)}; {missing} have none."
            )
        found = dict(zip([p.name for p in named], rest, strict=False))
        rest = rest[len(named) :]
        if rest and takes_names and isinstance(rest[-1], dict):
            found[last.name] = rest.pop()  # type: ignore[union-attr]
        if rest and has_rest:
            at = next(p.name for p in self.parameters if p.kind is _P.VAR_POSITIONAL)
            found[at] = tuple(rest)
            rest = []
        if rest:
            raise InvalidArgumentError(
                f"{self.name}(input_spec): expected at most {len(named)} entries, for "
                f"{[p.name for p in named]}, but received {len(input_spec)}."
            )
        names = TensorNames(self.name, list(leaves_of(list(found.values()))))
        return {name: with_names(spec, name, names) for name, spec in found.items()}

    def values_of_specs(self) -> tuple:
        """A value per parameter as ``input_spec`` and the defaults say.

        Raises:
            ValueError: there is no ``input_spec``, and not every parameter has a default.
        """
        values = []
        for p in self.parameters:
            if p.name in self._specs:
                values.append(self._specs[p.name])
            elif p.kind is _P.VAR_POSITIONAL:
                values.append(())
            elif p.kind is _P.VAR_KEYWORD:
                values.append({})
            elif p.default is _P.empty:
                raise InvalidArgumentError(
                    f"{self.name}: expected an input_spec that describes {p.name!r}, or a call "
                    f"before, but there is neither.",
                    hint="to_static(function, input_spec=[InputSpec(...), ...])",
                )
            else:
                values.append(p.default)
        return tuple(values)

    def matched(self, values: tuple, tensors: list[Tensor]) -> Call:
        """Describes a call for recording.

        Args:
            values (tuple): what :attr:`bind` returned.
            tensors (list[Tensor]): the Tensors in it, in the order of the cache key.

        Raises:
            ValueError: a value does not fit ``input_spec``.
        """
        match = SpecMatch(self.name, self._specs, tensors)
        pytrees = []
        for p, value in zip(self.parameters, values, strict=True):
            left_out = value is None and p.default is None
            spec = ANY if left_out else self._specs.get(p.name, ANY)
            pytrees.append(match(value, spec, p.name, p.name))
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for p, pytree in zip(self.parameters, pytrees, strict=True):
            if p.kind is _P.VAR_POSITIONAL:
                args += pytree
            elif p.kind is _P.VAR_KEYWORD:
                kwargs.update(pytree)
            elif p.kind is _P.KEYWORD_ONLY:
                kwargs[p.name] = pytree
            else:
                args.append(pytree)
        return Call(tuple(args), kwargs, tuple([key_of(n) for n in pytrees]), match.specs)


class _Shown:
    """A default as it is written in the source of a binder."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"_default_{self._name}"
