"""Deployment models written by PaddlePaddle 1.8.5: `python deployed_185.py ROOT [NAME]`.

ROOT is tests/data/inference; with NAME only cases whose name contains it (write those elsewhere).
Every case is a family of models that are deployed, with few channels.
"""

from __future__ import annotations

import os
import sys

import numpy as np
from corpus import build_programs, rng
from deployed import Models, Rows, floats, integers, run_rounds

import paddle.fluid as fluid

layers = fluid.layers
FOLDER = {"dirname": "model"}
COMBINED = {"dirname": "model", "model_filename": "net.model", "params_filename": "net.params"}


# -- pictures: classifiers --------------------------------------------------------------------------


def conv(x, channels, size, stride=1, act=None, groups=1, dilation=1):
    """Convolution and batch norm."""
    padding = (size - 1) // 2 * dilation
    depthwise = groups > 1 and groups == x.shape[1]
    made = layers.conv2d(
        x, channels, size, stride, padding, dilation, groups, bias_attr=False,
        use_cudnn=not depthwise,
    )  # fmt: skip
    return layers.batch_norm(made, act=act)


def pictures(name, *shape):
    return [{"image": floats(name, *shape)}, {"image": floats(name + " more", 1, *shape[1:])}]


def mobilenet_v1():
    image = fluid.data("image", [None, 3, 16, 16])
    h = conv(image, 4, 3, 2, "relu")
    for channels, stride in ((8, 1), (12, 2)):
        h = conv(h, h.shape[1], 3, stride, "relu6", groups=h.shape[1])
        h = conv(h, channels, 1, act="relu6")
    h = layers.pool2d(h, pool_type="avg", global_pooling=True)
    return pictures("mobilenet v1", 2, 3, 16, 16), [layers.fc(h, 5, act="softmax")]


def squeezed(x):
    """Squeeze and excitation."""
    h = layers.pool2d(x, pool_type="avg", global_pooling=True)
    h = layers.conv2d(h, 2, 1, act="relu")
    h = layers.hard_sigmoid(layers.conv2d(h, x.shape[1], 1), slope=0.2, offset=0.5)
    return layers.elementwise_mul(x, h, axis=0)


def mobilenet_v3():
    image = fluid.data("image", [None, 3, 16, 16])
    h = layers.hard_swish(conv(image, 4, 3, 2))
    wide = layers.hard_swish(conv(h, 8, 1))
    wide = squeezed(layers.hard_swish(conv(wide, 8, 5, groups=8)))
    h = layers.elementwise_add(h, conv(wide, 4, 1))
    h = layers.hard_swish(conv(layers.relu(conv(h, 6, 1)), 8, 1))
    h = layers.pool2d(h, pool_type="avg", global_pooling=True)
    h = layers.dropout(layers.hard_swish(layers.conv2d(h, 10, 1, bias_attr=False)), 0.2)
    return pictures("mobilenet v3", 2, 3, 16, 16), [layers.softmax(layers.fc(h, 5))]


def resnet_vd():
    image = fluid.data("image", [None, 3, 20, 20])
    h = conv(conv(image, 4, 3, 2, "relu"), 6, 3, act="relu")
    h = layers.pool2d(h, 3, "max", 2, 1)
    short = layers.pool2d(h, 2, "avg", 2, 0, ceil_mode=True)
    h = conv(conv(conv(h, 4, 1, act="relu"), 4, 3, 2, "relu"), 8, 1)
    h = layers.elementwise_add(conv(short, 8, 1), h, act="relu")
    h = layers.pool2d(h, 7, "avg", global_pooling=True)
    h = layers.squeeze(h, [2, 3])
    return pictures("resnet vd", 2, 3, 20, 20), [layers.fc(h, 5), h]


def shufflenet():
    image = fluid.data("image", [None, 3, 16, 16])
    h = conv(image, 8, 3, 2, "relu")
    left, right = layers.split(h, 2, dim=1)
    right = conv(conv(conv(right, 4, 1, act="relu"), 4, 3, groups=4), 4, 1, act="relu")
    h = layers.concat([left, right], axis=1)
    h = layers.reshape(h, [-1, 2, 4, 8, 8])
    h = layers.reshape(layers.transpose(h, [0, 2, 1, 3, 4]), [-1, 8, 8, 8])
    h = layers.shuffle_channel(layers.prelu(h, "channel"), 4)
    h = layers.reduce_mean(h, dim=[2, 3])
    return pictures("shufflenet", 2, 3, 16, 16), [layers.fc(h, 5, act="softmax")]


