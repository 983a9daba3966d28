"""States of random numbers as plain data: taken, checked, and put back."""

from __future__ import annotations

import contextlib
import random as python_random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from paddle.core import place as _place
from paddle.core import random as core
from paddle.core.backends import CPU, backend_on, choices
from paddle.core.errors import InvalidArgumentError

_CPU = CPU.device()
_KEYS = ("generator", "seed", "framework", "numpy", "python")
_WORDS = 624  # of the Mersenne Twister


def generator_state(generator: core.Generator) -> np.ndarray:
    """Returns the state of a generator as bytes."""
    return np.array(generator.get_state().cpu().numpy(), dtype=np.uint8)


def set_generator_state(generator: core.Generator, state: Any, where: str) -> None:
    """Puts a generator into a state of :func:`generator_state`."""
    generator.set_state(_torch_state(generator._torch.device, state, where))


def _torch_state(device: torch.device, state: Any, where: str) -> torch.Tensor:
    """The state in torch's form, tried on a generator that nobody uses."""
    array = _array(state, where)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidArgumentError(
            f"{where}: expected the bytes of a generator's state, but received an array of dtype "
            f"{array.dtype} and shape {list(array.shape)}."
        )
    buffer = torch.from_numpy(array.astype(np.uint8))
    try:
        backend_on(device).generator(device).set_state(buffer)
    except (RuntimeError, TypeError):
        raise InvalidArgumentError(
            f"{where}: the {array.size} bytes are no state of a generator of {device}."
        ) from None
    return buffer


def _array(value: Any, where: str) -> np.ndarray:
    """The array of a state, which may have become a Tensor in a file."""
    value = value.numpy() if hasattr(value, "numpy") else value
    if not isinstance(value, np.ndarray):
        raise InvalidArgumentError(
            f"{where}: expected an array, but received {type(value).__name__}."
        )
    return value


def numpy_state(source: np.random.RandomState | np.random.Generator) -> dict[str, Any]:
    """Returns the state of one of NumPy's sources of random numbers."""
    bits = source._bit_generator if isinstance(source, np.random.RandomState) else None
    if bits is None:
        return _plain(source.bit_generator.state)  # type: ignore[union-attr]
    return _plain(source.get_state(legacy=False))  # type: ignore[union-attr]


def set_numpy_state(
    source: np.random.RandomState | np.random.Generator, state: Any, where: str
) -> None:
    """Puts one of NumPy's sources into a state of :func:`numpy_state`."""
    checked = _numpy_form(source, state, where)
    if isinstance(source, np.random.RandomState):
        source.set_state(checked)
    else:
        source.bit_generator.state = checked


