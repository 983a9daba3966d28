"""TrainingState: everything a training run depends on, saved in one file and restored from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.hapi.training_state import file
from paddle.hapi.training_state.arguments import (
    a_model,
    checked_path,
    has_state,
    is_optimizer,
    is_program,
    several,
)
from paddle.hapi.training_state.checks import WHERE, checked, expect_dict, mismatch
from paddle.hapi.training_state.model import ModelParts
from paddle.hapi.training_state.objects import Loader, SamplerState, StatefulObject, apply_all
from paddle.hapi.training_state.optimizers import OptimizerPart, others, rates
from paddle.hapi.training_state.plain import decode, encode
from paddle.hapi.training_state.programs import ProgramState, Randomness
from paddle.hapi.training_state.tensors import Tensors, members
from paddle.optimizer.lr import LRScheduler


class TrainingState:
    """Saves a training run at any step, so that a later process goes on as if nothing had been.

    Besides what the arguments hold, the file has the state of random numbers (operators, shuffling,
    transforms, NumPy's and Python's global states), gradients that wait for an update, the position
    in every loader, and the schedulers of optimizers and Programs. A run that is killed and started
    again computes the very numbers of one that was not, on the same machine and libraries.

    :meth:`save` means: everything up to here is done. Inside of a loop over a loader the next batch
    comes first after :meth:`load`; after that loop it is the next pass. So call it after all that
    belongs to a step or an epoch (``clear_grad``, ``scheduler.step``).

    Args:
        layers (Layer|list, optional): parameters and all buffers of networks.
        optimizers (Optimizer|list, optional): of eager parameters; parameters that no layer has are
            saved too.
        schedulers (LRScheduler|list, optional): those that no optimizer or Program has.
        scalers (GradScaler|list, optional): scaling of losses.
        samplers (Sampler|list, optional): those that no loader has.
        loaders (DataLoader|list, optional): their positions are noted from the next pass on.
            Batches that were delivered are not computed again; a stream (an IterableDataset, a
            generator) has to be read again up to the position.
        programs (Program|CompiledProgram|list, optional): in static mode, in place of layers and
            optimizers: all stored variables.
        scope (Scope, optional): where the values of ``programs`` are; None means the global one.
        model (Model, optional): a :class:`paddle.Model`: its network, optimizer and metrics; see
            :meth:`callback`.
        extra (dict, optional): numbers, text, arrays and Tensors of yours, such as a count of
            steps; :meth:`load` sets its entries. Available as ``extra``.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: an optimizer of static parameters.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle

            net = paddle.nn.Linear(4, 1)
            optimizer = paddle.optimizer.Adam(parameters=net.parameters())
            data = paddle.io.TensorDataset([paddle.rand([8, 4])])
            loader = paddle.io.DataLoader(data, batch_size=2, shuffle=True)
            state = paddle.incubate.TrainingState(
                layers=net, optimizers=optimizer, loaders=loader, extra={"step": 0})
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.pdstate")
                if os.path.exists(path):  # this process goes on where another one stopped
                    state.load(path)
                for epoch in state.epochs(2):
                    for x, in loader:
                        net(x).mean().backward()
                        optimizer.step()
                        optimizer.clear_grad()
                        state.extra["step"] += 1
                        if state.extra["step"] % 3 == 0:
                            state.save(path)
            print(state.extra["step"])  # 8
    """

    def __init__(
        self,
        layers: Any = None,
        optimizers: Any = None,
        schedulers: Any = None,
        scalers: Any = None,
        samplers: Any = None,
        loaders: Any = None,
        programs: Any = None,
        scope: Any = None,
        model: Any = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        from paddle.nn import Layer

        if extra is not None and not isinstance(extra, dict):
            raise TypeError(
                f"TrainingState(extra): expected a dict, but received {type(extra).__name__}."
            )
        self.extra: dict[str, Any] = {} if extra is None else extra
        self._epoch = 0
        self._counted = False  # whether epochs() counts
        self._layers = several("layers", layers, "a Layer", lambda v: isinstance(v, Layer))
        self._optimizers = several("optimizers", optimizers, "an Optimizer", is_optimizer)
        chosen = several(
            "schedulers", schedulers, "an LRScheduler", lambda v: isinstance(v, LRScheduler)
        )
        self._schedulers = list({id(s): s for s in [*rates(self._optimizers), *chosen]}.values())
        states = several("scalers", scalers, "a GradScaler", has_state)
        kept = several("samplers", samplers, "a Sampler", lambda v: hasattr(v, "__iter__"))
        read = several("loaders", loaders, "a DataLoader", lambda v: hasattr(v, "_progress"))
        held = several("programs", programs, "a Program", is_program)
        self._model = None if model is None else ModelParts(a_model(model))
        self._parts: dict[str, Any] = {}
        for i, layer in enumerate(self._layers):
            self._parts[f"layers[{i}]"] = Tensors(f"layers[{i}]", members(layer))
        if self._optimizers:
            self._parts["parameters"] = Tensors(
                "parameters of no layer", others(self._optimizers, self._layers)
            )
        for i, optimizer in enumerate(self._optimizers):
            self._parts[f"optimizers[{i}]"] = OptimizerPart(f"optimizers[{i}]", optimizer)
        for i, program in enumerate(held):
            name = f"programs[{i}]"
            self._parts[name] = ProgramState(name, getattr(program, "_program", program), scope)
        self._loaders = {}
        for i, loader in enumerate(read):
            name = f"loaders[{i}]"
            self._parts[name] = self._loaders[name] = Loader(name, loader)
        for kind, listed, made in (
            ("schedulers", self._schedulers, StatefulObject),
            ("scalers", states, StatefulObject),
            ("samplers", kept, SamplerState),
        ):
            for i, one in enumerate(listed):
                self._parts[f"{kind}[{i}]"] = made(f"{kind}[{i}]", one)
        self._parts["random"] = Randomness()

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str) -> None:
        """Writes the state in place of the file that may be there, all of it or nothing.

        Args:
            path (str): the file; a missing folder is made.

        Raises:
            TypeError: ``extra``, or the state of an object of yours, holds what no file can.
            RuntimeError: a Program's variables have no values yet.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle
                state = paddle.incubate.TrainingState(layers=paddle.nn.Linear(2, 2))
                with tempfile.TemporaryDirectory() as folder:
                    state.save(os.path.join(folder, "run.pdstate"))
                    state.load(os.path.join(folder, "run.pdstate"))
        """
        path = checked_path("TrainingState.save", path)
        saved = {name: part.collect() for name, part in self._now().items()}
        saved["extra"] = encode(self.extra, "extra")
        saved["epoch"] = self._next_epoch()
        file.write(path, saved)

    def load(self, path: str) -> None:
        """Goes back to the state that a file holds; all of it is checked before anything changes.

        Args:
            path (str): a file that :meth:`save` wrote.

        Raises:
            RuntimeError: (also a FileNotFoundError) there is no such file.
            ValueError: it is damaged, no training state, or that of a run with other objects; then
                nothing was loaded.
        """
        path = checked_path(WHERE, path)
        saved = file.read(path)
        if self._model is not None:
            self._model.prepare()
        now = self._now()
        expect_dict(f"'{path}'", saved, [*now, "extra", "epoch"])
        extra = decode(saved["extra"], "extra")
        if not isinstance(extra, dict) or type(saved["epoch"]) is not int or saved["epoch"] < 0:
            raise mismatch("extra", "expected a dict, and a number of epochs.")
        for name, part in now.items():
            checked(part, name, saved[name])
        apply_all(now, saved)
        self.extra.clear()
        self.extra.update(extra)
        self._epoch = saved["epoch"]

    def _now(self) -> dict[str, Any]:
        """All parts; those of a Model are looked up, for ``prepare`` and ``fit`` change them."""
        more = {} if self._model is None else self._model.parts()
        return {**self._parts, **more}

    # -- epochs -----------------------------------------------------------------------------------

    def epochs(self, count: int) -> Iterator[int]:
        """Counts epochs, from the one that :meth:`load` found under way.

        An epoch is over, for :meth:`save`, when its passes over ``loaders`` are.

        Args:
            count (int): how many there are in all.

        Returns:
            iterator: the numbers of the epochs, from 0 in a new run.

        Raises:
            RuntimeError: there is no loader, by which it could be told whether an epoch is over.

        Examples:
            .. code-block:: python

                import paddle
                loader = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.rand([4, 2])]))
                state = paddle.incubate.TrainingState(loaders=loader)
                print([(epoch, len(list(loader))) for epoch in state.epochs(2)])  # [(0, 4), (1, 4)]
        """
        if not self._loaders:
            raise PreconditionNotMetError(
                "TrainingState.epochs: expected loaders, which tell whether an epoch is over.",
                hint="pass loaders=..., or keep a count of your own in extra",
            )
        return self._count_epochs(count)

    def _count_epochs(self, count: int) -> Iterator[int]:
        self._counted = True
        try:
            while self._epoch < count:
                yield self._epoch
                self._epoch += 1
        finally:
            self._counted = False

    def _next_epoch(self) -> int:
        """The epoch with which a later process begins."""
        over = not any(part.progress.under_way for part in self._loaders.values())
        return self._epoch + (self._counted and over)

    # -- Model.fit --------------------------------------------------------------------------------

    def callback(self, path: str, save_freq: int = 1, save_steps: int | None = None) -> Any:
        """Returns a callback for ``Model.fit`` that goes on from a file and saves to it.

        If ``path`` is there when ``fit`` begins, the training goes on from it: at its epoch and
        step, with its metrics and the state of callbacks that have ``state_dict`` and
        ``set_state_dict`` (:class:`paddle.callbacks.EarlyStopping` does). A run that was complete
        stays so; give more ``epochs`` to go on. The data should be a Dataset or a DataLoader; other
        iterables are gone through from their beginning up to the position.

        Args:
            path (str): the file.
            save_freq (int): epochs between saves. Default: 1.
            save_steps (int, optional): steps between further saves, counted over all epochs.

        Returns:
            Callback: for ``fit(callbacks=...)``; it comes after all others, whatever its place.

        Raises:
            RuntimeError: the state was made without ``model``.

        Examples:
            .. code-block:: python

                import os, tempfile
                import paddle
                data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                              paddle.nn.MSELoss())
                state = paddle.incubate.TrainingState(model=model)
                with tempfile.TemporaryDirectory() as folder:
                    keep = state.callback(os.path.join(folder, "run.pdstate"), save_steps=3)
                    model.fit(data, batch_size=2, epochs=2, verbose=0, callbacks=[keep])
                    model.fit(data, batch_size=2, epochs=3, verbose=0, callbacks=[keep])  # one more
        """
        from paddle.hapi.training_state.fit import Keep

        if self._model is None:
            raise PreconditionNotMetError(
                "TrainingState.callback: expected TrainingState(model=...), but it has no model."
            )
        return Keep(
            self, self._model, checked_path("TrainingState.callback", path), save_freq, save_steps
        )
