"""Layers that label sequences: conditional random fields, CTC, edit distance, chunks."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, NotFoundError
from paddle.core.guards import guard_module
from paddle.ir.current import default_main_program
from paddle.ir.variable import Parameter, Variable
from paddle.static.nn.helper import FLOATS, StaticLayer

__all__ = [
    "chunk_eval", "crf_decoding", "ctc_greedy_decoder", "edit_distance", "linear_chain_crf",
    "warpctc",
]  # fmt: skip


def _layer(kind: str, name: str | None = None) -> StaticLayer:
    return StaticLayer(kind, name, api="fluid.layers.")


def linear_chain_crf(input: Any, label: Any, param_attr: Any = None, length: Any = None) -> Any:
    """Adds the loss of a linear-chain conditional random field (CRF).

    Args:
        input (Variable): scores of tags: rows ``[N, tags]`` with one level, or a padded batch
            ``[B, steps, tags]``.
        label (Variable): the true tags, ``[N, 1]`` or ``[B, steps]``, int64.
        param_attr (ParamAttr, optional): the transitions ``[tags + 2, tags]``: a row of weights of
            the first tag, one of the last, then from each tag to every tag.
        length (Variable, optional): the lengths of the sequences of a batch, ``[B, 1]``, int64.

    Returns:
        Variable: minus the log-likelihood of every sequence, ``[B, 1]``.

    Raises:
        ValueError: rank or dtype does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4], lod_level=1)
            tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
            print(fluid.layers.linear_chain_crf(x, tags).shape)  # (-1, 1)
            paddle.disable_static()
    """
    layer = _layer("linear_chain_crf")
    layer.check("input", input, [2, 3], ("float32", "float64"))
    layer.check("label", label, dtypes=("int64",))
    if length is not None:
        layer.check("length", length, dtypes=("int64",))
    tags = layer.size(input, -1, "input")
    moves = layer.weight("param_attr", param_attr, [tags + 2, tags], input.dtype)
    names = ("Alpha", "EmissionExps", "TransitionExps", "LogLikelihood")
    outs = {slot: layer.fresh(input.dtype) for slot in names}
    inputs = {"Emission": input, "Transition": moves, "Label": label, "Length": length}
    layer.append("linear_chain_crf", inputs, outs)
    return outs["LogLikelihood"]


def crf_decoding(input: Any, param_attr: Any, label: Any = None, length: Any = None) -> Variable:
    """Adds the search for the best tags of each sequence under a conditional random field.

    Args:
        input (Variable): scores of tags: rows ``[N, tags]`` with one level, or a padded batch
            ``[B, steps, tags]``.
        param_attr (ParamAttr): names the transitions of ``linear_chain_crf``; where there are
            none, as in a Program for inference, the parameter is made.
        label (Variable, optional): true tags, int64; then the result is 1 where a tag is the
            label's, and 0 elsewhere.
        length (Variable, optional): the lengths of the sequences of a batch, int64.

    Returns:
        Variable: the tags, ``[N, 1]`` with the levels of the input, or ``[B, steps]``; int64.

    Raises:
        ValueError: rank or dtype does not fit, or ``param_attr`` has no name.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4], lod_level=1)
            tags = fluid.data("tags", [None, 1], "int64", lod_level=1)
            fluid.layers.linear_chain_crf(x, tags, fluid.ParamAttr(name="transitions"))
            path = fluid.layers.crf_decoding(x, fluid.ParamAttr(name="transitions"))
            print(path.shape, path.lod_level)  # (-1, 1) 1
            paddle.disable_static()
    """
    layer = _layer("crf_decoding")
    layer.check("input", input, [2, 3], ("float32", "float64"))
    name = param_attr if isinstance(param_attr, str) else getattr(param_attr, "name", None)
    if name is None:
        raise layer.wrong("param_attr", "a ParamAttr with the name of a parameter", param_attr)
    found = default_main_program().global_block().vars.get(name)
    if not isinstance(found, Parameter):
        raise NotFoundError(
            f"{layer.api}(param_attr): the Program has no parameter {name!r}.",
            hint="make it first, by linear_chain_crf or create_parameter",
        )
    out = layer.fresh("int64")
    inputs = {"Emission": input, "Transition": found, "Label": label, "Length": length}
    layer.append("crf_decoding", inputs, {"ViterbiPath": out})
    return out


def warpctc(
    input: Any, label: Any, blank: int = 0, norm_by_times: bool = False, input_length: Any = None,
    label_length: Any = None,
) -> Variable:  # fmt: skip
    """Adds the CTC loss of sequences; the softmax over the classes is part of it.

    Args:
        input (Variable): scores of the classes: rows ``[N, classes]`` with one level, or a padded
            batch ``[steps, B, classes]``.
        label (Variable): the labels, ``[M, 1]`` with one level, or padded ``[B, most]``; int32.
        blank (int): the class that stands for nothing. Default: 0.
        norm_by_times (bool): gradients are divided by the steps of each sequence. Default: False.
        input_length (Variable, optional): the steps of each sequence of a batch, ``[B]``, int64.
        label_length (Variable, optional): how many labels each has, ``[B]``, int64.

    Returns:
        Variable: the loss of each sequence, ``[B, 1]``.

    Raises:
        ValueError: a dtype does not fit, or lengths are missing.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 5], lod_level=1)
            label = fluid.data("label", [None, 1], "int32", lod_level=1)
            print(fluid.layers.warpctc(x, label).shape)  # (-1, 1)
            paddle.disable_static()
    """
    layer = _layer("warpctc")
    layer.check("input", input, [2, 3], ("float32", "float64"))
    layer.check("label", label, dtypes=("int32",))
    if (input_length is None) != (label_length is None):
        raise InvalidArgumentError(
            "fluid.layers.warpctc: expected both of input_length and label_length or none of them."
        )
    outs = {"Loss": layer.fresh(input.dtype), "WarpCTCGrad": layer.fresh(input.dtype)}
    inputs = {
        "Logits": input, "Label": label, "LogitsLength": input_length, "LabelLength": label_length,
    }  # fmt: skip
    layer.append("warpctc", inputs, outs, blank=blank, norm_by_times=norm_by_times)
    return outs["Loss"]


def ctc_greedy_decoder(
    input: Any, blank: int, input_length: Any = None, padding_value: int = 0,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Adds the simplest decoding of CTC: the best class of each step, merged, without blanks.

    Args:
        input (Variable): scores of the classes: rows ``[N, classes]`` with one level, or a padded
            batch ``[B, steps, classes]``.
        blank (int): the class that stands for nothing.
        input_length (Variable, optional): the steps of each sequence of a batch, ``[B, 1]``, int64.
        padding_value (int): stands behind the labels in the result of a batch. Default: 0.
        name (str, optional): the layer's name.

    Returns:
        Variable: the labels ``[M, 1]`` with one level (-1 where there is none at all); of a batch a
        pair: the labels ``[B, steps]`` and their numbers ``[B, 1]``.

    Raises:
        ValueError: rank or dtype does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 5], lod_level=1)
            print(fluid.layers.ctc_greedy_decoder(x, blank=0).shape)  # (-1, 1)
            paddle.disable_static()
    """
    layer = _layer("ctc_greedy_decoder", name)
    layer.check("input", input, [2] if input_length is None else [3], FLOATS)
    _, best = _layer("top_k").call("top_k", input, None, k=1)
    out = layer.fresh("int64")
    if input_length is None:
        layer.append("ctc_align", {"Input": best}, {"Output": out}, blank=blank,
                     merge_repeated=True)  # fmt: skip
        out.shape = (-1, 1)
        return out
    count = layer.fresh("int64")
    flat, _ = _layer("squeeze").call("squeeze2", best, axes=[2])
    layer.append(
        "ctc_align", {"Input": flat, "InputLength": input_length},
        {"Output": out, "OutputLength": count}, blank=blank, merge_repeated=True,
        padding_value=padding_value,
    )  # fmt: skip
    return out, count


