"""Model.fit, evaluate, predict, save and load over a Dataset, with a callback and a metric."""

import tempfile

import numpy as np

import paddle
from paddle import nn
from paddle.io import DataLoader, Dataset
from paddle.vision import transforms


class Digits(Dataset):
    """Random images through transforms."""

    def __init__(self, count):
        super().__init__()
        rng = np.random.RandomState(0)
        self.images = rng.randint(0, 255, (count, 28, 28, 1)).astype("uint8")
        self.labels = rng.randint(0, 10, (count, 1))
        self.transform = transforms.Compose(
            [transforms.ToTensor(), transforms.Normalize([0.5], [0.5])]
        )

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]

    def __len__(self):
        return len(self.images)


paddle.seed(1)
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 10))
model = paddle.Model(net)
optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
model.prepare(optimizer, nn.CrossEntropyLoss(), paddle.metric.Accuracy(topk=(1, 5)))
stop = paddle.callbacks.EarlyStopping("loss", patience=3)
model.fit(Digits(128), Digits(32), batch_size=32, epochs=2, verbose=0, callbacks=[stop])
result = model.evaluate(DataLoader(Digits(32), batch_size=16), verbose=0)
made = model.predict(Digits(32), batch_size=16, stack_outputs=True, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/model")
    model.load(f"{folder}/model")
assert made[0].shape == (32, 10) and 0 <= result["acc_top1"] <= 1
