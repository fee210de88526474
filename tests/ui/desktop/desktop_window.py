# SPDX-License-Identifier: GPL-3.0-or-later
"""The program on a display of its own, driven by mouse and keys, for desktop_test.py and scripts that photograph or measure it.
Needs Xvfb, xdotool and, for pictures, ImageMagick."""

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
    """The program; its folder of settings is below `folder`. `settings`: lines of studio.ini, "view/text_percent": "200".
    `free`: lines of the screen below the window. `cwd`: where the program is started."""

    def __init__(self, bin_folder, workspace, folder, size=(1366, 820), settings=None, free=0, cwd=None):
        self.bin_folder, self.workspace, self.cwd, self.free = bin_folder, workspace, cwd, free
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
        own = {name: value for name, value in os.environ.items()
               if name not in ("XDG_CURRENT_DESKTOP", "WAYLAND_DISPLAY", "QT_STYLE_OVERRIDE")}
        self.environment = dict(own, DISPLAY=":" + display, LC_ALL="C.UTF-8", QT_QPA_PLATFORM="xcb",
                                QT_PLUGIN_PATH=str(bin_folder.parent / "test-plugins"), QT_QPA_GENERIC_PLUGINS="controls",
                                BATCHWISE_CONTROLS=str(self.controls_socket), DBUS_SESSION_BUS_ADDRESS="disabled:", **homes)
        self.start()

    def start(self):
        self.controls_socket.unlink(missing_ok=True)
        self.program = subprocess.Popen([self.bin_folder / "batchwise-studio", "--workspace", self.workspace],
                                        env=self.environment, cwd=self.cwd)
        window = self.tool("search", "--sync", "--onlyvisible", "--name", "Batchwise").split()[0]
        self.tool("windowmove", window, "0", "0", "windowsize", window, str(self.width), str(self.height - self.free))
        self.await_controls()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.program, self.server):
            process.terminate()
            process.wait()
        self.server.stdout.close()

    def ask(self, *words):
        """What the command line says of the workspace, as JSON."""
        done = subprocess.run([self.bin_folder / "batchwise", "--workspace", self.workspace, "--json", *map(str, words)],
                              env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def tool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, check=True, capture_output=True, text=True).stdout

    def await_controls(self):
        until = time.monotonic() + WAIT_SEC
        while not self.controls():
            if time.monotonic() > until:
                raise AssertionError("the program shows no window")
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

    def is_shown(self, control):
        return 0 <= control["x"] < self.width and 0 <= control["y"] < self.height

    def chosen(self, fits):
        """Of the controls of one name: the lowest."""
        return max(fits, key=lambda each: each["y"], default=None)

    def find(self, name, wait_sec=WAIT_SEC):
        """The control with this name, or one that begins so where it ends with "*", once it stays at its place."""
        begins = name.endswith("*") and name[:-1]
        before, until = None, time.monotonic() + wait_sec
        while time.monotonic() < until:
            found = self.chosen([each for each in self.controls() if each["enabled"] and each["width"] > 0 and self.is_shown(each)
                                 and (each["name"].startswith(begins) if begins else name in (each["name"], each["object"]))])
            if found and found == before:
                return found
            before = found
            time.sleep(0.3)
        raise AssertionError(f"the window shows no '{name}'")

    def shows(self, part):
        """Whether some shown text has `part` in it."""
        return any(part in each["name"] or part in each["value"] for each in self.controls() if self.is_shown(each))

    def await_text(self, part, wait_sec=WAIT_SEC):
        until = time.monotonic() + wait_sec
        while not self.shows(part):
            assert time.monotonic() < until, f"the window does not say '{part}'"
            time.sleep(0.1)

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
            self.tool("type", "--delay", "15", "--", text)
        time.sleep(0.3)

    def key(self, *keys):
        for key in keys:
            self.tool("key", key)
            time.sleep(0.4)

    def choose(self, box, item):
        """Opens a box of choices, or a menu, and takes this one."""
        self.click(box)
        self.click(item)

    def set(self, field, value):
        """Finds the setting and types a value into it."""
        self.enter("Find a setting", field)
        self.enter(field, value)
        self.key("Tab")

    def pick(self, field, choice):
        self.enter("Find a setting", field)
        self.choose(field, choice)

    def choose_file(self, path):
        """In the dialog that is open."""
        self.enter("fileNameEdit", str(path))
        self.key("Return")

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
