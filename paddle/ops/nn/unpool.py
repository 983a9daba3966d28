"""Max unpooling: values return to the places where max pooling found them."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op

_FORMATS = {2: "NCHW", 3: "NCDHW"}


def _sizes(name: str, x, indices, attrs: dict, axes: int) -> list[int]:
    """The sizes of the result behind its channels; -1 where those of X are not known yet."""
    if len(x.shape) != axes + 2 or any(
        -1 not in (a, b) and a != b for a, b in zip(x.shape, indices.shape, strict=False)
    ):
        raise InvalidArgumentError(
            f"{name}: expected X and Indices of the same {axes + 2} dimensions, but received "
            f"{list(x.shape)} and {list(indices.shape)}."
        )
    if attrs["data_format"] != _FORMATS[axes]:
        raise UnimplementedError(
            f"{name}(data_format): expected {_FORMATS[axes]}, but received {attrs['data_format']}.",
            hint="transpose X and Indices first",
        )
    given = [list(attrs[n]) for n in ("ksize", "strides", "paddings", "output_size")]
    if any(len(g) != axes for g in given):
        raise InvalidArgumentError(
            f"{name}: expected ksize, strides, paddings and output_size of {axes} numbers each, "
            f"but received {given}."
        )
    if any(given[3]):  # programs before 2.2 do not have it
        return given[3]
    sizes = zip(x.shape[2:], *given[:3], strict=True)
    found = [-1 if n == -1 else (n - 1) * stride - 2 * pad + k for n, k, stride, pad in sizes]
    if any(n < 0 for n, known in zip(found, x.shape[2:], strict=True) if known != -1):
        raise InvalidArgumentError(
            f"{name}: expected windows that give sizes >= 0, but received ksize, strides and "
            f"paddings {given[:3]} for {list(x.shape)}, which give {found}."
        )
    return found


def _rule(name: str, axes: int):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        x = inputs[0]
        return [Spec((*x.shape[:2], *_sizes(name, x, inputs[1], attrs, axes)), x.dtype)]

    return rule


def _unpooled(name: str, x, indices, attrs: dict, axes: int) -> torch.Tensor:
    sizes = _sizes(name, x, indices, attrs, axes)
    out = x.new_zeros([*x.shape[:2], *sizes])
    if x.is_meta:
        return out
    count = out[0, 0].numel() if out.numel() else 0
    places = indices.flatten(2).long()
    if places.numel():
        low, high = (int(v) for v in torch.aminmax(places))
        if low < 0 or high >= count:
            raise OutOfRangeError(
                f"{name}: expected Indices from 0 to {count - 1}, positions in {sizes}, but "
                f"received {low} to {high}."
            )
    return out.flatten(2).scatter(2, places, x.flatten(2)).reshape(out.shape)


def _returned(d_out, indices) -> torch.Tensor:
    return torch.gather(d_out.flatten(2), 2, indices.flatten(2).long()).reshape(indices.shape)


@op("unpool", "X Indices~ -> Out", infer=_rule("unpool", 2), dtypes="floats")
def unpool(
    x, indices, *, ksize=REQUIRED, unpooling_type="max", strides=(1, 1), paddings=(0, 0),
    output_size=(0, 0), data_format="NCHW"
):  # fmt: skip
    """Images from the largest values of their windows and where in a channel these were."""
    if unpooling_type != "max":
        raise InvalidArgumentError(
            f"unpool(unpooling_type): expected max, but received {unpooling_type}."
        )
    attrs = {"ksize": ksize, "strides": strides, "paddings": paddings, "output_size": output_size,
             "data_format": data_format}  # fmt: skip
    return _unpooled("unpool", x, indices, attrs, 2)


@unpool.grad("Indices")
def _(d_out, indices):
    return _returned(d_out, indices), None


@op("unpool3d", "X Indices~ -> Out", infer=_rule("unpool3d", 3), dtypes="floats")
def unpool3d(
    x, indices, *, ksize=REQUIRED, strides=(1, 1, 1), paddings=(0, 0, 0), output_size=(0, 0, 0),
    data_format="NCDHW"
):  # fmt: skip
    """The same for volumes."""
    attrs = {"ksize": ksize, "strides": strides, "paddings": paddings, "output_size": output_size,
             "data_format": data_format}  # fmt: skip
    return _unpooled("unpool3d", x, indices, attrs, 3)


@unpool3d.grad("Indices")
def _(d_out, indices):
    return _returned(d_out, indices), None
