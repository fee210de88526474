# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of the package, as pip's commands start them."""
import os
import sys
from pathlib import Path


def _become(name):
    program = str(Path(__file__).resolve().parent / "bin" / name)
    os.environ["BATCHWISE_PYTHON"] = sys.executable  # with which `batchwise setup` installs
    os.environ["BATCHWISE_COMMAND"] = os.path.abspath(sys.argv[0])  # what a menu of applications starts
    os.execv(program, [program, *sys.argv[1:]])


def batchwise():
    _become("batchwise")


def studio():
    _become("batchwise-studio")
