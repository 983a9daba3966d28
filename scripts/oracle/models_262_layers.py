"""The layers that models_262.py saves by jit.save."""

from __future__ import annotations

import functools

import paddle
import paddle.nn.functional as F
from paddle import nn

to_static = functools.partial(paddle.jit.to_static, full_graph=True)  # by the AST, as 2.0 does


class Dense(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 5), nn.Linear(5, 3)

    def forward(self, x):
        return F.softmax(self.last(F.relu(self.first(x))))


class Scalars(nn.Layer):
    """Tensors of rank 0: means, sums, elements, a product with one, a comparison, a norm."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 4)
        self.scale = self.create_parameter([], default_initializer=nn.initializer.Constant(1.5))

    def forward(self, x):
        h = self.linear(x) * self.scale
        mean, element = paddle.mean(h), h[0, 1]
        largest = paddle.max(paddle.abs(h))
        joined = paddle.stack([mean, element, largest])
        return mean, element, h / largest, joined, paddle.sum(h, axis=1), paddle.norm(h), mean > 0


class OnlyScalar(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 1)

    def forward(self, x):
        return paddle.mean(paddle.square(self.linear(x)))


class Digits(nn.Layer):
    """LeNet with batch norm and dropout."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 4, 5, padding=2), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(4, 6, 3, bias_attr=False), nn.BatchNorm(6, act="relu"),
            nn.AvgPool2D(2, 2, ceil_mode=True), nn.Dropout2D(0.2),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(54, 5))

    def forward(self, image):
        return self.head(self.features(image))


class Normed(nn.Layer):
    """Batch norm whose statistics move while the loaded layer is trained."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm = nn.Linear(6, 4), nn.BatchNorm1D(4, momentum=0.8)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        return self.last(F.leaky_relu(self.norm(self.linear(x)), 0.1))


class Sentiment(nn.Layer):
    """Embedding and a bidirectional LSTM of two layers."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 5, padding_idx=0)
        self.lstm = nn.LSTM(5, 4, num_layers=2, direction="bidirect")
        self.last = nn.Linear(8, 2)

    def forward(self, ids):
        out, (h, c) = self.lstm(self.table(ids))
        return self.last(paddle.mean(out, axis=1)), h, c


class Recurrent(nn.Layer):
    """A GRU with sequence lengths."""

    def __init__(self):
        super().__init__()
        self.gru, self.last = nn.GRU(4, 3), nn.Linear(3, 2)

    def forward(self, series, length):
        out, state = self.gru(series, sequence_length=length)
        return self.last(state[-1]), out


class Simple(nn.Layer):
    """A cell driven by nn.RNN: unrolled or a loop, as the release does it."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(nn.SimpleRNNCell(4, 3))

    def forward(self, series):
        out, state = self.rnn(series)
        return out, state


class Attention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.attention, self.norm = nn.MultiHeadAttention(8, 2), nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x + self.attention(x))


class Encoder(nn.Layer):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pool = nn.Linear(8, 4)

    def forward(self, x):
        h = self.encoder(x)
        return h, paddle.tanh(self.pool(h[:, 0]))


class Language(nn.Layer):
    """Words, positions, an encoder under a mask, and the table again as output weights."""

    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(15, 8), nn.Embedding(10, 8)
        self.norm, self.drop = nn.LayerNorm(8), nn.Dropout(0.0)
        layer = nn.TransformerEncoderLayer(8, 4, 8, dropout=0.0, normalize_before=True)
        self.encoder = nn.TransformerEncoder(layer, 1, nn.LayerNorm(8))

    def forward(self, ids, mask):
        places = paddle.cumsum(paddle.ones_like(ids), axis=-1) - 1
        h = self.drop(self.norm(self.words(ids) + self.positions(places)))
        h = self.encoder(h, mask)
        return paddle.matmul(h, self.words.weight, transpose_y=True)


class Mobile(nn.Layer):
    """An inverted residual with depthwise convolution, relu6, hard_swish and a gate."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2D(3, 4, 3, 2, 1, bias_attr=False), nn.BatchNorm2D(4), nn.Hardswish()
        )
        self.block = nn.Sequential(
            nn.Conv2D(4, 8, 1, bias_attr=False), nn.BatchNorm2D(8), nn.ReLU6(),
            nn.Conv2D(8, 8, 3, 1, 1, groups=8, bias_attr=False), nn.BatchNorm2D(8), nn.ReLU6(),
        )  # fmt: skip
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2D(1), nn.Conv2D(8, 2, 1), nn.ReLU(), nn.Conv2D(2, 8, 1),
            nn.Hardsigmoid(),
        )  # fmt: skip
        self.back = nn.Sequential(nn.Conv2D(8, 4, 1, bias_attr=False), nn.BatchNorm2D(4))
        self.last = nn.Linear(4, 3)

    def forward(self, image):
        h = self.stem(image)
        wide = self.block(h)
        h = h + self.back(wide * self.gate(wide))
        return self.last(paddle.mean(F.silu(h), axis=[2, 3]))


