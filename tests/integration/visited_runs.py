# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs open a workspace while the real program trains in it, and after it was killed.

visited_runs.py BATCHWISE: starts `train`, `queue run`, `resume` and `fill-mask` as a person does, beside tests/store/visitor.py
(nothing but Python's sqlite3), and looks in /proc/locks whether SQLite's locks stay where they are."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BATCHWISE = sys.argv.pop(1)
VISITOR = pathlib.Path(__file__).parents[1] / "store/visitor.py"
FULL = os.environ.get("BATCHWISE_TEST_TIER") == "full"
DEMO = ["demo", "--set", "max_duration=60ba", "--set", "eval.interval=20ba", "--set", "checkpoint.interval=20ba"]


def has_open(process, file):
    """Whether the process has the file open."""
    try:
        names = os.listdir(f"/proc/{process}/fd")
        return any(os.readlink(f"/proc/{process}/fd/{name}") == str(file) for name in names)
    except OSError:
        return False


def locks_of(process, file):
    """How many POSIX locks the process has on the file."""
    try:
        inode = file.stat().st_ino
    except FileNotFoundError:
        return 0
    count = 0
    for line in pathlib.Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if "POSIX" in words and words[-4] == str(process) and words[-3].endswith(f":{inode}"):
            count += 1
    return count


class VisitedRuns(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.workspace = pathlib.Path(self.temp.name) / "w"
        self.database = self.workspace / "workspace.sqlite"

    def tearDown(self):
        self.temp.cleanup()

    def start(self, *arguments):
        return subprocess.Popen([BATCHWISE, *arguments, "--workspace", self.workspace, "--json"], stdout=subprocess.PIPE,
                                text=True)

    def call(self, *arguments):
        done = subprocess.run([BATCHWISE, *arguments, "--workspace", self.workspace], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def visit(self, action, seconds=0.3):
        return subprocess.run(["/usr/bin/python3", VISITOR, self.database, action, str(seconds)], check=True)

    def expect_locked_to_the_end(self, *arguments, seen_at_least=1):
        """As long as the database and its shared memory are open, they are locked."""
        process = self.start(*arguments)
        output = []
        reader = threading.Thread(target=lambda: output.extend(process.stdout))
        reader.start()
        files = [self.database, self.workspace / "workspace.sqlite-shm"]
        seen, without = 0, 0
        while process.poll() is None:
            if all(has_open(process.pid, file) for file in files):
                locked = all(locks_of(process.pid, file) > 0 for file in files)
                seen += locked
                without = 0 if locked else without + 1
                self.assertLess(without, 25, f"{arguments}: the locks were gone while the files were open")
            time.sleep(0.02)
        reader.join()
        process.stdout.close()
        self.assertEqual(process.returncode, 0, arguments)
        self.assertGreaterEqual(seen, seen_at_least, f"{arguments}: no lock was seen")
        return [json.loads(line) for line in output if line.startswith("{")]

    def test_locks_stay_while_each_command_uses_the_workspace(self):
        self.expect_locked_to_the_end("train", *DEMO, "--name", "first")
        self.expect_locked_to_the_end("resume", "first", "--set", "max_duration=90ba")
        self.call("queue", "add", *DEMO, "--set", "name=queued")
        self.expect_locked_to_the_end("queue", "run")
        self.expect_locked_to_the_end("fill-mask", "first", "the [MASK] is here", seen_at_least=0)  # opens it for a moment only

    def test_visits_while_a_run_trains_lose_nothing(self):
        process = self.start("train", *DEMO, "--name", "visited")
        rows = []

        def read():
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "metrics":
                    rows.append(event["ba"])

        reader = threading.Thread(target=read)
        reader.start()
        while not rows and process.poll() is None:
            time.sleep(0.05)
        actions = ["read", "vacuum", "checkpoint", "backup", "analyze", "hold", "block", "leave-wal"]
        while process.poll() is None:
            for action in actions:
                self.visit(action, 6 if FULL else 0.5)
        reader.join()
        process.stdout.close()
        self.assertEqual(process.returncode, 0)
        self.assertEqual(rows, list(range(1, 61)))
        stored = json.loads(self.call("metrics", "visited", "--series", "loss", "--json"))["series"]["loss"]
        self.assertEqual([position for position, _ in stored], rows)
        self.call("store", "check")

    def test_visits_after_a_kill_lose_nothing(self):
        for trial in range(10 if FULL else 2):
            name = f"killed{trial}"
            process = self.start("train", *DEMO, "--name", name)
            rows, until = [], random.randint(22, 50)
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "metrics":
                    rows.append(event["ba"])
                    if event["ba"] >= until:
                        break
            time.sleep(0.5)  # longer than a transaction waits for more
            process.kill()
            process.wait()
            process.stdout.close()
            self.visit(["read", "vacuum", "leave-wal", "checkpoint"][trial % 4])
            stored = json.loads(self.call("metrics", name, "--series", "loss", "--json"))["series"]["loss"]
            self.assertEqual([position for position, _ in stored][: len(rows)], rows)
            self.call("resume", name)
            stored = json.loads(self.call("metrics", name, "--series", "loss", "--json"))["series"]["loss"]
            self.assertEqual([position for position, _ in stored], list(range(1, 61)))
        self.call("store", "check")


if __name__ == "__main__":
    unittest.main()
