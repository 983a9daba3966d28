"""Evaluators of 1.x: they add up over batches in variables of the Program."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.user_frame import outside
from paddle.fluid import layers
from paddle.fluid.detection_map import cleared, maps
from paddle.fluid.executor import _fetch_var
from paddle.fluid.layers.labelling import edit_distance
from paddle.fluid.recording import fill, recorded
from paddle.ir.current import default_main_program, program_guard
from paddle.ir.program import Program

__all__ = ["ChunkEvaluator", "DetectionMAP", "EditDistance"]


class Evaluator:
    """Base of the evaluators.

    Args:
        name (str): what variables are named after.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self).__name__} of fluid.evaluator is deprecated: use fluid.metrics.",
            DeprecationWarning,
            stacklevel=outside(),
        )
        self.states: list[Any] = []
        self.metrics: list[Any] = []
        self._stem = unique_name.generate(name)

    def reset(self, executor: Any, reset_program: Any = None) -> None:
        """Puts zeros in place of what was added up.

        Args:
            executor (Executor): runs that.
            reset_program (Program, optional): gets the operators; None makes one.
        """
        startup = Program() if reset_program is None else reset_program
        with program_guard(Program(), startup):
            for var in self.states:
                fill(var.name, list(var.shape), var.dtype, 0.0)
        executor.run(startup)

    def eval(self, executor: Any, eval_program: Any = None) -> Any:
        """Returns what was added up, as a metric.

        Args:
            executor (Executor): ran the batches.
            eval_program (Program, optional): not needed.
        """
        raise NotImplementedError("use an evaluator derived from this one.")

    def _create_state(self, suffix: str, dtype: str, shape: list[int]) -> Any:
        made = default_main_program().global_block().create_var(
            name=f"{self._stem}_{len(self.states)}_{suffix}", persistable=True, dtype=dtype,
            shape=shape, stop_gradient=True,
        )  # fmt: skip
        self.states.append(made)
        return made

    def _add(self, state: Any, value: Any) -> None:
        """Lets every run add a value to a state."""
        block = default_main_program().current_block()
        block.append_op("sum", {"X": [state, value]}, {"Out": [state]})

    def _values(self) -> list[Any]:
        return [_fetch_var(state) for state in self.states]


class ChunkEvaluator(Evaluator):
    """Precision, recall and F1 of chunks, added up over batches.

    Args:
        input (Variable): the labels that were predicted, with levels.
        label (Variable): those that are right.
        chunk_scheme (str): ``IOB``, ``IOE``, ``IOBES`` or ``plain``.
        num_chunk_types (int): how many types of chunks.
        excluded_chunk_types (list[int], optional): types that do not count.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                found = fluid.layers.data("found", [1], dtype="int64", lod_level=1)
                right = fluid.layers.data("right", [1], dtype="int64", lod_level=1)
                evaluator = fluid.evaluator.ChunkEvaluator(found, right, "IOB", 3)
            print(len(evaluator.metrics))  # 3
            paddle.disable_static()
    """

    def __init__(
        self,
        input: Any,
        label: Any,
        chunk_scheme: str,
        num_chunk_types: int,
        excluded_chunk_types: Any = None,
    ) -> None:
        super().__init__("chunk_eval")
        if default_main_program().current_block().idx != 0:
            raise ValueError("ChunkEvaluator: expected to be made in the global block.")
        names = ("num_infer_chunks", "num_label_chunks", "num_correct_chunks")
        states = [self._create_state(name, "int64", [1]) for name in names]
        found = layers.chunk_eval(
            input=input, label=label, chunk_scheme=chunk_scheme, num_chunk_types=num_chunk_types,
            excluded_chunk_types=excluded_chunk_types,
        )  # fmt: skip
        for state, value in zip(states, found[3:], strict=True):
            self._add(state, value)
        self.metrics.extend(found[:3])

    def eval(self, executor: Any, eval_program: Any = None) -> Any:
        """Returns precision, recall and F1, each an array of one.

        Args:
            executor (Executor): ran the batches.
            eval_program (Program, optional): not needed.
        """
        inferred, labelled, right = (int(v[0]) for v in self._values())
        precision = right / inferred if inferred else 0.0
        recall = right / labelled if labelled else 0.0
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        return tuple(np.array([v], "float32") for v in (precision, recall, f1))


