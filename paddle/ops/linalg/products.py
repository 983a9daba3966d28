"""Products of matrices and vectors, Cholesky factors, inverses, traces and distances."""

from __future__ import annotations

import math

import torch

from paddle.core.dtype import dtype_name
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from paddle.core.infer import Spec, broadcast_shapes, of_dimensions
from paddle.core.op import op
from paddle.ops.linalg.matrices import affine, as_matrix, product_of_rows
from paddle.ops.math.unary import conj_of

Sizes = tuple[int, ...]

# -- matmul -----------------------------------------------------------------------------------


def _matmul_shape(a: tuple, b: tuple, trans_x: bool, trans_y: bool) -> tuple[int, ...]:
    if trans_x and len(a) > 1:
        a = (*a[:-2], a[-1], a[-2])
    if trans_y and len(b) > 1:
        b = (*b[:-2], b[-1], b[-2])
    inner = (a[-1], b[-2] if len(b) > 1 else b[0])
    if -1 not in inner and inner[0] != inner[1]:
        raise InvalidArgumentError(
            f"matmul: expected the inner dimensions to be equal, but received {list(a)} times "
            f"{list(b)}."
        )
    rows = a[-2:-1] if len(a) > 1 else ()
    columns = b[-1:] if len(b) > 1 else ()
    batch = broadcast_shapes(a[:-2], b[:-2]) if len(a) > 2 or len(b) > 2 else ()
    return (*batch, *rows, *columns) or (1,)


def _matmul_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs[:2]
    return [Spec(_matmul_shape(x.shape, y.shape, attrs["trans_x"], attrs["trans_y"]), x.dtype)]


def _product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """``torch.matmul``, where one matrix meets many rows by what is best for that."""
    if y.dim() != 2 or x.dim() < 2 or x.numel() < 1 << 13:
        return torch.matmul(x, y)
    if x.dim() == 2:
        return affine(x, y)
    return affine(as_matrix(x), y).reshape([*x.shape[:-1], y.shape[1]])


@op(
    "matmul_v2",
    "X Y -> Out",
    lod="X",
    infer=_matmul_rule,
    direct=_product,
    unify=True,
    no_alias="Out",
    amp="white",
    linear="X | Y",
)
def matmul_v2(x, y, *, trans_x=False, trans_y=False):
    if trans_x and x.dim() > 1:
        x = x.transpose(-2, -1)
    if trans_y and y.dim() > 1:
        y = y.transpose(-2, -1)
    return _product(x, y)


@matmul_v2.grad("X Y", no_alias="X")
def _(d_out, x, y, *, trans_x, trans_y, needs_grad):
    return matmul_grad(d_out, x, y, trans_x, trans_y, needs_grad)


def matmul_grad(d_out, x, y, trans_x, trans_y, needs_grad):
    """The gradients of ``op(x) @ op(y)``, by plain matrix products wherever that is possible."""
    if x.dim() == 2 and y.dim() == 2:
        return _plain_grad(d_out, x, y, trans_x, trans_y, needs_grad)
    if y.dim() == 2 and x.dim() > 2 and not trans_x:
        # Many rows times one weight: the batch dimensions are just more rows.
        dx, dy = _plain_grad(as_matrix(d_out), as_matrix(x), y, False, trans_y, needs_grad)
        return (None if dx is None else dx.reshape(x.shape)), dy
    return _batched_grad(d_out, x, y, trans_x, trans_y, needs_grad)


def _plain_grad(d_out, x, y, trans_x, trans_y, needs_grad):
    dx = dy = None
    if needs_grad[0]:
        right = conj_of(y) if trans_y else conj_of(y).t()
        dx = torch.mm(right.t(), d_out.t()) if trans_x else affine(d_out, right)
    if needs_grad[1]:
        left = conj_of(x).t() if trans_x else conj_of(x)
        dy = torch.mm(d_out.t(), left) if trans_y else product_of_rows(left, d_out)
    return dx, dy


