"""Calls for eager_in_262.py: less usual dtypes, empty tensors and dimensions of size 0."""

from __future__ import annotations

import numpy as np

import paddle
import paddle.nn.functional as F

REAL = ("float16", "bfloat16", "float32", "float64")
SMALL = ("uint8", "int8", "int16")
INTEGERS = ("int32", "int64")
COMPLEX = ("complex64", "complex128")
CALLS = {}


def made(dtype, shape, key=0, low=-4, high=5, positive=False):
    """A tensor of small values that every dtype can hold; the same arguments, the same values."""
    state = np.random.RandomState(1000 * key + sum((i + 2) * n for i, n in enumerate(shape)))
    if dtype == "bool":
        return paddle.to_tensor(state.randint(0, 2, shape).astype("bool"))
    if positive or dtype == "uint8":
        low = 1
    if dtype in SMALL + INTEGERS:
        return paddle.to_tensor(state.randint(low, high, shape).astype(dtype))
    array = state.uniform(low, high, shape).astype("float32")
    if dtype in COMPLEX:
        array = (array + 1j * state.uniform(low, high, shape)).astype(dtype)
        return paddle.to_tensor(array)
    if dtype == "bfloat16":
        return paddle.to_tensor(array).astype("bfloat16")
    return paddle.to_tensor(array.astype(dtype))


def case(name, call, dtypes, shapes=((2, 3),), count=1, positive=False):
    """Adds ``call`` of ``count`` tensors for every dtype and shape."""
    for dtype in dtypes:
        for shape in shapes:

            def run(dtype=dtype, shape=shape):
                return call(*[made(dtype, shape, i, positive=positive) for i in range(count)])

            # The parameters of a call name arrays of the other tables: this one has none.
            mark = "x".join(map(str, shape))
            CALLS[f"{name}/{dtype}/{mark}"] = (lambda r: lambda: r())(run)


EMPTY = ((0,), (0, 3), (2, 0))
ANY = ("bool", *SMALL, *INTEGERS, *REAL, *COMPLEX)
NUMBERS = (*INTEGERS, "float32", "float64")

