"""Operators for detecting objects: boxes and loss of YOLO, deformable convolution."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.nn.functional.window_args import check_input, integer, integers
from paddle.nn.initializer import Normal
from paddle.nn.layer.layers import Layer

__all__ = ["DeformConv2D", "deform_conv2d", "yolo_box", "yolo_loss"]


def _anchors(api: str, anchors: Any) -> list[int]:
    if not isinstance(anchors, (list, tuple)) or not anchors or len(anchors) % 2:
        raise InvalidArgumentError(
            f"{api}(anchors): expected a list of an even number of ints, width and height of each "
            f"anchor, but received {anchors!r}."
        )
    return [integer(api, "anchors", edge) for edge in anchors]


def yolo_loss(
    x: Any,
    gt_box: Any,
    gt_label: Any,
    anchors: list[int],
    anchor_mask: list[int],
    class_num: int,
    ignore_thresh: float,
    downsample_ratio: int,
    gt_score: Any = None,
    use_label_smooth: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> Any:
    r"""Computes the loss of YOLOv3, https://arxiv.org/abs/1804.02767, on one scale.

    Every true box answers for the cell that its centre lies in and the anchor nearest in shape. It
    adds cross entropies of the place in the cell and of the classes, differences of the logarithms
    of the sizes, and the cross entropy of the trust; other cells add the cross entropy of a trust
    of 0, unless what they predict overlaps a true box by more than ``ignore_thresh``.

    Args:
        x (Tensor): ``[N, M * (5 + class_num), H, H]``, where M is the length of ``anchor_mask``:
            for each anchor x, y, width, height, trust, and the classes.
        gt_box (Tensor): true boxes, ``[N, B, 4]``: x and y of the centre, width, height, as shares
            of the image. Boxes without width or height are padding.
        gt_label (Tensor): their classes, int32, ``[N, B]``.
        anchors (list[int]): width and height of all anchors, in pixels of the input.
        anchor_mask (list[int]): the anchors of this scale.
        class_num (int): number of classes.
        ignore_thresh (float): overlap from which a prediction is left alone.
        downsample_ratio (int): size of the input over size of ``x``: 32, 16 or 8.
        gt_score (Tensor, optional): weights of the true boxes, ``[N, B]``. Default: None, 1.
        use_label_smooth (bool, optional): whether targets of classes are 1/40 (or 1/class_num,
            if that is less) away from 0 and 1. Default: True.
        name (str, optional): has no effect.
        scale_x_y (float, optional): how far centres may leave their cells. Default: 1.0.

    Returns:
        Tensor: ``[N]``, the loss of each image.

    Raises:
        ValueError: shapes, anchors and class_num do not fit one another.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.rand([2, 2 * 8, 4, 4])
            boxes = paddle.rand([2, 3, 4])
            labels = paddle.zeros([2, 3], dtype="int32")
            loss = paddle.vision.ops.yolo_loss(
                x, boxes, labels, anchors=[10, 13, 16, 30, 33, 23], anchor_mask=[0, 1],
                class_num=3, ignore_thresh=0.7, downsample_ratio=8)
            print(loss.shape)  # [2]
    """
    check_input("yolo_loss", "x", x, 4)
    check_input("yolo_loss", "gt_box", gt_box, 3)
    check_input("yolo_loss", "gt_label", gt_label, 2)
    if gt_score is not None:
        check_input("yolo_loss", "gt_score", gt_score, 2)
    if not isinstance(anchor_mask, (list, tuple)):
        raise TypeError(
            "yolo_loss(anchor_mask): expected a list of ints, but received "
            f"{type(anchor_mask).__name__}."
        )
    loss, _, _ = C.yolov3_loss(
        x, gt_box, gt_label, gt_score, anchors=_anchors("yolo_loss", anchors),
        anchor_mask=list(anchor_mask), class_num=integer("yolo_loss", "class_num", class_num),
        ignore_thresh=float(ignore_thresh),
        downsample_ratio=integer("yolo_loss", "downsample_ratio", downsample_ratio),
        use_label_smooth=bool(use_label_smooth), scale_x_y=float(scale_x_y)
    )  # fmt: skip
    return loss


def yolo_box(
    x: Any,
    img_size: Any,
    anchors: list[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool = True,
    name: str | None = None,
    scale_x_y: float = 1.0,
) -> tuple[Any, Any]:
    r"""Turns what YOLOv3 predicts on one scale into boxes and scores.

    For the cell :math:`(c_x, c_y)` and an anchor of :math:`p_w \times p_h` pixels, with
    :math:`H_{in}` the size of the input:

    .. math::

        b_x = (\sigma(t_x) + c_x) / W, \quad b_y = (\sigma(t_y) + c_y) / H, \quad
        b_w = p_w e^{t_w} / W_{in}, \quad b_h = p_h e^{t_h} / H_{in}

    Args:
        x (Tensor): ``[N, S * (5 + class_num), H, W]`` for S anchors.
        img_size (Tensor): height and width of each image, int32, ``[N, 2]``.
        anchors (list[int]): width and height of each anchor, in pixels of the input.
        class_num (int): number of classes.
        conf_thresh (float): boxes with less trust, and their scores, are set to 0.
        downsample_ratio (int): size of the input over size of ``x``: 32, 16 or 8.
        clip_bbox (bool, optional): whether boxes are cut off at the edges of the image.
            Default: True.
        name (str, optional): has no effect.
        scale_x_y (float, optional): how far centres may leave their cells. Default: 1.0.

    Returns:
        tuple: boxes ``[N, S * H * W, 4]`` as left, top, right, bottom in pixels of the image, and
        scores ``[N, S * H * W, class_num]``.

    Raises:
        ValueError: the channels of x do not fit anchors and class_num.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.rand([2, 2 * 7, 4, 4])
            size = paddle.to_tensor([[64, 64], [32, 48]], dtype="int32")
            boxes, scores = paddle.vision.ops.yolo_box(
                x, size, anchors=[10, 13, 16, 30], class_num=2, conf_thresh=0.01,
                downsample_ratio=8)
            print(boxes.shape, scores.shape)  # [2, 32, 4] [2, 32, 2]
    """
    check_input("yolo_box", "x", x, 4)
    check_input("yolo_box", "img_size", img_size, 2)
    return tuple(C.yolo_box(
        x, img_size, anchors=_anchors("yolo_box", anchors),
        class_num=integer("yolo_box", "class_num", class_num), conf_thresh=float(conf_thresh),
        downsample_ratio=integer("yolo_box", "downsample_ratio", downsample_ratio),
        clip_bbox=bool(clip_bbox), scale_x_y=float(scale_x_y)
    ))  # fmt: skip


def deform_conv2d(
    x: Any,
    offset: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    mask: Any = None,
    name: str | None = None,
) -> Any:
    r"""Convolves images with windows whose elements are moved by offsets.

    With :math:`p_k` the place of element k in the window and :math:`x` interpolated between pixels,
    zero outside:

    .. math::

        y(p) = \sum_k w_k \, x(p + p_k + \Delta p_k) \, m_k

    Without a mask this is the first version, https://arxiv.org/abs/1703.06211, with one the second,
    https://arxiv.org/abs/1811.11168.

    Args:
        x (Tensor): ``[N, C, H, W]``.
        offset (Tensor): y and x of every element of every window,
            ``[N, 2 * kh * kw, H_out, W_out]``.
        weight (Tensor): ``[filters, C / groups, kh, kw]``.
        bias (Tensor, optional): ``[filters]``. Default: None.
        stride (int|list[int], optional): step of the window. Default: 1.
        padding (int|list[int], optional): zeros around the image. Default: 0.
        dilation (int|list[int], optional): distance of the elements of a window. Default: 1.
        groups (int, optional): groups of channels with filters of their own. Default: 1.
        mask (Tensor, optional): weights of the elements, ``[N, kh * kw, H_out, W_out]``.
            Default: None.
        name (str, optional): has no effect.

    Returns:
        Tensor: ``[N, filters, H_out, W_out]``.

    Raises:
        ValueError: shapes do not fit.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.rand([2, 3, 8, 8])
            offset = paddle.zeros([2, 2 * 3 * 3, 6, 6])
            weight = paddle.rand([4, 3, 3, 3])
            mask = paddle.ones([2, 3 * 3, 6, 6])
            print(paddle.vision.ops.deform_conv2d(x, offset, weight, mask=mask).shape)
            # [2, 4, 6, 6]
    """
    api = "deform_conv2d"
    for slot, value in (("x", x), ("offset", offset), ("weight", weight)):
        check_input(api, slot, value, 4)
    settings = {
        "strides": integers(api, "stride", stride, 2),
        "paddings": integers(api, "padding", padding, 2, 0),
        "dilations": integers(api, "dilation", dilation, 2),
        "groups": integer(api, "groups", groups),
        "deformable_groups": 1,
        "im2col_step": 1,
    }
    if mask is None:
        out = C.deformable_conv_v1(x, offset, weight, **settings)
    else:
        check_input(api, "mask", mask, 4)
        out = C.deformable_conv(x, offset, mask, weight, **settings)
    return out if bias is None else C.elementwise_add(out, bias, axis=1)


class DeformConv2D(Layer):
    """A layer that convolves with :func:`deform_conv2d`; offsets and mask come from outside.

    Args:
        in_channels (int): channels of the input.
        out_channels (int): number of filters.
        kernel_size (int|list[int]): size of the filters.
        stride (int|list[int], optional): step of the window. Default: 1.
        padding (int|list[int], optional): zeros around the image. Default: 0.
        dilation (int|list[int], optional): distance of the elements of a window. Default: 1.
        groups (int, optional): groups of channels with filters of their own. Default: 1.
        weight_attr (ParamAttr, optional): settings of the filters, which begin normally distributed
            with the variance ``2 / (in_channels * kh * kw)``. Default: None.
        bias_attr (ParamAttr|bool, optional): settings of the bias, which begins with 0; False means
            none. Default: None.

    Raises:
        ValueError: the channels are no multiples of groups.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.rand([2, 3, 8, 8])
            conv = paddle.vision.ops.DeformConv2D(3, 4, kernel_size=3)
            offsets = paddle.nn.Conv2D(3, 2 * 3 * 3, kernel_size=3)
            print(conv(x, offsets(x)).shape)  # [2, 4, 6, 6]
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        api = "DeformConv2D"
        for name, value in (
            ("in_channels", in_channels), ("out_channels", out_channels), ("groups", groups)
        ):  # fmt: skip
            if integer(api, name, value) < 1:
                raise InvalidArgumentError(
                    f"{api}({name}): expected at least 1, but received {value}."
                )
        if in_channels % groups or out_channels % groups:
            raise InvalidArgumentError(
                f"{api}: expected in_channels and out_channels to be multiples of groups = "
                f"{groups}, but received {in_channels} and {out_channels}."
            )
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size = integers(api, "kernel_size", kernel_size, 2)
        self._stride = integers(api, "stride", stride, 2)
        self._padding = integers(api, "padding", padding, 2, 0)
        self._dilation = integers(api, "dilation", dilation, 2)
        elements = in_channels * self._kernel_size[0] * self._kernel_size[1]
        self.weight = self.create_parameter(
            shape=[out_channels, in_channels // groups, *self._kernel_size],
            attr=weight_attr,
            default_initializer=Normal(0.0, (2.0 / elements) ** 0.5),
        )
        self.bias = self.create_parameter(shape=[out_channels], attr=bias_attr, is_bias=True)

    def forward(self, x: Any, offset: Any, mask: Any = None) -> Any:
        """Convolves x, see :func:`deform_conv2d`.

        Args:
            x (Tensor): ``[N, in_channels, H, W]``.
            offset (Tensor): ``[N, 2 * kh * kw, H_out, W_out]``.
            mask (Tensor, optional): ``[N, kh * kw, H_out, W_out]``. Default: None.
        """
        return deform_conv2d(
            x, offset, self.weight, self.bias, self._stride, self._padding, self._dilation,
            self._groups, mask
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The settings, for printing."""
        return (
            f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}, "
            f"stride={self._stride}, padding={self._padding}, dilation={self._dilation}, "
            f"groups={self._groups}"
        )


guard_module(globals())
