"""Deployment models written by PaddlePaddle 2.6.2: `python deployed_262.py ROOT [NAME]`.

ROOT is tests/data/inference, where the part of 1.8.5 is already; with NAME only cases whose name
contains it (write those elsewhere). Every case is a family of models that are deployed, with few
channels, saved as its project saves it: `jit.save` of a Layer, or `static.save_inference_model`.
"""

from __future__ import annotations

import os
import sys

import numpy as np
from corpus import base, build_programs, rng
from deployed import Models, Rows, floats, integers, run_rounds

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.base.layer_helper import LayerHelper
from paddle.static import InputSpec
from paddle.vision import ops

NAMES = {"prefix": "model/net"}


class Conv(nn.Layer):
    """Convolution, batch norm, activation."""

    def __init__(self, inside, outside, size, stride=1, act=None, groups=1, dilation=1):
        super().__init__()
        padding = (size - 1) // 2 * dilation
        self.conv = nn.Conv2D(
            inside, outside, size, stride, padding, dilation, groups, bias_attr=False
        )
        self.norm = nn.BatchNorm2D(outside)
        self.act = act

    def forward(self, x):
        h = self.norm(self.conv(x))
        return getattr(F, self.act)(h) if self.act else h


def Net(forward, **parts):
    """A network of named parts whose forward is a function."""
    made = type("Net", (nn.Layer,), {"forward": forward})()
    for name, part in parts.items():
        made.add_sublayer(name, part)
    return made


def image(*shape):
    return InputSpec([None, *shape], "float32", "image")


def pictures(name, *shape):
    return [[floats(name, *shape)], [floats(name + " more", 1, *shape[1:])]]


# -- pictures: classifiers --------------------------------------------------------------------------


def mobilenet_v3():
    def forward(self, x):
        h = F.hardswish(self.stem(x))
        wide = F.hardswish(self.depth(F.hardswish(self.wide(h))))
        gate = self.se2(F.relu(self.se1(self.pool(wide))))
        h = h + self.narrow(wide * F.hardsigmoid(gate, slope=0.2, offset=0.5))
        h = F.hardswish(self.last(self.pool(h)))
        return self.fc(paddle.flatten(self.drop(h), 1))

    net = Net(
        forward, stem=Conv(3, 4, 3, 2), wide=Conv(4, 8, 1), depth=Conv(8, 8, 5, groups=8),
        se1=nn.Conv2D(8, 2, 1), se2=nn.Conv2D(2, 8, 1), narrow=Conv(8, 4, 1),
        last=nn.Conv2D(4, 10, 1, bias_attr=False), pool=nn.AdaptiveAvgPool2D(1),
        drop=nn.Dropout(0.2, mode="downscale_in_infer"), fc=nn.Linear(10, 5),
    )  # fmt: skip
    return net, [image(3, 16, 16)], pictures("mobilenet v3", 2, 3, 16, 16)


def resnet_vd():
    def forward(self, x):
        h = self.pool(self.b(self.a(x)))
        h = F.relu(self.short(self.mean(h)) + self.e(self.d(self.c(h))))
        return F.softmax(self.fc(self.last(h).reshape([-1, 8])))

    net = Net(
        forward, a=Conv(3, 4, 3, 2, "relu"), b=Conv(4, 6, 3, 1, "relu"),
        pool=nn.MaxPool2D(3, 2, 1), mean=nn.AvgPool2D(2, 2, 0, ceil_mode=True),
        short=Conv(6, 8, 1), c=Conv(6, 4, 1, 1, "relu"), d=Conv(4, 4, 3, 2, "relu"),
        e=Conv(4, 8, 1), last=nn.AdaptiveAvgPool2D(1), fc=nn.Linear(8, 5),
    )  # fmt: skip
    return net, [image(3, 20, 20)], pictures("resnet vd", 2, 3, 20, 20)


