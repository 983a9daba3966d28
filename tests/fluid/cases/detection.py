"""Layers of object detection: priors, boxes, matching, suppression, losses, regions."""

import numpy as np


def _values(*shape, **given):
    low, high = given.get("low", -1.0), given.get("high", 1.0)
    state = np.random.RandomState(int(np.prod(shape)) + given.get("key", 0))
    return state.uniform(low, high, shape).astype("float32")


def _boxes(count, size=1.0, key=0):
    low = _values(count, 2, low=0.0, high=0.6, key=key)
    extent = _values(count, 2, low=0.1, high=0.4, key=key + 1)
    return (np.concatenate([low, low + extent], 1) * size).astype("float32")


def _data(fluid, name, value, lod_level=0, shape=None):
    array = value[0] if isinstance(value, tuple) else value
    shape = [-1] + list(array.shape[1:]) if shape is None else shape
    var = fluid.data(name, shape, str(array.dtype), lod_level=lod_level)
    return var


INFO = np.array([[32, 32, 1.0], [30, 28, 1.2]], "float32")
FEATURE, IMAGE = _values(2, 3, 4, 4), _values(2, 3, 32, 32)


def _maps(fluid):
    x = _data(fluid, "x", FEATURE, shape=[2, 3, 4, 4])
    image = _data(fluid, "image", IMAGE, shape=[2, 3, 32, 32])
    return {"x": FEATURE, "image": IMAGE}, x, image


def case_prior_box(fluid):
    feeds, x, image = _maps(fluid)
    found = fluid.layers.prior_box(x, image, [4.0], [9.0], [1.0, 2.0], flip=True, clip=True)
    more = fluid.layers.prior_box(
        x, image, min_sizes=[4.0, 6.0], aspect_ratios=[2.0], steps=[8.0, 8.0], offset=0.4,
        variance=[0.1, 0.2, 0.3, 0.4], min_max_aspect_ratios_order=True,
    )  # fmt: skip
    return feeds, list(found) + list(more)


def case_density_prior_box(fluid):
    feeds, x, image = _maps(fluid)
    found = fluid.layers.density_prior_box(
        x, image, densities=[2, 1], fixed_sizes=[8.0, 16.0], fixed_ratios=[1.0], clip=True
    )
    more = fluid.layers.density_prior_box(
        x, image, [1], [8.0], [1.0, 2.0], flatten_to_2d=True, name="flat"
    )
    return feeds, list(found) + list(more)


def case_anchor_generator(fluid):
    feeds, x, _ = _maps(fluid)
    found = fluid.layers.anchor_generator(
        x, anchor_sizes=[8.0, 16.0], aspect_ratios=[0.5, 1.0], stride=[8.0, 8.0]
    )
    return feeds, list(found)


def case_multi_box_head(fluid):
    feeds, x, image = _maps(fluid)
    feeds["small"] = _values(2, 3, 2, 2)
    small = _data(fluid, "small", feeds["small"], shape=[2, 3, 2, 2])
    found = fluid.layers.multi_box_head(
        [x, small, small], image, 32, 3, aspect_ratios=[[2.0], [2.0, 3.0], [2.0]], min_ratio=20,
        max_ratio=90, kernel_size=3, pad=1, clip=True, flip=True,
    )  # fmt: skip
    return feeds, list(found)


case_multi_box_head.grad = ["x"]


def case_iou_similarity(fluid):
    x, y = _boxes(5), _boxes(3, key=5)
    a, b = _data(fluid, "a", x, 1), _data(fluid, "b", y)
    outs = [fluid.layers.iou_similarity(a, b), fluid.layers.iou_similarity(a, b, False, "px")]
    return {"a": (x, [[2, 3]]), "b": y}, outs


def case_box_coder(fluid):
    prior, spread, target = _boxes(4), _values(4, 4, low=0.1, high=0.3), _boxes(3, key=3)
    p, v = _data(fluid, "p", prior), _data(fluid, "v", spread)
    t = _data(fluid, "t", target, 1)
    code = fluid.layers.box_coder(p, v, t)
    fixed = fluid.layers.box_coder(p, [0.1, 0.1, 0.2, 0.2], t, "encode_center_size", False)
    back = fluid.layers.box_coder(p, v, code, "decode_center_size", axis=0)
    return {"p": prior, "v": spread, "t": (target, [[1, 2]])}, [code, fixed, back]


case_box_coder.grad = False


