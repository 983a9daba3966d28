"""The quick start again without paddle.Model: the loops for training, evaluation and prediction."""

import numpy as np

import paddle
from paddle.vision.transforms import ToTensor

EPOCHS = 2


def build():
    """The perceptron of the guide."""
    return paddle.nn.Sequential(
        paddle.nn.Flatten(),
        paddle.nn.Linear(784, 512),
        paddle.nn.ReLU(),
        paddle.nn.Dropout(0.2),
        paddle.nn.Linear(512, 10),
    )


def train(net, dataset, loss_fn):
    """What Model.fit does."""
    loader = paddle.io.DataLoader(dataset, batch_size=64, shuffle=True)
    optim = paddle.optimizer.Adam(parameters=net.parameters())
    net.train()
    for epoch in range(EPOCHS):
        for batch_id, (image, label) in enumerate(loader()):
            predicts = net(image)
            loss = loss_fn(predicts, label)
            loss.backward()
            optim.step()
            optim.clear_grad()
            if (batch_id + 1) % 300 == 0:
                acc = paddle.metric.accuracy(predicts, label)
                print(f"epoch {epoch}, batch {batch_id + 1}: loss {loss.numpy()} acc {acc.numpy()}")


def evaluate(net, dataset, loss_fn):
    """What Model.evaluate does: mean loss and accuracy."""
    loader = paddle.io.DataLoader(dataset, batch_size=64)
    net.eval()
    losses, hits = [], 0
    with paddle.no_grad():
        for image, label in loader():
            predicts = net(image)
            losses.append(float(loss_fn(predicts, label)))
            hits += int((predicts.numpy().argmax(axis=1) == label.numpy()[:, 0]).sum())
    return float(np.mean(losses)), hits / len(dataset)


def predict(net, dataset):
    """What Model.predict does: the class of every sample."""
    loader = paddle.io.DataLoader(dataset, batch_size=64)
    net.eval()
    with paddle.no_grad():
        return np.concatenate([paddle.argmax(net(image), axis=1).numpy() for image, _ in loader()])


def main():
    """Train, evaluate, predict."""
    paddle.seed(2021)
    np.random.seed(2021)
    train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
    test_dataset = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())
    loss_fn = paddle.nn.CrossEntropyLoss()
    net = build()
    train(net, train_dataset, loss_fn)
    loss, accuracy = evaluate(net, test_dataset, loss_fn)
    print(f"test loss {loss:.4f}, accuracy {accuracy:.4f}")
    print("first ten predictions:", predict(net, test_dataset)[:10].tolist())
    return accuracy


if __name__ == "__main__":
    main()
