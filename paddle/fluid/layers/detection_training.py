"""Layers that detectors are trained with: targets of anchors and proposals, and losses."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.fluid.layers.detection_boxes import bipartite_match, box_coder, target_assign
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.recording.context import layer_name

__all__ = [
    "generate_proposal_labels", "retinanet_target_assign", "rpn_target_assign", "ssd_loss",
    "yolov3_loss",
]  # fmt: skip


def _gathered(x: Any, width: int, places: Any) -> Any:
    """Rows of a prediction [N, anchors, width] at places that count over all images."""
    rows = LayerHelper("reshape2").call("reshape2", x, None, None, shape=[-1, width])[0]
    return rows, places


def _picked(rows: Any, places: Any) -> Any:
    return LayerHelper("gather").call("gather", rows, places, None, overwrite=True)


def _no_gradient(*values: Any) -> None:
    for value in values:
        value.stop_gradient = True


def rpn_target_assign(
    bbox_pred: Any, cls_logits: Any, anchor_box: Any, anchor_var: Any, gt_boxes: Any,
    is_crowd: Any, im_info: Any, rpn_batch_size_per_im: int = 256,
    rpn_straddle_thresh: float = 0.0, rpn_fg_fraction: float = 0.5,
    rpn_positive_overlap: float = 0.7, rpn_negative_overlap: float = 0.3, use_random: bool = True,
) -> tuple[Any, Any, Any, Any, Any]:  # fmt: skip
    """Chooses the anchors a region proposal network is trained on, and says what they should give.

    Args:
        bbox_pred (Variable): predicted offsets [N, anchors, 4].
        cls_logits (Variable): predicted scores [N, anchors, 1].
        anchor_box (Variable): [anchors, 4].
        anchor_var (Variable): their variances; nothing depends on them.
        gt_boxes (Variable): true boxes [boxes, 4] with a level for the images.
        is_crowd (Variable): int32, 1 for the boxes that do not count, with the same level.
        im_info (Variable): height, width and scale of each image [N, 3].
        rpn_batch_size_per_im (int): how many anchors of an image. Default: 256.
        rpn_straddle_thresh (float): anchors that reach over the edge by more pixels are left out;
            below 0: none. Default: 0.0.
        rpn_fg_fraction (float): the part of them that may be objects. Default: 0.5.
        rpn_positive_overlap (float): anchors that overlap a box so much are objects. Default: 0.7.
        rpn_negative_overlap (float): those that overlap none so much are background. Default: 0.3.
        use_random (bool): choose at random, else the first ones. Default: True.

    Returns:
        tuple: predicted scores and predicted offsets of the anchors chosen, their labels, the
        offsets they should have and their weights.

    Raises:
        ValueError: the shapes do not fit together, or an image has no box that counts.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                boxes = fluid.data("boxes", [2, 5, 4])
                logits1 = fluid.data("logits1", [2, 5, 1])
                anchors = fluid.data("anchors", [5, 4])
                rois = fluid.data("rois", [None, 4], lod_level=1)
                crowd = fluid.data("crowd", [None, 1], "int32", lod_level=1)
                im_info = fluid.data("im_info", [2, 3])
                outs = fluid.layers.rpn_target_assign(
                    boxes, logits1, anchors, anchors, rois, crowd, im_info)
                print([out.shape for out in outs])  # [(-1, 1), (-1, 4), (-1, 1), (-1, 4), (-1, 4)]
    """
    places, scored, target, label, weight = LayerHelper("rpn_target_assign").call(
        "rpn_target_assign", anchor_box, gt_boxes, is_crowd, im_info,
        order="LocationIndex ScoreIndex TargetLabel TargetBBox BBoxInsideWeight",
        rpn_batch_size_per_im=rpn_batch_size_per_im, rpn_straddle_thresh=rpn_straddle_thresh,
        rpn_positive_overlap=rpn_positive_overlap, rpn_negative_overlap=rpn_negative_overlap,
        rpn_fg_fraction=rpn_fg_fraction, use_random=use_random
    )  # fmt: skip
    _no_gradient(places, scored, target, label, weight)
    scores, _ = _gathered(cls_logits, 1, scored)
    offsets, _ = _gathered(bbox_pred, 4, places)
    return _picked(scores, scored), _picked(offsets, places), label, target, weight


def retinanet_target_assign(
    bbox_pred: Any, cls_logits: Any, anchor_box: Any, anchor_var: Any, gt_boxes: Any,
    gt_labels: Any, is_crowd: Any, im_info: Any, num_classes: int = 1,
    positive_overlap: float = 0.5, negative_overlap: float = 0.4,
) -> tuple[Any, Any, Any, Any, Any, Any]:  # fmt: skip
    """Chooses the anchors RetinaNet is trained on, and says what they should give.

    Args:
        bbox_pred (Variable): predicted offsets [N, anchors, 4].
        cls_logits (Variable): predicted scores [N, anchors, num_classes].
        anchor_box (Variable): [anchors, 4].
        anchor_var (Variable): their variances; nothing depends on them.
        gt_boxes (Variable): true boxes [boxes, 4] with a level for the images.
        gt_labels (Variable): their classes, int32, from 1 on, with the same level.
        is_crowd (Variable): int32, 1 for the boxes that do not count, with the same level.
        im_info (Variable): height, width and scale of each image [N, 3].
        num_classes (int): the classes without background. Default: 1.
        positive_overlap (float): anchors that overlap a box so much are objects. Default: 0.5.
        negative_overlap (float): those that overlap none so much are background. Default: 0.4.

    Returns:
        tuple: predicted scores and predicted offsets of the anchors chosen, their classes, the
        offsets they should have, their weights, and the number of objects in each image and 1.

    Raises:
        ValueError: the shapes do not fit together, or an image has no box that counts.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                boxes = fluid.data("boxes", [2, 5, 4])
                logits3 = fluid.data("logits3", [2, 5, 3])
                anchors = fluid.data("anchors", [5, 4])
                rois = fluid.data("rois", [None, 4], lod_level=1)
                classes = fluid.data("classes", [None, 1], "int32", lod_level=1)
                crowd = fluid.data("crowd", [None, 1], "int32", lod_level=1)
                im_info = fluid.data("im_info", [2, 3])
                outs = fluid.layers.retinanet_target_assign(
                    boxes, logits3, anchors, anchors, rois, classes, crowd, im_info, 3)
                print([out.shape for out in outs])
    """
    places, scored, target, label, weight, count = LayerHelper("retinanet_target_assign").call(
        "retinanet_target_assign", anchor_box, gt_boxes, gt_labels, is_crowd, im_info,
        order="LocationIndex ScoreIndex TargetLabel TargetBBox BBoxInsideWeight ForegroundNumber",
        positive_overlap=positive_overlap, negative_overlap=negative_overlap,
    )  # fmt: skip
    _no_gradient(places, scored, target, label, weight, count)
    scores, _ = _gathered(cls_logits, num_classes, scored)
    offsets, _ = _gathered(bbox_pred, 4, places)
    return _picked(scores, scored), _picked(offsets, places), label, target, weight, count


def generate_proposal_labels(
    rpn_rois: Any, gt_classes: Any, is_crowd: Any, gt_boxes: Any, im_info: Any,
    batch_size_per_im: int = 256, fg_fraction: float = 0.25, fg_thresh: float = 0.25,
    bg_thresh_hi: float = 0.5, bg_thresh_lo: float = 0.0,
    bbox_reg_weights: Any = (0.1, 0.1, 0.2, 0.2), class_nums: int | None = None,
    use_random: bool = True, is_cls_agnostic: bool = False, is_cascade_rcnn: bool = False,
) -> tuple[Any, Any, Any, Any, Any]:  # fmt: skip
    """Chooses the proposals a second stage is trained on, and says what they should give.

    Args:
        rpn_rois (Variable): proposals [count, 4] with a level for the images.
        gt_classes (Variable): classes of the true boxes, int32 [boxes, 1].
        is_crowd (Variable): int32, 1 for the boxes that do not count.
        gt_boxes (Variable): true boxes [boxes, 4], with the level of both before.
        im_info (Variable): height, width and scale of each image [N, 3].
        batch_size_per_im (int): how many proposals of an image. Default: 256.
        fg_fraction (float): the part of them that may be objects. Default: 0.25.
        fg_thresh (float): those that overlap a box so much are objects. Default: 0.25.
        bg_thresh_hi (float): background overlaps less. Default: 0.5.
        bg_thresh_lo (float): and at least so much. Default: 0.0.
        bbox_reg_weights (list[float]): what offsets are divided by. Default: 0.1, 0.1, 0.2, 0.2.
        class_nums (int): the classes with the background.
        use_random (bool): choose at random, else the first ones. Default: True.
        is_cls_agnostic (bool): offsets are the same for all classes. Default: False.
        is_cascade_rcnn (bool): all proposals are used, without the true boxes. Default: False.

    Returns:
        tuple: the proposals [chosen, 4], their classes [chosen, 1], and offsets, weights of these
        and weights of the loss [chosen, 4 * class_nums].

    Raises:
        ValueError: class_nums is missing, or the shapes do not fit together.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                rois = fluid.data("rois", [None, 4], lod_level=1)
                classes = fluid.data("classes", [None, 1], "int32", lod_level=1)
                crowd = fluid.data("crowd", [None, 1], "int32", lod_level=1)
                im_info = fluid.data("im_info", [2, 3])
                outs = fluid.layers.generate_proposal_labels(
                    rois, classes, crowd, rois, im_info, class_nums=3)
                print([out.shape for out in outs])
    """
    if not isinstance(class_nums, int) or class_nums < 1:
        raise InvalidArgumentError(
            "generate_proposal_labels(class_nums): expected the number of classes, but received "
            f"{class_nums}."
        )
    found = LayerHelper("generate_proposal_labels").call(
        "generate_proposal_labels", rpn_rois, gt_classes, is_crowd, gt_boxes, im_info, None,
        batch_size_per_im=batch_size_per_im, fg_fraction=fg_fraction, fg_thresh=fg_thresh,
        bg_thresh_hi=bg_thresh_hi, bg_thresh_lo=bg_thresh_lo,
        bbox_reg_weights=list(bbox_reg_weights), class_nums=class_nums, use_random=use_random,
        is_cls_agnostic=is_cls_agnostic, is_cascade_rcnn=is_cascade_rcnn,
        order="Rois LabelsInt32 BboxTargets BboxInsideWeights BboxOutsideWeights MaxOverlapWithGT",
    )  # fmt: skip
    _no_gradient(*found[:5])
    return tuple(found[:5])  # type: ignore[return-value]


# -- single-shot detectors ------------------------------------------------------------------------


def _flat(x: Any) -> Any:
    """[N, boxes, K] as rows."""
    return LayerHelper("flatten").call("flatten2", x, axis=2)[0]


def _cast(x: Any) -> Any:
    return LayerHelper("cast").call("cast", x, in_dtype=int(x.dtype), out_dtype=3)


def _by_image(x: Any, sizes: Any) -> Any:
    return LayerHelper("reshape2").call("reshape2", x, sizes, None, shape=[-1, 0])[0]


def _class_loss(logits: Any, label: Any) -> Any:
    return LayerHelper("softmax_with_cross_entropy").call(
        "softmax_with_cross_entropy", logits, label, numeric_stable_mode=True, ignore_index=-100,
        axis=-1, soft_label=False,
    )[1]  # fmt: skip


def _of_rows(operator: str, x: Any, y: Any) -> Any:
    """Beside each other, by an operator of Python's in 1.8.5, which knows the number of rows."""
    with layer_name("tmp"):
        return getattr(C, operator)(x, y)


