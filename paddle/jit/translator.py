"""ProgramTranslator: switches conversion on and off, and converts without a decorator."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.core.guards import Guarded
from paddle.core.old_names import also_named
from paddle.core.pytree import leaves
from paddle.ir.variable import Variable
from paddle.jit.api import to_static
from paddle.jit.calls.program_cache import ProgramCache
from paddle.jit.calls.static_function import ConversionSwitch, StaticFunction
from paddle.jit.explaining import logs
from paddle.nn.layer.layers import Layer

__all__ = ["ProgramTranslator"]

_STATIC = "_static_function"  # the attribute of a function that keeps its StaticFunction


class ProgramTranslator(Guarded):
    """The one object that converts functions; making another gives the same one.

    Examples:
        .. code-block:: python

            import paddle

            translator = paddle.jit.ProgramTranslator()
            print(translator is paddle.jit.ProgramTranslator())  # True

            @paddle.jit.to_static
            def double(x):
                return x * 2

            translator.enable(False)  # double now runs eagerly, to look for mistakes
            print(double(paddle.ones([1])).numpy())  # [2.]
            translator.enable(True)
    """

    _instance: ProgramTranslator | None = None
    _cache: _Caches

    def __new__(cls, *args: Any, **kwargs: Any) -> ProgramTranslator:
        """Returns the one object."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance._start()
        return cls._instance

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            raise TypeError("ProgramTranslator(): expected no arguments.")

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """Returns the one object.

        Examples:
            .. code-block:: python

                import paddle
                one = paddle.jit.ProgramTranslator.get_instance()
                print(one is paddle.jit.ProgramTranslator())  # True
        """
        return cls()

    @classmethod
    def reset(cls) -> None:
        """Forgets what was converted here, and enables conversion.

        Examples:
            .. code-block:: python

                import paddle
                paddle.jit.ProgramTranslator.reset()
        """
        cls()._start()

    def _start(self) -> None:
        ConversionSwitch.on = True
        self._cache = _Caches()

    @property
    def enable_to_static(self) -> bool:
        """Whether functions are converted."""
        return ConversionSwitch.on

    @also_named(enable_declarative="enable_to_static")
    def enable(self, enable_to_static: bool) -> None:
        """Switches conversion of all functions on or off.

        Args:
            enable_to_static (bool): False lets functions given to :func:`to_static` run eagerly.

        Raises:
            TypeError: the argument is no bool.

        Examples:
            .. code-block:: python

                import paddle

                @paddle.jit.to_static
                def halved(x):
                    if paddle.mean(x) > 1:
                        x = x / 2
                    return x

                paddle.jit.ProgramTranslator().enable(False)
                print(halved(paddle.full([2], 4.0)).numpy())  # [2. 2.]
                print(len(halved.program_cache))  # 0
                paddle.jit.ProgramTranslator().enable(True)
        """
        if not isinstance(enable_to_static, bool):
            raise TypeError(
                "ProgramTranslator.enable(enable_to_static): expected a bool, "
                f"but received {enable_to_static!r}."
            )
        ConversionSwitch.on = enable_to_static

    def get_output(self, dygraph_func: Callable, *args: Any, **kwargs: Any) -> Any:
        """Runs a function as a Program and returns its results.

        Args:
            dygraph_func (callable): a function or a method.
            *args, **kwargs: its arguments.

        Returns:
            what the function returns.

        Raises:
            TypeError: ``dygraph_func`` cannot be called.

        Examples:
            .. code-block:: python

                import paddle

                def func(x):
                    if paddle.mean(x) > 0:
                        return x - 1
                    return x + 1

                translator = paddle.jit.ProgramTranslator()
                print(translator.get_output(func, paddle.ones([1, 2])).numpy())  # [[0. 0.]]
        """
        static = self._static("get_output", dygraph_func)
        if not ConversionSwitch.on:
            self._tell("get_output", "the function runs eagerly")
        return static(*args, **kwargs)

    def get_func(self, dygraph_func: Callable) -> Callable:
        """Returns the converted function, which adds operators to a Program in static mode.

        Args:
            dygraph_func (callable): a function or a method.

        Raises:
            TypeError: ``dygraph_func`` cannot be called.

        Examples:
            .. code-block:: python

                import paddle

                def func(x):
                    if paddle.mean(x) > 0:
                        return x - 1
                    return x + 1

                static_func = paddle.jit.ProgramTranslator().get_func(func)
                paddle.enable_static()
                with paddle.static.program_guard(paddle.static.Program()):
                    x = paddle.static.data("x", [1, 2])
                    print(type(static_func(x)).__name__)  # Variable
                paddle.disable_static()
        """
        static = self._static("get_func", dygraph_func)
        if not ConversionSwitch.on:
            self._tell("get_func", "the function is returned as it is")
            return static.dygraph_function
        return static.inlined()

    def get_program(
        self, dygraph_func: Callable, *args: Any, **kwargs: Any
    ) -> tuple[Any, Any, list[Variable], list[Variable]]:
        """Returns the Program of a function for arguments.

        Args:
            dygraph_func (callable): a function or a method.
            *args, **kwargs: its arguments; an InputSpec may stand for a Tensor.

        Returns:
            tuple: the main Program, the startup Program, the input Variables and the output
            Variables. While conversion is off: what the function returns.

        Raises:
            TypeError: ``dygraph_func`` cannot be called.

        Examples:
            .. code-block:: python

                import paddle

                def func(x):
                    return x - 1

                x = paddle.ones([1, 2])
                main, startup, inputs, outputs = paddle.jit.ProgramTranslator().get_program(func, x)
                print([op.type for op in main.global_block().ops])  # ['scale']
                print(inputs[0].name)  # x
        """
        static = self._static("get_program", dygraph_func)
        if not ConversionSwitch.on:
            self._tell("get_program", "the function runs eagerly and its results are returned")
            return static(*args, **kwargs)
        concrete, _ = static.get_concrete_program(*args, **kwargs)
        outputs = [v for v in leaves(concrete.outputs) if isinstance(v, Variable)]
        return concrete.main_program, concrete.startup_program, list(concrete.inputs), outputs

    def get_code(self, dygraph_func: Callable) -> str:
        """Returns the converted function as text.

        Args:
            dygraph_func (callable): a function or a method.

        Raises:
            TypeError: ``dygraph_func`` cannot be called.

        Examples:
            .. code-block:: python

                import paddle

                def func(x):
                    return -x

                print(paddle.jit.ProgramTranslator().get_code(func).splitlines()[0])
                # def func(x):
        """
        return self._static("get_code", dygraph_func).code

    def save_inference_model(
        self, dirname: str, feed: list[int] | None = None, fetch: list[int] | None = None
    ) -> None:
        """Saves the Program that was converted last, in the form of 1.x.

        Args:
            dirname (str): the folder, which gets ``__model__`` and a file for each parameter.
            feed (list[int], optional): positions of the inputs to keep; None: all.
            fetch (list[int], optional): positions of the outputs to keep; None: all.

        Raises:
            RuntimeError: nothing was converted yet.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle

                def double(x):
                    return x * 2

                translator = paddle.jit.ProgramTranslator()
                translator.get_output(double, paddle.ones([2, 2]))
                with tempfile.TemporaryDirectory() as folder:
                    translator.save_inference_model(folder)
                    print('__model__' in os.listdir(folder))  # True
        """
        from paddle.jit.traced_layer import TracedLayer

        where = "ProgramTranslator.save_inference_model"
        concrete = self._cache.last() if len(self._cache) else None
        if concrete is None:
            raise PreconditionNotMetError(f"{where}: no function was converted yet.")
        outputs = [v.name for v in leaves(concrete.outputs) if isinstance(v, Variable)]
        inputs = [v.name for v in concrete.inputs]
        traced = TracedLayer(concrete.main_program, [], inputs, outputs)
        traced._hold(concrete.tensors)
        traced._save_folder(dirname, feed, fetch, where)

    def get_program_cache(self) -> _Caches:
        """Returns the Programs of all functions that were converted by this object.

        Examples:
            .. code-block:: python

                import paddle
                paddle.jit.ProgramTranslator.reset()
                print(len(paddle.jit.ProgramTranslator().get_program_cache()))  # 0
        """
        return self._cache

    def _static(self, api: str, function: Any) -> StaticFunction:
        """The StaticFunction of a function; it is kept as long as the function."""
        if isinstance(function, Layer):
            function = function.forward
        if isinstance(function, StaticFunction):
            return function
        if not callable(function) or isinstance(function, type):
            raise TypeError(
                f"ProgramTranslator.{api}(dygraph_func): expected a function, "
                f"but received {function!r}."
            )
        # Methods are made anew by each access; what lasts is their function and the object.
        plain = getattr(function, "__func__", function)
        cache, made = getattr(plain, "__dict__", {}).get(_STATIC, (None, None))
        if cache is not self._cache:  # the first time, or since reset()
            made = to_static(plain)
            try:  # kept at the function, so that both go together
                plain.__dict__[_STATIC] = (self._cache, made)
            except AttributeError:
                pass
            self._cache.follow(made)
        owner = getattr(function, "__self__", None)
        if plain is function or owner is None:
            return made
        bound = made.__get__(owner)
        self._cache.follow(bound)
        return bound

    @staticmethod
    def _tell(api: str, what: str) -> None:
        logs.warn(
            f"ProgramTranslator.{api} does not convert after ProgramTranslator().enable(False): "
            f"{what}."
        )


class _Caches(ProgramCache):
    """The Programs of several functions, held by these."""

    def __init__(self) -> None:
        super().__init__()
        self._functions: list[weakref.ref[StaticFunction]] = []

    def follow(self, function: StaticFunction) -> None:
        """Includes the Programs of a function, as long as there is the function."""
        self._functions = [r for r in self._functions if r() not in (None, function)]
        self._functions.append(weakref.ref(function))

    def concrete_programs(self) -> list[Any]:
        """All Programs, function by function."""
        alive = [f for f in [r() for r in self._functions] if f is not None]
        return [program for f in alive for program in f.program_cache]

    def last(self) -> Any:
        """The Program that was recorded last of the function that was converted last.

        Raises:
            LookupError: there is none.
        """
        programs = self.concrete_programs()
        return programs[-1] if programs else super().last()

    def clear(self) -> None:
        """Forgets all Programs."""
        for function in [r() for r in self._functions]:
            if function is not None:
                function.program_cache.clear()

    def __len__(self) -> int:
        return len(self.concrete_programs())