def case_box_clip(fluid):
    boxes = _boxes(5, 40.0)
    b, info = _data(fluid, "b", boxes, 1), _data(fluid, "info", INFO)
    return {"b": (boxes, [[2, 3]]), "info": INFO}, [fluid.layers.box_clip(b, info)]


case_box_clip.grad = False


def case_box_decoder_and_assign(fluid):
    prior, target, score = _boxes(4, 20.0), _values(4, 12), _values(4, 3, low=0.0)
    values = {"p": prior, "v": np.array([0.1, 0.1, 0.2, 0.2], "float32"), "t": target, "s": score}
    p, t, s = [_data(fluid, n, values[n]) for n in "pts"]
    v = fluid.data("v", [4], "float32")
    return values, list(fluid.layers.box_decoder_and_assign(p, v, t, s, 4.135))


case_box_decoder_and_assign.grad = False


def case_polygon_box_transform(fluid):
    x = _values(2, 8, 2, 3)
    return {"x": x}, [fluid.layers.polygon_box_transform(_data(fluid, "x", x))]


case_polygon_box_transform.grad = False


def case_bipartite_match(fluid):
    x = _values(5, 6, low=0.0)
    d = _data(fluid, "d", x, 1)
    outs = list(fluid.layers.bipartite_match(d))
    outs += fluid.layers.bipartite_match(d, "per_prediction", 0.6)
    return {"d": (x, [[2, 3]])}, outs


case_bipartite_match.grad = False


def case_target_assign(fluid):
    x, match = _values(4, 1, 3), np.array([[0, -1, 1], [1, 0, -1]], "int32")
    t, m = _data(fluid, "t", x, 1), _data(fluid, "m", match)
    outs = list(fluid.layers.target_assign(t, m, mismatch_value=2))
    return {"t": (x, [[2, 2]]), "m": match}, outs


case_target_assign.grad = False


def _nms(fluid, classes=3):
    boxes = np.stack([_boxes(6), _boxes(6, key=9)])
    scores = _values(2, classes, 6, low=0.0)
    b = _data(fluid, "b", boxes, shape=[None, 6, 4])
    return {"b": boxes, "s": scores}, b, _data(fluid, "s", scores, shape=[None, classes, 6])


def case_multiclass_nms(fluid):
    feeds, b, s = _nms(fluid)
    return feeds, [fluid.layers.multiclass_nms(b, s, 0.3, 5, 4, 0.2, background_label=0)]


case_multiclass_nms.grad = False
case_multiclass_nms.variables = False


def case_multiclass_nms_rows(fluid):
    boxes, scores = np.stack([_boxes(7), _boxes(7, key=4)], 1), _values(7, 2, low=0.0)
    b, s = _data(fluid, "b", boxes, 1), _data(fluid, "s", scores, 1)
    out = fluid.layers.multiclass_nms(b, s, 0.1, 5, 4, 0.3, False, background_label=-1, name="n")
    return {"b": (boxes, [[3, 4]]), "s": (scores, [[3, 4]])}, [out]


case_multiclass_nms_rows.grad = False
case_multiclass_nms_rows.variables = False


def case_locality_aware_nms(fluid):
    feeds, b, s = _nms(fluid, 1)
    return {n: v[:1] for n, v in feeds.items()}, [
        fluid.layers.locality_aware_nms(b, s, 0.1, 5, 4, 0.3)
    ]


case_locality_aware_nms.grad = False
case_locality_aware_nms.variables = False


def case_matrix_nms(fluid):
    feeds, b, s = _nms(fluid)
    outs = [fluid.layers.matrix_nms(b, s, 0.3, 0.1, 5, 4)]
    outs += fluid.layers.matrix_nms(
        b, s, 0.3, 0.1, 5, 4, use_gaussian=True, return_index=True, name="g"
    )
    return feeds, outs


case_matrix_nms.grad = False
case_matrix_nms.variables = False


def case_detection_output(fluid):
    loc, scores, prior = _values(2, 5, 4), _values(2, 5, 3), _boxes(5)
    spread = _values(5, 4, low=0.1, high=0.2)
    values = {"l": loc, "s": scores, "p": prior, "v": spread}
    l, s, p, v = [_data(fluid, n, values[n], shape=values[n].shape) for n in "lspv"]
    outs = [fluid.layers.detection_output(l, s, p, v, nms_threshold=0.4, keep_top_k=6)]
    outs += fluid.layers.detection_output(l, s, p, v, score_threshold=0.2, return_index=True)
    return values, outs


