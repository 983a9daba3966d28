"""contrib.decoder: a cell with named states, trained and searched."""

import numpy as np


def _numbers(*shape):
    n = int(np.prod(shape))
    return np.sin(np.arange(n) * 0.7 + 0.3).reshape(shape).astype("float32")


def _cell(fluid, reorder):
    L = fluid.layers
    from_package = fluid.contrib.decoder.beam_search_decoder
    source = fluid.data("source", [None, 4], "float32", lod_level=1)
    whole = L.sequence_last_step(source)
    start = from_package.InitState(init=whole, need_reorder=reorder)
    cell = from_package.StateCell(inputs={"x": None}, states={"h": start}, out_state="h")

    @cell.state_updater
    def update(cell):
        both = [cell.get_state("h"), cell.get_input("x")]
        cell.set_state("h", L.fc(both, 4, act="tanh"))

    return cell


def case_training(fluid):
    L = fluid.layers
    target = fluid.data("target", [None, 4], "float32", lod_level=1)
    cell = _cell(fluid, True)
    decoder = fluid.contrib.decoder.beam_search_decoder.TrainingDecoder(cell)
    with decoder.block():
        decoder.state_cell.compute_state(inputs={"x": decoder.step_input(target)})
        guess = L.fc(decoder.state_cell.get_state("h"), 7, act="softmax")
        decoder.state_cell.update_states()
        decoder.output(guess)
    feeds = {"source": (_numbers(5, 4), [[2, 3]]), "target": (_numbers(7, 4), [[3, 4]])}
    return feeds, [L.sequence_pool(decoder(), "sum")]


def case_beam_search(fluid):
    ids = fluid.data("ids", [None, 1], "int64", lod_level=2)
    scores = fluid.data("scores", [None, 1], "float32", lod_level=2)
    cell = _cell(fluid, False)
    decoder = fluid.contrib.decoder.beam_search_decoder.BeamSearchDecoder(
        cell, ids, scores, target_dict_dim=7, word_dim=4, topk_size=5, max_len=4, beam_size=2
    )
    decoder.decode()
    words, values = decoder()
    lengths = [[1, 1], [1, 1]]
    feeds = {
        "source": (_numbers(5, 4), [[2, 3]]),
        "ids": (np.array([[0], [0]]), lengths),
        "scores": (np.zeros([2, 1], "float32"), lengths),
    }
    return feeds, [words, values]


case_beam_search.grad = False
