"""StaticFunction: a function that runs as a Program, one per kind of arguments."""

from __future__ import annotations

import copy
import functools
import importlib
import inspect
import pickle
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from paddle.core.dtype import get_default_dtype
from paddle.core.errors import PreconditionNotMetError
from paddle.core.mode import HOOKED, current_hook, get_mode
from paddle.core.pytree import leaves
from paddle.core.tensor import Tensor
from paddle.jit.calls.cache_entry import Run, guarded, in_order, order
from paddle.jit.calls.cache_key import add_to_key
from paddle.jit.calls.layer_state import Guards, LayerState
from paddle.jit.calls.matching import check_input_spec
from paddle.jit.calls.program_cache import ProgramCache
from paddle.jit.calls.signature import Call, FunctionSpec
from paddle.jit.explaining import logs

_recording = threading.RLock()  # one for all: functions that are recorded convert others


class ConversionSwitch:
    """Whether functions are converted at all; ``ProgramTranslator().enable`` sets it."""

    on = True


class StaticFunction:
    """A function that was given to :func:`paddle.jit.to_static`.

    Called with arguments of a new kind (shapes, dtypes, other values, modes of its layers) it is
    recorded as a Program. Each later call with arguments of that kind runs this Program, which
    is one node of the graph: gradients flow through it to its inputs and to the parameters.

    Args:
        function (callable): a function, or a method together with ``instance``.
        input_spec (list|tuple, optional): what the arguments look like, nested as they are.
        instance (Any, optional): what ``function`` is a method of; held weakly.

    Examples:
        .. code-block:: python

            import paddle

            @paddle.jit.to_static
            def clipped(x):
                if x.sum() > 3:
                    x = x * 0
                return x

            print(clipped(paddle.ones([2])).numpy())  # [1. 1.]
            print(clipped(paddle.ones([4])).numpy())  # [0. 0. 0. 0.]
            print(len(clipped.program_cache))  # 2
    """

    def __init__(self, function: Callable, input_spec: Any = None, instance: Any = None) -> None:
        if getattr(type(function), "is_decorator", False):
            raise TypeError(
                "expected a function or a Layer, but received to_static(input_spec=...), which "
                "without a function is a decorator; to_static(net, input_spec=...) gives the Layer."
            )
        functools.update_wrapper(self, function)
        self._function = function
        self._instance = None if instance is None else _reference(instance)
        self._kept: Any = None  # the instance of a bound method, which holds it as methods do
        if instance is not None:
            self.__signature__ = _signature(function, instance)
        self._input_spec = check_input_spec(_name(function), input_spec)
        self._bound: dict[int, tuple[Any, StaticFunction]] = {}
        self._state = LayerState(function, self._instance)
        self._cache = ProgramCache()
        self._entries: dict[tuple, Run] = self._cache.entries
        self._as_is = False  # cannot be converted
        self._transformed: Any = None
        self._parent: StaticFunction | None = None  # of a method: that of all instances
        self._spec: FunctionSpec | None = None
        if input_spec is not None and (instance is not None or "." not in _name(function)):
            self._function_spec()  # finds out now what is wrong with it

    # -- methods ------------------------------------------------------------------------------

    def __get__(self, instance: Any, owner: Any = None) -> StaticFunction:
        """The method of one instance, with Programs of its own."""
        if instance is None or self._instance is not None:
            return self
        held = self._bound.get(id(instance))
        if held is not None and held[0]() is instance:
            return held[1]
        return self._bind(instance)

    def _bind(self, instance: Any) -> StaticFunction:
        with _recording:
            made = StaticFunction(self._function, self._input_spec, instance)
            made._parent = self
            key, bound = id(instance), self._bound
            try:
                reference: Any = weakref.ref(instance, lambda _: bound.pop(key, None))
            except TypeError:
                reference = made._instance
            bound[key] = reference, made
        return made

    def _owner(self) -> Any:
        """The instance, or None for a function."""
        if self._instance is None:
            return None
        owner = self._instance()
        if owner is None:
            raise PreconditionNotMetError(
                f"{_name(self._function)}: the object that this method belongs to is gone.",
                hint="keep a reference to the object beside the one to its method",
            )
        return owner

    def _method_of(self, args: tuple) -> StaticFunction | None:
        """The method, where ``Net.forward(net, x)`` calls it through its class."""
        if self._instance is None and args and "." in _name(self._function):
            for kind in type(args[0]).__mro__:
                if kind.__dict__.get(self._function.__name__) is self:
                    return self.__get__(args[0])
        return None

    # -- calling ------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function as a Program."""
        hook = current_hook() if get_mode() & HOOKED else None
        spec = self._spec
        if spec is None or self._as_is or not ConversionSwitch.on or (hook and _records(hook)):
            return self._unusual(args, kwargs, hook)
        if self._instance is None:
            values = spec.bind(*args, **kwargs)
        else:
            values = spec.bind(self._instance(), *args, **kwargs)
        tensors: list[Tensor] = []
        key = [get_default_dtype(), hook and _hook_key(hook), self._state.number()]
        for value in values:
            add_to_key(value, key, tensors)
        run = self._entries.get(tuple(key))
        if run is None:
            try:
                run = self._entry(tuple(key), values, tensors)
            except Exception as error:
                from paddle.jit.explaining.errors import shortened

                raise shortened(error, self._function)
            if run is None:
                return self._original()(*args, **kwargs)
        try:
            return run(tensors)
        except Exception:
            from paddle.jit.explaining.errors import mapped

            with mapped(self._function):
                raise

    def _unusual(self, args: tuple, kwargs: dict[str, Any], hook: Any) -> Any:
        """A call that runs no Program of its own, or the first one."""
        method = self._method_of(args)
        if method is not None:
            return method(*args[1:], **kwargs)
        if not ConversionSwitch.on or self._as_is or self._transformation() is None:
            return self._original()(*args, **kwargs)
        if hook and _records(hook):
            return self.inlined()(*args, **kwargs)
        self._function_spec()
        return self(*args, **kwargs)

    def _original(self) -> Callable:
        owner = self._owner()
        return self._function if owner is None else self._function.__get__(owner)

    def inlined(self) -> Callable:
        """The converted function, which static mode calls to add its operators to a Program."""
        transformed = self._transformation()
        if transformed is None:
            return self._original()
        owner = self._owner()
        made = transformed.function
        return made if owner is None else types.MethodType(made, owner)

    def _transformation(self, silent: bool = True) -> Any:
        """The converted function; None, after a warning, if it cannot be converted."""
        if self._parent is not None:
            self._transformed = self._parent._transformation(silent)
            self._as_is = self._parent._as_is
        elif self._transformed is None and (not self._as_is or not silent):
            from paddle.jit.rewriting import source

            with _recording:
                logs.log_source(self._function)
                try:
                    transformed = _transform(self._function)
                except source.NotConvertible as error:
                    if not silent:
                        name = _name(self._function)
                        reason = f"{name} cannot be converted: {error.reason}"
                        raise source.NotConvertible(reason) from None
                    self._as_is = True
                    logs.warn(
                        f"{self._function!r} cannot be converted to a static function, it will be "
                        f"run as-is: {error}"
                    )
                else:
                    logs.log_transformed(transformed)
                    self._transformed = transformed
        return self._transformed

    def _function_spec(self) -> FunctionSpec:
        if self._spec is None:
            self._spec = FunctionSpec(self._function, self._input_spec, self._instance is not None)
        return self._spec

    # -- Programs -----------------------------------------------------------------------------

    def _entry(self, key: tuple, values: tuple, tensors: list[Tensor]) -> Run | None:
        """Finds or records the Program for calls of one kind; what runs it."""
        with _recording:
            if self._transformation() is None:
                return None
            return self.new_entry(key, self._function_spec().matched(values, tensors))

    def new_entry(self, key: tuple, call: Call) -> Run:
        """Makes what runs calls of one kind, and a Program if there is no valid one."""
        with _recording:
            context = key[:3]
            run = in_order(self._program(context, call, runs=True), call)
            run = guarded(run, self._cache.guards((context, call.key)), self, key, call)
            self._cache.remember(key, (context, call.key), run)
            return run

    def _program(self, context: tuple, call: Call, runs: bool = False) -> Any:
        program = self._cache.get((context, call.key))
        if program is None:
            from paddle.jit.calls.concrete_program import record
            from paddle.jit.explaining.errors import mapped

            owner = self._owner()
            args = call.args if owner is None else (owner, *call.args)
            logs.log(2, lambda: f"Record a Program of {_name(self._function)} for {call.args}.")
            with mapped(self._function):
                function, layers = self._transformed.function, self._state.layers()
                program = record(function, args, call.kwargs, layers, runs)
            names = self._function_spec().args_name
            guards = Guards(program, self._state)
            self._cache.add((context, call.key), program, guards, _name(self._function), names)
        return program

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Tensor]]:
        """Returns the Program for arguments, recorded if it is new, and the Tensors in them.

        Args:
            *args: the function's arguments; an InputSpec may stand for a Tensor.
            **kwargs: the same, by keyword.

        Raises:
            TypeError: the function does not take such arguments.
            ValueError: an argument does not fit ``input_spec``.
        """
        spec = self._function_spec()
        owner = () if self._instance is None else (self._owner(),)
        values = spec.bind(*owner, *args, **kwargs)
        tensors: list[Tensor] = []
        for value in values:
            add_to_key(value, [], tensors)
        call = spec.matched(values, tensors)
        program = self._recorded(call)
        if len(tensors) < len(call.specs):  # some are InputSpecs
            return program, tensors
        return program, [tensors[i] for i in order(call)]

    def concrete_program_for(self, input_spec: Any = None) -> Any:
        """Returns the Program for inputs as a spec describes them, recorded if it is new.

        Args:
            input_spec (list|tuple, optional): what the arguments look like; None takes the spec
                of :func:`to_static`, else the Program that was recorded last, else the defaults.

        Raises:
            ValueError: there is neither a spec nor a Program, or the spec does not fit.
        """
        if input_spec is None:
            if self._input_spec is None and len(self._cache):
                return self._last()
            spec = self._function_spec()
        else:
            spec = FunctionSpec(self._function, input_spec, self._instance is not None)
        return self._recorded(spec.matched(spec.values_of_specs(), []))

    def _recorded(self, call: Call) -> Any:
        self._transformation(silent=False)
        hook = current_hook()
        if hook is not None and _records(hook):  # a Program of its own, whatever is recorded now
            hook = None
        with _recording:
            context = get_default_dtype(), hook and _hook_key(hook), self._state.number()
            return self._program(context, call)

    def _last(self) -> Any:
        if len(self._cache) > 1:
            logs.warn(
                f"{_name(self._function)} has {len(self._cache)} Programs; the one that was "
                "recorded last is taken."
            )
        return self._cache.last()

    # -- what it is ---------------------------------------------------------------------------

    @property
    def code(self) -> str:
        """The converted function as text."""
        return self._transformation(silent=False).code

    @property
    def concrete_program(self) -> Any:
        """The Program that was recorded last; with ``input_spec`` there is one before any call."""
        if len(self._cache):
            return self._last()
        return self.concrete_program_for()

    @property
    def main_program(self) -> Any:
        """The static Program that was recorded last."""
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[Any]:
        """The input Variables of the Program that was recorded last."""
        return self.concrete_program.inputs

    @property
    def outputs(self) -> list[Any]:
        """The output Variables of the Program that was recorded last."""
        return [v for v in leaves(self.concrete_program.outputs) if hasattr(v, "block")]

    @property
    def program_cache(self) -> ProgramCache:
        """All Programs of the function."""
        return self._cache

    @property
    def function_spec(self) -> FunctionSpec:
        """What the function takes."""
        return self._function_spec()

    @property
    def dygraph_function(self) -> Callable:
        """The function as written; a bound method for a method."""
        return self._original()

    @property
    def converts(self) -> bool:
        """Whether the function could be converted; False once it had to run as it is."""
        return not self._as_is

    def rollback(self) -> Callable:
        """Takes the conversion back: the instance gets its method as written.

        Returns:
            callable: the function as written.
        """
        original = self._original()
        owner = self._owner()
        if owner is not None:
            own = vars(owner)
            name = self._function.__name__
            own.pop(name, None)
            if isinstance(getattr(type(owner), name, None), StaticFunction):
                own[name] = original
        return original

    def __repr__(self) -> str:
        return f"<StaticFunction {_name(self._function)}>"

    # -- copies -------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict) -> StaticFunction:
        """A function stays itself; the method of an instance becomes that of its copy."""
        owner = None if self._instance is None else self._instance()
        if owner is None:
            return self
        copied = memo.get(id(owner))
        made = StaticFunction(self._function, self._input_spec, copied or owner)
        made._kept = None if copied else self._kept
        memo[id(self)] = made
        return made

    def __copy__(self) -> StaticFunction:
        return self

    def __reduce__(self) -> Any:
        name = self._function.__qualname__
        if "<" in name:
            raise pickle.PicklingError(
                f"{self!r} cannot be pickled: {name} is no name that a module has."
            )
        return _unpickled, (self._function.__module__, name, self._input_spec, self._owner())