def edit_distance(
    input: Any, label: Any, normalized: bool = True, ignored_tokens: Any = None,
    input_length: Any = None, label_length: Any = None,
) -> tuple[Variable, Variable]:  # fmt: skip
    """Adds Levenshtein's distance of each sequence to its reference.

    Args:
        input (Variable): the sequences, ``[N, 1]`` with one level, or padded ``[B, steps]``; int64.
        label (Variable): the references, of the same form.
        normalized (bool): divide by the reference's length. Default: True.
        ignored_tokens (list[int], optional): taken out of both first; only of rows with levels.
        input_length (Variable, optional): the lengths of padded sequences, ``[B]``, int64.
        label_length (Variable, optional): those of padded references.

    Returns:
        tuple: the distances ``[B, 1]``, float32, and the number of sequences ``[1]``, int64.

    Raises:
        ValueError: a dtype does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 1], "int64", lod_level=1)
            y = fluid.data("y", [None, 1], "int64", lod_level=1)
            distance, count = fluid.layers.edit_distance(x, y, ignored_tokens=[0])
            print(distance.shape, count.shape)  # (-1, 1) (1,)
            paddle.disable_static()
    """
    layer = _layer("edit_distance")
    layer.check("input", input, dtypes=("int64",))
    layer.check("label", label, dtypes=("int64",))
    if ignored_tokens:
        tokens = [int(n) for n in ignored_tokens]
        input = layer.call("sequence_erase", input, tokens=tokens)
        label = layer.call("sequence_erase", label, tokens=tokens)
    out, count = layer.fresh("float32"), layer.fresh("int64")
    inputs = {
        "Hyps": input, "Refs": label, "HypsLength": input_length, "RefsLength": label_length,
    }  # fmt: skip
    layer.append("edit_distance", inputs, {"SequenceNum": count, "Out": out}, normalized=normalized)
    return out, count


