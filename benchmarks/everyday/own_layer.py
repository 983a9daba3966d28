"""The user's own function with a gradient of its own (PyLayer), a hook, a custom layer."""

import numpy as np

import paddle
from paddle import nn
from paddle.autograd import PyLayer


class Swish(PyLayer):
    """x * sigmoid(x), differentiated by hand."""

    @staticmethod
    def forward(ctx, x):
        """The value."""
        ctx.save_for_backward(x)
        return x * paddle.nn.functional.sigmoid(x)

    @staticmethod
    def backward(ctx, dy):
        """The gradient."""
        (x,) = ctx.saved_tensor()
        s = paddle.nn.functional.sigmoid(x)
        return dy * (s + x * s * (1 - s))


class Scaled(nn.Layer):
    """A linear layer with a learned factor and a buffer that counts its calls."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, weight_attr=nn.initializer.XavierUniform())
        constant = nn.initializer.Constant(1.0)
        self.factor = self.create_parameter([width], default_initializer=constant)
        self.register_buffer("calls", paddle.zeros([1], "int64"))

    def forward(self, x):
        """A step through the layer."""
        self.calls += 1
        return Swish.apply(self.linear(x)) * self.factor


paddle.seed(1)
net = nn.Sequential(Scaled(8), Scaled(8))
seen = []
x = paddle.randn([4, 8])
x.stop_gradient = False
x.register_hook(lambda grad: seen.append(grad.shape))
y = net(x)
(y * y).sum().backward()
with paddle.no_grad():
    for parameter in net.parameters():
        parameter.set_value(parameter - 0.1 * parameter.grad)
state = net.state_dict()
net.set_state_dict({name: value.numpy() for name, value in state.items()})
assert seen == [[4, 8]] and int(net[0].calls) == 1
assert np.isfinite(net(x).numpy()).all()
