"""QuantizeTranspiler of 1.x: the passes of paddle.quantization on Programs in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.executor.scope import global_scope
from paddle.ir.cloning import copy_operator
from paddle.ir.current import default_main_program, default_startup_program
from paddle.ir.operator import Role
from paddle.ir.program import Program
from paddle.quantization.freeze import QuantizationFreezePass
from paddle.quantization.int8_weights import ConvertToInt8Pass
from paddle.quantization.numbers import held, top_step
from paddle.quantization.transform import QuantizationTransformPass
from paddle.static.ir_graph import Graph, IrGraph

__all__ = ["QuantizeTranspiler"]

_KINDS = ("abs_max", "range_abs_max", "moving_average_abs_max")


class QuantizeTranspiler:
    """Changes Programs so that they are trained with rounded numbers, and freezes them.

    Args:
        weight_bits (int): bits of a weight. Default: 8.
        activation_bits (int): bits of a value. Default: 8.
        activation_quantize_type (str): ``abs_max``, ``range_abs_max`` or
            ``moving_average_abs_max``. Default: "abs_max".
        weight_quantize_type (str): the same for weights. Default: "abs_max".
        window_size (int): batches that ``range_abs_max`` looks back on. Default: 10000.
        moving_rate (float): of ``moving_average_abs_max``. Default: 0.9.

    Raises:
        ValueError: a type of quantisation that there is not.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            import paddle
            paddle.enable_static()
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                fluid.layers.fc(fluid.data("x", [None, 3]), 4)
            fluid.contrib.QuantizeTranspiler().training_transpile(main, startup)
            print(main.global_block().ops[0].type)  # fake_quantize_abs_max
            paddle.disable_static()
    """

    def __init__(
        self,
        weight_bits: int = 8,
        activation_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        window_size: int = 10000,
        moving_rate: float = 0.9,
    ) -> None:
        for name, kind in (("weight", weight_quantize_type), ("act", activation_quantize_type)):
            if kind not in _KINDS:
                raise InvalidArgumentError(
                    f"QuantizeTranspiler({'activation' if name == 'act' else name}_quantize_type): "
                    f"expected one of {list(_KINDS)}, but got {kind!r}."
                )
        for bits in (weight_bits, activation_bits):
            top_step(bits)
        self._bits: dict[str, Any] = {
            "weight_bits": weight_bits,
            "activation_bits": activation_bits,
        }
        self._weight, self._activation = weight_quantize_type, activation_quantize_type
        self._window, self._rate = window_size, moving_rate

    def training_transpile(self, program: Any = None, startup_program: Any = None) -> None:
        """Lets products of a Program read rounded numbers; before or after ``minimize``.

        Args:
            program (Program, optional): the main Program. Default: the default one.
            startup_program (Program, optional): gets the first values of scales. Default: the
                default one.
        """
        program = default_main_program() if program is None else program
        startup = default_startup_program() if startup_program is None else startup_program
        graph = IrGraph(Graph(program))
        QuantizationTransformPass(
            activation_quantize_type=self._activation, weight_quantize_type=self._weight,
            window_size=self._window, moving_rate=self._rate, **self._bits,
        ).apply(graph)  # fmt: skip
        for name in _take_over(program, graph.to_program()):
            _start(startup, program.global_block().var(name))

    def freeze_program(self, program: Any, place: Any, scope: Any = None) -> None:
        """Makes whole numbers of the weights of a Program for inference.

        Args:
            program (Program): a clone for testing of what was trained.
            place (Place): where its weights are.
            scope (Scope, optional): in which scope. Default: the global one.
        """
        graph = IrGraph(Graph(program), for_test=True)
        QuantizationFreezePass(
            scope, place, weight_quantize_type=self._weight, **self._bits
        ).apply(graph)  # fmt: skip
        _take_over(program, graph.to_program())

    def convert_to_int8(self, program: Any, place: Any, scope: Any = None) -> None:
        """Keeps the weights of a frozen Program as bytes.

        Args:
            program (Program): what :meth:`freeze_program` has changed.
            place (Place): where its weights are.
            scope (Scope, optional): in which scope. Default: the global one.
        """
        graph = IrGraph(Graph(program), for_test=True)
        ConvertToInt8Pass(scope, place).apply(graph)
        _take_over(program, graph.to_program())


def _take_over(program: Program, made: Program) -> list[str]:
    """Makes one Program equal to another; variables that it has already stay the same objects.

    Returns:
        list[str]: the new variables that outlive a run.
    """
    old, new = program.global_block(), made.global_block()
    fresh = [var for name, var in new.vars.items() if name not in old.vars]
    for var in fresh:
        old.create_var(**var.describe())
    old.ops = [copy_operator(op, old) for op in new.ops]
    return [var.name for var in fresh if var.persistable]


def _start(startup: Program, var: Any) -> None:
    """Lets a startup Program give a variable the value that it has in the scope."""
    value = held(global_scope(), var.name)
    block = startup.global_block()
    block.create_var(name=var.name, shape=list(value.shape), dtype=var.dtype, persistable=True)
    attrs = {
        "shape": list(value.shape), "dtype": int(var.dtype),
        "value": float(np.asarray(value).reshape(-1)[0]), "op_role": int(Role.FORWARD),
    }  # fmt: skip
    block.append_op("fill_constant", {}, {"Out": [var.name]}, attrs)