def shufflenet():
    def forward(self, x):
        h = self.stem(x)
        left, right = paddle.split(h, 2, axis=1)
        h = paddle.concat([left, self.c(self.b(self.a(right)))], axis=1)
        count, channels, height, width = h.shape
        h = paddle.reshape(h, [count, 2, channels // 2, height, width])
        h = paddle.reshape(paddle.transpose(h, [0, 2, 1, 3, 4]), [count, channels, height, width])
        return self.fc(F.channel_shuffle(self.act(h), 2).mean([2, 3]))

    net = Net(
        forward, stem=Conv(3, 8, 3, 2, "swish"), a=Conv(4, 4, 1, 1, "relu"),
        b=Conv(4, 4, 3, groups=4), c=Conv(4, 4, 1, 1, "silu"), act=nn.PReLU(8), fc=nn.Linear(8, 5),
    )  # fmt: skip
    return net, [image(3, 16, 16)], pictures("shufflenet", 2, 3, 16, 16)


class Patches(nn.Layer):
    """A vision transformer."""

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2D(3, 8, 4, 4)
        self.token = self.create_parameter([1, 1, 8])
        self.place = self.create_parameter([1, 17, 8])
        self.norm1, self.norm2, self.last = (nn.LayerNorm(8, epsilon=1e-6) for _ in range(3))
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.wide, self.narrow = nn.Linear(8, 16), nn.Linear(16, 8)
        self.head = nn.Linear(8, 5)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose((0, 2, 1))
        token = self.token.expand((paddle.shape(x)[0], -1, -1)).astype(x.dtype)
        x = paddle.concat((token, x), axis=1) + self.place
        count, size = x.shape[1:]
        qkv = (
            self.qkv(self.norm1(x)).reshape((-1, count, 3, 2, size // 2)).transpose((2, 0, 3, 1, 4))
        )
        q, k, v = qkv[0], qkv[1], qkv[2]
        seen = F.softmax(q.matmul(k.transpose((0, 1, 3, 2))) * 0.5, axis=-1).matmul(v)
        x = x + self.out(seen.transpose((0, 2, 1, 3)).reshape((-1, count, size)))
        x = x + self.narrow(F.gelu(self.wide(self.norm2(x))))
        return self.head(self.last(x)[:, 0])


def vit():
    return Patches(), [image(3, 16, 16)], pictures("vit", 2, 3, 16, 16)


# -- pictures: detection ----------------------------------------------------------------------------


def made(type_, inputs, kinds, attrs):
    """Appends an operator that has no public function, as the detection projects do."""
    helper = LayerHelper(type_)
    outputs = {k: helper.create_variable_for_type_inference(v) for k, v in kinds.items()}
    helper.append_op(type=type_, inputs=inputs, attrs=attrs, outputs=outputs)
    for out in outputs.values():
        out.stop_gradient = True
    return outputs


def multiclass_nms3(boxes, scores, rois_num=None, **attrs):
    inputs = {"BBoxes": boxes, "Scores": scores}
    if rois_num is not None:
        inputs["RoisNum"] = rois_num
    usual = {
        "background_label": -1, "score_threshold": 0.1, "nms_top_k": 30, "nms_threshold": 0.5,
        "keep_top_k": 8, "nms_eta": 1.0, "normalized": True,
    }  # fmt: skip
    usual.update(attrs)
    kinds = {"Out": boxes.dtype, "Index": "int32", "NmsRoisNum": "int32"}
    found = made("multiclass_nms3", inputs, kinds, usual)
    return found["Out"], found["NmsRoisNum"]


class PpYoloe(nn.Layer):
    """A head without anchors: distances as distributions, points of two strides."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Conv(3, 6, 3, 4, "swish"), Conv(6, 8, 3, 2, "swish")
        self.gate = nn.Conv2D(6, 6, 1)
        self.scores = nn.LayerList([nn.Conv2D(c, 3, 3, padding=1) for c in (8, 6)])
        self.sides = nn.LayerList([nn.Conv2D(c, 4 * 5, 3, padding=1) for c in (8, 6)])
        self.project = nn.Conv2D(5, 1, 1, bias_attr=False)
        self.project.weight.set_value(np.arange(5, dtype="float32").reshape([1, 5, 1, 1]))
        self.project.weight.stop_gradient = True

    def points(self, features):
        places, strides = [], []
        for tensor, stride in zip(features, (8, 4)):
            height, width = paddle.shape(tensor)[2], paddle.shape(tensor)[3]
            x = (paddle.arange(end=width) + 0.5) * stride
            y = (paddle.arange(end=height) + 0.5) * stride
            y, x = paddle.meshgrid(y, x)
            places.append(paddle.stack([x, y], axis=-1).astype("float32").reshape([-1, 2]))
            strides.append(paddle.full([height * width, 1], stride, dtype="float32"))
        return paddle.concat(places), paddle.concat(strides)

    def forward(self, image, scale_factor):
        fine = self.a(image)
        features = [self.b(fine), fine * F.sigmoid(self.gate(F.adaptive_avg_pool2d(fine, (1, 1))))]
        scores, sides = [], []
        for tensor, score, side in zip(features, self.scores, self.sides):
            count = paddle.shape(tensor)[2] * paddle.shape(tensor)[3]
            scores.append(F.sigmoid(score(tensor) * 4).reshape([-1, 3, count]))
            parts = side(tensor).reshape([-1, 4, 5, count]).transpose([0, 2, 3, 1])
            sides.append(self.project(F.softmax(parts, axis=1)).squeeze(1))
        places, strides = self.points(features)
        first, second = paddle.split(paddle.concat(sides, 1), 2, -1)
        boxes = paddle.concat([places / strides - first, places / strides + second], -1) * strides
        ratio_y, ratio_x = paddle.split(scale_factor, 2, -1)
        ratios = paddle.concat([ratio_x, ratio_y, ratio_x, ratio_y], axis=-1).reshape([-1, 1, 4])
        return multiclass_nms3(boxes / ratios, paddle.concat(scores, -1))


def ppyoloe():
    specs = [image(3, -1, -1), InputSpec([None, 2], "float32", "scale_factor")]
    rounds = [
        [floats("yoloe", 2, 3, 32, 32), np.array([[1, 0.5], [2, 1]], "float32")],
        [floats("yoloe", 1, 3, 16, 24), np.ones([1, 2], "float32")],
    ]
    return PpYoloe(), specs, rounds


def ppyolo():
    """yolo_box with the size of each picture, and matrix_nms."""

    def forward(self, x, shape, scale):
        size = paddle.cast(paddle.round(shape / scale), "int32")
        h = self.b(self.a(x))
        head = self.head(h) * 3.0
        box, score = ops.yolo_box(head, size, [8, 10, 16, 12], 3, 0.01, 8, True, scale_x_y=1.05)
        score = paddle.transpose(score, [0, 2, 1])
        fine = F.interpolate(h, scale_factor=2.0, mode="nearest")
        more, chance = ops.yolo_box(
            self.other(fine),
            size,
            [4, 5, 6, 3],
            3,
            0.01,
            4,
            True,
            iou_aware=True,
            iou_aware_factor=0.4,
        )
        boxes = paddle.concat([box, more], 1)
        scores = paddle.concat([score, paddle.transpose(chance, [0, 2, 1])], 2)
        out, counts = ops.matrix_nms(
            boxes, scores, 0.02, 0.02, 30, 8, background_label=-1, normalized=False,
            return_index=False,
        )[:2]  # fmt: skip
        return out, counts

    net = Net(
        forward, a=Conv(3, 6, 3, 4, "mish"), b=Conv(6, 8, 3, 2, "mish"), head=nn.Conv2D(8, 16, 1),
        other=nn.Conv2D(8, 18, 1),
    )  # fmt: skip
    specs = [image(3, 32, 32), InputSpec([None, 2], "float32", "im_shape"),
             InputSpec([None, 2], "float32", "scale_factor")]  # fmt: skip
    sizes, scales = (
        np.array([[32, 32], [32, 32]], "float32"),
        np.array([[0.5, 1], [2, 2]], "float32"),
    )
    return net, specs, [[floats("yolo", 2, 3, 32, 32), sizes, scales]]


def ssd():
    """prior_box, box_coder and a suppression of every class."""

    def forward(self, x):
        a = self.a(x)
        b = self.b(a)
        boxes, variances, deltas, scores = [], [], [], []
        for tensor, side, chance, small, large in ((a, self.s1, self.c1, 6.0, 14.0),
                                                   (b, self.s2, self.c2, 14.0, 26.0)):  # fmt: skip
            box, variance = ops.prior_box(
                tensor, x, [small], [large], [2.0], [0.1, 0.1, 0.2, 0.2], True, True
            )
            boxes.append(box.reshape([-1, 4]))
            variances.append(variance.reshape([-1, 4]))
            deltas.append(side(tensor).transpose([0, 2, 3, 1]).reshape([0, -1, 4]))
            scores.append(chance(tensor).transpose([0, 2, 3, 1]).reshape([0, -1, 3]))
        boxes = ops.box_coder(
            paddle.concat(boxes), paddle.concat(variances), paddle.concat(deltas, 1),
            "decode_center_size", True, 0,
        )  # fmt: skip
        scores = F.softmax(paddle.concat(scores, 1) * 20).transpose([0, 2, 1])
        return multiclass_nms3(boxes, scores, background_label=0)

    net = Net(
        forward, a=Conv(3, 6, 3, 4, "relu"), b=Conv(6, 8, 3, 2, "relu6"),
        s1=nn.Conv2D(6, 16, 3, padding=1), s2=nn.Conv2D(8, 16, 3, padding=1),
        c1=nn.Conv2D(6, 12, 3, padding=1), c2=nn.Conv2D(8, 12, 3, padding=1),
    )  # fmt: skip
    return net, [image(3, 32, 32)], pictures("ssd", 2, 3, 32, 32)


def anchors(tensor, stride):
    kinds = {"Anchors": "float32", "Variances": "float32"}
    attrs = {
        "anchor_sizes": [2.0 * stride], "aspect_ratios": [0.5, 1.0, 2.0],
        "stride": [float(stride)] * 2, "variances": [1.0, 1.0, 1.0, 1.0], "offset": 0.5,
    }  # fmt: skip
    return made("anchor_generator", {"Input": tensor}, kinds, attrs)


def collected(rois, scores, counts, size):
    kinds = {"FpnRois": "float32", "RoisNum": "int32"}
    inputs = {"MultiLevelRois": rois, "MultiLevelScores": scores, "MultiLevelRoIsNum": counts}
    found = made("collect_fpn_proposals", inputs, kinds, {"post_nms_topN": size})
    return found["FpnRois"], found["RoisNum"]


def faster_rcnn():
    """Regions of two levels of a pyramid, split to levels again, and a head for them."""

    def forward(self, x, shape, scale):
        fine = self.a(x)
        coarse = self.b(fine)
        fine = self.side(fine) + F.interpolate(coarse, scale_factor=2.0, mode="nearest")
        rois, scores, counts = [], [], []
        for tensor, stride in ((fine, 4), (coarse, 8)):
            h = F.relu(self.rpn(tensor))
            places = anchors(tensor, stride)
            found, share, count = ops.generate_proposals(
                F.sigmoid(self.logits(h)), self.deltas(h), shape, places["Anchors"],
                places["Variances"], 40, 12, 0.7, 2.0, 1.0, return_rois_num=True,
            )  # fmt: skip
            rois.append(found)
            scores.append(share)
            counts.append(count)
        rois, count = collected(rois, scores, counts, 14)
        parts, restore, numbers = ops.distribute_fpn_proposals(rois, 2, 3, 2, 14, rois_num=count)
        pooled = [
            ops.roi_align(tensor, part, number, 3, 1.0 / ratio, 2, True)
            for tensor, part, number, ratio in zip([fine, coarse], parts, numbers, (4, 8))
        ]
        pooled = paddle.gather(paddle.concat(pooled), restore)
        h = F.relu(self.fc(paddle.flatten(pooled, 1)))
        scores = F.softmax(self.cls(h) * 3)[:, :-1]
        deltas = self.reg(h)
        ratios = paddle.concat([scale[:, 1:], scale[:, :1]] * 2, -1)
        whole = []
        for at in range(2):
            whole.append(paddle.expand(ratios[at : at + 1, :], [count[at], 4]))
        whole = paddle.concat(whole)
        width = rois[:, 2] - rois[:, 0]
        deltas = paddle.reshape(deltas, [-1, 3, 4]) * 0.1
        boxes = rois.unsqueeze(1) + deltas * width.unsqueeze([1, 2])
        boxes = paddle.clip(boxes / whole.unsqueeze(1), 0.0, 60.0)
        out, number = multiclass_nms3(boxes, scores, count, normalized=False)
        return out, number, rois

    net = Net(
        forward, a=Conv(3, 6, 3, 4, "relu"), b=Conv(6, 6, 3, 2, "relu"), side=nn.Conv2D(6, 6, 1),
        rpn=nn.Conv2D(6, 6, 3, padding=1), logits=nn.Conv2D(6, 3, 1), deltas=nn.Conv2D(6, 12, 1),
        fc=nn.Linear(54, 12), cls=nn.Linear(12, 4), reg=nn.Linear(12, 12),
    )  # fmt: skip
    specs = [image(3, 32, 32), InputSpec([None, 2], "float32", "im_shape"),
             InputSpec([None, 2], "float32", "scale_factor")]  # fmt: skip
    sizes, scales = (
        np.array([[32, 32], [28, 30]], "float32"),
        np.array([[0.5, 1], [2, 2]], "float32"),
    )
    return net, specs, [[floats("rcnn", 2, 3, 32, 32), sizes, scales]]


def regions():
    """Other kinds of pooling and convolution over regions."""

    def forward(self, x, boxes, count):  # no psroi_pool: it crashes there
        h = self.a(x)
        shifts = self.shift(h)
        h = ops.deform_conv2d(
            h, shifts, self.weight.weight, padding=1, mask=F.sigmoid(self.mask(h))
        )
        one = ops.roi_pool(h, boxes, count, 2, 0.5)
        keep = ops.nms(boxes, 0.4)
        grid = F.affine_grid(self.theta.weight.unsqueeze(0), [1, 4, 5, 5])
        seen = F.grid_sample(h[:1], grid, padding_mode="border")
        return one, keep, seen, F.pixel_shuffle(h, 2), F.unfold(h, 3, 2)

    net = Net(
        forward, a=Conv(3, 4, 3, 2, "relu"), shift=nn.Conv2D(4, 18, 3, padding=1),
        mask=nn.Conv2D(4, 9, 3, padding=1), weight=nn.Conv2D(4, 4, 3, padding=1),
        theta=nn.Linear(3, 2),
    )  # fmt: skip
    net.theta.weight = net.create_parameter([2, 3])
    specs = [image(3, 16, 16), InputSpec([None, 4], "float32", "boxes"),
             InputSpec([None], "int32", "count")]  # fmt: skip
    corners = rng("boxes").uniform(0, 8, [5, 2])
    boxes = np.concatenate([corners, corners + rng("sizes").uniform(2, 8, [5, 2])], 1)
    feeds = [floats("regions", 2, 3, 16, 16), boxes.astype("float32"), np.array([3, 2], "int32")]
    return net, specs, [feeds]


# -- pictures: text, segmentation -------------------------------------------------------------------


def text_detection():
    """A DB-type head."""

    def forward(self, x):
        a = self.a(x)
        b = self.b(a)
        up = F.upsample(self.p2(b), scale_factor=2, mode="nearest", align_mode=1)
        side = F.upsample(self.p3(b), scale_factor=2, mode="bilinear", align_corners=False)
        h = self.t1(paddle.concat([self.p1(a) + up, side], axis=1))
        return {"maps": F.sigmoid(self.t2(F.relu(self.norm(h))))}

    net = Net(
        forward, a=Conv(3, 4, 3, 2, "hardswish"), b=Conv(4, 6, 3, 2, "relu"),
        p1=nn.Conv2D(4, 4, 1, bias_attr=False), p2=nn.Conv2D(6, 4, 1, bias_attr=False),
        p3=nn.Conv2D(6, 2, 3, padding=1), t1=nn.Conv2DTranspose(6, 4, 2, 2),
        norm=nn.BatchNorm2D(4), t2=nn.Conv2DTranspose(4, 1, 4, 2, 1),
    )  # fmt: skip
    return net, [image(3, -1, -1)], [[floats("db", 1, 3, 16, 24)], [floats("db", 1, 3, 32, 16)]]


def text_ctc():
    """A CRNN-type recogniser of two layers in both directions."""

    def forward(self, x):
        h = self.pool(self.b(self.a(x)))
        h = paddle.transpose(paddle.squeeze(h, axis=2), [0, 2, 1])
        h, _ = self.lstm(h)
        h, last = self.gru(h)
        return F.softmax(self.fc(h), axis=2), last

    net = Net(
        forward, a=Conv(3, 4, 3, (2, 1), "hardswish"), b=Conv(4, 6, 3, (2, 1), "relu"),
        pool=nn.MaxPool2D([4, 2], [4, 2]), lstm=nn.LSTM(6, 5, 2, "bidirectional"),
        gru=nn.GRU(10, 4, 1, "bidirect"), fc=nn.Linear(8, 7),
    )  # fmt: skip
    rounds = [[floats("ctc", 2, 3, 16, 32)], [floats("ctc", 1, 3, 16, 48)]]
    return net, [image(3, 16, -1)], rounds


class Attention(nn.Layer):
    """A recogniser whose decoder steps in a loop until every row has its end."""

    def __init__(self):
        super().__init__()
        self.a = Conv(3, 6, 3, (4, 2), "relu")
        self.key, self.ask = nn.Linear(6, 5, bias_attr=False), nn.Linear(5, 5)
        self.score = nn.Linear(5, 1, bias_attr=False)
        self.cell = nn.GRUCell(6 + 7, 5)
        self.out = nn.Linear(5, 7)

    def step(self, hidden, columns, keys, chars):
        weights = F.softmax(self.score(paddle.tanh(keys + self.ask(hidden).unsqueeze(1))), axis=1)
        context = paddle.squeeze(paddle.mm(paddle.transpose(weights, [0, 2, 1]), columns), axis=1)
        hidden, _ = self.cell(paddle.concat([context, F.one_hot(chars, 7)], 1), hidden)
        return hidden

    def forward(self, image):
        columns = self.a(image).mean(2).transpose([0, 2, 1])
        keys = self.key(columns)
        count = paddle.shape(columns)[0]
        hidden = paddle.zeros([count, 5])
        chars = paddle.zeros([count], dtype="int32")
        probs = []
        for _ in range(5):
            hidden = self.step(hidden, columns, keys, chars)
            now = F.softmax(self.out(hidden) * 3, axis=-1)
            probs.append(now)
            chars = paddle.argmax(now, axis=1).astype("int32")
        found = paddle.stack(probs, axis=1)
        ends = paddle.zeros([count, 1], dtype="bool")
        at = paddle.zeros([1], "int64")
        total = paddle.zeros([count, 1], "int64")
        limit = paddle.shape(found)[1].astype("int64")
        while at < limit:
            best = paddle.argmax(paddle.index_select(found, at, 1), axis=2)
            total = total + paddle.where(ends, paddle.zeros_like(best), best)
            ends = paddle.logical_or(ends, best == 3)
            if paddle.all(ends):
                break
            at = at + 1
        return found, total, paddle.max(found), paddle.argmax(found)


def text_attention():
    rounds = [[floats("attention", 2, 3, 16, 16)], [floats("attention", 1, 3, 16, 24)]]
    return Attention(), [image(3, 16, -1)], rounds


class Segmentation(nn.Layer):
    """Chains of sizes, numbers of rank 0 among them, as a DeepLab-type head has them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Conv(3, 4, 3, 2, "relu"), Conv(4, 6, 3, 2, "relu")
        self.p1, self.p2, self.p3 = Conv(6, 3, 1), Conv(6, 3, 3, dilation=2), Conv(6, 3, 1)
        self.head = nn.Conv2D(13, 4, 1)

    def forward(self, image):
        low = self.a(image)
        h = self.b(low)
        size = paddle.shape(h)[2:]
        pooled = F.interpolate(self.p1(F.adaptive_avg_pool2d(h, 1)), size, mode="bilinear")
        h = paddle.concat([pooled, self.p2(h), self.p3(h)], axis=1)
        shape = paddle.shape(low)
        h = F.interpolate(h, [shape[2], shape[3]], mode="bilinear", align_corners=True)
        logits = self.head(paddle.concat([h, low], 1))
        height, width = paddle.shape(image)[2], paddle.shape(image)[3]
        flat = paddle.reshape(logits, [paddle.shape(logits)[0], 4, shape[2] * shape[3]])
        share = F.softmax(flat, axis=1).max() * (shape[2] * shape[3]).astype("float32")
        logits = F.interpolate(logits, paddle.stack([height, width]), mode="bilinear")
        best = paddle.argmax(logits, axis=1, dtype="int32")
        count = paddle.sum((best == 1).astype("int64")) + height * 0
        middle = best[:, height // 2, : width // 2]
        return best, logits, share, count, middle


def segmentation():
    rounds = [[floats("seg", 1, 3, 16, 20)], [floats("seg", 2, 3, 12, 12)]]
    return Segmentation(), [image(3, -1, -1)], rounds


# -- text -------------------------------------------------------------------------------------------


class Encoder(nn.Layer):
    """An ERNIE-type encoder: masks from the words, a pooler."""

    def __init__(self):
        super().__init__()
        self.words, self.kinds = nn.Embedding(20, 8, padding_idx=0), nn.Embedding(2, 8)
        self.places = nn.Embedding(16, 8)
        self.norm = nn.LayerNorm(8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, "gelu", attn_dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pool, self.head = nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, words, kinds):
        mask = paddle.unsqueeze((words == 0).astype("float32") * -1e4, axis=[1, 2])
        ones = paddle.ones_like(words, dtype="int64")
        places = paddle.cumsum(ones, axis=-1) - ones
        h = self.words(words) + self.kinds(kinds) + self.places(places)
        h = self.encoder(F.dropout(self.norm(h), 0.1, training=self.training), mask)
        pooled = paddle.tanh(self.pool(h[:, 0]))
        return self.head(pooled), h


def bert():
    specs = [InputSpec([None, None], "int64", n) for n in ("words", "kinds")]
    words = integers("bert", 19, 2, 6) + 1
    words[0, 4:] = 0
    rounds = [
        [words, integers("bert 2", 2, 2, 6)],
        [integers("bert 3", 20, 1, 9), np.zeros([1, 9], "int64")],
    ]
    return Encoder(), specs, rounds


class Decoder(nn.Layer):
    """A language model's step with cached keys and values, and a greedy search over them."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(11, 8)
        layer = nn.TransformerDecoderLayer(8, 2, 16, 0.0, normalize_before=True)
        self.decoder = nn.TransformerDecoder(layer, 1, nn.LayerNorm(8))

    def forward(self, source):
        memory = self.words(source)
        cache = self.decoder.gen_cache(memory)
        words = paddle.full_like(source[:, :1], 1)
        found = words
        for _ in range(4):
            h, cache = self.decoder(self.words(words), memory, cache=cache)
            scores = paddle.matmul(h[:, -1], self.words.weight, transpose_y=True)
            words = paddle.topk(scores, 1)[1]
            found = paddle.concat([found, words], axis=1)
        return found, scores


def generation():
    specs = [InputSpec([None, None], "int64", "source")]
    return (
        Decoder(),
        specs,
        [[integers("generation", 11, 2, 5)], [integers("generation", 11, 1, 3)]],
    )


class Tagger(nn.Layer):
    """A BiGRU-CRF as LAC has it in 2.x."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 6)
        self.gru = nn.GRU(6, 4, 2, "bidirectional")
        self.fc = nn.Linear(8, 5)
        self.crf = paddle.text.ViterbiDecoder(self.create_parameter([5, 5]), True)

    def forward(self, words, lengths):
        h, _ = self.gru(self.words(words), sequence_length=lengths)
        score, tags = self.crf(self.fc(h), lengths)
        return tags, score


def tagger():
    specs = [InputSpec([None, None], "int64", "words"), InputSpec([None], "int64", "lengths")]
    rounds = [
        [integers("tagger", 20, 3, 6), np.array([6, 2, 4])],
        [integers("tagger", 20, 1, 4), np.array([4])],
    ]
    return Tagger(), specs, rounds


def sentiment():
    def forward(self, words, lengths):
        h, (last, cell) = self.lstm(self.words(words), sequence_length=lengths)
        mask = paddle.arange(paddle.shape(words)[1]).unsqueeze(0) < lengths.unsqueeze(1)
        scores = paddle.where(mask, self.score(h).squeeze(-1), paddle.full_like(h[:, :, 0], -1e9))
        h = paddle.bmm(F.softmax(scores, axis=-1).unsqueeze(1), h).squeeze(1)
        return F.softmax(self.fc(paddle.concat([h, last[0], cell[1]], -1)))

    net = Net(
        forward, words=nn.Embedding(20, 6, padding_idx=0), score=nn.Linear(8, 1),
        lstm=nn.LSTM(6, 4, direction="bidirect"), fc=nn.Linear(16, 2),
    )  # fmt: skip
    specs = [InputSpec([None, None], "int64", "words"), InputSpec([None], "int64", "lengths")]
    return net, specs, [[integers("sentiment", 20, 3, 6), np.array([6, 2, 4])]]


def rows_of_sequences():
    """Functions of `static.nn` on sequences, which 2.x still has."""
    words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
    net = paddle.static.nn
    h = net.embedding(words, [20, 6])
    h = paddle.reshape(h, [-1, 6])
    conv = net.sequence_conv(h, 4, 3, act="relu")
    state = net.sequence_pool(conv, "max")
    weights = net.sequence_softmax(net.fc(h, 1))
    wide = net.sequence_expand(state, h)
    padded, length = net.sequence_pad(h, paddle.full([1], 0.0, "float32"))
    again = net.sequence_unpad(padded, length)
    last = net.sequence_last_step(net.sequence_reverse(h))
    fetches = [net.fc(state, 3), weights, wide, padded, length, again, last]
    rounds = [
        {"words": Rows(integers(f"rows {i}", 20, sum(n), 1), n)}
        for i, n in enumerate(([3, 1, 4], [2]))
    ]
    return rounds, fetches


LAYERS = (
    mobilenet_v3, resnet_vd, shufflenet, vit, ppyoloe, ppyolo, ssd, faster_rcnn, regions,
    text_detection, text_ctc, text_attention, segmentation, bert, generation, tagger, sentiment,
)  # fmt: skip
PROGRAMS = (rows_of_sequences,)


def settle(values) -> None:
    """Give batch norms statistics as training leaves them."""
    for key, tensor in values.items():
        if key.endswith(("_mean", "_variance")):
            low = 0.5 if key.endswith("_variance") else -0.2
            tensor.set_value(rng(key).uniform(low, low + 0.8, tensor.shape).astype("float32"))


def traced(models: Models, build) -> None:
    def fill(folder: str) -> dict:
        paddle.disable_static()
        paddle.seed(7)
        prefix = os.path.join(folder, "model", "net")
        with base.unique_name.guard():
            net, specs, rounds = build()
            settle(net.state_dict())
            net.eval()
            paddle.jit.save(net, prefix, input_spec=specs)
        paddle.enable_static()
        executor = base.Executor(base.CPUPlace())
        with base.scope_guard(base.core.Scope()):
            program, names, targets = paddle.static.load_inference_model(prefix, executor)
            named = [dict(zip(names, given)) for given in rounds]
            run_rounds(folder, executor, program, named, targets)
        return {"names": NAMES, "inputs": names}

    models.add(build.__name__, fill)


def recorded(models: Models, build) -> None:
    def fill(folder: str) -> dict:
        main, startup, (rounds, fetches) = build_programs(build)
        executor, scope = base.Executor(base.CPUPlace()), base.core.Scope()
        prefix = os.path.join(folder, "model", "net")
        with base.scope_guard(scope):
            executor.run(startup)
            feeds = [main.global_block().var(n) for n in sorted(rounds[0])]
            paddle.static.save_inference_model(prefix, feeds, fetches, executor, program=main)
        with base.scope_guard(base.core.Scope()):
            program, names, targets = paddle.static.load_inference_model(prefix, executor)
            run_rounds(folder, executor, program, rounds, targets)
        return {"names": NAMES, "inputs": names}

    models.add(build.__name__, fill)


def main(root: str, only: str = "") -> None:
    paddle.enable_static()
    models = Models(root, only)
    for build in LAYERS:
        traced(models, build)
    for build in PROGRAMS:
        recorded(models, build)
    models.finish()


if __name__ == "__main__":
    main(*sys.argv[1:3])
