"""Opt: turns a saved model into one `.nb` file, and lists operators."""

from __future__ import annotations

import os
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.inference.config import Config
from paddle.inference.lite_export.layout import nb_bytes, write_nb
from paddle.inference.lite_export.lowering import WHERE, lower
from paddle.inference.lite_export.rules import RULES
from paddle.inference.program_summary import operator_counts
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel

_WEIGHTS = {"QUANT_INT8": "int8", "QUANT_INT16": "int16"}


class Opt:
    """Turns a saved model into a file of the lite runtime.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            from paddle.inference.lite_export import Opt

            net = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.ReLU())
            folder = tempfile.mkdtemp()
            spec = [paddle.static.InputSpec([None, 4], "float32")]
            paddle.jit.save(net, os.path.join(folder, "net"), input_spec=spec)
            opt = Opt()
            opt.set_model_dir(os.path.join(folder, "net"))
            opt.set_optimize_out(os.path.join(folder, "small"))
            print(os.path.basename(opt.run()))  # small.nb
    """

    def __init__(self) -> None:
        self._files: tuple[str, ...] = ()
        self._file, self._params, self._out = "", "", ""
        self._smaller, self._weights = False, "int8"

    def set_model_dir(self, path: str) -> None:
        """Names the model: the prefix of a 2.x model, or the folder of a 1.x model."""
        self._files = (os.fspath(path),)

    def set_model_file(self, path: str) -> None:
        """Names the file of the program; :meth:`set_param_file` names the other one."""
        self._file = os.fspath(path)

    def set_param_file(self, path: str) -> None:
        """Names the file of the parameters."""
        self._params = os.fspath(path)

    def set_optimize_out(self, path: str) -> None:
        """Names the file to write; ``.nb`` is added where it is not there."""
        self._out = os.fspath(path)

    def set_model_type(self, kind: str) -> None:
        """Says which form is written: "naive_buffer", the only one.

        Raises:
            InvalidArgumentError: another one is asked for.
        """
        if kind != "naive_buffer":
            raise InvalidArgumentError(
                f"{WHERE}: expected 'naive_buffer', but received {kind!r}.",
                hint="paddle.static.save_inference_model writes models of PaddlePaddle",
            )

    def set_valid_places(self, places: str) -> None:
        """Says where it is to run: "arm", "x86" or "host", joined by commas; a file suits all.

        Raises:
            InvalidArgumentError: another place is asked for.
        """
        unknown = [p for p in places.split(",") if p.strip() not in ("arm", "x86", "host")]
        if unknown:
            raise InvalidArgumentError(
                f"{WHERE}: expected arm, x86 or host, but received {', '.join(unknown)}: the lite "
                "runtime computes on processors alone."
            )

    def set_quant_model(self, on: bool) -> None:
        """Says whether weights are stored as whole numbers; see :meth:`set_quant_type`."""
        self._smaller = bool(on)

    def set_quant_type(self, kind: str) -> None:
        """Says in how many bits weights of convolutions and products are stored.

        Args:
            kind (str): "QUANT_INT8" or "QUANT_INT16".

        Raises:
            InvalidArgumentError: another one is asked for.
        """
        if kind not in _WEIGHTS:
            raise InvalidArgumentError(
                f"{WHERE}: expected {' or '.join(_WEIGHTS)}, but received {kind!r}."
            )
        self._weights = _WEIGHTS[kind]

    def run(self) -> str:
        """Writes the file; returns its path.

        Raises:
            PreconditionNotMetError: no model, or no file to write, was named.
            UnimplementedError: operators are outside of the lite runtime; lists all, with reasons.
        """
        if not self._out:
            raise PreconditionNotMetError(f"{WHERE}: set_optimize_out names the file to write.")
        out = self._out if self._out.endswith(".nb") else self._out + ".nb"
        write_nb(out, nb_bytes(lower(self._model()), self._weights if self._smaller else "float32"))
        return out

    def print_supported_ops(self) -> list[str]:
        """Prints the types of operators that can be lowered; returns them."""
        print("\n".join(sorted(RULES)))
        return sorted(RULES)

    def check_if_model_supported(self) -> bool:
        """Prints how often each operator occurs in the model, as saved, and what is outside."""
        counts = operator_counts(self._model().programs[MAIN])
        for kind, count in sorted(counts.items()):
            if kind not in ("feed", "fetch"):
                print(f"{count:5} {kind}")
        try:
            lower(self._model())
        except UnimplementedError as error:
            print(error)
            return False
        return True

    def _model(self) -> SavedModel:
        files: tuple[Any, ...] = (self._file, self._params) if self._file else self._files
        if not files or not all(files):
            raise PreconditionNotMetError(
                f"{WHERE}: no model was named.",
                hint="set_model_dir(prefix_or_folder), or set_model_file and set_param_file",
            )
        return Config(*files).read_model()
