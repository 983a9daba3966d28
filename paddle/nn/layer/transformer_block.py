"""What the layers of the Transformer share: settings, parts, the feed-forward network."""

from __future__ import annotations

import copy
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.framework.param_attr import ParamAttr
from paddle.nn import functional as F
from paddle.nn.layer.attention import MultiHeadAttention, check_rate, check_size
from paddle.nn.layer.common import Dropout, Linear
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.norm import LayerNorm


def attr_list(owner: str, name: str, attr: Any, count: int) -> list:
    """One attr for each part of a layer; of one attr, the parts' parameters get numbered names."""
    if isinstance(attr, (list, tuple)):
        if len(attr) != count:
            raise InvalidArgumentError(
                f"{owner}({name}): expected a list of {count}, but received {len(attr)}."
            )
        return list(attr)
    if attr is None or isinstance(attr, bool):
        return [attr] * count
    made = []
    for i in range(count):
        part = copy.copy(ParamAttr._to_attr(attr))
        if part.name is not None:
            part.name = f"{part.name}_{i}"
        made.append(part)
    return made


def _activation(owner: str, name: Any) -> Any:
    found = getattr(F, name, None) if isinstance(name, str) else None
    if not callable(found):
        raise InvalidArgumentError(
            f"{owner}(activation): expected the name of a function in paddle.nn.functional, such "
            f"as 'relu' or 'gelu', but received {name!r}."
        )
    return found


class TransformerBlock(Layer):
    """What encoder and decoder layers have in common: settings, and the network at their end."""

    _attentions: int

    def _start(self, config: dict[str, Any]) -> tuple[list, list]:
        """Checks and keeps the settings; returns the attrs of weights and biases."""
        owner = type(self).__name__
        self._config = config
        for name in ("d_model", "nhead", "dim_feedforward"):
            check_size(owner, name, config[name])
        rate = check_rate(owner, "dropout", config["dropout"])
        for name in ("attn_dropout", "act_dropout"):
            given = config[name]
            setattr(self, f"_{name}", rate if given is None else check_rate(owner, name, given))
        self.normalize_before = config["normalize_before"]
        count = self._attentions + 1
        return (
            attr_list(owner, "weight_attr", config["weight_attr"], count),
            attr_list(owner, "bias_attr", config["bias_attr"], count),
        )

    def _attention(self, weight_attr: Any, bias_attr: Any) -> MultiHeadAttention:
        return MultiHeadAttention(
            self._config["d_model"],
            self._config["nhead"],
            dropout=self._attn_dropout,
            weight_attr=weight_attr,
            bias_attr=bias_attr,
        )

    def _add_rest(self, weight_attr: Any, bias_attr: Any) -> None:
        """Makes the feed-forward network, the norms and the dropouts."""
        size, hidden = self._config["d_model"], self._config["dim_feedforward"]
        self.linear1 = Linear(size, hidden, weight_attr, bias_attr)
        self.dropout = Dropout(self._act_dropout)
        self.linear2 = Linear(hidden, size, weight_attr, bias_attr)
        parts = range(1, self._attentions + 2)
        for i in parts:
            setattr(self, f"norm{i}", LayerNorm(size))
        for i in parts:
            setattr(self, f"dropout{i}", Dropout(self._config["dropout"]))
        self.activation = _activation(type(self).__name__, self._config["activation"])

    def _feed_forward(self, x: Any, norm: Any, dropout: Any) -> Any:
        inner = norm(x) if self.normalize_before else x
        inner = self.linear2(self.dropout(self.activation(self.linear1(inner))))
        x = x + dropout(inner)
        return x if self.normalize_before else norm(x)
