"""LeNet as a Program with an unknown batch: built, trained, tested, saved and loaded."""

import tempfile

import numpy as np

import paddle
import paddle.nn.functional as F
from paddle import static

paddle.enable_static()
paddle.seed(1)
rng = np.random.RandomState(0)
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    image = static.data("image", [None, 1, 28, 28], "float32")
    label = static.data("label", [None, 1], "int64")
    x = static.nn.conv2d(image, 6, 3, padding=1, act="relu")
    x = F.max_pool2d(x, 2, 2)
    x = static.nn.conv2d(x, 16, 5, act="relu")
    x = F.max_pool2d(x, 2, 2)
    x = static.nn.fc(x, 120, activation="relu")
    scores = static.nn.fc(x, 10)
    loss = paddle.mean(F.cross_entropy(scores, label))
    accuracy = static.accuracy(F.softmax(scores), label)
    test = main.clone(for_test=True)
    paddle.optimizer.Adam(learning_rate=1e-3).minimize(loss)
exe = static.Executor(paddle.CPUPlace())
exe.run(startup)
for size in (32, 32, 32, 7):
    feed = {
        "image": rng.rand(size, 1, 28, 28).astype("float32"),
        "label": rng.randint(0, 10, (size, 1)),
    }
    results = exe.run(main, feed=feed, fetch_list=[loss, accuracy])
exe.run(test, feed=feed, fetch_list=[loss])
with tempfile.TemporaryDirectory() as folder:
    static.save_inference_model(f"{folder}/lenet", [image], [scores], exe, program=main)
    program, feeds, fetches = static.load_inference_model(f"{folder}/lenet", exe)
    made = exe.run(program, feed={feeds[0]: feed["image"]}, fetch_list=fetches)
assert np.isfinite(results[0]).all() and made[0].shape == (7, 10)
paddle.disable_static()
