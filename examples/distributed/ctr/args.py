"""The arguments of train.py."""

import argparse


def parse_args():
    """Returns what the command line says."""
    parser = argparse.ArgumentParser(description="Click-through rates with parameter servers.")
    parser.add_argument("--is_local", type=int, default=0, help="1: one process, no servers")
    return parser.parse_args()
