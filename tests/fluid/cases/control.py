"""Control flow: loops, branches, rows that are split, recurrent steps, tensor arrays."""

import numpy as np


def _numbers(*shape):
    n = int(np.prod(shape))
    return np.sin(np.arange(n) * 0.7 + 0.3).reshape(shape).astype("float32")


def _counter(fluid, value, dtype="int64"):
    return fluid.layers.fill_constant([1], dtype, value)


# -- loops ----------------------------------------------------------------------------------------


def case_while(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 2], "float32")
    i, n = _counter(fluid, 0), _counter(fluid, 3)
    total = _counter(fluid, 0.0, "float32")
    total.stop_gradient = False
    array = L.array_write(x, i)
    going = L.less_than(i, n)
    with L.While(going).block():
        L.assign(L.reduce_sum(x * x) + total, total)
        i = L.increment(i, 1, in_place=True)
        L.array_write(x * 2.0, i, array)
        L.less_than(i, n, cond=going)
    last = L.array_read(array, i)
    joined, sizes = L.tensor_array_to_tensor(array, 1)
    stacked, _ = L.tensor_array_to_tensor(array, 0, use_stack=True)
    more = L.increment(i, 2, in_place=False)
    fetches = [total, last, L.array_length(array), joined, sizes, stacked, i, more]
    return {"x": _numbers(2, 2)}, fetches


case_while.grad = False


def case_while_gradient(fluid):
    L = fluid.layers
    x = fluid.data("x", [2, 2], "float32")
    w = L.create_parameter([2, 2], "float32", name="w")
    i, n = _counter(fluid, 0), _counter(fluid, 3)
    zero = _counter(fluid, 0)
    array = L.array_write(x, zero)
    going = L.less_than(i, n)
    with L.While(going).block():
        now = L.array_read(array, i)
        i = L.increment(i, 1, in_place=True)
        L.array_write(L.tanh(L.matmul(now, w)), i, array)
        L.less_than(i, n, cond=going)
    return {"x": _numbers(2, 2)}, [L.array_read(array, n)]


def case_while_loop(fluid):
    L = fluid.layers
    x = fluid.data("x", [2, 2], "float32")
    i, limit = _counter(fluid, 0), _counter(fluid, 4)
    y = L.scale(x, 1.0)
    i, y, limit = L.while_loop(
        lambda i, y, limit: L.less_than(i, limit),
        lambda i, y, limit: [i + 1, y * 2.0 + x, limit],
        [i, y, limit],
    )
    return {"x": _numbers(2, 2)}, [i, y]


case_while_loop.grad = False


# -- branches -------------------------------------------------------------------------------------


def _switch(fluid):
    L = fluid.layers
    x = fluid.data("x", [1], "float32")
    y = L.create_global_var([1], 0.0, "float32", persistable=True, name="y")
    one = L.fill_constant([1], "float32", 1.0)
    with L.Switch() as switch:
        with switch.case(L.less_than(x, one)):
            L.assign(one, y)
        with switch.case(x < one + one):
            L.assign(one * 2.0, y)
        with switch.default():
            L.assign(one * 3.0, y)
    return y


def case_switch_first(fluid):
    return {"x": np.array([0.5], "float32")}, [_switch(fluid)]


def case_switch_second(fluid):
    return {"x": np.array([1.5], "float32")}, [_switch(fluid)]


def case_switch_default(fluid):
    return {"x": np.array([2.5], "float32")}, [_switch(fluid)]


for _case in (case_switch_first, case_switch_second, case_switch_default):
    _case.grad = False


def case_if_else(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 2], "float32")
    key = fluid.data("key", [None, 1], "float32")
    ways = L.IfElse(L.greater_than(key, L.fill_constant([1], "float32", 0.0)))
    with ways.true_block():
        rows = ways.input(x)
        ways.output(rows * 2.0, rows)
    with ways.false_block():
        rows = ways.input(x)
        ways.output(rows - 1.0, rows * rows)
    first, second = ways()
    feeds = {"x": _numbers(4, 2), "key": np.array([[1], [-1], [-2], [3]], "float32")}
    return feeds, [first, second]


