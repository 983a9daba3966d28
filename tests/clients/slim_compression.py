"""Prunes, distills and searches small networks with PaddleSlim; run by PaddlePaddle 1.8.5 as well.

    PYTHONPATH=.venv/clients python tests/clients/slim_compression.py RESULTS.npz

PaddlePaddle 1.8.5 (Python 3.7) wrote tests/data/paddleslim-1.1.1.npz with it.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile

import numpy as np
from fluid_parts import fill, import_all, wave

CLASSES, STEPS = 4, 10


def batch(start: float = 0.0) -> dict:
    """Pictures in four colours."""
    label = (np.arange(16) + int(start)) % CLASSES
    image = wave((16, 3, 16, 16), start, 0.3)
    for row, colour in enumerate(label):
        image[row, colour % 3] += 1 if colour < 3 else -1
    return {"image": image, "label": label[:, None].astype("int64")}


def block(x, filters: int, name: str, fluid, groups: int = 1, act: str = "relu"):
    """A convolution with its normalization."""
    attr = fluid.ParamAttr(name=name + "_weights")
    conv = fluid.layers.conv2d(
        x, filters, 3, padding=1, groups=groups, param_attr=attr, bias_attr=False,
        name=name, use_cudnn=False,
    )  # fmt: skip
    return fluid.layers.batch_norm(conv, act=act, momentum=0.5, name=name + "_bn")


def network(fluid, width: int = 8, optimize: bool = True) -> dict:
    """A small residual network, recorded in Programs of its own."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.unique_name.guard(), fluid.program_guard(main, startup):
        image = fluid.data("image", [None, 3, 16, 16])
        label = fluid.data("label", [None, 1], "int64")
        first = block(image, width, "first", fluid)
        second = block(first, width, "second", fluid, act=None)
        x = fluid.layers.relu(fluid.layers.elementwise_add(first, second))
        x = fluid.layers.pool2d(x, 2, "max", 2)
        x = block(x, width, "depth", fluid, groups=width)
        x = block(x, 2 * width, "third", fluid)
        pooled = fluid.layers.pool2d(x, 8, "avg")
        logits = fluid.layers.fc(pooled, CLASSES, name="last")
        cost = fluid.layers.softmax_with_cross_entropy(logits, label)
        loss = fluid.layers.mean(cost)
        accuracy = fluid.layers.accuracy(fluid.layers.softmax(logits), label)
        test = main.clone(for_test=True)
        if optimize:
            fluid.optimizer.Momentum(0.05, 0.9).minimize(loss)
    return {
        "main": main, "startup": startup, "test": test, "loss": loss, "accuracy": accuracy,
        "logits": logits,
    }  # fmt: skip


def losses(exe, program, loss, steps: int = STEPS) -> np.ndarray:
    """Trains; returns the losses."""
    got = [exe.run(program, feed=batch(i), fetch_list=[loss.name])[0] for i in range(steps)]
    return np.array(got).reshape(-1)


def pruned(found: dict, fluid, exe, folder: str) -> None:
    """Trains, measures, prunes, trains on, saves, loads into a Program that was never pruned."""
    from paddleslim import analysis, prune

    net = network(fluid)
    exe.run(net["startup"])
    fill(net["main"])
    found["losses"] = losses(exe, net["main"], net["loss"])

    def score(program) -> float:
        return float(exe.run(program, feed=batch(9), fetch_list=[net["accuracy"].name])[0][0])

    def cost(program) -> float:
        return 10 - float(exe.run(program, feed=batch(9), fetch_list=[net["loss"].name])[0][0])

    found["accuracy"] = np.array(score(net["test"]))
    names = ["second_weights", "third_weights"]
    told = prune.sensitivity(
        net["test"], fluid.CPUPlace(), names, cost, os.path.join(folder, "told"), [0.25, 0.5]
    )
    found["sensitivity"] = np.array([[told[n][r] for r in sorted(told[n])] for n in sorted(told)])
    again = prune.load_sensitivities(os.path.join(folder, "told"))
    assert prune.merge_sensitive([told, again]) == told
    ratios = prune.get_ratios_by_loss(told, max(found["sensitivity"][:, 1]))
    found["ratios"] = np.array([ratios[name] for name in sorted(ratios)])

    found["flops"] = np.array(
        [analysis.flops(net["test"]), analysis.model_size(net["test"])], "float64"
    )
    pruner = prune.Pruner(criterion="l1_norm")
    main, _, shapes = pruner.prune(
        net["main"], fluid.global_scope(), names, [0.25, 0.5], fluid.CPUPlace(),
        param_shape_backup=True,
    )  # fmt: skip
    test, _, _ = prune.Pruner().prune(
        net["test"], fluid.global_scope(), names, [0.25, 0.5], fluid.CPUPlace(), only_graph=True
    )
    found["flops_pruned"] = np.array([analysis.flops(test), analysis.model_size(test)], "float64")
    found["shapes"] = np.array(
        sorted("%s %s" % (p.name, list(p.shape)) for p in main.global_block().all_parameters())
    )
    found["changed"] = np.array(sorted("%s %s" % (n, list(s)) for n, s in shapes.items()))
    found["weights"] = np.array(fluid.global_scope().find_var("depth_weights").get_tensor())
    found["losses_pruned"] = losses(exe, main, net["loss"])
    found["logits"] = exe.run(test, feed=batch(9), fetch_list=[net["logits"].name])[0]

    prune.save_model(exe, main, os.path.join(folder, "model"))
    other = network(fluid, optimize=False)
    with fluid.scope_guard(fluid.Scope()):
        exe.run(other["startup"])
        prune.load_model(exe, other["main"], os.path.join(folder, "model"))
    fluid.io.save_inference_model(
        os.path.join(folder, "served"), ["image"], [test.global_block().var(net["logits"].name)],
        exe, test,
    )  # fmt: skip
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(os.path.join(folder, "served"), exe)
        served = exe.run(program, feed={feeds[0]: batch(9)["image"]}, fetch_list=fetches)[0]
    np.testing.assert_allclose(served, found["logits"], rtol=1e-5)