class Segmentation(nn.Layer):
    """Dilation, norms by group and instance, transposed convolution, resizing, padding."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2D(3, 4, 3, 2, 1)
        self.act, self.group = nn.PReLU(4), nn.GroupNorm(2, 4)
        self.wide = nn.Conv2D(4, 4, 3, padding=2, dilation=2, padding_mode="reflect")
        self.instance, self.up = nn.InstanceNorm2D(4), nn.Conv2DTranspose(4, 3, 4, 2, 1)
        self.last = nn.Conv2D(7, 3, 1)

    def forward(self, image):
        h = self.instance(self.wide(self.group(self.act(self.first(image)))))
        up = self.up(h)
        size = paddle.shape(image)[2:]
        smooth = F.interpolate(h, size=size, mode="bilinear", align_corners=True)
        scores = self.last(paddle.concat([up, smooth], axis=1))
        return scores, paddle.argmax(scores, axis=1, dtype="int32")


class Detection(nn.Layer):
    """A head with sigmoid and yolo_box."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2D(3, 6, 3, 4, 1), nn.BatchNorm2D(6), nn.LeakyReLU(0.1))
        self.head = nn.Conv2D(6, 14, 1)

    def forward(self, image, size):
        out = self.head(self.trunk(image))
        boxes, scores = paddle.vision.ops.yolo_box(
            out, size, [3, 4, 6, 5], 2, 0.05, 4, scale_x_y=1.1
        )
        return boxes, paddle.transpose(scores, [0, 2, 1]), F.sigmoid(out[:, 4:5])


class Classes(nn.Layer):
    """int64 in and out."""

    def __init__(self):
        super().__init__()
        self.table, self.last = nn.Embedding(12, 6), nn.Linear(6, 5)

    def forward(self, ids):
        logits = self.last(self.table(ids).mean(1))
        values, places = paddle.topk(logits, 2)
        best = paddle.argmax(logits, axis=-1)
        hot = F.one_hot(best, 5)
        order = paddle.argsort(logits, axis=1, descending=True)
        return best, values, places, hot, order, (best == places[:, 0]).astype("int64")


class Branches(nn.Layer):
    """if, elif, else on values, nested; a name made in both branches; and/or/not; ternary."""

    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(6, 4), nn.Linear(6, 4)

    @to_static
    def forward(self, x):
        total = paddle.mean(x)
        if total > 0 and paddle.max(x) < 100:
            h = self.up(x)
            if paddle.max(h) > 50:
                h = h * 0.5
        elif total < -1000:
            h = self.up(x) - 1.0
        else:
            h = self.down(x) * 2.0
        sign = 1.0 if total > 0 else -1.0
        return h, total, sign * h


class Loops(nn.Layer):
    """while on a Tensor and a for over a range of a Tensor."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)

    @to_static
    def forward(self, x, count):
        i = paddle.zeros([1], "int64")
        total = paddle.zeros([1])
        while i < count:
            x = F.tanh(self.linear(x))
            total += paddle.sum(x)
            i += 1
        for k in range(count):
            total = total + k
        return x, total, i


class LoopedTraining(nn.Layer):
    """A loop whose end depends on the values, trained after loading."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 6)

    @to_static
    def forward(self, x):
        i = paddle.full([1], 0, "int64")
        while i < 3 and paddle.max(x) > -100:
            x = F.tanh(self.linear(x))
            i = i + 1
        return x