def efficientnet():
    image = fluid.data("image", [None, 3, 16, 16])
    h = layers.swish(conv(image, 4, 3, 2))
    wide = layers.swish(conv(layers.swish(conv(h, 8, 1)), 8, 3, groups=8))
    gate = layers.swish(layers.conv2d(layers.adaptive_pool2d(wide, 1, "avg"), 2, 1))
    wide = layers.elementwise_mul(wide, layers.sigmoid(layers.conv2d(gate, 8, 1)))
    h = layers.elementwise_add(conv(wide, 4, 1), h)
    h = layers.pad2d(h, [0, 1, 0, 1], "reflect")
    h = layers.adaptive_pool2d(layers.lrn(layers.swish(h)), 3, "max")
    return pictures("efficientnet", 2, 3, 16, 16), [layers.fc(h, 5)]


# -- pictures: detection ----------------------------------------------------------------------------


def ssd():
    image = fluid.data("image", [None, 3, 32, 32])
    a = conv(image, 6, 3, 4, "relu")
    b = conv(a, 8, 3, 2, "relu")
    locations, confidences, boxes, variances = layers.multi_box_head(
        [a, b], image, 32, 3, [[2.0], [2.0, 3.0]], min_sizes=[6.0, 14.0], max_sizes=[14.0, 26.0],
        offset=0.5, flip=True, clip=True, kernel_size=3, pad=1,
    )  # fmt: skip
    found = layers.detection_output(
        locations, layers.scale(confidences, 20.0), boxes, variances, nms_threshold=0.45,
        score_threshold=0.2, nms_top_k=30, keep_top_k=10,
    )  # fmt: skip
    return pictures("ssd", 2, 3, 32, 32), [found]


def yolo_v3():
    image = fluid.data("image", [None, 3, 32, 32])
    size = fluid.data("im_size", [None, 2], "int32")
    h = layers.leaky_relu(conv(image, 6, 3, 4), 0.1)
    deep = layers.leaky_relu(conv(h, 8, 3, 2), 0.1)
    up = layers.resize_nearest(conv(deep, 4, 1), scale=2.0)
    boxes, scores = [], []
    for tensor, anchors, ratio in ((deep, [8, 10, 16, 12], 8),
                                   (layers.concat([up, h], 1), [4, 5, 6, 3], 4)):  # fmt: skip
        head = layers.scale(layers.conv2d(tensor, 2 * 8, 1), 3.0)
        box, score = layers.yolo_box(head, size, anchors, 3, 0.01, ratio, name="yolo")
        boxes.append(box)
        scores.append(layers.transpose(score, [0, 2, 1]))
    found = layers.multiclass_nms(
        layers.concat(boxes, axis=1), layers.concat(scores, axis=2), 0.01, 20, 8,
        nms_threshold=0.45, background_label=-1, normalized=False,
    )  # fmt: skip
    feeds = {
        "image": floats("yolo", 2, 3, 32, 32),
        "im_size": np.array([[32, 40], [64, 32]], "int32"),
    }
    empty = {"image": np.zeros([1, 3, 32, 32], "float32"), "im_size": np.array([[9, 9]], "int32")}
    return [feeds, empty], [found]


def proposals(features, info):
    """Regions of two levels of a pyramid."""
    rois, weights = [], []
    for level, tensor in enumerate(features):
        h = layers.conv2d(tensor, 6, 3, padding=1, act="relu")
        anchors, variances = layers.anchor_generator(
            tensor, [8.0 * 2**level], [0.5, 1.0, 2.0], [0.1, 0.1, 0.2, 0.2], [4.0 * 2**level] * 2
        )
        logits = layers.sigmoid(layers.conv2d(h, 3, 1))
        deltas = layers.conv2d(h, 12, 1)
        found, share = layers.generate_proposals(
            logits, deltas, info, anchors, variances, 40, 12, 0.7, 2.0, 1.0
        )
        rois.append(found)
        weights.append(share)
    return layers.collect_fpn_proposals(rois, weights, 2, 3, 15)