case_if_else.grad = ["x"]


def case_if_else_one_side_empty(fluid):
    feeds, fetches = case_if_else(fluid)
    feeds["key"] = np.ones([4, 1], "float32")
    return feeds, fetches


case_if_else_one_side_empty.grad = False


def _cond(fluid, value):
    L = fluid.layers
    x = fluid.data("x", [1], "float32")
    one = L.fill_constant([1], "float32", 1.0)
    first, second = L.cond(x < one, lambda: (x * 3.0, x), lambda: (one, x + 1.0))
    return {"x": np.array([value], "float32")}, [first, second]


def case_cond_true(fluid):
    return _cond(fluid, 0.5)


def case_cond_false(fluid):
    return _cond(fluid, 1.5)


def case_case(fluid):
    L = fluid.layers
    x = fluid.data("x", [1], "float32")
    one = L.fill_constant([1], "float32", 1.0)
    out = L.case([(x < one, lambda: x * 2.0), (x < one * 3.0, lambda: x * 3.0)], lambda: x)
    return {"x": np.array([2.0], "float32")}, [out]


def case_switch_case(fluid):
    L = fluid.layers
    x = fluid.data("x", [1], "float32")
    i = fluid.data("i", [1], "int32")
    out = L.switch_case(i, {1: lambda: x * 2.0, 3: lambda: x * 3.0}, lambda: x)
    return {"x": np.array([2.0], "float32"), "i": np.array([3], "int32")}, [out]


# -- recurrent steps ------------------------------------------------------------------------------


def case_static_rnn(fluid):
    L = fluid.layers
    x = fluid.data("x", [3, 2, 4], "float32")
    rnn = L.StaticRNN()
    with rnn.step():
        row = rnn.step_input(x)
        before = rnn.memory(shape=[-1, 3], batch_ref=row, init_value=0.5)
        hidden = L.fc([row, before], 3, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.step_output(hidden)
        rnn.output(row * 2.0)
    hidden, doubled = rnn()
    return {"x": _numbers(3, 2, 4)}, [hidden, doubled]


def case_static_rnn_init(fluid):
    L = fluid.layers
    x = fluid.data("x", [3, 2, 4], "float32")
    start = fluid.data("start", [2, 4], "float32")
    rnn = L.StaticRNN()
    with rnn.step():
        row = rnn.step_input(x)
        before = rnn.memory(init=start)
        now = L.tanh(row + before)
        rnn.update_memory(before, now)
        rnn.step_output(now)
    return {"x": _numbers(3, 2, 4), "start": _numbers(2, 4)}, [rnn()]


def case_dynamic_rnn(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 4], "float32", lod_level=1)
    rnn = L.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(x)
        before = rnn.memory(shape=[3], value=0.5)
        hidden = L.fc([row, before], 3, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.output(hidden)
    return {"x": (_numbers(7, 4), [[2, 4, 1]])}, [rnn()]


case_dynamic_rnn.grad = False  # of rows with levels: 1.8.5 wants a sequence operator behind


def case_dynamic_rnn_gradient(fluid):
    feeds, (out,) = case_dynamic_rnn(fluid)
    return feeds, [fluid.layers.sequence_pool(out, "sqrt")]


def case_dynamic_rnn_all(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 4], "float32", lod_level=1)
    whole = fluid.data("whole", [None, 3], "float32", lod_level=1)
    start = fluid.data("start", [None, 3], "float32")
    rnn = L.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(x)
        seen = rnn.static_input(whole)
        before = rnn.memory(init=start, need_reorder=True)
        other = rnn.memory(shape=[3], value=0.5)
        rows = L.sequence_pool(seen, "sum")
        hidden = L.fc([row, before, other, rows], 3, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.update_memory(other, hidden)
        rnn.output(hidden)
    last = L.sequence_last_step(rnn())
    feeds = {
        "x": (_numbers(7, 4), [[2, 4, 1]]),
        "whole": (_numbers(6, 3), [[1, 2, 3]]),
        "start": _numbers(3, 3),
    }
    return feeds, [last]


def case_dynamic_rnn_two_outputs(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 4], "float32", lod_level=1)
    y = fluid.data("y", [None, 4], "float32", lod_level=1)
    rnn = L.DynamicRNN()
    with rnn.block():
        a, b = rnn.step_input(x), rnn.step_input(y)
        before = rnn.memory(shape=[4])
        now = L.tanh(a * b + before)
        rnn.update_memory(before, now)
        rnn.output(now, now * 2.0)
    first, second = rnn()
    feeds = {"x": (_numbers(7, 4), [[2, 4, 1]]), "y": (_numbers(7, 4)[::-1].copy(), [[2, 4, 1]])}
    return feeds, [L.sequence_pool(first, "sum"), L.sequence_pool(second, "max")]


