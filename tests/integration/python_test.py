# SPDX-License-Identifier: GPL-3.0-or-later
"""The Python package against a run that the program trained: python_test.py PROGRAM PYTHON_WITH_ARROW"""

import csv
import io
import json
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import batchwise  # noqa: E402

PROGRAM, PYTHON_WITH_ARROW = sys.argv.pop(1), sys.argv.pop(1)
os.environ["BATCHWISE_PROGRAM"] = PROGRAM


class ReadingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="batchwise-python-")
        cls.workspace = os.path.join(cls.scratch.name, "runs")
        for name in ("first", "second"):
            cls.program("train", "demo", "--set", "max_duration=6ba", "--set", f"name={name}")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def program(cls, *arguments):
        return subprocess.run([PROGRAM, *arguments, "--workspace", cls.workspace], capture_output=True, text=True,
                              check=True).stdout

    def test_runs_are_rows(self):
        table = batchwise.runs(self.workspace)
        self.assertEqual(sorted(table["name"]), ["first", "second"])
        self.assertEqual(set(table["status"]), {"finished"})

    def test_series_are_what_the_csv_has(self):
        table = batchwise.series(["first", "second"], "loss", workspace=self.workspace)
        self.assertEqual(set(table["run"]), {"first", "second"})
        for run in ("first", "second"):
            rows = csv.DictReader(io.StringIO(self.program("metrics", run, "--series", "loss", "--csv")))
            written = [float(row["loss"]) for row in rows if row["loss"]]
            read = [value for name, value in zip(table["run"], table["value"]) if name == run]
            self.assertEqual(read, written)
            self.assertGreater(len(read), 4)
            self.assertTrue(all(math.isfinite(value) for value in read))

    def test_all_series_come_without_a_choice(self):
        self.assertIn("lr", batchwise.series("latest", workspace=self.workspace)["series"])

    def test_what_the_program_says_is_the_error(self):
        with self.assertRaisesRegex(batchwise.BatchwiseError, "third"):
            batchwise.series("third", workspace=self.workspace)

    def test_with_arrow_the_tables_are_its(self):
        code = f"import batchwise as b; t = b.series('first', 'loss', {self.workspace!r}); print(t.schema.field('value').type)"
        done = subprocess.run([PYTHON_WITH_ARROW, "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(done.stdout.strip(), "double")

    def judged(self, folder):
        """What TensorBoard reads in a folder: its points by tag as (step, time, value), its hparams, and its text."""
        script = """
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
read = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "tensors": 0})
read.Reload()
points = {tag: [[e.step, e.wall_time, e.value] for e in read.Scalars(tag)] for tag in read.Tags()["scalars"]}
tags = read.Tags()["tensors"]
text = read.Tensors(tags[-1])[-1].tensor_proto.string_val[0].decode() if tags else ""
metadata = read.summary_metadata.get("_hparams_/session_start_info")
data = HParamsPluginData.FromString(metadata.plugin_data.content if metadata else b"")
hparams = {name: getattr(value, value.WhichOneof("kind")) for name, value in data.session_start_info.hparams.items()}
print(json.dumps([points, hparams, text]))
"""
        done = subprocess.run([PYTHON_WITH_ARROW, "-c", script, folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def stored(self, run):
        told = json.loads(self.program("metrics", run, "--json"))["series"]
        return {name: [(step, float(value)) for step, value in points] for name, points in told.items()}

    def assert_is_stored(self, points, run):
        stored = self.stored(run)
        step_of = dict(stored["steps"])
        walls = dict(stored.pop("wall"))
        self.assertEqual(len(points), len(stored))
        for name, expected in stored.items():
            read = points[name.replace(".", "/", 1) if "." in name else f"train/{name}"]
            if not name.startswith("step."):
                self.assertEqual([step for step, wall, value in read], [step_of[batch] for batch, value in expected], name)
            if not name.startswith(("step.", "eval.")):
                for (step, wall, value), (batch, _) in zip(read, expected):
                    self.assertAlmostEqual(wall, walls[batch], delta=5)
            for (step, wall, value), (batch, exact) in zip(read, expected, strict=True):
                self.assertEqual(value, struct.unpack("f", struct.pack("f", exact))[0], name)

    def test_tensorboard_reads_a_run_while_it_trains_and_after(self):
        folder = os.path.join(self.scratch.name, "tensorboard")
        ramp = "batch={global_train_batch_size: 8, rampup: {duration: 4ba, initial_global_train_batch_size: 2}}"
        settings = ["--set", "log.every_step=true", "--set", ramp, "--set", f"log.tensorboard={folder}"]
        self.program("train", "demo", "--name", "live", "--set", "max_duration=6ba", *settings)
        self.program("resume", "live", "--set", "max_duration=9ba")
        (inner,) = os.listdir(folder)
        self.assertRegex(inner, "^live-[a-z0-9]{8}$")
        self.assertEqual(len(os.listdir(os.path.join(folder, inner))), 2)
        points, hparams, text = self.judged(os.path.join(folder, inner))
        self.assert_is_stored(points, "live")
        self.assertEqual((hparams["log.every_step"], hparams["batch.global_train_batch_size"]), (True, 8))
        self.assertIn("    batch.global_train_batch_size: 8\n", text)
        exported = os.path.join(self.scratch.name, "exported")
        self.program("export", "live", "--tensorboard", exported)
        self.assertRaises(subprocess.CalledProcessError, self.program, "export", "live", "--tensorboard", exported)
        self.program("export", "live", "--tensorboard", exported, "--force")
        points, hparams, text = self.judged(exported)
        self.assert_is_stored(points, "live")
        self.assertEqual(hparams["batch.global_train_batch_size"], 8)

    def test_what_tensorboard_logged_goes_back_to_it(self):
        vectors = str(ROOT / "tests/vectors/trackers/events/torch/first")
        self.program("import", vectors, "--as", "theirs")
        exported = os.path.join(self.scratch.name, "back")
        self.program("export", "theirs", "--tensorboard", exported)
        theirs, _, _ = self.judged(vectors)
        ours, hparams, _ = self.judged(exported)
        plain = [{tag: repr([(step, value) for step, wall, value in points]) for tag, points in of.items()}
                 for of in (ours, theirs)]  # NaN is not equal to itself
        self.assertEqual(plain[0].pop("new style"), "[(3, 7.25)]")  # a tensor in the files, which their reader keeps apart
        self.assertEqual(plain[0], plain[1])
        times = [[wall for step, wall, value in of["train/loss"]] for of in (ours, theirs)]  # a step has one time here
        self.assertEqual(times[0], times[1])
        self.assertIn("lr", hparams)

    def test_parquet_has_every_point(self):
        file = os.path.join(self.scratch.name, "first.parquet")
        self.program("export", "first", "--parquet", file)
        script = "import pyarrow.parquet, json, sys; t = pyarrow.parquet.read_table(sys.argv[1]); " \
                 "print(json.dumps([str(t.schema.field('wall_time').type), t.to_pylist()], default=lambda d: d.timestamp()))"
        done = subprocess.run([PYTHON_WITH_ARROW, "-c", script, file], capture_output=True, text=True, check=True)
        kind, rows = json.loads(done.stdout)
        self.assertEqual(kind, "timestamp[us, tz=UTC]")
        stored = self.stored("first")
        steps, walls = dict(stored["steps"]), dict(stored["wall"])
        expected = [("first", name, steps[batch], value) for name, points in stored.items() for batch, value in points]
        self.assertEqual(sorted((row["run"], row["series"], row["step"], row["value"]) for row in rows), sorted(expected))
        self.assertEqual([row["wall_time"] for row in rows if row["series"] == "loss"], [walls[b] for b, _ in stored["loss"]])


class RecordingTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="batchwise-python-")
        self.workspace = os.path.join(self.scratch.name, "batchwise")
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "XDG_DATA_HOME": self.scratch.name}

    def tearDown(self):
        batchwise.finish()
        self.scratch.cleanup()

    def script(self, text, python=sys.executable, expected=0):
        done = subprocess.run([python, "-c", text], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, expected, done.stderr)
        return done.stdout

    def points(self, run, series=None):
        table = batchwise.series(run, series, workspace=self.workspace)
        return list(zip(table["series"], table["batch"], table["value"]))

    def runs(self):
        table = batchwise.runs(self.workspace)
        return {name: {key: table[key][i] for key in table} for i, name in enumerate(table["name"])}

    def test_a_script_for_wandb_runs_as_it_stands(self):
        self.script("""
import batchwise as wandb
import random

wandb.login()

# Project that the run is recorded to
project = "my-awesome-project"

# Dictionary with hyperparameters
config = {"epochs": 10, "lr": 0.01}

with wandb.init(project=project, name="first", config=config) as run:
    offset = random.random() / 5
    print(f"lr: {config['lr']}")
    for epoch in range(2, config["epochs"]):
        acc = 1 - 2**-config["epochs"] - random.random() / config["epochs"] - offset
        loss = 2**-config["epochs"] + random.random() / config["epochs"] + offset
        print(f"epoch={config['epochs']}, accuracy={acc}, loss={loss}")
        run.log({"accuracy": acc, "loss": loss})
""")
        run = self.runs()["my-awesome-project/first"]
        self.assertEqual((run["status"], run["source"]), ("finished", "python"))
        points = self.points("my-awesome-project/first", ["accuracy", "loss"])
        self.assertEqual([batch for name, batch, value in points if name == "accuracy"], list(range(8)))

    def test_every_line_that_was_logged_survives_a_kill(self):
        process = subprocess.Popen([sys.executable, "-c", """
import batchwise
run = batchwise.init(name="killed")
for step in range(10**9):
    run.log({"value": step / 3})
    print(step, flush=True)
"""], env=self.environment, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            last = int(line) if line.endswith("\n") else last
            if last == 5000:
                process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        points = self.points("killed", "value")
        self.assertGreaterEqual(len(points), last + 1)
        self.assertEqual(points[:last + 1], [("value", step, step / 3) for step in range(last + 1)])

    def test_steps_are_those_of_wandb(self):
        with batchwise.init(name="steps", workspace=self.workspace) as run:
            run.log({"a": 1})
            batchwise.log({"a": 2}, step=5)
            run.log({"b": {"c": 3}})
            run.log({"d": 4}, commit=False)
            run.log({"a": float("nan"), "e": float("-inf"), "word": "x" * 10**6, "all": [0.5] * 10**6,
                     "_step": 1, "_state": "failed"})
            self.assertLess(os.path.getsize(pathlib.Path(self.workspace, "logged", f"{run.id}.jsonl")), 3000)
            with self.assertWarns(UserWarning):
                run.log({"a": 9}, step=2)
            self.assertEqual(run.step, 7)
            self.assertRaises(TypeError, run.log, [1])
            run.config.update({"lr": 0.5})
            batchwise.config.width = 8
            run.summary["best"] = 2
        self.assertIsNone(batchwise.run)
        self.assertRaises(RuntimeError, batchwise.log, {"a": 1})
        points = self.points("steps", ["a", "b/c", "d", "e"])
        self.assertEqual(points[:2] + points[3:], [("a", 0, 1), ("a", 5, 2), ("b/c", 5, 3), ("d", 6, 4), ("e", 6, -math.inf)])
        self.assertTrue(math.isnan(points[2][2]))
        shown = json.loads(subprocess.run([PROGRAM, "runs", "show", "steps", "--workspace", self.workspace, "--json"],
                                          capture_output=True, text=True, check=True).stdout)
        self.assertIn('"summary.best": "2"', json.dumps(shown))
        self.assertIn('"width": "8"', json.dumps(shown))

    def test_a_full_disk_costs_only_what_is_not_written(self):
        run, write = batchwise.init(name="full", workspace=self.workspace), os.write
        run.log({"a": 1})
        with mock.patch("os.write", lambda file, line: write(file, line[:20])), self.assertWarnsRegex(UserWarning, "full"):
            run.log({"a": 2})
        run.log({"a": 3})
        run.finish()
        self.assertEqual(self.points("full", "a"), [("a", 0, 1), ("a", 2, 3)])

    def test_scalars_of_other_libraries_are_numbers(self):
        self.script("""
import batchwise, numpy, torch
batchwise.init(name="scalars", config={"type": torch.float32})
batchwise.log({"a": numpy.float32(0.5), "b": torch.tensor([2.5], dtype=torch.bfloat16), "c": torch.zeros(3), "d": numpy.int64(3)})
""", PYTHON_WITH_ARROW)
        self.assertEqual(self.points("scalars", ["a", "b", "d"]), [("a", 0, 0.5), ("b", 0, 2.5), ("d", 0, 3.0)])

    def test_a_run_ends_as_its_program_does(self):
        begin = "import batchwise, os, sys\nrun = batchwise.init(name=%r)\nrun.log({'a': 1})\n"
        self.script(begin % "done")
        self.script(begin % "failed" + "raise ValueError('no\\nsuch')", expected=1)
        self.script(begin % "left" + "with run:\n  raise ValueError('no')", expected=1)
        self.script(begin % "exited" + "with run:\n  sys.exit(0)")
        self.script(begin % "exited badly" + "with run:\n  sys.exit(2)", expected=2)
        self.script(begin % "coded" + "run.finish(exit_code=3)")
        self.script(begin % "stopped" + "raise KeyboardInterrupt()", expected=-2)
        runs = self.runs()
        self.assertEqual({name: run["status"] for name, run in runs.items()}, {
            "done": "finished", "failed": "failed", "left": "failed", "coded": "failed", "stopped": "stopped",
            "exited": "finished", "exited badly": "failed"})
        self.assertIn("ValueError: no", runs["failed"]["reason"])

    def test_processes_and_forks_do_not_disturb_each_other(self):
        begin = "import batchwise, os\nrun = batchwise.init(project='many')\nfor i in range(300): run.log({'a': i})\n"
        processes = [subprocess.Popen([sys.executable, "-c", begin], env=self.environment) for _ in range(3)]
        self.assertEqual([process.wait() for process in processes], [0, 0, 0])
        self.script(begin.replace("project='many'", "name='forked'") + """
if os.fork() == 0:
    for i in range(300): run.log({'child': i})
    sys.exit()  # an error: it ends without ending the run
for i in range(300): run.log({'parent': i})
os.wait()
""")
        table = batchwise.runs(self.workspace)
        self.assertEqual(sorted(table["status"]), ["finished"] * 4)
        points = self.points("forked")
        for series, first in (("a", 0), ("child", 300), ("parent", 300)):
            self.assertEqual([(batch, value) for name, batch, value in points if name == series],
                             [(first + i, i) for i in range(300)])

    def test_a_run_is_continued_by_its_id_or_name(self):
        first = batchwise.init(name="long", id="mine", workspace=self.workspace)
        first.log({"a": 1})
        second = batchwise.init(name="other", workspace=self.workspace)
        self.assertRaises(RuntimeError, first.log, {"a": 1})  # finished by the second
        third = batchwise.init(reinit="create_new", name="third", workspace=self.workspace)
        second.log({"b": 1})
        third.log({"b": 2})
        second.finish()
        self.assertIs(batchwise.init(reinit="return_previous"), third)
        logged = pathlib.Path(self.workspace, "logged")
        for number, text in enumerate(["", "[1]\n", '{"a":1}\n', "\xff\n"]):  # no runs
            (logged / f"bad{number}.jsonl").write_text(text, encoding="latin-1")
        (logged / "bad.jsonl").symlink_to("nowhere")
        batchwise.init(id="mine", resume="must", workspace=self.workspace).log({"a": 2})
        batchwise.config.update({"long": "x" * (1 << 20)})
        for file in logged.glob("bad*"):
            file.unlink()
        batchwise.init(name="long", resume="allow", workspace=self.workspace).log({"a": 3})
        self.assertRaises(ValueError, batchwise.init, name="no", resume="must", workspace=self.workspace)
        with batchwise.init(name="unseen", mode="disabled", workspace=self.workspace + "/none") as run:
            run.log({"a": 1})
        self.assertFalse(os.path.exists(self.workspace + "/none"))
        self.assertEqual(set(self.runs()), {"long", "other", "third"})
        self.assertEqual(self.points("long", "a"), [("a", 0, 1), ("a", 1, 2), ("a", 2, 3)])

    def test_the_callback_of_transformers_logs(self):
        self.script("""
from types import SimpleNamespace
from transformers import BertConfig, TrainerControl, TrainerState
from transformers.trainer_callback import CallbackHandler
from batchwise import TrainerCallback
args = SimpleNamespace(run_name="bert", to_sanitized_dict=lambda: {"learning_rate": 0.5})
model = SimpleNamespace(config=BertConfig(hidden_size=48))
handler = CallbackHandler([TrainerCallback(project="tuning")], model, None, None, None)
state, control = TrainerState(), TrainerControl()
handler.on_train_begin(args, state, control)
for state.global_step in (10, 20):
    handler.on_log(args, state, control, {"loss": 1 / state.global_step, "eval_loss": 2.0})
state.global_step = 10  # a checkpoint
handler.on_train_begin(args, state, control)
state.global_step = 20
handler.on_log(args, state, control, {"loss": 0.5, "eval_loss": 3.0})
handler.on_train_end(args, state, control)
""", PYTHON_WITH_ARROW)
        self.assertEqual(self.runs()["tuning/bert"]["status"], "finished")
        self.assertEqual(sorted(self.points("tuning/bert", ["loss", "eval.loss"])),
                         [("eval.loss", 10, 2), ("eval.loss", 20, 3), ("loss", 10, 0.1), ("loss", 20, 0.5)])


if __name__ == "__main__":
    unittest.main()
