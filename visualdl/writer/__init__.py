"""`LogWriter`, which writes the log of a run."""

from __future__ import annotations

import importlib
import logging
import os
import time
import warnings
import weakref
from typing import Any

from visualdl.component import checks, curve, embedding, histogram, hparam, meta, scalar
from visualdl.record import META_TAG, framed
from visualdl.writer.place import file_of, folder_of
from visualdl.writer.samples import Samples
from visualdl.writer.stream import Stream

__all__ = ["LogWriter"]

logger = logging.getLogger("visualdl")
_KEPT_TAGS = 100_000


class LogWriter(Samples):
    """Writes what a run gives to a log file, without holding the run up.

    A thread brings the records to the file. They are written when `max_queue` of them wait, and
    after a second at the latest, so that the board shows them, or after `flush_secs` where that is
    less; nothing is lost when the program ends, or is ended by SIGTERM. What fails there (a full
    disk) is raised at the next call; the records are kept and tried again. A writer may be used by
    several threads, and by processes that are forked: they write to the same file.

    Values may be numbers, NumPy arrays, or Tensors. `step` is a whole number. `walltime` is in
    milliseconds (or in seconds, as a float), and now where it is not given.

    Args:
        logdir (str, optional): folder of the log; each run has its own. `runs/<time>` where it is
            not given.
        comment (str): end of the name of that folder where `logdir` is not given.
        max_queue (int): so many records wait at most before they are written.
        flush_secs (float): so many seconds a record waits at most; one at most in any case.
        filename_suffix (str): end of the name of the log file.
        write_to_disk (bool): False checks arguments, and writes nothing.
        display_name (str): the name the board shows for the run; its folder where empty.
        file_name (str): a log file in `logdir` to go on with; `vdlrecords` is part of its name.
        **kwargs: nothing else is known; a warning names what is given.

    Raises:
        ValueError: an argument is none of what is asked for; the message names it.
        OSError: the folder or the file cannot be made.

    Examples:
        .. code-block:: python

            from visualdl import LogWriter

            with LogWriter(logdir="log/scalar_test/train") as writer:
                for step in range(10):
                    writer.add_scalar(tag="loss", value=1 / (step + 1), step=step)
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str] | None = None,
        comment: str = "",
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        display_name: str = "",
        file_name: str = "",
        **kwargs: Any,
    ) -> None:
        if kwargs:
            warnings.warn(f"LogWriter: unknown arguments {sorted(kwargs)}", stacklevel=2)
        count = checks.whole(max_queue, "max_queue", 1)
        seconds = checks.real(flush_secs, "flush_secs")
        if not seconds >= 0:
            raise ValueError(f"flush_secs: expected 0 or more, but got {flush_secs!r}.")
        first = meta.to_record(display_name=display_name)
        self._logdir = folder_of(logdir, comment)
        self._suffix = filename_suffix
        self._tags: dict[str, bytes] = {}
        self._clock = (0, b"")
        self._stream: Stream | None = None
        if write_to_disk:
            path = file_of(self._logdir, filename_suffix, file_name)
            fresh = not os.path.exists(path) or not os.path.getsize(path)
            self._stream = Stream(path, count, seconds)
            weakref.finalize(self, _finish, self._stream)
            if fresh or display_name:
                self._add(first)
                self._stream.flush()

    # -- the file --------------------------------------------------------------------------------
    @property
    def logdir(self) -> str:
        """The folder of the log."""
        return self._logdir

    @property
    def file_name(self) -> str:
        """The path of the log file; an empty text where nothing is written."""
        return self._stream.path if self._stream else ""

    def flush(self) -> None:
        """Writes everything that waits.

        Raises:
            OSError: it cannot be written.

        Examples:
            .. code-block:: python

                from visualdl import LogReader, LogWriter

                with LogWriter("log/flush_test") as writer:
                    writer.add_scalar("loss", 0.5, step=0)
                    writer.flush()
                    print(LogReader("log/flush_test").get_data("scalar", "loss"))
        """
        if self._stream:
            self._stream.flush()

    def close(self) -> None:
        """Writes everything that waits and closes the file; closing again does nothing.

        Whoever logs after it goes on in the same file, and closes it again or leaves that to the
        end of the program.

        Raises:
            OSError: something could not be written.

        Examples:
            .. code-block:: python

                from visualdl import LogWriter

                writer = LogWriter("log/close_test")
                writer.add_scalar("loss", 0.5, step=0)
                writer.close()
        """
        if self._stream:
            self._stream.close()

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self.close()

    def _add(self, record: Any) -> None:
        """Hands a Record over."""
        self._put(framed(record.SerializeToString()))

    def _put(self, data: bytes) -> None:
        """Hands bytes over."""
        if self._stream:
            self._stream.add(data)

    # -- what can be logged ----------------------------------------------------------------------
    def add_meta(
        self,
        tag: str = META_TAG,
        display_name: str = "",
        step: int = 0,
        walltime: float | None = None,
    ) -> None:
        """Names the run; the last name counts.

        Args:
            tag (str): the tag of such records.
            display_name (str): the name.
            step (int): a step.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                from visualdl import LogWriter

                with LogWriter(logdir="log/meta_test") as writer:
                    writer.add_meta(display_name="the first try")
        """
        self._add(meta.to_record(tag, display_name, step, walltime))

    def add_scalar(self, tag: str, value: Any, step: int, walltime: float | None = None) -> None:
        """Logs a number.

        Args:
            tag (str): the name of the curve; `train/loss` stands among others of `train`.
            value (float): the number, a Tensor of one element, or a number as text ("0.25");
                32 bits of it are kept.
            step (int): its place on the curve.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                from visualdl import LogWriter

                with LogWriter(logdir="log/scalar_test/train") as writer:
                    writer.add_scalar(tag="acc", step=1, value=0.5678)
                    writer.add_scalar(tag="acc", step=2, value=0.6878)
        """
        try:
            field = self._tags[tag]
        except (KeyError, TypeError):
            field = self._tag(tag)
        if type(step) is not int or not 0 <= step < 1 << 63:
            step = checks.step_number(step)
        if type(value) is not float:
            value = checks.logged_number(value, "value")
        if walltime is None:
            now, shown = self._clock
            exact = int(time.time() * 1000)
            if now != exact:
                shown = scalar.varint(exact)
                self._clock = (exact, shown)
        else:
            shown = scalar.varint(checks.milliseconds(walltime))
        if self._stream:
            self._stream.add(scalar.frame(step, field, shown, value))

    def _tag(self, tag: Any) -> bytes:
        """Gives the bytes of a tag, and remembers them."""
        field = scalar.tag_field(checks.tag_name(tag))
        if len(self._tags) >= _KEPT_TAGS:
            self._tags.clear()
        self._tags[tag] = field
        return field

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        step: int,
        walltime: float | None = None,
    ) -> None:
        """Logs several numbers that share a chart.

        Args:
            main_tag (str): the name of the chart.
            tag_scalar_dict (dict): name of each curve -> number.
            step (int): their place.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import math

                from visualdl import LogWriter

                with LogWriter(logdir="log/scalars_test") as writer:
                    for step in range(10):
                        pair = {"sin": math.sin(step), "cos": math.cos(step)}
                        writer.add_scalars("waves", pair, step)
        """
        self._put(scalar.group_to_records(main_tag, tag_scalar_dict, step, walltime))

    def add_histogram(
        self,
        tag: str,
        values: Any,
        step: int,
        walltime: float | None = None,
        buckets: int = 10,
    ) -> None:
        """Logs how values are distributed.

        Args:
            tag (str): their name.
            values (array): numbers of any shape; NaN and infinities are left out.
            step (int): their step.
            walltime (float, optional): a time.
            buckets (int): how many buckets, or a list of their edges.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import numpy as np

                from visualdl import LogWriter

                with LogWriter(logdir="log/histogram_test") as writer:
                    for step in range(5):
                        writer.add_histogram("weights", np.random.randn(1000), step)
        """
        self._add(histogram.to_record(tag, values, step, walltime, buckets))

    def add_embeddings(
        self,
        tag: str,
        mat: Any = None,
        metadata: Any = None,
        metadata_header: Any = None,
        walltime: float | None = None,
        labels: Any = None,
        hot_vectors: Any = None,
        labels_meta: Any = None,
    ) -> None:
        """Logs vectors of many dimensions with their labels.

        Args:
            tag (str): their name.
            mat (array): a vector in each row.
            metadata (list, optional): a label for each vector, or several columns of labels; row
                numbers where it is not given.
            metadata_header (list, optional): the names of the columns.
            walltime (float, optional): a time.
            labels, hot_vectors, labels_meta: the older names of `metadata`, `mat` and
                `metadata_header`.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                from visualdl import LogWriter

                with LogWriter(logdir="log/high_dimensional_test") as writer:
                    vectors = [[1.3, 1.3, 1.6], [1.1, 1.8, 1.3], [1.9, 1.9, 1.2]]
                    writer.add_embeddings("default", mat=vectors, metadata=["a", "b", "c"])
        """
        self._add(
            embedding.to_record(
                tag, mat, metadata, metadata_header, walltime, labels, hot_vectors, labels_meta
            )
        )

    def add_hparams(
        self,
        hparams_dict: dict[str, Any],
        metrics_list: list[str],
        walltime: float | None = None,
    ) -> None:
        """Logs the hyper-parameters of the run.

        Args:
            hparams_dict (dict): name -> number or text; what is None is left out, and of anything
                else (lists, paths, functions) the text is kept.
            metrics_list (list): tags of the scalars of this run that tell how good it is.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                from visualdl import LogWriter

                with LogWriter(logdir="log/hparams_test/run1") as writer:
                    writer.add_hparams({"lr": 0.1, "batch": 32, "optimizer": "sgd"}, ["accuracy"])
                    writer.add_scalar("accuracy", 0.9, step=0)
        """
        name = self.file_name or self._logdir
        self._add(hparam.to_record(hparams_dict, metrics_list, walltime, name))

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        step: int | None = None,
        num_thresholds: int = 10,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a precision-recall curve.

        Args:
            tag (str): its name.
            labels (array): 0 or 1 for each example.
            predictions (array): the probability of 1 for each.
            step (int, optional): its step.
            num_thresholds (int): how many points it has.
            weights (float or array, optional): how much each example counts.
            walltime (float, optional): a time.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import numpy as np

                from visualdl import LogWriter

                with LogWriter("log/pr_curve_test") as writer:
                    labels = np.random.randint(2, size=100)
                    writer.add_pr_curve("pr", labels, np.random.rand(100), 0, num_thresholds=5)
        """
        self._add(
            curve.to_pr_record(tag, labels, predictions, step, num_thresholds, weights, walltime)
        )

    def add_roc_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        step: int | None = None,
        num_thresholds: int = 10,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Logs a ROC curve; the arguments are those of `add_pr_curve`.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import numpy as np

                from visualdl import LogWriter

                with LogWriter("log/roc_curve_test") as writer:
                    labels = np.random.randint(2, size=100)
                    writer.add_roc_curve("roc", labels, np.random.rand(100), 0, num_thresholds=5)
        """
        self._add(
            curve.to_roc_record(tag, labels, predictions, step, num_thresholds, weights, walltime)
        )

    def add_graph(self, model: Any, input_spec: Any, verbose: bool = False) -> None:
        """Writes a model beside the log, for the page of graphs; needs paddle.

        Args:
            model (paddle.nn.Layer): the model.
            input_spec (list): what it is called with, `InputSpec` or Tensors.
            verbose (bool): whether to print the operators.

        Raises:
            ValueError: an argument is none of these.

        Examples:
            .. code-block:: python

                import paddle

                from visualdl import LogWriter

                with LogWriter(logdir="log/graph_test") as writer:
                    spec = paddle.static.InputSpec([None, 4], "float32")
                    writer.add_graph(paddle.nn.Linear(4, 2), [spec])
        """
        from visualdl import graph

        if self._stream:
            graph.write(self._logdir, model, input_spec, self._suffix, verbose)


def _finish(stream: Stream) -> None:
    """Closes the log of a writer that nobody closed."""
    try:
        stream.close()
    except OSError as error:
        logger.error("%s.", error)


def __getattr__(name: str) -> Any:
    """Imports the module `writer` where it is named without being imported."""
    if name == "writer":
        return importlib.import_module("visualdl.writer.writer")
    raise AttributeError(f"module 'visualdl.writer' has no attribute {name!r}")
