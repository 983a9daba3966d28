"""Trains, prunes and exports small picture models with PaddleX on pictures that are drawn.

python tests/clients/paddlex_vision.py RESULTS.npz classified|segmented|detected

They lie in folders as those of ImageNet, of PASCAL VOC and of segmentation do.
"""

from __future__ import annotations

import os
import sys

import numpy as np
from PIL import Image

COLOURS = {"blue": (30, 40, 220), "green": (20, 200, 60), "red": (230, 30, 20)}
VOC = """<annotation><filename>%s</filename><size><width>64</width><height>64</height>
<depth>3</depth></size><object><name>%s</name><difficult>0</difficult><bndbox><xmin>%d</xmin>
<ymin>%d</ymin><xmax>%d</xmax><ymax>%d</ymax></bndbox></object></annotation>"""


def draw(folder: str, count: int) -> None:
    """Pictures of a coloured box each, with what and where it is."""
    random = np.random.RandomState(3)
    lists: dict = {"cls": [], "det": [], "seg": []}
    for part in ("pictures", "boxes", "masks"):
        os.makedirs(os.path.join(folder, part))
    for i in range(count):
        kind = i % len(COLOURS)
        name = sorted(COLOURS)[kind]
        picture = random.randint(90, 130, (64, 64, 3)).astype("uint8")
        left, top = random.randint(2, 24, 2)
        picture[top : top + 36, left : left + 36] = COLOURS[name]
        mask = np.zeros((64, 64), "uint8")
        mask[top : top + 36, left : left + 36] = 1
        Image.fromarray(picture).save(os.path.join(folder, "pictures", "%d.png" % i))
        Image.fromarray(mask).save(os.path.join(folder, "masks", "%d.png" % i))
        with open(os.path.join(folder, "boxes", "%d.xml" % i), "w", encoding="utf8") as file:
            file.write(VOC % ("%d.png" % i, name, left, top, left + 36, top + 36))
        lists["cls"].append("pictures/%d.png %d" % (i, kind))
        lists["det"].append("pictures/%d.png boxes/%d.xml" % (i, i))
        lists["seg"].append("pictures/%d.png masks/%d.png" % (i, i))
    lists["labels"], lists["seg_labels"] = sorted(COLOURS), ["ground", "box"]
    for name, lines in lists.items():
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf8") as file:
            file.write("\n".join(lines) + "\n")


def watch(pdx) -> list:
    """The losses that it will tell of."""
    losses: list = []

    def told(text: str, *args, **more) -> None:
        if "Step=" in text and " loss=" in text:
            losses.append(float(text.split(" loss=")[1].split(",")[0]))

    pdx.utils.logging.info = told
    return losses


def classified(found: dict, pdx, folder: str) -> None:
    """Which colour: trained, evaluated, loaded again, exported, pruned and trained on."""
    from paddlex.cls import transforms as T

    steps = T.Compose([T.Normalize()])
    data = pdx.datasets.ImageNet(
        folder, folder + "/cls.txt", folder + "/labels.txt", steps, num_workers=1,
        parallel_method="thread",
    )  # fmt: skip
    model = pdx.cls.MobileNetV2(num_classes=3)
    losses = watch(pdx)
    model.train(
        num_epochs=5, train_dataset=data, train_batch_size=8, eval_dataset=data,
        save_interval_epochs=5, log_interval_steps=1, save_dir=folder + "/out", learning_rate=0.03,
        pretrain_weights=None, lr_decay_epochs=[20],
    )  # fmt: skip
    found["losses"] = np.array(losses)
    model.evaluate(data, batch_size=8)  # its running statistics are those of few steps
    picture = folder + "/pictures/1.png"
    told = model.predict(picture, steps, topk=3)
    again = pdx.load_model(folder + "/out/best_model").predict(picture, topk=3)
    found["scores"] = np.array([answer["score"] for answer in told])
    found["scores_again"] = np.array([answer["score"] for answer in again])
    model.export_inference_model(folder + "/served")
    served = pdx.deploy.Predictor(folder + "/served", use_gpu=False, use_mkl=False)
    found["scores_served"] = np.array([a["score"] for a in served.predict(picture, topk=3)])


def segmented(found: dict, pdx, folder: str) -> None:
    """Which pixels: UNet."""
    from paddlex.seg import transforms as T

    steps = T.Compose([T.Normalize()])
    data = pdx.datasets.SegDataset(
        folder, folder + "/seg.txt", folder + "/seg_labels.txt", steps, num_workers=1,
        parallel_method="thread",
    )  # fmt: skip
    model = pdx.seg.FastSCNN(num_classes=2)
    losses = watch(pdx)
    model.train(
        num_epochs=2, train_dataset=data, train_batch_size=4, eval_dataset=data,
        save_interval_epochs=2, log_interval_steps=1, save_dir=folder + "/seg_out",
        learning_rate=0.05, pretrain_weights=None,
    )  # fmt: skip
    found["losses"] = np.array(losses)
    found["iou"] = np.array(model.evaluate(data, batch_size=4)["miou"])
    found["mask"] = model.predict(folder + "/pictures/1.png", steps)["label_map"]


def detected(found: dict, pdx, folder: str) -> None:
    """Where which box is: YOLOv3."""
    from paddlex.det import transforms as T

    steps = T.Compose([T.Resize(96), T.Normalize()])
    data = pdx.datasets.VOCDetection(
        folder, folder + "/det.txt", folder + "/labels.txt", steps, num_workers=1,
        parallel_method="thread",
    )  # fmt: skip
    model = pdx.det.YOLOv3(num_classes=3, backbone="MobileNetV1", train_random_shapes=[])
    losses = watch(pdx)
    model.train(
        num_epochs=3, train_dataset=data, train_batch_size=8, save_interval_epochs=3,
        log_interval_steps=1, save_dir=folder + "/det_out", learning_rate=0.005,
        pretrain_weights=None, warmup_steps=0,
    )  # fmt: skip
    found["losses"] = np.array(losses)
    boxes = model.predict(folder + "/pictures/1.png", steps)
    found["boxes"] = np.array([box["bbox"] + [box["score"]] for box in boxes])


def main(path: str, part: str) -> None:
    """Writes one part: a process may train one model."""
    import paddlex as pdx

    folder = os.path.join(os.path.dirname(path), "data")
    draw(folder, 24)
    found: dict = {}
    {"classified": classified, "segmented": segmented, "detected": detected}[part](
        found, pdx, folder
    )
    np.savez_compressed(path, **found)


if __name__ == "__main__":
    from stand_ins import install_for_1x

    install_for_1x()
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
