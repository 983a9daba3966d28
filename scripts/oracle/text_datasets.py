"""Writes tests/data/text_datasets.json: what PaddlePaddle 2.6.2 reads out of small archives.

    /tmp/p26/bin/python scripts/oracle/text_datasets.py tests/data/text_datasets.json

The archives are those of tests/dataset/text_archives.py. Dictionaries whose order PaddlePaddle
draws anew in each process (kinds and titles of MovieLens, labels of CoNLL-2005) are taken out of
the samples: words stand in the place of their numbers.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "dataset"))
HOME = tempfile.mkdtemp()
os.environ["HOME"] = HOME  # where PaddlePaddle keeps data sets and dictionaries

import numpy as np  # noqa: E402
import text_archives  # noqa: E402

import paddle  # noqa: E402
import paddle.text.datasets as classes  # noqa: E402

PLACE = text_archives.write_home(Path(HOME, "archives"))
os.makedirs(os.path.join(HOME, ".cache", "paddle", "dataset", "wmt16"))
REVIEWS = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")


def put(url, module_name, md5sum, save_name=None):
    """Finds a file in the place of a download."""
    return str(PLACE / module_name / re.split("/|%2F", url)[-1])


paddle.dataset.common.download = put


def legacy(name):
    return importlib.import_module("paddle.dataset." + name)


def plain(value):
    """Arrays as lists, words as texts, tuples as lists."""
    if isinstance(value, dict):
        return [[plain(k), plain(v)] for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return "b:" + value.decode("latin-1")
    return value.tolist() if isinstance(value, np.ndarray) else value


def samples(data, change=lambda sample: sample):
    """The types of the first sample's arrays, and all samples."""
    types = [str(np.asarray(field).dtype) for field in data[0]] if len(data) else []
    return {
        "types": types, "samples": [plain(change(plain(data[n]))) for n in range(len(data))],
    }  # fmt: skip


def imdb():
    module, archive = legacy("imdb"), str(PLACE / "imdb" / "aclImdb_v1.tar.gz")
    numbers = module.build_dict(REVIEWS, 1)
    yield "imdb build_dict", plain(numbers)
    for mode in ("train", "test"):
        yield f"imdb {mode}", plain(list(getattr(module, mode)(numbers)()))
        for cutoff in (0, 1):
            data = classes.Imdb(archive, mode=mode, cutoff=cutoff)
            yield f"Imdb {mode} {cutoff}", {**samples(data), "dict": plain(data.word_idx)}


def imikolov():
    module, archive = legacy("imikolov"), str(PLACE / "imikolov" / "simple-examples.tgz")
    numbers = module.build_dict(0)
    yield "imikolov build_dict", plain(numbers)
    for kind, code in (("NGRAM", 1), ("SEQ", 2)):
        for size in (2, 3, 5, 20) if kind == "NGRAM" else (-1, 3, 5):
            for mode in ("train", "test"):
                read = getattr(module, mode)(numbers, size, code)
                yield f"imikolov {mode} {kind} {size}", plain(list(read()))
                data = classes.Imikolov(archive, kind, size, mode, 1)
                made = {**samples(data), "dict": plain(data.word_idx)}
                yield f"Imikolov {mode} {kind} {size}", made


def movielens():
    module, archive = legacy("movielens"), str(PLACE / "movielens" / "ml-1m.zip")

    def words(sample, kinds, titles):
        named = [{n: word for word, n in numbers.items()} for numbers in (kinds, titles)]
        return [
            *sample[:5], [named[0][n] for n in sample[5]], [named[1][n] for n in sample[6]],
            sample[7],
        ]  # fmt: skip

    for ratio, seed in ((0.1, 0), (0.5, 3)):
        for mode in ("train", "test"):
            data = classes.Movielens(archive, mode, ratio, seed)
            kinds, titles = data.categories_dict, data.movie_title_dict
            made = samples(data, lambda s, k=kinds, t=titles: words(s, k, t))
            yield f"Movielens {mode} {ratio} {seed}", made
            read = getattr(module, mode)(test_ratio=ratio, rand_seed=seed)
            kinds, titles = module.movie_categories(), module.get_movie_title_dict()
            named = [words(sample, kinds, titles) for sample in read()]
            yield f"movielens {mode} {ratio} {seed}", plain(named)
    yield "movielens dicts", [sorted(kinds), sorted(titles)]
    yield "movielens most", [module.max_movie_id(), module.max_user_id(), module.max_job_id()]
    yield "movielens movies", [str(movie) for movie in module.movie_info().values()]
    yield "movielens users", [[str(u), u.value()] for u in module.user_info().values()]


def uci_housing():
    module, archive = legacy("uci_housing"), str(PLACE / "uci_housing" / "housing.data")
    for mode in ("train", "test"):
        yield f"UCIHousing {mode}", samples(classes.UCIHousing(archive, mode))
        yield f"uci_housing {mode}", plain(list(getattr(module, mode)()()))
    yield "uci_housing predict", plain(module.predict_reader())


def conll05():
    module, folder = legacy("conll05"), PLACE / "conll05st"
    files = ("conll05st-tests.tar.gz", *text_archives.CONLL_DICTS, "emb")
    data = classes.Conll05st(*(str(folder / name) for name in files))

    def named(sample):
        labels = {n: label for label, n in data.get_dict()[2].items()}
        return [*sample[:8], [labels[n] for n in sample[8]]]

    yield "Conll05st", samples(data, named)
    labels = {n: label for label, n in module.get_dict()[2].items()}
    read = [[*fields[:8], [labels[n] for n in fields[8]]] for fields in module.test()()]
    yield "conll05 test", plain(read)
    yield "conll05 dicts", [*map(plain, module.get_dict()[:2]), sorted(module.get_dict()[2])]


def wmt14():
    module, archive = legacy("wmt14"), str(PLACE / "wmt14" / "wmt14.tgz")
    for size in (3, 5, 7, 30):
        yield f"wmt14 dicts {size}", plain(module.get_dict(size, reverse=False))
        for mode in ("train", "test", "gen"):
            yield f"WMT14 {mode} {size}", samples(classes.WMT14(archive, mode, size))
            yield f"wmt14 {mode} {size}", plain(list(getattr(module, mode)(size)()))


def wmt16():
    # The class of 2.6.2 makes both dictionaries of one language; only the readers count.
    module = legacy("wmt16")
    for sizes in ((3, 3), (5, 7), (8, 4), (11, 11)):
        for lang in ("en", "de"):
            for mode in ("train", "test", "validation"):
                read = getattr(module, mode)(*sizes, lang)
                yield f"wmt16 {mode} {sizes} {lang}", plain(list(read()))
    yield "wmt16 dict", [plain(module.get_dict(lang, 5)) for lang in ("en", "de")]


if __name__ == "__main__":
    makers = (imdb, imikolov, movielens, uci_housing, conll05, wmt14, wmt16)
    found = {name: value for maker in makers for name, value in maker()}
    lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