case_detection_output.grad = False
case_detection_output.variables = False


def _ssd(fluid):
    values = {
        "l": _values(2, 6, 4), "c": _values(2, 6, 3), "p": _boxes(6),
        "v": _values(6, 4, low=0.1, high=0.2),
    }  # fmt: skip
    l, c, p, v = [_data(fluid, n, values[n], shape=values[n].shape) for n in "lcpv"]
    box, kind = _boxes(4, key=2), np.array([[1], [2], [1], [2]], "int32")
    values.update(b=(box, [[1, 3]]), k=(kind, [[1, 3]]))
    return values, l, c, _data(fluid, "b", box, 1), _data(fluid, "k", kind, 1), p, v


def case_ssd_loss(fluid):
    values, l, c, b, k, p, v = _ssd(fluid)
    return values, [fluid.layers.ssd_loss(l, c, b, k, p, v)]


case_ssd_loss.grad = ["l", "c"]
case_ssd_loss.variables = False


def case_ssd_loss_options(fluid):
    values, l, c, b, k, p, v = _ssd(fluid)
    loss = fluid.layers.ssd_loss(
        l, c, b, k, p, v, overlap_threshold=0.2, neg_pos_ratio=2.0, neg_overlap=0.4,
        loc_loss_weight=0.5, conf_loss_weight=2.0, match_type="bipartite", normalize=False,
    )  # fmt: skip
    return values, [loss]


case_ssd_loss_options.grad = ["l", "c"]
case_ssd_loss_options.variables = False

ANCHORS = np.concatenate([_boxes(12, 30.0), _boxes(6, 20.0, 7)])
GROUND = np.concatenate([_boxes(3, 25.0, 1), _boxes(2, 25.0, 5)])
LENGTHS = [[3, 2]]


def _targets(fluid, classes):
    values = {
        "loc": _values(2, 18, 4), "cls": _values(2, 18, classes), "anchor": ANCHORS,
        "spread": _values(18, 4, low=0.1, high=0.2), "gt": (GROUND, LENGTHS),
        "kind": (np.array([[1], [2], [1], [2], [1]], "int32"), LENGTHS),
        "crowd": (np.array([[0], [1], [0], [0], [0]], "int32"), LENGTHS), "info": INFO,
    }  # fmt: skip
    made = {}
    for name in sorted(values):
        level = int(isinstance(values[name], tuple))
        shape = None if level or name in ("loc", "cls", "info") else values[name].shape
        made[name] = _data(fluid, name, values[name], level, shape)
    return values, made


def case_rpn_target_assign(fluid):
    values, v = _targets(fluid, 1)
    del values["kind"]
    outs = fluid.layers.rpn_target_assign(
        v["loc"], v["cls"], v["anchor"], v["spread"], v["gt"], v["crowd"], v["info"],
        rpn_batch_size_per_im=8, rpn_straddle_thresh=-1.0, use_random=False,
    )  # fmt: skip
    return values, list(outs)


case_rpn_target_assign.grad = ["loc", "cls"]


def case_retinanet_target_assign(fluid):
    values, v = _targets(fluid, 2)
    outs = fluid.layers.retinanet_target_assign(
        v["loc"], v["cls"], v["anchor"], v["spread"], v["gt"], v["kind"], v["crowd"], v["info"], 2
    )
    return values, list(outs)


case_retinanet_target_assign.grad = ["loc", "cls"]


def case_generate_proposal_labels(fluid):
    rois = np.concatenate([_boxes(6, 25.0, 2), _boxes(4, 25.0, 3)])
    values, v = _targets(fluid, 2)
    values = {n: values[n] for n in ("kind", "crowd", "gt", "info")}
    values["rois"] = (rois, [[6, 4]])
    outs = fluid.layers.generate_proposal_labels(
        _data(fluid, "rois", rois, 1), v["kind"], v["crowd"], v["gt"], v["info"], 6, 0.5, 0.3, 0.3,
        class_nums=3, use_random=False,
    )  # fmt: skip
    return values, list(outs)


case_generate_proposal_labels.grad = False


