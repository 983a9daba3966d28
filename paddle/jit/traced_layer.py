"""TracedLayer: one run of a Layer, recorded as a Program."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.convert import tensor_of
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import Guarded
from paddle.core.pytree import leaves
from paddle.core.tensor import Tensor
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.jit.calls.concrete_program import ConcreteProgram, record
from paddle.jit.models.exporting import for_inference, model_of, needed_by
from paddle.jit.models.saving import members
from paddle.nn.layer.layers import Layer
from paddle.serialization.models.layouts import MAIN, folder_layout, prefix_layout
from paddle.static.compiled import CompiledProgram
from paddle.static.input import InputSpec
from paddle.static.io_arguments import program_prefix, refuse_folder
from paddle.static.strategy import BuildStrategy, ExecutionStrategy

__all__ = ["TracedLayer"]

_ONE_RUN = (
    "TracedLayer.trace records operators without their values. Where the code looks at the values "
    "of Tensors, convert it: paddle.jit.to_static(layer)."
)


class TracedLayer(Guarded):
    """A Program with its parameters, made by running a Layer once.

    :meth:`trace` makes it. What the code decides on the way (by shapes, by Python values) is
    decided once and for all; where it has to depend on data, use :func:`paddle.jit.to_static`.

    Args:
        program (Program): the operators.
        parameters (list[Tensor]): its stored variables, by their names.
        feed_names (list[str]): the inputs.
        fetch_names (list[str]): the outputs.

    Examples:
        .. code-block:: python

            import paddle

            layer = paddle.nn.Linear(4, 3)
            x = paddle.rand([2, 4])
            out, traced = paddle.jit.TracedLayer.trace(layer, inputs=[x])
            print(paddle.allclose(traced([x])[0], out).numpy())  # [ True]
    """

    def __init__(
        self,
        program: Program,
        parameters: Sequence[Tensor],
        feed_names: Sequence[str],
        fetch_names: Sequence[str],
    ) -> None:
        if not isinstance(program, Program):
            raise TypeError(
                f"TracedLayer(program): expected a Program, but received {type(program).__name__}."
            )
        block = program.global_block()
        for kind, names in (("feed_names", feed_names), ("fetch_names", fetch_names)):
            unknown = [n for n in names if not block.has_var(n)]
            if unknown:
                raise InvalidArgumentError(
                    f"TracedLayer({kind}): the Program has no variable {unknown[0]!r}."
                )
        self._program = program
        self._feed_names = list(feed_names)
        self._fetch_names = list(fetch_names)
        self._tensors: dict[str, Tensor] = {}
        self._members: dict[str, Tensor] = {}
        self._strategies: tuple[Any, Any] = (None, None)
        self._compiled: Any = None
        self._executor: Executor | None = None
        self._scope = Scope()
        self._hold({t.name: t for t in parameters})

    def _hold(self, tensors: dict[str, Tensor]) -> None:
        """Takes the very Tensors: what is trained afterwards shows here."""
        for name, tensor in tensors.items():
            self._scope.var(name).hold(tensor)
        self._tensors.update(tensors)

    @property
    def program(self) -> Program:
        """The recorded Program."""
        return self._program

    @staticmethod
    def trace(layer: Any, inputs: Any) -> tuple[Any, TracedLayer]:
        """Runs a Layer and records what it does.

        Args:
            layer (Layer|callable): what is run, in its present mode.
            inputs (list[Tensor]|Tensor): its arguments; their shapes become those of the Program.

        Returns:
            tuple: what the Layer returns, and the TracedLayer.

        Raises:
            TypeError: ``layer`` cannot be called, or an input is no Tensor.

        Examples:
            .. code-block:: python

                import paddle

                layer = paddle.nn.Linear(4, 3)
                out, traced = paddle.jit.TracedLayer.trace(layer, inputs=[paddle.rand([2, 4])])
                print([op.type for op in traced.program.global_block().ops])
                # ['matmul_v2', 'elementwise_add']
        """
        where = "TracedLayer.trace"
        if not callable(layer) or isinstance(layer, type):
            raise TypeError(
                f"{where}(layer): expected a Layer, but received "
                f"{layer.__name__ if isinstance(layer, type) else type(layer).__name__}."
            )
        given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        for i, value in enumerate(given):
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"{where}(inputs): expected [{i}] to be a Tensor, "
                    f"but received {type(value).__name__}."
                )
        concrete = _recorded(layer, given)
        outputs = [v for v in leaves(concrete.outputs) if isinstance(v, Variable)]
        if not outputs:
            raise InvalidArgumentError(
                f"{where}(layer): expected it to return Tensors, but it returned "
                f"{type(concrete.outputs).__name__}."
            )
        feeds, fetches = [v.name for v in concrete.inputs], [v.name for v in outputs]
        traced = TracedLayer(concrete.main_program, [], feeds, fetches)
        traced._hold(concrete.tensors)
        traced._members = members(layer)
        return layer(*given), traced

    def set_strategy(self, build_strategy: Any = None, exec_strategy: Any = None) -> None:
        """Sets how the Program is compiled and run; before the first call.

        Args:
            build_strategy (BuildStrategy, optional): None means the default one.
            exec_strategy (ExecutionStrategy, optional): None means the default one.

        Examples:
            .. code-block:: python

                import paddle

                x = paddle.rand([2, 4])
                out, traced = paddle.jit.TracedLayer.trace(paddle.nn.ReLU(), [x])
                strategy = paddle.static.BuildStrategy()
                strategy.enable_inplace = True
                traced.set_strategy(build_strategy=strategy)
                print(traced([x])[0].shape)  # [2, 4]
        """
        kinds = (("build_strategy", build_strategy, BuildStrategy),
                 ("exec_strategy", exec_strategy, ExecutionStrategy))  # fmt: skip
        for name, value, kind in kinds:
            if value is not None and not isinstance(value, kind):
                raise TypeError(
                    f"TracedLayer.set_strategy({name}): expected a {kind.__name__}, "
                    f"but received {type(value).__name__}."
                )
        if self._compiled is not None:
            raise InvalidArgumentError(
                "TracedLayer.set_strategy: the Program is compiled already.",
                hint="set strategies before the first call",
            )
        self._strategies = build_strategy, exec_strategy

    def __call__(self, inputs: Any) -> list[Tensor]:
        """Runs the Program.

        Args:
            inputs (list[Tensor]|Tensor): one for each input.

        Returns:
            list[Tensor]: the outputs; no gradients go through them.
        """
        given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(given) != len(self._feed_names):
            raise InvalidArgumentError(
                f"TracedLayer: expected {len(self._feed_names)} inputs, {self._feed_names}, "
                f"but received {len(given)}."
            )
        feed = {n: _fed(v, n) for n, v in zip(self._feed_names, given, strict=True)}
        if self._compiled is None:
            build, execution = self._strategies
            self._executor = Executor()
            self._compiled = CompiledProgram(self._program, build_strategy=build)
            if execution is not None:
                self._compiled = self._compiled.with_data_parallel(
                    build_strategy=build, exec_strategy=execution,
                    places=[self._executor.place],
                )  # fmt: skip
        found = self._executor.run(  # type: ignore[union-attr]
            self._compiled, feed, self._fetch_names, scope=self._scope, return_numpy=False
        )
        return [value.tensor for value in found]

    def save_inference_model(
        self, dirname: str, feed: list[int] | None = None, fetch: list[int] | None = None
    ) -> None:
        """Saves the Program and its parameters for inference.

        Writes ``<dirname>.pdmodel``, ``.pdiparams`` and ``.pdiparams.info``, to be loaded by
        :func:`paddle.jit.load` or ``paddle.static.load_inference_model``.

        Args:
            dirname (str): folder and name of the files, without a suffix.
            feed (list[int], optional): positions of the inputs to keep; None: all. Those that no
                output needs fall away.
            fetch (list[int], optional): positions of the outputs to keep; None: all.

        Raises:
            ValueError: a position is out of range, or an output needs an input that is left out.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle

                out, traced = paddle.jit.TracedLayer.trace(paddle.nn.ReLU(), [paddle.rand([2, 4])])
                with tempfile.TemporaryDirectory() as folder:
                    traced.save_inference_model(os.path.join(folder, "net"), feed=[0], fetch=[0])
                    print(paddle.jit.load(os.path.join(folder, "net"))(paddle.ones([1, 4])))
        """
        where = "TracedLayer.save_inference_model"
        prefix = program_prefix(dirname, f"{where}(dirname)")
        refuse_folder(prefix, f"{where}(dirname)")
        self._model(feed, fetch, where).write(prefix_layout(prefix, [MAIN]), where)

    def _save_folder(
        self, dirname: str, feed: list[int] | None, fetch: list[int] | None, where: str
    ) -> None:
        """Saves in the form of 1.x: ``__model__`` and a file for each parameter in a folder."""
        if not isinstance(dirname, str) or not dirname:
            raise TypeError(f"{where}(dirname): expected a folder, but received {dirname!r}.")
        model = self._model(feed, fetch, where)
        os.makedirs(dirname, exist_ok=True)
        model.write(folder_layout(dirname, None, None), where)

    def _model(self, feed: list[int] | None, fetch: list[int] | None, where: str) -> Any:
        """What is saved, with the inputs and outputs that are asked for."""
        block = self._program.global_block()
        inputs = _picked(self._feed_names, feed, f"{where}(feed)")
        outputs = [block.var(n) for n in _picked(self._fetch_names, fetch, f"{where}(fetch)")]
        needed = needed_by(self._program, {v.name for v in outputs})
        absent = [n for n in self._feed_names if n in needed and n not in inputs]
        if absent:
            raise InvalidArgumentError(
                f"{where}(feed): the outputs {fetch} need the inputs {absent} too, at positions "
                f"{[self._feed_names.index(n) for n in absent]}; given are {feed}."
            )
        made = for_inference(self._program, [block.var(n) for n in inputs], outputs, None, MAIN)
        for name in self._feed_names:  # sizes are those of one run; others may do as well
            if made.global_block().has_var(name):
                made.global_block().var(name).need_check_feed = False
        return model_of([(MAIN, made, self._tensors)], self._members)


def _recorded(layer: Callable, inputs: list[Tensor]) -> ConcreteProgram:
    """The Program of one call, whose inputs have sizes and names of their own."""
    specs = [InputSpec(t.shape, t.dtype, t.name) for t in inputs]
    layers = [layer] if isinstance(layer, Layer) else []
    try:
        concrete = record(layer, specs, layers=layers)
    except PreconditionNotMetError as error:
        # What cannot be done while recording is looking at values.
        error.args = (f"{error.args[0]}\n  {_ONE_RUN}", *error.args[1:])
        raise
    for var in concrete.inputs:  # sizes are those of one run; others may do as well
        var.need_check_feed = var.is_data = False
    return concrete


def _fed(value: Any, name: str) -> Any:
    if isinstance(value, (Tensor, np.ndarray)):
        return value
    try:
        return tensor_of(value, None, None)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"TracedLayer: expected a Tensor for input {name!r}, "
            f"but received {type(value).__name__}: {error}"
        ) from None


def _picked(names: list[str], positions: Any, where: str) -> list[str]:
    if positions is None:
        return names
    if not isinstance(positions, (list, tuple)):
        raise TypeError(
            f"{where}: expected a list of ints, but received {type(positions).__name__}."
        )
    for at in positions:
        if isinstance(at, bool) or not isinstance(at, int):
            raise TypeError(f"{where}: expected ints, but it holds {at!r}.")
        if not 0 <= at < len(names):
            raise InvalidArgumentError(
                f"{where}: expected positions from 0 to {len(names) - 1}, for {names}, "
                f"but received {at}."
            )
    return [names[at] for at in positions]
