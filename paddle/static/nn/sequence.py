"""Layers over sequences of rows (LoD), as 1.x and later releases of 2 have them.

A Variable with ``lod_level`` 1 is fed rows together with the lengths of their sequences: a
LoDTensor, or ``(array, [[2, 3]])``.
"""

from __future__ import annotations

from typing import Any

from paddle.core.guards import guard_module
from paddle.ir.variable import Variable
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = [
    "sequence_concat", "sequence_conv", "sequence_enumerate", "sequence_expand",
    "sequence_expand_as", "sequence_first_step", "sequence_last_step", "sequence_pad",
    "sequence_pool", "sequence_reshape", "sequence_reverse", "sequence_scatter", "sequence_slice",
    "sequence_softmax", "sequence_unpad",
]  # fmt: skip

_POOLS = ("average", "sum", "sqrt", "max", "last", "first")


def _rows(layer: StaticLayer, argument: str, value: Any, dtypes: Any = ()) -> Variable:
    """An argument whose rows are split into sequences."""
    layer.check(argument, value, dtypes=dtypes)
    if not value.lod_level:
        raise layer.wrong(argument, "a Variable with lod_level of at least 1", value.name)
    return value


def sequence_conv(
    input: Any,
    num_filters: int,
    filter_size: int = 3,
    filter_stride: int = 1,
    padding: bool = True,
    padding_start: int | None = None,
    bias_attr: Any = None,
    param_attr: Any = None,
    act: Any = None,
    name: str | None = None,
) -> Variable:
    """Adds a convolution over the rows of each sequence; rows outside of it are zero.

    Args:
        input (Variable): ``[N, width]`` with one level; the width has to be known.
        num_filters (int): the width of the result.
        filter_size (int): how many rows make one. Default: 3.
        filter_stride (int): 1 is what there is. Default: 1.
        padding (bool): sequences are padded in any case, as in 1.x. Default: True.
        padding_start (int, optional): the first row that is seen, counted from the current one;
            None means ``-(filter_size // 2)``.
        bias_attr (ParamAttr|bool, optional): the bias, ``[num_filters]``; False means none.
        param_attr (ParamAttr, optional): the weight, ``[filter_size * width, num_filters]``.
        act (str, optional): name of an activation.
        name (str, optional): the layer's name.

    Returns:
        Variable: ``[N, num_filters]``, with the levels of the input.

    Raises:
        ValueError: the input has no levels, or another stride is asked for.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                print(paddle.static.nn.sequence_conv(x, 2).shape)  # (-1, 2)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_conv", name)
    _rows(layer, "input", input, FLOATS)
    width = layer.size(input, 1, "input")
    size, filters = layer.count("filter_size", filter_size), layer.count("num_filters", num_filters)
    if filter_stride != 1:
        raise layer.wrong("filter_stride", "1", filter_stride)
    weight = layer.weight("param_attr", param_attr, [size * width, filters], input.dtype)
    start = -int(size // 2) if padding_start is None else padding_start
    out = layer.call(
        "sequence_conv", input, None, weight, contextLength=size, contextStart=start,
        contextStride=1, paddingTrainable=False,
    )  # fmt: skip
    return layer.activate(layer.bias(out, bias_attr, filters, 1), act)


def sequence_softmax(input: Any, use_cudnn: bool = False, name: str | None = None) -> Variable:
    """Adds a softmax over the rows of each sequence.

    Args:
        input (Variable): ``[N, 1]`` or ``[N]`` with levels.
        use_cudnn (bool): of no meaning here. Default: False.
        name (str, optional): the layer's name.

    Returns:
        Variable: like the input.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 1], lod_level=1)
                out = paddle.static.nn.sequence_softmax(x)
                exe = paddle.static.Executor(paddle.CPUPlace())
                feed = {"x": (np.zeros([3, 1], "float32"), [[2, 1]])}
                print(np.array(exe.run(feed=feed, fetch_list=[out], return_numpy=False)[0]).ravel())
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_softmax", name)
    return layer.call("sequence_softmax", _rows(layer, "input", input, FLOATS))


def _pooled(
    layer: StaticLayer, input: Any, pool_type: Any, is_test: bool = False, pad_value: float = 0.0
) -> Variable:
    _rows(layer, "input", input, FLOATS)
    kind = pool_type.lower() if isinstance(pool_type, str) else pool_type
    if kind not in _POOLS:
        raise layer.wrong("pool_type", f"one of {', '.join(_POOLS)}", pool_type)
    out, index = layer.fresh(input.dtype), layer.fresh(input.dtype, stop_gradient=True)
    if kind == "max" and not is_test:
        index.shape = (-1, *input.shape[1:])
    layer.append(
        "sequence_pool", {"X": input}, {"Out": out, "MaxIndex": index}, pooltype=kind.upper(),
        pad_value=float(pad_value), is_test=is_test,
    )  # fmt: skip
    return out


