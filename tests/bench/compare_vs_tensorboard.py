# SPDX-License-Identifier: GPL-3.0-or-later
"""From the start of a program to 20 curves of a folder with 100 runs of 10,000 points: batchwise beside TensorBoard. Then
batchwise alone with 1,000 runs of 100,000 points, a hundred times as many.

  python tests/bench/compare_vs_tensorboard.py build/dev/bin [RUNS POINTS]

RUNS, POINTS: of the second part; 1000 100000 needs 8 GB in the folder for temporary files and some ten minutes; 0: left out.
Runs in the test environment, which has TensorBoard. Both get the same losses, with one spike and (ours) one NaN in each
run; TensorBoard gets three more series, batchwise three clocks. Prints seconds, processor seconds, ratios, and how many of
the 20 spikes and NaN are shown."""
import json
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np

RUNS, POINTS, SHOWN, PORT = 100, 10_000, 20, 6123
FIRST_STEP = 20_000  # so that every step takes three bytes


def crc_table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0x82F63B78), table >> 1)
    return table


TABLE = crc_table()


def masked_crcs(rows):
    """Of each row of bytes, as TensorFlow's record files have it."""
    crc = np.full(len(rows), 0xFFFFFFFF, dtype=np.uint32)
    for column in rows.T:
        crc = TABLE[(crc ^ column) & 0xFF] ^ (crc >> 8)
    crc = ~crc
    return ((crc >> 15) | (crc << 17)) + np.uint32(0xA282EAD8)


def records(rows):
    length = np.frombuffer(struct.pack("<Q", rows.shape[1]), dtype=np.uint8)
    head = np.broadcast_to(length, (len(rows), 8))
    as_bytes = lambda crc: crc.astype("<u4").view(np.uint8).reshape(-1, 4)
    return np.hstack([head, as_bytes(masked_crcs(head)), rows, as_bytes(masked_crcs(rows))]).tobytes()


def series(tag, values):
    """Events with a wall time, a step and one simple value."""
    inner = b"\x0a\x04" + tag + b"\x15"
    head = b"\x09" + bytes(8) + b"\x10" + bytes(3) + b"\x2a" + bytes([len(inner) + 6]) + b"\x0a" + bytes([len(inner) + 4]) + inner
    rows = np.zeros((len(values), len(head) + 4), dtype=np.uint8)
    rows[:, : len(head)] = np.frombuffer(head, dtype=np.uint8)
    steps = np.arange(FIRST_STEP, FIRST_STEP + len(values), dtype=np.uint32)
    rows[:, 1:9] = (1.7e9 + steps).astype("<f8").view(np.uint8).reshape(-1, 8)
    for i, shift in enumerate((0, 7, 14)):
        rows[:, 10 + i] = ((steps >> shift) & 0x7F) | (0x80 if i < 2 else 0)
    rows[:, len(head):] = values.astype("<f4").view(np.uint8).reshape(-1, 4)
    return rows


