"""Precision: what Model.prepare(amp_configs) asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from paddle.amp import GradScaler
from paddle.amp.auto_cast import LEVELS
from paddle.amp.lists import custom
from paddle.core.errors import InvalidArgumentError

_WHERE = "Model.prepare(amp_configs)"
_LISTS = ("custom_white_list", "custom_black_list")
_STATIC = ("custom_black_varnames", "use_fp16_guard")
_SCALING = (
    "init_loss_scaling", "incr_ratio", "decr_ratio", "incr_every_n_steps",
    "decr_every_n_nan_or_inf", "use_dynamic_loss_scaling",
)  # fmt: skip


@dataclass(frozen=True)
class Precision:
    """How mixed precision is done.

    Attributes:
        level (str): O0, O1 or O2.
        lists (dict): arguments about operators and variables.
        scaling (dict): arguments about the factor of the loss.
    """

    level: str = "O0"
    lists: dict[str, Any] = field(default_factory=dict)
    scaling: dict[str, Any] = field(default_factory=dict)

    @property
    def mixed(self) -> bool:
        """Whether there is anything to do."""
        return self.level != "O0"


def parse(configs: Any, dynamic: bool) -> Precision:
    """Returns what ``amp_configs`` says.

    Args:
        configs (str|dict|None): the argument.
        dynamic (bool): whether the Model is in dynamic mode.

    Raises:
        TypeError: it is something else.
        ValueError: a level, a key or a value that there is not; it is named.
        NotImplementedError: ``use_fp16_guard``.
    """
    if configs is None:
        return Precision()
    if not isinstance(configs, (str, dict)):
        raise TypeError(
            f"{_WHERE}: expected one of {list(LEVELS)}, a dict or None, but received "
            f"{type(configs).__name__}."
        )
    given = {"level": configs} if isinstance(configs, str) else dict(configs)
    if not given:
        return Precision()
    level = given.pop("level", "O1")
    if level not in LEVELS:
        raise InvalidArgumentError(
            f"{_WHERE}: expected one of {list(LEVELS)} as level, but received {level!r}."
        )
    _check_keys(given, dynamic)
    lists = {key: given[key] for key in (*_LISTS, "custom_black_varnames") if key in given}
    custom(_WHERE, lists.get(_LISTS[0]), lists.get(_LISTS[1]))
    names = lists.get("custom_black_varnames")
    if isinstance(names, str) or not all(isinstance(name, str) for name in names or ()):
        raise TypeError(f"{_WHERE}: expected a set of names as custom_black_varnames.")
    scaling = {key: given[key] for key in _SCALING if key in given}
    _check_scaling(scaling)
    return Precision(level, lists, scaling)


def _check_keys(given: dict[str, Any], dynamic: bool) -> None:
    if "use_pure_fp16" in given:
        raise InvalidArgumentError(
            f"{_WHERE}: use_pure_fp16 is no key of it.",
            hint="level='O2' runs all operators in 16 bits that can, 'O1' the white list",
        )
    known = ["level", *_LISTS, *_STATIC, *_SCALING]
    unknown = [key for key in given if key not in known]
    if unknown:
        raise InvalidArgumentError(
            f"{_WHERE}: expected keys out of {known}, but received {', '.join(map(repr, unknown))}."
        )
    here = [key for key in _STATIC if key in given]
    if dynamic and here:
        raise InvalidArgumentError(
            f"{_WHERE}: {' and '.join(here)} can be used in static mode only.",
            hint="name operators in custom_black_list",
        )
    if given.get("use_fp16_guard"):
        raise NotImplementedError(
            f"{_WHERE}: use_fp16_guard=True is not available; name operators in custom_white_list "
            "and custom_black_list, or variables in custom_black_varnames."
        )


def _check_scaling(scaling: dict[str, Any]) -> None:
    dynamic = scaling.get("use_dynamic_loss_scaling", True)
    if not isinstance(dynamic, bool):
        raise TypeError(
            f"{_WHERE}: expected a bool as use_dynamic_loss_scaling, but received "
            f"{type(dynamic).__name__}."
        )
    try:
        GradScaler(**scaling)
    except InvalidArgumentError as error:
        text = str(error).removeprefix("(InvalidArgument) ")
        raise InvalidArgumentError(f"{_WHERE}: {text}") from None
    except TypeError as error:
        raise TypeError(f"{_WHERE}: {error}") from None
