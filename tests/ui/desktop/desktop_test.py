#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real program on a display of its own, driven by mouse and keyboard. With a person's own text: launch, stop, resume, fork,
kill, resume, compare, export, and each way into the form. With runs of the window, in its own process and in one of theirs:
SQLite's locks on the workspace stay, whatever the window does beside them and whoever visits. What came of it is read from the
store.

desktop_test.py BIN [PICTURES]: BIN is the folder of the programs (build/dev/bin, with ../test-plugins), PICTURES takes pictures
of the steps. Needs Xvfb and xdotool."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from desktop_window import WAIT_SEC, Window

ROOT = pathlib.Path(__file__).resolve().parents[3]
LENGTH = "30000ba"  # longer than any test
FREE = 120  # lines of the screen for ui_drag_source
OWN_CONFIG = f"""version: 1
name: mine
model: {{preset: tiny, hidden_dropout_prob: 0}}
tokenizer: {{train: {{vocab_size: 300}}}}
data: {{format: text, train: ['te xäts/*.txt'], max_seq_len: 32}}
max_duration: {LENGTH}
batch: {{global_train_batch_size: 16, device_train_microbatch_size: 16}}
optimizer: {{lr: 1e-3}}
scheduler: {{name: constant}}
"""
COMPOSER = """max_duration: 30000ba
seed: 3
global_train_batch_size: 16
device_train_microbatch_size: 16
max_seq_len: 32
model:
  name: bert
  pretrained_model_name: bert-base-uncased
  model_config:
    num_hidden_layers: 2
    hidden_size: 128
    num_attention_heads: 2
    intermediate_size: 512
optimizer:
  name: decoupled_adamw
  lr: 1.0e-3
scheduler:
  name: linear_decay_with_warmup
  t_warmup: 100ba
"""


class Desktop(Window):
    def chosen(self, fits):
        return fits[0] if fits else None

    def enter(self, name, text):
        """A person sees that something was lost, and types again."""
        for wait_sec in (10, WAIT_SEC):
            super().enter(name, text)
            try:
                return self.await_text(text, wait_sec)
            except AssertionError:
                if wait_sec == WAIT_SEC:
                    raise

    def drop(self, file):
        """Drags a file from another program's window onto the middle of this one's, which may be too busy to answer at once."""
        environment = {name: value for name, value in self.environment.items() if name != "QT_QPA_GENERIC_PLUGINS"}
        for _ in range(3):
            source = subprocess.Popen([self.bin_folder / "ui_drag_source", file], env=environment, stdout=subprocess.PIPE, text=True)
            with source:
                place = source.stdout.readline().split()  # where it can be taken hold of
                self.tool("mousemove", *place, "mousedown", "1", "sleep", "0.2", "mousemove", "700", "420", "sleep", "0.2",
                          "mousemove", "710", "430", "sleep", "0.2", "mousemove", "720", "440", "sleep", "0.5", "mouseup", "1")
                try:
                    if source.wait(10) == 0:
                        return
                except subprocess.TimeoutExpired:
                    source.kill()
        raise AssertionError("the window takes no file")


class DesktopCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="batchwise-desktop-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.texts = self.folder / "mein Text"
        (self.folder / "elsewhere").mkdir()

    def open(self):
        self.window = Desktop(BIN, self.folder / "workspace", self.folder, (1366, 780 + FREE), free=FREE, cwd=self.folder / "elsewhere")
        self.addCleanup(self.window.__exit__)
        self.addCleanup(self.picture, "end")
        self.window.find("New run")

    def picture(self, name):
        if PICTURES:
            self.window.photograph(PICTURES / f"{self.id().rpartition('.')[2]}-{name}.png", 0)

    def write_text(self, folder):
        """Paragraphs of made-up words."""
        folder.mkdir(parents=True)
        draw = random.Random(7)
        words = [a + b + c + d for a in "abcdefghij" for b in "eim" for c in "bcd" for d in "ag"]
        text = "".join(" ".join(draw.choices(words, k=18)) + ".\n\n" for _ in range(1200))
        (folder / "a.txt").write_text(text)
        # Files that change while they are read are not remembered: this one has lain there for a while.
        os.utime(folder / "a.txt", (time.time() - 3600,) * 2)

    def write_own(self):
        self.write_text(self.folder / "mine/te xäts")
        (self.folder / "mine/own.yaml").write_text(OWN_CONFIG)
        return self.folder / "mine/own.yaml"

    def await_run(self, fits, run=None):
        """Waits until something holds of a run, or of the newest one; the run as it is then."""
        until = time.monotonic() + WAIT_SEC
        while time.monotonic() < until:
            found = [each for each in self.window.ask("runs", "list")["runs"] if run in (None, each["id"])]
            if found and fits(found[0]):
                return found[0]
            time.sleep(0.1)
        self.fail(f"waited in vain for run {run}: {found[:1]}")

    def await_training(self, beyond, run=None):
        return self.await_run(lambda each: each["status"] == "running" and each["ba"] > beyond, run)

    def await_other(self, first, fits):
        """The newest run, once it is another one that trains."""
        return self.await_run(lambda each: each["id"] != first["id"] and each["status"] == "running" and fits(each))

    def stop(self, run):
        self.window.click("Stop and save")
        return self.await_run(lambda each: each["status"] == "stopped", run["id"])

    def open_dialog(self):
        """The store may know earlier than the window that a run has stopped: until then Resume says that it is training."""
        for _ in range(12):
            self.window.click("Resume…")
            try:
                return self.window.find("resumeNow", 5)
            except AssertionError:
                pass
        self.fail("no dialog")

    def shown(self, run):
        return self.window.ask("runs", "show", run["id"])

    def launch_stop_resume(self):
        """What every way into the form has to lead to. The run at the end."""
        self.window.click("launch")
        return self.stop_resume()

    def stop_resume(self):
        run = self.await_training(3)
        stopped = self.stop(run)
        self.open_dialog()
        self.window.click("resumeNow")
        self.await_training(stopped["ba"] + 2, run["id"])
        end = self.stop(run)
        self.assertEqual(len(self.shown(run)["segments"]), 2)
        return end


