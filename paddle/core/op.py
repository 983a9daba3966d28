"""The operator contract: one definition, from which everything else is derived.

An operator is a pure function of buffers and attributes plus its slots::

    @op("softmax", "X -> Out", infer="same")
    def softmax(x, *, axis=-1):
        return torch.softmax(x, axis)

    @softmax.grad("Out")
    def _(d_out, out, *, axis):
        return torch._softmax_backward_data(d_out, out, axis, out.dtype)

Slots are written ``X -> Out``: positional parameters of the kernel are the input slots in order,
keyword-only parameters are the attributes with their defaults. Marks behind a slot:

    ``X*``      a list of tensors           ``Bias?``   may be None (an output: may be missing)
    ``Mask~``   without gradient            ``MeanOut=Mean``  an output written into that input

``op.grad("X Out.shape")`` names what the gradient needs; it receives the gradients of the
differentiable outputs, then these values (``.shape`` hands over the shape alone, so that the
buffer can be freed), then attributes by keyword and, if it asks for it, ``needs_grad``: one flag
per input slot (a tuple of flags for a list). It returns one gradient per input slot, or None.
Without a gradient the generic one of :mod:`paddle.core.derive` differentiates the kernel.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from paddle.core.traits import InPlace, Slots, Traits, resolved

REQUIRED: Any = inspect.Parameter.empty
USERS = "a user's own"  # ``OpDef.proto`` of operators that were made by paddle.utils.register_op


@dataclass(frozen=True)
class Slot:
    """One input or output of an operator."""

    name: str
    many: bool = False
    optional: bool = False
    differentiable: bool = True
    writes: str | None = None  # the input slot that this output is written into

    @staticmethod
    def parse(text: str) -> Slot:
        """Reads ``X``, ``X*``, ``X?``, ``X~``, ``X*?`` or ``XOut=X``."""
        name, _, writes = text.partition("=")
        bare = name.rstrip("*?~")
        marks = name[len(bare) :]
        return Slot(
            bare, "*" in marks, "?" in marks, "~" not in marks and not writes, writes or None
        )


@dataclass
class Gradient:
    """How an operator is differentiated."""

    kernel: Callable
    saves: list[str]  # slot names, or "Slot.shape"
    attrs: list[str]
    takes_needs_grad: bool
    own_shapes: bool = False  # a shape serves the gradient of its input alone
    no_alias: Slots | None = None  # inputs whose gradients are memory of their own
    inplace: InPlace | None = None


@dataclass(eq=False, repr=False, match_args=False)
class OpDef(Traits):
    """An operator: its name, slots, attributes, kernel, gradient, shape rule and traits."""

    name: str
    inputs: list[Slot]
    outputs: list[Slot]
    attrs: dict[str, Any]
    kernel: Any  # a callable; None: plans write code of their own for the operator
    params: list[str]
    infer: Any = None
    differentiable: bool = True
    direct: Callable | None = None
    unify: bool | str = False
    dtypes: str | None = None
    takes: str | None = None
    gradient: Gradient | None = None
    base: OpDef | None = None  # for a gradient operator: what it is the gradient of
    proto: str | None = None  # None: an operator of PaddlePaddle; else why it is not one
    module: str = ""  # where it is defined
    origin: str = ""  # what else a saved Program needs for it: "library PATH", "module NAME"
    _derived: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.rank0 is None:
            self.rank0 = isinstance(self.infer, str)  # all rules with names go element by element
        if self.no_alias is None and self.inplace is not None:
            self.no_alias = self.outputs[0].name  # what can be overwritten is not handed on

    def __call__(self, *buffers: Any, **attrs: Any) -> Any:
        """Runs the bare kernel on buffers; for use by other kernels."""
        return self.kernel(*buffers, **attrs)

    def __repr__(self) -> str:
        slots = (
            " ".join(s.name for s in self.inputs) + " -> " + " ".join(s.name for s in self.outputs)
        )
        return f"<operator {self.name}: {slots}; {self.attrs}>"

    def grad(
        self,
        saves: str = "",
        own_shapes: bool = False,
        no_alias: Slots | None = None,
        inplace: InPlace | None = None,
    ) -> Callable[[Callable], OpDef]:
        """Decorator that gives the operator its gradient (see the module's text).

        Args:
            saves (str): what the gradient needs.
            own_shapes (bool): it reads the shape of an input for the gradient of that input only,
                so that a call need not save it where that gradient is not needed.
            no_alias (str|callable): the inputs whose gradients are memory of their own.
            inplace (InPlace): how it writes into the first gradient that it gets.
        """

        def register(kernel: Callable) -> OpDef:
            known = {s.name for s in self.inputs} | {s.name for s in self.outputs}
            wrong = [s for s in saves.split() if s.split(".")[0] not in known]
            if wrong:
                raise ValueError(f"{self.name}.grad: {wrong} are no slots of {self!r}")
            named = [
                p.name.rstrip("_")
                for p in inspect.signature(kernel).parameters.values()
                if p.kind is p.KEYWORD_ONLY
            ]
            attrs = [n for n in named if n != "needs_grad"]
            unknown = [n for n in attrs if n not in self.attrs]
            if unknown:
                raise ValueError(f"{self.name}.grad: {unknown} are no attributes of {self!r}")
            self.gradient = Gradient(
                kernel, saves.split(), attrs, "needs_grad" in named, own_shapes, no_alias, inplace
            )
            return self

        return register

    @property
    def has_kernel(self) -> bool:
        """Whether a kernel computes it; plans write code of their own for the others."""
        return self.kernel is not None

    def unaliased(self, inputs: dict[str, list], attrs: dict[str, Any]) -> list[str]:
        """The output slots whose results are in memory that nothing else can see.

        Args:
            inputs (dict[str, list]): what is in each input slot.
            attrs (dict): attributes; missing ones have their defaults.
        """
        return resolved(self.no_alias, inputs, {**self.attrs, **attrs}).split()

    def linear_in(self, inputs: dict[str, list], attrs: dict[str, Any]) -> list[list[str]]:
        """The sets of input slots in which the results are linear while the others are constant.

        Args:
            inputs (dict[str, list]): what is in each input slot.
            attrs (dict): attributes; missing ones have their defaults.
        """
        sets = resolved(self.linear, inputs, {**self.attrs, **attrs}).split("|")
        return [names.split() for names in sets if names]

    @property
    def grad_outputs(self) -> list[int]:
        """Positions of the outputs that carry a gradient."""
        if not self.differentiable or not any(s.differentiable for s in self.inputs):
            return []
        return [i for i, s in enumerate(self.outputs) if s.differentiable]


class Registry(dict[str, OpDef]):
    """Operators by name. A family is imported when one of its operators is first asked for.

    ``load`` is set by the operator library: it imports the family of an operator, where there is
    one, or with None all of them. Whoever goes over all operators sees all of them; ``imported``
    are those that are there already. ``changes`` counts definitions.
    """

    load: Callable[[str | None], None] | None = None
    changes = 0

    def __setitem__(self, name: str, op: OpDef) -> None:
        self.changes += 1
        super().__setitem__(name, op)

    def imported(self) -> list[OpDef]:
        """The operators that have been defined so far; imports none."""
        return list(super().values())

    def __missing__(self, name: str) -> OpDef:
        if self.load is not None:
            self.load(name)
        found = dict.get(self, name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """Returns an operator, or ``default``."""
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def _all(self) -> None:
        if self.load is not None:
            self.load(None)

    def __iter__(self) -> Iterator[str]:
        self._all()
        return super().__iter__()

    def __len__(self) -> int:
        self._all()
        return super().__len__()

    def keys(self) -> Any:
        self._all()
        return super().keys()

    def values(self) -> Any:
        self._all()
        return super().values()

    def items(self) -> Any:
        self._all()
        return super().items()


REGISTRY = Registry()


def computed(name: str) -> OpDef | None:
    """The operator of a name, if a kernel computes it."""
    found = REGISTRY.get(name)
    return found if found is not None and found.kernel is not None else None


def _definer() -> str:
    """The module that defines an operator: the first one up the stack that is not this one."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"] == __name__:
        frame = frame.f_back
    return frame.f_globals["__name__"]


