"""Two networks against one another draw digits: 1.x's `paddle.fluid`, two Programs, one scope.

Measured: of 500 digits that were asked for, a judge, itself right on 94 % of the real test digits,
takes 81 % for what they should be; 43 s on one core.

    python examples/fluid/gan_digits.py

The one Program trains the critic on real and drawn digits, the other the painter through the
critic, whose parameters it finds by their names and leaves alone. The file runs unchanged on
PaddlePaddle 1.8.5, and has its losses from the same parameters (tests/fluid/test_books.py).
"""

import numpy as np

import paddle
import paddle.fluid as fluid

NOISE = 32
BATCH = 64
PIXELS = 28 * 28


# ---- data ---------------------------------------------------------------------------------------


def fed(images, labels, random):
    """What the two Programs are fed for real digits."""
    noise = random.uniform(-1, 1, (len(images), NOISE)).astype("float32")
    wanted = random.randint(0, 10, (len(images), 1)).astype("int64")
    drawn = {"noise": noise, "wanted": wanted}
    return [dict(drawn, image=images, label=labels), drawn]


def batch(random):
    """Strokes in the layout of MNIST: what steps are compared on where there is no MNIST."""
    labels = random.randint(0, 10, (BATCH, 1)).astype("int64")
    images = np.full((BATCH, 28, 28), -1, "float32")
    for image, label in zip(images, labels[:, 0]):
        row, column = random.randint(4, 9, 2)
        image[row : row + 2 * label + 1, column : column + 3] = 1
        image[row : row + 3, column : column + 19 - 2 * label] = 1
    return fed(images.reshape(BATCH, PIXELS), labels, random)


# ---- networks -----------------------------------------------------------------------------------


def layer(x, size, act, name):
    """A layer whose parameters have names, which both Programs know."""
    return fluid.layers.fc(
        x, size, act=act, param_attr=fluid.ParamAttr(name + ".w"), bias_attr=name + ".b"
    )


def vector(label, size, name):
    """A vector for each digit, of that length."""
    return fluid.layers.embedding(label, size=[10, size], param_attr=fluid.ParamAttr(name))


def painter(noise, wanted):
    """Draws digits: pixels from -1 to 1."""
    x = fluid.layers.concat([noise, vector(wanted, NOISE, "painter.digit")], axis=1)
    x = layer(x, 128, "relu", "painter.1")
    x = layer(x, 256, "relu", "painter.2")
    return layer(x, PIXELS, "tanh", "painter.3")


def critic(image, label):
    """How sure it is, before the sigmoid, that an image is real and of that digit."""
    x = fluid.layers.leaky_relu(layer(image, 256, None, "critic.1"), alpha=0.2)
    x = fluid.layers.leaky_relu(layer(x, 128, None, "critic.2"), alpha=0.2)
    fits = fluid.layers.elementwise_mul(x, vector(label, 128, "critic.digit"))
    return layer(x, 1, None, "critic.3") + fluid.layers.reduce_sum(fits, dim=1, keep_dim=True)


def judgement(score, target):
    """The mean cross entropy of scores, all of which should be `target`."""
    wanted = fluid.layers.scale(fluid.layers.ones_like(score), scale=target)
    loss = fluid.layers.sigmoid_cross_entropy_with_logits(x=score, label=wanted)
    return fluid.layers.mean(loss)


def inputs():
    """Noise, and the digits that are to be drawn."""
    noise = fluid.data("noise", [None, NOISE], "float32")
    wanted = fluid.data("wanted", [None, 1], "int64")
    return noise, wanted


def named(program, part):
    """The names of a network's parameters."""
    return [p.name for p in program.all_parameters() if p.name.startswith(part)]


def training():
    """Pairs of a Program and its loss: the critic's, and the painter's."""
    startup = fluid.default_startup_program()
    critics, painters = fluid.Program(), fluid.Program()
    with fluid.program_guard(critics, startup):
        image = fluid.data("image", [None, PIXELS], "float32")
        label = fluid.data("label", [None, 1], "int64")
        noise, wanted = inputs()
        drawn = painter(noise, wanted)
        drawn.stop_gradient = True
        real, made = critic(image, label), critic(drawn, wanted)
        critics_loss = judgement(real, 0.9) + judgement(made, 0.0)
        adam = fluid.optimizer.Adam(2e-4, beta1=0.5)
        adam.minimize(critics_loss, startup, parameter_list=named(critics, "critic"))
    with fluid.program_guard(painters, startup):
        noise, wanted = inputs()
        painters_loss = judgement(critic(painter(noise, wanted), wanted), 1.0)
        adam = fluid.optimizer.Adam(4e-4, beta1=0.5)
        adam.minimize(painters_loss, startup, parameter_list=named(painters, "painter"))
    return [(critics, critics_loss), (painters, painters_loss)]


def judge():
    """A network that knows digits: its chances and its loss."""
    image = fluid.data("image", [None, PIXELS], "float32")
    label = fluid.data("label", [None, 1], "int64")
    chances = fluid.layers.fc(fluid.layers.fc(image, 128, act="relu"), 10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(chances, label))
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(1e-3).minimize(loss)
    return test, chances, loss


# ---- training -----------------------------------------------------------------------------------


def digits(reader):
    """All images and labels of a reader."""
    images, labels = zip(*reader())
    return np.array(images, "float32"), np.array(labels, "int64").reshape(-1, 1)


def main(epochs=6):
    """Trains both and the judge; returns how often the judge is right on real and drawn digits."""
    startup, judges = fluid.Program(), fluid.Program()
    startup.random_seed = 1
    with fluid.program_guard(fluid.Program(), startup):
        programs = training()
        draws = fluid.Program()
        with fluid.program_guard(draws, fluid.Program()):
            noise, wanted = inputs()
            drawn = painter(noise, wanted)
    with fluid.program_guard(judges, startup):
        test, chances, judges_loss = judge()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)

    random = np.random.RandomState(0)
    images, labels = digits(paddle.dataset.mnist.train())
    for epoch in range(epochs):
        order = random.permutation(len(images))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            for (program, loss), feed in zip(programs, fed(images[rows], labels[rows], random)):
                exe.run(program, feed=feed, fetch_list=[loss])
            if epoch == 0:
                feed = {"image": images[rows], "label": labels[rows]}
                exe.run(judges, feed=feed, fetch_list=[judges_loss])

    def right(images, labels):
        feed = {"image": images, "label": labels}
        (found,) = exe.run(test, feed=feed, fetch_list=[chances])
        return float((found.argmax(1) == labels[:, 0]).mean())

    real = right(*digits(paddle.dataset.mnist.test()))
    feed = {
        "noise": random.uniform(-1, 1, (500, NOISE)).astype("float32"),
        "wanted": np.arange(500).reshape(-1, 1) % 10,
    }
    (images,) = exe.run(draws, feed=feed, fetch_list=[drawn])
    asked = right(images, feed["wanted"])
    print(f"the judge is right on {100 * real:.1f} % of real digits, {100 * asked:.1f} % of drawn")
    for row in images[3].reshape(28, 28)[2:26:2]:
        print("".join(" .+#"[min(int((v + 1) * 2), 3)] for v in row))
    return real, asked


if __name__ == "__main__":
    main()