def faster_rcnn():
    image = fluid.data("image", [None, 3, 32, 32])
    info = fluid.data("im_info", [None, 3])
    shape = fluid.data("im_shape", [None, 3])
    fine = conv(image, 6, 3, 4, "relu")
    coarse = conv(fine, 6, 3, 2, "relu")
    fine = layers.elementwise_add(
        layers.conv2d(fine, 6, 1), layers.resize_nearest(coarse, scale=2.0, align_corners=False)
    )
    rois = proposals([fine, coarse], info)
    parts, restore = layers.distribute_fpn_proposals(rois, 2, 3, 2, 14)
    pooled = [
        layers.roi_align(tensor, part, 3, 3, 1.0 / ratio, 2)
        for tensor, part, ratio in zip([fine, coarse], parts, (4, 8))
    ]
    pooled = layers.gather(layers.concat(pooled), restore)
    h = layers.fc(pooled, 12, act="relu")
    scores = layers.softmax(layers.fc(h, 4))
    deltas = layers.reshape(layers.fc(h, 16), [-1, 4, 4])
    scaled = layers.elementwise_div(
        rois, layers.sequence_expand(layers.slice(info, [1], [2], [3]), rois)
    )
    boxes = layers.box_coder(
        scaled, [0.1, 0.1, 0.2, 0.2], deltas, "decode_center_size", False, axis=1
    )
    boxes = layers.box_clip(boxes, shape)
    found = layers.multiclass_nms(boxes, scores, 0.05, 20, 10, 0.5, False)
    feeds = {
        "image": floats("rcnn", 2, 3, 32, 32),
        "im_info": np.array([[32, 32, 2], [28, 30, 1]], "float32"),
        "im_shape": np.array([[16, 16, 1], [28, 30, 1]], "float32"),
    }
    return [feeds], [found, rois]


def retina():
    """A head of sigmoids, and a matrix of suppressions instead of a list."""
    image = fluid.data("image", [None, 3, 24, 24])
    h = conv(image, 6, 3, 4, "relu")
    anchors, variances = layers.density_prior_box(
        h, image, [2, 1], [6.0, 12.0], [1.0], [0.1, 0.1, 0.2, 0.2], flatten_to_2d=True
    )
    scores = layers.reshape(layers.conv2d(h, 5 * 3, 1), [0, 3, -1])
    deltas = layers.reshape(layers.transpose(layers.conv2d(h, 20, 1), [0, 2, 3, 1]), [0, -1, 4])
    boxes = layers.box_coder(anchors, variances, deltas, "decode_center_size")
    found = layers.matrix_nms(boxes, layers.sigmoid(scores), 0.2, 0.1, 40, 9, background_label=-1)
    return pictures("retina", 2, 3, 24, 24), [found]


# -- pictures: text, segmentation -------------------------------------------------------------------


def text_detection():
    """A DB-type head."""
    image = fluid.data("image", [None, 3, -1, -1])
    a = conv(image, 4, 3, 2, "relu")
    b = conv(a, 6, 3, 2, "relu")
    up = layers.resize_nearest(layers.conv2d(b, 4, 1), scale=2.0)
    h = layers.elementwise_add(layers.conv2d(a, 4, 1), up)
    h = layers.concat([h, layers.resize_nearest(layers.conv2d(b, 2, 3, padding=1), scale=2.0)], 1)
    h = conv(h, 4, 3, act="relu")
    h = layers.batch_norm(layers.conv2d_transpose(h, 4, filter_size=2, stride=2), act="relu")
    h = layers.conv2d_transpose(h, 1, filter_size=4, stride=2, padding=1, act="sigmoid")
    feeds = [{"image": floats("db", 1, 3, 16, 24)}, {"image": floats("db", 1, 3, 32, 16)}]
    return feeds, [h]


def text_columns(image):
    h = conv(image, 4, 3, (2, 1), "relu")
    h = layers.pool2d(conv(h, 6, 3, (2, 1), "relu"), 2, "max", 2)
    return layers.im2sequence(h, filter_size=[h.shape[2], 1], stride=[1, 1])


def text_ctc():
    """A CRNN-type recogniser: columns, gated units in both directions, and the best labels."""
    image = fluid.data("image", [None, 1, 16, 32])
    columns = text_columns(image)
    states = []
    for reverse in (False, True):
        part = layers.fc(columns, 3 * 5, bias_attr=reverse)
        act = "relu" if reverse else "tanh"
        states.append(layers.dynamic_gru(part, 5, is_reverse=reverse, candidate_activation=act))
    logits = layers.fc([*states, columns], 6)
    labels = layers.ctc_greedy_decoder(layers.softmax(logits), blank=5)
    return pictures("ctc", 3, 1, 16, 32), [labels, layers.topk(logits, 1)[1], logits]


def text_lstm():
    """The same with LSTMs of both kinds."""
    image = fluid.data("image", [None, 1, 16, 24])
    columns = text_columns(image)
    one, cell = layers.dynamic_lstm(layers.fc(columns, 16), 16)
    two, _ = layers.dynamic_lstm(layers.fc(columns, 16), 16, use_peepholes=False, is_reverse=True)
    three, kept = layers.dynamic_lstmp(layers.fc([one, two], 16), 16, 3)
    return pictures("lstm", 2, 1, 16, 24), [layers.fc(three, 6, act="softmax"), cell, kept]


