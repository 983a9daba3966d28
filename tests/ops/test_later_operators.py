"""Later operators in whole Programs, and what samples cannot show: LoD, gradients."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.lod import LoDTensor
from paddle.core.op import C
from paddle.static import Executor, Program, Scope
from tests.op_samples.math.spectral import stft
from tests.op_samples.sample import f64, ints
from tests.op_samples.sequence.alignment import ctc_align, viterbi_decode
from tests.op_samples.vision.patches import im2sequence


@pytest.fixture(autouse=True)
def _seeded():
    paddle.seed(2021)


def _sequences(array: np.ndarray, lod: list) -> LoDTensor:
    made = LoDTensor()
    made.set(array, paddle.CPUPlace())
    made.set_lod(lod)
    return made


def _run(feed: dict[str, Any], fetch: list[str], *calls: tuple) -> list:
    """Runs a Program of calls (operator, inputs, outputs, attributes), batch sizes unknown."""
    main = Program()
    block = main.global_block()
    for name, value in feed.items():
        array = value.numpy() if isinstance(value, LoDTensor) else value
        shape = [-1, *array.shape[1:]] if array.ndim > 1 else list(array.shape)
        block.create_var(name=name, shape=shape, dtype=str(array.dtype))
    for kind, inputs, outputs, attrs in calls:
        for name in outputs.values():
            if not block.has_var(name):
                block.create_var(name=name, dtype="float32")
        block.append_op(
            type=kind,
            inputs={slot: n if isinstance(n, list) else [n] for slot, n in inputs.items()},
            outputs={slot: [n] for slot, n in outputs.items()},
            attrs=attrs,
        )
    paddle.enable_static()
    try:
        exe = Executor(paddle.CPUPlace())
        return exe.run(main, feed=feed, fetch_list=fetch, scope=Scope(), return_numpy=False)
    finally:
        paddle.disable_static()


# -- LoD ---------------------------------------------------------------------------


def test_im2sequence_says_where_each_image_begins():
    x = f64(3, 2, 5, 4).astype("float32")
    sizes = np.array([[5, 4], [4, 4], [3, 3]], "float32")
    attrs = {"kernels": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0]}
    (rows,) = _run({"x": x}, ["o"], ("im2sequence", {"X": "x"}, {"Out": "o"}, attrs))
    assert rows.lod() == [[0, 12, 24, 36]]
    np.testing.assert_array_equal(rows.numpy(), im2sequence(x, None, **attrs))
    (rows,) = _run({"x": x, "y": sizes}, ["o"],
                   ("im2sequence", {"X": "x", "Y": "y"}, {"Out": "o"}, attrs))  # fmt: skip
    assert rows.lod() == [[0, 12, 21, 25]]
    np.testing.assert_array_equal(rows.numpy(), im2sequence(x, sizes, **attrs))


def test_ctc_align_of_sequences_below_each_other():
    x = np.array([[1], [1], [0], [1], [1], [2], [0], [0], [0], [2]])
    offsets = [0, 4, 6, 9, 10]
    calls = ("ctc_align", {"Input": "x"}, {"Output": "o"}, {"blank": 0, "merge_repeated": True})
    (out,) = _run({"x": _sequences(x, [offsets])}, ["o"], calls)
    parts = [ctc_align(x[a:b], None)[0] for a, b in itertools.pairwise(offsets)]
    expected = np.concatenate([part[part != -1] for part in parts])
    np.testing.assert_array_equal(out.numpy()[:, 0], expected)
    assert out.lod() == [[0, 2, 4, 4, 5]]


def test_ctc_align_of_blanks_only():
    calls = ("ctc_align", {"Input": "x"}, {"Output": "o"}, {"blank": 0, "merge_repeated": True})
    (out,) = _run({"x": _sequences(np.zeros((3, 1), "int32"), [[0, 1, 3]])}, ["o"], calls)
    np.testing.assert_array_equal(out.numpy(), [[-1]])
    assert out.lod() == [[0, 0, 0]]


# -- whole Programs -----------------------------------------------------------------------------


def test_recognizing_text():
    """The end of an OCR model: scores, the best label of each step, CTC's merging."""
    scores = f64(2, 7, 4).astype("float32")
    lengths = np.array([[7], [4]])
    out, count = _run(
        {"x": scores, "n": lengths},
        ["o", "c"],
        ("softmax", {"X": "x"}, {"Out": "p"}, {"axis": -1}),
        ("arg_max", {"X": "p"}, {"Out": "k"}, {"axis": 2, "dtype": 3, "keepdims": False}),
        ("ctc_align", {"Input": "k", "InputLength": "n"}, {"Output": "o", "OutputLength": "c"},
         {"blank": 3, "merge_repeated": True, "padding_value": -1}),
    )  # fmt: skip
    expected = ctc_align(scores.argmax(2), lengths, 3, True, -1)
    np.testing.assert_array_equal(out.numpy(), expected[0])
    np.testing.assert_array_equal(count.numpy(), expected[1])