def sequence_pool(
    input: Any, pool_type: str, is_test: bool = False, pad_value: float = 0.0
) -> Variable:
    """Adds a pooling of each sequence of the last level to one row; that level is gone then.

    Args:
        input (Variable): ``[N, ...]`` with levels.
        pool_type (str): average, sum, sqrt (the sum over the root of the length), max, last,
            first.
        is_test (bool): there is no training to come. Default: False.
        pad_value (float): what an empty sequence gives. Default: 0.

    Returns:
        Variable: a row for each sequence.

    Raises:
        ValueError: the input has no levels, or the type is another one.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 1], lod_level=1)
                out = paddle.static.nn.sequence_pool(x, "sum")
                exe = paddle.static.Executor(paddle.CPUPlace())
                feed = {"x": (np.ones([3, 1], "float32"), [[2, 1]])}
                print(exe.run(feed=feed, fetch_list=[out])[0].ravel())  # [2. 1.]
            paddle.disable_static()
    """
    return _pooled(StaticLayer("sequence_pool"), input, pool_type, is_test, pad_value)


def sequence_concat(input: Any, name: str | None = None) -> Variable:
    """Adds a join of sequences: the first one of every input, then the second one of each, ...

    Args:
        input (list[Variable]): each with one level and as many sequences.
        name (str, optional): the layer's name.

    Returns:
        Variable: all rows.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                print(paddle.static.nn.sequence_concat([x, x]).lod_level)  # 1
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_concat", name)
    if not isinstance(input, (list, tuple)) or not input:
        raise TypeError(f"{layer.api}(input): expected a list of Variables, but received {input!r}")
    listed = [_rows(layer, f"input[{i}]", part) for i, part in enumerate(input)]
    return layer.call("sequence_concat", listed)


def sequence_first_step(input: Any) -> Variable:
    """Adds the choice of the first row of each sequence.

    Args:
        input (Variable): ``[N, ...]`` with levels.

    Returns:
        Variable: a row for each sequence; 0 for an empty one.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                print(paddle.static.nn.sequence_first_step(x).shape)  # (-1, 4)
            paddle.disable_static()
    """
    return _pooled(StaticLayer("sequence_first_step", prefix="sequence_pool"), input, "first")


def sequence_last_step(input: Any) -> Variable:
    """Adds the choice of the last row of each sequence.

    Args:
        input (Variable): ``[N, ...]`` with levels.

    Returns:
        Variable: a row for each sequence; 0 for an empty one.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                print(paddle.static.nn.sequence_last_step(x).shape)  # (-1, 4)
            paddle.disable_static()
    """
    return _pooled(StaticLayer("sequence_last_step", prefix="sequence_pool"), input, "last")


def sequence_slice(input: Any, offset: Any, length: Any, name: str | None = None) -> Variable:
    """Adds a cut of a part out of each sequence.

    Args:
        input (Variable): ``[N, ...]`` with one level.
        offset (Variable): the first row of each part, in its sequence, ``[B, 1]``; integers.
        length (Variable): how many rows each part has, ``[B, 1]``, integers.
        name (str, optional): the layer's name.

    Returns:
        Variable: the parts, with one level.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                at = paddle.static.data("at", [None, 1], "int64")
                count = paddle.static.data("count", [None, 1], "int64")
                print(paddle.static.nn.sequence_slice(x, at, count).shape)  # (-1, 4)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_slice", name)
    _rows(layer, "input", input)
    for argument, value in (("offset", offset), ("length", length)):
        layer.check(argument, value, dtypes=("int32", "int64"))
    return layer.call("sequence_slice", input, offset, length)


def sequence_expand(x: Any, y: Any, ref_level: int = -1, name: str | None = None) -> Variable:
    """Adds a repetition of each sequence (or row) of x, as often as a level of y counts.

    Args:
        x (Variable): ``[N, ...]`` with one level, or rows without.
        y (Variable): with levels; its values do not count.
        ref_level (int): the level of y; -1 is the last one. Default: -1.
        name (str, optional): the layer's name.

    Returns:
        Variable: the repeated rows; with a level where x has one.

    Raises:
        ValueError: y has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4])
                y = paddle.static.data("y", [None, 1], lod_level=1)
                print(paddle.static.nn.sequence_expand(x, y).shape)  # (-1, 4)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_expand", name)
    layer.check("x", x)
    if isinstance(ref_level, bool) or not isinstance(ref_level, int):
        raise layer.wrong("ref_level", "an int", ref_level)
    return layer.call("sequence_expand", x, layer.check("y", y), ref_level=ref_level)


def sequence_expand_as(x: Any, y: Any, name: str | None = None) -> Variable:
    """Adds a repetition of row i of x, as often as sequence i of y is long.

    Args:
        x (Variable): ``[B, ...]``, a row for each sequence of y.
        y (Variable): with one level; its values do not count.
        name (str, optional): the layer's name.

    Returns:
        Variable: ``[N, ...]`` with the levels of y.

    Raises:
        ValueError: y has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4])
                y = paddle.static.data("y", [None, 1], lod_level=1)
                print(paddle.static.nn.sequence_expand_as(x, y).lod_level)  # 1
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_expand_as", name)
    return layer.call("sequence_expand_as", layer.check("x", x), layer.check("y", y))


