"""What lies in the archives of texts and tables, for the readers of 1.x and the map-style classes.

One module for each data set has its addresses and reads its files; ``archives`` and ``tokens`` have
what they share.
"""

__all__: list[str] = []