def test_spectrogram_by_frames_and_by_stft():
    """The beginning of a speech model, as paddle.signal records it and in one operator."""
    x, window = f64(2, 32).astype("float32"), np.hanning(8).astype("float32")
    whole = {"n_fft": 8, "hop_length": 4, "normalized": False, "onesided": True}
    way = {"axes": [2], "normalization": "backward", "forward": True, "onesided": True}
    framed, short = _run(
        {"x": x, "w": window},
        ["t", "s"],
        ("frame", {"X": "x"}, {"Out": "f"}, {"frame_length": 8, "hop_length": 4, "axis": -1}),
        ("transpose2", {"X": "f"}, {"Out": "g", "XShape": "gs"}, {"axis": [0, 2, 1]}),
        ("elementwise_mul", {"X": "g", "Y": "w"}, {"Out": "h"}, {"axis": -1}),
        ("fft_r2c", {"X": "h"}, {"Out": "r"}, way),
        ("transpose2", {"X": "r"}, {"Out": "t", "XShape": "ts"}, {"axis": [0, 2, 1]}),
        ("stft", {"X": "x", "Window": "w"}, {"Out": "s"}, whole),
    )
    expected = stft(x, window, **whole)
    np.testing.assert_allclose(framed.numpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(short.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_signal_comes_back():
    """Frames that do not overlap, transformed there and back, are the signal."""
    x = f64(3, 24).astype("float32")
    way = {"axes": [1], "normalization": "ortho"}
    (out,) = _run(
        {"x": x},
        ["o"],
        ("frame", {"X": "x"}, {"Out": "f"}, {"frame_length": 6, "hop_length": 6, "axis": -1}),
        ("fft_r2c", {"X": "f"}, {"Out": "r"}, {**way, "forward": True, "onesided": True}),
        ("fft_c2r", {"X": "r"}, {"Out": "b"}, {**way, "forward": False, "last_dim_size": 6}),
        ("overlap_add", {"X": "b"}, {"Out": "o"}, {"hop_length": 6, "axis": -1}),
    )
    np.testing.assert_allclose(out.numpy(), x, rtol=1e-5, atol=1e-6)


def test_tagging():
    x, transition = f64(3, 4, 5).astype("float32"), f64(5, 5, key=1).astype("float32")
    lengths = np.array([4, 2, 3])
    score, path = _run(
        {"x": x, "t": transition, "n": lengths},
        ["s", "p"],
        ("viterbi_decode", {"Input": "x", "Transition": "t", "Length": "n"},
         {"Scores": "s", "Path": "p"}, {"include_bos_eos_tag": True}),
    )  # fmt: skip
    expected = viterbi_decode(x, transition, lengths)
    np.testing.assert_allclose(score.numpy(), expected[0], rtol=1e-5)
    np.testing.assert_array_equal(path.numpy(), expected[1])


def test_slots_of_a_ranking_model():
    parts = {f"x{i}": np.abs(f64(3, 6, key=i)).astype("float32") for i in range(2)}
    shown = np.ones((3, 2), "float32")
    (out,) = _run(
        {**parts, "c": shown},
        ["o"],
        ("partial_concat", {"X": ["x0", "x1"]}, {"Out": "j"}, {"start_index": 1, "length": 4}),
        ("cvm", {"X": "j", "CVM": "c"}, {"Y": "o"}, {"use_cvm": True}),
    )
    joined = np.concatenate([p[:, 1:5] for p in parts.values()], 1)
    shows, clicks = np.log(joined[:, :1] + 1), np.log(joined[:, 1:2] + 1)
    expected = np.concatenate([shows, clicks - shows, joined[:, 2:]], 1)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5)


def test_slots_that_paddlepaddle_writes_and_we_need_not():
    """A saved Program names every output, also those that no one reads."""
    x = f64(3, 4).astype("float32")
    (out,) = _run({"x": x}, ["o"], ("nanmedian", {"X": "x"}, {"Out": "o", "MedianIndex": "m"},
                                    {"axis": [1], "keepdim": False}))  # fmt: skip
    np.testing.assert_allclose(out.numpy(), np.median(x, 1))


# -- gradients that are not derivatives ---------------------------------------------------------


def _gradients(out: Any, *inputs: Any) -> list[np.ndarray]:
    return [g.numpy() for g in paddle.grad(paddle.sum(out), list(inputs))]


def _tensor(array: Any, dtype: str = "float64") -> Any:
    return paddle.to_tensor(np.asarray(array, dtype), stop_gradient=False)


def test_cvm_hands_the_counts_back():
    x, shown = _tensor(np.abs(f64(3, 5))), np.arange(6.0).reshape(3, 2)
    for use_cvm in (True, False):
        (grad,) = _gradients(C.cvm(x, paddle.to_tensor(shown), use_cvm=use_cvm), x)
        np.testing.assert_array_equal(grad, np.concatenate([shown, np.ones((3, 3))], 1))


def test_teacher_student_loss_is_flat_outside_its_bounds():
    x, label = _tensor([[12.0], [9.0], [-7.0], [-9.0]]), paddle.to_tensor(np.full((4, 1), 0.3))
    out = C.teacher_student_sigmoid_loss(x, label, soft_max_up_bound=10.0,
                                         soft_max_lower_bound=-8.0)  # fmt: skip
    (grad,) = _gradients(out, x)
    share = 1 / (1 + np.exp(-np.array([9.0, -7.0])))
    np.testing.assert_allclose(grad[:, 0], [0.0, *(2 * share - 0.3), 0.0])


def test_every_equal_extreme_gets_the_gradient():
    x = _tensor([[2.0], [2.0], [1.0]])
    edges = [paddle.to_tensor(np.array(n)) for n in ([0, 1, 0], [0, 0, 0])]
    (grad,) = _gradients(C.graph_send_recv(x, *edges, None, reduce_op="MAX")[0], x)
    np.testing.assert_array_equal(grad, [[2.0], [1.0], [0.0]])
    ids = paddle.to_tensor(np.array([0, 0, 1]))
    (grad,) = _gradients(C.segment_pool(x, ids, pooltype="MIN")[0], x)
    np.testing.assert_array_equal(grad, [[1.0], [1.0], [1.0]])


def test_what_is_drawn_has_no_gradient_by_its_input():
    x = _tensor(np.abs(f64(3, 4)))
    for name in ("poisson", "uniform_random_inplace", "gaussian_inplace"):
        (grad,) = _gradients(getattr(C, name)(x), x)
        np.testing.assert_array_equal(grad, np.zeros((3, 4)))


def test_hard_draws_have_the_gradient_zero():
    x = _tensor(f64(3, 4))
    out = C.gumbel_softmax(x, hard=True)
    (grad,) = _gradients(out * paddle.to_tensor(f64(3, 4, key=1)), x)
    np.testing.assert_array_equal(grad, np.zeros((3, 4)))


def test_eigenvalues_of_symmetric_matrices_have_their_vectors_as_gradient():
    half = f64(4, 4)
    x = _tensor(half + half.T)
    values, vectors = C.eigvalsh(x)
    (grad,) = _gradients(values * paddle.to_tensor(np.arange(4.0)), x)
    v = vectors.numpy()
    np.testing.assert_allclose(grad, (v * np.arange(4.0)) @ v.T, atol=1e-9)


# -- seeds and views ----------------------------------------------------------------------------


def test_the_same_seed_draws_the_same():
    x = paddle.to_tensor(np.abs(f64(50)))
    for name in ("uniform_random_inplace", "gaussian_inplace"):
        run = getattr(C, name)
        first, second = run(x, seed=3).numpy(), run(x, seed=3).numpy()
        np.testing.assert_array_equal(first, second)
        assert (first != run(x, seed=4).numpy()).any()
    for name in ("gumbel_softmax", "poisson"):
        found = []
        for _ in range(2):
            paddle.seed(9)
            found.append(getattr(C, name)(x).numpy())
        np.testing.assert_array_equal(*found)


def test_shuffling_goes_on_where_it_stopped():
    x, seed = paddle.to_tensor(np.arange(40.0).reshape(20, 2)), paddle.to_tensor(np.array([3]))
    first, _, after = C.shuffle_batch(x, seed)
    again, _, _ = C.shuffle_batch(x, seed)
    next_one, _, _ = C.shuffle_batch(x, after)
    np.testing.assert_array_equal(first.numpy(), again.numpy())
    assert (first.numpy() != next_one.numpy()).any()


def test_strides_count_in_the_tensor_and_not_in_what_it_is_a_view_of():
    whole = paddle.to_tensor(np.arange(24.0).reshape(4, 6))
    part = whole[1:3]
    out = C.as_strided(part, dims=[2, 2], stride=[3, 1], offset=8)
    np.testing.assert_array_equal(out.numpy(), [[7.0, 8.0], [10.0, 11.0]])
    turned = paddle.transpose(whole, [1, 0])
    out = C.as_strided(turned, dims=[3], stride=[1])
    np.testing.assert_array_equal(out.numpy(), [0.0, 6.0, 12.0])
    with pytest.raises(ValueError, match="reach number 12"):
        C.as_strided(part, dims=[13], stride=[1])


def test_writing_to_a_view_leaves_the_other_one():
    whole = paddle.to_tensor(np.arange(6.0))
    view = C.view_shape(whole, dims=[2, 3])
    view[0, 0] = 7.0
    assert whole.numpy()[0] == 0.0 and view.numpy()[0, 0] == 7.0


def test_lu_without_pivots_runs_on_gpus_only():
    with pytest.raises(NotImplementedError, match="pivots=True"):
        C.lu(paddle.to_tensor(f64(3, 3)), pivots=False)


def test_indices_of_two_kinds():
    x = paddle.to_tensor(np.zeros((3, 4)))
    rows, value = paddle.to_tensor(ints(2, high=3, dtype="int32")), paddle.to_tensor(f64(2, 4))
    out = C.index_put(x, [rows], value, accumulate=True)
    expected = np.zeros((3, 4))
    np.add.at(expected, rows.numpy(), value.numpy())
    np.testing.assert_array_equal(out.numpy(), expected)
