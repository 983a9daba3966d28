"""Update rules: what a kind of optimizer computes for lists of parameters, defined once.

A rule is written as a function over lists::

    @update_rule(
        "momentum",
        "Param Grad Velocity LearningRate MasterParam? -> ParamOut=Param VelocityOut=Velocity "
        "MasterParamOut=MasterParam",
    )
    def momentum(params, grads, velocity, rate, *, mu=REQUIRED, use_nesterov=False): ...

From the slots and the signature follows what eager optimizers, the operator of one parameter, the
merged operator of a Program and the passes need to know: the accumulators (``velocity``), the
settings (``mu``), powers of beta, and the operator itself. The function writes into parameters and
accumulators. Behind ``rate``, a number, it may take

    ``steps``        for each parameter the number of this update, in a tensor on its device
    ``corrections``  ``1 - beta**t`` for each beta, numbers that hold for the whole list

and as a setting ``l2``, the coefficient of a penalty that it adds to the gradients by itself. That
one is no attribute of the operator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paddle.core.op import OpDef, Slot, define, op
from paddle.ops.optimizer.one_parameter import beta_of, compile_kernel, in_words

_GIVEN = ("Param", "Grad", "LearningRate", "MasterParam")
_L2 = "l2"
_EXACT = "multi_precision"


@dataclass(eq=False, frozen=True)
class UpdateRule:
    """How one kind of optimizer updates lists of parameters.

    Attributes:
        op: the operator that updates one parameter.
        update: the function over lists.
        slots: accumulator -> slot of the operator; what has the parameter's shape comes first.
        states: the accumulators of the parameter's shape, in the order of the function.
        powers: accumulator that is a power -> setting that is its beta.
        settings: keyword arguments of the function that are attributes too, with their defaults.
        counts: ``steps`` or ``corrections`` where the function takes one of them, else "".
        takes_l2: whether the function takes ``l2``.
        rows: whether rows without a gradient stay as they are: ``always``, with ``lazy_mode``
            (``lazy``), or never ("").
        rows_ahead: how many updates ahead the function counts when it updates rows.
        over_table: called with whole tables (and the rate and the settings) before rows of them are
            updated; returns the settings for the rows.
    """

    op: OpDef
    update: Callable
    slots: dict[str, str]
    states: list[str]
    powers: dict[str, str]
    settings: dict[str, Any]
    counts: str = ""
    takes_l2: bool = False
    rows: str = ""
    rows_ahead: int = 0
    over_table: Callable | None = None

    @property
    def updated(self) -> list[str]:
        """The slots of a parameter and of all its accumulators."""
        return ["Param", *self.slots.values()]

    @property
    def writes_powers(self) -> bool:
        """Whether the operator counts: multiplies the powers of beta."""
        written = {s.writes for s in self.op.outputs}
        return any(self.slots[power] in written for power in self.powers)

    def betas(self, settings: dict[str, Any]) -> list[float]:
        """The base of each power."""
        return [settings.get(beta, self.settings[beta]) for beta in self.powers.values()]

    def settings_of(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What the attributes of an operator say about how it computes, defaults included."""
        return {name: attrs.get(name, default) for name, default in self.settings.items()}

    def l2_settings(self, coeff: float, recorded: bool = False) -> dict[str, Any] | None:
        """The settings with which the update adds an L2 penalty; None where it cannot.

        Args:
            coeff (float): factor of the penalty.
            recorded (bool): attributes of the operator alone count.
        """
        if "regularization_method" in self.settings:
            return {"regularization_method": "l2_decay", "regularization_coeff": coeff}
        return {_L2: coeff} if self.takes_l2 and not recorded else None

    def by_rows(self, attrs: dict[str, Any]) -> bool:
        """Whether an operator with these attributes changes only rows that have a gradient."""
        return self.rows == "always" or (self.rows == "lazy" and bool(attrs.get("lazy_mode")))


RULES: dict[str, UpdateRule] = {}  # by the names of their operators


def update_rule(
    name: str,
    slots: str,
    accumulators: dict[str, str] | None = None,
    attrs: dict[str, Any] | None = None,
    **options: Any,
) -> Callable[[Callable], UpdateRule]:
    """Decorator that makes a rule, and the operator of one parameter, of a function over lists.

    Args:
        name (str): the operator's name.
        slots (str): its slots, as :func:`paddle.core.op.op` takes them.
        accumulators (dict, optional): slot -> accumulator, where that is not the slot's name with
            underscores. Files of optimizer state have these names.
        attrs (dict, optional): attributes of the operator that the function does not take.
        **options: ``rows``, ``rows_ahead`` and ``over_table`` of :class:`UpdateRule`, ``proto`` of
            :func:`paddle.core.op.op`.
    """
    proto = options.pop("proto", None)

    def register(update: Callable) -> UpdateRule:
        left, _, right = slots.partition("->")
        inputs = [Slot.parse(text) for text in left.split()]
        taken = [s.name for s in inputs]
        written = [str(Slot.parse(text).writes) for text in right.split()]
        powers = [s for s in taken if s.endswith("Pow")]
        states = [s for s in written if s not in _GIVEN and s not in powers]
        named = {(accumulators or {}).get(s, in_words(s)): s for s in states}
        counted = {f"{in_words(s)}_acc": s for s in powers}
        parameters = inspect.signature(update).parameters.values()
        keywords = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        settings = {k: v for k, v in keywords.items() if k != _L2}
        counts = next((p.name for p in parameters if p.name in ("steps", "corrections")), "")
        further = {**(attrs or {}), **({_EXACT: False} if "MasterParam" in taken else {})}
        kernel = compile_kernel(update, inputs, written, states, powers, counts, settings, further)
        made = define(
            name, slots, kernel, proto=proto, **_options([taken.index(s) for s in written])
        )
        made.module = update.__module__  # not this one
        RULES[name] = UpdateRule(
            op=made,
            update=update,
            slots=named | counted,
            states=list(named),
            powers={n: beta_of(s) for n, s in counted.items()},
            settings=settings,
            counts=counts,
            takes_l2=_L2 in keywords,
            **options,
        )
        return RULES[name]

    return register


def in_place_update(name: str, slots: str, random: bool = False) -> Callable:
    """Decorator of an operator whose outputs are written into its inputs, and that is no rule."""
    left, _, right = slots.partition("->")
    names = [slot.rstrip("?") for slot in left.split()]
    at = [names.index(slot.partition("=")[2]) for slot in right.split()]
    return op(name, slots, random=random, **_options(at))


def _options(at: list[int]) -> dict[str, Any]:
    return {
        "differentiable": False,
        "dtypes": "floats",
        "infer": lambda inputs, attrs: [inputs[i] for i in at],
    }