# -- shapes and copies: every dtype ------------------------------------------------------------------
for _name, _call in {
    "reshape": lambda x: paddle.reshape(x, [3, 2]),
    "transpose": lambda x: paddle.transpose(x, [1, 0]),
    "flatten": lambda x: paddle.flatten(x),
    "squeeze": lambda x: paddle.squeeze(x.unsqueeze(0), 0),
    "unsqueeze": lambda x: paddle.unsqueeze(x, [0, -1]),
    "concat": lambda x: paddle.concat([x, x], axis=1),
    "stack": lambda x: paddle.stack([x, x]),
    "split": lambda x: paddle.split(x, [1, -1], axis=1),
    "chunk": lambda x: paddle.chunk(x, 3, axis=1),
    "unbind": lambda x: paddle.unbind(x),
    "unstack": lambda x: paddle.unstack(x, axis=1),
    "slice": lambda x: paddle.slice(x, [1], [1], [3]),
    "strided_slice": lambda x: paddle.strided_slice(x, [1], [2], [-4], [-1]),
    "crop": lambda x: paddle.crop(x, [1, 2], [1, 0]),
    "expand": lambda x: paddle.expand(x, [2, 2, 3]),
    "expand_as": lambda x: paddle.expand_as(x, paddle.zeros([2, 2, 3])),
    "broadcast_to": lambda x: paddle.broadcast_to(x, [4, 2, 3]),
    "tile": lambda x: paddle.tile(x, [2, 1, 2]),
    "flip": lambda x: paddle.flip(x, [0, 1]),
    "roll": lambda x: paddle.roll(x, [1, 2], [0, 1]),
    "t": lambda x: paddle.t(x),
    "tril": lambda x: paddle.tril(x),
    "triu": lambda x: paddle.triu(x, 1),
    "diag": lambda x: paddle.diag(x[0]),
    "diag_of": lambda x: paddle.diag(x, 1),
    "meshgrid": lambda x: paddle.meshgrid(x[0], x[:, 0]),
    "gather": lambda x: paddle.gather(x, paddle.to_tensor([1, 0, 1])),
    "gather_nd": lambda x: paddle.gather_nd(x, paddle.to_tensor([[1, 2], [0, 0]])),
    "index_select": lambda x: paddle.index_select(x, paddle.to_tensor([2, 0]), axis=1),
    "index_sample": lambda x: paddle.index_sample(x, paddle.to_tensor([[2, 0], [1, 1]])),
    "masked_select": lambda x: paddle.masked_select(x, paddle.to_tensor([[True, False, True]] * 2)),
    "where": lambda x: paddle.where(paddle.to_tensor([[True, False, True]] * 2), x, x[::-1]),
    "multiplex": lambda x: paddle.multiplex([x, x[::-1]], paddle.to_tensor([[1], [0]], "int32")),
    "scatter": lambda x: paddle.scatter(x, paddle.to_tensor([1, 1]), x),
    "scatter_add": lambda x: paddle.scatter(x, paddle.to_tensor([1, 1]), x, overwrite=False),
    "scatter_nd": lambda x: paddle.scatter_nd(paddle.to_tensor([[1], [1]]), x, [4, 3]),
    "scatter_nd_add": lambda x: paddle.scatter_nd_add(x, paddle.to_tensor([[1], [1]]), x),
    "assign": lambda x: paddle.assign(x),
    "zeros_like": lambda x: paddle.zeros_like(x),
    "ones_like": lambda x: paddle.ones_like(x),
    "full_like": lambda x: paddle.full_like(x, 1),
    "shape": lambda x: paddle.shape(x),
    "numel": lambda x: paddle.numel(x),
    "rank": lambda x: paddle.rank(x),
    "is_empty": lambda x: paddle.is_empty(x),
    "getitem": lambda x: [x[1], x[:, ::2], x[..., -1], x[None]],
    "getitem_list": lambda x: x[[1, 0]],
    "getitem_mask": lambda x: x[paddle.to_tensor([True, False])],
    "item": lambda x: x[0, 0].item(),
    "tolist": lambda x: x.tolist(),
}.items():
    case(_name, _call, ANY)
for _target in ANY:
    case(f"cast_{_target}", lambda x, t=_target: paddle.cast(x, t), ANY)


def _creation(name, call, dtypes):
    for dtype in dtypes:
        CALLS[f"{name}/{dtype}"] = (lambda d: lambda: call(d))(dtype)


_creation("zeros", lambda d: paddle.zeros([2, 3], d), ANY)
_creation("zeros_empty", lambda d: paddle.zeros([2, 0], d), ANY)
_creation("ones", lambda d: paddle.ones([2, 3], d), ANY)
_creation("full", lambda d: paddle.full([2, 3], 1, d), ANY)
_creation("full_float", lambda d: paddle.full([2], 2.7, d), ANY)
_creation("full_negative", lambda d: paddle.full([2], -2, d), ANY)
_creation("empty", lambda d: paddle.empty([2, 3], d).shape, ANY)
_creation("eye", lambda d: paddle.eye(2, 3, d), (*INTEGERS, *REAL))
_creation("arange", lambda d: paddle.arange(1, 7, 2, d), (*INTEGERS, *REAL))
_creation("arange_none", lambda d: paddle.arange(3, 3, 1, d), NUMBERS)
_creation("linspace", lambda d: paddle.linspace(1, 7, 4, d), NUMBERS)
_creation("linspace_one", lambda d: paddle.linspace(1, 7, 1, d), NUMBERS)
_creation("to_tensor", lambda d: paddle.to_tensor([[1, 0], [3, 2]], d), ANY)
_creation("to_tensor_floats", lambda d: paddle.to_tensor([1.9, 0.0], d), ANY)
_creation("to_tensor_array", lambda d: paddle.to_tensor(np.arange(3), d), ANY)
_creation("to_tensor_nothing", lambda d: paddle.to_tensor([], d), ANY)
_creation("one_hot", lambda d: F.one_hot(paddle.to_tensor([1, 0], d), 3), INTEGERS)

