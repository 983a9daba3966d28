"""distill: a student that learns from a teacher beside the labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError, PreconditionNotMetError
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.nn import Layer
from paddle.nn import functional as F
from paddle.tensor.linalg import matmul
from paddle.tensor.manipulation import flatten, transpose
from paddle.tensor.math import add, multiply, scale, subtract
from paddle.tensor.stat import mean

_WHERE = "paddle.incubate.compress.distill"
KINDS = ("l2", "soft_label", "fsp")
Names = str | tuple[str, str]


@dataclass(frozen=True)
class DistillLoss:
    """What a student is to have in common with its teacher.

    Args:
        kind (str|callable): ``'l2'`` (the mean of squared differences), ``'soft_label'`` (the
            cross entropy of the student's probabilities under the teacher's), ``'fsp'`` (``'l2'``
            of the products of two layers' channels, averaged over the picture), or a function of
            the student's and the teacher's output that returns a Tensor of one number.
        student (str|tuple): the sublayer whose output counts, by its name in the student; ``''`` is
            the whole student. For ``'fsp'`` a pair of names.
        teacher (str|tuple, optional): the same of the teacher. None: of the same name.
        weight (float): factor on this loss.
        temperature (float): for ``'soft_label'``, what both outputs are divided by.

    Examples:
        .. code-block:: python

            from paddle.incubate import compress
            loss = compress.DistillLoss("soft_label", temperature=4.0, weight=0.5)
            print(loss.student == "", loss.teacher)  # True None
    """

    kind: str | Callable[[Any, Any], Any]
    student: Names = ""
    teacher: Names | None = None
    weight: float = 1.0
    temperature: float = 1.0


class Distillation(Layer):
    """A student together with its teacher; made by :func:`distill`.

    It is called like the student and returns what that returns. Parameters, modes and
    ``state_dict`` are the student's alone, with names that begin with ``student.``.

    Args:
        student (Layer): what is trained.
        teacher (Layer): runs in evaluation mode, without gradients.
        losses (Sequence[DistillLoss]): what they are to have in common.

    Attributes:
        student (Layer): what is trained.
        terms (list[Tensor]): the distillation losses of the latest call, without their weights.
    """

    def __init__(self, student: Layer, teacher: Layer, losses: Sequence[DistillLoss]) -> None:
        super().__init__()
        self.student = student
        self._pair = (student, teacher)  # a tuple, so that the teacher is no sublayer
        self._losses = list(losses)
        self.terms: list[Tensor] = []

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Runs the teacher, then the student, and compares them.

        Args:
            *inputs: what both take.
            **options: what both take.

        Raises:
            ValueError: outputs that are compared have unlike shapes.
        """
        student, teacher = self._pair
        wanted = [(_listed(e.student), _listed(_of_teacher(e))) for e in self._losses]
        with no_grad(), _evaluating(teacher):
            theirs = _outputs(teacher, [n for _, pair in wanted for n in pair], inputs, options)
        own = _outputs(student, [n for pair, _ in wanted for n in pair], inputs, options)
        self.terms = [
            _compared(entry, [(n, own[n]) for n in mine], [(n, theirs[n]) for n in other])
            for entry, (mine, other) in zip(self._losses, wanted, strict=True)
        ]
        return own[None]

    def loss(self, hard: Any = None) -> Tensor:
        """Returns the sum of a loss by labels and the weighted losses of the latest call.

        Args:
            hard (Tensor, optional): the loss by labels. None: there are no labels.

        Raises:
            RuntimeError: it was not called yet.

        Examples:
            .. code-block:: python

                import paddle
                from paddle import nn
                from paddle.incubate import compress
                pair = compress.distill(nn.Linear(4, 2), nn.Linear(4, 2), ["l2"])
                hard = pair(paddle.ones([3, 4])).mean()
                print(float(pair.loss(hard)) == float(hard + pair.terms[0]))  # True
        """
        if not self.terms:
            raise PreconditionNotMetError(
                "Distillation.loss: call the Distillation first; its losses are those of a call."
            )
        total = hard
        for entry, term in zip(self._losses, self.terms, strict=True):
            weighted = scale(term, float(entry.weight))
            total = weighted if total is None else add(total, weighted)
        return total


def distill(
    student: Layer, teacher: Layer, losses: Sequence[DistillLoss | str | Callable[[Any, Any], Any]]
) -> Distillation:
    """Joins a student and its teacher, so that the student learns from both labels and teacher.

    The teacher stays as it is: it runs in evaluation mode and without gradients, and afterwards is
    in the mode in which it was.

    Args:
        student (Layer): what is trained.
        teacher (Layer): a trained model that takes the same inputs.
        losses (Sequence): a :class:`DistillLoss` for each thing to have in common, or its kind
            alone, which means the outputs of both models.

    Returns:
        Distillation: a Layer that is called like the student; its ``loss`` adds up the losses.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a sublayer or a kind does not exist, or a weight is out of range.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import nn
            from paddle.incubate import compress

            teacher = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
            student = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
            pair = compress.distill(
                student, teacher, [compress.DistillLoss("soft_label", temperature=2.0)]
            )
            adam = paddle.optimizer.Adam(0.01, parameters=pair.parameters())
            x, y = paddle.rand([16, 4]), paddle.zeros([16], "int64")
            for step in range(3):
                loss = pair.loss(nn.functional.cross_entropy(pair(x), y))
                loss.backward()
                adam.step()
                adam.clear_grad()
            print(len(pair.parameters()), teacher[0].weight.grad)  # 4 None
    """
    for name, model in (("student", student), ("teacher", teacher)):
        if not isinstance(model, Layer):
            raise TypeError(
                f"{_WHERE}({name}): expected a paddle.nn.Layer, but received "
                f"{type(model).__name__}."
            )
    if student is teacher:
        raise InvalidArgumentError(f"{_WHERE}: expected two models, but both are the same.")
    if isinstance(losses, (str, DistillLoss)) or not isinstance(losses, Sequence):
        raise TypeError(
            f"{_WHERE}(losses): expected a list of DistillLoss, but received "
            f"{type(losses).__name__}."
        )
    if not losses:
        raise InvalidArgumentError(f"{_WHERE}(losses): expected at least one loss.")
    entries = [e if isinstance(e, DistillLoss) else DistillLoss(e) for e in losses]
    for i, entry in enumerate(entries):
        _check(entry, f"{_WHERE}(losses)[{i}]", student, teacher)
    return Distillation(student, teacher, entries)


def _check(entry: DistillLoss, where: str, student: Layer, teacher: Layer) -> None:
    if not callable(entry.kind) and entry.kind not in KINDS:
        raise InvalidArgumentError(
            f"{where}: expected a kind among {KINDS} or a function, but received {entry.kind!r}."
        )
    for name, value in (("weight", entry.weight), ("temperature", entry.temperature)):
        good = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
        if not good or value <= 0:
            raise InvalidArgumentError(
                f"{where}: expected {name} to be a number above 0, but received {value!r}."
            )
    for model, names, which in ((student, entry.student, "student"),
                                (teacher, _of_teacher(entry), "teacher")):  # fmt: skip
        known = {name for name, _ in model.named_sublayers(include_self=True)}
        listed = _listed(names)
        count, what = (2, "a pair of names") if entry.kind == "fsp" else (1, "one name")
        if len(listed) != count:
            raise InvalidArgumentError(
                f"{where}: {entry.kind!r} expects {what} of the {which}'s sublayers, but "
                f"received {names!r}."
            )
        for name in listed:
            if name not in known:
                raise NotFoundError(
                    f"{where}: the {which} has no sublayer {name!r}; it has "
                    f"{sorted(n for n in known if n)[:8]}, ... and '' for the whole."
                )


def _of_teacher(entry: DistillLoss) -> Names:
    return entry.student if entry.teacher is None else entry.teacher


def _listed(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


@contextmanager
def _evaluating(model: Layer) -> Iterator[None]:
    """In evaluation mode inside; afterwards its layers are in the mode in which they were."""
    layers = [layer for layer in [model, *model.sublayers()] if layer.training]
    for layer in layers:
        layer.training = False
    try:
        yield
    finally:
        for layer in layers:
            layer.training = True


def _outputs(model: Layer, names: list[str], inputs: Any, options: Any) -> dict[Any, Any]:
    """What some sublayers return in a call; under None what the model returns."""
    found: dict[Any, Any] = {}
    layers = dict(model.named_sublayers(include_self=True))

    def noting(name: str) -> Callable[[Any, Any, Any], None]:
        def note(layer: Any, given: Any, made: Any) -> None:
            found[name] = made

        return note

    inner = [name for name in dict.fromkeys(names) if name]
    handles = [layers[name].register_forward_post_hook(noting(name)) for name in inner]
    try:
        found[None] = found[""] = model(*inputs, **options)
    finally:
        for handle in handles:
            handle.remove()
    for name in inner:
        if name not in found:
            raise InvalidArgumentError(
                f"Distillation: {type(model).__name__} did not call its sublayer {name!r}."
            )
    return found


# -- losses ---------------------------------------------------------------------------------------

Named = list[tuple[str, Any]]


def _compared(entry: DistillLoss, own: Named, theirs: Named) -> Tensor:
    if callable(entry.kind):
        return entry.kind(own[0][1], theirs[0][1])
    for name, value in own + theirs:
        if not hasattr(value, "shape"):
            raise TypeError(
                f"Distillation: expected {name!r} to return a Tensor, but it returned "
                f"{type(value).__name__}.",
            )
    for (name, value), (other, wanted) in zip(own, theirs, strict=True):
        parts = slice(0, 2) if entry.kind == "fsp" else slice(None)
        if value.shape[parts] != wanted.shape[parts]:
            raise InvalidArgumentError(
                f"Distillation: {entry.kind!r} compares {_shown(name, 'student')} of shape "
                f"{value.shape} with {_shown(other, 'teacher')} of shape {wanted.shape}, "
                "which are unlike.",
                hint="name layers of the same output, or add a Layer that makes the student's so",
            )
    if entry.kind == "l2":
        return _square(own[0][1], theirs[0][1])
    if entry.kind == "soft_label":
        return _soft_label(own[0][1], theirs[0][1], float(entry.temperature))
    return _square(_flow(own, "student"), _flow(theirs, "teacher"))


def _shown(name: str, which: str) -> str:
    return f"{name!r} of the {which}" if name else f"the {which}'s output"


def _square(one: Any, other: Any) -> Tensor:
    difference = subtract(one, other)
    return mean(multiply(difference, difference))


def _soft_label(own: Any, theirs: Any, temperature: float) -> Tensor:
    wanted = F.softmax(scale(theirs, 1 / temperature))
    logits = scale(own, 1 / temperature)
    return mean(F.cross_entropy(logits, wanted, soft_label=True))


def _flow(pair: Named, which: str) -> Any:
    """The products of the channels of two outputs, averaged over the picture."""
    (name, first), (other, second) = pair
    if len(first.shape) < 3 or first.shape[2:] != second.shape[2:]:
        raise InvalidArgumentError(
            f"Distillation: 'fsp' expects two pictures of the same size, but "
            f"{_shown(name, which)} has shape {first.shape} and {_shown(other, which)} "
            f"{second.shape}."
        )
    left, right = flatten(first, 2), flatten(second, 2)
    return scale(matmul(left, transpose(right, [0, 2, 1])), 1 / left.shape[2])
