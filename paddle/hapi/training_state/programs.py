"""Parts of a training state: Programs with the values of a scope, and random numbers."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from paddle.core import random_state
from paddle.hapi.training_state.checks import WHERE, expect_dict, mismatch
from paddle.hapi.training_state.plain import decode, encode
from paddle.ops.optimizer import lists as update_kernels
from paddle.serialization.pickles.writer import Deferred
from paddle.serialization.program_state import Stored, check_fit, of_mode, put_values
from paddle.serialization.tensor_stream import Dense


class ProgramState:
    """The stored variables of a Program, its schedulers, and its own sequence of random numbers."""

    def __init__(self, name: str, program: Any, scope: Any = None) -> None:
        self.name = name
        self._program = program
        self._scope = scope

    def _schedulers(self) -> dict[str, Any]:
        return self._program.__dict__.get("_lr_schedulers") or {}

    def _variables(self) -> dict[str, Any]:
        return {v.name: v for v in of_mode(self._program, "all")}

    def collect(self) -> dict[str, Any]:
        stored = Stored(self._variables().values(), self._scope, "TrainingState.save")
        return {
            "values": {name: Deferred(functools.partial(stored.array, name)) for name in stored},
            "lod": {name: lod for name in stored if (lod := stored[name].lod)},
            "schedulers": {n: encode(s.state_dict(), n) for n, s in self._schedulers().items()},
            "seed": self._program._seed,
            "sequence": random_state.sequence_state(self._program._serial, self._program._seed),
        }

    def check(self, saved: Any) -> None:
        keys = ("values", "lod", "schedulers", "seed", "sequence")
        saved = expect_dict(self.name, saved, keys)
        if saved["seed"] != self._program._seed:
            raise mismatch(self.name, f"its random_seed is {self._program._seed} here.")
        variables = self._variables()
        values = expect_dict(f"{self.name}, variables", saved["values"], variables)
        if not all(isinstance(value, np.ndarray) for value in values.values()):
            raise mismatch(self.name, "expected arrays.")
        lod = saved["lod"]
        if not isinstance(lod, dict) or not all(isinstance(v, list) for v in lod.values()):
            raise mismatch(self.name, "expected a LoD.")
        check_fit(variables, self._dense(saved, variables), f"{WHERE}: {self.name}")
        held = self._schedulers()
        for name, state in expect_dict(f"{self.name}, rates", saved["schedulers"], held).items():
            part = f"{self.name}, rate {name!r}"
            expect_dict(part, decode(state, part), held[name].state_dict())
        random_state.check_devices(saved["sequence"], f"{WHERE}: {self.name}")

    @staticmethod
    def _dense(saved: Any, variables: dict[str, Any]) -> dict[str, Dense]:
        return {
            name: Dense(value, saved["lod"].get(name, []), variables[name].dtype)
            for name, value in saved["values"].items()
        }

    def apply(self, saved: Any) -> None:
        variables = self._variables()
        put_values(variables, self._dense(saved, variables), self._scope, where=WHERE)
        for name, state in saved["schedulers"].items():
            self._schedulers()[name].set_state_dict(decode(state, name))
        program = self._program
        random_state.set_sequence_state(program._serial, program._seed, saved["sequence"], WHERE)


class Randomness:
    """Random numbers of the host and of GPUs, and the count by which optimizers drop the tiny."""

    name = "random numbers"

    def collect(self) -> dict[str, Any]:
        return {
            "host": random_state.host_state(),
            "devices": random_state.device_states(),
            "updates": update_kernels.updates(),
        }

    def check(self, saved: Any) -> None:
        saved = expect_dict(self.name, saved, ["host", "devices", "updates"])
        where = f"{WHERE}: {self.name}"
        random_state.check_host_state(saved["host"], where)
        found = random_state.check_devices(saved["devices"], where)
        if len(found) < len(saved["devices"]):
            warnings.warn(
                f"{WHERE}: the run used {sorted(saved['devices'])}, and not all of these are here; "
                "random numbers will not be those of an undisturbed run.",
                stacklevel=4,
            )
        if type(saved["updates"]) is not int or saved["updates"] < 0:
            raise mismatch(self.name, "expected a number of updates.")

    def apply(self, saved: Any) -> None:
        random_state.set_host_state(saved["host"], WHERE)
        random_state.set_device_states(saved["devices"], WHERE)
        update_kernels.set_updates(saved["updates"])
