"""A static graph from building to serving: train, test, stop, resume, export, load and predict."""

import tempfile
from pathlib import Path

import numpy as np

import paddle
from paddle import static


class Points(paddle.io.Dataset):
    """Points of a plane; the label says whether one lies inside of a circle."""

    def __init__(self, count, seed):
        super().__init__()
        self.points = np.random.RandomState(seed).uniform(-1, 1, (count, 2)).astype("float32")
        inside = (self.points**2).sum(axis=1, keepdims=True) < 0.5
        self.labels = inside.astype("int64")

    def __getitem__(self, i):
        return self.points[i], self.labels[i]

    def __len__(self):
        return len(self.points)


def build():
    """Returns main, startup and test Program, with the variables that are fed and fetched."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        point = static.data("point", [None, 2], "float32")
        label = static.data("label", [None, 1], "int64")
        hidden = static.nn.fc(point, 32, activation="relu")
        scores = static.nn.fc(hidden, 2)
        loss = paddle.nn.functional.cross_entropy(scores, label)
        probability = paddle.nn.functional.softmax(scores)
        accuracy = static.accuracy(probability, label)
        test = main.clone(for_test=True)  # before minimize adds backward and updates
        paddle.optimizer.Adam(0.01).minimize(loss)
    return main, startup, test, point, label, probability, loss, accuracy


def main():
    """Trains, resumes and serves; the losses of both ways, the accuracy, and what was served."""
    paddle.enable_static()
    paddle.seed(1)
    train, startup, test, point, label, probability, loss, accuracy = build()
    exe = static.Executor()
    exe.run(startup)
    loader = paddle.io.DataLoader(
        Points(512, seed=0), feed_list=[point, label], batch_size=32, return_list=False
    )

    def epochs(count):
        return [
            exe.run(train, feed=batch, fetch_list=[loss])[0].item()
            for _ in range(count)
            for batch in loader()
        ]

    with tempfile.TemporaryDirectory() as folder:
        epochs(10)
        checkpoint = str(Path(folder) / "checkpoint")
        static.save(train, checkpoint)
        went_on = epochs(5)
        static.load(train, checkpoint, exe)
        resumed = epochs(5)

        unseen = Points(256, seed=1)
        feed = {"point": unseen.points, "label": unseen.labels}
        right, expected = exe.run(test, feed=feed, fetch_list=[accuracy, probability])

        model = str(Path(folder) / "model")
        static.save_inference_model(model, [point], [probability], exe, program=train)
        with static.scope_guard(static.Scope()):  # a place without the trained parameters
            program, feeds, fetches = static.load_inference_model(model, exe)
            (served,) = exe.run(program, feed={feeds[0]: unseen.points}, fetch_list=fetches)
    paddle.disable_static()
    return went_on, resumed, right.item(), np.abs(served - expected).max()


if __name__ == "__main__":
    went_on, resumed, right, difference = main()
    print(f"loss {went_on[-1]:.4f}, the same when resumed: {went_on == resumed}")
    print(f"accuracy on unseen points {right:.3f}; the exported model differs by {difference:.1g}")
