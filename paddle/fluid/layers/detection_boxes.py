"""Layers of boxes: priors and anchors, encoding, matching, suppression."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.incubate.layer_helper import LayerHelper
from paddle.static.nn import multi_box_head as head

__all__ = [
    "anchor_generator", "bipartite_match", "box_coder", "collect_fpn_proposals",
    "density_prior_box", "detection_output", "distribute_fpn_proposals", "generate_proposals",
    "matrix_nms", "multi_box_head", "prior_box", "target_assign",
]  # fmt: skip


def listed(value: Any) -> list[Any]:
    """A number as a list of one; None as an empty one."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def floats(name: str, argument: str, value: Any, count: int | None = None) -> list[float]:
    """Numbers of an argument, a number alone counting as one of them.

    Args:
        name (str): the layer, for error texts.
        argument (str): what the user calls it.
        value: what was given.
        count (int, optional): how many there have to be.

    Raises:
        InvalidArgumentError: they are no numbers, or there are more or less of them.
    """
    found = listed(value)
    wrong = any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in found)
    if wrong or (count is not None and len(found) != count):
        wanted = "numbers" if count is None else f"{count} numbers"
        raise InvalidArgumentError(f"{name}({argument}): expected {wanted}, but received {value}.")
    return [float(v) for v in found]


# -- boxes around the cells of a map --------------------------------------------------------------


def prior_box(
    input: Any, image: Any, min_sizes: Any, max_sizes: Any = None, aspect_ratios: Any = (1.0,),
    variance: Any = (0.1, 0.1, 0.2, 0.2), flip: bool = False, clip: bool = False,
    steps: Any = (0.0, 0.0), offset: float = 0.5, name: str | None = None,
    min_max_aspect_ratios_order: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Makes boxes of several sizes and shapes around each cell of a feature map.

    Args:
        input (Variable): the map [N, C, H, W].
        image (Variable): the images [N, C, height, width].
        min_sizes (list[float]|float): sizes of squares, in pixels of the image.
        max_sizes (list[float]|float, optional): as many; each adds a square between the two.
        aspect_ratios (list[float]|float): of further boxes, width to height. Default: [1.0].
        variance (list[float]): what the offsets are divided by. Default: [0.1, 0.1, 0.2, 0.2].
        flip (bool): every ratio the other way round, too. Default: False.
        clip (bool): boxes end at the image's edge. Default: False.
        steps (list[float]): width and height of a cell; 0 takes the share of the image.
        offset (float): of the centre in its cell. Default: 0.5.
        name (str, optional): the layer's name.
        min_max_aspect_ratios_order (bool): the squares come first, as in Caffe. Default: False.

    Returns:
        tuple: boxes and variances, each [H, W, boxes of a cell, 4], in parts of the image.

    Raises:
        ValueError: steps are not two numbers, or the variances not four.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3, 4, 4])
            image = fluid.data("image", [None, 3, 32, 32])
            boxes, variances = fluid.layers.prior_box(x, image, [8.0], flip=True)
            print(boxes.shape)  # (4, 4, 1, 4)
            paddle.disable_static()
    """
    helper = LayerHelper("prior_box", name=name)
    wide, high = floats("prior_box", "steps", steps, 2)
    most = floats("prior_box", "max_sizes", max_sizes) if max_sizes else []
    more: dict[str, Any] = {"max_sizes": most} if most and most[0] > 0 else {}
    return helper.call(
        "prior_box", input, image, min_sizes=floats("prior_box", "min_sizes", min_sizes),
        aspect_ratios=floats("prior_box", "aspect_ratios", aspect_ratios),
        variances=floats("prior_box", "variance", variance, 4), flip=flip, clip=clip, step_w=wide,
        step_h=high, offset=offset, min_max_aspect_ratios_order=min_max_aspect_ratios_order, **more
    )  # fmt: skip


def density_prior_box(
    input: Any, image: Any, densities: Any = None, fixed_sizes: Any = None,
    fixed_ratios: Any = None, variance: Any = (0.1, 0.1, 0.2, 0.2), clip: bool = False,
    steps: Any = (0.0, 0.0), offset: float = 0.5, flatten_to_2d: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Makes boxes around each cell, the smaller the more of them.

    Args:
        input (Variable): the map [N, C, H, W].
        image (Variable): the images [N, C, height, width].
        densities (list[int]): for each size how many boxes lie beside and below each other.
        fixed_sizes (list[float]): as many sizes.
        fixed_ratios (list[float]): width to height of the boxes of every size.
        variance (list[float]): what the offsets are divided by. Default: [0.1, 0.1, 0.2, 0.2].
        clip (bool): boxes end at the image's edge. Default: False.
        steps (list[float]): width and height of a cell; 0 takes the share of the image.
        offset (float): of the centre in its cell. Default: 0.5.
        flatten_to_2d (bool): the results are [boxes, 4]. Default: False.
        name (str, optional): the layer's name.

    Returns:
        tuple: boxes and variances, each [H, W, boxes of a cell, 4], in parts of the image.

    Raises:
        ValueError: densities and sizes are not as many, or steps not two numbers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                outs = fluid.layers.density_prior_box(
                    image, image, densities=[2], fixed_sizes=[4.0], fixed_ratios=[1.0])
                print([out.shape for out in outs])  # [(6, 6, 4, 4), (6, 6, 4, 4)]
    """
    api = "density_prior_box"
    sizes, counts = floats(api, "fixed_sizes", fixed_sizes), listed(densities)
    if len(sizes) != len(counts) or any(not isinstance(n, int) for n in counts):
        raise InvalidArgumentError(
            f"{api}: expected a whole number of densities for each of the fixed_sizes {sizes}, but "
            f"received {densities}."
        )
    wide, high = floats(api, "steps", steps, 2)
    return LayerHelper(api, name=name).call(
        api, input, image, variances=floats(api, "variance", variance, 4), clip=clip, step_w=wide,
        step_h=high, offset=offset, densities=counts, fixed_sizes=sizes,
        fixed_ratios=floats(api, "fixed_ratios", fixed_ratios), flatten_to_2d=flatten_to_2d
    )  # fmt: skip


