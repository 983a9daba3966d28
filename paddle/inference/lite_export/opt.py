"""Opt: turns a saved model into one `.nb` file, and lists operators."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.core.op import REGISTRY
from paddle.inference.config import Config
from paddle.inference.lite_export.layout import nb_bytes, write_nb
from paddle.inference.lite_export.lowering import WHERE, lower
from paddle.inference.lite_export.rules import RULES
from paddle.inference.program_summary import operator_counts
from paddle.serialization.models.layouts import MAIN
from paddle.serialization.models.saved_model import SavedModel
from paddle.version import full_version

_WEIGHTS = {"QUANT_INT8": "int8", "QUANT_INT16": "int16"}
_PROCESSORS = ("arm", "x86", "host")


def _unlike_the_original(call: str, why: str) -> UnimplementedError:
    return UnimplementedError(f"{WHERE}: {call} is not there: {why}.")


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

    def set_valid_places(self, places: str | Sequence[Any]) -> None:
        """Says where it is to run: "arm", "x86" or "host"; a file suits all of them.

        Args:
            places (str|Sequence): names, which commas or blanks join, or a list of names or of
                paddlelite's ``Place``.

        Raises:
            InvalidArgumentError: another place is asked for, or none.
        """
        names = re.split(r"[,\s]+", places.strip()) if isinstance(places, str) else places
        found = [str(getattr(getattr(p, "target", p), "name", p)).lower() for p in names]
        unknown = [name for name in found if name not in _PROCESSORS]
        if unknown or not found:
            raise InvalidArgumentError(
                f"{WHERE}: expected arm, x86 or host, but received {', '.join(unknown) or 'none'}: "
                "the lite runtime computes on processors alone."
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

    def run_optimize(
        self, model_dir: str = "", model_file: str = "", param_file: str = "",
        model_type: str = "naive_buffer", valid_places: str = "arm", optimize_out: str = "",
    ) -> str:  # fmt: skip
        """Sets all of these, and runs; an empty one stays as it was.

        Args:
            model_dir (str): see :meth:`set_model_dir`.
            model_file (str): see :meth:`set_model_file`.
            param_file (str): see :meth:`set_param_file`.
            model_type (str): see :meth:`set_model_type`.
            valid_places (str): see :meth:`set_valid_places`.
            optimize_out (str): see :meth:`set_optimize_out`.
        """
        self.set_model_type(model_type)
        self.set_valid_places(valid_places)
        for name, given in [
            ("model_dir", model_dir), ("model_file", model_file), ("param_file", param_file),
            ("optimize_out", optimize_out),
        ]:  # fmt: skip
            if given:
                getattr(self, f"set_{name}")(given)
        return self.run()

    def set_modelset_dir(self, path: str) -> None:
        """Raises: a library is not cut to a set of models here, as it is small.

        Raises:
            UnimplementedError: always.
        """
        raise _unlike_the_original(
            "a set of models", f"convert each model in {os.fspath(path)!r} by itself"
        )

    def record_model_info(self, on: bool = True) -> None:
        """Raises where it is asked for: the library has no kernels that could be left out.

        Raises:
            UnimplementedError: ``on`` is true.
        """
        if on:
            raise _unlike_the_original(
                "record_tailoring_info", "the C library is one file, and is not cut to a model"
            )

    def set_sparse_model(self, on: bool) -> None:
        """Raises where it is asked for: there are no sparse kernels.

        Raises:
            UnimplementedError: ``on`` is true.
        """
        if on:
            raise _unlike_the_original(
                "sparse_model", "there are no sparse kernels; paddle.incubate.compress.prune makes "
                "layers smaller"
            )  # fmt: skip

    def enable_fp16(self) -> None:
        """Raises: both engines compute in float32.

        Raises:
            UnimplementedError: always.
        """
        raise _unlike_the_original(
            "enable_fp16", "the lite runtime computes in float32; set_quant_model(True) makes the "
            "file smaller"
        )  # fmt: skip

    def display_kernels_info(self) -> None:
        """Raises: there is one kernel for each operator, in each engine.

        Raises:
            UnimplementedError: always.
        """
        raise _unlike_the_original(
            "display_kernels", "each operator has one kernel; print_supported_ops lists them"
        )

    def set_passes_internal(self, passes: Sequence[str] = ()) -> None:
        """Raises where passes are named: those of this project are not those of Paddle Lite.

        Raises:
            UnimplementedError: passes are named.
        """
        if passes:
            raise _unlike_the_original(
                "a choice of passes", "they are those of paddle.inference, as lite_export has them"
            )

    def version(self) -> str:
        """Returns the version of the framework that writes the file."""
        return full_version

    def print_supported_ops(self) -> list[str]:
        """Prints the types of operators that can be lowered; returns them."""
        print("\n".join(sorted(RULES)))
        return sorted(RULES)

    def print_all_ops(self) -> list[str]:
        """Prints all types of operators, and which of them can be lowered; returns them."""
        names = sorted({*REGISTRY, *RULES})
        for name in names:
            print(f"{'supported' if name in RULES else '-':<10} {name}")
        return names

    def check_if_model_supported(self, print_ops_info: bool = True) -> bool:
        """Says whether a model can be lowered; prints what is outside.

        Args:
            print_ops_info (bool): print how often each operator occurs in the model, as saved.
        """
        counts = operator_counts(self._model().programs[MAIN])
        for kind, count in sorted(counts.items()) if print_ops_info else ():
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