def _transform(function: Callable) -> Any:
    """Converts a function, or that of a partial."""
    from paddle.jit.rewriting import source

    if not isinstance(function, functools.partial):
        return source.transform(function)
    made = copy.copy(_transform(function.func))
    made.function = functools.partial(made.function, *function.args, **function.keywords)
    return made


def _unpickled(module: str, name: str, input_spec: Any, instance: Any) -> StaticFunction:
    function: Any = importlib.import_module(module)
    for part in name.split("."):
        static = isinstance(function, type)  # where __get__ would bind
        function = inspect.getattr_static(function, part) if static else getattr(function, part)
    if isinstance(function, StaticFunction):
        if instance is None:
            return function
        function = function._function
    return StaticFunction(function, input_spec, instance)


def _reference(instance: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(instance)
    except TypeError:  # a class with __slots__
        return lambda: instance


def _name(function: Any) -> str:
    name = getattr(function, "__qualname__", type(function).__name__)
    return name.rpartition("<locals>.")[2]


def _signature(function: Callable, instance: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function.__get__(instance))
    except (AttributeError, TypeError, ValueError):
        return None


def _records(hook: Any) -> bool:
    return getattr(hook, "records", False)


def _hook_key(hook: Any) -> Any:
    """What an auto_cast around a call changes in its Program."""
    while hook is not None:
        key = getattr(hook, "key", None)
        if key is not None:
            return key
        hook = getattr(hook, "inner", None)
    return None
