# SPDX-License-Identifier: GPL-3.0-or-later
"""Other programs open a workspace while the real program trains in it, and after it was killed.

visited_runs.py BATCHWISE: starts `train`, `queue run`, `resume` and `fill-mask` as a person does, the child process of a
launch as the window does, and a job of a Slurm cluster of its own, beside tests/store/visitor.py (nothing but Python's
sqlite3). Looks in /proc/locks whether SQLite's locks stay where they are. Without Slurm, its tests are skipped."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BATCHWISE = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).parents[2]
VISITOR = ROOT / "tests/store/visitor.py"
CLUSTER = ROOT / "tests/integration/local_slurm.sh"
FULL = os.environ.get("BATCHWISE_TEST_TIER") == "full"
VISITS = 67 if FULL else 5  # at least, of each controller: 200 in all
ACTIONS = ["read", "vacuum", "analyze", "checkpoint", "backup", "hold", "block", "leave-wal"]
BATCHES = 60
COMMIT_SECONDS = 0.5  # longer than a transaction waits for more
LENGTH = f"max_duration={BATCHES}ba"
DEMO = ["demo", "--set", LENGTH, "--set", "eval.interval=20ba", "--set", "checkpoint.interval=20ba"]
DEMO_TEXT = f"""
version: 1
name: NAME
model: {{preset: tiny, hidden_dropout_prob: 0}}
tokenizer: {{train: {{vocab_size: 512}}}}
data: {{format: demo, max_seq_len: 32}}
max_duration: {BATCHES}ba
batch: {{global_train_batch_size: 64, device_train_microbatch_size: 64}}
optimizer: {{lr: 2e-3}}
eval: {{interval: 20ba}}
checkpoint: {{interval: 20ba}}
"""


def has_open(process, file):
    """Whether the process has the file open."""
    try:
        names = os.listdir(f"/proc/{process}/fd")
        return any(os.readlink(f"/proc/{process}/fd/{name}") == str(file) for name in names)
    except OSError:
        return False


def locks_of(process, file):
    """The number of POSIX locks that the process has on the file."""
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


class Program:
    """A started program, the events that it reports, and when each row came."""

    def __init__(self, *arguments, text=""):
        self.process = subprocess.Popen([BATCHWISE, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(text)
        self.process.stdin.close()
        self.run, self.rows, self.saved = "", {}, False
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "run_started":
                self.run = event["run"]
            if event["event"] == "metrics":
                self.rows[event["ba"]] = time.monotonic()
            if event["event"] == "checkpoint_saved":
                self.saved = True

    def is_running(self):
        return self.process.poll() is None

    def wait_for_rows(self, count):
        while len(self.rows) < count and self.is_running():
            time.sleep(0.02)

    def end(self):
        """Waits for the end; the exit code."""
        code = self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        return code

    def committed(self, before):
        """The batches whose rows were reported more than one transaction before a time."""
        return {batch for batch, reported in self.rows.items() if reported < before - COMMIT_SECONDS}


class VisitedWorkspace(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.workspace = pathlib.Path(self.temp.name) / "w"
        self.database = self.workspace / "workspace.sqlite"
        self.visits, self.locked = 0, 0

    def tearDown(self):
        self.temp.cleanup()

    def start(self, *arguments, text=""):
        return Program(*arguments, "--workspace", self.workspace, "--json", text=text)

    def call(self, *arguments):
        done = subprocess.run([BATCHWISE, *arguments, "--workspace", self.workspace], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def visit(self, action, seconds=0.3):
        self.visits += 1
        return subprocess.run(["/usr/bin/python3", VISITOR, self.database, action, str(seconds)], check=True)

    def visit_somehow(self):
        self.visit(random.choice(ACTIONS))

    def stored_batches(self, run):
        series = json.loads(self.call("metrics", run, "--series", "loss", "--json"))["series"]["loss"]
        return [position for position, _ in series]

    def lock_state(self, process):
        """None while the process does not use the workspace, else whether it has its locks."""
        files = [self.database, self.workspace / "workspace.sqlite-shm"]
        if not all(has_open(process, file) for file in files):
            return None
        return all(locks_of(process, file) > 0 for file in files)


class VisitedCommands(VisitedWorkspace):
    def expect_locked_to_the_end(self, *arguments, seen_at_least=1):
        """As long as the database and its shared memory are open, they are locked."""
        program = self.start(*arguments)
        seen, without = 0, 0
        while program.is_running():
            state = self.lock_state(program.process.pid)
            seen += state is True
            without = without + 1 if state is False else 0
            self.assertLess(without, 25, f"{arguments}: the locks were gone while the files were open")
            time.sleep(0.02)
        self.assertEqual(program.end(), 0, arguments)
        self.assertGreaterEqual(seen, seen_at_least, f"{arguments}: no lock was seen")

    def test_locks_stay_while_each_command_uses_the_workspace(self):
        self.expect_locked_to_the_end("train", *DEMO, "--name", "first")
        self.expect_locked_to_the_end("resume", "first", "--set", "max_duration=90ba")
        self.call("queue", "add", *DEMO, "--set", "name=queued")
        self.expect_locked_to_the_end("queue", "run")
        self.assertEqual(subprocess.run([BATCHWISE, "fill-mask", "first", "the [MASK] is here", "--workspace",
                                         self.workspace], stdout=subprocess.DEVNULL).returncode, 0)

    def test_a_visitor_that_holds_the_database_is_waited_for(self):
        program = self.start("train", *DEMO, "--name", "visited")
        program.wait_for_rows(1)
        while program.is_running():
            for action in ("hold", "block"):
                self.visit(action, 20 if FULL else 6)  # longer than SQLite itself waits
        self.assertEqual(program.end(), 0)
        self.assertEqual(sorted(program.rows), list(range(1, BATCHES + 1)))
        self.assertEqual(self.stored_batches("visited"), sorted(program.rows))
        self.call("store", "check")


class VisitedController(VisitedWorkspace):
    """Visits at random moments before, during and after a run, and after kill -9."""

    def launch(self, name):
        """Starts a run; the program that reports its rows."""
        raise NotImplementedError

    def kill(self, program):
        """Kills what trains, or what stores; the moment of it."""
        program.process.kill()
        killed = time.monotonic()
        program.end()
        return killed

    def resume(self, run):
        self.call("resume", run)

    def expect_locked(self, program):
        """That nothing has taken the locks of the process that stores the rows."""
        for _ in range(25):
            state = self.lock_state(program.process.pid)
            self.locked += state is True
            if state is not False or not program.is_running():
                return
            time.sleep(0.02)
        self.fail("the locks were gone while the files were open")

    def visit_during(self, program, until_row):
        """Until a row, and a checkpoint to go on from."""
        program.wait_for_rows(1)
        while program.is_running() and (len(program.rows) < until_row or not program.saved):
            time.sleep(random.uniform(0, 0.3))
            self.visit_somehow()
            self.expect_locked(program)

    def trial(self, name, killed):
        if self.database.exists():
            self.visit_somehow()
        program = self.launch(name)
        self.visit_during(program, random.randint(22, 50) if killed else BATCHES)
        if killed and program.is_running():
            time.sleep(random.uniform(0, 2 * COMMIT_SECONDS))
            committed = program.committed(self.kill(program))
        else:
            self.assertEqual(program.end(), 0)
            committed = set(range(1, BATCHES + 1))
            self.assertEqual(set(program.rows), committed)
        self.visit_somehow()
        self.assertLessEqual(committed, set(self.stored_batches(program.run)))
        if len(self.stored_batches(program.run)) < BATCHES:
            self.assertTrue(killed)
            self.resume(program.run)
        self.assertEqual(self.stored_batches(program.run), list(range(1, BATCHES + 1)))
        self.visit_somehow()

    def test_visits_at_random_moments_lose_nothing(self):
        trials = 0
        while self.visits < VISITS or trials < 2:
            self.trial(f"run{trials}", killed=trials % 2 == 0)
            trials += 1
        self.assertGreaterEqual(self.locked, trials, "no lock was seen")
        self.call("store", "check")


class ThisProcess(VisitedController):
    def launch(self, name):
        return self.start("train", *DEMO, "--name", name)


class ChildProcess(VisitedController):
    """The process that the window starts for a launch of its own process."""

    def request(self, **more):
        request = {"schema": "batchwise.launch/1", "workspace": str(self.workspace), "base_folder": self.temp.name, **more}
        return self.start("train", "--request", text=json.dumps(request))

    def launch(self, name):
        self.config = DEMO_TEXT.replace("NAME", name)
        return self.request(config=self.config)

    def resume(self, run):
        program = self.request(config=self.config, resume=run)
        self.visit_during(program, BATCHES)
        self.assertEqual(program.end(), 0)


class Slurm(VisitedController):
    """`submit --wait` stores what a job of the cluster writes into its journal."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = tempfile.mkdtemp()
        started = subprocess.run([CLUSTER, "start", cls.cluster], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if started.returncode != 0:
            shutil.rmtree(cls.cluster, ignore_errors=True)
            raise unittest.SkipTest(f"no Slurm here: {started.stdout.strip()}")
        os.environ["SLURM_CONF"] = f"{cls.cluster}/slurm.conf"

    @classmethod
    def tearDownClass(cls):
        subprocess.run([CLUSTER, "stop", cls.cluster], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        del os.environ["SLURM_CONF"]
        time.sleep(1)  # for what writes into the folder
        shutil.rmtree(cls.cluster, ignore_errors=True)

    def launch(self, name):
        return self.start("submit", *DEMO, "--name", name, "--set", "devices={use: cpu, threads: 1}", "--wait")

    def ranks(self):
        """The processes of the job that train in this workspace."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"--request" in words and str(self.workspace).encode() in words and words[0] == BATCHWISE.encode():
                found.append(int(process.name))
        return found

    def kill(self, program):
        """Kills the rank, or the program that waits for it; then the rank ends by itself."""
        if random.random() < 0.5:
            killed = super().kill(program)
        else:
            for rank in self.ranks():
                os.kill(rank, signal.SIGKILL)
            killed = time.monotonic()
            if program.end() == 0:  # it was over before
                self.assertEqual(set(program.rows), set(range(1, BATCHES + 1)))
        while self.ranks():
            time.sleep(0.1)
            self.visit_somehow()
        self.call("runs", "sync")
        return killed

    def resume(self, run):
        super().resume(run)
        self.call("runs", "sync")  # a run that began in a journal goes on in it


def load_tests(loader, _tests, _pattern):
    """Those that can be run by themselves."""
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (VisitedCommands, ThisProcess, ChildProcess, Slurm))


if __name__ == "__main__":
    unittest.main()
