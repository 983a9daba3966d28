"""Distillation of Programs and of Layers."""

from __future__ import annotations

import numpy as np
from tests.slim.stories import CLASSES, SIDE, dynamic_net, pictures, right, story


def _teacher_and_student():
    """A teacher of 12 channels, trained; a student of 4 in the default Program, not trained."""
    import paddle
    from paddle import static
    from paddle.nn import functional as F

    def net(width: int, prefix: str):
        image = static.data("image", [None, 3, SIDE, SIDE])
        label = static.data("label", [None, 1], "int64")
        x = static.nn.conv2d(image, width, 3, padding=1, act="relu", name=f"{prefix}conv1")
        y = static.nn.conv2d(x, 8, 3, padding=1, act="relu", name=f"{prefix}conv2")
        logits = static.nn.fc(F.adaptive_avg_pool2d(y, 2), CLASSES, name=f"{prefix}head")
        return x, y, logits, F.cross_entropy(logits, label)

    teacher, startup = static.Program(), static.Program()
    exe = static.Executor()
    with static.program_guard(teacher, startup), paddle.utils.unique_name.guard():
        startup.random_seed = 3
        found = net(12, "")
        test = teacher.clone(for_test=True)
        paddle.optimizer.Adam(0.01).minimize(found[3])
    exe.run(startup)
    for step in range(40):
        image, label = pictures(seed=step)
        loss = exe.run(teacher, {"image": image, "label": label}, [found[3].name])[0]
    assert float(loss) < 0.2
    student = net(4, "s_")
    static.default_startup_program().random_seed = 5
    return exe, test, [v.name for v in found], student


@story("dist.merge", "dist.l2_loss", "dist.soft_label_loss", "dist.fsp_loss", "dist.loss",
       static=True)  # fmt: skip
def a_student_learns_from_a_teacher() -> None:
    import paddle
    from paddle import static
    from paddleslim.dist import fsp_loss, l2_loss, loss, merge, soft_label_loss

    exe, teacher, (t1, t2, t_logits, _), (s1, s2, s_logits, own) = _teacher_and_student()
    main, startup = static.default_main_program(), static.default_startup_program()
    merge(teacher, main, {"image": "image", "label": "label"}, paddle.CPUPlace())
    names = {v.name for v in main.list_vars()}
    assert {f"teacher_{n}" for n in (t1, t2, t_logits)} <= names
    assert not [p.name for p in main.all_parameters() if p.name.startswith("teacher_")]
    soft = soft_label_loss(f"teacher_{t_logits}", s_logits.name)
    near = l2_loss(f"teacher_{t2}", s2.name)
    fsp = fsp_loss(f"teacher_{t2}", f"teacher_{t2}", s2.name, s2.name)
    mine = loss(
        lambda teacher, student: paddle.mean(paddle.abs(teacher - student)),
        teacher=f"teacher_{t_logits}", student=s_logits.name,
    )  # fmt: skip
    total = own + soft + 0.1 * near + 0.1 * fsp + 0.0 * mine
    paddle.optimizer.Adam(0.01).minimize(total)
    exe.run(startup)
    kept = np.array(static.global_scope().find_var("teacher_conv1.w_0").get_tensor())
    image, label = pictures(seed=1)
    feed = {"image": image, "label": label}
    wanted = [f"teacher_{t_logits}", s_logits, f"teacher_{t2}", s2, soft, near, fsp, mine]
    teacher_out, student_out, tf, sf, *losses = exe.run(main, feed, wanted)
    # the values are those of before the update, like all that a run fetches from the forward part

    def softmax(x):
        x = np.exp(x - x.max(-1, keepdims=True))
        return x / x.sum(-1, keepdims=True)

    def gram(x):
        flat = x.reshape(x.shape[0], x.shape[1], -1)
        return flat @ flat.transpose(0, 2, 1) / flat.shape[-1]

    expected = [
        -(softmax(teacher_out) * np.log(softmax(student_out))).sum(-1).mean(),
        ((tf - sf) ** 2).mean(),
        ((gram(tf) - gram(sf)) ** 2).mean(),
        np.abs(teacher_out - student_out).mean(),
    ]
    np.testing.assert_allclose([float(v) for v in losses], expected, rtol=1e-4)
    run = [float(exe.run(main, feed, [total])[0]) for _ in range(30)]
    assert run[-1] < 0.4 * run[0], (run[0], run[-1])
    now = np.array(static.global_scope().find_var("teacher_conv1.w_0").get_tensor())
    np.testing.assert_array_equal(now, kept)