def attended(encoded, projected, state):
    """What a decoder's state finds in the columns of its picture."""
    asked = layers.sequence_expand(layers.fc(state, 5, bias_attr=False), projected)
    keys = layers.tanh(layers.elementwise_add(projected, asked))
    weights = layers.sequence_softmax(layers.fc(keys, 1, bias_attr=False))
    weights = layers.reshape(weights, [-1])
    return layers.sequence_pool(layers.elementwise_mul(encoded, weights, axis=0), "sum")


def searched(boot, first_ids, first_scores, step, beam, words, end=1, longest=6):
    """A beam search in a loop over tensor arrays; `step(word, state, score)` gives the next state."""
    limit = layers.fill_constant([1], "int64", longest)
    count = layers.zeros([1], "int64", force_cpu=True)
    ids, states, scores = (layers.create_array(kind) for kind in ("int64", "float32", "float32"))
    layers.array_write(boot, count, states)
    layers.array_write(first_ids, count, ids)
    layers.array_write(first_scores, count, scores)
    going = layers.less_than(count, limit)
    loop = layers.While(going)
    with loop.block():
        before, score = layers.array_read(ids, count), layers.array_read(scores, count)
        state = layers.array_read(states, count)
        table = layers.embedding(before, [words, 4])
        now = step(table, state, score)
        marked = layers.lod_reset(now, score)
        chances = layers.softmax(layers.scale(layers.fc(marked, words), 5.0))
        best, places = layers.topk(chances, 2 * beam)
        total = layers.elementwise_add(layers.log(best), layers.reshape(score, [-1]), axis=0)
        chosen, kept = layers.beam_search(before, score, places, total, beam, end)
        layers.increment(count, 1, in_place=True)
        layers.array_write(now, count, states)
        layers.array_write(chosen, count, ids)
        layers.array_write(kept, count, scores)
        short = layers.less_than(count, limit)
        alive = layers.logical_not(layers.is_empty(chosen))
        layers.logical_and(short, alive, out=going)
    return list(layers.beam_search_decode(ids, scores, beam, end))


def text_attention():
    """A recogniser whose decoder attends to the columns, one beam to a picture."""
    image = fluid.data("image", [None, 1, 16, 16])
    encoded = text_columns(image)
    projected = layers.fc(encoded, 5, bias_attr=False)
    boot = layers.fc(layers.sequence_pool(encoded, "first"), 5, act="tanh")
    batch = layers.slice(layers.shape(boot), [0], [0], [1]) + 1
    level = layers.range(0, batch, 1, batch.dtype)
    first = []
    for kind, value in (("int64", 0), ("float32", 1)):
        made = layers.fill_constant_batch_size_like(boot, [-1, 1], kind, value)
        first.append(layers.lod_append(layers.lod_reset(made, level), level))

    def step(table, state, score):
        context = layers.sequence_expand(attended(encoded, projected, state), score)
        wide = layers.sequence_expand(state, score)
        seen = layers.fc([layers.tanh(context), layers.scale(table, 30.0)], 15)
        return layers.gru_unit(seen, wide, 15)[0]

    found = searched(boot, first[0], first[1], step, 1, 12, 6)
    return pictures("attention", 2, 1, 16, 16), found


