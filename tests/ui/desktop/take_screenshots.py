#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes resources/screenshots: trains six small runs of the demo and photographs the window with them.

take_screenshots.py [BIN] [FOLDER]: BIN is the folder of the programs (build/dev/bin, with ../test-plugins), FOLDER takes the
pictures (resources/screenshots). Needs Xvfb, xdotool and ImageMagick, and some minutes on two cores. Runs: two seeds each of a
constant batch size, of a ramp, and of a token budget. BATCHWISE_SCREENSHOT_WORKSPACE names a workspace that has them already."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from desktop_window import Window

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMON = ["max_duration=600000tok", "batch.device_train_microbatch_size=8"]  # a ramp starts at one micro-batch
KINDS = {"base": [], "ramp": ["batch.rampup.duration=0.5dur"], "tokens": ["batch.tokens.max_tokens=36"]}


def train(bin_folder, workspace):
    """The six runs, oldest first."""
    for kind, settings in KINDS.items():
        for seed in (1, 2):
            changes = [word for setting in [f"seed={seed}", *COMMON, *settings] for word in ("--set", setting)]
            subprocess.run([bin_folder / "batchwise", "train", "demo", "--workspace", workspace, "--name", f"{kind}-{seed}",
                            *changes], check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
            print("trained", f"{kind}-{seed}")


def photograph_pages(window, folder):
    window.click("ramp-2")
    window.key("ctrl+2")
    window.photograph(folder / "runs.png")
    window.key("ctrl+3")
    window.click("Sentence with [MASK]")
    window.tool("type", "the old dog sleeps in the [MASK].")
    window.key("Return")
    time.sleep(5)
    window.photograph(folder / "checkpoints.png")
    for seed in (1, 2):  # the first run of a group gives it its color: one after the other
        for kind in KINDS:
            window.click(f"{kind}-{seed}")
            window.key("space")
    window.key("c")
    window.photograph(folder / "compare.png")
    window.click("ramp-2, ticked")
    window.key("ctrl+d", "ctrl+1")
    time.sleep(12)  # the plan is made from the text
    window.photograph(folder / "edit.png")


def main():
    bin_folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/dev/bin").resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "resources/screenshots").resolve()
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        workspace = temporary / "batchwise"
        if "BATCHWISE_SCREENSHOT_WORKSPACE" in os.environ:
            workspace = pathlib.Path(os.environ["BATCHWISE_SCREENSHOT_WORKSPACE"])  # trained before
        else:
            train(bin_folder, workspace)
        with Window(bin_folder, workspace, temporary) as window:
            photograph_pages(window, folder)


if __name__ == "__main__":
    main()
