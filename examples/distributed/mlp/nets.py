"""The MLP of the guide (6.2.2), by the names that 2.0 has."""

import paddle


def mlp(input_x, input_y, hid_dim=128, label_dim=2):
    """The mean loss of a network of three layers."""
    fc_1 = paddle.static.nn.fc(x=input_x, size=hid_dim, activation="tanh")
    fc_2 = paddle.static.nn.fc(x=fc_1, size=hid_dim, activation="tanh")
    prediction = paddle.static.nn.fc(x=[fc_2], size=label_dim, activation="softmax")
    cost = paddle.nn.functional.cross_entropy(prediction, input_y, use_softmax=False)
    return paddle.mean(x=cost)
