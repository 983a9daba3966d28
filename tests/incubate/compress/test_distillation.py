"""A student with its teacher: the losses against NumPy, the frozen teacher, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.incubate import compress
from tests.incubate.compress import nets


class Net(nn.Layer):
    def __init__(self, width: int, classes: int = 3) -> None:
        super().__init__()
        self.first = nn.Conv2D(1, 4, 3, padding=1)
        self.second = nn.Conv2D(4, width, 3, padding=1)
        self.third = nn.Conv2D(width, 5, 1)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(5, classes)

    def forward(self, x: Any) -> Any:
        y = self.third(nn.functional.relu(self.second(self.first(x))))
        return self.fc(self.drop(y).mean([2, 3]))


def pair(losses: Any, **options: Any) -> tuple[Any, Any, Any, Any]:
    paddle.seed(2)
    student, teacher = Net(6, **options), Net(16)
    teacher.train()
    student.eval()
    x = paddle.rand([2, 1, 6, 6])
    return compress.distill(student, teacher, losses), student, teacher, x


def seen(net: Any, name: str, x: Any) -> np.ndarray:
    found = []
    was = net.training
    net.eval()
    handle = getattr(net, name).register_forward_post_hook(lambda _, __, y: found.append(y.numpy()))
    net(x)
    handle.remove()
    net.train() if was else net.eval()
    return found[0].astype("float64")


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def flow(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("nchw,ndhw->ncd", a, b) / (a.shape[2] * a.shape[3])


def test_losses_are_those_of_their_formulas() -> None:
    losses = [
        compress.DistillLoss("l2", "first"),
        compress.DistillLoss("soft_label", "fc", "", weight=0.5, temperature=3.0),
        compress.DistillLoss("fsp", ("first", "third"), weight=2.0),
        compress.DistillLoss(lambda s, t: (s - t).abs().sum(), "third", weight=0.1),
    ]
    both, student, teacher, x = pair(losses)
    out = both(x)
    s = {name: seen(student, name, x) for name in ("first", "third", "fc")}
    t = {name: seen(teacher, name, x) for name in ("first", "third", "fc")}
    np.testing.assert_allclose(out.numpy(), s["fc"], rtol=1e-5)
    expected = [
        ((s["first"] - t["first"]) ** 2).mean(),
        -(softmax(t["fc"] / 3) * np.log(softmax(s["fc"] / 3))).sum(-1).mean(),
        ((flow(s["first"], s["third"]) - flow(t["first"], t["third"])) ** 2).mean(),
        np.abs(s["third"] - t["third"]).sum(),
    ]
    np.testing.assert_allclose([float(v) for v in both.terms], expected, rtol=1e-4)
    total = 7 + expected[0] + 0.5 * expected[1] + 2 * expected[2] + 0.1 * expected[3]
    assert float(both.loss(paddle.to_tensor([7.0]))) == pytest.approx(total, rel=1e-5)
    assert float(both.loss()) == pytest.approx(total - 7, rel=1e-4)


def test_the_teacher_is_frozen_and_no_part_of_the_student() -> None:
    both, student, teacher, x = pair(["soft_label"])
    both.train()
    assert student.training
    assert [id(p) for p in both.parameters()] == [id(p) for p in student.parameters()]
    assert all(name.startswith("student.") for name in both.state_dict())
    adam = paddle.optimizer.Adam(0.01, parameters=both.parameters())
    before = [p.numpy().copy() for p in teacher.parameters()]
    losses = []
    for _ in range(30):
        both(x)
        loss = both.loss()
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    assert np.mean(losses[-5:]) < np.mean(losses[:5])
    assert teacher.training
    assert teacher.drop.training
    for was, p in zip(before, teacher.parameters(), strict=True):
        np.testing.assert_array_equal(was, p.numpy())
        assert p.grad is None
    assert not student._forward_post_hooks


def test_outputs_of_unlike_shapes_are_named() -> None:
    both, _, _, x = pair([compress.DistillLoss("l2", "second", "third")])
    with pytest.raises(ValueError) as error:
        both(x)
    for part in ("'second' of the student", "[2, 6, 6, 6]", "'third' of the teacher",
                 "[2, 5, 6, 6]"):  # fmt: skip
        assert part in str(error.value)
    both, _, _, x = pair(["soft_label"], classes=4)
    with pytest.raises(
        ValueError, match=r"the student's output of shape .2, 4. with the teacher's"
    ):
        both(x)
    both, _, _, x = pair([compress.DistillLoss("fsp", ("first", "fc"), ("first", "fc"))])
    with pytest.raises(ValueError, match="two pictures of the same size, but 'first' of the stud"):
        both(x)


@pytest.mark.parametrize(
    ("losses", "kind", "text"),
    [
        ([], ValueError, "at least one"),
        ("l2", TypeError, "a list of DistillLoss"),
        (["l3"], ValueError, "expected a kind among"),
        ([compress.DistillLoss("l2", "nothing")], ValueError, "student has no sublayer 'nothing'"),
        ([compress.DistillLoss("l2", "fc", "nothing")], ValueError, "teacher has no sublayer"),
        ([compress.DistillLoss("fsp", "fc")], ValueError, "a pair of names"),
        ([compress.DistillLoss("l2", ("fc", "fc"))], ValueError, "one name"),
        ([compress.DistillLoss("l2", weight=-1.0)], ValueError, "weight"),
        ([compress.DistillLoss("l2", weight=float("nan"))], ValueError, "weight"),
        ([compress.DistillLoss("l2", temperature=0.0)], ValueError, "temperature"),
    ],
)
def test_losses_that_are_refused(losses: Any, kind: type, text: str) -> None:
    with pytest.raises(kind, match=text):
        pair(losses)


def test_models_that_are_refused() -> None:
    net = Net(3)
    with pytest.raises(TypeError, match=r"distill\(teacher\): expected a paddle.nn.Layer"):
        compress.distill(net, lambda x: x, ["l2"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="both are the same"):
        compress.distill(net, net, ["l2"])
    with pytest.raises(RuntimeError, match="call the Distillation first"):
        compress.distill(net, Net(3), ["l2"]).loss()


def test_a_pruned_student_learns_from_the_whole_model() -> None:
    teacher = nets.settle(Net(8))
    student = nets.settle(Net(8))
    compress.prune(student, {"second.weight": 0.5}, inputs=[None, 1, 6, 6])
    both = compress.distill(student, teacher, [compress.DistillLoss("l2", "third"), "soft_label"])
    both(paddle.rand([2, 1, 6, 6]))
    both.loss().backward()
    assert student.second.weight.grad is not None
