"""What the transforms of statements write: returns, jumps, carried variables, containers."""

from __future__ import annotations

import contextlib

import paddle
from paddle.jit.rewriting.source import transform


def code(function):
    """The converted text without the long name of the converters."""
    text = transform(function).code.replace("paddle.jit.dy2static.", "")
    return text.replace("lambda :", "lambda:")  # as Python 3.10 writes it


def step(function, name):
    return transform(function).steps[name]


def test_rest_moves_behind_an_early_return():
    def f(x):
        if x > 0:
            return 1
        y = x + 1
        return y

    assert step(f, "EarlyReturn") == (
        "def f(x):\n"
        "    if x > 0:\n"
        "        return_value_0 = 1\n"
        "    else:\n"
        "        y = x + 1\n"
        "        return_value_0 = y\n"
        "    return return_value_0"
    )


def test_returns_that_python_decides_stay():
    def f(x, mask=None):
        if mask is None:
            return x
        with contextlib.nullcontext():
            return x * mask

    assert step(f, "EarlyReturn").count("return ") == 2
    assert code(f).endswith("return x * mask")


def test_return_in_a_loop_sets_a_flag():
    def f(xs):
        for x in xs:
            if x > 0:
                return x
        return None

    assert step(f, "BreakContinue") == (
        "def f(xs):\n"
        "    return_0 = False\n"
        "    for x in xs:\n"
        "        if x > 0:\n"
        "            return_value_0 = x\n"
        "            return_0 = True\n"
        "        if return_0:\n"
        "            break\n"
        "    if not return_0:\n"
        "        return_value_0 = None\n"
        "    return return_value_0"
    )
    assert "stop=lambda return_value_0, return_0: return_0)" in code(f)


def test_continue_needs_no_flag_at_the_tail():
    def f(xs, s):
        for x in xs:
            if x < 0:
                continue
            s += x
        return s

    text = step(f, "BreakContinue")
    assert "if not x < 0:\n            s += x" in text and "continue" not in text


def test_continue_out_of_with_sets_a_flag():
    def f(xs, s):
        for x in xs:
            with contextlib.nullcontext():
                if x < 0:
                    continue
                s += 1
            s += x
        return s

    text = step(f, "BreakContinue")
    assert "continue_0 = False" in text and "if not continue_0:\n            s += x" in text


def test_break_of_while_is_asked_in_the_condition():
    def f(n):
        while n < 10:
            n += 1
            if n == 5:
                break
        else:
            n = 0
        return n

    text = step(f, "BreakContinue")
    assert "while not break_0 and n < 10:" in text
    assert "if not break_0:\n        n = 0" in text


def test_only_what_is_read_later_is_carried():
    def f(x, xs):
        s = 0
        for i in xs:
            t = i * 2
            s = s + t
        if x > 0:
            t = "text"
            s = s + len(t)
        return s

    text = code(f)
    assert "def for_body_0(i, s):" in text and "def true_fn_0(s):" in text
    assert "undefined" not in text


def test_loops_and_conditions_of_python_stay():
    def f(x, mode):
        for i in range(3):
            for j in (1, 2):
                x = x + i * j
        while x is None:
            x = 1
        if mode == "train" and isinstance(x, list):
            x = x[0]
        return x

    text = transform(f).code
    assert "convert_for_loop" not in text and "convert_while" not in text
    assert "convert_ifelse" not in text and "for i in range(3):" in text


def test_stand_in_for_a_name_without_value():
    def f(x):
        if x > 0:
            y = 1
        return y

    text = code(f)
    assert "    y = undefined('y')\n" in text and text.endswith("return defined(y)")


def test_stand_in_goes_to_the_start_where_the_name_may_have_a_value():
    def f(x):
        if x is None:
            y = 0
        if x != 3:
            y = 1
        return y

    assert code(f).startswith("def f(x):\n    y = undefined('y')\n")
    assert transform(f).function(3.5) == 1


def test_names_of_closures_are_set_where_they_live():
    def f(x):
        y = 0
        get = lambda: y
        if x > 0:
            y = 1
        return get()

    text = code(f)
    assert "def true_fn_0(y_0):\n        nonlocal y\n        y = y_0\n        y = 1\n" in text
    assert transform(f).function(1) == 1


def test_attributes_are_carried():
    class Box:
        pass

    def f(box, x):
        if x > 0:
            box.h = x
        return box

    text = code(f)
    assert "def true_fn_0(box_h):\n        if not is_undefined(box_h):\n" in text
    assert "return read_or_undefined(lambda: box.h, 'box.h')" in text
    assert transform(f).function(Box(), 1).h == 1
    assert not hasattr(transform(f).function(Box(), 0), "h")


def test_attribute_of_a_name_that_changes_is_not_carried():
    def f(node, n):
        for i in range(n):
            node = node.next
            node.value = i
        return node

    assert "node_value" not in code(f)


def test_containers():
    def f(a, d, i):
        a.append(1)
        a[i] = 2
        a[1:, ..., i] = 3
        b = a.pop(0)
        d["k"] = b
        self_made = [a]
        self_made[0] += [1]
        return a, d

    text = code(f)
    for line in (
        "a = convert_append(a, 1)",
        "a = convert_setitem(a, i, 2)",
        "a = convert_setitem(a, (slice(1, None), ..., i), 3)",
        "b = convert_pop(a, 0)",
        "d['k'] = b",
        "item_0 = self_made[0]\n    item_0 += [1]\n"
        "    self_made = convert_setitem(self_made, 0, item_0)",
    ):
        assert f"    {line}\n" in text


outer_list: list = []


def test_containers_of_others_stay():
    def f(x):
        outer_list.append(x)
        outer_list[0] = x
        return outer_list

    text = code(f)
    assert "convert_call(outer_list.append)(x)" in text and "outer_list[0] = x" in text


def test_context_managers_of_paddle_do_not_end_exceptions():
    def f(x):
        with paddle.no_grad():
            if x > 0:
                x = x + 1
        return x

    assert "nonlocal" not in code(f)


def test_conversion_of_deep_code_is_quick():
    lines = ["def f(x):"]
    for i in range(16):
        lines.append("    " * (i + 1) + f"if x > {i}:")
        lines.append("    " * (i + 2) + "x = x + 1")
    text = "\n".join([*lines, "    return x"]) + "\n"
    import linecache

    linecache.cache["<deep>"] = (len(text), None, text.splitlines(True), "<deep>")
    space: dict = {}
    exec(compile(text, "<deep>", "exec"), space)
    assert transform(space["f"]).function(5) == space["f"](5)
