"""Going on with a fit from a checkpoint: the state beside the parameters, and putting it back.

A checkpoint has the parameters and the optimizer's state in files that PaddlePaddle reads. What a
fit depends on besides is in ``.pdstate``: a training state without what those files have.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

from paddle.core.errors import FrameworkError, InvalidArgumentError, MissingFileError
from paddle.core.user_frame import outside
from paddle.distributed import ParallelEnv
from paddle.hapi.training_state import file
from paddle.hapi.training_state.checks import checked, expect_dict
from paddle.hapi.training_state.model import ModelParts
from paddle.hapi.training_state.objects import apply_all
from paddle.hapi.training_state.plain import settled
from paddle.hapi.training_state.programs import Randomness
from paddle.serialization.files.seals import check_beside, read_seal
from paddle.serialization.files.suffixes import PARAMS, STATE

JOB = "job"
_NETWORK, _OPTIMIZER, _PROGRAM = "model.network", "model.optimizer", "model.program "
_HINT = (
    "prepare the Model and call fit as in the run that was saved; to begin a new training with "
    "these parameters: model.load(path, reset_optimizer=True)"
)


@dataclass(frozen=True)
class Resume:
    """Where a fit is to go on.

    Attributes:
        path (str): the file.
        parts (dict): the training state in it, without what lies in the files beside.
        strict (bool): a fit that cannot go on there is an error. Else it begins a new training,
            with a warning, as scripts for PaddlePaddle mean it, whose checkpoints end with the
            parameters and the optimizer.
        job (dict|None): the number of the checkpoint and of the processes that saved it, if these
            were several.
    """

    path: str
    parts: dict[str, Any]
    strict: bool = False
    job: dict[str, int] | None = None

    def complete(self, epochs: int) -> bool:
        """Whether nothing is left of so many epochs."""
        position = self.parts.get("model.fit")
        if not isinstance(position, dict) or type(position.get("epoch")) is not int:
            return False  # damaged, which is found out when it is put back
        return position["epoch"] + (position.get("ended") is True) >= epochs


def _parts(model: Any) -> dict[str, Any]:
    return {**ModelParts(model).parts(), "random": Randomness()}


def collect(
    model: Any, job: dict[str, int] | None = None, buffers: bool = False
) -> dict[str, Any] | None:
    """The state of the fit under way, to be written beside the parameters.

    With ``buffers`` it has what the network does not train, too, such as averages of batch norms:
    of that each of several processes has its own.


    Returns None, with a warning, where an object of the user does not tell its state, or tells one
    that no file can hold.
    """
    parts = ModelParts(model)
    parts.settle()
    try:
        saved = {name: part.collect() for name, part in _parts(model).items()}
    except Exception as error:  # a checkpoint without it is better than none
        warnings.warn(
            "Model.fit: the checkpoint does not tell where the training stands: "
            f"{type(error).__name__}: {error}",
            stacklevel=outside(),
        )
        return None
    elsewhere = parts.files()
    if buffers:
        weights = model.network.state_dict().items()
        elsewhere -= {name for name, tensor in weights if tensor.stop_gradient}
    if job is not None:
        saved[JOB] = job
    for name, part in saved.items():
        if name == _NETWORK or name.startswith(_PROGRAM):
            for key in elsewhere & set(part["values"]):
                del part["values"][key]
        elif name == _OPTIMIZER:
            for held in (*part["slots"].values(), part["masters"]):
                held.update(dict.fromkeys(held))  # which ones there are means something
    return saved


def read(prefix: str, strict: bool = False) -> Resume | None:
    """Reads the state of a checkpoint; None where it has none.

    Args:
        prefix (str): folder and beginning of the file names.
        strict (bool): see :class:`Resume`.

    Raises:
        InvalidArgumentError: it is damaged, or not of the save that the parameters are of.
    """
    prefix = prefix.removesuffix(PARAMS)
    path = prefix + STATE
    if not os.path.isfile(prefix + PARAMS):
        return None  # what reads the parameters says more
    seal = read_seal(prefix + PARAMS)
    if seal is None or STATE not in seal.files:
        return None
    if not os.path.isfile(path):
        warnings.warn(
            f"Model.load: '{prefix + PARAMS}' was saved together with '{path}', which is not "
            "there; fit will begin a new training.",
            stacklevel=outside(),
        )
        return None
    try:
        check_beside(path, [(prefix + PARAMS, prefix)])
        parts = file.read(path)
        return Resume(path, parts, strict, parts.pop(JOB, None))
    except InvalidArgumentError as error:
        raise InvalidArgumentError(
            f"Model.load: the training cannot go on from '{path}': {_plain(error)}",
            hint="take another checkpoint; model.load(path, reset_optimizer=True) loads the "
            "parameters alone",
        ) from None


def by_age(folder: str) -> list[str]:
    """The beginnings of the names of all checkpoints in a folder, the newest first."""
    found = [os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(STATE)]
    found.sort(key=lambda path: os.stat(path).st_mtime_ns, reverse=True)
    return [path.removesuffix(STATE) for path in found]


def newest(folder: str) -> str:
    """The beginning of the names of the newest checkpoint in a folder that is whole."""
    bad: list[str] = []
    for prefix in by_age(folder):
        path = prefix + STATE
        try:
            if os.path.isfile(prefix + PARAMS) and read(prefix) is not None:
                if bad:
                    warnings.warn(
                        f"Model.load: took '{prefix}'; newer ones are not whole: {', '.join(bad)}.",
                        stacklevel=outside(),
                    )
                return prefix
        except (InvalidArgumentError, OSError):
            pass
        bad.append(repr(path))
    seen = f"not whole are {', '.join(bad)}" if bad else "there is no file *.pdstate"
    raise MissingFileError(
        f"Model.load: expected a checkpoint of fit(save_dir=...) in the folder '{folder}', but "
        f"{seen}.",
        hint="pass folder/name of other files: model.load('folder/final')",
    )


def go_on(model: Any, resume: Resume, epochs: int) -> bool:
    """Puts the fit that begins where the saved one stood; False: it begins a new training.

    Raises:
        InvalidArgumentError: this is another fit, and it was to go on; it says what differs, and
            nothing was changed.
    """
    if resume.strict:
        _put(model, resume)
        return True
    if resume.complete(epochs):
        reason = f"the training of '{resume.path}' has done these {epochs} epochs."
    else:
        try:
            _put(model, resume)
            return True
        except InvalidArgumentError as error:
            reason = _plain(error)
    warnings.warn(
        f"Model.fit: {reason.removeprefix('Model.fit: ')} A new training begins, with the "
        "parameters and the optimizer that were loaded. (After Model.load of the folder, fit goes "
        "on or says why it cannot.)",
        stacklevel=outside(),
    )
    return False


def _put(model: Any, resume: Resume) -> None:
    count = 1 if resume.job is None else resume.job["ranks"]
    if count != ParallelEnv().world_size:
        raise InvalidArgumentError(
            f"Model.fit: the training of '{resume.path}' was one of {count} processes, but there "
            f"are {ParallelEnv().world_size}."
        )
    now = _parts(model)
    try:
        saved = expect_dict("Model.fit", resume.parts, now)
        saved = {name: _filled(name, saved[name], part) for name, part in now.items()}
        # Another length of the data is what most other differences come from.
        for name in sorted(now, key=lambda name: name != "model.fit"):
            checked(now[name], name, saved[name])
        apply_all(now, saved)
    except FrameworkError as error:
        raise InvalidArgumentError(
            f"Model.fit: the training of '{resume.path}' cannot go on here: {_plain(error)}",
            hint=_HINT,
        ) from None


def _filled(name: str, saved: Any, part: Any) -> Any:
    """A part as it was collected: with what was left to other files, as it is loaded by now."""
    if name == _NETWORK or name.startswith(_PROGRAM):
        now = settled(part.collect()["values"])
        return {**saved, "values": {**now, **saved["values"]}}
    if name != _OPTIMIZER:
        return saved
    now = settled(part.collect())
    slots = {
        slot: {i: now["slots"].get(slot, {}).get(i) for i in held}
        for slot, held in saved["slots"].items()
    }
    lacking = sorted(slot for slot, held in slots.items() if any(v is None for v in held.values()))
    if lacking and saved["class"] == now["class"]:
        raise InvalidArgumentError(
            f"the optimizer has no {', '.join(lacking)} yet; call prepare(optimizer, loss) before "
            "load."
        )
    masters = {i: now["masters"].get(i) for i in saved["masters"]}
    return {**saved, "slots": slots, "masters": masters}


def _plain(error: Exception) -> str:
    """The text of an error without its code, its hint, and the name of another function."""
    text = str(error).split("\n  [Hint: ")[0]
    for prefix in ("(InvalidArgument) ", "TrainingState.load: "):
        text = text.removeprefix(prefix)
    return text
