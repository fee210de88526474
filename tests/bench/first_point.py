# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a new run waits for its first point: from its first row in the store to the first pixel of its line on a chart.

  python3 tests/bench/first_point.py build/dev/bin [ROUNDS]

In the real window on a display of its own, once for a run that is launched there, once for one that another process trains.
Needs Xvfb and xdotool."""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/ui/desktop"))
from desktop_window import Window  # noqa: E402

WAIT_SEC = 60
POLL_SEC = 0.002
SETTINGS = ["max_duration=20ba", "batch.global_train_batch_size=1024"]  # its first row comes after some seconds


def first_color():
    """The color of the first run, on the light ground."""
    source = (ROOT / "core/analysis/run_labels.cpp").read_text()
    return re.search(r'kColors = \{Color\{"(#[0-9A-F]{6})"', source)[1]


def runs_with_rows(database):
    """Ids of the runs that have a row of metrics."""
    rows = database.execute("SELECT id, at FROM run").fetchall()
    return {run for run, at in rows if at and json.loads(at).get("ba", 0) > 0}


class Watch:
    """Waits for the first row of a run that is not known yet, and for its color on the screen."""

    def __init__(self, window, workspace):
        self.window, self.color = window, first_color()
        self.database = sqlite3.connect(f"file:{workspace}/workspace.sqlite?mode=ro", uri=True)
        self.known = runs_with_rows(self.database)

    def has_row(self):
        return bool(runs_with_rows(self.database) - self.known)

    def has_point(self):
        half = self.window.width // 3  # right of the runs table, whose swatches have the color too
        return self.window.framebuffer.has(self.color, half, 60, self.window.width - half, self.window.height - 120)

    def await_all(self, *conditions):
        """The time of each condition."""
        times, until = [None] * len(conditions), time.monotonic() + WAIT_SEC
        while None in times:
            for i, condition in enumerate(conditions):
                if times[i] is None and condition():
                    times[i] = time.monotonic()
            if time.monotonic() > until:
                raise SystemExit(f"nothing after {WAIT_SEC} s: {times}")
            time.sleep(POLL_SEC)
        return times

    def seconds(self):
        if self.has_point():
            raise SystemExit("the color is on the screen before there is a run")
        row, point = self.await_all(self.has_row, self.has_point)
        return point - row


def launched_here(bin_folder, folder):
    workspace = folder / "here"
    with Window(bin_folder, workspace, folder, settings={"run/place": "process"}) as window:
        watch = Watch(window, workspace)
        window.click("tryDemo")
        return watch.seconds()


def trained_elsewhere(bin_folder, folder):
    workspace = folder / "elsewhere"
    with Window(bin_folder, workspace, folder) as window:
        watch = Watch(window, workspace)
        changes = [word for setting in SETTINGS for word in ("--set", setting)]
        trainer = subprocess.Popen([bin_folder / "batchwise", "--workspace", workspace, "train", "demo", *changes],
                                   stdout=subprocess.DEVNULL, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        try:
            window.click("demo")  # once it is in the table
            return watch.seconds()
        finally:
            trainer.terminate()
            trainer.wait()


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for what, measure in (("launched in the window", launched_here), ("trained by another process", trained_elsewhere)):
        seconds = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                seconds.append(measure(bin_folder, pathlib.Path(folder)))
        print(f"{what}: " + ", ".join(f"{each:.2f}" for each in seconds) + f" s; longest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