def translation():
    """An encoder of words, and a decoder that keeps two beams to a text."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    first_ids = fluid.data("init_ids", [None, 1], "int64", lod_level=2)
    first_scores = fluid.data("init_scores", [None, 1], "float32", lod_level=2)
    states = layers.dynamic_gru(layers.fc(layers.embedding(words, [20, 6]), 15), 5)
    boot = layers.scale(layers.sequence_last_step(states), 30.0)

    def step(table, state, score):
        return layers.fc([layers.sequence_expand(state, score), table], 5, act="tanh")

    found = searched(boot, first_ids, first_scores, step, 2, 7, 3)
    rounds = texts("translation", 20)
    for feeds in rounds:
        count = len(feeds["words"].lengths[0])
        ones = [1] * count
        feeds["init_ids"] = Rows(np.zeros([count, 1], "int64"), ones, ones)
        feeds["init_scores"] = Rows(np.zeros([count, 1], "float32"), ones, ones)
    return rounds, found


def segmentation():
    """A DeepLab-type head."""
    image = fluid.data("image", [None, 3, -1, -1])
    low = conv(image, 4, 3, 2, "relu")
    h = conv(low, 6, 3, 2, "relu")
    shape = layers.shape(h)
    pooled = layers.reduce_mean(h, [2, 3], keep_dim=True)
    pooled = layers.resize_bilinear(conv(pooled, 3, 1, act="relu"), shape[2:])
    wide = [pooled, conv(h, 3, 1, act="relu"), conv(h, 3, 3, dilation=2, act="relu")]
    h = layers.concat(wide, axis=1)
    h = layers.resize_bilinear(h, layers.slice(layers.shape(low), [0], [2], [4]))
    logits = layers.conv2d(layers.concat([h, low], 1), 4, 1)
    logits = layers.resize_bilinear(
        logits, layers.shape(image)[2:], align_corners=False, align_mode=0
    )
    best = layers.argmax(layers.transpose(layers.softmax(logits, axis=1), [0, 2, 3, 1]), axis=3)
    feeds = [{"image": floats("seg", 1, 3, 16, 20)}, {"image": floats("seg", 2, 3, 12, 12)}]
    return feeds, [best, logits]


# -- text -------------------------------------------------------------------------------------------


def bert():
    words, places, kinds = (fluid.data(n, [None, -1, 1], "int64") for n in ("src", "pos", "sent"))
    mask = fluid.data("mask", [None, -1, 1])
    size, heads = 8, 2
    h = layers.embedding(words, [20, size]) + layers.embedding(places, [16, size])
    h = layers.layer_norm(h + layers.embedding(kinds, [2, size]), begin_norm_axis=2)
    bias = layers.scale(layers.matmul(mask, mask, transpose_y=True), 1e4, -1.0, False)
    bias = layers.stack([bias] * heads, axis=1)
    bias.stop_gradient = True
    for _ in range(2):
        parts = []
        for _ in range(3):
            part = layers.reshape(
                layers.fc(h, size, num_flatten_dims=2), [0, 0, heads, size // heads]
            )
            parts.append(layers.transpose(part, [0, 2, 1, 3]))
        scores = layers.matmul(layers.scale(parts[0], 0.5), parts[1], transpose_y=True)
        weights = layers.dropout(
            layers.softmax(scores + bias), 0.1, dropout_implementation="upscale_in_train"
        )
        seen = layers.transpose(layers.matmul(weights, parts[2]), [0, 2, 1, 3])
        seen = layers.reshape(seen, [0, 0, size])
        h = layers.layer_norm(h + layers.fc(seen, size, num_flatten_dims=2), begin_norm_axis=2)
        wide = layers.fc(h, 16, num_flatten_dims=2, act="gelu")
        h = layers.layer_norm(h + layers.fc(wide, size, num_flatten_dims=2), begin_norm_axis=2)
    first = layers.reshape(layers.slice(h, [1], [0], [1]), [-1, size])
    first = layers.fc(first, size, act="tanh")
    feeds = []
    for count, steps in ((2, 6), (1, 9)):
        real = np.ones([count, steps, 1], "float32")
        real[0, 4:] = 0
        feeds.append({
            "src": integers("bert", 20, count, steps, 1), "sent": integers("bert 2", 2, count, steps, 1),
            "pos": np.tile(np.arange(steps)[:, None], [count, 1, 1]).astype("int64"), "mask": real,
        })  # fmt: skip
    return feeds, [layers.fc(first, 3), h]


LENGTHS = ([3, 1, 4], [2], [5, 2])


def texts(name, high, **more):
    """Rounds of words in sequences."""
    return [
        dict({"words": Rows(integers(f"{name} {i}", high, sum(n), 1), n)}, **more)
        for i, n in enumerate(LENGTHS)
    ]


def tagger():
    """A BiGRU-CRF as LAC has it."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    h = layers.embedding(words, [20, 6])
    for _ in range(2):
        states = []
        for reverse in (False, True):
            part = layers.fc(h, 12)
            states.append(layers.dynamic_gru(part, 4, is_reverse=reverse, origin_mode=reverse))
        h = layers.concat(states, axis=1)
    emission = layers.fc(h, 5)
    layers.create_parameter([7, 5], "float32", name="crfw")
    tags = layers.crf_decoding(emission, fluid.ParamAttr(name="crfw"))
    return texts("tagger", 20), [tags, emission]