def _batched_grad(d_out, x, y, trans_x, trans_y, needs_grad):
    """Vectors become matrices of one row or column, then everything is a batch of products."""
    left = x.unsqueeze(0) if x.dim() == 1 else x.transpose(-2, -1) if trans_x else x
    right = y.unsqueeze(1) if y.dim() == 1 else y.transpose(-2, -1) if trans_y else y
    batch = broadcast_shapes(left.shape[:-2], right.shape[:-2])
    d_out = d_out.reshape([*batch, left.shape[-2], right.shape[-1]])
    dx = dy = None
    if needs_grad[0]:
        dx = torch.matmul(d_out, conj_of(right).transpose(-2, -1)).sum_to_size(left.shape)
        dx = dx.reshape(x.shape) if x.dim() == 1 else dx.transpose(-2, -1) if trans_x else dx
    if needs_grad[1]:
        dy = torch.matmul(conj_of(left).transpose(-2, -1), d_out).sum_to_size(right.shape)
        dy = dy.reshape(y.shape) if y.dim() == 1 else dy.transpose(-2, -1) if trans_y else dy
    return dx, dy


def _matmul_1x_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs[:2]
    shape = _matmul_shape(x.shape, y.shape, attrs["transpose_X"], attrs["transpose_Y"])
    return [Spec(shape, x.dtype)]


@op(
    "matmul",
    "X Y -> Out",
    lod="X",
    infer=_matmul_1x_rule,
    no_alias="Out",
    amp="white",
    linear="X | Y",
)
def matmul(x, y, *, transpose_X=False, transpose_Y=False, alpha=1.0):
    out = matmul_v2(x, y, trans_x=transpose_X, trans_y=transpose_Y)
    return out if alpha == 1 else torch.mul(out, alpha)


@matmul.grad("X Y")
def _(d_out, x, y, *, transpose_X, transpose_Y, alpha, needs_grad):
    d_out = d_out if alpha == 1 else torch.mul(d_out, alpha)
    return matmul_grad(d_out, x, y, transpose_X, transpose_Y, needs_grad)


@of_dimensions
def _mul_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs[:2]
    if x.dtype != y.dtype:
        raise InvalidTypeError(
            "no kernel for these data types: expected X and Y of one type, but received "
            f"{dtype_name(x.dtype)} and {dtype_name(y.dtype)}."
        )
    return [Spec(_mul_shape(x.shape, y.shape, **attrs), x.dtype)]


def _mul_shape(x: Sizes, y: Sizes, x_num_col_dims: int, y_num_col_dims: int) -> Sizes:
    """The shape of a product of X and Y as matrices; says so if they do not fit each other."""
    _check_filled(y)
    _check_split("X", x, x_num_col_dims)
    _check_split("Y", y, y_num_col_dims)
    left, right = _matrix_shape(x, x_num_col_dims), _matrix_shape(y, y_num_col_dims)
    width, height = left[1], right[0]
    if width != height and -1 not in (width, height):
        raise InvalidArgumentError(
            "After flatten the input tensor X and Y to 2-D dimensions matrix X1 and Y1, the matrix "
            "X1's width must be equal with matrix Y1's height. But received X's shape = "
            f"{list(x)}, X1's shape = {left}, X1's width = {width}; Y's shape = {list(y)}, Y1's "
            f"shape = {right}, Y1's height = {height}."
        )
    return (*x[:x_num_col_dims], *y[y_num_col_dims:])


def _check_filled(y: Sizes) -> None:
    """A weight without elements is one that the startup Program has not made."""
    if 0 in y:
        raise PreconditionNotMetError(
            "The Input variable Y has not been initialized. You may need to confirm if you put "
            "exe.run(startup_program) after optimizer.minimize function."
        )


def _matrix_shape(shape: Sizes, split: int) -> list[int]:
    parts = shape[:split], shape[split:]
    return [-1 if -1 in part else math.prod(part) for part in parts]


def _check_split(name: str, shape: Sizes, split: int) -> None:
    attribute = f"{name.lower()}_num_col_dims"
    if split < 1:
        raise InvalidArgumentError(
            f"mul: {attribute} is expected to be at least 1, but received {split}."
        )
    if len(shape) <= split:
        raise InvalidArgumentError(
            f"The input tensor {name}'s dimensions of MulOp should be larger than {attribute}. But "
            f"received {name}'s dimensions = {len(shape)}, {name}'s shape = {list(shape)}, "
            f"{attribute} = {split}."
        )