# -- comparing and logic -----------------------------------------------------------------------------
for _name in ("equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"):
    case(_name, (lambda f: lambda x, y: f(x, y))(getattr(paddle, _name)),
         ("bool", *SMALL, *INTEGERS, *REAL), ((2, 3), *EMPTY), 2)  # fmt: skip
case("equal_all", lambda x: paddle.equal_all(x, x), ("bool", *NUMBERS), ((2, 3), *EMPTY))
case("equal_all_shapes", lambda x: paddle.equal_all(x, x[:1]), ("bool", *NUMBERS))
for _name in ("logical_and", "logical_or", "logical_xor"):
    case(_name, (lambda f: lambda x, y: f(x, y))(getattr(paddle, _name)),
         ("bool", *SMALL, *INTEGERS, *REAL), ((2, 3), *EMPTY), 2)  # fmt: skip
case("logical_not", lambda x: paddle.logical_not(x), ("bool", *SMALL, *NUMBERS), ((2, 3), *EMPTY))
case("all", lambda x: paddle.all(x), ("bool",), ((2, 3), *EMPTY))
case("any", lambda x: paddle.any(x), ("bool",), ((2, 3), *EMPTY))
case("all_axis", lambda x: paddle.all(x, axis=1), ("bool",), ((2, 3), *EMPTY[1:]))
case("any_axis", lambda x: paddle.any(x, axis=0, keepdim=True), ("bool",), ((2, 3), *EMPTY[1:]))
case("allclose", lambda x, y: [paddle.allclose(x, x), paddle.allclose(x, y)],
     ("float32", "float64"), ((2, 3),), 2)  # fmt: skip
case("allclose_empty", lambda x: paddle.allclose(x, x), ("float32",), EMPTY)
case("isnan", lambda x: [paddle.isnan(x), paddle.isinf(x), paddle.isfinite(x)],
     (*INTEGERS, *REAL), ((2, 3), *EMPTY))  # fmt: skip

# -- arithmetic --------------------------------------------------------------------------------------
for _name in ("add", "subtract", "multiply"):
    case(_name, (lambda f: lambda x, y: f(x, y))(getattr(paddle, _name)),
         (*SMALL, *INTEGERS, *REAL, *COMPLEX), ((2, 3),), 2)  # fmt: skip
    case(_name, (lambda f: lambda x, y: f(x, y))(getattr(paddle, _name)), NUMBERS, EMPTY, 2)
case("divide", lambda x, y: paddle.divide(x, y), (*INTEGERS, *REAL, *COMPLEX), ((2, 3),), 2, True)
for _name in ("maximum", "minimum"):
    case(_name, (lambda f: lambda x, y: f(x, y))(getattr(paddle, _name)),
         (*NUMBERS, "float16", "bfloat16"), ((2, 3), (0,)), 2)  # fmt: skip
for _name in ("mod", "floor_mod", "remainder", "floor_divide"):
    _dtypes = NUMBERS if _name != "floor_divide" else INTEGERS
    case(_name, (lambda f: lambda x, y: f(x, y))(getattr(paddle, _name)), _dtypes,
         ((2, 3), (0,)), 2, True)  # fmt: skip
case("mod_signs", lambda x, y: [paddle.mod(x, y), paddle.mod(-x, y), paddle.mod(x, -y)], NUMBERS,
     ((2, 3),), 2, True)  # fmt: skip
