"""Training with rounded numbers beside training in floats; how long calibration takes.

The other side of a row is not torch but the same network in floats, by us. Calibration is timed in
a fresh process: a saved ResNet50, 32 images of noise, KL, and the quantised model saved.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.options import Options, compare_processes, skipped
from benchmarks.table import Row
from benchmarks.worker import ROOT

GROUP = "quantization"
MODULE = "benchmarks.quantization"
SIDES = ("ours", "floats")
MOST = 1.6  # of a step in floats
TASKS = {
    "LeNet b64, QAT step": ("LeNet()", [64, 1, 28, 28]),
    "MobileNetV1 x0.25 b32 32x32, QAT step":
        ("mobilenet_v1(scale=0.25, num_classes=10)", [32, 3, 32, 32]),
    "ResNet18 b8 64x64, QAT step": ("resnet18(num_classes=10)", [8, 3, 64, 64]),
}  # fmt: skip
CALIBRATION, IMAGES, SECONDS = "ResNet50, calibrated with 32 images", 32, 60.0

_CALIBRATE = """
import os, tempfile, time
import numpy as np
import paddle
from paddle import static
from paddle.quantization import PostTrainingQuantization
net = paddle.vision.models.resnet50()
net.eval()
folder = tempfile.mkdtemp()
spec = [static.InputSpec([None, 3, 224, 224], "float32", "x")]
paddle.jit.save(net, os.path.join(folder, "net"), spec)
paddle.enable_static()
random = np.random.RandomState(0)
data = [{{"x": random.rand(8, 3, 224, 224).astype("float32")}} for _ in range({images} // 8)]
start, used = time.perf_counter(), time.process_time()
exe = static.Executor(paddle.CPUPlace())
ptq = PostTrainingQuantization(exe, model_dir=os.path.join(folder, "net"), data_loader=data)
ptq.quantize()
ptq.save_quantized_model(os.path.join(folder, "int8"), "model", "params")
print(time.process_time() - used, time.perf_counter() - start)
"""


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    import paddle
    from paddle.quantization import ImperativeQuantAware

    made, shape = TASKS[task]
    paddle.seed(1)
    net = eval(made, vars(paddle.vision.models))
    if side == "ours":
        ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max").quantize(net)
    optimizer = paddle.optimizer.Momentum(0.01, 0.9, parameters=net.parameters())
    images, labels = paddle.rand(shape), paddle.randint(0, 10, [shape[0], 1])

    def step() -> Any:
        loss = paddle.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for task in TASKS:
            if options.wants(GROUP, task):
                yield from _step_rows(task, threads, options)
    if options.wants(GROUP, CALIBRATION):
        yield from _calibration_rows(max(options.threads))


def _step_rows(task: str, threads: int, options: Options) -> Iterator[Row]:
    result = compare_processes(MODULE, task, SIDES, threads, options.effort(21, 0.1))
    if result is not None:
        yield Row(
            GROUP, task, threads, result.clock, "ms", result.median("ours") * 1e3,
            result.median("floats") * 1e3, result.ratio("ours", "floats"), target=MOST,
            note=result.remark("of our step in floats"),
        )  # fmt: skip


def _calibration_rows(threads: int) -> Iterator[Row]:
    code = f"import os; os.environ['OMP_NUM_THREADS'] = '{threads}'" + _CALIBRATE.format(
        images=IMAGES
    )
    found = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if found.returncode:
        skipped(CALIBRATION, f"it ended with {found.returncode}")
        return
    used, seconds = map(float, found.stdout.split()[-2:])
    yield Row(
        GROUP, CALIBRATION, threads, "cpu", "s", used, SECONDS, used / SECONDS, target=1.0,
        note=f"the other side is what it may take; {seconds:.0f} s by the clock",
    )  # fmt: skip