class EditDistance(Evaluator):
    """The mean edit distance, and the part of sequences with an error.

    Args:
        input (Variable): sequences that were predicted, with levels.
        label (Variable): those that are right.
        ignored_tokens (list[int], optional): tokens that are taken out before.
        **kwargs: none.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                found = fluid.layers.data("found", [1], dtype="int64", lod_level=1)
                right = fluid.layers.data("right", [1], dtype="int64", lod_level=1)
                evaluator = fluid.evaluator.EditDistance(found, right)
            print(len(evaluator.metrics))  # 2
            paddle.disable_static()
    """

    def __init__(self, input: Any, label: Any, ignored_tokens: Any = None, **kwargs: Any) -> None:
        super().__init__("edit_distance")
        if default_main_program().current_block().idx != 0:
            raise ValueError("EditDistance: expected to be made in the global block.")
        states = [
            self._create_state("total_distance", "float32", [1]),
            self._create_state("seq_num", "int64", [1]),
            self._create_state("instance_error", "int64", [1]),
        ]
        distances, count = edit_distance(input=input, label=label, ignored_tokens=ignored_tokens)
        whole = {"dim": [0], "keep_dim": False, "reduce_all": True}
        zero = recorded("fill_constant", {}, {"shape": [1], "value": 0.0, "dtype": 5}, stop=True)
        right = recorded("equal", {"X": distances, "Y": zero}, {"axis": -1}, stop=True)
        right = recorded("cast", {"X": right}, {"in_dtype": 0, "out_dtype": 3}, stop=True)
        correct = recorded("reduce_sum", {"X": right}, whole, stop=True)
        wrong = recorded("elementwise_sub", {"X": count, "Y": correct}, {"axis": -1}, stop=True)
        total = recorded("reduce_sum", {"X": distances}, whole, stop=True)
        for state, value in zip(states, (total, count, wrong), strict=True):
            self._add(state, value)
        self.metrics.extend([total, wrong])

    def eval(self, executor: Any, eval_program: Any = None) -> Any:
        """Returns the mean distance and the part of sequences with an error, as arrays of one.

        Args:
            executor (Executor): ran the batches.
            eval_program (Program, optional): not needed.
        """
        total, count, wrong = self._values()
        number = count.astype("float32")
        return total / number, wrong.astype("float32") / number


class DetectionMAP(Evaluator):
    """Mean average precision of a batch, and of all batches since ``reset``.

    Args:
        input (Variable): detections [M, 6] with a level for the images.
        gt_label (Variable): classes of the true boxes [N, 1].
        gt_box (Variable): the boxes [N, 4].
        gt_difficult (Variable, optional): 1 for those that are hard to see.
        class_num (int): how many classes there are.
        background_label (int): class of the background. Default: 0.
        overlap_threshold (float): from which overlap on boxes fit. Default: 0.5.
        evaluate_difficult (bool): count what is hard to see. Default: True.
        ap_version (str): ``integral`` or ``11point``. Default: integral.
    """

    def __init__(
        self,
        input: Any,
        gt_label: Any,
        gt_box: Any,
        gt_difficult: Any = None,
        class_num: Any = None,
        background_label: int = 0,
        overlap_threshold: float = 0.5,
        evaluate_difficult: bool = True,
        ap_version: str = "integral",
    ) -> None:
        super().__init__("map_eval")
        attrs = {
            "class_num": class_num, "background_label": background_label,
            "overlap_threshold": overlap_threshold, "evaluate_difficult": evaluate_difficult,
            "ap_type": ap_version,
        }  # fmt: skip
        made = maps(self._stem, input, (gt_label, gt_difficult, gt_box), attrs, False)
        self.cur_map, self.accum_map, self.has_state, self.states = made

    def get_map_var(self) -> tuple[Any, Any]:
        """Returns the variables of the batch's mean and of that of all batches."""
        return self.cur_map, self.accum_map

    def reset(self, executor: Any, reset_program: Any = None) -> None:
        """Forgets the batches so far.

        Args:
            executor (Executor): runs that.
            reset_program (Program, optional): gets the operators; None makes one.
        """
        cleared(executor, [self.has_state], reset_program)