case("divide_zero", lambda x: paddle.divide(x, paddle.zeros_like(x)), ("float32", "float64"))
case("mod_zero", lambda x: paddle.mod(x, x * 0), INTEGERS)
case("floor_divide_zero", lambda x: paddle.floor_divide(x, x * 0), INTEGERS)
case("pow", lambda x: [paddle.pow(x, 2), x**2], (*NUMBERS, "float16", "bfloat16"))
case("pow_tensors", lambda x, y: paddle.pow(x, y), NUMBERS, ((2, 3),), 2, True)
case("scale", lambda x: paddle.scale(x, 2, 1), (*SMALL, *INTEGERS, *REAL), ((2, 3), *EMPTY))
case("clip", lambda x: paddle.clip(x, -1, 2), (*NUMBERS, "float16", "bfloat16"), ((2, 3), *EMPTY))
case("add_n", lambda x, y: paddle.add_n([x, y]), (*NUMBERS, "float16", "bfloat16"), ((2, 3),), 2)
case("increment", lambda x: paddle.increment(x), NUMBERS, ((1,),))
case("operators", lambda x: [x + 1, x * 2, 1 - x, x - 1, -x], (*SMALL[1:], *NUMBERS))
case("operators_float", lambda x: [x + 1.5, x * 0.5, 1.5 - x, x / 2], ("float16", *NUMBERS))
case("operators_complex", lambda x: [x + 1.5, x * 2j, 1j - x, x / 2], COMPLEX)
case("operators_bool", lambda x, y: [x & y, x | y, x ^ y, ~x], ("bool",), ((2, 3), (0,)), 2)
case("bitwise", lambda x, y: [x & y, x | y, x ^ y, ~x], (*SMALL, *INTEGERS), ((2, 3), (0,)), 2)
for _name in ("abs", "sign", "square"):
    case(_name, (lambda f: lambda x: f(x))(getattr(paddle, _name)),
         (*INTEGERS, *REAL), ((2, 3), *EMPTY))  # fmt: skip
case("abs", lambda x: paddle.abs(x), COMPLEX)
for _name in ("conj", "real", "imag"):
    case(_name, (lambda f: lambda x: f(x))(getattr(paddle, _name)), COMPLEX, ((2, 3), (0, 3)))
case("conj", lambda x: paddle.conj(x), ("int32", "int64", "float32", "float64"))
for _name in (
    "atan", "ceil", "cos", "cosh", "erf", "exp", "floor", "reciprocal", "round", "rsqrt", "sin",
    "sinh", "sqrt", "stanh", "tanh", "log", "log2", "log10", "log1p",
):  # fmt: skip
    case(_name, (lambda f: lambda x: f(x))(getattr(paddle, _name)), REAL, ((2, 3),), 1, True)
    case(_name, (lambda f: lambda x: f(x))(getattr(paddle, _name)), ("float32",), EMPTY)
for _name in ("acos", "asin"):
    case(_name, (lambda f: lambda x: f(x / 8))(getattr(paddle, _name)), REAL)
for _name in (
    "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid", "log_softmax", "relu", "relu6", "selu", "sigmoid", "softmax", "softplus",
    "softshrink", "softsign", "swish", "tanhshrink", "thresholded_relu",
):  # fmt: skip
    case(_name, (lambda f: lambda x: f(x))(getattr(F, _name)), ("float16", "bfloat16", "float64"))
    case(_name, (lambda f: lambda x: f(x))(getattr(F, _name)), ("float32",), ((0, 3),))

# -- reductions --------------------------------------------------------------------------------------
for _name in ("sum", "max", "min", "prod", "mean"):
    _f = getattr(paddle, _name)
    _kinds = {"sum": ("bool", *SMALL, *INTEGERS, *REAL, *COMPLEX), "mean": REAL}
    _kinds = _kinds.get(_name, (*NUMBERS, "float16"))
    case(_name, (lambda f: lambda x: [f(x), f(x, axis=-1), f(x, axis=[0, 1], keepdim=True)])(_f),
         _kinds)  # fmt: skip
    case(_name + "_all", (lambda f: lambda x: f(x))(_f), ("float32", "int64"), EMPTY)
    case(_name + "_axis", (lambda f: lambda x: f(x, axis=1))(_f), ("float32", "int64"), EMPTY[1:])
case("sum_dtype", lambda x: [paddle.sum(x, dtype="float64"), paddle.sum(x, dtype="int32")],
     ("bool", *NUMBERS))  # fmt: skip
case("prod_dtype", lambda x: paddle.prod(x, dtype="float64"), NUMBERS)
case("logsumexp", lambda x: paddle.logsumexp(x, axis=1), ("float32", "float64"), ((2, 3), (0, 3)))
case("std", lambda x: [paddle.std(x), paddle.var(x, axis=0)], ("float32", "float64"))
case("std_one", lambda x: [paddle.std(x), paddle.var(x)], ("float32",), ((1,),))
case("median", lambda x: [paddle.median(x), paddle.median(x, axis=1)], NUMBERS, ((2, 3), (2, 4)))
case("cumsum", lambda x: [paddle.cumsum(x), paddle.cumsum(x, axis=-1)], (*NUMBERS, "float16"),
     ((2, 3),))  # fmt: skip
