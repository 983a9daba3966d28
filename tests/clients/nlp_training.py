"""Trains small models of PaddleNLP on fixed data; run by PaddlePaddle 2.6.2 as well, to compare.

    python tests/clients/nlp_training.py RESULTS.npz [FOLDER FOR THE EXPORTED MODELS]

Weights are a formula of their position and data are written out, so that both start from the same.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

VOCAB, HIDDEN, HEADS, LAYERS, STEPS = 40, 32, 4, 2, 5
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
SIZES = {
    "vocab_size": VOCAB, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS, "intermediate_size": 2 * HIDDEN, "max_position_embeddings": 24,
    "type_vocab_size": 2, **NO_DROPOUT,
}  # fmt: skip


class Case(NamedTuple):
    """A model, its loss of (model, batch), a batch, the arguments its forward is exported with."""

    model: Any
    loss: Any
    batch: tuple
    exported: tuple


def ids(rows: int, columns: int, first: int = 1, last: int = VOCAB) -> np.ndarray:
    """Numbers of words, none of them 0."""
    count = np.arange(rows * columns)
    return (first + (count * 7 + count // 5 * 3) % (last - first)).reshape(rows, columns)


def fill(model: Any) -> None:
    """Gives every parameter values that follow from its position and its shape."""
    for index, (name, param) in enumerate(model.named_parameters()):
        wave = np.sin(np.arange(param.size if isinstance(param.size, int) else np.prod(param.shape))
                      * (0.37 + 0.011 * index) + index)  # fmt: skip
        around = 1.0 if "norm" in name and name.endswith("weight") else 0.0
        param.set_value((around + 0.12 * wave).astype("float32").reshape(param.shape))


def bert() -> Case:
    """The model for pretraining: words under a mask, and whether sentences follow one another."""
    from paddlenlp.transformers import BertForPretraining, BertModel, BertPretrainingCriterion

    model, criterion = BertForPretraining(BertModel(**SIZES)), BertPretrainingCriterion(VOCAB)
    words, kinds = ids(3, 12), np.tile([0] * 6 + [1] * 6, (3, 1))
    words[1, 9:] = 0  # padding
    places, labels = np.array([2, 7, 13, 16, 26, 30]), ids(6, 1, 3)
    follows = np.array([[0], [1], [1]])

    def loss(net: Any, words: Any, kinds: Any, places: Any, labels: Any, follows: Any) -> Any:
        scores, relation = net(input_ids=words, token_type_ids=kinds, masked_positions=places)
        return criterion(scores, relation, labels, follows, 6.0)

    return Case(model, loss, (words, kinds, places, labels, follows), (words, kinds))


def ernie() -> Case:
    """The model that classifies sentences."""
    from paddlenlp.transformers import ErnieForSequenceClassification, ErnieModel

    import paddle

    model = ErnieForSequenceClassification(ErnieModel(**SIZES), num_classes=3)
    words, labels = ids(4, 10), np.array([[0], [2], [1], [2]])
    words[2, 6:] = 0
    criterion = paddle.nn.loss.CrossEntropyLoss()
    kinds = np.zeros_like(words)

    def loss(net: Any, words: Any, kinds: Any, labels: Any) -> Any:
        return criterion(net(words, kinds), labels)

    return Case(model, loss, (words, kinds, labels), (words, kinds))


def gpt() -> Case:
    """The model that says the next word."""
    from paddlenlp.transformers import GPTForPretraining, GPTModel, GPTPretrainingCriterion

    model, criterion = GPTForPretraining(GPTModel(**SIZES)), GPTPretrainingCriterion()
    words = ids(2, 11)
    mask = np.ones((2, 10), "float32")
    mask[1, 7:] = 0

    def loss(net: Any, words: Any, labels: Any, mask: Any) -> Any:
        return criterion(net(words), labels, mask)

    return Case(model, loss, (words[:, :-1], words[:, 1:], mask), (words[:, :-1],))


def transformer() -> Case:
    """The model that translates, with smoothed labels."""
    from paddlenlp.transformers import CrossEntropyCriterion, TransformerModel

    model = TransformerModel(**TRANSLATION)
    criterion = CrossEntropyCriterion(label_smooth_eps=0.1, pad_idx=0)
    source, target = ids(2, 9, 2), ids(2, 8, 2)
    source[1, 6:], target[1, 5:] = 0, 0

    def loss(net: Any, source: Any, target: Any, labels: Any) -> Any:
        return criterion(net(source, target), labels)[1]

    return Case(
        model, loss, (source, target[:, :-1], target[:, 1:, None]), (source, target[:, :-1])
    )


TRANSLATION = {
    "src_vocab_size": VOCAB, "trg_vocab_size": VOCAB, "max_length": 24,
    "num_encoder_layers": LAYERS,
    "num_decoder_layers": LAYERS, "n_head": HEADS, "d_model": HIDDEN, "d_inner_hid": 2 * HIDDEN,
    "dropout": 0.0, "weight_sharing": True, "bos_id": 0, "eos_id": 1,
}  # fmt: skip
CASES = {"bert": bert, "ernie": ernie, "gpt": gpt, "transformer": transformer}


def train(case: Case, convert: bool) -> list[float]:
    """Trains as PaddleNLP's own scripts do; returns the losses.

    Args:
        case (Case): what to train; its parameters are set.
        convert (bool): by `paddle.jit.to_static`.
    """
    from paddlenlp.transformers import LinearDecayWithWarmup

    import paddle

    fill(case.model)
    case.model.train()
    decayed = [p.name for n, p in case.model.named_parameters() if not n.endswith("bias")]
    schedule = LinearDecayWithWarmup(5e-3, 2 * STEPS, 2)
    optimizer = paddle.optimizer.AdamW(
        learning_rate=schedule, parameters=case.model.parameters(), weight_decay=0.01,
        apply_decay_param_fun=lambda name: name in decayed,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
    )  # fmt: skip
    batch = [paddle.to_tensor(array) for array in case.batch]
    loss_of = case.loss
    net = paddle.jit.to_static(case.model) if convert else case.model
    losses = []
    for _ in range(STEPS):
        loss = loss_of(net, *batch)
        loss.backward()
        optimizer.step()
        schedule.step()
        optimizer.clear_grad()
        losses.append(float(loss.numpy().reshape(-1)[0]))
    return losses


def alone(make: Any, *args: Any, **kwargs: Any) -> Any:
    """Makes a model; GPT names parameters itself, and a second one would take the names again."""
    import paddle

    with paddle.utils.unique_name.guard():
        return make(*args, **kwargs)


def flat(results: Any) -> list[np.ndarray]:
    """The arrays of a result."""
    listed = results if isinstance(results, (list, tuple)) else [results]
    return [result.numpy() for result in listed]


def generation() -> dict[str, np.ndarray]:
    """What GPT goes on with, and what the Transformer translates to."""
    from paddlenlp.transformers import GPTLMHeadModel, GPTModel, InferTransformerModel

    import paddle

    found = {}
    model = alone(lambda: GPTLMHeadModel(GPTModel(**SIZES)))
    fill(model)
    model.eval()
    options = {"max_length": 6, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    words = paddle.to_tensor(ids(2, 5, 3))
    for name, how in {
        "greedy": {"decode_strategy": "greedy_search"},
        "beam": {"decode_strategy": "beam_search", "num_beams": 3, "length_penalty": 0.5},
    }.items():
        made, scores = model.generate(words, **options, **how)
        found[f"generate_{name}"], found[f"generate_{name}_scores"] = made.numpy(), scores.numpy()
    paddle.seed(1)
    made, _ = model.generate(words, decode_strategy="sampling", top_k=4, top_p=0.9, **options)
    found["sampled_shape"] = np.array(made.shape)
    assert made.numpy().min() >= 0 and made.numpy().max() < VOCAB
    model = InferTransformerModel(**TRANSLATION, beam_size=3, max_out_len=7)
    fill(model)
    model.eval()
    found["translated"] = model(paddle.to_tensor(ids(2, 6, 2))).numpy()
    return found


def crf() -> dict[str, np.ndarray]:
    """A CRF: its loss, the gradients, the best paths."""
    from paddlenlp.layers import LinearChainCrf, LinearChainCrfLoss, ViterbiDecoder

    import paddle

    layer = LinearChainCrf(4)
    fill(layer)
    scores = np.sin(np.arange(2 * 6 * 6)).reshape(2, 6, 6).astype("float32")
    scores, lengths = paddle.to_tensor(scores, stop_gradient=False), paddle.to_tensor([6, 4])
    loss = LinearChainCrfLoss(layer)(scores, lengths, paddle.to_tensor(ids(2, 6, 0, 4)))
    loss.sum().backward()
    best, path = ViterbiDecoder(layer.transitions)(scores.detach(), lengths)
    return {
        "crf_loss": loss.numpy(), "crf_gradient": scores.grad.numpy(),
        "crf_transitions_gradient": layer.transitions.grad.numpy(),
        "crf_best": best.numpy(), "crf_path": path.numpy(),
    }  # fmt: skip


def export(case: Case, path: str) -> list[np.ndarray]:
    """Saves the trained model by InputSpec; returns what the loaded one gives."""
    import paddle
    from paddle.static import InputSpec

    case.model.eval()
    specs = [InputSpec([None, None], "int64") for _ in case.exported]
    paddle.jit.save(paddle.jit.to_static(case.model, input_spec=specs), path)
    loaded = paddle.jit.load(path)
    loaded.eval()
    return flat(loaded(*[paddle.to_tensor(array) for array in case.exported]))


def main(arguments: list[str]) -> None:
    """Writes all results; with a folder, exports the models into it."""
    import paddle

    found: dict[str, Any] = {}
    for name, make in CASES.items():
        case = alone(make)
        found[f"{name}_losses"] = np.array(train(case, convert=False))
        case.model.eval()
        exported = [paddle.to_tensor(array) for array in case.exported]
        with paddle.no_grad():
            found |= {f"{name}_out{i}": a for i, a in enumerate(flat(case.model(*exported)))}
        if arguments[1:]:
            found[f"{name}_losses_static"] = np.array(train(alone(make), convert=True))
            loaded = export(case, f"{arguments[1]}/{name}")
            found |= {f"{name}_loaded{i}": array for i, array in enumerate(loaded)}
    from nlp_parts import collect

    found |= {**generation(), **crf(), **collect()}
    np.savez_compressed(arguments[0], **found)


if __name__ == "__main__":
    from stand_ins import install

    install()
    main(sys.argv[1:])