def case_dynamic_rnn_two_levels(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 2], "float32", lod_level=2)
    rnn = L.DynamicRNN()
    with rnn.block():
        rows = rnn.step_input(x)
        pooled = L.sequence_pool(rows, "sum")
        before = rnn.memory(shape=[2])
        now = L.tanh(pooled + before)
        rnn.update_memory(before, now)
        rnn.output(now)
    return {"x": (_numbers(8, 2), [[2, 1], [3, 1, 4]])}, [rnn()]


case_dynamic_rnn_two_levels.grad = False


def case_dynamic_rnn_classifier(fluid):
    L = fluid.layers
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    label = fluid.data("label", [None, 1], "int64")
    x = fluid.embedding(words, [11, 4])
    x = L.reshape(x, [-1, 4]) if len(x.shape) > 2 else x
    x = L.lod_reset(x, words)
    rnn = L.DynamicRNN()
    with rnn.block():
        row = rnn.step_input(x)
        before = rnn.memory(shape=[5])
        hidden = L.fc([row, before], 5, act="tanh")
        rnn.update_memory(before, hidden)
        rnn.output(hidden)
    guess = L.fc(L.sequence_last_step(rnn()), 3, act="softmax")
    loss = L.mean(L.cross_entropy(guess, label))
    fluid.optimizer.Adam(0.05).minimize(loss)
    feeds = {
        "words": (np.array([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]).T, [[3, 5, 2]]),
        "label": np.array([[0], [1], [2]]),
    }
    return feeds, [loss]


case_dynamic_rnn_classifier.steps = 10
case_dynamic_rnn_classifier.program = False


# -- what they are made of ------------------------------------------------------------------------


def case_rank_table(fluid):
    control = fluid.layers.control_flow
    x = fluid.data("x", [None, 2], "float32", lod_level=1)
    other = fluid.data("other", [None, 2], "float32", lod_level=1)
    rows = fluid.data("rows", [None, 2], "float32")
    table = control.lod_rank_table(x)
    longest = control.max_sequence_len(table)
    array = control.lod_tensor_to_array(x, table)
    back = control.array_to_lod_tensor(array, table)
    i = fluid.layers.fill_constant([1], "int64", 1)
    fetches = [
        longest, back, control.reorder_lod_tensor_by_rank(other, table),
        control.reorder_lod_tensor_by_rank(rows, table), control.shrink_memory(rows, i, table),
    ]  # fmt: skip
    feeds = {
        "x": (_numbers(7, 2), [[1, 4, 2]]),
        "other": (_numbers(6, 2), [[2, 1, 3]]),
        "rows": _numbers(3, 2),
    }
    return feeds, fetches


case_rank_table.grad = False


def case_split_and_merge(fluid):
    control = fluid.layers.control_flow
    x = fluid.data("x", [None, 2], "float32")
    mask = fluid.data("mask", [None, 1], "bool")
    yes, no = control.split_lod_tensor(x, mask)
    merged = control.merge_lod_tensor(yes * 2.0, no, x, mask)
    return {"x": _numbers(3, 2), "mask": np.array([[True], [False], [True]])}, [merged]