case("cumsum_empty", lambda x: paddle.cumsum(x, axis=0), NUMBERS, EMPTY)
case("cumsum_dtype", lambda x: paddle.cumsum(x, dtype="float64"), NUMBERS)
case("norm", lambda x: [paddle.norm(x), paddle.norm(x, p=1), paddle.norm(x, p=3, axis=1)],
     ("float32", "float64"))  # fmt: skip
case("norm_special", lambda x: [paddle.norm(x, p=p, axis=1) for p in (0, np.inf, -np.inf, 0.5)],
     ("float32", "float64"))  # fmt: skip
case("dist", lambda x, y: [paddle.dist(x, y, p) for p in (0, 1, 2, 3.5, float("inf"), -np.inf)],
     ("float32", "float64"), ((2, 3),), 2)  # fmt: skip

# -- searching and sorting ---------------------------------------------------------------------------
_ORDERED = (*INTEGERS, "float32", "float64")
for _name in ("argmax", "argmin"):
    _f = getattr(paddle, _name)
    case(_name, (lambda f: lambda x: [f(x), f(x, axis=1), f(x, axis=0, keepdim=True),
                                      f(x, axis=-1, dtype="int32")])(_f),
         ("uint8", "int16", *_ORDERED))  # fmt: skip
    case(_name, (lambda f: lambda x: f(x, axis=0))(_f), ("float32",), ((0, 3), (2, 0)))
case("sort", lambda x: [paddle.sort(x), paddle.sort(x, axis=0, descending=True)], _ORDERED)
case("argsort", lambda x: [paddle.argsort(x), paddle.argsort(x, axis=0)], ("float32", "float64"),
     ((2, 3), (4, 5)))  # fmt: skip
case("sort_empty", lambda x: [paddle.sort(x), paddle.argsort(x)], ("float32", "int64"), EMPTY)
case("sort_number", lambda x: [paddle.sort(x[0, 0]), paddle.argsort(x[0, 0])], ("float32",))
case("topk", lambda x: [paddle.topk(x, 2, axis=1)[0], paddle.topk(x, 1, axis=0, largest=False)[0]],
     _ORDERED)  # fmt: skip
case("topk_empty", lambda x: paddle.topk(x, 1, axis=-1), ("float32",), ((0, 3),))
case("topk_too_many", lambda x: paddle.topk(x, 4, axis=-1), ("float32",))
case("nonzero", lambda x: [paddle.nonzero(x), paddle.nonzero(x, as_tuple=True)],
     ("bool", *_ORDERED))  # fmt: skip
case("nonzero_none", lambda x: [paddle.nonzero(x * 0), paddle.nonzero(x * 0, as_tuple=True)],
     ("float32", "int64"), ((2, 3), (3,), *EMPTY))  # fmt: skip
case("unique", lambda x: paddle.unique(x), _ORDERED, ((2, 3), (4, 5)))
case("unique_all", lambda x: paddle.unique(x, True, True, True), _ORDERED, ((2, 3), (4, 5)))
case("unique_rows", lambda x: paddle.unique(x, True, True, True, axis=0), _ORDERED, ((2, 3),))
case("unique_columns", lambda x: paddle.unique(x, False, True, True, axis=1), _ORDERED, ((2, 3),))
case("unique_int32", lambda x: paddle.unique(x, True, True, True, dtype="int32"), _ORDERED)
case("unique_empty", lambda x: paddle.unique(x, True, True, True), _ORDERED, ((0,), (0, 3)))
case("unique_same", lambda x: paddle.unique((x > 1).astype("int64"), True, True, True, axis=1),
     ("int64",), ((3, 4), (6, 2)))  # fmt: skip
case("masked_select_none", lambda x: paddle.masked_select(x, paddle.zeros_like(x).astype("bool")),
     ("float32", "int64"), ((2, 3), (0, 3)))  # fmt: skip
