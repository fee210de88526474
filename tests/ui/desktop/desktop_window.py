# SPDX-License-Identifier: GPL-3.0-or-later
"""The program on a display of its own, driven by mouse and keys, for scripts that photograph or measure it. Needs Xvfb, xdotool
and, for pictures, ImageMagick."""

import json
import mmap
import os
import pathlib
import socket
import struct
import subprocess
import time

WAIT_SEC = 60


class Framebuffer:
    """What the display shows, in the memory of the X server."""

    def __init__(self, file):
        with open(file, "rb") as xwd:
            self.memory = mmap.mmap(xwd.fileno(), 0, access=mmap.ACCESS_READ)
        header = struct.unpack(">25I", self.memory[:100])
        self.bytes_per_line = header[12]
        self.start = header[0] + 12 * header[19]  # behind the header and its colors

    def rows(self, x, y, width, height):
        """The pixels of a rectangle, four bytes each: blue, green, red, unused."""
        first = self.start + y * self.bytes_per_line + 4 * x
        return [self.memory[at:at + 4 * width] for at in range(first, first + height * self.bytes_per_line, self.bytes_per_line)]

    def has(self, color, x, y, width, height):
        """Whether a pixel of the rectangle has the color, "#rrggbb"."""
        wanted = bytes.fromhex(color[1:])[::-1]
        for row in self.rows(x, y, width, height):
            at = row.find(wanted)
            while at >= 0 and at % 4 != 0:
                at = row.find(wanted, at + 1)
            if at >= 0:
                return True
        return False


class Window:
    """The program; its folder of settings is below `folder`. `settings`: lines of studio.ini, "view/text_percent": "200"."""

    def __init__(self, bin_folder, workspace, folder, size=(1366, 820), settings=None):
        self.width, self.height = size
        folder = pathlib.Path(folder)
        self.server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", f"{self.width}x{self.height}x24", "-nolisten",
                                        "tcp", "-fbdir", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        display = self.server.stdout.readline().strip()
        self.framebuffer = Framebuffer(folder / "Xvfb_screen0")
        self.controls_socket = folder / "controls"
        home = folder / "home"
        write_settings(home / "batchwise/studio.ini", settings or {})
        homes = {name: str(home) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        self.environment = dict(os.environ, DISPLAY=":" + display, LC_ALL="C.UTF-8", QT_QPA_PLATFORM="xcb",
                                QT_PLUGIN_PATH=str(bin_folder.parent / "test-plugins"), QT_QPA_GENERIC_PLUGINS="controls",
                                BATCHWISE_CONTROLS=str(self.controls_socket), DBUS_SESSION_BUS_ADDRESS="disabled:", **homes)
        self.program = subprocess.Popen([bin_folder / "batchwise-studio", "--workspace", workspace], env=self.environment)
        window = self.tool("search", "--sync", "--onlyvisible", "--name", "Batchwise").split()[0]
        self.tool("windowmove", window, "0", "0", "windowsize", window, str(self.width), str(self.height))
        self.await_controls()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.program, self.server):
            process.terminate()
            process.wait()

    def tool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, check=True, capture_output=True, text=True).stdout

    def await_controls(self):
        until = time.monotonic() + WAIT_SEC
        while not self.controls():
            if time.monotonic() > until:
                raise SystemExit("the program shows no window")
            time.sleep(0.3)

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

    def find(self, name, wait_sec=WAIT_SEC):
        """The control with this name, the lowest if there are several, once it stays at its place."""
        before, until = None, time.monotonic() + wait_sec
        while time.monotonic() < until:
            fits = (each for each in self.controls() if name in (each["name"], each["object"]) and each["enabled"] and
                    each["width"] > 0 and 0 <= each["x"] < self.width and 0 <= each["y"] < self.height)
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

    def photograph(self, file, wait_sec=3):
        self.tool("mousemove", str(self.width - 1), str(self.height - 1))  # no tooltip, no cursor on a chart
        time.sleep(wait_sec)
        subprocess.run(["import", "-window", "root", file], env=self.environment, check=True)
        print("wrote", file)


def write_settings(file, settings):
    """Writes an INI file; a name before "/" is its section."""
    sections = {}
    for name, value in settings.items():
        section, _, key = name.rpartition("/")
        sections.setdefault(section or "General", []).append(f"{key}={value}")
    file.parent.mkdir(parents=True, exist_ok=True)
    if settings:
        file.write_text("".join(f"[{section}]\n" + "".join(line + "\n" for line in lines) for section, lines in sections.items()))
