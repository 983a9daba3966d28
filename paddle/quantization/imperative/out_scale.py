"""ImperativeCalcOutScale: how large the results of Layers become, for Paddle Lite."""

from __future__ import annotations

from typing import Any

from paddle import jit, nn
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.ir.program import Program
from paddle.nn.layer.layers import Layer
from paddle.quantization.imperative.layers import MovingAverageAbsMaxScale, _Quantized
from paddle.quantization.saved import rewrite
from paddle.quantization.tables import result_slot

__all__ = ["ImperativeCalcOutScale"]

_KEY = "_out_scale"  # the name that 2.0 has in files of parameters
_TYPES: tuple[type, ...] = (
    nn.Conv2D, nn.Conv2DTranspose, nn.Linear, nn.BatchNorm, nn.BatchNorm1D, nn.BatchNorm2D,
    nn.BatchNorm3D, nn.AvgPool2D, nn.MaxPool2D, nn.AdaptiveAvgPool2D, nn.AdaptiveMaxPool2D,
    nn.LeakyReLU, nn.PReLU, nn.ReLU, nn.ReLU6, nn.Sigmoid, nn.Softmax, nn.Swish, nn.Tanh,
    nn.Hardswish, nn.Hardsigmoid, _Quantized,
)  # fmt: skip


class _Scale(MovingAverageAbsMaxScale):
    """The scale of a Layer's result.

    Attributes:
        names (list[str]): of the results in the Program that is recorded.
    """

    def __init__(self, moving_rate: float) -> None:
        super().__init__(moving_rate=moving_rate)
        self.names: list[str] = []


def _watch(layer: Layer, inputs: Any, out: Any) -> None:
    """A hook that takes a Layer's result down."""
    scale = getattr(layer, _KEY)
    if not isinstance(out, Tensor):
        if hasattr(out, "name"):
            scale.names.append(out.name)
    elif layer.training and out.dtype.name in ("FP32", "FP64"):
        with no_grad():
            scale(out)


def _scales(model: Layer) -> list[_Scale]:
    """The scales of all results that are taken down."""
    return [layer for layer in model.sublayers() if isinstance(layer, _Scale)]


class ImperativeCalcOutScale:
    """Takes down the averages of the largest results of Layers in training, and saves them.

    Args:
        moving_rate (float): how much of the average stays at each batch. Default: 0.9.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.quantization import ImperativeCalcOutScale
            net = paddle.nn.Sequential(paddle.nn.ReLU())
            ImperativeCalcOutScale().calc_out_scale(net)
            net(paddle.to_tensor([2.0]))
            print(round(net[0]._out_scale._scale.item(), 4))  # 1.5263, which is (0.9 + 2) / 1.9
    """

    def __init__(self, moving_rate: float = 0.9) -> None:
        self._rate = moving_rate

    def calc_out_scale(self, model: Layer) -> None:
        """Lets the Layers of a model take down their results in training.

        Args:
            model (Layer): before or after ImperativeQuantAware.
        """
        if not isinstance(model, Layer):
            raise TypeError(
                "ImperativeCalcOutScale.calc_out_scale(model): expected a Layer, but got "
                f"{type(model).__name__}."
            )
        for layer in model.sublayers(include_self=True):
            if isinstance(layer, _TYPES) and not hasattr(layer, _KEY):
                layer.add_sublayer(_KEY, _Scale(self._rate))
                layer.register_forward_post_hook(_watch)

    def op_match(self, op: Any, ops_list: Any, op_count: Any) -> bool:
        """Would find operators by the names of Layers.

        Args:
            op (str): a name.
            ops_list (list): names.
            op_count (dict): how often each was found.

        Raises:
            NotImplementedError: :meth:`save_quantized_model` finds them without.
        """
        raise NotImplementedError(
            "ImperativeCalcOutScale.op_match: part of how 2.0 finds operators while it saves; "
            "call save_quantized_model, which goes by the results of the Layers."
        )

    def save_quantized_model(
        self, layer: Layer, path: str, input_spec: Any = None, **config: Any
    ) -> None:
        """Saves a Program for inference; ``out_threshold`` of operators says what was taken down.

        Args:
            layer (Layer): what :meth:`calc_out_scale` was given, trained.
            path (str): files are called so, with their ends.
            input_spec (list, optional): as in paddle.jit.save.
            **config: as in paddle.jit.save.

        Raises:
            ValueError: :meth:`calc_out_scale` was not called.
        """
        if not _scales(layer):
            raise InvalidArgumentError(
                "ImperativeCalcOutScale.save_quantized_model: call calc_out_scale(model) first."
            )
        save_with_scales(layer, path, input_spec, **config)


def save_with_scales(layer: Layer, path: str, input_spec: Any = None, **config: Any) -> None:
    """Saves a Program for inference, and in it what the Layers have taken down.

    Args:
        layer (Layer): what to save.
        path (str): files are called so, with their ends.
        input_spec (list, optional): as in paddle.jit.save.
        **config: as in paddle.jit.save.
    """
    for scale in _scales(layer):
        scale.names.clear()
    training = layer.training
    layer.eval()
    try:
        jit.save(layer, path, input_spec=input_spec, **config)
    finally:
        if training:
            layer.train()
    seen = [scale for scale in _scales(layer) if scale.has_seen()]
    scales = {name: scale.scale() for scale in seen for name in scale.names}
    if scales:
        rewrite(path, lambda program, _: _marked(program, scales))


def _marked(program: Program, scales: dict[str, float]) -> Program:
    """Writes scales into the operators that make these results."""
    for op in program.global_block().ops:
        slot = result_slot(op.type)
        for name in op.outputs.get(slot or "", []):
            if name in scales:
                op.attrs["out_threshold"] = scales[name]
                op.attrs["with_quant_attr"] = True
    return program
