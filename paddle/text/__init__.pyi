"""Public names of paddle.text; written by scripts/make_stubs.py."""

from paddle.core.lazy import lazy as lazy
from paddle.text import datasets as datasets
from paddle.text.datasets.conll05 import Conll05st as Conll05st
from paddle.text.datasets.imdb import Imdb as Imdb
from paddle.text.datasets.imikolov import Imikolov as Imikolov
from paddle.text.datasets.movielens import Movielens as Movielens
from paddle.text.datasets.uci_housing import UCIHousing as UCIHousing
from paddle.text.datasets.wmt14 import WMT14 as WMT14
from paddle.text.datasets.wmt16 import WMT16 as WMT16

__all__ = ['Conll05st', 'Imdb', 'Imikolov', 'Movielens', 'UCIHousing', 'WMT14', 'WMT16', 'datasets']
