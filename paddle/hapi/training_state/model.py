"""What a TrainingState keeps of a paddle.Model, and of the fit that runs."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.hapi.training_state.checks import expect_dict, mismatch
from paddle.hapi.training_state.objects import Attributes, Loader, StatefulObject
from paddle.hapi.training_state.optimizers import OptimizerPart, others, rates
from paddle.hapi.training_state.plain import decode, encode
from paddle.hapi.training_state.programs import ProgramState
from paddle.hapi.training_state.tensors import Tensors, members
from paddle.io.dataloader.progress import follow


class ModelParts:
    """The parts of a Model, looked up when they are needed.

    Args:
        model (Model): the model.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._adapter = model._adapter
        self.static = hasattr(self._adapter, "training_programs")

    def prepare(self) -> None:
        """In static mode records the Program of training, which has the variables to be loaded."""
        if not self.static:
            return
        if self.model._optimizer is None or self.model._loss is None:
            raise PreconditionNotMetError(
                "TrainingState: expected Model.prepare(optimizer, loss) before, in static mode."
            )
        self._adapter.training_programs()

    def parts(self) -> dict[str, Any]:
        """Returns the parts by name."""
        model, optimizer = self.model, self.model._optimizer
        made: list[Any] = []
        if self.static:
            self.prepare()
            for name, program in self._adapter.training_programs().items():
                made.append(ProgramState(f"model.program {name}", program))
        else:
            made.append(Tensors("model.network", members(model.network)))
            if optimizer is not None:
                made.append(OptimizerPart("model.optimizer", optimizer))
                rest = others([optimizer], [model.network])
                made.append(Tensors("model.parameters of no layer", rest))
                for rate in rates([optimizer]):
                    made.append(StatefulObject("model.scheduler", rate))
        if self._adapter.scaler is not None:
            made.append(StatefulObject("model.scaler", self._adapter.scaler))
        for i, metric in enumerate(model._metrics):
            whole = hasattr(metric, "state_dict") and hasattr(metric, "set_state_dict")
            kind = StatefulObject if whole else Attributes
            made.append(kind(f"model.metrics[{i}]", metric))
        made.append(Fit("model.fit", model))
        return {part.name: part for part in made}

    def settle(self) -> None:
        """Fetches the logs of the last step: metrics take what still waits for them."""
        run = self.model._run
        if run is not None:
            run.logs = dict(run.logs.items())

    def files(self) -> set[str]:
        """Names of Tensors, or of variables, that ``.pdparams`` and ``.pdopt`` have."""
        weights = self.model.network.state_dict()
        if not self.static:
            return set(weights)
        state = self.model._optimizer.state_dict()
        return {variable.name for variable in weights.values()} | set(state)


class Fit:
    """How far ``Model.fit`` came; outside of fit there is nothing to save or to set.

    Args:
        name (str): the part, for messages.
        model (Model): whose fit.
    """

    light = True
    _NUMBERS = {"epoch": int, "step": int, "total": int, "ended": bool, "stopped": bool}

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._run = model._run
        self._adapter = model._adapter
        self._keys = (*self._NUMBERS, "logs", "loader", "callbacks", "losses", "gathered", "data")

    def _loader(self) -> Any:
        loader = self._run.loader
        return Loader(self.name, loader) if hasattr(loader, "_progress") else None

    def _callbacks(self) -> list[Any]:
        return [
            StatefulObject(f"callback {type(c).__name__}", c)
            for c in self._run.told
            if hasattr(c, "state_dict") and hasattr(c, "set_state_dict")
        ]

    def collect(self) -> Any:
        run = self._run
        if run is None:
            return None
        loader = self._loader()
        return {
            **{key: getattr(run, key) for key in self._NUMBERS},
            "logs": encode(dict(run.logs.items()), "logs"),
            "loader": None if loader is None else loader.collect(),
            "callbacks": [part.collect() for part in self._callbacks()],
            "losses": run.losses.state(),
            "gathered": self._adapter.gathered,
            "data": run.data(),
        }

    def check(self, saved: Any) -> None:
        if saved is None or self._run is None:
            return
        saved = expect_dict(self.name, saved, self._keys)
        for key, kind in self._NUMBERS.items():
            if type(saved[key]) is not kind or saved[key] < 0:
                raise mismatch(self.name, f"expected {kind.__name__} as {key!r}.")
        if not isinstance(decode(saved["logs"], self.name), dict):
            raise mismatch(self.name, "expected logs.")
        self._check_data(saved["data"])
        losses = expect_dict(self.name, saved["losses"], self._run.losses.state())
        [float(v) for v in (*losses["sums"], *losses["last"], losses["samples"])]
        [(int(step), float(loss)) for step, loss in losses["points"]]
        if type(saved["gathered"]) is not int or saved["gathered"] < 0:
            raise mismatch(self.name, "expected int as 'gathered'.")
        loader, callbacks = self._loader(), self._callbacks()
        if (loader is None) != (saved["loader"] is None):
            raise mismatch(self.name, "only one of the runs reads from a DataLoader.")
        if loader is not None:
            loader.check(saved["loader"])
        if not isinstance(saved["callbacks"], list) or len(saved["callbacks"]) != len(callbacks):
            raise mismatch(
                self.name, f"expected the state of {len(callbacks)} callbacks that have one."
            )
        for part, state in zip(callbacks, saved["callbacks"], strict=True):
            part.check(state)

    def _check_data(self, saved: Any) -> None:
        """Names what differs about the data before anybody wonders about positions in it."""
        now = self._run.data()
        told = expect_dict(self.name, saved, now)
        differing = [
            f"{key}={told[key]!r} where fit has {now[key]!r}"
            for key in now
            if None not in (told[key], now[key]) and told[key] != now[key]
        ]
        if differing:
            raise mismatch(self.name, f"the training was one with {', '.join(differing)}.")

    def apply(self, saved: Any) -> None:
        if saved is None or self._run is None:
            return
        self._run.losses.set_state(saved["losses"])
        self._adapter.gathered = saved["gathered"]
        for part, state in zip(self._callbacks(), saved["callbacks"], strict=True):
            part.apply(state)
        loader = self._loader()
        if loader is not None:
            loader.apply(saved["loader"])
        for key in self._NUMBERS:
            setattr(self._run, key, saved[key])
        self._run.logs = decode(saved["logs"], self.name)


def noted(loader: Any) -> None:
    """Has the position of a loader noted from its next pass on."""
    if hasattr(loader, "_progress"):
        follow(loader)
