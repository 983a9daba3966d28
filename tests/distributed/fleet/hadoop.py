"""A stand-in for the command ``hadoop fs``: files below ``FAKE_HDFS``; failures as told.

``FAKE_HDFS_FAIL`` names a command and how often it is to fail: ``-put 2``. What was called is
written to ``FAKE_HDFS_LOG``.
"""

import os
import shutil
import sys

ROOT = os.environ["FAKE_HDFS"]


def place(path):
    return os.path.join(ROOT, path.lstrip("/"))


def fails(command):
    told = os.path.join(ROOT, ".fail")
    if not os.path.exists(told):
        return False
    name, count, status = open(told).read().split()  # noqa: SIM115
    if name != command or not int(count):
        return False
    with open(told, "w") as file:
        file.write(f"{name} {int(count) - 1} {status}")
    print("Connection refused", file=sys.stderr)
    sys.exit(int(status))


def listed(folder, deep):
    names = sorted(n for n in os.listdir(place(folder)) if not n.startswith("."))
    print(f"Found {len(names)} items")
    for name in names:
        path = f"{folder.rstrip('/')}/{name}"
        kind = "d" if os.path.isdir(place(path)) else "-"
        size = os.path.getsize(place(path))
        print(f"{kind}rw-r--r--   3 user group {size} 2026-11-23 10:00 {path}")
        if deep and kind == "d":
            listed(path, True)


def main(argv):
    assert argv[0] == "fs", argv
    args = argv[1:]
    while args and args[0].startswith("-D"):
        args.pop(0)
    with open(os.path.join(ROOT, ".log"), "a") as file:
        file.write(repr(argv) + "\n")
    command, *rest = args
    fails(command)
    if command == "-test":
        test = {"-e": os.path.exists, "-d": os.path.isdir}[rest[0]]
        return 0 if test(place(rest[1])) else 1
    if command == "-ls":
        listed(rest[-1], "-R" in rest)
    elif command == "-mkdir":
        os.makedirs(place(rest[-1]))
    elif command == "-rm":
        path = place(rest[-1])
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    elif command == "-touchz":
        open(place(rest[0]), "w").close()
    elif command == "-mv":
        shutil.move(place(rest[0]), place(rest[1]))
    elif command in ("-put", "-get"):
        src, dst = (rest[0], place(rest[1])) if command == "-put" else (place(rest[0]), rest[1])
        if os.path.isdir(dst):
            dst = os.path.join(dst, os.path.basename(src))
        shutil.copytree(src, dst) if os.path.isdir(src) else shutil.copy(src, dst)
    elif command == "-cat":
        sys.stdout.write(open(place(rest[0])).read())  # noqa: SIM115
    else:
        print(f"{command}: Unknown command", file=sys.stderr)
        return 255
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
