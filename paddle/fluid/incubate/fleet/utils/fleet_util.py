"""Fleet of 1.x: tools of click-through training: metrics over all workers, Programs, passes."""

from __future__ import annotations

import logging
import math
import os
import re
import sys
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.distributed.fleet import metrics
from paddle.distributed.fleet.base.roles import UTIL
from paddle.executor.scope import global_scope
from paddle.fluid.incubate.fleet.utils import pslib_only, utils

__all__ = ["FleetUtil"]

_logger = logging.getLogger(__name__)
_WIDEST, _EXACT = 0.01, 0.05  # of the buckets that are compared together


class FleetUtil:
    """Tools for the scripts of fleet in 1.x.

    Args:
        mode (str): ``"pslib"`` or ``"transpiler"``; both ask the fleet that was initialised.

    Raises:
        ValueError: another mode.

    Examples:
        .. code-block:: python

            import paddle.distributed.fleet as fleet
            from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil
            fleet.init(is_collective=True)
            FleetUtil("transpiler").rank0_print("ready")  # ready
    """

    def __init__(self, mode: str = "pslib") -> None:
        if mode not in ("pslib", "transpiler"):
            raise InvalidArgumentError(
                f"FleetUtil(mode): expected 'pslib' or 'transpiler', but received {mode!r}."
            )

    def _first(self, name: str) -> bool:
        if UTIL.role_maker is None:
            raise PreconditionNotMetError(
                f"FleetUtil.{name}: fleet does not know yet which role this process has.",
                hint="call fleet.init() first",
            )
        return UTIL.role_maker._is_first_worker()

    def rank0_print(self, s: str) -> None:
        """Prints on the first worker.

        Args:
            s (str): what is printed.
        """
        if self._first("rank0_print"):
            print(s)
            sys.stdout.flush()

    def rank0_info(self, s: str) -> None:
        """Logs on the first worker.

        Args:
            s (str): what is logged.
        """
        if self._first("rank0_info"):
            _logger.info(s)

    def rank0_error(self, s: str) -> None:
        """Logs an error on the first worker.

        Args:
            s (str): what is logged.
        """
        if self._first("rank0_error"):
            _logger.error(s)

    def set_zero(
        self, var_name: str, scope: Any = None, place: Any = None, param_type: str = "int64"
    ) -> None:
        """Sets a variable to zeros.

        Args:
            var_name (str): its name.
            scope (Scope, optional): where it is; None means the global one.
            place (Place, optional): where its values are put.
            param_type (str): its type.
        """
        tensor = (global_scope() if scope is None else scope).var(var_name).get_tensor()
        tensor.set(np.zeros(tensor.shape(), param_type), place)

    def get_global_auc(
        self,
        scope: Any = None,
        stat_pos: str = "_generated_var_2",
        stat_neg: str = "_generated_var_3",
    ) -> float | None:
        """Returns the area under the ROC curve over all workers; None where nothing was counted.

        Args:
            scope (Scope, optional): where the variables are; None means the global one.
            stat_pos (str): the variable of positive samples by bucket.
            stat_neg (str): the variable of negative ones.
        """
        found = global_scope() if scope is None else scope
        if found.find_var(stat_pos) is None or found.find_var(stat_neg) is None:
            self.rank0_print("not found auc bucket")
            return None
        return metrics.auc(stat_pos, stat_neg, found, UTIL)

    def print_global_auc(
        self,
        scope: Any = None,
        stat_pos: str = "_generated_var_2",
        stat_neg: str = "_generated_var_3",
        print_prefix: str = "",
    ) -> None:
        """Prints the area under the ROC curve over all workers on the first one.

        Args:
            scope (Scope, optional): where the variables are; None means the global one.
            stat_pos (str): the variable of positive samples by bucket.
            stat_neg (str): the variable of negative ones.
            print_prefix (str): stands before it.
        """
        self.rank0_print(
            f"{print_prefix} global auc = {self.get_global_auc(scope, stat_pos, stat_neg)}"
        )

    def get_global_metrics(
        self,
        scope: Any = None,
        stat_pos_name: str = "_generated_var_2",
        stat_neg_name: str = "_generated_var_3",
        sqrerr_name: str = "sqrerr",
        abserr_name: str = "abserr",
        prob_name: str = "prob",
        q_name: str = "q",
        pos_ins_num_name: str = "pos",
        total_ins_num_name: str = "total",
    ) -> list:
        """Returns what click-through models are judged by, over all workers.

        Args:
            scope (Scope, optional): where the variables are; None means the global one.
            stat_pos_name (str): positive samples by bucket.
            stat_neg_name (str): negative samples by bucket.
            sqrerr_name (str): the sum of squared errors.
            abserr_name (str): the sum of absolute errors.
            prob_name (str): the sum of predictions.
            q_name (str): the sum of values q.
            pos_ins_num_name (str): the number of positive samples.
            total_ins_num_name (str): the number of samples.

        Returns:
            list: auc, bucket error, mae, rmse, actual and predicted rate, their quotient, the mean
                of q, the number of samples; all None where a variable is missing.
        """
        found = global_scope() if scope is None else scope
        sums = (sqrerr_name, abserr_name, prob_name, q_name, pos_ins_num_name, total_ins_num_name)
        for name in (stat_pos_name, stat_neg_name, *sums):
            if found.find_var(name) is None:
                self.rank0_print(f"not found {name}")
                return [None] * 9
        auc = self.get_global_auc(found, stat_pos_name, stat_neg_name)
        pos = metrics.sum(stat_pos_name, found, UTIL)[0]
        neg = metrics.sum(stat_neg_name, found, UTIL)[0]
        squared, absolute, prob, q, clicked, total = (
            float(metrics.sum(name, found, UTIL).reshape(-1)[0]) for name in sums
        )
        actual, predicted = clicked / total, prob / total
        quotient = actual / predicted if predicted > 1e-6 else 0.0
        return [
            auc, _bucket_error(pos, neg), absolute / total, math.sqrt(squared / total), actual,
            predicted, quotient, q / total, int(total),
        ]  # fmt: skip

    def print_global_metrics(
        self,
        scope: Any = None,
        stat_pos_name: str = "_generated_var_2",
        stat_neg_name: str = "_generated_var_3",
        sqrerr_name: str = "sqrerr",
        abserr_name: str = "abserr",
        prob_name: str = "prob",
        q_name: str = "q",
        pos_ins_num_name: str = "pos",
        total_ins_num_name: str = "total",
        print_prefix: str = "",
    ) -> None:
        """Prints on the first worker what :meth:`get_global_metrics` returns.

        Args:
            scope (Scope, optional): where the variables are; None means the global one.
            stat_pos_name (str): positive samples by bucket.
            stat_neg_name (str): negative samples by bucket.
            sqrerr_name (str): the sum of squared errors.
            abserr_name (str): the sum of absolute errors.
            prob_name (str): the sum of predictions.
            q_name (str): the sum of values q.
            pos_ins_num_name (str): the number of positive samples.
            total_ins_num_name (str): the number of samples.
            print_prefix (str): stands before it.
        """
        got = self.get_global_metrics(
            scope, stat_pos_name, stat_neg_name, sqrerr_name, abserr_name, prob_name, q_name,
            pos_ins_num_name, total_ins_num_name,
        )  # fmt: skip
        if got[-1] is None:
            return
        names = ("AUC", "BUCKET_ERROR", "MAE", "RMSE", "Actural_CTR", "Predicted_CTR", "COPC",
                 "MEAN Q_VALUE", "Ins number")  # fmt: skip
        shown = [f"{n}={v:.6f}" if n != names[-1] else f"{n}={v}" for n, v in zip(names, got)]
        self.rank0_print(f"{print_prefix} global {' '.join(shown)}")

    def get_online_pass_interval(
        self,
        days: str,
        hours: str,
        split_interval: Any,
        split_per_pass: Any,
        is_data_hourly_placed: bool,
    ) -> list[list[str]]:
        """Returns which parts of a day's data each pass of online training takes.

        Args:
            days (str): has no meaning for the result, as in 1.x.
            hours (str): the hours of training, as ``"{0..23}"`` or ``"8 9 10"``.
            split_interval (int|str): minutes of one part.
            split_per_pass (int|str): how many parts a pass takes.
            is_data_hourly_placed (bool): whether parts are named by the hour alone.

        Returns:
            list[list[str]]: the names of the parts, such as ``0830``, of each pass.
        """
        interval, each = int(split_interval), int(split_per_pass)
        listed = _expanded(hours)
        parts = []
        for minute in range(0, 24 * 60 // interval * interval, interval):
            if listed[0] <= minute // 60 <= listed[-1]:
                end = "" if is_data_hourly_placed else f"{minute % 60:02d}"
                parts.append(f"{minute // 60:02d}{end}")
        return [parts[i : i + each] for i in range(0, len(parts) - each + 1, each)]

    def program_type_trans(self, prog_dir: str, prog_fn: str, is_text: bool) -> str:
        """Writes a Program of one form, text or bytes, in the other one, beside it.

        Args:
            prog_dir (str): the folder.
            prog_fn (str): the file in it.
            is_text (bool): whether that is the text form.

        Returns:
            str: the new file's name.
        """
        return utils.program_type_trans(prog_dir, prog_fn, is_text)

    def draw_from_program_file(
        self, model_filename: str, is_text: bool, output_dir: str, output_filename: str
    ) -> None:
        """Draws the Program of a file.

        Args:
            model_filename (str): the file.
            is_text (bool): whether it is the text form.
            output_dir (str): the folder of what is drawn.
            output_filename (str): its name, without an ending.
        """
        self.draw_from_program(
            utils.load_program(model_filename, is_text), output_dir, output_filename
        )

    def draw_from_program(self, program: Any, output_dir: str, output_name: str) -> None:
        """Draws a Program.

        Args:
            program (Program): the Program.
            output_dir (str): the folder of what is drawn.
            output_name (str): its name, without an ending.
        """
        utils.graphviz(program.global_block(), output_dir, output_name)

    def check_two_programs(self, config: Any) -> bool:
        """Says whether the variables of a pruned Program are those of the trained one.

        Args:
            config (Any): has ``train_prog_path``, ``is_text_train_program``, ``pruned_prog_path``,
                ``is_text_pruned_program``, ``draw`` and ``draw_out_name``.
        """
        trained = utils.load_program(config.train_prog_path, config.is_text_train_program)
        pruned = utils.load_program(config.pruned_prog_path, config.is_text_pruned_program)
        if config.draw:
            folder = os.path.dirname(config.pruned_prog_path)
            self.draw_from_program(pruned, folder, config.draw_out_name)
        return utils.check_pruned_program_vars(trained, pruned)

    def check_vars_and_dump(self, config: Any) -> list:
        """Loads a saved model, compares its variables with its files, and runs it.

        Args:
            config (Any): has ``dump_model_dir``, ``dump_program_filename``,
                ``is_text_dump_program``, ``feed_config``, ``fetch_config``, ``batch_size`` and
                ``save_params_filename``.

        Returns:
            list: the values of the outputs.
        """
        return utils.check_saved_vars_try_dump(
            config.dump_model_dir, config.dump_program_filename, config.is_text_dump_program,
            config.feed_config, config.fetch_config, config.batch_size,
            config.save_params_filename,
        )  # fmt: skip

    def parse_program_proto(self, prog_path: str, is_text: bool, output_dir: str) -> None:
        """Lists what a Program in a file has, in three files.

        Args:
            prog_path (str): the file.
            is_text (bool): whether it is the text form.
            output_dir (str): the folder of the lists.
        """
        utils.parse_program(utils.load_program(prog_path, is_text), output_dir)


for _name, _method in pslib_only.methods().items():
    setattr(FleetUtil, _name, _method)


def _expanded(text: str) -> list[int]:
    """The numbers of ``{0..23}``, ``{1,2}`` or ``1 2``, as a shell expands them."""
    found = re.fullmatch(r"\{(\d+)\.\.(\d+)\}", text.strip())
    if found:
        return list(range(int(found[1]), int(found[2]) + 1))
    parts = text.strip().strip("{}").replace(",", " ").split()
    if not parts or not all(part.isdigit() for part in parts):
        raise InvalidArgumentError(
            f"get_online_pass_interval(hours): expected '{{0..23}}' or '8 9', but got {text!r}."
        )
    return [int(part) for part in parts]


def _bucket_error(pos: np.ndarray, neg: np.ndarray) -> float:
    """How far predictions are from what happened, in spans of buckets with enough samples."""
    count = len(pos)
    last, shown, expected, clicked = -1.0, 0.0, 0.0, 0.0
    errors, weight = 0.0, 0.0
    for i in range(count):
        rate = i / count
        if abs(rate - last) > _WIDEST:
            last, shown, expected, clicked = rate, 0.0, 0.0, 0.0
        here = float(pos[i] + neg[i])
        shown += here
        expected += rate * here
        clicked += float(pos[i])
        mean = expected / shown if shown else 0.0
        if mean == 0 or math.sqrt((1 - mean) / (mean * shown)) >= _EXACT:
            continue
        errors += abs(clicked / shown / mean - 1) * shown
        weight += shown
        last = -1.0
    return errors / weight if weight else 0.0
