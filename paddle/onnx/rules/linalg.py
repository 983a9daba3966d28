"""Rules of products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from paddle.onnx.rules.elementwise import operands
from paddle.onnx.rules.registry import rule, table

table({"bmm": "MatMul"})


def _swapped(g: Any, value: str, rank: int) -> str:
    order = list(range(rank))
    order[-1], order[-2] = order[-2], order[-1]
    return g.Transpose(value, perm=order)


@rule("matmul_v2")
def _(g: Any, op: Any) -> str:
    x, y = op["X"], op["Y"]
    if op.attr("trans_x") and op.rank("X") > 1:
        x = _swapped(g, x, op.rank("X"))
    if op.attr("trans_y") and op.rank("Y") > 1:
        y = _swapped(g, y, op.rank("Y"))
    return _product(g, op, x, y)


def _product(g: Any, op: Any, x: str, y: str) -> str:
    """Multiplies; a vector behind matrices as a column."""
    ranks = op.rank("X"), op.rank("Y")
    if ranks[1] == 1 and ranks[0] > 1:
        return g.squeeze(g.MatMul(x, g.unsqueeze(y, [1])), [ranks[0] - 1])
    made = g.MatMul(x, y)
    return op.scalar(made) if ranks == (1, 1) else made


@rule("matmul")
def _(g: Any, op: Any) -> str:
    x, y, ranks = op["X"], op["Y"], (op.rank("X"), op.rank("Y"))
    if op.attr("transpose_X") and ranks[0] > 1:
        x = _swapped(g, x, ranks[0])
    elif op.attr("transpose_X"):
        raise op.refuse("a vector that is transposed")
    if op.attr("transpose_Y") and ranks[1] > 1:
        y = _swapped(g, y, ranks[1])
    elif op.attr("transpose_Y"):
        raise op.refuse("a vector that is transposed")
    made, alpha = _product(g, op, x, y), float(op.attr("alpha"))
    return made if alpha == 1 else g.Mul(made, op.number(alpha))


@rule("mul")
def _(g: Any, op: Any) -> str:
    left, right = int(op.attr("x_num_col_dims")), int(op.attr("y_num_col_dims"))
    return product_of_matrices(g, op, "X", left, "Y", right)


def product_of_matrices(
    g: Any, op: Any, x_slot: str, left: int, y_slot: str, right: int, bias: str | None = None
) -> str:
    """Multiplies what is a matrix when its first ``left`` dimensions are joined, and the others."""
    x, y = op[x_slot], op[y_slot]
    ranks = op.rank(x_slot), op.rank(y_slot)
    if right == 1 and ranks[1] == 2 and left == ranks[0] - 1 and ranks[0] > 1:
        made = g.MatMul(x, y)
        return made if bias is None else g.Add(made, bias)
    made = g.MatMul(g.Flatten(x, axis=left), g.Flatten(y, axis=right))
    if bias is not None:
        made = g.Add(made, bias)
    if left == 1 and right == ranks[1] - 1:
        return made
    before = op.sizes(x_slot, range(left))
    return g.Reshape(made, g.Concat(before, op.sizes(y_slot, range(right, ranks[1])), axis=0))


@rule("linear")
def _(g: Any, op: Any) -> str:
    made = g.MatMul(op["X"], op["W"])
    return g.Add(made, op["Bias"]) if op.has("Bias") else made


@rule("fc")
def _(g: Any, op: Any) -> str:
    columns = int(op.attr("in_num_col_dims"))
    if op.attr("padding_weights"):
        raise op.refuse("weights with padding")
    bias = None
    if op.has("Bias"):
        bias = g.Reshape(op["Bias"], [-1])
    made = product_of_matrices(g, op, "Input", columns, "W", 1, bias)
    return g.Relu(made) if op.attr("activation_type") == "relu" else made


@rule("addmm")
def _(g: Any, op: Any) -> str:
    made = g.MatMul(op["X"], op["Y"])
    alpha, beta = float(op.attr("Alpha")), float(op.attr("Beta"))
    if alpha != 1:
        made = g.Mul(made, op.number(alpha))
    given = op["Input"] if beta == 1 else g.Mul(op["Input"], op.number(beta))
    return g.Add(given, made)


@rule("mv")
def _(g: Any, op: Any) -> str:
    return g.MatMul(op["X"], op["Vec"])


@rule("dot")
def _(g: Any, op: Any) -> str:
    x, y = operands(g, op)
    rank = op.rank("X")
    return g.reduce("ReduceSum", g.Mul(x, y), [rank - 1], keepdims=True)


@rule("multi_dot")
def _(g: Any, op: Any) -> str:
    values = op.values("X")
    made = values[0]
    for value in values[1:]:
        made = g.MatMul(made, value)
    ends = op.rank("X", 0), op.rank("X", len(values) - 1)
    return op.scalar(made) if ends == (1, 1) else made


@rule("cross")
def _(g: Any, op: Any) -> str:
    shape, dim = op.shape("X"), int(op.attr("dim"))
    if dim == 9 and 3 not in shape:
        raise op.refuse("an axis that only a run can find")
    axis = shape.index(3) if dim == 9 else dim % len(shape)

    def turned(value: str, order: list[int]) -> str:
        return g.Gather(value, order, axis=axis)

    x, y = op["X"], op["Y"]
    first = g.Mul(turned(x, [1, 2, 0]), turned(y, [2, 0, 1]))
    return g.Sub(first, g.Mul(turned(x, [2, 0, 1]), turned(y, [1, 2, 0])))


@rule("kron")
def _(g: Any, op: Any) -> str:
    x, y = op["X"], op["Y"]
    rank = max(op.rank("X"), op.rank("Y"))
    if op.rank("X") < rank:
        x = g.unsqueeze(x, list(range(rank - op.rank("X"))))
    if op.rank("Y") < rank:
        y = g.unsqueeze(y, list(range(rank - op.rank("Y"))))
    sizes = g.Mul(g.Shape(x), g.Shape(y))
    made = g.Mul(
        g.unsqueeze(x, [2 * i + 1 for i in range(rank)]),
        g.unsqueeze(y, [2 * i for i in range(rank)]),
    )
    return g.Reshape(made, sizes)


@rule("determinant")
def _(g: Any, op: Any) -> str:
    made = g.Det(op["Input"])
    return op.scalar(made) if op.rank("Input") == 2 else made


@rule("einsum")
def _(g: Any, op: Any) -> Any:
    g.need(12, op.op.type)
    made = g.Einsum(*op.values("Operands"), equation=op.attr("equation").replace(" ", ""))
    return {"Out": op.scalar(made) if op.attr("equation").endswith("->") else made}


@rule("bilinear_tensor_product")
def _(g: Any, op: Any) -> str:
    # x [n, a], w [k, a, b], y [n, b]: every k gives x w[k] y.
    half = g.MatMul(g.unsqueeze(op["X"], [0]), op["Weight"])  # [k, n, b]
    made = g.reduce("ReduceSum", g.Mul(half, g.unsqueeze(op["Y"], [0])), [2])
    made = g.Transpose(made, perm=[1, 0])
    return g.Add(made, op["Bias"]) if op.has("Bias") else made


@rule("matrix_power")
def _(g: Any, op: Any) -> str:
    count = int(op.attr("n"))
    if count < 1 or count > 32:
        raise op.refuse(f"the power {count}: only 1 to 32 are products")
    made, base = "", op["X"]
    while count:
        if count & 1:
            made = g.MatMul(made, base) if made else base
        count >>= 1
        if count:
            base = g.MatMul(base, base)
    return made