def chunk_eval(
    input: Any, label: Any, chunk_scheme: str, num_chunk_types: int,
    excluded_chunk_types: Any = None, seq_length: Any = None,
) -> tuple[Variable, ...]:  # fmt: skip
    """Adds the evaluation of chunks: spans of several kinds, as named entities are.

    Args:
        input (Variable): predicted tags, ``[N, 1]`` with one level, or padded ``[B, steps]``;
            int64. A tag is ``kind * tags of the scheme + place``; one behind all kinds is outside.
        label (Variable): the true tags, of the same form.
        chunk_scheme (str): IOB, IOE, IOBES or plain.
        num_chunk_types (int): how many kinds there are.
        excluded_chunk_types (list[int], optional): kinds that do not count.
        seq_length (Variable, optional): the lengths of padded sequences, ``[B]``, int64.

    Returns:
        tuple: precision, recall and F1, float32; the numbers of chunks that were predicted, that
        are true, and that are both, int64; each ``[1]``.

    Raises:
        ValueError: an unknown scheme, or a dtype does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 1], "int64", lod_level=1)
            y = fluid.data("y", [None, 1], "int64", lod_level=1)
            print(len(fluid.layers.chunk_eval(x, y, "IOB", num_chunk_types=3)))  # 6
            paddle.disable_static()
    """
    layer = _layer("chunk_eval")
    layer.check("input", input, dtypes=("int64",))
    layer.check("label", label, dtypes=("int64",))
    slots = {
        "Precision": "float32", "Recall": "float32", "F1-Score": "float32",
        "NumInferChunks": "int64", "NumLabelChunks": "int64", "NumCorrectChunks": "int64",
    }  # fmt: skip
    outs = {slot: layer.fresh(kind) for slot, kind in slots.items()}
    inputs = {"Inference": input, "Label": label, "SeqLength": seq_length}
    layer.append(
        "chunk_eval", inputs, outs, num_chunk_types=num_chunk_types, chunk_scheme=chunk_scheme,
        excluded_chunk_types=[int(n) for n in excluded_chunk_types or ()],
    )  # fmt: skip
    return tuple(outs.values())


guard_module(globals())
