"""Data sets of texts and tables for ``paddle.io.DataLoader``."""

from paddle.text.datasets.conll05 import Conll05st
from paddle.text.datasets.imdb import Imdb
from paddle.text.datasets.imikolov import Imikolov
from paddle.text.datasets.movielens import MovieInfo, Movielens, UserInfo
from paddle.text.datasets.uci_housing import UCIHousing
from paddle.text.datasets.wmt14 import WMT14
from paddle.text.datasets.wmt16 import WMT16

# The order in which the guide prints them.
__all__ = ["Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing", "WMT14", "WMT16"]