def ssd_loss(
    location: Any, confidence: Any, gt_box: Any, gt_label: Any, prior_box: Any,
    prior_box_var: Any = None, background_label: int = 0, overlap_threshold: float = 0.5,
    neg_pos_ratio: float = 3.0, neg_overlap: float = 0.5, loc_loss_weight: float = 1.0,
    conf_loss_weight: float = 1.0, match_type: str = "per_prediction",
    mining_type: str = "max_negative", normalize: bool = True, sample_size: int | None = None,
) -> Any:  # fmt: skip
    """The loss of a single-shot detector: offsets and classes of boxes.

    Offsets count for matched boxes, classes for these and the negatives that it gets most wrong.

    Args:
        location (Variable): predicted offsets [N, boxes, 4].
        confidence (Variable): scores of the classes, before softmax, [N, boxes, classes].
        gt_box (Variable): true boxes [count, 4] with a level for the images.
        gt_label (Variable): their classes, int32 [count, 1], with the same level.
        prior_box (Variable): [boxes, 4].
        prior_box_var (Variable, optional): its variances [boxes, 4].
        background_label (int): the class of the background. Default: 0.
        overlap_threshold (float): of the matches of "per_prediction". Default: 0.5.
        neg_pos_ratio (float): negatives for each match. Default: 3.0.
        neg_overlap (float): negatives overlap all boxes less. Default: 0.5.
        loc_loss_weight (float): of the loss of the offsets. Default: 1.0.
        conf_loss_weight (float): of the loss of the classes. Default: 1.0.
        match_type (str): ``"bipartite"`` or ``"per_prediction"``, the default.
        mining_type (str): ``"max_negative"``; 1.8.5 has no other here.
        normalize (bool): divide by the number of matches. Default: True.
        sample_size (int, optional): of "hard_example".

    Returns:
        Variable: the loss [N * boxes, 1] at recording; a row for each image when it runs.

    Raises:
        ValueError: another ``mining_type``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                deltas = fluid.data("deltas", [2, 5, 4])
                class_scores = fluid.data("class_scores", [2, 5, 3])
                rois = fluid.data("rois", [None, 4], lod_level=1)
                classes = fluid.data("classes", [None, 1], "int32", lod_level=1)
                anchors = fluid.data("anchors", [5, 4])
                out = fluid.layers.ssd_loss(deltas, class_scores, rois, classes, anchors)
                print(out.shape)  # (-1, 1)
    """
    if mining_type != "max_negative":
        raise InvalidArgumentError(
            f"ssd_loss(mining_type): expected 'max_negative', but received {mining_type!r}."
        )
    helper = LayerHelper("ssd_loss")
    shape = LayerHelper("shape").call("shape", confidence)
    # Match every prior box with a true one, and find what the classes cost then.
    overlap = LayerHelper("iou_similarity").call("iou_similarity", gt_box, prior_box)
    match, near = bipartite_match(overlap, match_type, overlap_threshold)
    gt_label = LayerHelper("reshape2").call("reshape2", gt_label, None, None, shape=[0, -1, 1])[0]
    gt_label.stop_gradient = True
    target, _ = target_assign(gt_label, match, mismatch_value=background_label)
    scores = _flat(confidence)
    target = _flat(_cast(target))
    target.stop_gradient = True
    loss = _class_loss(scores, target)
    sizes = LayerHelper("slice").call(
        "slice", shape, None, None, None, None, axes=[0], starts=[0], ends=[2], infer_flags=[1]
    )
    loss = _by_image(loss, sizes)
    loss.stop_gradient = True
    # Take the negatives that cost most, and say what is to be predicted.
    more = {} if sample_size is None else {"sample_size": sample_size}
    negative, match = helper.call(
        "mine_hard_examples", loss, None, match, near, neg_pos_ratio=neg_pos_ratio,
        neg_dist_threshold=neg_overlap, mining_type=mining_type, **more
    )  # fmt: skip
    code = box_coder(prior_box, prior_box_var, gt_box, "encode_center_size")
    wanted, counted = target_assign(code, match, mismatch_value=background_label)
    kind, scored = target_assign(gt_label, match, negative, background_label)
    kind = _cast(_flat(kind))
    kind.stop_gradient = True
    loss = _class_loss(scores, kind)
    scored = _flat(scored)
    scored.stop_gradient = True
    loss = _of_rows("elementwise_mul", loss, scored)
    offsets, wanted = _flat(location), _flat(wanted)
    wanted.stop_gradient = True
    moved = LayerHelper("smooth_l1_loss").call("smooth_l1_loss", offsets, wanted, None, None)[1]
    counted = _flat(counted)
    counted.stop_gradient = True
    moved = _of_rows("elementwise_mul", moved, counted)
    total = _of_rows("elementwise_add", loss * conf_loss_weight, moved * loc_loss_weight)
    total = LayerHelper("reduce_sum").call(
        "reduce_sum", _by_image(total, sizes), dim=[1], keep_dim=True
    )
    if not normalize:
        return total
    return total / LayerHelper("reduce_sum").call("reduce_sum", counted, reduce_all=True)


