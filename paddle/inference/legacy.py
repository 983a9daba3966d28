"""Names of 1.8: predictors that take and return PaddleTensors, or handles without copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.lod import LoDTensor
from paddle.executor.inference_values import array_of, lod_of
from paddle.inference.config import Config
from paddle.inference.handles import Tensor
from paddle.inference.kinds import ARRAYS, DataType
from paddle.inference.native_config import NativeConfig
from paddle.inference.predictor import Predictor

AnalysisConfig = Config
ZeroCopyTensor = Tensor

_OF_NUMPY = {array: kind for kind, array in ARRAYS.items() if kind is not DataType.BFLOAT16}


class PaddleBuf:
    """Memory of a PaddleTensor.

    Args:
        data (np.ndarray|list|int): the contents (a list: float32), or a number of bytes.

    Examples:
        .. code-block:: python

            from paddle.fluid.core import PaddleBuf
            buf = PaddleBuf([1.0, 2.0])
            print(buf.length(), buf.float_data())  # 8 [1.0, 2.0]
    """

    def __init__(self, data: Any) -> None:
        self._array: np.ndarray = np.zeros(0, "uint8")
        self.resize(data) if isinstance(data, int) else self.reset(data)

    def reset(self, data: Any) -> None:
        """Puts other contents in.

        Args:
            data (np.ndarray|list): the contents; a list becomes float32.
        """
        self._array = data if isinstance(data, np.ndarray) else np.array(data, "float32")

    def resize(self, length: int) -> None:
        """Gives it another size; the contents are lost.

        Args:
            length (int): the number of bytes.
        """
        self._array = np.zeros(length, "uint8")

    def empty(self) -> bool:
        """Says whether there are no contents."""
        return self._array.size == 0

    def length(self) -> int:
        """Returns the number of bytes."""
        return self._array.nbytes

    def array(self) -> np.ndarray:
        """Returns the contents as an array, not a copy."""
        return self._array

    def _as(self, kind: str) -> list:
        return np.ascontiguousarray(self._array).reshape(-1).view(kind).tolist()

    def float_data(self) -> list[float]:
        """Returns the bytes as float32."""
        return self._as("float32")

    def int64_data(self) -> list[int]:
        """Returns the bytes as int64."""
        return self._as("int64")

    def int32_data(self) -> list[int]:
        """Returns the bytes as int32."""
        return self._as("int32")

    def tolist(self, dtype: str) -> list:
        """Returns the bytes as numbers.

        Args:
            dtype (str): ``"int32"``, ``"int64"`` or ``"float32"``.
        """
        if dtype not in ("int32", "int64", "float32"):
            raise InvalidArgumentError(
                f"PaddleBuf.tolist: expected int32, int64 or float32, but received {dtype!r}."
            )
        return self._as(dtype)


class PaddleTensor:
    """An input or output of a Predictor of 1.8.

    Args:
        data (np.ndarray, optional): the contents.
        name (str): the variable. Default: ''.
        lod (list): offsets of sequences. Default: none.
        copy (bool): keep a copy of the array. Default: True.

    Attributes:
        data (PaddleBuf): the contents.
        name (str): the variable.
        shape (list[int]): the sizes.
        dtype (DataType): the data type.
        lod (list): offsets of sequences.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.fluid.core import PaddleTensor
            t = PaddleTensor(np.ones([2, 3], "float32"), name="x")
            print(t.shape, t.dtype.name)  # [2, 3] FLOAT32
    """

    def __init__(
        self, data: np.ndarray | None = None, name: str = "", lod: Sequence = (), copy: bool = True
    ) -> None:
        if data is not None and not isinstance(data, np.ndarray):
            raise TypeError(
                f"PaddleTensor(data): expected a numpy.ndarray, but received {type(data).__name__}."
            )
        array = np.zeros(0, "float32") if data is None else data
        if copy:
            array = np.array(array, order="C")
        if array.dtype not in _OF_NUMPY:
            raise TypeError(f"PaddleTensor(data): there is no PaddleDType for {array.dtype}.")
        self.name = name
        self.lod = [list(level) for level in lod]
        self.shape = list(array.shape)
        self.dtype = _OF_NUMPY[array.dtype]
        self.data = PaddleBuf(array)

    def as_ndarray(self) -> np.ndarray:
        """Returns the contents as an array of ``shape`` and ``dtype``."""
        array = np.ascontiguousarray(self.data.array()).reshape(-1)
        if array.dtype != ARRAYS[self.dtype]:
            array = array.view(ARRAYS[self.dtype])
        if array.size != int(np.prod(self.shape)):
            raise InvalidArgumentError(
                f"PaddleTensor {self.name!r}: shape {self.shape} needs {int(np.prod(self.shape))} "
                f"numbers of type {ARRAYS[self.dtype]}, but there are {array.size}."
            )
        return array.reshape(self.shape)


class AnalysisPredictor(Predictor):
    """Runs one saved model, with 1.8's methods; see :class:`paddle.inference.Predictor`.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            from paddle.fluid.core import AnalysisConfig, PaddleTensor, create_paddle_predictor
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "old/net", input_spec=[InputSpec([None, 4], name="x")])
            config = AnalysisConfig("old/net.pdmodel", "old/net.pdiparams")
            predictor = create_paddle_predictor(config)
            [out] = predictor.run([PaddleTensor(np.ones([3, 4], "float32"))])
            print(out.as_ndarray().shape)  # (3, 2)
    """

    Config = Config

    def __init__(self, config: Any) -> None:
        super().__init__(config_of(config) if isinstance(config, NativeConfig) else config)

    def get_input_tensor(self, name: str) -> Tensor:
        """Returns the handle of an input.

        Args:
            name (str): the input.
        """
        return self.get_input_handle(name)

    def get_output_tensor(self, name: str) -> Tensor:
        """Returns the handle of an output.

        Args:
            name (str): the output.
        """
        return self.get_output_handle(name)

    def zero_copy_run(self) -> bool:
        """Runs the model on what the input handles hold.

        Returns:
            bool: True; what goes wrong raises.
        """
        super().run()
        return True

    def run(self, inputs: Sequence[Any] | None = None) -> Any:
        """Runs the model.

        Args:
            inputs (list[PaddleTensor], optional): one for each input, in their order, or by their
                names where the Config says so. Arrays and Tensors do as well.

        Returns:
            list[PaddleTensor]: the outputs.
        """
        if inputs is None or not any(isinstance(t, PaddleTensor) for t in inputs):
            return super().run(inputs)
        given = self._in_order(list(inputs))
        outs = self.compute([_tensor(t) if isinstance(t, PaddleTensor) else t for t in given])
        names = self.get_output_names()
        return [PaddleTensor(array_of(b), n, lod_of(b)) for b, n in zip(outs, names, strict=True)]

    def _in_order(self, inputs: list[PaddleTensor]) -> list[PaddleTensor]:
        if not self.by_names:
            return inputs
        named = {t.name: t for t in inputs}
        missing = [name for name in self.get_input_names() if name not in named]
        if missing or len(named) != len(self.get_input_names()):
            raise NotFoundError(
                f"run(inputs): expected PaddleTensors named {self.get_input_names()}, but received "
                f"{list(named)}."
            )
        return [named[name] for name in self.get_input_names()]

    def get_serialized_program(self) -> str:
        """Raises: an optimised Program is made for this machine alone."""
        raise NotImplementedError(
            "get_serialized_program: an optimised Program fits this machine alone; "
            "config.switch_ir_debug() writes it as a text."
        )


PaddlePredictor = AnalysisPredictor
NativePaddlePredictor = AnalysisPredictor


def config_of(native: NativeConfig) -> Config:
    """Returns a Config that runs the model of a NativeConfig, operator by operator.

    Args:
        native (NativeConfig): the model.
    """
    made = Config()
    if native.prog_file:
        made.set_model(native.prog_file, native.param_file)
    else:
        made.set_model(native.model_dir)
    made.switch_ir_optim(False)
    made.switch_specify_input_names(native.specify_input_name)
    if native.use_gpu:
        made.enable_use_gpu(100, native.device)
    if native.use_xpu:
        made.settings.device.ask("NativeConfig", "xpu", None, native.device)
        made.enable_xpu()
    if native.threads:
        made.set_cpu_math_library_num_threads(native.threads)
    return made


def _tensor(tensor: PaddleTensor) -> LoDTensor:
    made = LoDTensor()
    made.set(tensor.as_ndarray(), "cpu")
    made.set_lod(tensor.lod)
    return made


def create_paddle_predictor(config: Any) -> AnalysisPredictor:
    """Makes a predictor with 1.8's methods.

    Args:
        config (AnalysisConfig|NativeConfig): the model, and how to run it.

    Returns:
        AnalysisPredictor: ready to run.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.fluid.core import AnalysisConfig, create_paddle_predictor
            from paddle.static import InputSpec
            net = paddle.nn.Linear(4, 2)
            paddle.jit.save(net, "older/net", input_spec=[InputSpec([None, 4], name="x")])
            predictor = create_paddle_predictor(AnalysisConfig("older/net"))
            print(predictor.get_input_names())  # ['x']
    """
    return AnalysisPredictor(config)