def case_generate_mask_labels(fluid):
    values, v = _targets(fluid, 2)
    values = {n: values[n] for n in ("kind", "crowd", "info")}
    points = _values(15, 2, low=1.0, high=24.0)
    rois, label = _boxes(4, 25.0, 3), np.array([[1], [0], [2], [1]], "int32")
    values["rois"], values["label"] = (rois, [[2, 2]]), (label, [[2, 2]])
    values["shapes"] = (points, [[3, 2], [1, 1, 1, 1, 1], [3, 3, 3, 3, 3]])
    outs = fluid.layers.generate_mask_labels(
        v["info"], v["kind"], v["crowd"], _data(fluid, "shapes", points, 3),
        _data(fluid, "rois", rois, 1), _data(fluid, "label", label, 1), 3, 4,
    )  # fmt: skip
    return values, list(outs)


case_generate_mask_labels.grad = False
case_generate_mask_labels.variables = False


def case_generate_proposals(fluid):
    scores, deltas = _values(2, 2, 3, 3), _values(2, 8, 3, 3, low=-0.2, high=0.2)
    anchors = _boxes(18, 30.0).reshape(3, 3, 2, 4)
    spread = np.full((3, 3, 2, 4), 0.5, "float32")
    values = {"s": scores, "d": deltas, "i": INFO, "a": anchors, "v": spread}
    s, d, i = [_data(fluid, n, values[n]) for n in "sdi"]
    a, v = [_data(fluid, n, values[n], shape=values[n].shape) for n in "av"]
    outs = list(fluid.layers.generate_proposals(s, d, i, a, v, 12, 5, 0.6, 2.0))
    outs += fluid.layers.generate_proposals(s, d, i, a, v, return_rois_num=True, name="counted")
    return values, outs


case_generate_proposals.grad = False
case_generate_proposals.variables = False


def case_retinanet_detection_output(fluid):
    levels = [(4, 1), (6, 2)]
    values, b, s, a = {"info": INFO}, [], [], []
    for count, key in levels:
        made = {
            "b%d" % key: _values(2, count, 4, low=-0.1, high=0.1),
            "s%d" % key: _values(2, count, 3, low=0.0), "a%d" % key: _boxes(count, 25.0, key),
        }  # fmt: skip
        values.update(made)
        for name, to in zip(sorted(made), (a, b, s)):
            to.append(_data(fluid, name, made[name], shape=made[name].shape))
    info = _data(fluid, "info", INFO, shape=[2, 3])
    out = fluid.layers.retinanet_detection_output(b, s, a, info, 0.1, 5, 4, 0.4)
    return values, [out]


case_retinanet_detection_output.grad = False
case_retinanet_detection_output.variables = False


def case_distribute_and_collect(fluid):
    rois, scores = _boxes(6, 1250.0), _values(6, 1, low=0.0)
    r, s = _data(fluid, "r", rois, 1), _data(fluid, "s", scores, 1)
    multi, restore = fluid.layers.distribute_fpn_proposals(r, 3, 5, 4, 224)
    both = fluid.layers.collect_fpn_proposals([r, r], [s, s], 2, 3, 5)
    return {"r": (rois, [[2, 4]]), "s": (scores, [[2, 4]])}, list(multi) + [restore, both]


case_distribute_and_collect.grad = False
case_distribute_and_collect.variables = False


def case_sigmoid_focal_loss(fluid):
    x, label = _values(4, 3), np.array([[1], [0], [3], [-1]], "int32")
    number = np.array([2], "int32")
    a, b, c = _data(fluid, "a", x), _data(fluid, "b", label), _data(fluid, "c", number, shape=[1])
    return {"a": x, "b": label, "c": number}, [fluid.layers.sigmoid_focal_loss(a, b, c, 1.5, 0.3)]


def _yolo(fluid):
    x, size = _values(2, 14, 3, 3), np.array([[64, 48], [60, 60]], "int32")
    return {"x": x}, size, _data(fluid, "x", x, shape=[None, 14, 3, 3])


def _yolo_loss(fluid, *more):
    feeds, _, x = _yolo(fluid)
    box, kind = _boxes(4, 0.9, 2).reshape(2, 2, 4), np.array([[0, 1], [1, 0]], "int32")
    score = _values(2, 2, low=0.5)
    feeds.update(b=box, k=kind, s=score)
    return feeds, x, [_data(fluid, n, feeds[n]) for n in "bks"]


def case_yolov3_loss(fluid):
    feeds, x, (b, k, _) = _yolo_loss(fluid)
    return feeds, [fluid.layers.yolov3_loss(x, b, k, [10, 13, 16, 30, 33, 23], [0, 1], 2, 0.7, 32)]


