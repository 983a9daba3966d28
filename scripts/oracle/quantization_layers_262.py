"""Programs of one kind of layer, quantised by PaddlePaddle 2.6.2, and quantised here run there.

python FILE make FOLDER      # 2.6.2: FOLDER/KIND/{float,there}, FOLDER/seen.npz
python FILE run FOLDER       # 2.6.2: runs FOLDER/KIND/here, which tests/quantization/layers.py
                             # has written
python FILE pack FOLDER ZIP  # any: tests/quantization/data/layers-262.zip
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import numpy as np

PRODUCTS = ["conv2d", "depthwise_conv2d", "conv2d_transpose", "mul", "matmul", "matmul_v2"]
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
SAVED = {f"save_{k}": v for k, v in FILES.items()}


def net(kind: str):
    import paddle
    from paddle import static

    one = {"default_initializer": paddle.nn.initializer.Normal(0.0, 0.3)}
    if kind in ("conv2d", "depthwise_conv2d", "conv2d_transpose"):
        x = static.data("x", [None, 4, 7, 7])
        if kind == "conv2d_transpose":
            return x, static.nn.conv2d_transpose(x, 3, filter_size=3, stride=2)
        groups = 4 if kind == "depthwise_conv2d" else 1
        return x, static.nn.conv2d(x, 4, 3, groups=groups, use_cudnn=groups == 1)
    if kind == "embedding":
        x = static.data("x", [None, 5], "int64")
        table = static.nn.embedding(x, [12, 8])
        return x, static.nn.fc(table, 3, num_flatten_dims=2)
    if kind in ("lstm", "gru"):
        x = static.data("x", [None, 5, 6])
        return x, getattr(paddle.nn, kind.upper())(6, 8)(x)[0]
    x = static.data("x", [None, 6])
    if kind == "mul":
        return x, static.nn.fc(x, 5)
    weight = static.create_parameter([6, 5], "float32", **one)
    if kind == "matmul_v2":
        return x, paddle.matmul(x, weight) + 0.5
    block = x.block
    out = block.create_var(name="matmul_0.tmp_0", dtype="float32", shape=[-1, 5])
    attrs = {"transpose_X": False, "transpose_Y": False, "alpha": 1.0}
    block.append_op(type="matmul", inputs={"X": x, "Y": weight}, outputs={"Out": out}, attrs=attrs)
    return x, out + 0.5


def make(folder: Path) -> None:
    import paddle
    from paddle import static
    from paddle.static.quantization import PostTrainingQuantization, WeightQuantization

    paddle.enable_static()
    exe, seen, random = static.Executor(paddle.CPUPlace()), {}, np.random.RandomState(0)
    for kind in [*PRODUCTS, "embedding", "lstm", "gru"]:
        paddle.seed(5)
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), paddle.utils.unique_name.guard():
            x, out = net(kind)
        shape = [4, *x.shape[1:]]
        value = random.randn(*shape).astype("float32")
        if kind == "embedding":
            value = random.randint(0, 12, shape)
        seen[f"{kind}|x"] = value
        with static.scope_guard(static.Scope()):
            exe.run(startup)
            place = folder / kind
            static.save_inference_model(str(place / "float" / "model"), [x], [out], exe,
                                        program=main)  # fmt: skip
            seen[f"{kind}|float"] = exe.run(main, feed={"x": value}, fetch_list=[out])[0]
        if kind in ("lstm", "gru"):
            continue  # stored in fewer bits here alone
        types = ["mul", "matmul_v2"] if kind == "embedding" else [kind]
        with static.scope_guard(static.Scope()):
            ptq = PostTrainingQuantization(
                exe, str(place / "float"), **FILES, algo="abs_max", quantizable_op_type=types,
                data_loader=loader(paddle, x, value),
            )  # fmt: skip
            ptq.quantize()
            ptq.save_quantized_model(str(place / "there"), **FILES)
        seen[f"{kind}|there"] = outputs(exe, place / "there", value)
        if kind in ("conv2d", "depthwise_conv2d", "mul"):
            small = WeightQuantization(str(place / "float"), **FILES)
            small.quantize_weight_to_int(str(place / "weights"), **SAVED, quantizable_op_type=[kind],
                                         generate_test_model=True)  # fmt: skip
            seen[f"{kind}|weights"] = outputs(exe, place / "weights" / "test_model", value)
    np.savez(folder / "seen.npz", **seen)


def loader(paddle, x, value: np.ndarray):
    class Rows(paddle.io.Dataset):
        def __getitem__(self, at: int):
            return (value[at],)

        def __len__(self) -> int:
            return len(value)

    place = paddle.CPUPlace()
    return paddle.io.DataLoader(Rows(), [x], [place], batch_size=2, return_list=False)


def outputs(exe, folder: Path, value: np.ndarray) -> np.ndarray:
    from paddle import static

    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(folder), exe, **FILES)
        return exe.run(program, feed={feeds[0]: value}, fetch_list=fetches)[0]


def run(folder: Path) -> None:
    import paddle
    from paddle import static

    paddle.enable_static()
    exe, seen = static.Executor(paddle.CPUPlace()), dict(np.load(folder / "seen.npz"))
    for place in sorted(folder.glob("*/here*")):
        kind, name = place.parent.name, place.name
        seen[f"{kind}|{name}"] = outputs(exe, place, seen[f"{kind}|x"])
    np.savez(folder / "seen.npz", **seen)


def pack(folder: Path, target: Path) -> None:
    kept = [p for name in ("float", "there") for p in sorted(folder.glob(f"*/{name}/model.*"))]
    kept += sorted(folder.glob("*/weights/test_model/model.*"))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for path in [folder / "seen.npz", *kept]:
            info = zipfile.ZipInfo(str(path.relative_to(folder)))
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, path.read_bytes())


if __name__ == "__main__":
    {"make": make, "run": run, "pack": pack}[sys.argv[1]](*map(Path, sys.argv[2:]))
