"""Recurrent networks and a beam search that PaddlePaddle computed once for us.

Run this file with a Python that has PaddlePaddle to write tests/data/rnn_expected.npz and
tests/data/rnn_saved.pdparams; with a path as argument it loads parameters saved by us instead and
prints how far the outputs are from its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "data" / "rnn_expected.npz"
SAVED = DATA.with_name("rnn_saved.pdparams")
TIME, BATCH, SIZE, HIDDEN = 5, 3, 4, 3
LENGTHS = [2, 5, 3]


def uniform(*shape: int, seed: int = 0, bound: float = 1.0) -> np.ndarray:
    """Float32 values, the same everywhere."""
    return np.random.RandomState(seed).uniform(-bound, bound, shape).astype("float32")


# name -> (class, arguments beyond the sizes, whether lengths are given, and initial states)
NETWORKS: dict[str, tuple[str, dict[str, Any], bool, bool]] = {
    "simple": ("SimpleRNN", {}, False, False),
    "relu": ("SimpleRNN", {"activation": "relu", "num_layers": 2}, True, True),
    "simple_both": ("SimpleRNN", {"direction": "bidirectional"}, True, False),
    "lstm": ("LSTM", {"num_layers": 2}, False, True),
    "lstm_lengths": ("LSTM", {}, True, False),
    "lstm_both": ("LSTM", {"num_layers": 2, "direction": "bidirect"}, True, True),
    "lstm_time": ("LSTM", {"time_major": True, "direction": "bidirect"}, False, False),
    "gru": ("GRU", {"num_layers": 2}, False, False),
    "gru_both": ("GRU", {"num_layers": 2, "direction": "bidirect"}, True, True),
    "gru_time": ("GRU", {"time_major": True}, True, False),
}
# name -> (cells, class of the wrapper, arguments of it, whether lengths are given)
WRAPPED: dict[str, tuple[list[str], str, dict[str, Any], bool]] = {
    "rnn_lstm": (["LSTMCell"], "RNN", {}, True),
    "rnn_gru_reverse": (["GRUCell"], "RNN", {"is_reverse": True}, True),
    "rnn_simple_time": (["SimpleRNNCell"], "RNN", {"time_major": True}, False),
    "birnn_gru": (["GRUCell", "GRUCell"], "BiRNN", {}, True),
    "birnn_lstm": (["LSTMCell", "LSTMCell"], "BiRNN", {"time_major": True}, False),
}


def filled(paddle: Any, layer: Any, seed: int = 1, bound: float = 0.6) -> Any:
    """Gives the parameters of a layer their values."""
    for i, parameter in enumerate(layer.parameters()):
        array = uniform(*parameter.shape, seed=100 * seed + i, bound=bound)
        parameter.set_value(paddle.to_tensor(array))
    return layer


def network(paddle: Any, name: str) -> Any:
    """Makes the network of a case."""
    if name in NETWORKS:
        kind, options, _, _ = NETWORKS[name]
        return filled(paddle, getattr(paddle.nn, kind)(SIZE, HIDDEN, **options))
    cells, kind, options, _ = WRAPPED[name]
    made = [getattr(paddle.nn, cell)(SIZE, HIDDEN) for cell in cells]
    return filled(paddle, getattr(paddle.nn, kind)(*made, **options))


def flat(pytree: Any) -> list[Any]:
    """The Tensors of a result in order."""
    if isinstance(pytree, (list, tuple)):
        return [leaf for item in pytree for leaf in flat(item)]
    return [pytree]


def arguments(paddle: Any, name: str) -> tuple[Any, dict[str, Any]]:
    """Returns inputs and keyword arguments of a case."""
    known = NETWORKS.get(name) or (*WRAPPED[name][1:], False)
    kind, options, lengths, states = known
    shape = (TIME, BATCH) if options.get("time_major") else (BATCH, TIME)
    given: dict[str, Any] = {}
    if lengths:
        given["sequence_length"] = paddle.to_tensor(np.array(LENGTHS))
    if states:
        both = 2 if "direction" in options else 1
        shapes = [(options.get("num_layers", 1) * both, BATCH, HIDDEN)] * (1 + (kind == "LSTM"))
        made = [paddle.to_tensor(uniform(*s, seed=50 + i)) for i, s in enumerate(shapes)]
        given["initial_states"] = made if kind == "LSTM" else made[0]
    return paddle.to_tensor(uniform(*shape, SIZE, seed=7)), given


def run(paddle: Any, name: str) -> dict[str, np.ndarray]:
    """Outputs, last states and gradients of a case."""
    layer = network(paddle, name)
    x, given = arguments(paddle, name)
    x.stop_gradient = False
    results = flat(layer(x, **given))
    loss = sum(
        (r * paddle.to_tensor(uniform(*r.shape, seed=20 + i))).sum() for i, r in enumerate(results)
    )
    loss.backward()
    found = {f"result{i}": r.numpy() for i, r in enumerate(results)}
    found["x"] = np.asarray(x.gradient())
    for i, parameter in enumerate(layer.parameters()):
        found[f"parameter{i}"] = np.asarray(parameter.gradient())
    return found


def search(paddle: Any) -> dict[str, np.ndarray]:
    """A beam search in which some sequences end early."""
    nn = paddle.nn
    cell, table, out = nn.GRUCell(6, 5), nn.Embedding(9, 6), nn.Linear(5, 9)
    for seed, layer in enumerate((cell, table, out)):
        filled(paddle, layer, seed=seed + 21, bound=1.5)
    decoder = nn.BeamSearchDecoder(cell, 0, 1, 3, embedding_fn=table, output_fn=out)
    start = paddle.to_tensor(uniform(2, 5, seed=9))
    ids, states, lengths = nn.dynamic_decode(decoder, start, max_step_num=6, return_length=True)
    return {
        "ids": ids.numpy(),
        "lengths": lengths.numpy(),
        "log_probs": states.log_probs.numpy(),
        "finished": states.finished.numpy(),
        "states": states.cell_states.numpy(),
    }


def _write(paddle: Any) -> None:
    arrays = {}
    for name in [*NETWORKS, *WRAPPED]:
        arrays |= {f"{name}/{key}": value for key, value in run(paddle, name).items()}
        arrays[f"{name}/names"] = np.array(list(network(paddle, name).state_dict()))
    arrays |= {f"search/{key}": value for key, value in search(paddle).items()}
    np.savez_compressed(DATA, **arrays)
    paddle.save(network(paddle, "lstm_both").state_dict(), str(SAVED))


def _compare(paddle: Any, path: str) -> None:
    layer = network(paddle, "lstm_both")
    x, given = arguments(paddle, "lstm_both")
    expected = layer(x, **given)[0].numpy()
    other = paddle.nn.LSTM(SIZE, HIDDEN, num_layers=2, direction="bidirect")
    print(other.set_state_dict(paddle.load(path)))
    print(np.abs(other(x, **given)[0].numpy() - expected).max())


if __name__ == "__main__":
    import paddle as _paddle

    _compare(_paddle, sys.argv[1]) if len(sys.argv) > 1 else _write(_paddle)
