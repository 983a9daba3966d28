"""dynamic_decode, and beam search against one written with sets of sequences."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core import unique_name
from tests.static import harness

WORDS, END = 6, 1


def scripted(ends):
    """A decoder whose sequences end as a table says; states count the steps."""

    class Scripted:
        tracks_own_finished = False

        def initialize(self, inits):
            flags = paddle.cast(paddle.zeros_like(inits[:, 0]), "bool")
            return paddle.zeros_like(inits[:, 0]), {"n": inits}, flags

        def step(self, time, inputs, states, by=1.0):
            table = paddle.cast(paddle.to_tensor(np.array(ends)), "float32")
            if not isinstance(time, paddle.Tensor):
                row = paddle.gather(table, time)
            else:
                row = table[int(time)]
            finished = paddle.cast(paddle.reshape(row, [-1]), "bool")
            return {"a": inputs + 10.0}, {"n": states["n"] + by}, inputs + 1.0, finished

    return Scripted()


TABLE = [[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("impute", [False, True])
def test_lengths_and_states(impute):
    """Values as PaddlePaddle 2.6.2 has them: the step that ends a sequence does not count."""
    outputs, states, lengths = nn.dynamic_decode(
        scripted(TABLE), paddle.zeros([3, 2]), impute_finished=impute, return_length=True
    )
    np.testing.assert_array_equal(outputs["a"].numpy(), [[10, 11, 12, 13]] * 3)
    assert lengths.numpy().tolist() == [1, 0, 3]
    expected = [1, 0, 3] if impute else [4, 4, 4]
    assert states["n"].numpy()[:, 0].tolist() == expected


def test_limit_layout_and_further_arguments():
    start = paddle.zeros([3, 2])
    outputs, states = nn.dynamic_decode(
        scripted(TABLE), start, max_step_num=1, output_time_major=True, by=3.0
    )
    assert outputs["a"].shape == [2, 3]  # steps 0 and 1
    assert states["n"].numpy().tolist() == [[6.0, 6.0]] * 3
    assert nn.dynamic_decode(scripted(TABLE), start, max_step_num=0)[0]["a"].shape == [3, 1]


def test_gradients_go_through_the_steps():
    start = paddle.ones([3, 2])
    start.stop_gradient = False
    _, states = nn.dynamic_decode(scripted(TABLE), start, impute_finished=True)
    (states["n"] ** 2).sum().backward()
    np.testing.assert_array_equal(start.grad.numpy()[:, 0], [4, 2, 8])


def search(layers, start, beam=3, limit=4, **options):
    cell, table, out = layers
    decoder = nn.BeamSearchDecoder(cell, 0, END, beam, embedding_fn=table, output_fn=out)
    return nn.dynamic_decode(decoder, start, max_step_num=limit, return_length=True, **options)


def network(seed, cell=nn.GRUCell):
    made = cell(4, 5), nn.Embedding(WORDS, 4), nn.Linear(5, WORDS)
    for i, parameter in enumerate(p for layer in made for p in layer.parameters()):
        value = np.random.RandomState(100 * seed + i).uniform(-1.5, 1.5, parameter.shape)
        values[parameter.name] = value.astype("float32")
        if isinstance(parameter, paddle.Tensor):
            parameter.set_value(values[parameter.name])
    return made


values: dict[str, np.ndarray] = {}
START = np.random.RandomState(3).uniform(-1, 1, (2, 5)).astype("float32")


def by_hand(layers, state, beam, limit):
    """Sequences of one example, best first: (sum, numbers, length)."""
    cell, table, out = layers
    kept = [(0.0, [], paddle.to_tensor(state[None]), False)]
    for _ in range(limit + 1):
        found = []
        for total, ids, h, ended in kept:
            if ended:
                found.append((total, [*ids, END], h, True))
                continue
            word = paddle.to_tensor([ids[-1] if ids else 0])
            y, new = cell(table(word), h)
            logits = out(y).numpy()[0].astype("float64")
            logs = logits - np.log(np.exp(logits).sum())
            found += [(total + logs[w], [*ids, w], new, w == END) for w in range(WORDS)]
        kept = sorted(found, key=lambda item: -item[0])[:beam]
        if all(item[3] for item in kept):
            break
    return kept


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_beams_are_the_best_sequences(seed):
    layers = network(seed)
    ids, states, lengths = search(layers, paddle.to_tensor(START))
    for row in range(2):
        for k, (total, numbers, _, _) in enumerate(by_hand(layers, START[row], 3, 4)):
            got = ids.numpy()[row, :, k].tolist()
            assert got[: len(numbers)] == numbers
            assert set(got[len(numbers) :]) <= {END}
            assert abs(float(states.log_probs[row, k]) - total) < 1e-4
            wanted = numbers.index(END) + 1 if END in numbers else len(numbers)
            assert int(lengths[row, k]) == wanted
            assert bool(states.finished[row, k]) == (END in numbers)


def test_layout_of_time():
    layers = network(2)
    a = search(layers, paddle.to_tensor(START))[0]
    b = search(layers, paddle.to_tensor(START), output_time_major=True)[0]
    np.testing.assert_array_equal(a.numpy().transpose(1, 0, 2), b.numpy())


def test_one_beam_takes_the_best_word_each_time():
    cell, table, out = layers = network(2)
    ids = search(layers, paddle.to_tensor(START), beam=1)[0].numpy()[:, :, 0]
    word, h = paddle.zeros([2], "int64"), paddle.to_tensor(START)
    for t in range(ids.shape[1]):
        y, h = cell(table(word), h)
        word = paddle.argmax(out(y), axis=-1)
        going = np.array([END not in ids[row, :t] for row in range(2)])
        np.testing.assert_array_equal(ids[:, t][going], word.numpy()[going])


def test_parts_of_a_search():
    cell, table, out = network(2, nn.LSTMCell)
    decoder = nn.BeamSearchDecoder(cell, 0, END, 3, embedding_fn=table, output_fn=out)
    assert decoder.tracks_own_finished is True
    first = (paddle.to_tensor(START), paddle.zeros([2, 5]))
    inputs, states, finished = decoder.initialize(first)
    assert inputs.shape == [2, 3, 4]
    assert [s.shape for s in states.cell_states] == [[2, 3, 5]] * 2
    assert not finished.numpy().any()
    np.testing.assert_allclose(states.log_probs.numpy(), [[0, -1e9, -1e9]] * 2)
    found, states, inputs, finished = decoder.step(paddle.zeros([1]), inputs, states)
    assert found.parent_ids.numpy().tolist() == [[0] * 3] * 2
    assert states.lengths.numpy().tolist() == [[1] * 3] * 2
    np.testing.assert_array_equal(finished.numpy(), found.predicted_ids.numpy() == END)
    assert type(found)._fields == ("scores", "predicted_ids", "parent_ids")
    assert type(states)._fields == ("cell_states", "log_probs", "finished", "lengths")


def test_tiles():
    tile = nn.BeamSearchDecoder.tile_beam_merge_with_batch
    x = paddle.to_tensor([[1, 2], [3, 4]])
    assert tile(x, 2).numpy().tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
    assert tile({"a": x[:, 0]}, 3)["a"].numpy().tolist() == [1, 1, 1, 3, 3, 3]


# -- static ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, 1])
def test_static_loop(limit):
    eager = nn.dynamic_decode(
        scripted(TABLE), paddle.zeros([3, 2]), limit, impute_finished=True, return_length=True
    )
    with harness.static() as (main, startup):
        start = paddle.static.data("start", [3, 2])
        outputs, states, lengths = nn.dynamic_decode(
            scripted(TABLE), start, limit, impute_finished=True, return_length=True
        )
    feed = {"start": np.zeros((3, 2), "float32")}
    got = harness.run(main, startup, feed, [outputs["a"], states["n"], lengths])
    wanted = eager[0]["a"], eager[1]["n"], eager[2]
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b.numpy())


@pytest.mark.parametrize("is_test", [False, True])
def test_static_search(is_test):
    with unique_name.guard():
        ids, states, lengths = search(network(2), paddle.to_tensor(START))
    with harness.static() as (main, startup):
        start = paddle.static.data("start", [-1, 5])
        found = search(network(2), start, is_test=is_test)
        scope = paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            exe = paddle.static.Executor()
            exe.run(startup)
            for p in main.all_parameters():
                scope.find_var(p.name).get_tensor().set(values[p.name], paddle.CPUPlace())
            fetch = [found[0], found[1].log_probs, found[2]]
            got = exe.run(main, feed={"start": START}, fetch_list=fetch)
    np.testing.assert_array_equal(got[0], ids.numpy())
    np.testing.assert_allclose(got[1], states.log_probs.numpy(), rtol=1e-6)
    np.testing.assert_array_equal(got[2], lengths.numpy())


# -- bad input -------------------------------------------------------------------------------------


def _decoder(**options):
    return nn.BeamSearchDecoder(
        **{"cell": nn.GRUCell(4, 5), "start_token": 0, "end_token": 1, "beam_size": 2, **options}
    )


@pytest.mark.parametrize("call, error, text", [
    (lambda: _decoder(cell=3), TypeError, r"BeamSearchDecoder\(cell\): expected a function.*int"),
    (lambda: _decoder(output_fn="a"), TypeError, r"BeamSearchDecoder\(output_fn\).*str"),
    (lambda: _decoder(start_token=0.5), TypeError, r"BeamSearchDecoder\(start_token\).*float"),
    (lambda: _decoder(beam_size=0), ValueError, r"BeamSearchDecoder\(beam_size\).*at least 1.*0"),
    (lambda: _decoder().initialize(3), TypeError, r"initialize\(initial_cell_states\).*int"),
    (lambda: search(network(2)[:2] + (nn.Linear(5, 1),), paddle.to_tensor(START)), ValueError,
     r"BeamSearchDecoder\(end_token\): expected a number below the size of the logits, 1"),
    (lambda: nn.dynamic_decode(3), TypeError, r"dynamic_decode\(decoder\).*initialize.*int"),
    (lambda: nn.dynamic_decode(_decoder(), max_step_num=-1), ValueError,
     r"dynamic_decode\(max_step_num\): expected at least 0, but received -1"),
    (lambda: nn.dynamic_decode(_decoder(), max_step_num=1.5), TypeError,
     r"dynamic_decode\(max_step_num\).*float"),
])  # fmt: skip
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_nothing_to_decode():
    decoder = scripted(TABLE)
    begin = decoder.initialize
    decoder.initialize = lambda inits: (*begin(inits)[:2], paddle.to_tensor([True] * 3))
    with pytest.raises(ValueError, match="all sequences have ended before the first step"):
        nn.dynamic_decode(decoder, paddle.zeros([3, 2]))


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_beam_search_over_logits_of_16_bits(kind):
    """Scores are summed in float32, and what cannot follow keeps a finite score."""
    paddle.seed(5)
    cell, table = nn.GRUCell(4, 4), nn.Embedding(WORDS, 4)
    project, start = nn.Linear(4, WORDS), paddle.randn([3, 4])

    def found(output_fn):
        decoder = nn.BeamSearchDecoder(cell, 0, END, 3, embedding_fn=table, output_fn=output_fn)
        return nn.dynamic_decode(decoder, inits=start, max_step_num=4)

    low = found(lambda x: project(x).astype(kind))
    rounded = found(lambda x: project(x).astype(kind).astype("float32"))
    np.testing.assert_array_equal(low[0].numpy(), rounded[0].numpy())
    np.testing.assert_allclose(low[1].log_probs.numpy(), rounded[1].log_probs.numpy(), rtol=1e-6)
    assert np.isfinite(low[1].log_probs.numpy()).all()