def yolov3_loss(
    x: Any, gt_box: Any, gt_label: Any, anchors: Any, anchor_mask: Any, class_num: int,
    ignore_thresh: float, downsample_ratio: int, gt_score: Any = None,
    use_label_smooth: bool = True, name: str | None = None, scale_x_y: float = 1.0,
) -> Any:  # fmt: skip
    """The loss of one head of YOLOv3, https://arxiv.org/abs/1804.02767.

    Args:
        x (Variable): predictions [N, masks * (5 + class_num), H, W].
        gt_box (Variable): true boxes [N, B, 4]: centre and size in parts of the image.
        gt_label (Variable): their classes, int32 [N, B].
        anchors (list[int]): width and height of all anchors, one after the other.
        anchor_mask (list[int]): the numbers of those that this head has.
        class_num (int): how many classes there are.
        ignore_thresh (float): predictions that overlap a box more are no negatives.
        downsample_ratio (int): image size to map size.
        gt_score (Variable, optional): weights of the boxes [N, B].
        use_label_smooth (bool): smooth the classes. Default: True.
        name (str, optional): the layer's name.
        scale_x_y (float): stretches the centres. Default: 1.0.

    Returns:
        Variable: the loss of each image [N].

    Raises:
        TypeError: anchors or masks are no lists.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                yolo = fluid.data("yolo", [2, 14, 4, 4])
                gt_box = fluid.data("gt_box", [2, 6, 4])
                gt_label = fluid.data("gt_label", [2, 6], "int32")
                out = fluid.layers.yolov3_loss(
                    yolo, gt_box, gt_label, [10, 13, 16, 30], [0, 1], 2, 0.5, 32)
                print(out.shape)  # (2,)
    """
    for argument, value in (("anchors", anchors), ("anchor_mask", anchor_mask)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"yolov3_loss({argument}): expected a list, but received {type(value).__name__}."
            )
    return LayerHelper("yolov3_loss", name=name).call(
        "yolov3_loss", x, gt_box, gt_label, gt_score, anchors=list(anchors),
        anchor_mask=list(anchor_mask), class_num=class_num, ignore_thresh=ignore_thresh,
        downsample_ratio=downsample_ratio, use_label_smooth=use_label_smooth,
        scale_x_y=scale_x_y, order="Loss ObjectnessMask GTMatchMask",
    )[0]  # fmt: skip


guard_module(globals())