def text_cnn():
    """Text classification by convolutions over words, pooled."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    h = layers.embedding(words, [20, 6], is_sparse=True)
    one = fluid.nets.sequence_conv_pool(h, 4, 3, act="tanh", pool_type="max")
    two = fluid.nets.sequence_conv_pool(h, 4, 4, act="relu", pool_type="sqrt")
    pools = [layers.sequence_pool(h, kind) for kind in ("average", "sum", "last", "first", "max")]
    return texts("cnn", 20), [layers.fc([one, two], 3, act="softmax")] + pools


def sentiment():
    """An LSTM in both directions, as Senta has it."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    h = layers.embedding(words, [20, 6], padding_idx=0)
    h = layers.fc(h, 16)
    one, _ = layers.dynamic_lstm(h, 16, is_reverse=False)
    two, _ = layers.dynamic_lstm(h, 16, is_reverse=True)
    h = layers.concat([layers.sequence_last_step(one), layers.sequence_first_step(two)], axis=1)
    h = layers.fc(layers.tanh(h), 5, act="tanh")
    return texts("sentiment", 20), [layers.fc(h, 2, act="softmax"), one]


def matching():
    """Two texts: attention of one over rows of the other, by operators on sequences."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    table = layers.embedding(words, [20, 6])
    state = layers.sequence_pool(table, "average")
    wide = layers.sequence_expand(state, table)
    weights = layers.sequence_softmax(layers.fc(layers.concat([table, wide], 1), 1))
    context = layers.sequence_pool(layers.elementwise_mul(table, weights, axis=0), "sum")
    joined = layers.sequence_concat([table, layers.sequence_reverse(table)])
    halves = layers.sequence_reshape(joined, 3)
    padded, length = layers.sequence_pad(table, layers.fill_constant([1], "float32", 0.5))
    mask = layers.sequence_mask(length, maxlen=6, dtype="float32")
    again = layers.sequence_unpad(layers.scale(padded, 2.0), length)
    windows = layers.sequence_enumerate(words, 2, pad_value=7)
    start = layers.fill_constant_batch_size_like(length, [-1, 1], "int64", 0)
    one = layers.fill_constant_batch_size_like(length, [-1, 1], "int64", 1)
    heads = layers.sequence_slice(table, start, one)
    same = layers.sequence_expand_as(state, table)
    ahead = layers.row_conv(table, 2)
    shifted = layers.lod_reset(layers.tanh(ahead), again)
    return texts("matching", 20), [
        context, wide, weights, joined, halves, padded, length, mask, again, windows, heads, same,
        ahead, shifted,
    ]  # fmt: skip


def levels_two():
    """Documents of sentences of words."""
    words = fluid.data("words", [None, 1], "int64", lod_level=2)
    table = layers.embedding(words, [20, 4])
    sentences = layers.sequence_pool(table, "max")
    documents = layers.sequence_pool(layers.fc(sentences, 5, act="tanh"), "sqrt")
    wide = layers.sequence_expand(documents, table, ref_level=0)
    feed = Rows(integers("two levels", 20, 7, 1), [2, 1], [3, 2, 2])
    return [{"words": feed}], [documents, sentences, layers.fc(table, 3), wide]


def dynamic_rnn():
    """A cell of the user's over sequences, sorted by length while it runs."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    table = layers.embedding(words, [20, 6])
    net = layers.DynamicRNN()
    with net.block():
        word = net.step_input(table)
        before = net.memory(shape=[5], value=0.5)
        now = layers.fc([word, before], 5, act="tanh")
        net.update_memory(before, now)
        net.output(now)
    states = net()
    last = layers.sequence_last_step(states)
    return texts("dynamic", 20), [layers.fc(last, 2, act="softmax"), states]


