"""Mean average precision of detected boxes: of a batch, and of all batches so far."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.fluid import layers
from paddle.fluid.initializer import Constant
from paddle.fluid.mode import settle_static
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.current import default_main_program, default_startup_program, program_guard
from paddle.ir.program import Program


class DetectionMAP:
    """Mean average precision of a batch, and of all batches since ``reset``.

    Args:
        input (Variable): detections [M, 6] with a level for the images.
        gt_label (Variable): classes of the true boxes [N, 1].
        gt_box (Variable): the boxes [N, 4].
        gt_difficult (Variable, optional): 1 for those that are hard to see.
        class_num (int): how many classes there are.
        background_label (int): the class of the background. Default: 0.
        overlap_threshold (float): from which overlap on a detection is right. Default: 0.5.
        evaluate_difficult (bool): whether difficult boxes count. Default: True.
        ap_version (str): ``"integral"`` or ``"11point"``. Default: integral.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            found = fluid.data("found", [None, 6], "float32", lod_level=1)
            label = fluid.data("label", [None, 1], "float32", lod_level=1)
            box = fluid.data("box", [None, 4], "float32", lod_level=1)
            now, total = fluid.metrics.DetectionMAP(found, label, box, class_num=4).get_map_var()
            print(now.shape, total.shape)  # (1,) (1,)
            paddle.disable_static()
    """

    def __init__(
        self, input: Any, gt_label: Any, gt_box: Any, gt_difficult: Any = None,
        class_num: int | None = None, background_label: int = 0, overlap_threshold: float = 0.5,
        evaluate_difficult: bool = True, ap_version: str = "integral",
    ) -> None:  # fmt: skip
        settle_static("fluid.metrics.DetectionMAP")
        self._stem = unique_name.generate("map_eval")
        attrs = {
            "class_num": class_num, "background_label": background_label,
            "overlap_threshold": overlap_threshold, "evaluate_difficult": evaluate_difficult,
            "ap_type": ap_version,
        }  # fmt: skip
        made = maps(self._stem, input, (gt_label, gt_difficult, gt_box), attrs, True)
        self.cur_map, self.accum_map, self.has_state, _ = made

    def get_map_var(self) -> tuple[Any, Any]:
        """Gives the variables of the batch's mAP and of that of all batches."""
        return self.cur_map, self.accum_map

    def reset(self, executor: Any, reset_program: Any = None) -> None:
        """Forgets the batches so far.

        Args:
            executor (Executor): runs it.
            reset_program (Program, optional): takes the operators.
        """
        cleared(executor, [self.has_state], reset_program)


def _clone(block: Any, var: Any) -> Any:
    """The variable of another Program that has the same value."""
    return block.create_var(
        name=var.name, shape=var.shape, dtype=var.dtype, lod_level=var.lod_level, persistable=True
    )


def new_state(stem: str, suffix: str, dtype: str, shape: Any) -> Any:
    """A variable that outlives a run.

    Args:
        stem (str): the first part of its name.
        suffix (str): the last part.
        dtype (str): its type.
        shape (list[int]|None): its shape; None: not known.
    """
    name = f"{unique_name.generate(stem)}_{suffix}"
    return (
        default_main_program()
        .global_block()
        .create_var(name=name, persistable=True, dtype=dtype, shape=shape)
    )


def cleared(executor: Any, states: list[Any], program: Any = None) -> None:
    """Puts zeros in place of states.

    Args:
        executor (Executor): runs it.
        states (list[Variable]): what is cleared.
        program (Program, optional): takes the operators; None: a new one.
    """
    program = Program() if program is None else program
    with program_guard(program):
        for var in states:
            out = _clone(program.current_block(), var)
            layers.fill_constant(shape=out.shape, value=0.0, dtype=out.dtype, out=out)
    executor.run(program)


def maps(
    stem: str, input: Any, truth: tuple[Any, Any, Any], attrs: dict[str, Any], named: bool
) -> tuple[Any, Any, Any, list[Any]]:
    """Adds the mAP of a batch and that of all batches.

    Args:
        stem (str): names of states begin with it.
        input (Variable): detections.
        truth (tuple): labels, difficult marks or None, and boxes.
        attrs (dict): of the operator.
        named (bool): the variable that says whether there are states has a name of its own.

    Returns:
        tuple: both results, that variable, and the states.
    """
    if not isinstance(attrs["class_num"], int) or attrs["class_num"] < 1:
        raise InvalidArgumentError(
            f"DetectionMAP(class_num): expected the number of classes, but received "
            f"{attrs['class_num']}."
        )
    label, difficult, box = truth
    parts = [layers.cast(x=label, dtype=box.dtype)]
    if difficult is not None:
        parts.append(layers.cast(x=difficult, dtype=box.dtype))
    label = layers.concat([*parts, box], axis=1)
    kinds = (("accum_pos_count", "int32"), ("accum_true_pos", "float32"),
             ("accum_false_pos", "float32"))  # fmt: skip
    now = LayerHelper("detection_map").call(
        "detection_map", input, label, None, None, None, None, **attrs,
        order="MAP AccumPosCount AccumTruePos AccumFalsePos",
    )[3]  # fmt: skip
    states = [new_state(stem, name, kind, None) for name, kind in kinds]
    # The operator does not look at what they hold before there is a state.
    for state, shape in zip(states, ([1, 1], [1, 2], [1, 2]), strict=True):
        default_startup_program().global_block().create_var(
            name=state.name, dtype=state.dtype, shape=shape, persistable=True,
            initializer=Constant(0),
        )  # fmt: skip
    has_state = new_state(stem, "has_state", "int32", [1]) if named else (
        default_main_program().global_block().create_var(persistable=True, dtype="int32", shape=[1])
    )  # fmt: skip
    total = LayerHelper("detection_map")
    total.set_variable_initializer(has_state, Constant(0))
    result = (
        default_main_program()
        .current_block()
        .create_var(
            name=unique_name.generate(f"{total.name}.tmp"), dtype="float32", stop_gradient=True
        )
    )
    inputs = dict(zip(("PosCount", "TruePos", "FalsePos"), states, strict=True))
    total.append_op(
        type="detection_map",
        inputs={"DetectRes": input, "Label": label, "HasState": has_state, **inputs},
        outputs={"MAP": result, **{f"Accum{slot}": var for slot, var in inputs.items()}},
        attrs=attrs,
    )
    layers.fill_constant(shape=has_state.shape, value=1, dtype=has_state.dtype, out=has_state)
    return now, result, has_state, states
