# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of a workspace and their series as tables, also while they train."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from .recording import logged_folder


class BatchwiseError(RuntimeError):
    """What the program `batchwise` says it could not do."""


def _answer(workspace, *arguments):
    beside = Path(__file__).resolve().parent / "bin/batchwise"
    program = os.environ.get("BATCHWISE_PROGRAM") or (str(beside) if beside.exists() else shutil.which("batchwise"))
    if not program:
        raise BatchwiseError("the program batchwise is not installed; name it in BATCHWISE_PROGRAM")
    where = ["--workspace", str(workspace)] if workspace else []
    if logged_folder(workspace).is_dir():  # so that what this package logs is there
        subprocess.run([program, "runs", "sync", *where, "--json"], capture_output=True, check=False)
    done = subprocess.run([program, *arguments, *where, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BatchwiseError(done.stderr.strip())
    return json.loads(done.stdout)


def _table(columns):
    """A data frame of pandas or a table of Arrow if one of them is installed, else the columns."""
    try:
        import pandas  # noqa: PLC0415
        return pandas.DataFrame(columns)
    except ImportError:
        pass
    try:
        import pyarrow  # noqa: PLC0415
        return pyarrow.table(columns)
    except ImportError:
        return columns


def runs(workspace=None):
    """Returns one row for each run of the workspace (default: the user's), the newest first.

    The columns are those of `batchwise runs list --json`; values of several parts stay dictionaries. A data frame of
    pandas if that is installed, else a table of pyarrow, else a dictionary of lists. Raises BatchwiseError.
    """
    listed = _answer(workspace, "runs", "list")["runs"]
    names = list(dict.fromkeys(name for run in listed for name in run))
    return _table({name: [run.get(name) for run in listed] for name in names})


def series(runs, names=None, workspace=None):
    """Returns the points of series, one row each: `run`, `series`, `batch` (global batches so far), `value`.

    `runs`: a name, an id or "latest", or several. `names`: the series, as `batchwise metrics` lists them (default: all).
    The values are those stored, also nan and inf; the table is like that of runs(). Raises BatchwiseError.
    """
    table = {"run": [], "series": [], "batch": [], "value": []}
    chosen = ["--series", ",".join([names] if isinstance(names, str) else names)] if names else []
    for run in [runs] if isinstance(runs, str) else runs:
        for name, points in _answer(workspace, "metrics", run, *chosen)["series"].items():
            for batch, value in points:
                for column, cell in zip(table.values(), (run, name, batch, float(value))):
                    column.append(cell)
    return _table(table)