def dynamic_rnn_attention():
    """A cell that attends to a whole text in every step: static input and a first memory."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    table = layers.embedding(words, [20, 6])
    boot = layers.fc(layers.sequence_pool(table, "last"), 5, act="tanh")
    net = layers.DynamicRNN()
    with net.block():
        word = net.step_input(table)
        whole = net.static_input(table)
        before = net.memory(init=boot, need_reorder=True)
        wide = layers.sequence_expand(before, whole)
        weights = layers.sequence_softmax(layers.fc([whole, wide], 1, act="tanh", bias_attr=False))
        seen = layers.sequence_pool(layers.elementwise_mul(whole, weights, axis=0), "sum")
        now = layers.fc([word, seen, before], 5, act="tanh")
        net.update_memory(before, now)
        net.output(now)
    return texts("attending", 20), [net()]


def cascade():
    """Heads that use what is behind a Program of regions given from outside."""
    image = fluid.data("image", [None, 3, 24, 24])
    info = fluid.data("im_info", [None, 3])
    rois = fluid.data("rois", [None, 4], lod_level=1)
    h = conv(image, 8, 3, 2, "relu")
    pooled = layers.roi_pool(h, rois, 3, 3, 0.5)
    parted = layers.psroi_pool(h, rois, 2, 0.5, 2, 2)
    h = layers.fc([pooled, parted], 10, act="relu")
    scores = layers.softmax(layers.fc(h, 3))
    deltas = layers.fc(h, 12)
    variances = layers.fill_constant([4], "float32", 0.1)
    decoded, chosen = layers.box_decoder_and_assign(rois, variances, deltas, scores, 4.135)
    clipped = layers.box_clip(chosen, info)
    again = layers.softmax(layers.fc(layers.roi_align(pooled_map(image), clipped, 2, 2, 0.5), 3))
    return regions_of(), [clipped, again, decoded]


def pooled_map(image):
    return layers.pool2d(conv(image, 4, 3, 1, "relu"), 2, "avg", 2)


def regions_of():
    corners = rng("cascade").uniform(0, 12, [5, 2])
    boxes = np.concatenate([corners, corners + rng("sides").uniform(3, 10, [5, 2])], 1)
    feeds = {
        "image": floats("cascade", 2, 3, 24, 24), "rois": Rows(boxes.astype("float32"), [3, 2]),
        "im_info": np.array([[24, 24, 1], [20, 22, 1]], "float32"),
    }  # fmt: skip
    return [feeds]


def quadrangles():
    """An EAST-type detector of text."""
    image = fluid.data("image", [None, 3, 16, 16])
    h = conv(image, 6, 3, 4, "relu")
    score = layers.sigmoid(layers.conv2d(h, 1, 1))
    places = layers.polygon_box_transform(layers.conv2d(h, 8, 1))
    boxes = layers.reshape(layers.transpose(places, [0, 2, 3, 1]), [1, -1, 8])
    scores = layers.reshape(score, [1, 1, -1])
    found = layers.locality_aware_nms(boxes, scores, 0.3, 16, 6, 0.3, False, background_label=-1)
    return [{"image": floats("east", 1, 3, 16, 16)}], [found, places]


def roles():
    """Semantic roles: several inputs of words, LSTMs of alternating direction, a CRF."""
    names = ("word", "predicate", "context", "mark")
    tables = []
    for name in names:
        ids = fluid.data(name, [None, 1], "int64", lod_level=1)
        tables.append(
            layers.embedding(ids, [20, 4], param_attr=fluid.ParamAttr(name="emb_" + name))
        )
    hidden = layers.sums([layers.fc(table, 16, act="tanh") for table in tables])
    lstm, _ = layers.dynamic_lstm(
        hidden,
        16,
        candidate_activation="relu",
        gate_activation="sigmoid",
        cell_activation="sigmoid",
    )
    for depth in range(2):
        mixed = layers.sums([layers.fc(hidden, 16), layers.fc(lstm, 16)])
        lstm, _ = layers.dynamic_lstm(
            mixed, 16, candidate_activation="relu", is_reverse=depth % 2 == 0
        )
        hidden = mixed
    emission = layers.sums([layers.fc(hidden, 5, act="tanh"), layers.fc(lstm, 5, act="tanh")])
    layers.create_parameter([7, 5], "float32", name="crfw")
    tags = layers.crf_decoding(emission, fluid.ParamAttr(name="crfw"))
    rounds = []
    for i, lengths in enumerate(LENGTHS):
        rounds.append({n: Rows(integers(f"{n} {i}", 20, sum(lengths), 1), lengths) for n in names})
    return rounds, [tags, emission]


def branches():
    """Control flow of 1.x: a switch, a choice by rows, a step by step net, states given from outside."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    first = fluid.data("first", [None, 4])
    table = layers.embedding(words, [20, 6])
    hidden = layers.dynamic_gru(layers.fc(table, 12), 4, h_0=first)
    last = layers.sequence_last_step(hidden)
    padded, length = layers.sequence_pad(hidden, layers.fill_constant([1], "float32", 0.0), 5)
    steps = layers.transpose(padded, [1, 0, 2])
    net = layers.StaticRNN()
    with net.step():
        now = net.step_input(steps)
        before = net.memory(shape=[-1, 4], batch_ref=now)
        state = layers.fc([now, before], 4, act="tanh")
        net.update_memory(before, state)
        net.step_output(state)
    outs = net()
    longest = layers.reduce_max(length)
    rate = layers.create_global_var([1], 0.0, "float32", persistable=True, name="rate")
    with layers.Switch() as switch:
        with switch.case(layers.less_than(layers.fill_constant([1], "int64", 3), longest)):
            layers.assign(layers.fill_constant([1], "float32", 2.0), rate)
        with switch.default():
            layers.assign(layers.fill_constant([1], "float32", 0.5), rate)
    out = layers.cond(
        layers.less_than(layers.fill_constant([1], "int64", 3), longest),
        lambda: layers.fc(last, 3, name="long"), lambda: layers.fc(last, 3, name="short") * 2.0,
    )  # fmt: skip
    rounds = texts("branches", 20)
    for feeds in rounds:
        feeds["first"] = floats("first", len(feeds["words"].lengths[0]), 4)
    return rounds, [layers.elementwise_mul(out, rate), outs]


