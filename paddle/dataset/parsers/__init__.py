"""What lies in the archives of data sets, for the readers of 1.x and the map-style classes.

One module for each data set has its addresses and reads its files; ``archives``, ``tokens``,
``pictures`` and ``labels`` have what they share.
"""

__all__: list[str] = []
