"""Predictor: runs one saved model."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddle.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
)
from paddle.core.lod import LoDTensor
from paddle.core.tensor import Tensor as EagerTensor
from paddle.executor.inference_values import (
    ExpectedInput,
    array_of,
    buffer_of,
    buffer_of_tensor,
    on_device,
    tensor_of_buffer,
    with_lod,
)
from paddle.executor.threads import number, with_threads
from paddle.inference.config import Config
from paddle.inference.engine import Engine, engine_of
from paddle.inference.handles import Tensor, check_lod
from paddle.inference.kinds import DataType, data_type_of


class Predictor:
    """Runs one saved model, from :func:`create_predictor`.

    Inputs are put into handles, and outputs taken out of handles. One Predictor serves one thread;
    :meth:`clone` makes another one for a further thread, which shares the weights.

    Args:
        config (Config): the model, and how to run it.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            from paddle.inference import Config, create_predictor
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "predicted/net", input_spec=[InputSpec([None, 4], name="x")])
            predictor = create_predictor(Config("predicted/net"))
            predictor.get_input_handle("x").copy_from_cpu(np.ones([3, 4], "float32"))
            predictor.run()
            [name] = predictor.get_output_names()
            print(predictor.get_output_handle(name).copy_to_cpu().shape)  # (3, 2)
            [out] = predictor.run([paddle.ones([5, 4])])
            print(out.shape)  # [5, 2]
    """

    def __init__(self, config: Config | _Shared) -> None:
        shared = config if isinstance(config, _Shared) else _Shared(config)
        engine = shared.engine
        self._shared, self._engine = shared, engine
        shared.join()
        self._expected = shared.expected
        self.by_names = shared.by_names
        handle, device = engine.handles, engine.device
        self._inputs = {e.name: handle(e.name, device, e) for e in self._expected}
        self._outputs = {name: handle(name, device) for name in engine.outputs}
        self._given = list(self._inputs.values())
        self._made = list(self._outputs.values())

    # -- names and handles ----------------------------------------------------------------------

    def get_input_names(self) -> list[str]:
        """Returns the names of the inputs, in their order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Returns the names of the outputs, in their order."""
        return list(self._outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """Returns the handle of an input, the same one each time.

        Args:
            name (str): the input.

        Raises:
            NotFoundError: there is no such input.
        """
        return self._handle(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """Returns the handle of an output, the same one each time.

        Args:
            name (str): the output.

        Raises:
            NotFoundError: there is no such output.
        """
        return self._handle(self._outputs, name, "output")

    def _handle(self, handles: dict[str, Tensor], name: Any, kind: str) -> Tensor:
        found = handles.get(name) if isinstance(name, str) else None
        if found is None:
            raise NotFoundError(
                f"get_{kind}_handle({name!r}): the model has no {kind} of that name; its {kind}s "
                f"are {list(handles)}."
            )
        return found

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """Returns the sizes that the model states of its inputs; -1 is any."""
        return {e.name: list(e.dims) for e in self._expected}

    def get_input_types(self) -> dict[str, DataType]:
        """Returns the data types of the inputs."""
        return {e.name: data_type_of(e.kind) for e in self._expected}

    # -- running --------------------------------------------------------------------------------

    def run(self, inputs: Sequence[Any] | None = None) -> list[Any] | None:
        """Runs the model.

        Args:
            inputs (list, optional): an array or a Tensor for each input, in their order. None: what
                the input handles hold.

        Returns:
            list|None: with ``inputs``, the outputs, arrays where all inputs were arrays, else
            Tensors. Without, None: the output handles hold them.

        Raises:
            PreconditionNotMetError: an input was not set.
            InvalidArgumentError: the values do not fit the model. The Predictor stays usable.
        """
        if inputs is not None:
            return self._run_on(inputs)
        buffers = []
        for handle in self._given:
            buffer = handle.buffer
            buffers.append(handle.ready() if buffer is None or handle.levels else buffer)
        try:
            outs = self._shared.call(buffers)
        except Exception as error:
            raise self._with_sizes(error, buffers)
        for handle, out in zip(self._made, outs):
            handle.buffer = out
        return None

    def _run_on(self, inputs: Sequence[Any]) -> list[Any]:
        made = self.compute(inputs)
        arrays = bool(inputs) and all(isinstance(value, np.ndarray) for value in inputs)
        return [array_of(b) if arrays else tensor_of_buffer(b) for b in made]

    def compute(self, inputs: Sequence[Any]) -> list[Any]:
        """Returns the buffers of the outputs.

        Args:
            inputs (list): an array, Tensor or LoDTensor for each input, in their order.
        """
        names = list(self._inputs)
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(names):
            came = len(inputs) if isinstance(inputs, (list, tuple)) else type(inputs).__name__
            raise InvalidArgumentError(
                f"Predictor.run(inputs): expected a list of {len(names)} arrays or Tensors, for "
                f"{names}, but received {came}."
            )
        buffers = [self._buffer(e, v) for e, v in zip(self._expected, inputs, strict=True)]
        try:
            return list(map(self._engine.given, self._shared.call(buffers)))
        except Exception as error:
            raise self._with_sizes(error, buffers)

    def _buffer(self, expected: ExpectedInput, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            buffer = buffer_of(value)
        elif isinstance(value, (EagerTensor, LoDTensor)):
            buffer = buffer_of_tensor(value)
        else:
            raise TypeError(
                f"Predictor.run(inputs): input {expected.name!r}: expected an array or a Tensor, "
                f"but received {type(value).__name__}."
            )
        engine = self._engine
        buffer = on_device(expected.checked(buffer), engine.device)
        if isinstance(value, LoDTensor) and value.lod():
            check_lod(expected.name, value.lod(), buffer)
            buffer = with_lod(buffer, value.lod())
        return engine.taken(buffer)

    def _with_sizes(self, error: Exception, buffers: list[Any]) -> Exception:
        """Adds to an error how the inputs differ from what the model states."""
        pairs = zip(self._expected, buffers, strict=True)
        told = [text for e, b in pairs if (text := e.unlike(b))]
        if told and error.args and isinstance(error.args[0], str):
            hint = f"\n  [Hint: of the inputs {'; '.join(told)}]"
            error.args = (error.args[0] + hint, *error.args[1:])
        return error

    # -- further Predictors, memory -------------------------------------------------------------

    def clone(self) -> Predictor:
        """Returns a Predictor of its own handles that shares the weights, for another thread."""
        return type(self)(self._shared)

    def clear_intermediate_tensor(self) -> None:
        """Frees what the output handles hold; intermediate results are freed in each run."""
        for handle in self._made:
            handle.buffer = None

    def try_shrink_memory(self) -> int:
        """Frees what :meth:`clear_intermediate_tensor` does, and unused memory of the process.

        Some programs call this after each run. The next run would have to ask the system for the
        memory again, which may take as long as the run itself, so calls that follow another one
        within ten seconds leave the process its memory.

        Returns:
            int: by how many bytes the memory that the process takes became smaller.
        """
        self.clear_intermediate_tensor()
        return self._engine.shrink_memory()

    def register_output_hook(self, hook: Any) -> None:
        """Raises: in an optimised Program most operators of the model are no more."""
        raise NotImplementedError(
            "Predictor.register_output_hook: the optimised Program has not all operators of the "
            "model. To look at a value, fetch it: paddle.static.save_inference_model with the "
            "variable among fetch_vars."
        )


class _Shared:
    """What a Predictor and its clones have in common."""

    def __init__(self, config: Config) -> None:
        if not isinstance(config, Config):
            raise TypeError(
                f"create_predictor: expected a Config, but received {type(config).__name__}."
            )
        if not config.is_valid():
            raise PreconditionNotMetError(
                "create_predictor: a Config makes one Predictor, and this one has made it.",
                hint="predictor.clone() for another thread, Config(config) for another model",
            )
        self.engine: Engine = engine_of(config)
        self.expected = self.engine.expected
        self.by_names = config.specify_input_name()
        self.call: Callable[[list[Any]], Sequence[Any]] = self.engine.call
        self._threads = config.settings.threads
        self._load = _Load(self.engine.call)
        self._predictors = 0
        config.set_in_valid()

    def join(self) -> None:
        """Counts one more Predictor; from two on, those that run at a time share the threads."""
        self._predictors += 1
        if self._threads is not None:
            self.call = functools.partial(with_threads, self._threads, self.engine.call)
        elif self._predictors > 1:
            self.call = self._load.call


class _Load:
    """Shares the threads of the process among runs that go on at a time."""

    def __init__(self, call: Callable[[list[Any]], Sequence[Any]]) -> None:
        self._call = call
        self._most = number()
        self._running = 0
        self._lock = threading.Lock()

    def call(self, buffers: list[Any]) -> Sequence[Any]:
        """Runs the model with as many threads as fall to it."""
        with self._lock:
            self._running += 1
            share = max(1, self._most // self._running)
        try:
            return with_threads(share, self._call, buffers)
        finally:
            with self._lock:
                self._running -= 1


def create_predictor(config: Config) -> Predictor:
    """Makes a Predictor of a model.

    Args:
        config (Config): the model, and how to run it. It cannot be used for another Predictor.

    Returns:
        Predictor: ready to run.

    Raises:
        PreconditionNotMetError: the Config names no model, or was used.
        MissingFileError: a file is not there.
        InvalidArgumentError: a file is damaged, or of another model.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.inference import Config, create_predictor
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "created/net", input_spec=[InputSpec([None, 4], name="x")])
            predictor = create_predictor(Config("created/net.pdmodel", "created/net.pdiparams"))
            print(predictor.get_input_names())  # ['x']
    """
    return Predictor(config)


class PredictorPool:
    """A Predictor and its clones, one for each thread.

    Args:
        config (Config): the model, and how to run it.
        size (int): how many Predictors. Default: 1.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.inference import Config, PredictorPool
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "pooled/net", input_spec=[InputSpec([None, 4], name="x")])
            pool = PredictorPool(Config("pooled/net"), 2)
            print(pool.retrive(1).get_input_names())  # ['x']
    """

    def __init__(self, config: Config, size: int = 1) -> None:
        if not isinstance(size, int) or size < 1:
            raise InvalidArgumentError(
                f"PredictorPool(size): expected 1 or more, but received {size!r}."
            )
        first = create_predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrive(self, idx: int) -> Predictor:
        """Returns a Predictor.

        Args:
            idx (int): which, from 0.

        Raises:
            InvalidArgumentError: there are not so many.
        """
        if not isinstance(idx, int) or not 0 <= idx < len(self._predictors):
            raise InvalidArgumentError(
                f"PredictorPool.retrive(idx): expected 0 to {len(self._predictors) - 1}, but "
                f"received {idx!r}."
            )
        return self._predictors[idx]

    retrieve = retrive
    Retrive = retrive

    def __len__(self) -> int:
        return len(self._predictors)
