#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the window as a screen reader does, through AT-SPI: every control that can have the keyboard focus has a role and
a name, on every page, in the log, the preferences, the help and the command palette.

accessibility_check.py PROGRAM: PROGRAM is batchwise-studio. Needs Xvfb, xdotool, dbus-run-session, at-spi2-core and the
introspection data of AT-SPI; checks in the full tier only (BATCHWISE_TEST_TIER=full)."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

WAIT_SEC = 60
SETTLE_SEC = 1.5
KEYS = {"page 1": "ctrl+1", "page 2": "ctrl+2", "page 3": "ctrl+3", "log": "F9", "preferences": "ctrl+comma",
        "help": "F1", "palette": "ctrl+k"}


def start_display():
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1366x820x24", "-nolisten", "tcp"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return server, ":" + server.stdout.readline().strip()


def outside(program):
    """Starts a display and a session bus of its own, and the check on them."""
    server, display = start_display()
    try:
        with tempfile.TemporaryDirectory() as folder:
            home = {name: folder + "/home" for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
            environment = dict(os.environ, DISPLAY=display, LC_ALL="C.UTF-8", QT_QPA_PLATFORM="xcb",
                               QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", **home)
            for name in ("DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "NO_AT_BRIDGE"):
                environment.pop(name, None)
            return subprocess.run(["dbus-run-session", "--", "/usr/bin/python3", __file__, program, folder, "--always"],
                                  env=environment, check=False).returncode
    finally:
        server.terminate()
        server.wait()


def application(atspi, process):
    """The accessible root of the process, once it is on the bus."""
    until = time.monotonic() + WAIT_SEC
    while time.monotonic() < until:
        desktop = atspi.get_desktop(0)
        for index in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(index)
            if child and child.get_process_id() == process.pid and child.get_child_count() > 0:
                return child
        time.sleep(0.3)
    raise SystemExit("the window is not on the accessibility bus")


def visit(atspi, control, found, path="", depth=0):
    """Collects the shown controls that can have the focus, as (role, name, names of its parents)."""
    if control is None or depth > 40:
        return
    states = control.get_state_set()
    if depth > 1 and not states.contains(atspi.StateType.SHOWING):
        return
    if states.contains(atspi.StateType.FOCUSABLE) and states.contains(atspi.StateType.ENABLED):
        found.append((control.get_role_name(), (control.get_name() or "").strip(), path))
    path = " > ".join(part for part in (path, control.get_name()) if part)
    for index in range(min(control.get_child_count(), 300)):
        visit(atspi, control.get_child_at_index(index), found, path, depth + 1)


def nameless(atspi, root):
    found = []
    visit(atspi, root, found)
    cells = {"table cell", "list item", "tree item", "table column header", "table row header"}  # may be empty
    bad = [each for each in found if each[0] not in cells and (not each[1] or each[0] in ("unknown", "invalid", ""))]
    return len(found), bad


def inside(program, folder):
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi
    studio = subprocess.Popen([program, "--workspace", folder + "/workspace"])
    try:
        root = application(Atspi, studio)
        window = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "Batchwise"], check=True,
                                capture_output=True, text=True).stdout.split()[0]
        failed = 0
        for place, keys in {"start": None, **KEYS}.items():
            if keys:
                subprocess.run(["xdotool", "windowfocus", "--sync", window, "key", keys], check=True)
            time.sleep(SETTLE_SEC)
            count, bad = nameless(Atspi, root)
            print(f"{place}: {count} controls, {len(bad)} without a name or a role")
            for role, _, path in bad:
                print(f"  {role} in {path}")
            failed += len(bad) + (count < 10)
        return 1 if failed else 0
    finally:
        studio.terminate()
        studio.wait()


def main():
    if os.environ.get("BATCHWISE_TEST_TIER") != "full" and "--always" not in sys.argv:
        print("runs in the full tier")
        return 77
    arguments = [each for each in sys.argv[1:] if each != "--always"]
    return outside(str(pathlib.Path(arguments[0]).resolve())) if len(arguments) == 1 else inside(*arguments)


if __name__ == "__main__":
    sys.exit(main())
