"""A small network of convolutions trained in 1.x dygraph, under 1.8.5 and here (Python 3.7)."""

import numpy as np


def batches():
    """Ten batches of images and labels, the same everywhere."""
    for step in range(20):
        n = np.arange(4 * 64) + 1000 * step
        label = (np.arange(4) * 3 + step) % 4
        image = np.sin(n * 1.3).reshape(4, 1, 8, 8) * 0.5 + label.reshape(4, 1, 1, 1) * 0.3
        yield image.astype("float32"), label.reshape(4, 1).astype("int64")


def network(fluid):
    """The class of the network."""
    d = fluid.dygraph

    class LeNet(d.Layer):
        def __init__(self):
            super().__init__()
            self.conv = d.Conv2D(1, 3, 3, padding=1)
            self.norm = d.BatchNorm(3, act="relu")
            self.pool = d.Pool2D(2, "max", 2)
            self.drop = d.Dropout(0.0)
            self.fc = d.Linear(48, 4, act="softmax")

        def forward(self, x):
            x = self.pool(self.norm(self.conv(x)))
            x = fluid.layers.reshape(x, [-1, 48])
            return self.fc(self.drop(x))

    return LeNet


def made(fluid):
    """Network and optimizer with given parameters."""
    d = fluid.dygraph
    model = network(fluid)()
    for k, one in enumerate(model.parameters()):
        if not one.stop_gradient and "batch_norm" not in one.name:
            n = int(np.prod(one.shape))
            one.set_value(
                (np.cos(np.arange(n) * 0.37 + k) * 0.3).reshape(one.shape).astype("float32")
            )
    rate = d.PiecewiseDecay([4, 12], [0.05, 0.02, 0.01], 0)
    adam = fluid.optimizer.AdamOptimizer(
        rate, parameter_list=model.parameters(),
        regularization=fluid.regularizer.L2Decay(1e-3),
    )  # fmt: skip
    return model, adam


def train(fluid, model, optimizer, first, last):
    """Steps from first to last; returns the losses."""
    losses = []
    for step, (image, label) in enumerate(batches()):
        if not first <= step < last:
            continue
        out = model(fluid.dygraph.to_variable(image))
        label = fluid.dygraph.to_variable(label)
        label.stop_gradient = True
        loss = fluid.layers.mean(fluid.layers.cross_entropy(out, label))
        loss.backward()
        optimizer.minimize(loss)
        model.clear_gradients()
        losses.append(float(loss.numpy()[0]))
    return losses


def frozen(fluid, path):
    """Trains ten steps, saves to ``path``, trains ten more; the losses and all parameters."""
    d = fluid.dygraph
    with d.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        model, optimizer = made(fluid)
        losses = train(fluid, model, optimizer, 0, 10)
        d.save_dygraph(model.state_dict(), path)
        d.save_dygraph(optimizer.state_dict(), path)
        keys = sorted(optimizer.state_dict())
        losses += train(fluid, model, optimizer, 10, 20)
        model.eval()
        out = model(d.to_variable(next(batches())[0])).numpy()
        arrays = {"end/" + k: v.numpy() for k, v in model.state_dict().items()}
        arrays["out"] = out
    return {"losses": losses, "optimizer": keys}, arrays


def _filled(layer):
    for k, one in enumerate(layer.parameters()):
        if not one.stop_gradient and "batch_norm" not in one.name:
            n = int(np.prod(one.shape))
            one.set_value(
                (np.cos(np.arange(n) * 0.37 + k) * 0.1).reshape(one.shape).astype("float32")
            )


def example_losses(fluid, digits, dqn):
    """Losses of ten steps of the examples, given as modules, from given parameters."""
    with fluid.dygraph.guard(fluid.CPUPlace()):
        model, adam = digits.made(9)
        _filled(model)
        batches = []
        for step in range(10):
            image = np.sin(np.arange(8 * 784) * 1.3 + step).reshape(8, 1, 28, 28)
            batches.append((image.astype("float32"), (np.arange(8) + step).reshape(8, 1) % 10))
        losses = digits.train(model, adam, batches)
        agent = dqn.Agent()
        _filled(agent.net)
        _filled(agent.copy)
        for step in range(10):
            state = np.cos(np.arange(33 * 4) * 0.7 + step).reshape(33, 4).astype("float32")
            played = [
                (state[i], i % 2, float(i % 5 > 0), state[i + 1], float(i % 5 == 0))
                for i in range(32)
            ]
            losses.append(agent.learn(played))
            if step == 4:
                agent.renew()
    return losses
