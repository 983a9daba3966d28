"""WeightQuantization: a saved model becomes smaller, its weights being 8 or 16 bits."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CPUPlace
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope, scope_guard
from paddle.ir.operator import Operator
from paddle.quantization.inserting import check_choice
from paddle.quantization.numbers import (
    check_finite,
    held,
    integers,
    put,
    scales_of,
    steps_of,
    top_step,
    values_of,
)
from paddle.quantization.tables import STORED
from paddle.static.io_folder import save_inference_model
from paddle.static.io_inference import load_inference_model

__all__ = ["WeightQuantization"]

_NAME = "WeightQuantization"


class WeightQuantization:
    """Stores the weights of a saved model in fewer bits; computing stays in floats.

    The small model, in the folder ``quantized_model``, is for Paddle Lite, which makes floats of
    the weights as it loads them. ``test_model`` has these floats, and runs anywhere.

    Args:
        model_dir (str): the folder of the model, or the prefix of its files.
        model_filename (str, optional): the file of the Program in the folder.
        params_filename (str, optional): the file of the parameters in the folder.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle import static
            from paddle.quantization import WeightQuantization
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 40])
                y = static.nn.fc(x, 30, bias_attr=False)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            with tempfile.TemporaryDirectory() as folder:
                net = os.path.join(folder, "net")
                static.save_inference_model(net, [x], [y], exe, program=main)
                small = WeightQuantization(net)
                small.quantize_weight_to_int(
                    folder, save_params_filename="w", quantizable_op_type=["mul", "matmul_v2"])
                print(os.path.getsize(os.path.join(folder, "quantized_model", "w")) < 1400)  # True
            paddle.disable_static()
    """

    def __init__(
        self, model_dir: str, model_filename: str | None = None, params_filename: str | None = None
    ) -> None:
        self._path = os.fspath(model_dir)
        files = {"model_filename": model_filename, "params_filename": params_filename}
        self._files = {k: v for k, v in files.items() if v is not None}

    def quantize_weight_to_int(
        self,
        save_model_dir: str,
        save_model_filename: str | None = None,
        save_params_filename: str | None = None,
        quantizable_op_type: Any = ["conv2d", "mul"],  # noqa: B006
        weight_bits: int = 8,
        weight_quantize_type: str = "channel_wise_abs_max",
        generate_test_model: bool = False,
        threshold_rate: float = 0.0,
    ) -> None:
        """Stores weights as whole numbers, with scales in attributes of their operators.

        Args:
            save_model_dir (str): the folder; ``quantized_model`` is made in it.
            save_model_filename (str, optional): the file of the Program. Default: ``__model__``.
            save_params_filename (str, optional): the file of all parameters. Default: one for each.
            quantizable_op_type (list): which operators' weights: convolutions, products, and, which
                PaddlePaddle does not have here, ``lookup_table lookup_table_v2 lstm gru rnn``.
            weight_bits (int): 8 or 16. Default: 8.
            weight_quantize_type (str): ``abs_max`` or ``channel_wise_abs_max``.
            generate_test_model (bool): also make ``test_model``. Default: False.
            threshold_rate (float): the share of a weight's largest values that are cut off; only
                with ``abs_max``. Default: 0.

        Raises:
            ValueError: a type or a number of bits that there is not.
        """
        for kind in quantizable_op_type:
            if kind not in STORED:
                raise InvalidArgumentError(
                    f"{_NAME}(quantizable_op_type): expected some of {list(STORED)}, "
                    f"but got {kind!r}."
                )
        if weight_bits not in (8, 16):
            raise InvalidArgumentError(
                f"{_NAME}(weight_bits): expected 8 or 16, but got {weight_bits!r}."
            )
        allowed = ("abs_max", "channel_wise_abs_max")
        check_choice(weight_quantize_type, allowed, f"{_NAME}(weight_quantize_type)")
        if not 0 <= threshold_rate < 1 or (threshold_rate and weight_quantize_type != "abs_max"):
            raise InvalidArgumentError(
                f"{_NAME}(threshold_rate): expected a share below 1, with abs_max only, but got "
                f"{threshold_rate!r}."
            )
        by_channel = weight_quantize_type == "channel_wise_abs_max"

        def bits_of(op: Operator, name: str, weight: np.ndarray, real: bool) -> np.ndarray:
            axis = STORED[op.type][1] if by_channel else None
            scales = scales_of(weight, axis)
            if threshold_rate:
                limit = np.quantile(np.abs(weight), 1 - threshold_rate)
                scales = np.array([limit], "float32")
            steps = steps_of(weight, scales, weight_bits, axis)
            for key, value in (
                ("quantization_type", f"post_weight_{weight_quantize_type}"),
                ("quantize_weight_bits", weight_bits),
                ("with_quant_attr", True),
                (f"{name}_quant_scale", (scales / top_step(weight_bits)).tolist()),
            ):
                op._set_attr(key, value)
            if real:
                return values_of(steps, scales, weight_bits, axis)
            return integers(steps, weight_bits)

        kinds = list(quantizable_op_type)
        names = (save_model_filename, save_params_filename)
        folder = os.path.join(save_model_dir, "quantized_model")
        self._write(folder, names, kinds, lambda op, name, w: bits_of(op, name, w, False))
        if generate_test_model:
            folder = os.path.join(save_model_dir, "test_model")
            self._write(folder, names, kinds, lambda op, name, w: bits_of(op, name, w, True))

    def convert_weight_to_fp16(self, save_model_dir: str) -> None:
        """Stores the weights of all operators with one as halves.

        Args:
            save_model_dir (str): the folder; it is made if needed.
        """

        def half(op: Operator, name: str, weight: np.ndarray) -> np.ndarray:
            return weight.astype("float16")

        self._write(save_model_dir, (None, None), list(STORED), half)

    def _load(self, executor: Executor) -> Any:
        try:
            return load_inference_model(self._path, executor, **self._files)
        except InvalidArgumentError as error:
            if "got int8" in str(error) or "got int16" in str(error):
                raise InvalidArgumentError(
                    f"{_NAME}: the weights of {self._path!r} are quantised already, for Paddle "
                    "Lite. Give the model in floats."
                ) from error
            raise

    def _write(
        self, folder: str, names: tuple, kinds: list[str], change: Callable[..., np.ndarray]
    ) -> None:
        executor = Executor(CPUPlace())
        scope = Scope()
        with scope_guard(scope):
            program, feeds, fetches = self._load(executor)
            block = program.global_block()
            done: dict[str, np.ndarray] = {}
            for op in block.ops:
                if op.type not in kinds:
                    continue
                for name in op.inputs.get(STORED[op.type][0], ()):
                    var = block.var(name)
                    if not var.persistable or len(var.shape) < 2:  # a bias of rnn
                        continue
                    weight = held(scope, name) if name not in done else done[name]
                    if weight.dtype.kind != "f":
                        raise InvalidArgumentError(
                            f"{_NAME}: weight {name!r} of {op.type} is {weight.dtype}: it is "
                            "quantised already. Give the model in floats."
                        )
                    check_finite(weight, name)
                    done[name] = weight
                    put(scope, name, change(op, name, weight))
            if not done:
                warnings.warn(
                    f"{_NAME}: nothing to quantise: no operator of {kinds} with a weight is in "
                    "the model, which is saved as it is.",
                    stacklevel=3,
                )
            save_inference_model(
                folder, feeds, fetches, executor, program,
                model_filename=names[0], params_filename=names[1],
            )  # fmt: skip