@story("dist.DML")
def students_learn_from_each_other() -> None:
    import paddle
    from paddleslim.dist import DML

    nets = [dynamic_net(4), dynamic_net(6)]
    both = DML(nets)
    both.train()
    optimizer = both.opt([
        paddle.optimizer.Momentum(0.05, parameters=net.parameters()) for net in nets
    ])  # fmt: skip
    first = last = None
    for step in range(30):
        image, label = map(paddle.to_tensor, pictures(seed=step))
        logits = both(image)
        losses = both.loss(logits, label)
        kl = both.kl_loss(logits)
        ce = both.ce_loss(logits, label)
        for all_of_it, one, other in zip(losses, ce, kl, strict=True):
            np.testing.assert_allclose(float(all_of_it), float(one) + float(other), rtol=1e-5)
        last = [float(each) for each in losses]
        first = first or last
        optimizer.minimize(losses)
    assert all(b < 0.6 * a for a, b in zip(first, last, strict=True)), (first, last)
    accuracy = both.acc(both(image), label, 1)
    assert min(float(a) for a in accuracy) > 0.8
    both.eval()
    assert right(nets[0]) > 0.8


def _net(width: int):
    from paddle import nn

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2D(3, width, 3, padding=1)
            self.conv2 = nn.Conv2D(width, 6, 3, padding=1)
            self.fc = nn.Linear(24, CLASSES)

        def forward(self, x):
            x = nn.functional.relu(self.conv2(nn.functional.relu(self.conv1(x))))
            return [self.fc(nn.functional.adaptive_avg_pool2d(x, 2).flatten(1))]

    return Net()


@story("dygraph.Distill", "Distill", "dygraph.config2yaml", "config2yaml", not_before="2.2.0")
def a_layer_learns_from_a_teacher() -> None:
    import paddle
    from paddle.nn import functional as F
    from paddleslim.dygraph import config2yaml
    from paddleslim.dygraph.dist import Distill

    teacher, student = _net(12), _net(4)
    optimizer = paddle.optimizer.Adam(0.01, parameters=teacher.parameters())
    for step in range(40):
        image, label = map(paddle.to_tensor, pictures(seed=step))
        F.cross_entropy(teacher(image)[0], label).backward()
        optimizer.step()
        optimizer.clear_grad()
    teacher.eval()
    layers = [{"layers_name": ["conv2", "conv2"], "loss_function": "DistanceLoss", "mode": "l2"},
              {"layers_name": ["fc", "fc"], "loss_function": "DMLLoss", "act": "softmax"}]  # fmt: skip
    configs = [{"layers": layers}]
    config2yaml(configs, "distill.yaml")
    both = Distill("distill.yaml", [student], [teacher])
    kept = teacher.conv1.weight.numpy()
    optimizer = paddle.optimizer.Adam(0.01, parameters=both.parameters())
    losses = []
    for step in range(40):
        image, _ = map(paddle.to_tensor, pictures(seed=step))
        loss, outs, teachers = both(image)
        if not step:
            seen = ((student.conv2(F.relu(student.conv1(image)))
                     - teacher.conv2(F.relu(teacher.conv1(image)))) ** 2).mean()  # fmt: skip
            assert float(loss) > float(seen) > 0
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.3 * losses[0], (losses[0], losses[-1])
    np.testing.assert_array_equal(teacher.conv1.weight.numpy(), kept)
    image, label = pictures(64, seed=9)
    assert (student(paddle.to_tensor(image))[0].numpy().argmax(-1) == label[:, 0]).mean() > 0.7


@story("dygraph.dist.losses", not_before="2.2.0")
def each_loss_of_distillation() -> None:
    import paddle
    from paddleslim.dygraph.dist.losses import basic_loss

    random = np.random.RandomState(0)
    x, y = (random.randn(6, 5).astype("float32") for _ in range(2))
    a, b = paddle.to_tensor(x), paddle.to_tensor(y)

    def softmax(v):
        v = np.exp(v - v.max(-1, keepdims=True))
        return v / v.sum(-1, keepdims=True)

    def check(name: str, expected: float, *args, **options) -> None:
        found = getattr(basic_loss, name)(**options)(*args)
        np.testing.assert_allclose(float(found), expected, rtol=1e-4, err_msg=name)

    check("MSELoss", ((x - y) ** 2).mean(), a, b)
    check("L1Loss", np.abs(x - y).mean(), a, b)
    far = np.abs(x - y)
    check("SmoothL1Loss", np.where(far < 1, 0.5 * far**2, far - 0.5).mean(), a, b)
    check("DistanceLoss", ((x - y) ** 2).mean(), a, b, mode="l2")
    p, q = softmax(x), softmax(y)
    check("CELoss", -(q * np.log(p)).sum(-1).mean(), a, b)
    both = (p * np.log(p / q)).mean() / 2 + (q * np.log(q / p)).mean() / 2
    found = float(basic_loss.DMLLoss(act="softmax")(a, b))
    assert min(abs(found - both), abs(found - both * 5)) < 1e-4, (found, both)
    kl = float(basic_loss.KLLoss(act="softmax")(a, b))
    assert kl > 0 and float(basic_loss.KLLoss(act="softmax")(a, a)) < 1e-6
    for name in ("RKdAngle", "RkdDistance", "RKDLoss"):
        loss = getattr(basic_loss, name)()
        assert float(loss(a, b)) > 1e-3 > abs(float(loss(a, a)))
