"""MultiHeadAttention: queries that take from values what fits their keys, in several heads."""

from __future__ import annotations

from typing import Any, NamedTuple

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.functional.loss_reduction import FLOATING
from paddle.nn.layer.common import Linear
from paddle.nn.layer.layers import Layer

__all__ = ["MultiHeadAttention"]

_MASKS = frozenset({VarType.BOOL, VarType.UINT8, VarType.INT8, VarType.INT16, VarType.INT32,
                    VarType.INT64})  # fmt: skip


class Cache(NamedTuple):
    """Keys and values of the positions so far; attention adds those of the next ones."""

    k: Any
    v: Any


class StaticCache(NamedTuple):
    """Keys and values that are computed once and stay, such as those of an encoder's result."""

    k: Any
    v: Any


def check_size(owner: str, name: str, value: Any) -> int:
    """Returns a size, or raises unless it is a positive int."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{owner}({name}): expected an int, but received {type(value).__name__}.")
    if value < 1:
        raise InvalidArgumentError(f"{owner}({name}): expected at least 1, but received {value}.")
    return value


def check_rate(owner: str, name: str, value: Any) -> float:
    """Returns a probability of dropping, or raises unless it is a number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{owner}({name}): expected a number, but received {type(value).__name__}.")
    if not 0 <= value <= 1:
        raise InvalidArgumentError(
            f"{owner}({name}): expected 0 <= {name} <= 1, but received {value}."
        )
    return value


def additive_mask(owner: str, name: str, mask: Any, like: Any) -> Any:
    """Turns a mask of any type into what is added to the scores: 0 where attention is allowed.

    Args:
        owner (str): the class, for the error's text.
        name (str): the argument's name.
        mask (Tensor|None): bool or integers: True or 1 allows, False or 0 gives -1e9; floating
            numbers are added as they are.
        like (Tensor): has the type of the scores.
    """
    if mask is None:
        return None
    check_tensors(owner, **{name: mask})
    check_tensors(owner, query=like)
    dtype = like.dtype
    if mask.dtype in FLOATING:
        return mask if mask.dtype == dtype else tensor.cast(mask, dtype)
    if mask.dtype not in _MASKS:
        raise TypeError(
            f"{owner}({name}): expected bool, integers or floating numbers, "
            f"but received {mask.dtype}."
        )
    return C.scale(tensor.cast(mask, dtype), scale=1e9, bias=-1.0, bias_after_scale=False)