def case_comparisons(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 2], "float32", lod_level=1)
    y = fluid.data("y", [None, 2], "float32")
    kinds = (L.equal, L.not_equal, L.less_than, L.less_equal, L.greater_than, L.greater_equal)
    fetches = [kind(x, y) for kind in kinds] + [L.less_than(x, y, force_cpu=True)]
    fetches += [L.is_empty(x), x < y, L.Print(x, message="seen", first_n=1)]
    a = _numbers(3, 2)
    return {"x": (a, [[1, 2]]), "y": np.roll(a, 1)}, fetches


case_comparisons.grad = False


def case_arrays(fluid):
    L = fluid.layers
    x = fluid.data("x", [None, 2], "float32", lod_level=1)
    i, j = _counter(fluid, 0), _counter(fluid, 1)
    array = L.create_array("float32")
    L.array_write(x, i, array)
    L.array_write(x * 2.0, j, array)
    return {"x": (_numbers(3, 2), [[1, 2]])}, [L.array_read(array, j), L.array_length(array)]


case_arrays.grad = False


# -- beam search ----------------------------------------------------------------------------------


def case_beam_search(fluid):
    L = fluid.layers
    ids = fluid.data("ids", [None, 1], "int64", lod_level=2)
    totals = fluid.data("totals", [None, 1], "float32", lod_level=2)
    scores = fluid.data("scores", [None, 4], "float32", lod_level=2)
    best, places = L.topk(scores, 3)
    sums = L.elementwise_add(L.log(best), L.reshape(totals, [-1]), axis=0)
    words, values, parents = L.beam_search(
        ids, totals, places, sums, beam_size=2, end_id=0, return_parent_idx=True
    )
    again, _ = L.beam_search(ids, totals, places, best, 2, 0, is_accumulated=False)
    lengths = [[2, 1], [1, 1, 1]]
    feeds = {
        "ids": (np.array([[1], [2], [3]]), lengths),
        "totals": (np.array([[-0.1], [-0.2], [-0.3]], "float32"), lengths),
        "scores": (np.abs(_numbers(3, 4)) + 0.1, lengths),
    }
    return feeds, [words, values, parents, again]


case_beam_search.grad = False


def case_beam_search_loop(fluid):
    """Decoding of two sources, beams over two levels, as the 1.x book does it."""
    L = fluid.layers
    state = fluid.data("state", [None, 3], "float32", lod_level=1)
    first_ids = fluid.data("first_ids", [None, 1], "int64", lod_level=2)
    first_scores = fluid.data("first_scores", [None, 1], "float32", lod_level=2)
    limit, counter = _counter(fluid, 4), _counter(fluid, 0)
    states = L.array_write(state, counter)
    ids, scores = L.array_write(first_ids, counter), L.array_write(first_scores, counter)
    going = L.less_than(counter, limit)
    with L.While(going).block():
        before_ids, before_scores = L.array_read(ids, counter), L.array_read(scores, counter)
        before = L.sequence_expand(L.array_read(states, counter), before_scores)
        word = L.reshape(fluid.embedding(before_ids, [6, 3]), [-1, 3])
        now = L.fc([before, word], 3, act="tanh")
        guess = L.fc(L.lod_reset(now, before_scores), 6, act="softmax")
        best, places = L.topk(guess, 3)
        sums = L.elementwise_add(L.log(best), L.reshape(before_scores, [-1]), axis=0)
        words, values = L.beam_search(before_ids, before_scores, places, sums, 2, 5, level=0)
        L.increment(counter, 1, in_place=True)
        L.array_write(now, counter, states)
        L.array_write(words, counter, ids)
        L.array_write(values, counter, scores)
        more, left = L.less_than(counter, limit), L.logical_not(L.is_empty(words))
        L.logical_and(more, left, out=going)
    found, values = L.beam_search_decode(ids, scores, beam_size=2, end_id=5)
    lengths = [[1, 1], [1, 1]]
    feeds = {
        "state": (_numbers(2, 3), [[1, 1]]),
        "first_ids": (np.array([[1], [1]]), lengths),
        "first_scores": (np.ones([2, 1], "float32"), lengths),
    }
    return feeds, [found, values]


case_beam_search_loop.grad = False