def distilled(found: dict, fluid, exe) -> None:
    """A student learns from a teacher: from its logits, how features flow, what it says."""
    from paddleslim import dist

    teacher = network(fluid)
    student = network(fluid, optimize=False)
    exe.run(teacher["startup"])
    fill(teacher["main"])
    found["taught"] = losses(exe, teacher["main"], teacher["loss"], 3)
    dist.merge(
        teacher["test"], student["main"], {"image": "image", "label": "label"}, fluid.CPUPlace()
    )
    exe.run(student["startup"])
    apart = fluid.unique_name.guard("told_")
    with apart, fluid.program_guard(student["main"], student["startup"]):
        logits = student["logits"].name
        soft = dist.soft_label_loss("teacher_" + teacher["logits"].name, logits, None, 2.0, 2.0)
        near = dist.l2_loss("teacher_" + teacher["logits"].name, logits)
        mine = dist.loss(
            lambda told, said: fluid.layers.reduce_mean(fluid.layers.abs(told - said)),
            told="teacher_" + teacher["logits"].name, said=logits,
        )  # fmt: skip
        maps = ["first_bn.tmp_3", "second_bn.tmp_2"]
        flow = dist.fsp_loss(*["teacher_" + name for name in maps], *maps)
        total = student["loss"] + soft + near + 0.1 * mine + flow
        fluid.optimizer.Adam(0.01).minimize(total)
    exe.run(student["startup"])
    own = student["main"].global_block().all_parameters()
    found["student_parameters"] = np.array([param.name for param in own])
    fill(student["main"], 50)
    found["distilled"] = losses(exe, student["main"], total)
    found["distilled_parts"] = np.array(
        exe.run(
            student["main"], feed=batch(1), fetch_list=[soft.name, near.name, mine.name, flow.name]
        )
    ).reshape(-1)


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def searched(found: dict, fluid, exe) -> None:
    """Looks for a network by simulated annealing, and for ratios to prune by."""
    from paddleslim import analysis, nas, prune

    np.random.seed(4)
    sizes = {"input_size": 16, "output_size": 1, "block_num": 2, "block_mask": [0, 1, 0]}
    search = nas.SANAS(
        [("MobileNetV2BlockSpace", sizes)],
        ("127.0.0.1", free_port()),
        search_steps=4,
        save_checkpoint=None,
    )
    costs, tokens = [], []
    for _ in range(3):
        main, startup = fluid.Program(), fluid.Program()
        [arch] = search.next_archs()
        with fluid.unique_name.guard(), fluid.program_guard(main, startup):
            x = fluid.data("image", [None, 3, 16, 16])
            out, _ = arch(x, return_mid_layer=True)
            out = fluid.layers.reduce_mean(out)
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            fill(main)
            exe.run(main, feed={"image": batch()["image"]}, fetch_list=[out])
        costs.append(analysis.flops(main))
        search.reward(1e6 / float(costs[-1]))
        tokens.append(search.current_info()["current_tokens"])
    assert search.current_info()["best_reward"] == 1e6 / min(costs)
    found["searched_flops"], found["tokens"] = np.array(costs, "float64"), np.array(tokens)

    net = network(fluid)
    exe.run(net["startup"])
    auto = prune.AutoPruner(
        net["test"], fluid.global_scope(), fluid.CPUPlace(), ["second_weights", "third_weights"],
        init_ratios=[0.5, 0.5], pruned_flops=0.2, server_addr=("127.0.0.1", free_port()),
    )  # fmt: skip
    pruned, _ = auto.prune(net["main"], net["test"])
    assert analysis.flops(pruned) <= 0.8 * analysis.flops(net["test"])
    auto.reward(0.5)


def ready_made(found: dict, fluid) -> None:
    """The networks that it brings: how much each computes."""
    from paddleslim import analysis, models

    for name in ("MobileNet", "MobileNetV2", "ResNet34"):
        with fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
            _, main, test, _, _ = models.image_classification(name, [3, 32, 32], 10)
            found["flops_" + name] = np.array([analysis.flops(main), analysis.flops(test)])


def main(path: str) -> None:
    """Writes all of it."""
    import paddle.fluid as fluid

    found: dict = {}
    exe = fluid.Executor(fluid.CPUPlace())
    with tempfile.TemporaryDirectory() as folder:
        with fluid.scope_guard(fluid.Scope()):
            pruned(found, fluid, exe, folder)
    with fluid.scope_guard(fluid.Scope()):
        distilled(found, fluid, exe)
    with fluid.scope_guard(fluid.Scope()):
        searched(found, fluid, exe)
    ready_made(found, fluid)
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    # one_shot imports in the way of Python 2; quanter asks for 1.x's quantization
    import_all("paddleslim", ("paddleslim.nas.one_shot", "paddleslim.quant.quanter"))
    main(sys.argv[1])