def _signature(kernel: Callable | None, inputs: list[Slot]) -> tuple[list[str], dict[str, Any]]:
    """Reads parameter names and attribute defaults off a kernel (a builtin has neither)."""
    if kernel is None:
        return [s.name.lower() for s in inputs], {}
    try:
        parameters = list(inspect.signature(kernel).parameters.values())
    except (ValueError, TypeError):
        return [s.name.lower() for s in inputs], {}
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return [s.name.lower() for s in inputs], {}
    positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(positional) != len(inputs):
        raise ValueError(f"kernel {kernel.__name__}{positional} does not fit slots {inputs}")
    attrs = {p.name.rstrip("_"): p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    return positional, attrs


def define(name: str, slots: str, kernel: Callable | None, **options: Any) -> OpDef:
    """Registers ``kernel`` as operator ``name``; :func:`op` is the same as a decorator.

    Without a kernel it is an operator that plans write code for; its slots say what a file must
    give.
    """
    left, _, right = slots.partition("->")
    inputs = [Slot.parse(t) for t in left.split()]
    outputs = [Slot.parse(t) for t in right.split()]
    params, attrs = _signature(kernel, inputs)
    attrs |= options.pop("attrs", {})
    found = OpDef(name, inputs, outputs, attrs, kernel, params, module=_definer(), **options)
    if dict.__contains__(REGISTRY, name):
        raise ValueError(f"operator {name} is defined twice")
    REGISTRY[name] = found
    return found


def op(name: str, slots: str, **options: Any) -> Callable[[Callable], OpDef]:
    """Decorator that registers an operator.

    Args:
        name (str): PaddlePaddle's name of the operator.
        slots (str): inputs and outputs, see the module's text.
        infer (str|callable): shape rule, see :mod:`paddle.core.infer`; None runs the kernel on
            the meta device.
        differentiable (bool): False for operators without any gradient.
        direct (callable): an ATen function that equals the kernel when every attribute has its
            default value; the eager path then calls it without the Python frame between.
        dtypes (str): which data types the first input may have: a name in ``GROUPS`` of
            :mod:`paddle.core.dtype`. None: what the kernel takes, for ATen refuses most of what
            makes no sense. Given where the kernel would compute nonsense, such as fractions cut
            off in integers, and where not every device has a kernel for 16 bits.
        takes (str): the same where the kernel refuses the other types itself, so that calls need
            no check: shape rules refuse them too.
        unify (bool|str): a second operand of another data type is converted to the first one's.
            ``"recorded"``: in Programs alone, and both to a type that holds both.
        proto (str): why the operator is not one of PaddlePaddle's (else None).

    Further arguments are the :class:`~paddle.core.traits.Traits`: ``random``, ``effects``,
    ``no_alias``, ``inplace``, ``amp``, ``rank0`` and so on.
    """

    def register(kernel: Callable) -> OpDef:
        return define(name, slots, kernel, **options)

    return register


def py(name: str) -> str:
    """Makes a slot or attribute name an identifier."""
    clean = name.replace("@", "_").replace(".", "_")
    return clean + "_" if clean in ("lambda", "in", "is", "global", "from", "wrap") else clean


class _Operators:
    """Calls operators by name: ``C.relu(x)``. A caller is compiled when first asked for."""

    compile: Callable[[OpDef], Callable]  # paddle/core/dispatch.py sets it

    def __getattr__(self, name: str) -> Callable:
        found = computed(name)
        if found is None:
            raise AttributeError(f"there is no operator named {name!r}")
        call = self.compile(found)
        setattr(self, name, call)
        return call


C: Any = _Operators()