class MultiHeadAttention(Layer):
    r"""Attention in several heads, https://arxiv.org/abs/1706.03762.

    Query, key and value are projected to ``embed_dim`` features each and cut into heads. A head
    computes :math:`softmax(Q K^T / \sqrt{d} + mask) V` with :math:`d = embed\_dim / num\_heads`;
    the results of all heads together are projected once more.

    Args:
        embed_dim (int): features of the query and of the result.
        num_heads (int): number of heads; divides ``embed_dim``.
        dropout (float): probability of dropping a weight in training. Default: 0.0.
        kdim (int, optional): features of the key; None: ``embed_dim``.
        vdim (int, optional): features of the value; None: ``embed_dim``.
        need_weights (bool): return the weights too. Without them attention runs as one operator,
            which keeps no weights in memory unless there is dropout. Default: False.
        weight_attr (ParamAttr, optional): of the weights of all four projections.
        bias_attr (ParamAttr|bool, optional): of their biases; False: none.

    Attributes:
        q_proj, k_proj, v_proj, out_proj (Linear): the projections.

    Examples:
        .. code-block:: python

            import paddle
            attention = paddle.nn.MultiHeadAttention(128, 2)
            x = paddle.rand([2, 4, 128])
            mask = paddle.tril(paddle.ones([4, 4])).astype("bool")  # no look into the future
            print(attention(x, x, x, attn_mask=mask).shape)  # [2, 4, 128]
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: int | None = None,
        vdim: int | None = None,
        need_weights: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.embed_dim = check_size(owner, "embed_dim", embed_dim)
        self.num_heads = check_size(owner, "num_heads", num_heads)
        self.kdim = embed_dim if kdim is None else check_size(owner, "kdim", kdim)
        self.vdim = embed_dim if vdim is None else check_size(owner, "vdim", vdim)
        self.dropout = check_rate(owner, "dropout", dropout)
        self.need_weights = need_weights
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise InvalidArgumentError(
                f"{owner}(num_heads): expected a divisor of embed_dim = {embed_dim}, "
                f"but received {num_heads}."
            )
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _checked(self, name: str, x: Any, size: int) -> Any:
        shape: Any = getattr(x, "shape", None)
        if shape is None:
            check_tensors(type(self).__name__, **{name: x})
        if len(shape) != 3 or shape[2] not in (size, -1):
            raise InvalidArgumentError(
                f"{type(self).__name__}({name}): expected shape [batch, length, {size}], "
                f"but received {list(shape)}."
            )
        return x

    def _heads(self, x: Any) -> Any:
        """[batch, length, embed_dim] -> [batch, heads, length, head_dim]."""
        x = tensor.reshape(x, [0, 0, self.num_heads, self.head_dim])
        return tensor.transpose(x, [0, 2, 1, 3])

    def compute_kv(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Projects key and value and cuts them into heads.

        Args:
            key (Tensor): shape [batch, length, kdim].
            value (Tensor): shape [batch, length, vdim].

        Returns:
            tuple[Tensor, Tensor]: both of shape [batch, heads, length, head_dim].

        Examples:
            .. code-block:: python

                import paddle
                attention = paddle.nn.MultiHeadAttention(8, 2)
                k, v = attention.compute_kv(paddle.rand([1, 5, 8]), paddle.rand([1, 5, 8]))
                print(k.shape)  # [1, 2, 5, 4]
        """
        k = self.k_proj(self._checked("key", key, self.kdim))
        v = self.v_proj(self._checked("value", value, self.vdim))
        return self._heads(k), self._heads(v)

    def gen_cache(self, key: Tensor, value: Tensor | None = None, type: Any = Cache) -> Any:
        """Makes a cache to begin with.

        Args:
            key (Tensor): shape [batch, length, kdim]; for an empty cache only the batch matters.
                With ``Cache`` and a value: the keys themselves, [batch, heads, length, head_dim].
            value (Tensor, optional): the value that belongs to it. With ``StaticCache``, None
                means that it is the key.
            type (type): ``MultiHeadAttention.Cache`` for decoding step by step, or
                ``MultiHeadAttention.StaticCache`` for keys and values computed once.

        Returns:
            Cache|StaticCache: a named tuple (k, v); for ``Cache`` without a value an empty one.

        Examples:
            .. code-block:: python

                import paddle
                attention = paddle.nn.MultiHeadAttention(8, 2)
                x = paddle.rand([1, 5, 8])
                cache = attention.gen_cache(x)
                for i in range(5):
                    out, cache = attention(x[:, i : i + 1], x[:, i : i + 1], x[:, i : i + 1],
                                           cache=cache)
                print(cache.k.shape)  # [1, 2, 5, 4]
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if type is not Cache:
            raise InvalidArgumentError(
                "MultiHeadAttention.gen_cache(type): expected MultiHeadAttention.Cache or "
                f"MultiHeadAttention.StaticCache, but received {type!r}."
            )
        if value is not None:
            return Cache(key, value)
        check_tensors("MultiHeadAttention.gen_cache", key=key)
        shape = [-1, self.num_heads, 0, self.head_dim]
        made = [
            C.fill_constant_batch_size_like(key, shape=shape, value=0.0, dtype=key.dtype)
            for _ in range(2)
        ]
        return Cache(*made)

    def _keys_and_values(self, query: Any, key: Any, value: Any, cache: Any) -> tuple:
        """Returns k, v and the cache for the next call."""
        if isinstance(cache, StaticCache):
            return cache.k, cache.v, cache
        if cache is not None and not isinstance(cache, Cache):
            raise TypeError(
                f"{type(self).__name__}(cache): expected MultiHeadAttention.Cache, "
                f"MultiHeadAttention.StaticCache or None, but received {type(cache).__name__}."
            )
        k, v = self.compute_kv(query if key is None else key, query if value is None else value)
        if cache is not None:
            k, v = tensor.concat([cache.k, k], axis=2), tensor.concat([cache.v, v], axis=2)
            cache = Cache(k, v)
        return k, v, cache

    def _weights(self, q: Any, k: Any, mask: Any) -> Any:
        scores = tensor.matmul(C.scale(q, scale=self.head_dim**-0.5), k, transpose_y=True)
        weights = F.softmax(scores if mask is None else scores + mask)
        return F.dropout(weights, self.dropout, training=self.training)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attn_mask: Tensor | None = None,
        cache: Any = None,
    ) -> Any:
        """Computes attention.

        Args:
            query (Tensor): shape [batch, queries, embed_dim].
            key (Tensor, optional): shape [batch, keys, kdim]; None: the query.
            value (Tensor, optional): shape [batch, keys, vdim]; None: the query.
            attn_mask (Tensor, optional): of a shape that broadcasts to [batch, heads, queries,
                keys]. bool or integers: False or 0 forbids; floating: added to the scores.
            cache (Cache|StaticCache, optional): what :meth:`gen_cache` or the last call gave. The
                keys and values of a ``Cache`` go before those of this call; a ``StaticCache``
                takes their place.

        Returns:
            Tensor of shape [batch, queries, embed_dim]; a tuple (result, weights) with
            ``need_weights``, the weights being [batch, heads, queries, keys]; a cache for the next
            call comes last in the tuple if one was given.
        """
        q = self._heads(self.q_proj(self._checked("query", query, self.embed_dim)))
        k, v, cache = self._keys_and_values(query, key, value, cache)
        mask = additive_mask(type(self).__name__, "attn_mask", attn_mask, q)
        if self.need_weights:
            weights = self._weights(q, k, mask)
            mixed = tensor.matmul(weights, v)
        else:
            rate = float(self.dropout) if self.training else 0.0
            scale = self.head_dim**-0.5
            mixed = C.scaled_dot_product_attention(q, k, v, mask, scale=scale, dropout_prob=rate)[0]
        mixed = tensor.transpose(mixed, [0, 2, 1, 3])
        out = self.out_proj(tensor.reshape(mixed, [0, 0, self.embed_dim]))
        returned = [out]
        if self.need_weights:
            returned.append(weights)
        if cache is not None:
            returned.append(cache)
        return out if len(returned) == 1 else tuple(returned)