case("where_broadcast", lambda x: paddle.where(x > 0, x[:1], x[:, :1]), ("float32", "int64"))
case("where_empty", lambda x: paddle.where(x > 0, x, x), ("float32", "int64"), EMPTY)
case("histogram", lambda x: [paddle.histogram(x, 4, -4, 4), paddle.histogram(x, 3)], _ORDERED)
case("histogram_one", lambda x: paddle.histogram(x * 0 + 2, 3), _ORDERED)
case("histogram_wrong", lambda x: paddle.histogram(x, 3, 5, 1), ("float32",))
case("shard_index", lambda x: [paddle.shard_index(x, 20, 2, s) for s in (0, 1)], ("int64",),
     ((4, 1),), 1, True)  # fmt: skip
case("shard_index_ignored", lambda x: paddle.shard_index(x, 9, 4, 1, -7), INTEGERS, ((4, 1),), 1,
     True)  # fmt: skip
case("shard_index_outside", lambda x: paddle.shard_index(x + 50, 20, 2, 0), ("int64",), ((4, 1),))

# -- linear algebra ----------------------------------------------------------------------------------
case("matmul", lambda x: paddle.matmul(x, x, transpose_y=True), (*REAL, *COMPLEX))
case("matmul_vectors", lambda x: paddle.matmul(x[0], x[1]), ("float32", "complex64"))
case("matmul_empty", lambda x: paddle.matmul(x, x, transpose_y=True), ("float32",), ((0, 3),))
case("matmul_inner_empty", lambda x: paddle.matmul(x, x, transpose_y=True), ("float32",), ((2, 0),))
case("dot", lambda x, y: paddle.dot(x, y), (*NUMBERS, "complex64", "complex128"), ((4,),), 2)
case("kron", lambda x, y: paddle.kron(x, y), (*NUMBERS, *COMPLEX), ((2, 3),), 2)
case("kron_ranks", lambda x: paddle.kron(x, x[0]), NUMBERS)
case("trace", lambda x: [paddle.trace(x), paddle.trace(x, 1), paddle.trace(x, -5)],
     (*NUMBERS, *COMPLEX))  # fmt: skip
case("trace_axes", lambda x: paddle.trace(x, -1, 2, 0), NUMBERS, ((2, 3, 4),))
case("cross", lambda x, y: paddle.cross(x, y), (*NUMBERS,), ((2, 3),), 2)
case("addmm", lambda x: paddle.addmm(paddle.ones([2, 2], x.dtype), x, x.t(), 0.5, 2.0),
     ("float32", "float64"))  # fmt: skip
case("bmm", lambda x, y: paddle.bmm(x, y.transpose([0, 2, 1])), ("float32", "float64"),
     ((2, 3, 4), (0, 3, 4)), 2)  # fmt: skip
case("inverse", lambda x: paddle.inverse(x), ("float32", "float64"), ((3, 3), (2, 3, 3)))
case("inverse_singular", lambda x: paddle.inverse(x * 0), ("float32",), ((3, 3),))
case("cholesky", lambda x: [
    paddle.cholesky(paddle.matmul(x, x, transpose_y=True), upper=u) for u in (False, True)
], ("float32", "float64"), ((3, 3), (2, 3, 3)))  # fmt: skip
case("cholesky_not_positive", lambda x: paddle.cholesky(-x * x), ("float32",), ((3, 3),))
case("mv", lambda x: paddle.mv(x, x[0]), ("float32", "float64"))
case("t_ranks", lambda x: [paddle.t(x), paddle.t(x[0])], NUMBERS)