class Breaking(nn.Layer):
    """break, continue, an early return."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 3)

    @to_static
    def forward(self, x):
        total = paddle.zeros([1])
        i = paddle.zeros([1], "int64")
        while i < 10:
            i += 1
            if i == 2:
                continue
            total += paddle.mean(x) * i.astype("float32")
            if paddle.abs(total) > 4:
                break
        if paddle.sum(x) < 0:
            return self.linear(x) * 0.5 + total
        return self.linear(x) - total


class RowsLoop(nn.Layer):
    """Iteration over the rows of a Tensor, a list that is appended to, enumerate."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 2)

    @to_static
    def forward(self, x):
        rows = []
        for i, row in enumerate(x):
            rows.append(self.linear(row) * (i + 1))
        return paddle.stack(rows), rows[0]


class Nested(nn.Layer):
    """A dict with a list and a tuple inside."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 3), nn.Linear(3, 2)

    def forward(self, x):
        h = F.relu(self.first(x))
        return {"hidden": h, "list": [self.second(h), h.sum()], "pair": (h.max(1), x)}


class Methods(nn.Layer):
    """Two exported methods; one reads parameters that the other does not.

    2.6.2 names the files wrongly when a method sorts before `forward`, or with a third one.
    """

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Linear(6, 4), nn.Linear(4, 3), nn.Linear(6, 1)

    @to_static(input_spec=[paddle.static.InputSpec([None, 6], name="x")])
    def forward(self, x):
        return self.second(F.tanh(self.first(x)))

    @to_static(input_spec=[paddle.static.InputSpec([None, 6], name="x")])
    def score(self, x):
        return F.sigmoid(self.third(x)), paddle.mean(x)


class Unused(nn.Layer):
    """A parameter that forward does not read, and a result that is thrown away."""

    def __init__(self):
        super().__init__()
        self.linear, self.unused = nn.Linear(6, 4), nn.Linear(6, 2)

    def forward(self, x):
        paddle.exp(x * 100.0)
        return self.linear(x)


class Buffers(nn.Layer):
    """Persistable and other buffers, of several dtypes, one of them of rank 0."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 4)
        self.register_buffer("shift", paddle.to_tensor([0.1, 0.2, 0.3, 0.4]))
        self.register_buffer("temperature", paddle.to_tensor(2.0))
        self.register_buffer("order", paddle.to_tensor([3, 1, 0, 2]), persistable=False)
        self.register_buffer("mask", paddle.to_tensor([True, False, True, True]))

    def forward(self, x):
        h = self.linear(x) / self.temperature + self.shift
        h = paddle.index_select(h, self.order, axis=1)
        return paddle.where(self.mask, h, paddle.zeros_like(h))


class NoParameters(nn.Layer):
    def forward(self, x):
        return F.softmax(x * 2.0), paddle.linalg.norm(x, axis=1)


class Indexing(nn.Layer):
    """Slices, steps, indices by Tensor and mask, writing to a slice."""

    def forward(self, x):
        a = x[1:3, ::2]
        b = x[-1]
        c = x[:, paddle.to_tensor([4, 0, 2])]
        d = x[x > 0.5]
        e = x[0, 0] + x[..., 1]
        y = x * 1.0
        y[1:3, 2] = -7.0
        y[0] = x[3]
        return a, b, c, d, e, y, x[:, None, 2:4]


class Dtypes(nn.Layer):
    """Casts to and fro: float64, float16, int8, uint8, bool, int32."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 3)

    def forward(self, x):
        h = self.linear(x)
        wide = h.astype("float64") * 3.0
        # Exact in float16: 2.6.2 cuts the rest off on some machines instead of rounding.
        half = (paddle.round(h * 8.0) / 8.0).astype("float16").astype("float32")
        whole = (h * 10).astype("int32") // 3
        small = (h * 10).astype("int8")
        byte = (paddle.abs(h) * 10).astype("uint8")
        return wide, half, whole, h > 0, small, byte


class Newer(nn.Layer):
    """Operators that 2.0 does not have."""

    def forward(self, x):
        return paddle.as_real(paddle.fft.fft(x)), x * 2.0


class Shared(nn.Layer):
    """One sub-layer used twice and under two names."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6)
        self.again = self.first
        self.last = nn.Linear(6, 2)

    def forward(self, x):
        return self.last(F.relu(self.again(F.relu(self.first(x)))))


class Frozen(nn.Layer):
    """A parameter that is not trained."""

    def __init__(self):
        super().__init__()
        self.base, self.last = nn.Linear(6, 4), nn.Linear(4, 2)
        for parameter in self.base.parameters():
            parameter.stop_gradient = True
            parameter.trainable = False

    def forward(self, x):
        return self.last(F.elu(self.base(x)))
