"""dygraph functions as Programs, with the calls of 1.x."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from paddle.core.mode import recording
from paddle.core.old_names import also_named
from paddle.jit.api import to_static
from paddle.jit.traced_layer import TracedLayer as _TracedLayer
from paddle.jit.translator import ProgramTranslator

__all__ = ["TracedLayer", "declarative", "dygraph_to_static_func"]


declarative = also_named(func="function")(to_static)


def dygraph_to_static_func(func: Callable) -> Callable:
    """Decorates a dygraph function so that static mode records its loops and branches too.

    In dynamic mode, or where the ProgramTranslator is off, the function runs as it is.

    Args:
        func (callable): the function.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid

            @fluid.dygraph.dygraph_to_static_func
            def clipped(x):
                if fluid.layers.mean(x) > 5.0:
                    x = x - 1.0
                return x

            paddle.enable_static()
            with fluid.program_guard(fluid.Program()):
                out = clipped(fluid.layers.fill_constant([2], "float32", 9.0))
                print(fluid.Executor().run(fetch_list=[out])[0])  # [8. 8.]
            paddle.disable_static()
    """

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        translator = ProgramTranslator()
        if not recording() or not translator.enable_to_static:
            return func(*args, **kwargs)
        from paddle.jit.rewriting.convert import convert_call

        return convert_call(func)(*args, **kwargs)

    return run


class TracedLayer(_TracedLayer):
    """A Program with its parameters, made by running a Layer once.

    It is :class:`paddle.jit.TracedLayer`, but saves in the form of 1.x.

    Args:
        program (Program): the operators.
        parameters (list[Tensor]): its stored variables, by their names.
        feed_names (list[str]): the inputs.
        fetch_names (list[str]): the outputs.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            with fluid.dygraph.guard():
                layer = fluid.dygraph.Linear(4, 3)
                x = fluid.dygraph.to_variable(np.ones([2, 4], "float32"))
                out, traced = fluid.dygraph.TracedLayer.trace(layer, inputs=[x])
                print(np.allclose(traced([x])[0].numpy(), out.numpy()))  # True
    """

    @staticmethod
    def trace(layer: Any, inputs: Any) -> tuple[Any, TracedLayer]:
        """Runs a Layer and records what it does.

        Args:
            layer (Layer): what is run, in its present mode.
            inputs (list[Tensor]): its arguments.

        Returns:
            tuple: what the Layer returns, and the TracedLayer.
        """
        out, traced = _TracedLayer.trace(layer, inputs)
        traced.__class__ = TracedLayer
        return out, traced  # type: ignore[return-value]

    def save_inference_model(
        self, dirname: str, feed: list[int] | None = None, fetch: list[int] | None = None
    ) -> None:
        """Saves for ``fluid.io.load_inference_model``: ``__model__`` and a file per parameter.

        Args:
            dirname (str): the folder, which is made if it is missing.
            feed (list[int], optional): positions of the inputs to keep; None: all.
            fetch (list[int], optional): positions of the outputs to keep; None: all.
        """
        self._save_folder(dirname, feed, fetch, "TracedLayer.save_inference_model")
