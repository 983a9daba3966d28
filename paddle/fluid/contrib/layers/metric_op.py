"""ctr_metric_bundle: what click-through models are judged by, summed up over batches."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.fluid.initializer import Constant
from paddle.fluid.mode import settle_static
from paddle.incubate.layer_helper import LayerHelper

__all__ = ["ctr_metric_bundle"]


def ctr_metric_bundle(input: Any, label: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Adds up errors, predictions, clicks and instances over all batches.

    Args:
        input (Variable): predictions [N, 1].
        label (Variable): clicks [N, 1] as float32.

    Returns:
        tuple: squared errors, absolute errors, predictions, their sigmoids, clicks and instances,
        each [1] and kept from run to run.

    Raises:
        ValueError: the shapes differ.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x, y = fluid.data("x", [None, 1]), fluid.data("y", [None, 1])
            sums = fluid.contrib.layers.ctr_metric_bundle(x, y)
            print([v.persistable for v in sums])  # [True, True, True, True, True, True]
            paddle.disable_static()
    """
    settle_static("fluid.contrib.layers.ctr_metric_bundle")
    if tuple(input.shape) != tuple(label.shape):
        raise InvalidArgumentError(
            f"ctr_metric_bundle: expected a label for each prediction {list(input.shape)}, but "
            f"received {list(label.shape)}."
        )
    helper = LayerHelper("ctr_metric_bundle", **locals())

    def made(shape: list[int], kept: bool = False) -> Any:
        block = helper.main_program.global_block()
        return block.create_var(persistable=kept, dtype="float32", shape=shape)

    kept = {name: made([1], True) for name in ("abs", "sqr", "prob", "q", "pos", "ins")}
    apart, chance, ones = (made([-1]) for _ in range(3))
    batch = {name: made([1]) for name in ("prob", "abs", "sqr", "q", "pos", "ins")}
    for name in kept:
        for var in (kept[name], batch[name]):
            helper.set_variable_initializer(var, Constant(0.0, force_cpu=True))

    def add(kind: str, inputs: dict[str, Any], out: Any, **attrs: Any) -> None:
        helper.append_op(type=kind, inputs=inputs, outputs={"Out": out}, attrs=attrs)

    def summed(name: str, kind: str, x: Any) -> None:
        add(kind, {"X": x}, batch[name])
        add("elementwise_add", {"X": batch[name], "Y": kept[name]}, kept[name])

    add("elementwise_sub", {"X": input, "Y": label}, apart)
    summed("sqr", "squared_l2_norm", apart)
    summed("abs", "l1_norm", apart)
    summed("prob", "reduce_sum", input)
    add("sigmoid", {"X": input}, chance)
    summed("q", "reduce_sum", chance)
    summed("pos", "reduce_sum", label)
    add(
        "fill_constant_batch_size_like", {"Input": label}, ones, shape=[-1, 1],
        dtype=int(ones.dtype), value=1.0,
    )  # fmt: skip
    summed("ins", "reduce_sum", ones)
    return tuple(kept[n] for n in ("sqr", "abs", "prob", "q", "pos", "ins"))  # type: ignore
