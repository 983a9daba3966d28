"""Traits of operators: what passes, plans, mixed precision and conversion go by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# Names of slots, or what gives them: function(inputs by slot, attributes).
Slots = str | Callable[[dict[str, list], dict[str, Any]], str]


@dataclass(eq=False, repr=False, match_args=False)
class InPlace:
    """How an operator writes its result into the memory of its first operand.

    Attributes:
        function (callable): takes what the kernel takes and returns the result. Of two operands
            the second one need not fit; then the result is in new memory.
        only (dict): attributes with which the form can be used; others may have any value.
        any_dtype (bool): False for a function whose result is not of its operand's type, unless
            that is float32 or float64.
    """

    function: Callable
    only: dict[str, Any] = field(default_factory=dict)
    any_dtype: bool = False


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class Traits:
    """What an operator declares of itself; tests/ops/test_traits.py holds it against the samples.

    Attributes:
        random (bool): a call may draw from the generator of its device, so that another one gives
            other results.
        effects (bool): it does something besides computing its outputs, so it is never dead code.
        no_alias (str|callable): output slots whose memory no input, nor anything else, has a part
            in, so that a later operator may overwrite them. A function of inputs by slot and
            attributes where it depends on these. None: the first output if there is an in-place
            form, else it is not known.
        inplace (InPlace): how the result is written into the first operand.
        amp (str): in mixed precision it runs in 16 bits (``"white"``), in 32 (``"black"``), or
            takes data of 16 bits beside factors of 32 (``"norm"``). None: as its operands are.
        rank0 (bool): an operand without dimensions gives the numbers that one of shape [1] gives.
            None: so it is if the shape rule is one with a name.
        speculatable (bool|str): it never fails, whatever the values, and leaves nothing behind: it
            may run where Python would not have evaluated the expression. ``"floats"``: so it is
            for operands of floating types.
        arithmetic (bool): of operands that stand for Python's numbers it makes such another one.
        linear (str|callable): the input slots in which it is linear together, the others being
            constant; several such sets are separated by ``|``. A function of inputs by slot and
            attributes where it depends on these.
        memoize (bool): plans keep its result for as long as its inputs stay what they are.
        statistics (str): what it writes into inputs are running statistics, which its results in
            training do not depend on; with 1.0 for the attribute named here they stay as they are.
        lod (str): how the levels of sequences go on: the input slots of which the first one that
            has any gives them to all results of as many rows; ``""``: they end here; ``"own"``: the
            kernel puts them on its results; ``"joined"``: rows of X one below the other
            have the levels of all parts; ``"array"``: a tensor array keeps what its elements have.
            None: from the first operand if the shape rule is one with a name, else as the
            variables of the Program say.
        split_bias (bool): a Program adds the input Bias by an operator of its own.
    """

    random: bool = False
    effects: bool = False
    no_alias: Slots | None = None
    inplace: InPlace | None = None
    amp: str | None = None
    rank0: bool | None = None
    speculatable: bool | str = False
    arithmetic: bool = False
    linear: Slots | None = None
    memoize: bool = False
    statistics: str | None = None
    lod: str | None = None
    split_bias: bool = False


def resolved(slots: Slots | None, inputs: dict[str, list], attrs: dict[str, Any]) -> str:
    """The names of slots for a call with these inputs and attributes."""
    if callable(slots):
        return slots(inputs, attrs)
    return slots or ""