def sequence_pad(
    x: Any, pad_value: Any, maxlen: int | None = None, name: str | None = None
) -> tuple[Variable, Variable]:
    """Adds the change of sequences into a padded batch.

    Args:
        x (Variable): ``[N, ...]`` with levels.
        pad_value (Variable): what stands behind the end of a sequence: one number, or a row.
        maxlen (int, optional): the steps of the batch; None means those of the longest sequence.
        name (str, optional): the layer's name.

    Returns:
        tuple: the batch ``[B, steps, ...]``, and the lengths ``[B]``, int64.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                zero = paddle.zeros([1])
                batch, lengths = paddle.static.nn.sequence_pad(x, zero)
                print(batch.shape, lengths.shape)  # (-1, -1, 4) (-1,)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_pad", name)
    _rows(layer, "x", x)
    layer.check("pad_value", pad_value)
    out, length = layer.fresh(x.dtype), layer.fresh("int64", stop_gradient=True)
    outs = {"Out": out, "Length": length}
    steps = -1 if maxlen is None else layer.count("maxlen", maxlen)
    layer.append("sequence_pad", {"X": x, "PadValue": pad_value}, outs, padded_length=steps)
    return out, length


def sequence_unpad(x: Any, length: Any, name: str | None = None) -> Variable:
    """Adds the change of a padded batch into sequences.

    Args:
        x (Variable): ``[B, steps, ...]``.
        length (Variable): the length of each row of the batch, ``[B]``, int64.
        name (str, optional): the layer's name.

    Returns:
        Variable: the rows ``[N, ...]`` with one level.

    Raises:
        ValueError: the shapes do not fit.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 5, 4])
                length = paddle.static.data("length", [None], "int64")
                print(paddle.static.nn.sequence_unpad(x, length).shape)  # (-1, 4)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_unpad", name)
    layer.check("x", x)
    out = layer.call("sequence_unpad", x, layer.check("length", length, dtypes=("int64",)))
    return out


def sequence_reshape(input: Any, new_dim: int) -> Variable:
    """Adds another width of rows; each sequence keeps its elements.

    Args:
        input (Variable): ``[N, width]`` with one level.
        new_dim (int): the new width; it divides the elements of every sequence.

    Returns:
        Variable: rows of ``new_dim`` elements, with one level.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                print(paddle.static.nn.sequence_reshape(x, 2).shape)  # (-1, 2)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_reshape")
    _rows(layer, "input", input)
    return layer.call("sequence_reshape", input, new_dim=layer.count("new_dim", new_dim))


def sequence_scatter(input: Any, index: Any, updates: Any, name: str | None = None) -> Variable:
    """Adds numbers to columns: those of sequence i to row i of the input.

    Args:
        input (Variable): ``[B, width]``.
        index (Variable): the columns, ``[N, 1]`` with one level, int64.
        updates (Variable): the numbers, ``[N, 1]`` with the same levels.
        name (str, optional): the layer's name.

    Returns:
        Variable: like the input.

    Raises:
        ValueError: the index has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 6])
                at = paddle.static.data("at", [None, 1], "int64", lod_level=1)
                value = paddle.static.data("value", [None, 1], lod_level=1)
                print(paddle.static.nn.sequence_scatter(x, at, value).shape)  # (-1, 6)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_scatter", name)
    layer.check("input", input)
    _rows(layer, "index", index, ("int32", "int64"))
    return layer.call("sequence_scatter", input, index, layer.check("updates", updates))


def sequence_enumerate(
    input: Any, win_size: int, pad_value: int = 0, name: str | None = None
) -> Variable:
    """Adds windows of numbers: each one and those that follow in its sequence.

    Args:
        input (Variable): ``[N, 1]`` or ``[N]`` with levels, integers.
        win_size (int): the numbers of a window.
        pad_value (int): stands behind the end of a sequence. Default: 0.
        name (str, optional): the layer's name.

    Returns:
        Variable: ``[N, win_size]`` with the levels of the input.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 1], "int64", lod_level=1)
                print(paddle.static.nn.sequence_enumerate(x, 3).shape)  # (-1, 3)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_enumerate", name)
    _rows(layer, "input", input, ("int32", "int64"))
    size = layer.count("win_size", win_size)
    return layer.call("sequence_enumerate", input, win_size=size, pad_value=pad_value)


def sequence_reverse(x: Any, name: str | None = None) -> Variable:
    """Adds the reversal of the rows of each sequence.

    Args:
        x (Variable): ``[N, ...]`` with levels.
        name (str, optional): the layer's name.

    Returns:
        Variable: like x.

    Raises:
        ValueError: the input has no levels.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            paddle.enable_static()
            with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
                x = paddle.static.data("x", [None, 4], lod_level=1)
                print(paddle.static.nn.sequence_reverse(x).shape)  # (-1, 4)
            paddle.disable_static()
    """
    layer = StaticLayer("sequence_reverse", name)
    return layer.call("sequence_reverse", _rows(layer, "x", x))


guard_module(globals())
