"""Layers that only the contrib of 2.0's fluid has."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.incubate.layer_helper import LayerHelper

__all__ = ["batch_fc", "bilateral_slice", "correlation", "_pull_box_extended_sparse"]


def batch_fc(
    input: Any, param_size: list[int], param_attr: Any, bias_size: list[int], bias_attr: Any,
    act: str | None = None,
) -> Any:  # fmt: skip
    """A fully connected layer of its own for each slot.

    Args:
        input (Variable): [slots, N, in].
        param_size (list[int]): [slots, in, out].
        param_attr (ParamAttr): of the weights.
        bias_size (list[int]): [slots, out].
        bias_attr (ParamAttr): of the biases.
        act (str, optional): an activation.

    Returns:
        Variable: [slots, N, out].

    Raises:
        ValueError: the sizes do not fit together.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                batch = fluid.data("batch", [2, 3, 4])
                out = fluid.contrib.layers.batch_fc(batch, [2, 4, 5], None, [2, 5], None)
                print(out.shape)  # (2, 3, 5)
    """
    helper = LayerHelper("batch_fc", **locals())
    slots, width = input.shape[0], input.shape[2]
    fits = len(param_size) == 3 and list(param_size[:2]) == [slots, width]
    if not fits or list(bias_size) != [slots, param_size[2]]:
        raise InvalidArgumentError(
            f"batch_fc: expected param_size [{slots}, {width}, out] and bias_size [{slots}, out], "
            f"but received {list(param_size)} and {list(bias_size)}."
        )
    w = helper.create_parameter(param_attr, list(param_size), input.dtype)
    b = helper.create_parameter(bias_attr, list(bias_size), input.dtype)
    return helper.append_activation(helper.call("batch_fc", input, w, b))


def bilateral_slice(
    x: Any, guide: Any, grid: Any, has_offset: bool, name: str | None = None
) -> Any:
    """Applies a transformation of colours that is looked up in a grid, https://arxiv.org/abs/1707.02880.

    Args:
        x (Variable): images [N, C, H, W].
        guide (Variable): where to look, [N, H, W].
        grid (Variable): coefficients [N, C', D, H', W'].
        has_offset (bool): each colour has an offset.
        name (str, optional): the layer's name.

    Returns:
        Variable: images.
    """
    return LayerHelper("bilateral_slice", name=name).call(
        "bilateral_slice", x, grid, guide, has_offset=has_offset
    )


def correlation(
    x: Any, y: Any, pad_size: int, kernel_size: int, max_displacement: int, stride1: int,
    stride2: int, corr_type_multiply: int = 1,
) -> Any:  # fmt: skip
    """Correlates patches of two feature maps, as FlowNet does.

    Args:
        x (Variable): [N, C, H, W].
        y (Variable): the other map.
        pad_size (int): zeros around both.
        kernel_size (int): of a patch.
        max_displacement (int): how far patches are moved.
        stride1 (int): steps between patches of x.
        stride2 (int): steps between those of y.
        corr_type_multiply (int): products are added up. Default: 1.

    Returns:
        Variable: [N, displacements, H', W'].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                out = fluid.contrib.layers.correlation(image, image, 2, 1, 2, 1, 1)
                print(out.shape)  # (2, 25, 6, 6)
    """
    return LayerHelper("correlation").call(
        "correlation", x, y, pad_size=pad_size, kernel_size=kernel_size,
        max_displacement=max_displacement, stride1=stride1, stride2=stride2,
        corr_type_multiply=corr_type_multiply
    )  # fmt: skip


def _pull_box_extended_sparse(
    input: Any, size: int, extend_size: int = 64, dtype: Any = "float32"
) -> Any:
    """Embeddings kept by a BoxPS server.

    Raises:
        NotImplementedError: there is no such server.
    """
    raise NotImplementedError(
        "_pull_box_extended_sparse: BoxPS is not part of this version; use fluid.embedding."
    )
