"""prune: a model with fewer channels, and the table of what went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.incubate.compress.criteria import Criterion, Scores
from paddle.incubate.compress.dependency import Dependencies
from paddle.incubate.compress.layer_target import LayerTarget, kept_of
from paddle.incubate.compress.plan import Planner, checked_share
from paddle.incubate.compress.program_target import ProgramTarget, shrink_program
from paddle.incubate.compress.resizing import Undo
from paddle.ir.program import Program
from paddle.nn import Layer
from paddle.optimizer import Optimizer

if TYPE_CHECKING:
    from paddle.incubate.compress.sensitivity import Sensitivity

Target = LayerTarget | ProgramTarget
_PRUNE = "paddle.incubate.compress.prune"


@dataclass(frozen=True)
class PrunedParameter:
    """One line of the table.

    Attributes:
        name (str): the parameter.
        before (list[int]): its shape with all channels.
        after (list[int]): its shape now.
        flops_before (int): operations of products with it, for one sample.
        flops_after (int): those that are left.
    """

    name: str
    before: list[int]
    after: list[int]
    flops_before: int
    flops_after: int


@dataclass
class Pruning:
    """What :func:`prune` has done; printed, it is a table.

    Attributes:
        parameters (list[PrunedParameter]): those that got smaller, in the order of the model.
        flops_before (int): operations of a forward pass for one sample, with all channels.
        flops_after (int): those that are left.
        kept (dict): parameter -> axis -> the places that stay, as an array.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.incubate import compress
            net = paddle.vision.models.LeNet()
            done = compress.prune(net, 0.5, inputs=[1, 1, 28, 28])
            print(done.flops_before, done.flops_after)  # 347560 99260
            print(done.kept["features.0.weight"][0].size)  # 3
    """

    parameters: list[PrunedParameter] = field(default_factory=list)
    flops_before: int = 0
    flops_after: int = 0
    kept: dict[str, dict[int, np.ndarray]] = field(default_factory=dict)

    @property
    def left(self) -> float:
        """The share of the operations that is left."""
        return self.flops_after / self.flops_before if self.flops_before else 1.0

    def apply(self, program: Program) -> None:
        """Gives the sizes to another Program of the same parameters, such as that of evaluation.

        Args:
            program (Program): changed in place. The values in the scope are pruned already.

        Raises:
            TypeError: it is no Program.

        Examples:
            .. code-block:: python

                import paddle
                from paddle import static
                from paddle.incubate import compress
                paddle.enable_static()
                main, startup = static.Program(), static.Program()
                with static.program_guard(main, startup):
                    x = static.data("x", [None, 1, 8, 8])
                    y = static.nn.conv2d(static.nn.conv2d(x, 4, 3), 2, 3)
                test = main.clone(for_test=True)
                static.Executor().run(startup)
                compress.prune(main, 0.5).apply(test)
                print([p.shape[0] for p in test.all_parameters()])  # [2, 2, 2, 2]
                paddle.disable_static()
        """
        if not isinstance(program, Program):
            raise TypeError(
                f"Pruning.apply(program): expected a Program, but received "
                f"{type(program).__name__}."
            )
        shrink_program(program, self.kept, Undo())

    def __str__(self) -> str:
        if not self.parameters:
            return f"Nothing was pruned: all {self.flops_before:,} operations are left."
        lines = [("parameter", "before", "after", "operations", "left")]
        lines += [(p.name, _shown(p.before), _shown(p.after), f"{p.flops_before:,}",
                   f"{p.flops_after:,}") for p in self.parameters if p.flops_before]  # fmt: skip
        lines.append(
            ("all", "", "", f"{self.flops_before:,}", f"{self.flops_after:,} ({self.left:.1%})")
        )
        widths = [max(len(line[i]) for line in lines) for i in range(5)]
        rows = [
            "  ".join(t.ljust(w) if i < 3 else t.rjust(w) for i, (t, w) in
                      enumerate(zip(line, widths, strict=True)))
            for line in lines
        ]  # fmt: skip
        return "\n".join(row.rstrip() for row in rows)


def _shown(shape: list[int]) -> str:
    return "x".join(map(str, shape))


def prune(
    model: Layer | Program,
    ratios: float | Mapping[str, float] | None = None,
    *,
    flops: float | None = None,
    criterion: str | Criterion = "l1",
    inputs: Any = None,
    skip: Sequence[str] = (),
    sensitivity: Sensitivity | None = None,
    optimizer: Optimizer | None = None,
    scope: Any = None,
    seed: int = 0,
) -> Pruning:
    """Takes channels out of a model, in place, so that it is smaller and needs fewer operations.

    Channels that depend on each other go together: those that are added up, of depthwise and
    grouped convolutions, what norms hold for them, and the weights that read them, behind
    ``concat``, ``split``, ``flatten`` and the like too. The channels of the model's outputs stay. A
    pruned model is saved, exported and trained like any other; train it for a while, as it has lost
    accuracy. Channels whose weights are all 0 make no difference, except to group and layer norms,
    which normalize over fewer values.

    Args:
        model (Layer|Program): a Layer, or a Program with its values in ``scope``. Parameters stay
            the same objects with smaller values. A Program may have gradients and updates.
        ratios (float|dict, optional): the share of channels that goes, in [0, 1): one number for
            all that can be pruned, or parameter -> number, named as in the Layer or by the name of
            the Parameter. With 0 all stay, and the result says so.
        flops (float, optional): instead, the share of operations that is to be left, in (0, 1]. All
            channels lose the same share, or with ``sensitivity`` so much that each parameter alone
            costs the same.
        criterion (str|callable): which channels go first: ``'l1'`` and ``'l2'`` (small weights),
            ``'fpgm'`` (near the others' geometric median), ``'bn_scale'`` (small factors of the
            batch norm that follows; without one, ``'l1'``), ``'random'``, or a function of a
            parameter's name and its weights as an array with a row for each channel, that returns a
            number for each, small for what goes first.
        inputs (list, optional): for a Layer, what its forward takes: a shape, or a list of shapes,
            InputSpecs or Tensors. None where :func:`paddle.jit.to_static` knows it.
        skip (Sequence[str]): parameters whose channels stay, where ``ratios`` is one number or
            ``flops`` is given.
        sensitivity (Sensitivity, optional): from :func:`sensitivity`, for ``flops``.
        optimizer (Optimizer, optional): of a Layer: its accumulators become smaller too.
        scope (Scope, optional): of a Program. None takes the global one.
        seed (int): of ``'random'``.

    Returns:
        Pruning: which parameters are smaller now, and the operations; ``print`` shows a table.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a share is out of range, a parameter does not exist or its channels have to stay
            (the message says why), there is nothing to prune, or ``flops`` cannot be reached.
        RuntimeError: the code of a Layer does not run with fewer channels; it stays as it was.

    Examples:
        .. code-block:: python

            import paddle
            from paddle import nn
            from paddle.incubate import compress

            net = nn.Sequential(
                nn.Conv2D(1, 8, 3), nn.BatchNorm2D(8), nn.ReLU(), nn.Conv2D(8, 4, 3),
                nn.Flatten(), nn.Linear(16, 2),
            )
            done = compress.prune(net, {"0.weight": 0.5}, inputs=[None, 1, 6, 6])
            print(net[0].weight.shape, net[1].weight.shape, net[3].weight.shape)
            # [4, 1, 3, 3] [4] [4, 4, 3, 3]
            print(compress.prune(net, flops=0.5, inputs=[None, 1, 6, 6]).left <= 0.5)  # True
    """
    target = target_of(model, inputs, optimizer, scope, _PRUNE)
    if (ratios is None) == (flops is None):
        raise InvalidArgumentError(
            f"{_PRUNE}: expected either ratios or flops, but received "
            + ("neither." if ratios is None else "both.")
        )
    if sensitivity is not None and flops is None:
        raise InvalidArgumentError(
            f"{_PRUNE}(sensitivity): expected it together with flops, but flops is None.",
            hint="ratios=sensitivity.ratios_for(loss) takes the shares from it",
        )
    planner = planner_of(target, criterion, seed, _PRUNE)
    removed = _chosen(planner, ratios, flops, skip, sensitivity)
    found = planner.dependencies
    staying = found.staying(removed)
    kept = kept_of(found, staying)
    done = _report(target, planner, staying, kept)
    undo = target.change(kept)
    try:
        if kept:
            target.check()
    except BaseException:
        undo.run()
        target.forget_programs()
        raise
    return done


def target_of(model: Any, inputs: Any, optimizer: Any, scope: Any, where: str) -> Target:
    """Returns what is pruned.

    Args:
        model (Layer|Program): as it was given.
        inputs: of a Layer.
        optimizer (Optimizer|None): of a Layer.
        scope (Scope|None): of a Program.
        where (str): the function that is called, for error texts.

    Raises:
        TypeError: the model is something else, or an argument belongs to the other kind.
    """
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"{where}(optimizer): expected a paddle.optimizer.Optimizer, "
            f"but received {type(optimizer).__name__}."
        )
    if isinstance(model, Layer):
        if scope is not None:
            raise TypeError(f"{where}(scope): expected None for a Layer, which has its own values.")
        return LayerTarget(model, inputs, optimizer, where)
    if isinstance(model, Program):
        for name, value in (("inputs", inputs), ("optimizer", optimizer)):
            if value is not None:
                raise TypeError(f"{where}({name}): expected None for a Program, which holds it.")
        return ProgramTarget(model, scope, where)
    raise TypeError(
        f"{where}(model): expected a paddle.nn.Layer or a paddle.static.Program, "
        f"but received {type(model).__name__}."
    )


def planner_of(target: Target, criterion: Any, seed: int, where: str) -> Planner:
    """Returns what chooses channels of a target.

    Args:
        target (LayerTarget|ProgramTarget): what is pruned.
        criterion (str|callable): which channels go first.
        seed (int): of ``'random'``.
        where (str): the function that is called, for error texts.
    """
    found: Dependencies = target.dependencies()
    return Planner(found, Scores(found, target.value, criterion, seed, where), target.given, where)


def _chosen(
    planner: Planner,
    ratios: Any,
    flops: float | None,
    skip: Sequence[str],
    sensitivity: Sensitivity | None,
) -> list[int]:
    if isinstance(ratios, Mapping):
        if skip:
            raise InvalidArgumentError(
                f"{_PRUNE}(skip): expected nothing where ratios names the parameters."
            )
        return planner.by_names(ratios)
    groups = planner.choosable(skip)
    if ratios is not None:
        return planner.by_share(checked_share(ratios, f"{_PRUNE}(ratios)"), groups)
    assert flops is not None
    if isinstance(flops, bool) or not isinstance(flops, Real):
        raise TypeError(f"{_PRUNE}(flops): expected a number in (0, 1], but received {flops!r}.")
    if not 0 < float(flops) <= 1:
        raise InvalidArgumentError(
            f"{_PRUNE}(flops): expected the share of operations that is left, in (0, 1], "
            f"but received {flops}."
        )
    if float(flops) == 1:
        return []
    if sensitivity is None:
        return planner.by_flops(float(flops), lambda share: planner.by_share(share, groups))
    names = {n for group in groups for n, _ in group.members}
    most = sensitivity.most()

    def at_loss(part: float) -> list[int]:
        wanted = sensitivity.ratios_for(part * most)
        return planner.by_names({n: r for n, r in wanted.items() if n in names})

    return planner.by_flops(float(flops), at_loss)


def _report(
    target: Target, planner: Planner, staying: np.ndarray, kept: dict[str, dict[int, np.ndarray]]
) -> Pruning:
    whole, left = planner.counter.by_parameter(), planner.counter.by_parameter(staying)
    lines = []
    for name, axes in kept.items():
        before = list(target.value(name).shape)
        after = [len(axes[i]) if i in axes else n for i, n in enumerate(before)]
        lines.append(PrunedParameter(name, before, after, whole.get(name, 0), left.get(name, 0)))
    return Pruning(lines, planner.counter.count(), planner.counter.count(staying), kept)