def anchor_generator(
    input: Any, anchor_sizes: Any = None, aspect_ratios: Any = None,
    variance: Any = (0.1, 0.1, 0.2, 0.2), stride: Any = None, offset: float = 0.5,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Makes anchors of several sizes and shapes around each cell of a feature map.

    Args:
        input (Variable): the map [N, C, H, W].
        anchor_sizes (list[float]|float): in pixels of the image.
        aspect_ratios (list[float]|float): height to width.
        variance (list[float]): what the offsets are divided by. Default: [0.1, 0.1, 0.2, 0.2].
        stride (list[float]): width and height of a cell.
        offset (float): of the centre in its cell. Default: 0.5.
        name (str, optional): the layer's name.

    Returns:
        tuple: anchors and variances, each [H, W, anchors of a cell, 4], in pixels.

    Raises:
        ValueError: stride is not two numbers, or the variances are not four.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                outs = fluid.layers.anchor_generator(
                    image, anchor_sizes=[32.0], aspect_ratios=[1.0], stride=[8.0, 8.0])
                print([out.shape for out in outs])  # [(6, 6, 1, 4), (6, 6, 1, 4)]
    """
    api = "anchor_generator"
    return LayerHelper(api, name=name).call(
        api, input, anchor_sizes=floats(api, "anchor_sizes", anchor_sizes),
        aspect_ratios=floats(api, "aspect_ratios", aspect_ratios),
        variances=floats(api, "variance", variance, 4), stride=floats(api, "stride", stride, 2),
        offset=offset
    )  # fmt: skip


def multi_box_head(
    inputs: Any, image: Any, base_size: int, num_classes: int, aspect_ratios: Any,
    min_ratio: int | None = None, max_ratio: int | None = None, min_sizes: Any = None,
    max_sizes: Any = None, steps: Any = None, step_w: Any = None, step_h: Any = None,
    offset: float = 0.5, variance: Any = (0.1, 0.1, 0.2, 0.2), flip: bool = True,
    clip: bool = False, kernel_size: Any = 1, pad: Any = 0, stride: Any = 1,
    name: str | None = None, min_max_aspect_ratios_order: bool = False,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Adds prior boxes, and convolutions that predict offsets and classes for each of them.

    It is 2.0's ``paddle.static.nn.multi_box_head``, which says what the arguments are.

    Returns:
        tuple: offsets [N, boxes, 4], scores [N, boxes, num_classes], boxes and variances
        [boxes, 4].

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                outs = fluid.layers.multi_box_head(
                    [image], image, 60, 3, [[2.0]], min_sizes=[10.0], max_sizes=[20.0])
                print([out.shape for out in outs])
    """
    return head(
        inputs, image, base_size, num_classes, aspect_ratios, min_ratio, max_ratio, min_sizes,
        max_sizes, steps, step_w, step_h, offset, list(variance), flip, clip, kernel_size, pad,
        stride, name, min_max_aspect_ratios_order
    )  # fmt: skip


# -- encoding and matching ------------------------------------------------------------------------


def box_coder(
    prior_box: Any, prior_box_var: Any, target_box: Any, code_type: str = "encode_center_size",
    box_normalized: bool = True, name: str | None = None, axis: int = 0,
) -> Any:  # fmt: skip
    """Gives boxes as offsets from prior boxes, or offsets as boxes.

    Args:
        prior_box (Variable): [M, 4].
        prior_box_var (Variable|list[float]|None): variances [M, 4], or four of all boxes.
        target_box (Variable): boxes [N, 4] to encode; offsets [N, M, 4] to decode.
        code_type (str): ``"encode_center_size"`` or ``"decode_center_size"``.
        box_normalized (bool): the boxes are parts of an image, else pixels. Default: True.
        name (str, optional): the layer's name.
        axis (int): the axis of the offsets that is left to other boxes: 0, or 1. Default: 0.

    Returns:
        Variable: offsets [N, M, 4], or boxes [N, M, 4].

    Raises:
        TypeError: ``prior_box_var`` is neither a Variable nor a list of four numbers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                anchors = fluid.data("anchors", [5, 4])
                print(fluid.layers.box_coder(anchors, anchors, anchors).shape)  # (5, 5, 4)
    """
    helper = LayerHelper("box_coder", name=name)
    numbers = isinstance(prior_box_var, (list, tuple))
    more: dict[str, Any] = (
        {"variance": floats("box_coder", "prior_box_var", prior_box_var, 4)} if numbers else {}
    )
    if not numbers and prior_box_var is not None and not hasattr(prior_box_var, "shape"):
        raise TypeError(
            "box_coder(prior_box_var): expected a Variable, a list of 4 numbers or None, but "
            f"received {type(prior_box_var).__name__}."
        )
    spread = None if numbers else prior_box_var
    return helper.call(
        "box_coder", prior_box, spread, target_box, code_type=code_type,
        box_normalized=box_normalized, axis=axis, **more
    )  # fmt: skip


def bipartite_match(
    dist_matrix: Any, match_type: str | None = None, dist_threshold: float | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Pairs the rows and columns of each image greedily by the greatest value that is left.

    Args:
        dist_matrix (Variable): [rows, columns]; its level tells the images apart.
        match_type (str, optional): ``"bipartite"``, or ``"per_prediction"``, which gives every
            column left over its best row. Default: ``"bipartite"``.
        dist_threshold (float, optional): the least value for that. Default: 0.5.
        name (str, optional): the layer's name.

    Returns:
        tuple: the row of each column within its image [images, columns] as int32, -1 where there
        is none, and the values.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                overlaps = fluid.data("overlaps", [None, 5], lod_level=1)
                outs = fluid.layers.bipartite_match(overlaps)
                print([out.shape for out in outs])  # [(-1, 5), (-1, 5)]
    """
    attrs: dict[str, Any] = {"match_type": match_type, "dist_threshold": dist_threshold}
    return LayerHelper("bipartite_match", name=name).call(
        "bipartite_match", dist_matrix, **{k: v for k, v in attrs.items() if v is not None}
    )


def target_assign(
    input: Any, matched_indices: Any, negative_indices: Any = None, mismatch_value: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Gives each column of an image the row that it was matched with, as what it has to predict.

    Args:
        input (Variable): rows [N, P, K] with a level for the images.
        matched_indices (Variable): int32 [images, M]: a row of the image, or -1.
        negative_indices (Variable, optional): columns that count though they match none.
        mismatch_value (int, optional): the target of columns without a match. Default: 0.
        name (str, optional): the layer's name.

    Returns:
        tuple: targets [images, M, K], and weights [images, M, 1] that are 1 where they count.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                assigned = fluid.data("assigned", [None, 1, 4], lod_level=1)
                matches = fluid.data("matches", [2, 5], "int32")
                outs = fluid.layers.target_assign(assigned, matches)
                print([out.shape for out in outs])  # [(2, 5, 4), (2, 5, 1)]
    """
    return LayerHelper("target_assign", name=name).call(
        "target_assign", input, matched_indices, negative_indices,
        mismatch_value=mismatch_value or 0
    )  # fmt: skip


# -- what is found --------------------------------------------------------------------------------


def detection_output(
    loc: Any, scores: Any, prior_box: Any, prior_box_var: Any, background_label: int = 0,
    nms_threshold: float = 0.3, nms_top_k: int = 400, keep_top_k: int = 200,
    score_threshold: float = 0.01, nms_eta: float = 1.0, return_index: bool = False,
) -> Any:  # fmt: skip
    """Gives what a single-shot detector has found: decoded boxes, without those that overlap.

    Args:
        loc (Variable): offsets [N, M, 4].
        scores (Variable): of the classes, before softmax, [N, M, classes].
        prior_box (Variable): [M, 4].
        prior_box_var (Variable): its variances [M, 4].
        background_label (int): the class of the background; -1: none. Default: 0.
        nms_threshold (float): boxes that overlap more are left out. Default: 0.3.
        nms_top_k (int): how many boxes of a class are looked at. Default: 400.
        keep_top_k (int): how many boxes of an image stay. Default: 200.
        score_threshold (float): lower scores are left out. Default: 0.01.
        nms_eta (float): what the threshold is multiplied by after each box. Default: 1.0.
        return_index (bool): also give the place of each box. Default: False.

    Returns:
        Variable: rows of class, score and box [found, 6] with a level for the images; with
        ``return_index`` the places [found, 1], too.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                deltas = fluid.data("deltas", [2, 5, 4])
                class_scores = fluid.data("class_scores", [2, 5, 3])
                anchors = fluid.data("anchors", [5, 4])
                out = fluid.layers.detection_output(deltas, class_scores, anchors, anchors)
                print(out.shape)  # (-1, -1)
    """
    helper = LayerHelper("detection_output")
    boxes = box_coder(prior_box, prior_box_var, loc, "decode_center_size")
    scores = LayerHelper("softmax").call("softmax", scores, axis=-1)
    scores = LayerHelper("transpose").call("transpose2", scores, axis=[0, 2, 1])[0]
    scores.stop_gradient = True
    attrs: dict[str, Any] = {
        "background_label": background_label, "nms_threshold": nms_threshold,
        "nms_top_k": nms_top_k, "keep_top_k": keep_top_k, "score_threshold": score_threshold,
        "nms_eta": nms_eta,
    }  # fmt: skip
    if return_index:
        return helper.call("multiclass_nms2", boxes, scores, **attrs)[:2]
    return helper.call("multiclass_nms", boxes, scores, **attrs)


def matrix_nms(
    bboxes: Any, scores: Any, score_threshold: float, post_threshold: float, nms_top_k: int,
    keep_top_k: int, use_gaussian: bool = False, gaussian_sigma: float = 2.0,
    background_label: int = 0, normalized: bool = True, return_index: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Lowers the scores of boxes that overlap better ones, https://arxiv.org/abs/2003.10152.

    Args:
        bboxes (Variable): [N, M, 4].
        scores (Variable): [N, classes, M].
        score_threshold (float): lower scores are left out.
        post_threshold (float): the same after they were lowered.
        nms_top_k (int): how many boxes of a class are looked at.
        keep_top_k (int): how many boxes of an image stay.
        use_gaussian (bool): by a Gaussian instead of a line. Default: False.
        gaussian_sigma (float): its width. Default: 2.0.
        background_label (int): the class of the background; -1: none. Default: 0.
        normalized (bool): boxes are parts of an image, else pixels. Default: True.
        return_index (bool): also give the place of each box. Default: False.
        name (str, optional): the layer's name.

    Returns:
        Variable: rows of class, score and box [found, 6] with a level for the images; with
        ``return_index`` the places [found, 1], too.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                boxes = fluid.data("boxes", [2, 5, 4])
                scores = fluid.data("scores", [2, 3, 5])
                print(fluid.layers.matrix_nms(boxes, scores, 0.1, 0.0, 10, 5).shape)  # (-1, 6)
    """
    found = LayerHelper("matrix_nms", name=name).call(
        "matrix_nms", bboxes, scores, background_label=background_label,
        score_threshold=score_threshold, post_threshold=post_threshold, nms_top_k=nms_top_k,
        keep_top_k=keep_top_k, use_gaussian=use_gaussian, gaussian_sigma=gaussian_sigma,
        normalized=normalized
    )  # fmt: skip
    return tuple(found[:2]) if return_index else found[0]


def generate_proposals(
    scores: Any, bbox_deltas: Any, im_info: Any, anchors: Any, variances: Any,
    pre_nms_top_n: int = 6000, post_nms_top_n: int = 1000, nms_thresh: float = 0.5,
    min_size: float = 0.1, eta: float = 1.0, name: str | None = None,
    return_rois_num: bool = False,
) -> Any:  # fmt: skip
    """Makes boxes of anchors, their offsets and scores, without those that overlap.

    Args:
        scores (Variable): [N, A, H, W].
        bbox_deltas (Variable): offsets [N, 4 * A, H, W].
        im_info (Variable): height, width and scale of each image [N, 3].
        anchors (Variable): [H, W, A, 4].
        variances (Variable): the same shape.
        pre_nms_top_n (int): how many boxes of an image are looked at. Default: 6000.
        post_nms_top_n (int): how many of them stay. Default: 1000.
        nms_thresh (float): boxes that overlap more are left out. Default: 0.5.
        min_size (float): smaller boxes are left out. Default: 0.1.
        eta (float): what the threshold is multiplied by after each box. Default: 1.0.
        name (str, optional): the layer's name.
        return_rois_num (bool): also give, for each image, where its boxes end. Default: False.

    Returns:
        tuple: boxes [found, 4] and scores [found, 1], each with a level for the images.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                objectness = fluid.data("objectness", [2, 3, 6, 6])
                shifts = fluid.data("shifts", [2, 12, 6, 6])
                im_info = fluid.data("im_info", [2, 3])
                grid_anchors = fluid.data("grid_anchors", [6, 6, 3, 4])
                outs = fluid.layers.generate_proposals(
                    objectness, shifts, im_info, grid_anchors, grid_anchors)
                print([out.shape for out in outs])  # [(-1, 4), (-1, 1)]
    """
    found = LayerHelper("generate_proposals", name=name).call(
        "generate_proposals", scores, bbox_deltas, im_info, anchors, variances,
        order="RpnRois RpnRoiProbs RpnRoisLod RpnRoisNum", pre_nms_topN=pre_nms_top_n,
        post_nms_topN=post_nms_top_n, nms_thresh=nms_thresh, min_size=min_size, eta=eta
    )  # fmt: skip
    return (*found[:2], found[3]) if return_rois_num else tuple(found[:2])


def distribute_fpn_proposals(
    fpn_rois: Any, min_level: int, max_level: int, refer_level: int, refer_scale: int,
    rois_num: Any = None, name: str | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Gives every box to the level of a feature pyramid that fits its size.

    Args:
        fpn_rois (Variable): boxes [count, 4] with a level for the images.
        min_level (int): the lowest level, that of the smallest boxes.
        max_level (int): the highest one.
        refer_level (int): the level of boxes of ``refer_scale``.
        refer_scale (int): their size.
        rois_num (Variable, optional): int32: the boxes of each image; or, as in 1.x, the name.
        name (str, optional): the layer's name.

    Returns:
        tuple: a list of the boxes of each level, and for every box its place in that list joined;
        with ``rois_num`` how many there are of each image, level by level.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                rois = fluid.data("rois", [None, 4], lod_level=1)
                outs = fluid.layers.distribute_fpn_proposals(rois, 2, 4, 3, 224)
    """
    if isinstance(rois_num, str):
        rois_num, name = None, rois_num
    boxes, place, counts = LayerHelper("distribute_fpn_proposals", name=name).call(
        "distribute_fpn_proposals", fpn_rois, rois_num, min_level=min_level, max_level=max_level,
        refer_level=refer_level, refer_scale=refer_scale
    )  # fmt: skip
    return (boxes, place) if rois_num is None else (boxes, place, counts)


def collect_fpn_proposals(
    multi_rois: list[Any], multi_scores: list[Any], min_level: int, max_level: int,
    post_nms_top_n: int, rois_num_per_level: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Joins the boxes of all levels of a pyramid and keeps those with the best scores.

    Args:
        multi_rois (list[Variable]): the boxes of each level, [count, 4].
        multi_scores (list[Variable]): their scores, [count, 1].
        min_level (int): the lowest level.
        max_level (int): the highest one.
        post_nms_top_n (int): how many boxes stay.
        rois_num_per_level (list[Variable], optional): int32: the boxes of each image in each
            level; or, as in 1.x, the name.
        name (str, optional): the layer's name.

    Returns:
        Variable: the boxes [at most post_nms_top_n, 4], image by image; with
        ``rois_num_per_level`` how many each image has, too.

    Raises:
        ValueError: there are not as many boxes and scores as levels.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                rois = fluid.data("rois", [None, 4], lod_level=1)
                roi_scores = fluid.data("roi_scores", [None, 1], lod_level=1)
                out = fluid.layers.collect_fpn_proposals(
                    [rois, rois], [roi_scores, roi_scores], 2, 3, 10)
                print(out.shape)  # (-1, 4)
    """
    if isinstance(rois_num_per_level, str):
        rois_num_per_level, name = None, rois_num_per_level
    count = max_level - min_level + 1
    if len(multi_rois) < count or len(multi_scores) < count:
        raise InvalidArgumentError(
            f"collect_fpn_proposals: expected multi_rois and multi_scores of {count} levels, but "
            f"received {len(multi_rois)} and {len(multi_scores)}."
        )
    boxes, numbers = LayerHelper("collect_fpn_proposals", name=name).call(
        "collect_fpn_proposals", list(multi_rois)[:count], list(multi_scores)[:count],
        rois_num_per_level, post_nms_topN=post_nms_top_n
    )  # fmt: skip
    return boxes if rois_num_per_level is None else (boxes, numbers)


guard_module(globals())
