"""A Triton kernel as an operator: x * silu(gate) in one pass over the data, and its gradient.

On a GPU the Triton kernels run (`pip install triton`); for tensors in main memory the functions
given as `cpu=` take their place, so the same model trains on either. The operator works in dynamic
mode, in Programs and under `to_static`, like any other.
"""

import time

import numpy as np

import paddle
from paddle.utils import register_op

try:
    import triton
    import triton.language as tl
except ImportError:  # without it there are the kernels for main memory
    triton = None

BLOCK = 1024


if triton is not None:

    @triton.jit
    def forward_kernel(x_ptr, gate_ptr, out_ptr, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        x = tl.load(x_ptr + at, mask=inside).to(tl.float32)
        gate = tl.load(gate_ptr + at, mask=inside).to(tl.float32)
        out = x * gate / (1.0 + tl.exp(-gate))
        tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty), mask=inside)

    @triton.jit
    def backward_kernel(d_ptr, x_ptr, gate_ptr, dx_ptr, dgate_ptr, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < count
        d = tl.load(d_ptr + at, mask=inside).to(tl.float32)
        x = tl.load(x_ptr + at, mask=inside).to(tl.float32)
        gate = tl.load(gate_ptr + at, mask=inside).to(tl.float32)
        sigmoid = 1.0 / (1.0 + tl.exp(-gate))
        dx = d * gate * sigmoid
        dgate = d * x * sigmoid * (1.0 + gate * (1.0 - sigmoid))
        tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=inside)
        tl.store(dgate_ptr + at, dgate.to(dgate_ptr.dtype.element_ty), mask=inside)


def blocks(count):
    """The grid of a launch: one program for each block of elements."""
    return (max(1, -(-count // BLOCK)),)


def on_cpu(x, gate):
    return x * gate * gate.sigmoid()


def grad_on_cpu(d_out, x, gate):
    sigmoid = gate.sigmoid()
    return d_out * gate * sigmoid, d_out * x * sigmoid * (1 + gate * (1 - sigmoid))


def shape(inputs, attrs):
    """Both have one shape, which is that of the result; -1 fits any size."""
    x, gate = inputs
    pairs = zip(x.shape, gate.shape)
    if len(x.shape) != len(gate.shape) or not all(-1 in p or p[0] == p[1] for p in pairs):
        raise ValueError(f"gated: x has shape {list(x.shape)}, but gate {list(gate.shape)}")
    return x


@register_op("example_gated", "X Gate -> Out", buffers="torch", infer=shape, cpu=on_cpu)
def gated(x, gate):
    """Multiplies x by silu(gate), element by element."""
    x, gate = x.contiguous(), gate.contiguous()
    out = x.new_empty(x.shape)
    forward_kernel[blocks(x.numel())](x, gate, out, x.numel(), BLOCK=BLOCK)
    return out


@gated.grad("X Gate", cpu=grad_on_cpu)
def gated_grad(d_out, x, gate):
    d_out, x, gate = d_out.contiguous(), x.contiguous(), gate.contiguous()
    dx, dgate = x.new_empty(x.shape), x.new_empty(x.shape)
    sizes = blocks(x.numel())
    backward_kernel[sizes](d_out, x, gate, dx, dgate, x.numel(), BLOCK=BLOCK)
    return dx, dgate


class GatedMLP(paddle.nn.Layer):
    """Two projections, one of which gates the other."""

    def __init__(self, width, hidden):
        super().__init__()
        self.up = paddle.nn.Linear(width, hidden)
        self.gate = paddle.nn.Linear(width, hidden)
        self.down = paddle.nn.Linear(hidden, 1)

    def forward(self, x):
        return self.down(gated(self.up(x), self.gate(x)))


def train(steps=60):
    """Fits a product of two inputs; the loss before and behind."""
    paddle.seed(1)
    x = paddle.to_tensor(np.random.RandomState(0).uniform(-1, 1, (256, 2)).astype("float32"))
    wanted = x[:, :1] * x[:, 1:]
    net = GatedMLP(2, 16)
    adam = paddle.optimizer.Adam(0.02, parameters=net.parameters())
    losses = []
    for _ in range(steps):
        loss = ((net(x) - wanted) ** 2).mean()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    return losses[0], losses[-1]


def milliseconds(function, repeats=20):
    """How long a call takes on the GPU."""
    function()
    paddle.device.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(repeats):
        function()
    paddle.device.cuda.synchronize()
    return (time.perf_counter() - start) / repeats * 1000


def main():
    before, behind = train()
    print(f"mean squared error {before:.4f}, after training {behind:.6f}")
    if triton is None or not paddle.is_compiled_with_cuda():
        print("without a GPU and triton the kernels for main memory ran")
        return before, behind
    x, gate = paddle.randn([4096, 4096]), paddle.randn([4096, 4096])
    with paddle.no_grad():
        fused = milliseconds(lambda: gated(x, gate))
        plain = milliseconds(lambda: x * paddle.nn.functional.silu(gate))
    print(f"16.8 million numbers: {fused:.3f} ms in one kernel, {plain:.3f} ms in two")
    return before, behind


if __name__ == "__main__":
    main()