def losses(number):
    batch = np.arange(1, POINTS + 1)
    loss = 2 + number * 0.01 + 8.0 / batch + (batch % 97) * 0.001
    loss[POINTS // 2 + 7 * number - 1] = 20 + number
    return loss


def write_logs(folder):
    version = np.frombuffer(b"\x09" + struct.pack("<d", 1.7e9) + b"\x1a\x0dbrain.Event:2", dtype=np.uint8)[None, :]
    for number in range(RUNS):
        os.makedirs(f"{folder}/run-{number}")
        with open(f"{folder}/run-{number}/events.out.tfevents.1700000000.bench", "wb") as file:
            file.write(records(version))
            loss = losses(number)
            for tag, values in ((b"loss", loss), (b"rate", loss / 9), (b"norm", loss / 2), (b"toks", loss * 100)):
                file.write(records(series(tag, values)))


def ask(path):
    with urllib.request.urlopen(f"http://localhost:{PORT}/data/plugin/scalars/{path}", timeout=60) as answer:
        return json.load(answer)


def tensorboard_curves():
    """The 20 curves once they reach the last step; None before."""
    try:
        if len(ask("tags")) < RUNS:
            return None
        curves = [ask(f"scalars?tag=loss&run=run-{number}") for number in range(SHOWN)]
    except OSError:
        return None
    return curves if all(curve and curve[-1][1] == FIRST_STEP + POINTS - 1 for curve in curves) else None


def processor_seconds():
    """Of the programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_tensorboard(folder):
    """Seconds, processor seconds, spikes, points of a curve."""
    before, begun = processor_seconds(), time.monotonic()
    server = subprocess.Popen([sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", str(PORT)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while (curves := tensorboard_curves()) is None:
            if server.poll() is not None:
                sys.exit("tensorboard ended before it showed anything")
            time.sleep(0.02)
        seconds = time.monotonic() - begun
    finally:
        server.terminate()
        server.wait()
    return seconds, processor_seconds() - before, sum(max(p[2] for p in curve) >= 20 for curve in curves), len(curves[0])


def least_time(command):
    """Of five: seconds and processor seconds from the start of the program to its end."""
    times = []
    for _ in range(5):
        before, begun = processor_seconds(), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append((time.monotonic() - begun, processor_seconds() - before))
    return min(t[0] for t in times), min(t[1] for t in times)


def time_batchwise(binary, workspace, chart):
    return least_time([binary, "--workspace", workspace, "runs", "compare", *(f"run-{i}" for i in range(SHOWN)), "--chart", chart])


def make_workspace(binaries, folder, runs, points):
    """Its path, and what compare_bench has measured in it."""
    made = subprocess.run([f"{binaries}/compare_bench", folder, str(SHOWN), str(points), str(runs), str(points), "keep"],
                          check=True, capture_output=True, text=True).stdout
    kept = re.search(r"kept in (.*)", made)
    return kept[1] + "/w", made[:kept.start()]


def tell(what, times, theirs, shown):
    print(f"{what:30} {times[0]:7.3f} s, {times[1]:7.3f} s of processor time; {shown}; "
          f"{theirs[0] / times[0]:.0f} x faster ({theirs[1] / times[1]:.0f} x by processor time)")


def spikes_and_marks(chart):
    """Each spike is one unit above the one of the run before: their tops must be that far apart in the picture."""
    svg = open(chart).read()
    tops = {}
    for color, dash, points in re.findall(r'<polyline fill="none" stroke="(#\w+)" stroke-width="1.75"([^>]*?) points="([^"]*)"', svg):
        y = [float(point.split(",")[1]) for point in points.split()]
        if len(y) > 10:
            tops.setdefault(len(tops), min(y))
    heights = sorted(tops.values())
    heights = [y for y in heights if y < heights[0] + (heights[-1] - heights[0]) * 0.98]
    apart = np.diff(heights)
    shown = 1 + int(np.sum(np.abs(apart - np.median(apart)) < 0.2)) if len(apart) else 0
    return shown, svg.count('<polygon fill="#B3261E"')


def beside_tensorboard(binaries, folder):
    workspace, _ = make_workspace(binaries, folder, RUNS, POINTS)
    write_logs(f"{folder}/logs")
    chart = f"{folder}/chart.svg"
    theirs = time_tensorboard(f"{folder}/logs")
    print(f"{RUNS} runs of {POINTS} points; start of the program to {SHOWN} curves")
    print(f"{'TensorBoard':30} {theirs[0]:7.3f} s, {theirs[1]:7.3f} s of processor time; {theirs[2]} of {SHOWN} spikes "
          f"({theirs[3]} sampled points a curve)")
    times = time_batchwise(f"{binaries}/batchwise", workspace, chart)
    tell("Batchwise", times, theirs, "%d of 20 spikes, %d of 20 NaN marked" % spikes_and_marks(chart))
    return theirs


def at_full_size(binaries, folder, runs, points, theirs):
    workspace, measured = make_workspace(binaries, folder, runs, points)
    chart = f"{folder}/chart.svg"
    print(f"\n{runs} runs of {points} points, {os.path.getsize(workspace + '/workspace.sqlite') / 1e9:.1f} GB")
    print(measured, end="")
    tell("start to the list of runs", least_time([f"{binaries}/batchwise", "--workspace", workspace, "runs", "list"]), theirs,
         "all of them")
    times = time_batchwise(f"{binaries}/batchwise", workspace, chart)
    tell(f"start to {SHOWN} curves", times, theirs, "%d of 20 spikes, %d of 20 NaN marked" % spikes_and_marks(chart))


def main():
    binaries = sys.argv[1]
    runs, points = (int(n) for n in sys.argv[2:4]) if len(sys.argv) > 3 else (1_000, 100_000)
    with tempfile.TemporaryDirectory() as folder:
        theirs = beside_tensorboard(binaries, folder)
        if runs:
            at_full_size(binaries, folder, runs, points, theirs)


if __name__ == "__main__":
    main()