case_yolov3_loss.grad = ["x"]
case_yolov3_loss.variables = False


def case_yolov3_loss_weights(fluid):
    feeds, x, (b, k, s) = _yolo_loss(fluid)
    return feeds, [
        fluid.layers.yolov3_loss(
            x, b, k, [10, 13, 16, 30, 33, 23], [1, 2], 2, 0.5, 32, s, False, "y"
        )
    ]


case_yolov3_loss_weights.grad = ["x"]
case_yolov3_loss_weights.variables = False


def case_yolov3_loss_stretched(fluid):
    feeds, x, (b, k, _) = _yolo_loss(fluid)
    return feeds, [
        fluid.layers.yolov3_loss(
            x, b, k, [10, 13, 16, 30, 33, 23], [1, 2], 2, 0.5, 32, scale_x_y=1.1
        )
    ]


case_yolov3_loss_stretched.grad = ["x"]
case_yolov3_loss_stretched.variables = False


def case_yolo_box(fluid):
    feeds, size, x = _yolo(fluid)
    i = _data(fluid, "i", size)
    outs = list(fluid.layers.yolo_box(x, i, [10, 13, 16, 30], 2, 0.1, 32))
    outs += fluid.layers.yolo_box(x, i, [10, 13, 16, 30], 2, 0.1, 32, False, "y", 1.2)
    return dict(feeds, i=size), outs


case_yolo_box.grad = False


def _regions(fluid, channels=4):
    x, rois = _values(2, channels, 6, 6), _boxes(3, 10.0)
    return {"x": x, "r": (rois, [[1, 2]])}, _data(fluid, "x", x), _data(fluid, "r", rois, 1)


def case_roi_pool(fluid):
    feeds, x, r = _regions(fluid)
    return feeds, [fluid.layers.roi_pool(x, r, 2, 3, 0.5)]


case_roi_pool.grad = ["x"]
case_roi_pool.variables = False


def case_roi_align(fluid):
    feeds, x, r = _regions(fluid)
    outs = [
        fluid.layers.roi_align(x, r, 2, 2, 0.5),
        fluid.layers.roi_align(x, r, 1, 2, 1.0, 2, "n"),
    ]
    return feeds, outs


case_roi_align.grad = ["x"]


def case_psroi_pool(fluid):
    feeds, x, r = _regions(fluid, 8)
    return feeds, [fluid.layers.psroi_pool(x, r, 2, 0.5, 2, 2)]


case_psroi_pool.grad = ["x"]


def case_prroi_pool(fluid):
    feeds, x, r = _regions(fluid)
    return feeds, [fluid.layers.prroi_pool(x, r, 0.5, 2, 2)]


case_prroi_pool.grad = ["x"]


def case_prroi_pool_numbers(fluid):
    feeds, x, r = _regions(fluid)
    numbers = np.array([1, 2], "int64")
    n = _data(fluid, "n", numbers)
    return dict(feeds, n=numbers), [fluid.layers.prroi_pool(x, r, 0.5, 2, 2, n)]


case_prroi_pool_numbers.grad = ["x"]


def case_deformable_roi_pooling(fluid):
    feeds, x, r = _regions(fluid)
    trans = _values(3, 2, 2, 2)
    t = _data(fluid, "t", trans)
    outs = [
        fluid.layers.deformable_roi_pooling(x, r, t, False, 0.5, [1, 1], 2, 2, [2, 2], 2, 0.1),
        fluid.layers.deformable_roi_pooling(x, r, t, True, 0.5, [1, 1], 2, 1, None, 2, name="p"),
    ]
    return dict(feeds, t=trans), outs


case_deformable_roi_pooling.grad = ["x", "t"]
case_deformable_roi_pooling.variables = False


def case_roi_perspective_transform(fluid):
    x = _values(1, 2, 8, 8)
    rois = np.array([[1, 1, 6, 2, 5, 6, 1, 5], [0, 0, 4, 0, 4, 4, 0, 4]], "float32")
    a, r = _data(fluid, "x", x), _data(fluid, "r", rois, 1)
    outs = fluid.layers.roi_perspective_transform(a, r, 3, 4, 0.9)
    return {"x": x, "r": (rois, [[2]])}, list(outs)


case_roi_perspective_transform.grad = False
case_roi_perspective_transform.program = False  # two results for its gradient are not made