def _as_matrix(name: str, value: torch.Tensor, split: int) -> torch.Tensor:
    """Joins the dimensions before ``split`` into one and those behind it into another."""
    if value.dim() == 2 and split == 1:
        return value
    _check_split(name, value.shape, split)
    return value.flatten(split).flatten(0, split - 1)


@op("mul", "X Y -> Out", lod="X", infer=_mul_rule, no_alias="Out", amp="white", linear="X | Y")
def mul(x, y, *, x_num_col_dims=1, y_num_col_dims=1):
    _check_filled(y.shape)
    left, right = _as_matrix("X", x, x_num_col_dims), _as_matrix("Y", y, y_num_col_dims)
    try:
        out = affine(left, right)
    except RuntimeError:
        _mul_shape(x.shape, y.shape, x_num_col_dims, y_num_col_dims)  # says what does not fit
        raise
    return out.reshape([*x.shape[:x_num_col_dims], *y.shape[y_num_col_dims:]])


@mul.grad("X Y", no_alias="X")
def _(d_out, x, y, *, x_num_col_dims, y_num_col_dims, needs_grad):
    left, right = _as_matrix("X", x, x_num_col_dims), _as_matrix("Y", y, y_num_col_dims)
    d_out = d_out.reshape(left.shape[0], right.shape[1])
    dx = affine(d_out, right.t()).reshape(x.shape) if needs_grad[0] else None
    dy = product_of_rows(left, d_out).reshape(y.shape) if needs_grad[1] else None
    return dx, dy


# -- other products ---------------------------------------------------------------------------


def _expect_rank(name: str, slot: str, value: torch.Tensor, *ranks: int) -> None:
    if len(value.shape) not in ranks:
        allowed = " or ".join(str(r) for r in ranks)
        raise InvalidArgumentError(
            f"{name}: expected {slot} to have {allowed} dimensions, "
            f"but received shape {list(value.shape)}."
        )


@of_dimensions
def _bmm_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y = inputs
    for name, value in (("X", x), ("Y", y)):
        _expect_rank("bmm", name, value, 3)
    fits = all(-1 in pair or pair[0] == pair[1]
               for pair in ((x.shape[0], y.shape[0]), (x.shape[2], y.shape[1])))  # fmt: skip
    if not fits:
        raise InvalidArgumentError(
            f"bmm: expected as many matrices on both sides, those of X as wide as those of Y are "
            f"high, but received shapes {list(x.shape)} and {list(y.shape)}."
        )
    return [Spec((max(x.shape[0], y.shape[0]), x.shape[1], y.shape[2]), x.dtype)]


@op("bmm", "X Y -> Out", lod="X", infer=_bmm_rule, no_alias="Out", linear="X | Y")
def bmm(x, y):
    _expect_rank("bmm", "X", x, 3)
    _expect_rank("bmm", "Y", y, 3)
    return torch.bmm(x, y)


@bmm.grad("X Y")
def _(d_out, x, y, *, needs_grad):
    return (
        torch.bmm(d_out, conj_of(y).transpose(1, 2)) if needs_grad[0] else None,
        torch.bmm(conj_of(x).transpose(1, 2), d_out) if needs_grad[1] else None,
    )


def _dot_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((*inputs[0].shape[:-1], 1), inputs[0].dtype)]


@op("dot", "X Y -> Out", infer=_dot_rule, dtypes="not bool", linear="X | Y")
def dot(x, y):
    _expect_rank("dot", "X", x, 1, 2)
    if x.shape != y.shape:
        raise InvalidArgumentError(
            f"dot: expected operands of one shape, but received {list(x.shape)} and "
            f"{list(y.shape)}."
        )
    return torch.sum(torch.mul(x, y), -1, keepdim=True, dtype=x.dtype)


@dot.grad("X Y")
def _(d_out, x, y, *, needs_grad):
    return (
        torch.mul(d_out, conj_of(y)) if needs_grad[0] else None,
        torch.mul(d_out, conj_of(x)) if needs_grad[1] else None,
    )


