"""Layers of the Transformer: encoder, decoder, and both together."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.framework.param_attr import ParamAttr
from paddle.ir.variable import Variable
from paddle.nn.layer.attention import (
    Cache,
    MultiHeadAttention,
    StaticCache,
    additive_mask,
    check_size,
)
from paddle.nn.layer.container import LayerList
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.norm import LayerNorm
from paddle.nn.layer.rnn_cells import MOST_LAYERS, positive_size
from paddle.nn.layer.transformer_block import TransformerBlock, attr_list

__all__ = [
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _stack(owner: str, argument: str, layer: Any, num_layers: Any) -> LayerList:
    """The given layer, followed by new ones with the same settings."""
    positive_size(owner, "num_layers", num_layers, MOST_LAYERS)
    if not isinstance(layer, Layer):
        raise TypeError(
            f"{owner}({argument}): expected a Layer, but received {type(layer).__name__}."
        )
    if num_layers > 1 and not hasattr(layer, "_config"):
        raise InvalidArgumentError(
            f"{owner}({argument}): expected a layer whose attribute _config holds the arguments to "
            f"make more like it, but received {type(layer).__name__}.",
        )
    return LayerList(
        [layer, *(type(layer)(**layer._config) for _ in range(num_layers - 1))]  # type: ignore
    )


def _caches(owner: str, caches: Any, count: int) -> list:
    """One cache a layer; None where there is none."""
    if caches is None:
        return [None] * count
    if not isinstance(caches, (list, tuple)) or len(caches) != count:
        what = f"{len(caches)}" if isinstance(caches, (list, tuple)) else type(caches).__name__
        raise InvalidArgumentError(
            f"{owner}(cache): expected a list of {count} caches, as gen_cache returns it, "
            f"but received {what}."
        )
    return list(caches)


class TransformerEncoderLayer(TransformerBlock):
    """Self-attention and a feed-forward network, each with a residual connection and a norm.

    Args:
        d_model (int): features of input and output.
        nhead (int): heads of the attention.
        dim_feedforward (int): width of the feed-forward network.
        dropout (float): on the results of both parts. Default: 0.1.
        activation (str): in the feed-forward network, a function of ``paddle.nn.functional``.
            Default: relu.
        attn_dropout (float, optional): on the attention's weights; None: ``dropout``.
        act_dropout (float, optional): behind the activation; None: ``dropout``.
        normalize_before (bool): normalize what goes into each part, instead of the sum behind it.
            Default: False.
        weight_attr (ParamAttr|list, optional): of the weights; a list of two: of the attention and
            of the feed-forward network.
        bias_attr (ParamAttr|bool|list, optional): of the biases, likewise.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.TransformerEncoderLayer(d_model=16, nhead=2, dim_feedforward=32)
            print(layer(paddle.rand([2, 4, 16])).shape)  # [2, 4, 16]
    """

    _attentions = 1

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        config = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__()
        weights, biases = self._start(config)
        self.self_attn = self._attention(weights[0], biases[0])
        self._add_rest(weights[1], biases[1])

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        """Encodes a sequence.

        Args:
            src (Tensor): shape [batch, length, d_model].
            src_mask (Tensor, optional): see :class:`MultiHeadAttention`.
            cache (Cache, optional): what came before, from :meth:`gen_cache` or the last call.

        Returns:
            Tensor of the shape of ``src``; with a cache, a tuple (result, cache for the next call).
        """
        mask = additive_mask(type(self).__name__, "src_mask", src_mask, src)
        residual = src
        if self.normalize_before:
            src = self.norm1(src)
        if cache is None:
            src = self.self_attn(src, src, src, mask)
        else:
            src, cache = self.self_attn(src, src, src, mask, cache)
        src = residual + self.dropout1(src)
        if not self.normalize_before:
            src = self.norm1(src)
        out = self._feed_forward(src, self.norm2, self.dropout2)
        return out if cache is None else (out, cache)

    def gen_cache(self, src: Tensor) -> Any:
        """Makes an empty cache for encoding step by step.

        Args:
            src (Tensor): a Tensor whose first dimension is the batch, of the type to compute in.

        Returns:
            Cache: a named tuple (k, v) of shape [batch, nhead, 0, d_model / nhead].

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.TransformerEncoderLayer(16, 2, 32)
                x = paddle.rand([2, 4, 16])
                out, cache = layer(x, cache=layer.gen_cache(x))
                print(cache.k.shape)  # [2, 2, 4, 8]
        """
        return self.self_attn.gen_cache(src, type=Cache)


class TransformerEncoder(Layer):
    """A stack of encoder layers.

    Args:
        encoder_layer (Layer): the first layer; the others are made with the same settings.
        num_layers (int): how many there are.
        norm (LayerNorm, optional): applied to the last result.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.TransformerEncoderLayer(d_model=16, nhead=2, dim_feedforward=32)
            encoder = paddle.nn.TransformerEncoder(layer, 2)
            print(encoder(paddle.rand([2, 4, 16])).shape)  # [2, 4, 16]
    """

    def __init__(self, encoder_layer: Layer, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _stack("TransformerEncoder", "encoder_layer", encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        """Encodes a sequence.

        Args:
            src (Tensor): shape [batch, length, d_model].
            src_mask (Tensor, optional): see :class:`MultiHeadAttention`.
            cache (list, optional): one cache a layer, from :meth:`gen_cache` or the last call.

        Returns:
            Tensor of the shape of ``src``; with a cache, a tuple (result, list of caches).
        """
        mask = additive_mask(type(self).__name__, "src_mask", src_mask, src)
        out, after = src, []
        caches = _caches(type(self).__name__, cache, self.num_layers)
        for layer, before in zip(self.layers, caches, strict=True):
            if before is None:
                out = layer(out, src_mask=mask)
            else:
                out, now = layer(out, src_mask=mask, cache=before)
                after.append(now)
        if self.norm is not None:
            out = self.norm(out)
        return out if cache is None else (out, after)

    def gen_cache(self, src: Tensor) -> list:
        """Makes an empty cache for every layer; see :meth:`TransformerEncoderLayer.gen_cache`.

        Args:
            src (Tensor): a Tensor whose first dimension is the batch, of the type to compute in.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.TransformerEncoderLayer(16, 2, 32)
                encoder = paddle.nn.TransformerEncoder(layer, 2)
                print(len(encoder.gen_cache(paddle.rand([2, 4, 16]))))  # 2
        """
        return [layer.gen_cache(src) for layer in self.layers]


class TransformerDecoderLayer(TransformerBlock):
    """Self-attention, attention to the encoder's result, and a feed-forward network.

    Args:
        d_model (int): features of input and output.
        nhead (int): heads of both attentions.
        dim_feedforward (int): width of the feed-forward network.
        dropout (float): on the results of the three parts. Default: 0.1.
        activation (str): in the feed-forward network, a function of ``paddle.nn.functional``.
            Default: relu.
        attn_dropout (float, optional): on the attentions' weights; None: ``dropout``.
        act_dropout (float, optional): behind the activation; None: ``dropout``.
        normalize_before (bool): normalize what goes into each part, instead of the sum behind it.
            Default: False.
        weight_attr (ParamAttr|list, optional): of the weights; a list of three: of self-attention,
            cross-attention and the feed-forward network.
        bias_attr (ParamAttr|bool|list, optional): of the biases, likewise.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.TransformerDecoderLayer(d_model=16, nhead=2, dim_feedforward=32)
            out = layer(paddle.rand([2, 4, 16]), memory=paddle.rand([2, 6, 16]))
            print(out.shape)  # [2, 4, 16]
    """

    _attentions = 2

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        config = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__()
        weights, biases = self._start(config)
        self.self_attn = self._attention(weights[0], biases[0])
        self.cross_attn = self._attention(weights[1], biases[1])
        self._add_rest(weights[2], biases[2])

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: Any = None,
    ) -> Any:
        """Decodes a sequence.

        Args:
            tgt (Tensor): shape [batch, length, d_model].
            memory (Tensor): the encoder's result, shape [batch, source length, d_model].
            tgt_mask (Tensor, optional): of self-attention, see :class:`MultiHeadAttention`.
            memory_mask (Tensor, optional): of the attention to ``memory``.
            cache (tuple, optional): a Cache and a StaticCache, from :meth:`gen_cache` or the last
                call.

        Returns:
            Tensor of the shape of ``tgt``; with a cache, a tuple (result, caches for the next
            call).
        """
        owner = type(self).__name__
        tgt_mask = additive_mask(owner, "tgt_mask", tgt_mask, tgt)
        memory_mask = additive_mask(owner, "memory_mask", memory_mask, tgt)
        own, fixed = _caches(owner, cache, 2)
        residual = tgt
        if self.normalize_before:
            tgt = self.norm1(tgt)
        if own is None:
            tgt = self.self_attn(tgt, tgt, tgt, tgt_mask)
        else:
            tgt, own = self.self_attn(tgt, tgt, tgt, tgt_mask, own)
        tgt = residual + self.dropout1(tgt)
        if not self.normalize_before:
            tgt = self.norm1(tgt)
        residual = tgt
        if self.normalize_before:
            tgt = self.norm2(tgt)
        if fixed is None:
            tgt = self.cross_attn(tgt, memory, memory, memory_mask)
        else:
            tgt, fixed = self.cross_attn(tgt, memory, memory, memory_mask, fixed)
        tgt = residual + self.dropout2(tgt)
        if not self.normalize_before:
            tgt = self.norm2(tgt)
        out = self._feed_forward(tgt, self.norm3, self.dropout3)
        return out if cache is None else (out, (own, fixed))

    def gen_cache(self, memory: Tensor) -> tuple:
        """Makes the caches for decoding step by step.

        Args:
            memory (Tensor): the encoder's result, shape [batch, source length, d_model].

        Returns:
            tuple: an empty Cache for self-attention, and a StaticCache with keys and values of
            ``memory``.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.TransformerDecoderLayer(16, 2, 32)
                own, fixed = layer.gen_cache(paddle.rand([2, 6, 16]))
                print(own.k.shape, fixed.k.shape)  # [2, 2, 0, 8] [2, 2, 6, 8]
        """
        return (
            self.self_attn.gen_cache(memory, type=Cache),
            self.cross_attn.gen_cache(memory, memory, type=StaticCache),
        )


class TransformerDecoder(Layer):
    """A stack of decoder layers.

    Args:
        decoder_layer (Layer): the first layer; the others are made with the same settings.
        num_layers (int): how many there are.
        norm (LayerNorm, optional): applied to the last result.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.TransformerDecoderLayer(d_model=16, nhead=2, dim_feedforward=32)
            decoder = paddle.nn.TransformerDecoder(layer, 2)
            print(decoder(paddle.rand([2, 4, 16]), paddle.rand([2, 6, 16])).shape)  # [2, 4, 16]
    """

    def __init__(self, decoder_layer: Layer, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _stack("TransformerDecoder", "decoder_layer", decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: Any = None,
    ) -> Any:
        """Decodes a sequence.

        Args:
            tgt (Tensor): shape [batch, length, d_model].
            memory (Tensor): the encoder's result, shape [batch, source length, d_model].
            tgt_mask (Tensor, optional): of self-attention, see :class:`MultiHeadAttention`.
            memory_mask (Tensor, optional): of the attention to ``memory``.
            cache (list, optional): the caches of every layer, from :meth:`gen_cache` or the last
                call.

        Returns:
            Tensor of the shape of ``tgt``; with a cache, a tuple (result, list of caches).
        """
        owner = type(self).__name__
        tgt_mask = additive_mask(owner, "tgt_mask", tgt_mask, tgt)
        memory_mask = additive_mask(owner, "memory_mask", memory_mask, tgt)
        out, after = tgt, []
        for layer, before in zip(self.layers, _caches(owner, cache, self.num_layers), strict=True):
            if before is None:
                out = layer(out, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
            else:
                out, now = layer(
                    out, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, cache=before
                )
                after.append(now)
        if self.norm is not None:
            out = self.norm(out)
        return out if cache is None else (out, after)

    def gen_cache(self, memory: Tensor, do_zip: bool = False) -> list:
        """Makes the caches of every layer; see :meth:`TransformerDecoderLayer.gen_cache`.

        Args:
            memory (Tensor): the encoder's result, shape [batch, source length, d_model].
            do_zip (bool): group by kind, all Caches and then all StaticCaches, instead of by
                layer. Default: False.

        Examples:
            .. code-block:: python

                import paddle
                layer = paddle.nn.TransformerDecoderLayer(16, 2, 32)
                decoder = paddle.nn.TransformerDecoder(layer, 3)
                memory = paddle.rand([2, 6, 16])
                print(len(decoder.gen_cache(memory)))  # 3
                print(len(decoder.gen_cache(memory, do_zip=True)))  # 2
        """
        made = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*made, strict=True)) if do_zip else made


class Transformer(Layer):
    """Encoder and decoder, https://arxiv.org/abs/1706.03762; without embeddings and output layer.

    Args:
        d_model (int): features of input and output. Default: 512.
        nhead (int): heads of the attentions. Default: 8.
        num_encoder_layers (int): layers of the encoder. Default: 6.
        num_decoder_layers (int): layers of the decoder. Default: 6.
        dim_feedforward (int): width of the feed-forward networks. Default: 2048.
        dropout (float): on the results of each part. Default: 0.1.
        activation (str): a function of ``paddle.nn.functional``. Default: relu.
        attn_dropout (float, optional): on the attentions' weights; None: ``dropout``.
        act_dropout (float, optional): behind the activation; None: ``dropout``.
        normalize_before (bool): see :class:`TransformerEncoderLayer`. Default: False.
        weight_attr (ParamAttr|list, optional): of the weights. A list of one: of all of them; of
            two: of attentions and of feed-forward networks; of three: of self-attention,
            cross-attention and feed-forward networks.
        bias_attr (ParamAttr|bool|list, optional): of the biases, likewise.
        custom_encoder (Layer, optional): used as the encoder.
        custom_decoder (Layer, optional): used as the decoder.

    Examples:
        .. code-block:: python

            import paddle
            net = paddle.nn.Transformer(16, 2, 1, 1, 32)
            mask = net.generate_square_subsequent_mask(6)
            out = net(paddle.rand([2, 4, 16]), paddle.rand([2, 6, 16]), tgt_mask=mask)
            print(out.shape)  # [2, 6, 16]
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        custom_encoder: Layer | None = None,
        custom_decoder: Layer | None = None,
    ) -> None:
        super().__init__()
        for name, given in (("custom_encoder", custom_encoder), ("custom_decoder", custom_decoder)):
            if given is not None and not isinstance(given, Layer):
                raise TypeError(
                    f"Transformer({name}): expected a Layer, but received {type(given).__name__}."
                )
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout,
            normalize_before,
        )  # fmt: skip
        weights, biases = _split("weight_attr", weight_attr), _split("bias_attr", bias_attr)
        self.encoder: Layer
        self.decoder: Layer
        if custom_encoder is None:
            layer: Any = TransformerEncoderLayer(*settings, weights[0], biases[0])
            self.encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        else:
            self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*settings, weights[1], biases[1])
            self.decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))
        else:
            self.decoder = custom_decoder
        self.d_model = d_model
        self.nhead = nhead

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        """Encodes ``src`` and decodes ``tgt`` beside it.

        Args:
            src (Tensor): shape [batch, source length, d_model].
            tgt (Tensor): shape [batch, target length, d_model].
            src_mask (Tensor, optional): of the encoder, see :class:`MultiHeadAttention`.
            tgt_mask (Tensor, optional): of the decoder's self-attention.
            memory_mask (Tensor, optional): of the decoder's attention to the encoder's result.

        Returns:
            Tensor: of the shape of ``tgt``.
        """
        memory = self.encoder(src, src_mask=src_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)

    def generate_square_subsequent_mask(self, length: int) -> Tensor:
        """Makes a mask that hides later positions: -inf above the diagonal, else 0.

        Args:
            length (int|Tensor): rows and columns.

        Returns:
            Tensor: shape [length, length], float32.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.nn.Transformer(8, 2, 1, 1, 8)
                print(net.generate_square_subsequent_mask(2).numpy().tolist())
                # [[0.0, -inf], [0.0, 0.0]]
        """
        if not isinstance(length, (Tensor, Variable)):
            check_size("Transformer.generate_square_subsequent_mask", "length", length)
        return tensor.triu(tensor.full([length, length], float("-inf")), 1)


def _convert_param_attr_to_list(param_attr: Any, n: int) -> list:
    """One attr for each of ``n`` parts of a layer; PaddleNLP's own layers import it from here."""
    parts = attr_list("_convert_param_attr_to_list", "param_attr", param_attr, n)
    return [False if part is False else ParamAttr._to_attr(part) for part in parts]


def _convert_attention_mask(attn_mask: Any, dtype: Any) -> Any:
    """A mask as what is added to scores of a type; PaddleDetection imports it from here."""
    like = tensor.zeros([1], dtype)
    return additive_mask("_convert_attention_mask", "attn_mask", attn_mask, like)


def _split(name: str, attr: Any) -> tuple:
    """What encoder layers and decoder layers take of the Transformer's attr."""
    if not isinstance(attr, (list, tuple)):
        return attr, attr
    if len(attr) == 1:
        return attr[0], attr[0]
    if len(attr) == 2:
        return list(attr), [attr[0], attr[0], attr[1]]
    if len(attr) == 3:
        return [attr[0], attr[2]], list(attr)
    raise InvalidArgumentError(
        f"Transformer({name}): expected one, or a list of 1 to 3, but received {len(attr)}."
    )
