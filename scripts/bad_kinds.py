"""Tells what a bad call came to: an answer, an error of ours, or one of the kinds that are faults.

The faults: ``foreign`` - the text speaks of a function that the user did not call; ``accident`` -
an AttributeError, IndexError or the like that no line of ours raised on purpose; ``python`` - a
TypeError or ValueError of the interpreter about a value inside of ours; ``nonsense`` - an answer
where no answer makes sense; ``hang`` and ``crash`` are told by the process that watches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import paddle
from paddle.core.failed_call import on_purpose

FAULTS = ("hang", "crash", "foreign", "accident", "python", "nonsense")
HERE = str(Path(paddle.__file__).parent)

# Words of the backend about its own functions, arguments and files.
FOREIGN = re.compile(
    r"(?:^|\) )_?(?!(?:int|float|abs|pow)\b)\w+\(\):? |\(position \d+\)|THPUtils"
    r"|aten::|\bATen\b|\bat::|c10::|\btorch\b"
    r"|__torch|invalid combination of arguments|argument #\d|pybind|\.cpp\b|Expected self"
    r"|INTERNAL ASSERT|native_\w+|_native\b|\binput\.numel|mkldnn|onednn",
    re.I,
)

# Arguments for which some numbers make no sense: (name, what is refused, said of it).
NO_SENSE = (
    (r"eps|epsilon", lambda v: v < 0 or v != v, "a negative or undefined epsilon"),
    (r"std|stddev|std_dev", lambda v: v < 0 or v != v, "a negative or undefined deviation"),
    (r"\w*dropout\w*", lambda v: v < 0 or v != v, "a negative or undefined share"),
    (r"\w+_(size|features|channels)|groups", lambda v: v < 0 and v != -1, "a size below 0"),
)

# Deliberate, and as PaddlePaddle: (part of the callable's name, argument).
ACCEPTED = (
    ("image_util", ""),  # plain functions on arrays that index with what they get
    ("config_callbacks", ""),  # hands on what callbacks check
    ("compat.floor_division", ""),
    ("transforms.normalize", "std"),  # turns the sign, as in PaddlePaddle
    ("transforms.convert.Normalize", "std"),
    ("shard_index", ""),
    ("instance_norm", "momentum"),  # documented to have no effect
)
# The user asks for it: turns without an end.
ENDLESS = (
    ("Model.fit", "epochs"),
    ("dynamic_decode", "max_step_num"),
    ("convert_while_loop", "body"),
    ("convert_while_loop", "cond"),
)


def listed(table: Iterable[tuple[str, str]], name: str, argument: str) -> bool:
    """Whether a table of (part of a name, argument) has this call."""
    return any(part in name and arg in ("", argument) for part, arg in table)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def senseless(name: str, argument: str, bad: Any, text: str | None) -> str | None:
    """Why an answer to ``argument=bad`` is nonsense; None if it may be right.

    Args:
        name (str): what was called.
        argument (str): the parameter's name.
        bad: the value it got.
        text (str): its documented type.
    """
    if listed(ACCEPTED, name, argument):
        return None
    types = set(re.split(r"\W+", text or ""))
    if types & {"int", "float"} and not types & {"str", "dict", "Tensor", "Variable", "type"}:
        if isinstance(bad, (str, bytes, dict, type)):
            return f"{type(bad).__name__} taken for {text}"
        if isinstance(bad, float) and not math.isfinite(bad) and "float" not in types:
            return f"{bad} taken for {text}"
    if _number(bad):
        for names, refused, said in NO_SENSE:
            if re.fullmatch(names, argument) and refused(bad):
                return said
    return None


def place(error: BaseException) -> str:
    """Where an error was raised: file, line and function of the last frame of ours."""
    trace, found = error.__traceback__, "?"
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith((HERE, "<operator")):
            name = code.co_filename[len(HERE) + 1 :] if code.co_filename[0] == "/" else "operator"
            found = f"{name}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next
    return found


def kind_of(error: BaseException, name: str) -> str:
    """The kind of what a bad call of ``name`` raised."""
    # The place of a Python condition on a Variable may be a file of a library.
    said = re.split(r"\n  (?:inputs: |attributes: |File )", str(error))[0]
    if FOREIGN.search(said):
        return "foreign"
    entered = error.__traceback__
    while entered and not entered.tb_frame.f_code.co_filename.startswith(HERE):
        entered = entered.tb_next
    if entered is None or on_purpose(error, entered):
        return "refused"
    if name.endswith(".__getitem__") and isinstance(error, (IndexError, TypeError)):
        return "refused"  # as a list does
    if isinstance(error, (MemoryError, ImportError, OSError, KeyboardInterrupt)):
        return "refused"
    if isinstance(error, (TypeError, ValueError, NotImplementedError)):
        # Converted code calls these in the place of Python's statements, whose errors they raise.
        return "refused" if "dy2static" in name else "python"
    return "accident"
