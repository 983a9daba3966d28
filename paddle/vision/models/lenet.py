"""LeNet-5 for images of 28 x 28 pixels."""

from __future__ import annotations

from paddle import nn, tensor
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor

__all__ = ["LeNet"]


class LeNet(nn.Layer):
    """LeNet-5, LeCun et al. 1998: two convolutions with pooling, three linear layers.

    Args:
        num_classes (int): size of the output; at most 0 leaves out the linear layers. Default: 10.

    Examples:
        .. code-block:: python

            import paddle
            model = paddle.vision.models.LeNet()
            print(model(paddle.rand([1, 1, 28, 28])).shape)  # [1, 10]
    """

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, stride=1, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5, stride=1, padding=0),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        if num_classes > 0:
            self.fc = nn.Sequential(
                nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, num_classes)
            )

    def forward(self, inputs: Tensor) -> Tensor:
        """Returns the scores of the classes, shape [N, num_classes]."""
        x = self.features(inputs)
        if self.num_classes > 0:
            x = self.fc(tensor.flatten(x, 1))
        return x


guard_module(globals())