def _plain(value: Any) -> Any:
    """The same with arrays of int64, which files and Tensors can hold; those of uint64 stay."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray) and value.dtype != np.uint64:
        return value.astype(np.int64)
    return value


def _numpy_form(source: Any, state: Any, where: str) -> dict[str, Any]:
    """The state with the types that NumPy gives it; it must be of the same kind of source.

    NumPy itself does not look at positions, and reads whatever lies there.
    """
    now = (
        source.get_state(legacy=False)
        if isinstance(source, np.random.RandomState)
        else source.bit_generator.state
    )
    made = _like(now, state, where)
    if made["bit_generator"] != now["bit_generator"]:
        raise InvalidArgumentError(
            f"{where}: expected the state of a {now['bit_generator']}, but received that of "
            f"something else."
        )
    inner = made["state"] if isinstance(made["state"], dict) else {}
    for position, most in ((inner.get("pos", 0), _WORDS), (made.get("buffer_pos", 0), 4)):
        if not 0 <= position <= most:
            raise InvalidArgumentError(
                f"{where}: expected a position from 0 to {most}, but received another one."
            )
    return made


def _like(model: Any, given: Any, where: str) -> Any:
    """``given`` with the types of ``model``, which it must be built like."""
    if isinstance(model, dict):
        if not isinstance(given, dict) or set(given) != set(model):
            raise InvalidArgumentError(f"{where}: expected a dict with {sorted(model)}.")
        return {key: _like(model[key], given[key], where) for key in model}
    if isinstance(model, np.ndarray):
        array = _array(given, where)
        if array.shape != model.shape or array.dtype.kind not in "iu":
            raise InvalidArgumentError(
                f"{where}: expected {model.size} words, but received {list(array.shape)}."
            )
        return array.astype(model.dtype)
    numbers = (int, float, np.integer, np.floating)
    if isinstance(model, str) != isinstance(given, str) or (
        not isinstance(given, str) and not isinstance(given, numbers)
    ):
        raise InvalidArgumentError(
            f"{where}: expected {type(model).__name__}, but received {type(given).__name__}."
        )
    return given if isinstance(model, str) else type(model)(given)


def _python_state() -> dict[str, Any]:
    version, words, gauss = python_random.getstate()
    return {"version": version, "words": np.array(words, np.int64), "gauss": gauss}


def _python_form(state: Any, where: str) -> tuple:
    if not isinstance(state, dict) or set(state) != {"version", "words", "gauss"}:
        raise InvalidArgumentError(f"{where}: expected a state of Python's random.")
    made = (state["version"], tuple(_array(state["words"], where).tolist()), state["gauss"])
    try:
        python_random.Random().setstate(made)
    except (ValueError, TypeError, OverflowError):
        raise InvalidArgumentError(f"{where}: the words are no state of Python's random.") from None
    return made


def host_state() -> dict[str, Any]:
    """Returns the state of everything that draws random numbers on the host, as plain data.

    That is the CPU's generator, the state for shuffling and transforms that ``paddle.seed`` makes,
    and the global ones of NumPy and Python, which are followed where ``paddle.seed`` was not
    called and which datasets use.
    """
    return {
        "generator": generator_state(core.main_generator(_CPU)),
        "seed": core._seed,
        "framework": None if core._numpy is None else numpy_state(core._numpy),
        "numpy": numpy_state(np.random.mtrand._rand),
        "python": _python_state(),
    }


def check_host_state(state: Any, where: str) -> dict[str, Any]:
    """Returns a state of :func:`host_state` in the form that is put back; changes nothing.

    Raises:
        InvalidArgumentError: it is no such state.
    """
    if not isinstance(state, dict) or set(state) != set(_KEYS):
        raise InvalidArgumentError(
            f"{where}: expected what get_rng_state returned, a dict with {list(_KEYS)}, but "
            f"received {type(state).__name__}."
        )
    seed, own = state["seed"], state["framework"]
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise InvalidArgumentError(
            f"{where}: expected an int or None as seed, but received {type(seed).__name__}."
        )
    return {
        "generator": _torch_state(_CPU, state["generator"], where),
        "seed": seed,
        "framework": None if own is None else _numpy_form(np.random.RandomState(0), own, where),
        "numpy": _numpy_form(np.random.mtrand._rand, state["numpy"], where),
        "python": _python_form(state["python"], where),
    }


def set_host_state(state: Any, where: str) -> None:
    """Goes back to a state of :func:`host_state`, after all of it was checked."""
    checked = check_host_state(state, where)
    core.main_generator(_CPU).set_state(checked["generator"])
    core._seed = checked["seed"]
    if checked["framework"] is None:
        core._numpy = None
    else:
        core._numpy = np.random.RandomState(0) if core._numpy is None else core._numpy
        core._numpy.set_state(checked["framework"])
    np.random.mtrand._rand.set_state(checked["numpy"])
    python_random.setstate(checked["python"])


def equal(state: Any, other: Any) -> bool:
    """Says whether two states are the same."""
    if isinstance(state, dict) and isinstance(other, dict):
        return state.keys() == other.keys() and all(equal(state[k], other[k]) for k in state)
    if isinstance(state, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(state, other)
    return type(state) is type(other) and bool(state == other)


@contextlib.contextmanager
def at_host_state(state: Any, where: str) -> Iterator[None]:
    """Draws from an earlier state inside of a ``with`` block, and then goes on as if it was not."""
    now = host_state()
    set_host_state(state, where)
    try:
        yield
    finally:
        set_host_state(now, where)


def sequence_state(owner: int, seed: int) -> dict[str, np.ndarray]:
    """Returns the states of an owner's own sequence, per device; see ``random.sequence_of``."""
    held = core._sequences.get((owner, seed), {})
    return {str(device): generator_state(g) for device, g in held.items()}


