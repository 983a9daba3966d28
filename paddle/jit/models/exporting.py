"""Model: the Programs and values that are written when a Layer or function is saved."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.pytree import leaves
from paddle.core.tensor import Parameter, Tensor
from paddle.core.user_frame import outside
from paddle.ir.cloning import reads
from paddle.ir.inference import normalize, persistables
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ir.versions import RANK_0_SINCE
from paddle.jit.dy2static.symbolic_union import refuse_alternatives
from paddle.serialization.files.atomic import atomic_files
from paddle.serialization.files.seals import SaveSet
from paddle.serialization.models.files import PROGRAM, STREAMS, write_separate, write_streams
from paddle.serialization.models.layouts import OLD_PARAMS, OLD_PROGRAM
from paddle.serialization.models.methods import INFO, OLD_INFO
from paddle.serialization.pickles.writer import write_pickle
from paddle.serialization.program import proto
from paddle.serialization.program.one_dimension import keep_one_dimension
from paddle.serialization.tensor_stream import Dense

MAIN = "forward"
_SHOWN = 8


class Model:
    """What is written: a Program per method, the Tensors of their variables, a table of both.

    Attributes:
        programs (dict[str, Program]): method -> Program for inference.
        tensors (dict[str, Tensor]): stored variable -> its Tensor.
        table (dict[str, dict]): what the ``.info`` file tells of each variable.
    """

    def __init__(self) -> None:
        self.programs: dict[str, Program] = {}
        self.tensors: dict[str, Tensor] = {}
        self.table: dict[str, dict[str, Any]] = {}

    def add(self, name: str, program: Program, tensors: Mapping[str, Tensor]) -> None:
        """Adds a method.

        Args:
            name (str): the method.
            program (Program): for inference.
            tensors (Mapping): the Tensors of its variables; those that it does not store are
                left out.
        """
        self.programs[name] = program
        for var in persistables(program):
            tensor = tensors[var.name]
            known = self.tensors.setdefault(var.name, tensor)
            if known is not tensor:
                raise InvalidArgumentError(
                    f"paddle.jit.save: two Tensors have the name {var.name!r}, and methods of the "
                    "same model use both.",
                    hint="give one of them another name: tensor.name = ...",
                )

    def describe(self, members: Mapping[str, Tensor]) -> None:
        """Makes the table.

        Args:
            members (Mapping): the parameters and buffers of a Layer by their names in it.
        """
        known = {id(tensor): name for name, tensor in self.tensors.items()}
        for structured, tensor in members.items():
            name = known.get(id(tensor), tensor.name)
            self.table.setdefault(name, _entry(structured, tensor))
        for name, tensor in self.tensors.items():  # used, but no member: it keeps its own name
            self.table.setdefault(name, _entry(name, tensor))

    # -- files --------------------------------------------------------------------------------

    def write_prefix(self, prefix: str, shared: bool) -> None:
        """Writes ``<prefix>.pdmodel``, ``.pdiparams``, ``.pdiparams.info``, and further methods.

        Args:
            prefix (str): folder and beginning of the names.
            shared (bool): all methods have their parameters in one file.
        """
        contents = {n: proto.to_bytes(p) for n, p in self.programs.items()}
        paths = {n: prefix if n == MAIN else f"{prefix}.{n}" for n in contents}
        with atomic_files(SaveSet(prefix)) as files:
            if shared:
                if self.tensors:
                    values = _Values(self.tensors, self.programs.values())
                    write_streams(prefix + STREAMS, values, files)
            else:
                for name, program in self.programs.items():
                    mine = {v.name: self.tensors[v.name] for v in persistables(program)}
                    if mine:
                        write_streams(paths[name] + STREAMS, _Values(mine, [program]), files)
            self._write_table(files, prefix + INFO)
            for name, content in contents.items():  # last: a Program alone would look complete
                files.open(paths[name] + PROGRAM).write(content)

    def write_folder(self, folder: str, model: str | None, params: str | None) -> None:
        """Writes a folder as 1.x has them: the Program, and one file of parameters or one each.

        Args:
            folder (str): where.
            model (str|None): the name of the program file; None means ``__model__``.
            params (str|None): the name of the file of all parameters; None: a file for each.
        """
        ((_, program),) = self.programs.items()
        content = proto.to_bytes(program)
        values = _Values(self.tensors, [program])
        model = model or OLD_PROGRAM
        with atomic_files(SaveSet(os.path.join(folder, ""))) as files:
            if params is None:
                taken = [n for n in (model, OLD_PARAMS, OLD_INFO) if n in values]
                if taken:
                    raise InvalidArgumentError(
                        f"paddle.jit.save: a parameter is called {taken[0]!r}, which is the name "
                        "of another file.",
                        hint="name a file for all parameters: params_filename='__params__'",
                    )
                files.add(write_separate(folder, values))
                self._write_table(files, os.path.join(folder, OLD_INFO))
            else:
                if self.tensors:
                    write_streams(os.path.join(folder, params), values, files)
                self._write_table(files, os.path.join(folder, params + ".info"))
            files.open(os.path.join(folder, model)).write(content)

    def _write_table(self, files: SaveSet, path: str) -> None:
        write_pickle(self.table, files.open(path, sealed=True), 2)


def _entry(structured: str, tensor: Tensor) -> dict[str, Any]:
    told: dict[str, Any] = {
        "structured_name": structured,
        "stop_gradient": bool(tensor.stop_gradient),
    }
    if isinstance(tensor, Parameter):
        told["trainable"] = bool(tensor.trainable)
    return told


class _Values(Mapping):
    """What a file stores of each Tensor, fetched when it is asked for."""

    def __init__(self, tensors: Mapping[str, Tensor], programs: Any) -> None:
        from paddle.serialization.program_state import has_rank_0

        self._tensors = tensors
        self._scalars = {v.name for p in programs for v in persistables(p) if has_rank_0(v)}

    def __getitem__(self, name: str) -> Dense:
        tensor = self._tensors[name]
        array = tensor.numpy()
        return Dense(array.reshape(()) if name in self._scalars else array, [], tensor.dtype)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


# -- Programs for inference -----------------------------------------------------------------------


def for_inference(
    program: Program, inputs: Sequence[Variable], outputs: Any, output_spec: Any, name: str
) -> Program:
    """Reduces a recorded Program to what leads to its outputs; inputs not needed fall away.

    Args:
        program (Program): what was recorded; stays as it is.
        inputs (Sequence[Variable]): its data variables.
        outputs: what the function returned, a pytree with Variables.
        output_spec: which outputs are kept; None: all.
        name (str): the method, for error texts.
    """
    refuse_alternatives(outputs, f"paddle.jit.save: {name}")
    found = leaves(outputs)
    variables = [v for v in found if isinstance(v, Variable)]
    others = [v for v in found if not isinstance(v, Variable) and v is not None]
    if not variables:
        raise InvalidArgumentError(
            f"paddle.jit.save: {name} returns no Tensor, but {type(outputs).__name__}; there is "
            "nothing to save."
        )
    if others:
        shown = ", ".join(f"{v!r}" for v in others[:_SHOWN])
        warnings.warn(
            f"paddle.jit.save: {name} returns {shown} besides Tensors; a saved model gives only "
            "the Tensors.",
            stacklevel=outside(),
        )
    kept = variables if output_spec is None else chosen(variables, output_spec, name)
    needed = needed_by(program, {v.name for v in kept})
    made = normalize(program, [v for v in inputs if v.name in needed], kept)
    if made.wire_version < RANK_0_SINCE:
        keep_one_dimension(made)
    return made


def needed_by(program: Program, targets: set[str]) -> set[str]:
    """Returns the names of all variables that some targets depend on, and theirs."""
    needed = set(targets)
    for op in reversed(program.global_block().ops):
        if needed & set(op.output_arg_names):
            needed |= reads(op)
    return needed


def chosen(variables: Sequence[Variable], output_spec: Any, name: str) -> list[Variable]:
    """Returns the outputs that ``output_spec`` names.

    Args:
        variables (Sequence[Variable]): all outputs.
        output_spec (list): Tensors, Variables or InputSpecs of the outputs' names, or the names.
        name (str): the method, for error texts.
    """
    where = "paddle.jit.save(output_spec)"
    if not isinstance(output_spec, (list, tuple)):
        raise TypeError(
            f"{where}: expected a list of Tensors or InputSpecs, "
            f"but received {type(output_spec).__name__}."
        )
    known = {v.name: v for v in variables}
    kept = []
    for i, item in enumerate(leaves(list(output_spec))):
        wanted = _name_of(item, known)
        if not isinstance(wanted, str):
            raise TypeError(
                f"{where}: expected [{i}] to be a Tensor or InputSpec with a name, "
                f"but received {type(item).__name__}."
            )
        if wanted not in known:
            wanted = "that it came from" if isinstance(item, Tensor) else repr(wanted)
            raise InvalidArgumentError(
                f"{where}: {name} has no output {wanted}; its outputs are {list(known)}.",
                hint="give results that the decorated function returned outside of no_grad, or "
                "the names above",
            )
        kept.append(known[wanted])
    if not kept:
        raise InvalidArgumentError(f"{where}: expected at least one output, but it is empty.")
    return kept


def _name_of(item: Any, known: Mapping[str, Any]) -> Any:
    """The name of the variable that is meant; of a Tensor that of the variable it was."""
    if isinstance(item, str):
        return item
    if not isinstance(item, Tensor) or item.name in known:
        return getattr(item, "name", None)
    node = getattr(item._edge, "node", item._edge)  # a Port, where a node has several results
    joined = getattr(getattr(node, "backward", None), "joined", None)
    if joined is None:
        return item.name
    return joined.call.fetches[joined.tied[getattr(item._edge, "index", 0)]]