@op("mv", "X Vec -> Out", infer=lambda inputs, attrs: [Spec(inputs[0].shape[:1], inputs[0].dtype)])
def mv(x, vec):
    _expect_rank("mv", "X", x, 2)
    _expect_rank("mv", "Vec", vec, 1)
    return torch.mv(x, vec)


@mv.grad("X Vec")
def _(d_out, x, vec, *, needs_grad):
    return (
        torch.mul(d_out.unsqueeze(1), conj_of(vec)) if needs_grad[0] else None,
        torch.mv(conj_of(x).t(), d_out) if needs_grad[1] else None,
    )


@of_dimensions
def _addmm_rule(inputs: list, attrs: dict) -> list[Spec]:
    _, x, y = inputs
    return [Spec((x.shape[0], y.shape[1]), x.dtype)]


@op("addmm", "Input X Y -> Out", lod="Input", infer=_addmm_rule)
def addmm(input, x, y, *, Alpha=1.0, Beta=1.0):
    _expect_rank("addmm", "X", x, 2)
    _expect_rank("addmm", "Y", y, 2)
    return torch.addmm(input, x, y, beta=Beta, alpha=Alpha)


@addmm.grad("Input.shape X Y")
def _(d_out, input_shape, x, y, *, Alpha, Beta, needs_grad):
    d_input = torch.mul(d_out, Beta).sum_to_size(input_shape) if needs_grad[0] else None
    scaled = d_out if Alpha == 1 else torch.mul(d_out, Alpha)
    dx = torch.mm(scaled, conj_of(y).t()) if needs_grad[1] else None
    dy = torch.mm(conj_of(x).t(), scaled) if needs_grad[2] else None
    return d_input, dx, dy


@op("kron", "X Y -> Out")
def kron(x, y):
    return torch.kron(x, y)


_NO_AXIS = 9  # PaddlePaddle's mark for "the first axis of length three"


@op("cross", "X Y -> Out", infer="same")
def cross(x, y, *, dim=_NO_AXIS):
    if x.shape != y.shape:
        raise InvalidArgumentError(
            f"cross: expected operands of one shape, but received {list(x.shape)} and "
            f"{list(y.shape)}."
        )
    if dim == _NO_AXIS:
        dim = next((i for i, n in enumerate(x.shape) if n == 3), None)
    if dim is None or not -x.dim() <= dim < x.dim() or x.shape[dim] != 3:
        raise InvalidArgumentError(
            f"cross: expected an axis of length 3, but received shape {list(x.shape)}"
            + ("." if dim is None else f" and axis {dim}.")
        )
    return torch.linalg.cross(x, y, dim=dim)


# -- of one matrix ----------------------------------------------------------------------------


@op("trace", "Input -> Out")
def trace(x, *, offset=0, axis1=0, axis2=1):
    if x.dim() < 2:
        raise InvalidArgumentError(
            f"trace: expected at least 2 dimensions, but received shape {list(x.shape)}."
        )
    return torch.sum(torch.diagonal(x, offset, axis1, axis2), -1, dtype=x.dtype)


def _same_matrix(inputs: list, attrs: dict) -> list[Spec]:
    return [inputs[0]]


def _expect_square(name: str, x: torch.Tensor) -> None:
    if x.dim() < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(
            f"{name}: expected square matrices [..., n, n], but received shape {list(x.shape)}."
        )


@op("inverse", "Input -> Output", infer=_same_matrix, dtypes="full and complex")
def inverse(x):
    _expect_square("inverse", x)
    return torch.linalg.inv(x)


@inverse.grad("Output")
def _(d_out, out):
    turned = conj_of(out).transpose(-2, -1)
    return torch.neg(torch.matmul(torch.matmul(turned, d_out), turned))


@op("cholesky", "X -> Out", infer=_same_matrix, dtypes="full and complex")
def cholesky(x, *, upper=False):
    _expect_square("cholesky", x)
    return torch.linalg.cholesky(x, upper=upper)


@op("dist", "X Y -> Out", infer=lambda inputs, attrs: [Spec((1,), inputs[0].dtype)])
def dist(x, y, *, p=2.0):
    return torch.linalg.vector_norm(x - y, p)