def check_devices(states: Any, where: str) -> dict[torch.device, torch.Tensor]:
    """Returns states per device in torch's form, without those of devices that are not here."""
    if not isinstance(states, dict) or not all(isinstance(name, str) for name in states):
        raise InvalidArgumentError(
            f"{where}: expected a dict of states per device, but received {type(states).__name__}."
        )
    made = {}
    known = {b.torch_type: b for b in choices().values()}
    for name, state in states.items():
        kind, _, number = name.partition(":")
        backend = known.get(kind)
        if backend is None or (number if backend.host else not number.isdecimal()):
            forms = [b.torch_type + ":<number>" * (not b.host) for b in known.values()]
            raise InvalidArgumentError(f"{where}: expected {' or '.join(forms)} as device.")
        if int(number or 0) < backend.count():
            device = torch.device(name)
            made[device] = _torch_state(device, state, where)
    return made


def set_sequence_state(owner: int, seed: int, states: Any, where: str) -> None:
    """Lets an owner's own sequence go on from states of :func:`sequence_state`."""
    held = core._sequences.setdefault((owner, seed), {})
    for device, state in check_devices(states, where).items():
        held.setdefault(device, core.Generator(device)).set_state(state)


def device_states() -> dict[str, np.ndarray]:
    """Returns the states of the generators of all devices but the CPU that were used."""
    used = core._generators.items()
    return {str(d): generator_state(g) for d, g in used if not backend_on(d).host}


def set_device_states(states: Any, where: str) -> None:
    """Goes back to states of :func:`device_states`."""
    for device, state in check_devices(states, where).items():
        core.main_generator(device).set_state(state)


def _device_of(api: str, device: Any) -> torch.device:
    if device is None:
        return _place.current_device()
    try:
        return _place.to_torch_device(device)
    except TypeError:
        raise TypeError(
            f"{api}(device): expected a place, a name such as 'cpu' or 'gpu:0', or None, but "
            f"received {type(device).__name__}."
        ) from None


def get_rng_state(device: Any = None) -> list[Any]:
    """Returns the state of random numbers, to which :func:`set_rng_state` goes back.

    For the CPU that is the state of everything that is drawn on the host: operators, initializers,
    shuffling and transforms, and the global states of NumPy and of Python's ``random``. It is made
    of numbers and arrays, so :func:`paddle.save` writes it.

    Args:
        device (str|Place, optional): ``"cpu"``, ``"gpu"``, or a place; None means the current one.
            For GPUs the result is that of :func:`get_cuda_rng_state`.

    Returns:
        list: one state for the CPU, or one per GPU.

    Examples:
        .. code-block:: python

            import paddle
            state = paddle.get_rng_state()
            a = paddle.rand([2])
            paddle.set_rng_state(state)
            print(paddle.equal_all(a, paddle.rand([2])))  # [True]
    """
    backend = backend_on(_device_of("get_rng_state", device))
    return [host_state()] if backend.host else core.states_of(backend)


def set_rng_state(state_list: list[Any], device: Any = None) -> None:
    """Goes back to a state of random numbers that :func:`get_rng_state` returned.

    Args:
        state_list (list): what :func:`get_rng_state` returned, or what was read from a file.
        device (str|Place, optional): of which device; None means the current one.

    Raises:
        TypeError: ``state_list`` is no list.
        ValueError: it is no such state; nothing was changed.

    Examples:
        .. code-block:: python

            import paddle
            paddle.set_rng_state(paddle.get_rng_state("cpu"), "cpu")
    """
    backend = backend_on(_device_of("set_rng_state", device))
    if not isinstance(state_list, (list, tuple)):
        raise TypeError(
            "set_rng_state(state_list): expected a list, as get_rng_state returns it, but "
            f"received {type(state_list).__name__}."
        )
    if not backend.host:
        core.set_states_of(backend, list(state_list), "set_rng_state(state_list)")
        return
    if len(state_list) != 1:
        raise InvalidArgumentError(
            f"set_rng_state(state_list): expected 1 state for the CPU, but received "
            f"{len(state_list)}."
        )
    set_host_state(state_list[0], "set_rng_state(state_list)")