class OwnTextTest(DesktopCase):
    def test_is_trained_stopped_resumed_forked_killed_resumed_compared_and_exported(self):
        self.write_text(self.texts)
        self.open()
        window = self.window
        window.click("New run")
        window.set("data.train", str(self.texts))
        window.await_text("“Data: format” is demo")  # own text would be ignored
        self.picture("beside-the-demo")
        self.assertRaises(AssertionError, window.find, "launch", 1)
        window.pick("data.format", "By blank lines")
        window.set("max_duration", LENGTH)
        window.set("checkpoint.interval", "20ba")
        self.picture("form")
        window.click("launch")
        first = self.await_training(3)
        self.assertNotEqual(first["name"], "demo")
        config = self.shown(first)["resolved_config"]
        self.assertIn(f"train: [{self.texts}]", config)
        self.assertIn("format: text", config)
        stopped = self.stop(first)
        self.picture("stopped")

        self.open_dialog()
        self.picture("resume-card")
        window.click("resumeNow")
        self.await_training(stopped["ba"] + 3, first["id"])
        self.stop(first)
        self.assertEqual(len(self.shown(first)["segments"]), 2)

        self.open_dialog()
        window.click("resumeFork")
        fork = self.await_other(first, lambda run: run["checkpoints"] > 0)
        self.assertEqual(fork["parent"], first["id"])
        self.picture("fork")
        window.program.kill()
        self.assertEqual(window.program.wait(), -signal.SIGKILL)

        window.start()
        window.click("Resume from*")  # in the message
        self.picture("after-kill")
        self.await_training(fork["ba"] + 3, fork["id"])
        self.stop(fork)
        self.assertEqual(len(self.shown(fork)["segments"]), 2)

        window.click("Runs")
        window.click("runs")
        window.key("ctrl+a", "c")
        window.find("compareTabs")
        self.picture("compare")

        window.click("runs")
        window.key("Home")  # one run
        window.choose("File", "Export the selected run…")
        archive = self.folder / "mine.batchwise"
        window.choose_file(archive)
        window.await_text("Written to")
        self.assertTrue(archive.exists())
        window.ask("import", archive)  # beside the open window
        self.assertEqual(len(window.ask("runs", "list")["runs"]), 3)
        window.program.terminate()
        self.assertGreaterEqual(window.program.wait(WAIT_SEC), 0)

    def test_a_duplicate_is_resumed_after_the_text_has_moved(self):
        self.write_text(self.texts)
        self.open()
        window = self.window
        window.click("New run")
        window.set("data.train", str(self.texts / "*.txt"))
        window.pick("data.format", "By blank lines")
        window.set("max_duration", LENGTH)
        window.click("launch")
        first = self.stop(self.await_training(1))
        window.choose("File", "Duplicate the selected run")
        window.click("launch")
        duplicate = self.await_other(first, lambda run: run["ba"] > 1)
        self.assertEqual(duplicate["name"], first["name"] + "-2")
        stopped = self.stop(duplicate)
        self.texts.rename(self.folder / "moved")
        self.open_dialog()
        window.click("resumeNow")
        self.await_training(stopped["ba"] + 1, duplicate["id"])
        window.click("logLine")
        window.await_text("has the same content and is used instead")
        self.picture("text-moved")
        self.stop(duplicate)

    def test_a_folder_of_text_is_trained_from_the_welcome_page(self):
        """Card, folder, Open in the dialog of the folder, Launch."""
        self.write_text(self.texts)
        self.open()
        self.window.click("trainOnText")
        self.window.click("textFolder")
        self.window.choose_file(self.texts)
        self.window.await_text("1,200 documents")
        self.window.await_text("Not sure")  # made-up words
        self.picture("found")
        self.window.click("firstLaunch")
        training = self.await_training(1)
        self.assertEqual(training["name"], "mein Text")
        self.assertIn(str(self.texts), self.shown(training)["resolved_config"])
        self.picture("training")
        self.stop(training)

    def test_a_dropped_file_of_text_is_edited_before_the_launch(self):
        self.write_text(self.texts)
        self.open()
        self.window.drop(self.texts / "a.txt")
        self.window.click("firstEdit")
        self.window.set("max_duration", LENGTH)
        self.assertEqual(self.launch_stop_resume()["name"], "a")

    def test_comes_by_the_welcome_pages_file(self):
        file = self.write_own()
        self.open()
        self.window.click("New run from a file…")
        self.window.choose_file(file)
        self.assertEqual(self.launch_stop_resume()["name"], "mine")

    def test_the_demo_of_the_welcome_page_is_stopped_and_resumed_too(self):
        self.open()
        self.window.click("tryDemo")
        self.assertEqual(self.stop_resume()["name"], "demo")

    def test_comes_by_the_duplicate_of_a_run_whose_file_lies_elsewhere(self):
        file = self.write_own()
        subprocess.run([BIN / "batchwise", "--workspace", self.folder / "workspace", "train", file, "--set", "max_duration=6ba"],
                       env=dict(os.environ, XDG_CACHE_HOME=str(self.folder / "home")), check=True, stdout=subprocess.DEVNULL)
        self.open()
        self.window.click("Runs")
        self.window.await_text("mine")
        self.window.choose("File", "Duplicate the selected run")
        self.window.set("max_duration", LENGTH)
        run = self.launch_stop_resume()
        self.assertEqual(run["name"], f"mine-max_duration={LENGTH}", "it has its name by what differs")

    def test_comes_by_the_palette(self):
        self.write_text(self.folder / "texts")
        self.open()
        for words in ("New run", "Training text"):
            self.window.click("Find a command…")
            self.window.enter("paletteSearch", words)
            self.window.key("Return")
        self.window.enter("data.train", "../texts/*.txt")  # from the working folder
        self.window.pick("data.format", "By blank lines")
        self.window.set("max_duration", LENGTH)
        self.assertNotEqual(self.launch_stop_resume()["name"], "demo")

    def test_comes_by_another_trainers_file(self):
        self.write_text(self.folder / "mine/texts")
        (self.folder / "mine/composer.yaml").write_text(COMPOSER)
        self.open()
        self.window.choose("File", "New run from another trainer's file…")
        self.window.choose_file(self.folder / "mine/composer.yaml")
        self.picture("import")
        self.window.click("importUse")
        self.window.set("data.train", "texts")  # beside the file
        self.window.set("tokenizer.train.vocab_size", "300")
        self.assertIn("train: [texts]", self.shown(self.launch_stop_resume())["resolved_config"])