def more_rows():
    """The rarer operators on sequences, and levels through reshapes, splits and joins."""
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    x = fluid.data("x", [None, 7])
    table = layers.embedding(words, [20, 6])
    erased = layers.sequence_expand(layers.cast(words, "float32"), words, ref_level=0)
    placed = layers.sequence_scatter(x, layers.elementwise_mod(words, layers.fill_constant([1], "int64", 7)),
                                     layers.reduce_sum(table, 1, keep_dim=True))  # fmt: skip
    one, two = layers.split(table, 2, dim=1)
    joined = layers.concat([two, layers.layer_norm(one)], axis=1)
    flat = layers.reshape(joined, [-1, 2, 3])
    long = layers.sequence_pool(layers.concat([table, table * 2.0], axis=0), "sum")
    best = layers.argsort(table, axis=1)[0]
    waves = layers.add_position_encoding(table, 0.5, 1.5)
    return [
        dict(feeds, x=floats(f"more {i}", len(feeds["words"].lengths[0]), 7))
        for i, feeds in enumerate(texts("more", 20))
    ], [erased, placed, flat, long, best, waves, layers.one_hot(words, 20),
        layers.sequence_pool(layers.relu(flat), "max")]  # fmt: skip


CASES = (
    (mobilenet_v1, FOLDER), (mobilenet_v3, COMBINED), (resnet_vd, COMBINED), (shufflenet, FOLDER),
    (efficientnet, COMBINED), (ssd, COMBINED), (yolo_v3, FOLDER), (faster_rcnn, COMBINED),
    (retina, COMBINED), (text_detection, COMBINED), (text_ctc, COMBINED), (text_lstm, COMBINED),
    (text_attention, COMBINED), (translation, COMBINED), (segmentation, COMBINED), (bert, FOLDER), (tagger, FOLDER),
    (text_cnn, COMBINED), (sentiment, COMBINED), (matching, COMBINED), (levels_two, COMBINED),
    (dynamic_rnn, COMBINED), (dynamic_rnn_attention, COMBINED), (cascade, COMBINED),
    (quadrangles, COMBINED), (roles, COMBINED), (branches, COMBINED), (more_rows, COMBINED),
)  # fmt: skip


def settle(main, scope) -> None:
    """Give batch norms statistics as training leaves them."""
    for op in main.global_block().ops:
        if op.type == "batch_norm":
            for slot, low in (("Mean", -0.2), ("Variance", 0.5), ("Scale", 0.6), ("Bias", -0.2)):
                name = op.input(slot)[0]
                tensor = scope.find_var(name).get_tensor()
                made = rng(name).uniform(low, low + 0.8, np.array(tensor).shape)
                tensor.set(made.astype("float32"), fluid.CPUPlace())


def case(models: Models, build, names: dict) -> None:
    def fill(folder: str) -> dict:
        main, startup, (rounds, fetches) = build_programs(build)
        executor, scope = fluid.Executor(fluid.CPUPlace()), fluid.core.Scope()
        files = {k: v for k, v in names.items() if k != "dirname"}
        path = os.path.join(folder, "model")
        with fluid.scope_guard(scope):
            executor.run(startup)
            settle(main, scope)
            fluid.io.save_inference_model(path, sorted(rounds[0]), fetches, executor, main, **files)
        with fluid.scope_guard(fluid.core.Scope()):
            program, inputs, targets = fluid.io.load_inference_model(path, executor, **files)
            run_rounds(folder, executor, program, rounds, targets)
        return {"names": names, "inputs": inputs}

    models.add(build.__name__, fill)


def main(root: str, only: str = "") -> None:
    models = Models(root, only)
    for build, names in CASES:
        case(models, build, names)
    models.finish()


if __name__ == "__main__":
    main(*sys.argv[1:3])
