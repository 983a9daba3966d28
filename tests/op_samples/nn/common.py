"""Samples of the operators of common layers."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints


def _linear(x, w, bias):
    return x @ w if bias is None else x @ w + bias


def _kept(scale):
    """Elements are dropped or multiplied by ``scale``; Mask says which; about p of them remain."""

    def check(outs, inputs, attrs):
        out, mask = outs[0].numpy(), outs[1].numpy()
        np.testing.assert_allclose(out, inputs["X"] * mask, rtol=1e-7)
        assert set(np.unique(mask)) == {0.0, scale}
        assert abs((mask == 0).mean() - attrs.get("dropout_prob", 0.5)) < 0.05

    return check


def _same_seed(outs, inputs, attrs):
    """A seed of its own gives the same choice again, whatever was drawn in between."""
    import paddle
    from paddle.core.op import C

    paddle.rand([7])
    again = C.dropout(paddle.to_tensor(inputs["X"]), None, **attrs)
    np.testing.assert_array_equal(outs[1].numpy(), again[1].numpy())
    other = C.dropout(paddle.to_tensor(inputs["X"]), None, **{**attrs, "seed": 4})
    assert (outs[1].numpy() != other[1].numpy()).any()


def _seed_tensor(outs, inputs, attrs):
    from paddle.core.op import C
    from paddle.tensor import to_tensor

    again = C.dropout(to_tensor(inputs["X"]), None, fix_seed=True, seed=int(inputs["Seed"][0]))
    np.testing.assert_array_equal(outs[1].numpy(), again[1].numpy())


def _embedding(ids, w, padding_idx=-1, is_sparse=False):
    return w[ids] * (ids != padding_idx)[..., None]


def _one_hot(x, depth_tensor, depth=-1, dtype=5, allow_out_of_range=False):
    size = depth if depth_tensor is None else int(depth_tensor[0])
    kind = {5: "float32", 3: "int64", 6: "float64"}[dtype]
    return (x[..., None] == np.arange(size)).astype(kind)


def _bilinear(x, y, weight, bias):
    out = np.stack([np.sum(x @ w * y, 1) for w in weight], 1)
    return out if bias is None else out + bias


def _diag(x, offset=0, dim1=-2, dim2=-1):
    size = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], size, size), x.dtype)
    at = np.arange(x.shape[-1])
    out[..., at + max(-offset, 0), at + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


MANY = f64(60, 70) + 3
UP = {"dropout_implementation": "upscale_in_train"}
SAMPLES = [
    Sample("linear", {"X": f64(3, 4), "W": f64(4, 2), "Bias": f64(2)}, ref=_linear, orders=3),
    Sample("linear", {"X": f64(3, 4), "W": f64(4, 2)}, ref=lambda *a: _linear(*a), orders=3,
           note="no_bias"),
    Sample("linear", {"X": f64(2, 3, 4), "W": f64(4, 2), "Bias": f64(2)}, ref=_linear, orders=3,
           note="3d"),
    Sample("linear", {"X": f64(4), "W": f64(4, 2), "Bias": f64(2)}, ref=_linear, note="1d"),
    Sample("dropout", {"X": MANY}, {"dropout_prob": 0.3}, check=_kept(1.0), grad=[]),
    Sample("dropout", {"X": MANY}, {"dropout_prob": 0.75, **UP}, check=_kept(4.0), grad=[],
           note="upscale"),
    Sample("dropout", {"X": f64(3, 4)}, {"fix_seed": True, "seed": 3, **UP}, check=_same_seed,
           orders=3, note="seed"),
    Sample("dropout", {"X": f64(3, 4)}, {"fix_seed": True, "seed": 3}, check=_same_seed,
           orders=3, note="seed_downgrade"),
    Sample("dropout", {"X": f64(30, 4), "Seed": np.array([9], "int32")}, check=_seed_tensor,
           orders=1, note="seed_tensor"),
    Sample("dropout", {"X": f64(3, 4)}, {"is_test": True, "dropout_prob": 0.25}, orders=3,
           ref=lambda x, seed, **_: (x * 0.75, None), note="test_downgrade"),
    Sample("dropout", {"X": f64(3, 4)}, {"is_test": True, **UP}, orders=3,
           ref=lambda x, seed, **_: (x, None), note="test_upscale"),
    Sample("dropout", {"X": f64(3, 4)}, {"dropout_prob": 1.0, **UP}, orders=3,
           ref=lambda x, seed, **_: (x * 0, x * 0), note="all"),
    Sample("dropout", {"X": f64(3, 4)}, {"dropout_prob": 0.0, **UP}, orders=1,
           ref=lambda x, seed, **_: (x, x * 0 + 1), note="none"),
    Sample("lookup_table_v2", {"Ids": ints(3, 2, high=5), "W": f64(5, 4)}, ref=_embedding,
           orders=3),
    Sample("lookup_table_v2", {"Ids": ints(6, high=3), "W": f64(3, 4)}, {"padding_idx": 1},
           ref=_embedding, orders=3, note="padding"),
    Sample("lookup_table_v2", {"Ids": ints(4, high=3, dtype="int32"), "W": f64(3, 2)},
           {"padding_idx": 0}, ref=_embedding, note="padding_0_int32"),
    Sample("one_hot_v2", {"X": ints(3, 2, high=4)}, {"depth": 4}, ref=_one_hot),
    Sample("one_hot_v2", {"X": ints(3, high=4, dtype="int32")}, {"depth": 5, "dtype": 3},
           ref=_one_hot, note="int"),
    Sample("one_hot_v2", {"X": np.array([-1, 7, 1])}, {"depth": 3, "allow_out_of_range": True},
           ref=_one_hot, note="out_of_range"),
    Sample("one_hot_v2", {"X": ints(3, high=4), "depth_tensor": np.array([4], "int32")},
           ref=_one_hot, note="depth_tensor", static_shape=False),
    Sample("bilinear_tensor_product",
           {"X": f64(3, 4), "Y": f64(3, 2), "Weight": f64(5, 4, 2), "Bias": f64(1, 5)},
           ref=_bilinear, orders=3),
    Sample("bilinear_tensor_product", {"X": f64(3, 4), "Y": f64(3, 2), "Weight": f64(5, 4, 2)},
           ref=_bilinear, orders=3, note="no_bias"),
    Sample("diag_embed", {"Input": f64(2, 3)}, ref=_diag, orders=3),
    Sample("diag_embed", {"Input": f64(2, 3)}, {"offset": -1, "dim1": 0, "dim2": 2}, ref=_diag,
           orders=2, note="dims"),
    Sample("diag_embed", {"Input": f64(3)}, {"offset": 2}, ref=_diag, note="above"),
]  # fmt: skip

ERRORS = [
    ErrorSample("linear", {"X": f64(3, 4), "W": f64(3, 2), "Bias": f64(2)}, {}, ValueError,
                "cannot be multiplied"),
    ErrorSample("linear", {"X": f64(3, 4), "W": ints(4, 2)}, {}, TypeError, "data types"),
    ErrorSample("dropout", {"X": ints(3, 4)}, {"dropout_prob": 0.5}, TypeError, "data types"),
    ErrorSample("dropout", {"X": f64(3)}, {"dropout_prob": 1.5}, ValueError, "expects p to be in"),
    ErrorSample("lookup_table_v2", {"Ids": np.array([0, 5]), "W": f64(5, 4)}, {}, IndexError,
                r"row numbers in \[0, 5\), but received 5"),
    ErrorSample("lookup_table_v2", {"Ids": np.array([0, -1]), "W": f64(5, 4)}, {}, IndexError,
                r"row numbers in \[0, 5\), but received -1"),
    ErrorSample("lookup_table_v2", {"Ids": f64(3), "W": f64(5, 4)}, {}, TypeError, "data types"),
    ErrorSample("one_hot_v2", {"X": np.array([0, 4])}, {"depth": 4}, ValueError,
                r"expected indices in \[0, 4\), but they span \[0, 4\]"),
    ErrorSample("one_hot_v2", {"X": np.array([-1, 2])}, {"depth": 4}, ValueError,
                r"but they span \[-1, 2\]"),
    ErrorSample("bilinear_tensor_product",
                {"X": f64(3, 4), "Y": f64(3, 2), "Weight": f64(5, 4, 3)}, {}, ValueError,
                "bilinear_tensor_product"),
    ErrorSample("diag_embed", {"Input": f64(3)}, {"dim1": 1, "dim2": 1}, ValueError, "identical"),
    ErrorSample("diag_embed", {"Input": f64(3)}, {"dim1": 5}, ValueError, "axis is expected"),
]  # fmt: skip
