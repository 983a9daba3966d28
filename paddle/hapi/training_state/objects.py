"""Parts of a training state: objects with a state of their own, and positions in loaders."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.hapi.training_state.checks import expect_dict, expect_like, mismatch
from paddle.hapi.training_state.plain import decode, encode, settled
from paddle.io.dataloader.batch_sampler import sampler_state, set_sampler_state
from paddle.io.dataloader.progress import Progress, follow


class StatefulObject:
    """What has ``state_dict`` and a method that sets it: schedulers, scalers, metrics, callbacks.

    Args:
        name (str): the part, for messages.
        held (Any): the object.
    """

    light = True  # little data, and code of the user: see apply_all

    def __init__(self, name: str, held: Any) -> None:
        self.name = name
        self._held = held

    def collect(self) -> dict[str, Any]:
        state = encode(self._held.state_dict(), self.name)
        return {"class": type(self._held).__name__, "state": state}

    def check(self, saved: Any) -> None:
        saved = expect_dict(self.name, saved, ["class", "state"])
        if saved["class"] != type(self._held).__name__:
            found = str(saved["class"])[:60]
            raise mismatch(
                self.name, f"expected {type(self._held).__name__}, but the file has {found!r}."
            )
        now = self._held.state_dict()
        expect_like(self.name, expect_dict(self.name, decode(saved["state"], self.name), now), now)

    def apply(self, saved: Any) -> None:
        setter = getattr(self._held, "set_state_dict", None)
        (setter or self._held.load_state_dict)(decode(saved["state"], self.name))


class Loader:
    """The position in a loader."""

    light = True  # little data, and code of the user

    def __init__(self, name: str, loader: Any) -> None:
        self.name = name
        self.progress: Progress = follow(loader)

    def collect(self) -> dict[str, Any]:
        return encode(self.progress.state(), self.name)

    def check(self, saved: Any) -> None:
        try:
            self.progress.check(decode(saved, self.name))
        except InvalidArgumentError as error:
            raise mismatch(self.name, str(error)) from None

    def apply(self, saved: Any) -> None:
        self.progress.set_state(decode(saved, self.name))


class SamplerState:
    """A sampler that belongs to no loader."""

    light = True  # little data, and code of the user

    def __init__(self, name: str, sampler: Any) -> None:
        self.name = name
        self._sampler = sampler

    def collect(self) -> dict[str, Any]:
        return encode(sampler_state(self._sampler), self.name)

    def check(self, saved: Any) -> None:
        expect_dict(self.name, decode(saved, self.name), sampler_state(self._sampler))

    def apply(self, saved: Any) -> None:
        set_sampler_state(self._sampler, decode(saved, self.name))


class Attributes:
    """A metric: those of its attributes that are numbers, arrays, Tensors or containers of them."""

    light = True  # little data, and code of the user: see apply_all

    def __init__(self, name: str, held: Any) -> None:
        self.name = name
        self._held = held

    def collect(self) -> dict[str, Any]:
        found = {}
        for key, value in vars(self._held).items():
            try:
                found[key] = encode(value, key)
            except TypeError:
                continue
        return {"class": type(self._held).__name__, "attributes": found}

    def check(self, saved: Any) -> None:
        saved = expect_dict(self.name, saved, ["class", "attributes"])
        if saved["class"] != type(self._held).__name__:
            raise mismatch(self.name, f"expected a {type(self._held).__name__}.")
        attributes = decode(saved["attributes"], self.name)
        if not isinstance(attributes, dict):
            raise mismatch(self.name, "expected attributes.")
        for key in attributes:
            if not isinstance(key, str) or hasattr(type(self._held), key):
                raise mismatch(self.name, "expected names of attributes.")

    def apply(self, saved: Any) -> None:
        vars(self._held).update(decode(saved["attributes"], self.name))


def apply_all(now: dict[str, Any], saved: dict[str, Any]) -> None:
    """Puts everything back that was checked; if an object of the user fails, nothing has changed.

    What runs code of the user comes first, and is put back if that raises.
    """
    light = {n: p for n, p in now.items() if getattr(p, "light", False)}
    before = {name: settled(part.collect()) for name, part in light.items()}
    done: list[str] = []
    try:
        for name, part in light.items():
            done.append(name)
            part.apply(saved[name])
    except Exception as error:
        for name in done:
            light[name].apply(before[name])
        raise mismatch(done[-1], f"{type(error).__name__}: {error}") from error
    for name, part in now.items():
        if name not in light:
            part.apply(saved[name])