def locks_of(process, file):
    """The POSIX locks of a process on a file."""
    inode = file.stat().st_ino
    lines = [line.split() for line in pathlib.Path("/proc/locks").read_text().splitlines() if " POSIX " in line]
    return [words for words in lines if words[-4] == str(process) and words[-3].endswith(f":{inode}")]


class StoreLocksTest(DesktopCase):
    def expect_locked(self, after, process=None):
        for file in ("workspace.sqlite", "workspace.sqlite-shm"):
            self.assertTrue(locks_of(process or self.window.program.pid, self.folder / "workspace" / file), f"{file} after {after}")

    def visit(self, action):
        subprocess.run(["/usr/bin/python3", ROOT / "tests/store/visitor.py", self.folder / "workspace/workspace.sqlite", action],
                       check=True)

    def launch_long_demo(self):
        self.window.click("New run")
        for field, value in (("max_duration", LENGTH), ("eval.interval", "20ba"), ("checkpoint.interval", "20ba")):
            self.window.set(field, value)
        self.window.click("launch")

    def test_stay_while_a_run_trains_in_the_window(self):
        self.open()
        window = self.window
        self.launch_long_demo()
        run = self.await_training(3)
        self.expect_locked("the start")
        self.await_run(lambda each: each["checkpoints"] > 0, run["id"])
        self.expect_locked("a checkpoint")
        self.await_training(22, run["id"])
        self.expect_locked("an evaluation")
        window.click("Runs")
        window.click("runs")
        window.key("space")
        self.expect_locked("the comparison")
        window.choose("File", "Export the selected run…")
        window.choose_file(self.folder / "exported.batchwise")
        window.await_text("Written to")
        self.expect_locked("an export")
        for action in ("read", "vacuum", "checkpoint", "backup"):
            self.visit(action)
            self.expect_locked(action)
        self.await_training(self.await_training(0, run["id"])["ba"] + 3, run["id"])
        self.stop(run)
        self.expect_locked("a stop")

    def test_stay_while_a_run_of_its_own_process_trains(self):
        self.open()
        self.launch_long_demo()
        first = self.await_training(3)
        self.launch_long_demo()  # the window itself is busy
        second = self.await_other(first, lambda run: run["ba"] > 3)
        tasks = pathlib.Path(f"/proc/{self.window.program.pid}/task")
        (child,) = [int(each) for task in tasks.iterdir() for each in (task / "children").read_text().split()]
        for action in ("read", "vacuum", "checkpoint", "backup"):
            self.visit(action)
            self.expect_locked(action)
            self.expect_locked(action, child)
        self.await_training(second["ba"] + 3, second["id"])
        os.kill(child, signal.SIGKILL)
        self.visit("leave-wal")
        self.await_run(lambda each: each["status"] == "interrupted", second["id"])
        self.expect_locked("the death of the other process")


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    PICTURES = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and "/" in sys.argv[1] else None
    if PICTURES:
        PICTURES.mkdir(parents=True, exist_ok=True)
    unittest.main(verbosity=2)
