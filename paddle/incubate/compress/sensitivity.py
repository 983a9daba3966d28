"""sensitivity: what it costs to prune each parameter alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.incubate.compress.criteria import Criterion
from paddle.incubate.compress.layer_target import kept_of
from paddle.incubate.compress.plan import checked_share
from paddle.incubate.compress.pruning import planner_of, target_of
from paddle.ir.program import Program
from paddle.nn import Layer

_WHERE = "paddle.incubate.compress.sensitivity"


@dataclass
class Sensitivity:
    """What was measured by :func:`sensitivity`; printed, it is a table.

    Attributes:
        metric (float): of the model as it is.
        losses (dict): parameter -> share that goes -> how much of the metric is lost, as a part of
            it.

    Examples:
        .. code-block:: python

            from paddle.incubate.compress import Sensitivity
            table = Sensitivity(0.9, {"a": {0.2: 0.0, 0.4: 0.1}, "b": {0.2: 0.05, 0.4: 0.3}})
            print(table.ratios_for(0.05))  # {'a': 0.3, 'b': 0.2}
    """

    metric: float
    losses: dict[str, dict[float, float]] = field(default_factory=dict)

    def ratios_for(self, loss: float) -> dict[str, float]:
        """Returns for each parameter the largest share that costs at most so much.

        Between two shares that were measured the loss is taken to rise evenly; losses below 0 count
        as 0.

        Args:
            loss (float): a part of the metric.

        Raises:
            TypeError: it is no number.
            ValueError: it is below 0.
        """
        if isinstance(loss, bool) or not isinstance(loss, Real):
            raise TypeError(f"ratios_for(loss): expected a number, but received {loss!r}.")
        if not float(loss) >= 0:
            raise InvalidArgumentError(f"ratios_for(loss): expected at least 0, received {loss}.")
        return {name: _share_at(float(loss), lost) for name, lost in self.losses.items()}

    def most(self) -> float:
        """Returns the highest loss that was measured."""
        return max((v for lost in self.losses.values() for v in lost.values()), default=0.0)

    def __str__(self) -> str:
        ratios = sorted({ratio for lost in self.losses.values() for ratio in lost})
        lines = [["parameter", *(f"{ratio:g}" for ratio in ratios)]]
        lines += [[name, *(f"{lost[r]:.4f}" if r in lost else "" for r in ratios)]
                  for name, lost in self.losses.items()]  # fmt: skip
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        rows = [
            "  ".join([line[0].ljust(widths[0]), *(t.rjust(w) for t, w in
                      zip(line[1:], widths[1:], strict=True))])
            for line in lines
        ]  # fmt: skip
        return "\n".join([f"metric {self.metric:g}; lost of it when a share goes:", *rows])


def _share_at(loss: float, lost: dict[float, float]) -> float:
    """The largest share up to which the loss stays within a limit."""
    before, least = 0.0, 0.0
    for ratio in sorted(lost):
        value = max(lost[ratio], 0.0)
        if value > loss:
            rise = value - least
            part = (loss - least) / rise if rise > 0 else 0.0
            return round(before + (ratio - before) * max(part, 0.0), 6)
        before, least = ratio, value
    return before


def sensitivity(
    model: Layer | Program,
    evaluate: Callable[[Any], float],
    ratios: Sequence[float] = (0.1, 0.3, 0.5, 0.7),
    *,
    criterion: str | Criterion = "l1",
    inputs: Any = None,
    names: Iterable[str] | None = None,
    scope: Any = None,
    seed: int = 0,
) -> Sensitivity:
    """Measures what a model loses when one parameter after the other is pruned.

    Each time the model is pruned in place, evaluated, and put back as it was. Of parameters whose
    channels go together one is measured.

    Args:
        model (Layer|Program): as in :func:`prune`.
        evaluate (callable): takes the model and returns a number that is higher the better it is,
            such as its accuracy.
        ratios (Sequence[float]): the shares of channels that go, in (0, 1).
        criterion (str|callable): which channels go first, as in :func:`prune`.
        inputs (list, optional): what a Layer's forward takes, as in :func:`prune`.
        names (Iterable[str], optional): the parameters. None takes all that can be pruned.
        scope (Scope, optional): of a Program. None takes the global one.
        seed (int): of the criterion ``'random'``.

    Returns:
        Sensitivity: the table; ``ratios_for(loss)`` makes shares of it for :func:`prune`.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a share is out of range, a parameter cannot be pruned, or the metric is not a
            number above 0.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate import compress
            net = paddle.vision.models.LeNet()
            x = paddle.rand([4, 1, 28, 28])

            def evaluate(net):
                return float(net(x).abs().mean())

            table = compress.sensitivity(net, evaluate, [0.5], inputs=[4, 1, 28, 28])
            print(list(table.losses))
            # ['features.0.weight', 'features.3.weight', 'fc.0.weight', 'fc.1.weight']
    """
    if not callable(evaluate):
        raise TypeError(
            f"{_WHERE}(evaluate): expected a function of the model, "
            f"but received {type(evaluate).__name__}."
        )
    target = target_of(model, inputs, None, scope, _WHERE)
    shares = [checked_share(ratio, f"{_WHERE}(ratios)") for ratio in ratios]
    planner = planner_of(target, criterion, seed, _WHERE)
    found = planner.dependencies
    if names is None:
        chosen = list(dict.fromkeys(group.makers[0][0] for group in planner.choosable(())))
    else:
        chosen = [planner.resolved(name, "names") for name in names]
    metric = _number(evaluate(model))
    if not metric > 0:
        raise InvalidArgumentError(
            f"{_WHERE}(evaluate): expected a number above 0 for the model as it is, of which parts "
            f"can be lost, but received {metric}."
        )
    table = Sensitivity(metric, {name: {} for name in chosen})
    for name in chosen:
        for share in shares:
            removed = planner.by_names({name: share})
            undo = target.change(kept_of(found, found.staying(removed)))
            try:
                now = _number(evaluate(model))
            finally:
                undo.run()
                target.forget_programs()
            table.losses[name][share] = (metric - now) / metric
    return table


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{_WHERE}(evaluate): expected it to return a number, "
            f"but it returned {type(value).__name__}."
        ) from None