# -- dimensions of size 0 ----------------------------------------------------------------------------
for _name, _call in {
    "reshape_empty": lambda x: paddle.reshape(x, [0, 5]),
    "reshape_empty_kept": lambda x: paddle.reshape(x, [2, 0, -1]) if x.shape[0] else x,
    "transpose_empty": lambda x: paddle.transpose(x, [1, 0]),
    "flatten_empty": lambda x: paddle.flatten(x),
    "unsqueeze_empty": lambda x: paddle.unsqueeze(x, 1),
    "concat_empty": lambda x: paddle.concat([x, x], axis=0),
    "concat_empty_last": lambda x: paddle.concat([x, x], axis=-1),
    "stack_empty": lambda x: paddle.stack([x, x]),
    "tile_empty": lambda x: paddle.tile(x, [2, 2]),
    "expand_empty": lambda x: paddle.expand(x, [3, *x.shape]),
    "flip_empty": lambda x: paddle.flip(x, [0]),
    "roll_empty": lambda x: paddle.roll(x, 1, 0),
    "cast_empty": lambda x: paddle.cast(x, "int32"),
    "assign_empty": lambda x: paddle.assign(x),
    "zeros_like_empty": lambda x: paddle.zeros_like(x),
    "shape_empty": lambda x: [paddle.shape(x), paddle.numel(x), paddle.is_empty(x)],
    "triu_empty": lambda x: paddle.triu(x),
    "scale_empty": lambda x: x * 2 + 1,
    "add_empty_row": lambda x: x + paddle.ones([1, 1]),
    "slice_empty": lambda x: [x[:, :1], x[:1]],
    "unbind_empty": lambda x: paddle.unbind(x, 1 - x.shape.index(0)),
    "split_empty": lambda x: paddle.split(x, 1, axis=0),
    "astype_empty": lambda x: x.astype("bool"),
}.items():
    case(_name, _call, ("float32",), EMPTY[1:])
case("slice_to_nothing", lambda x: x[2:], ("float32", "int64"))
case("slice_backward", lambda x: paddle.slice(x, [1], [2], [1]), ("float32",))
case("slice_beyond", lambda x: paddle.slice(x, [1], [-9], [9]), ("float32",))
case("strided_beyond", lambda x: paddle.strided_slice(x, [1], [9], [-9], [-2]), ("float32",))
case("gather_nothing", lambda x: paddle.gather(x, paddle.zeros([0], "int64")), ("float32",))
case("index_nothing", lambda x: paddle.index_select(x, paddle.zeros([0], "int64")), ("float32",))
case("gather_nd_nothing", lambda x: paddle.gather_nd(x, paddle.zeros([0, 2], "int64")),
     ("float32",))  # fmt: skip
case("scatter_nothing", lambda x: paddle.scatter(x, paddle.zeros([0], "int64"), x[:0]),
     ("float32",))  # fmt: skip
case("concat_with_empty", lambda x: paddle.concat([x, x[:0]], axis=0), ("float32",))
case("linear_empty", lambda x: F.linear(x, paddle.ones([3, 4])), ("float32",), ((0, 3),))
case("conv_empty", lambda x: F.conv2d(x, paddle.ones([4, 3, 2, 2])), ("float32",), ((0, 3, 4, 4),))
case("pool_empty", lambda x: F.max_pool2d(x, 2), ("float32",), ((0, 3, 4, 4),))
case("embedding_empty", lambda x: F.embedding(x, paddle.ones([4, 2])), ("int64",), ((0,), (0, 3)))
case("one_hot_empty", lambda x: F.one_hot(x, 3), ("int64",), ((0,), (0, 3)))
case("mse_empty", lambda x: F.mse_loss(x, x, reduction="none"), ("float32",), ((0, 3),))
case("layer_norm_empty", lambda x: F.layer_norm(x, [3]), ("float32",), ((0, 3),))
case("dropout_empty", lambda x: F.dropout(x, 0.5), ("float32",), ((0, 3),))
case("bernoulli_edges", lambda x: [paddle.bernoulli(x * 0), paddle.bernoulli(x * 0 + 1)],
     ("float32", "float64"))  # fmt: skip
case("multinomial_all", lambda x: paddle.sort(paddle.multinomial(x, 3)), ("float32", "float64"),
     ((2, 3), (3,)), 1, True)  # fmt: skip
case("multinomial_one", lambda x: paddle.multinomial(x * 0 + paddle.to_tensor(
    [0.0, 1.0, 0.0], x.dtype), 4, replacement=True), ("float32", "float64"))  # fmt: skip
case("multinomial_too_many", lambda x: paddle.multinomial(x, 4), ("float32",), ((3,),), 1, True)
case("randint_one", lambda x: paddle.randint(3, 4, [2, 0]), ("float32",))
case("randperm_edges", lambda x: [paddle.randperm(1), paddle.randperm(0)], ("float32",))
