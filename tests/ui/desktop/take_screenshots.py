#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes resources/screenshots: trains six small runs of the demo and photographs the window with them.

take_screenshots.py [BIN] [FOLDER]: BIN is the folder of the programs (build/dev/bin, with ../test-plugins), FOLDER takes the
pictures (resources/screenshots). Needs Xvfb, xdotool and ImageMagick, and some minutes on two cores. Runs: two seeds each of a
constant batch size, of a ramp, and of a token budget. BATCHWISE_SCREENSHOT_WORKSPACE names a workspace that has them already."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
WIDTH, HEIGHT = 1366, 820
COMMON = ["max_duration=600000tok", "batch.device_train_microbatch_size=8"]  # a ramp starts at one micro-batch
KINDS = {"base": [], "ramp": ["batch.rampup.duration=0.5dur"], "tokens": ["batch.tokens.max_tokens=36"]}
WAIT_SEC = 60


class Window:
    """The program on a display of its own, driven by mouse and keys."""

    def __init__(self, bin_folder, workspace, folder):
        self.server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.controls_socket = folder / "controls"
        home = {name: str(folder / "home") for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        self.environment = dict(os.environ, DISPLAY=":" + self.server.stdout.readline().strip(), LC_ALL="C.UTF-8",
                                QT_QPA_PLATFORM="xcb", QT_PLUGIN_PATH=str(bin_folder.parent / "test-plugins"),
                                QT_QPA_GENERIC_PLUGINS="controls", BATCHWISE_CONTROLS=str(self.controls_socket),
                                DBUS_SESSION_BUS_ADDRESS="disabled:", **home)
        self.program = subprocess.Popen([bin_folder / "batchwise-studio", "--workspace", workspace], env=self.environment)
        window = self.tool("search", "--sync", "--onlyvisible", "--name", "Batchwise").split()[0]
        self.tool("windowmove", window, "0", "0", "windowsize", window, str(WIDTH), str(HEIGHT))
        self.find("New run")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.program, self.server):
            process.terminate()
            process.wait()

    def tool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, check=True, capture_output=True, text=True).stdout

    def controls(self):
        """What a screen reader sees; nothing while the program starts."""
        text = b""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self.controls_socket))
                while part := connection.recv(1 << 16):
                    text += part
        except OSError:
            return []
        return json.loads(text)

    def find(self, name):
        """The control with this name, the lowest if there are several, once it stays at its place."""
        before, until = None, time.monotonic() + WAIT_SEC
        while time.monotonic() < until:
            fits = (each for each in self.controls() if name in (each["name"], each["object"]) and each["enabled"] and
                    each["width"] > 0 and 0 <= each["x"] < WIDTH and 0 <= each["y"] < HEIGHT)
            found = max(fits, key=lambda each: each["y"], default=None)
            if found and found == before:
                return found
            before = found
            time.sleep(0.3)
        raise SystemExit(f"the window shows no '{name}'")

    def click(self, name):
        control = self.find(name)
        self.tool("mousemove", str(control["x"] + min(control["width"] // 2, 20)), str(control["y"] + control["height"] // 2),
                  "click", "1")

    def enter(self, name, text):
        """Clicks into the field and replaces its text."""
        self.click(name)
        self.key("ctrl+a")
        self.tool("key", "Delete")
        if text:
            self.tool("type", "--delay", "15", text)
        time.sleep(0.3)

    def key(self, *keys):
        for key in keys:
            self.tool("key", key)
            time.sleep(0.4)

    def choose(self, box, item):
        """Opens a box of choices and takes this one."""
        self.click(box)
        self.click(item)

    def photograph(self, file):
        self.tool("mousemove", str(WIDTH - 1), str(HEIGHT - 1))  # no tooltip, no cursor on a chart
        time.sleep(3)
        subprocess.run(["import", "-window", "root", file], env=self.environment, check=True)
        print("wrote", file)


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
