"""Turns lines like those of the Criteo challenge into records of 28 slots: a ``pipe_command``.

python criteo_reader.py HEIGHT < raw_data/part-0
"""

import sys

import paddle.distributed.fleet as fleet


class CriteoReader(fleet.MultiSlotDataGenerator):
    """Records of raw lines: a label, 13 integers and 26 categories, with tabs between."""

    names = ["dense_input", *(f"C{i}" for i in range(1, 27)), "label"]

    def __init__(self, height):
        super().__init__()
        self.height = height

    def generate_sample(self, line):
        """The one record of a line."""

        def read():
            label, *fields = line.rstrip("\n").split("\t")
            # Far from 0, so that the guide's small learning rate moves something.
            dense = [20.0 * (float(field or 3) - 3.0) for field in fields[:13]]
            # Each field has its own ids: the number of the field goes into the hash.
            ids = [
                [(int(field or "0", 16) * 31 + number * 7919) % self.height]
                for number, field in enumerate(fields[13:])
            ]
            yield list(zip(self.names, [dense, *ids, [int(label)]], strict=True))

        return read


if __name__ == "__main__":
    CriteoReader(int(sys.argv[1])).run_from_stdin()
