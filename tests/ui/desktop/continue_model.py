#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Continued pretraining by mouse and keyboard, on real text: a tiny modernbert is trained on WikiText-2, exported, continued on
tiny Shakespeare by the recipe of "Continue a model", and compared with a run from nothing of equal length.

continue_model.py BIN [PICTURES]: BIN is the folder of the programs (build/dev/bin, with ../test-plugins), PICTURES takes
pictures of the steps. Needs Xvfb, xdotool, ImageMagick and transformers, and about ten minutes on two cores; with ctest it runs
in the full tier (BATCHWISE_TEST_TIER=full). BATCHWISE_TEST_TEXTS names the folder with wikitext-2 and tinyshakespeare. Prints
the losses before, during and after."""

import os
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/integration/parity"))
sys.path.insert(0, str(ROOT / "tests/ui/desktop"))
from desktop_window import Window

TEXTS = pathlib.Path(os.environ.get("BATCHWISE_TEST_TEXTS", "/work/shared/data"))
GENERAL, OWN = TEXTS / "wikitext-2", TEXTS / "tinyshakespeare/input.txt"
EPOCHS_OF_BASE, EPOCHS = 8, 3
TRAIN_LIMIT_SEC = 1200
SENTENCE = "The [MASK] of the [MASK] was"


def skip(why):
    print("skipped:", why)
    raise SystemExit(77)


class Person:
    """The window, and what the command line says of its workspace."""

    def __init__(self, bin_folder, folder, pictures):
        self.pictures, self.window = pictures, Window(bin_folder, folder / "workspace", folder)
        self.ask, self.set, self.pick = self.window.ask, self.window.set, self.window.pick

    def see(self, name):
        if self.pictures:
            self.window.photograph(self.pictures / f"{name}.png")

    def choose_file(self, button, path):
        self.window.click(button)
        self.window.choose_file(path)

    def await_end(self, known):
        """The run that is not among `known`, once it has finished."""
        until = time.monotonic() + TRAIN_LIMIT_SEC
        while time.monotonic() < until:
            for run in self.ask("runs", "list")["runs"]:
                if run["id"] not in known and run["status"] == "finished":
                    return run
                if run["id"] not in known and run["status"] in ("failed", "stopped", "interrupted"):
                    raise SystemExit(f"run {run['name']}: {run['status']}")
            time.sleep(2)
        raise SystemExit("no run has finished")

    def series(self, run, name):
        return [value for _, value in self.ask("metrics", run, "--series", name)["series"][name]]

    def export(self, folder):
        self.window.key("ctrl+3")
        self.choose_file("exportCheckpoint", folder)
        until = time.monotonic() + 60
        while not (folder / "config.json").exists() and time.monotonic() < until:
            time.sleep(0.5)
        self.see(f"exported-{folder.name}")


def train_base(person):
    """A tiny modernbert and its vocabulary, from the recipe of the welcome page."""
    window = person.window
    window.click("welcomeRecipes")
    window.click("Train from nothing")
    person.set("name", "base")
    person.set("data.train", str(GENERAL / "test.txt"))
    person.pick("model.preset", "tiny")
    person.set("tokenizer.train.vocab_size", "4096")
    person.set("data.max_seq_len", "128")
    person.set("max_duration", f"{EPOCHS_OF_BASE}ep")
    person.set("batch.global_train_batch_size", "32")
    person.set("optimizer.lr", "2e-3")
    time.sleep(2)  # the plan follows
    person.see("base")
    window.click("launch")
    return person.await_end([])


def continue_base(person, model):
    window = person.window
    window.click("File")
    window.click("Continue a model…")
    person.choose_file("modelFolder", model)
    person.choose_file("textFiles", OWN)
    person.choose_file("generalFiles", GENERAL / "valid.txt")
    window.enter("firstEpochs", str(EPOCHS))
    window.key("Tab")
    window.find("firstLaunch")  # enabled
    person.see("continue")
    known = [run["id"] for run in person.ask("runs", "list")["runs"]]
    window.click("firstLaunch")
    return person.await_end(known)


def train_fresh(person, run, model):
    """The same run from nothing: equal text, tokenizer, length and schedule."""
    window = person.window
    window.click(run["name"])
    window.key("ctrl+d")
    person.set("name", "from nothing")
    person.set("model.init_from", "")
    person.pick("model.family", "ModernBERT")
    person.pick("model.preset", "tiny")
    person.set("tokenizer.path", str(model))
    time.sleep(2)
    person.see("from-nothing")
    known = [each["id"] for each in person.ask("runs", "list")["runs"]]
    window.click("launch")
    return person.await_end(known)


def judge_export(person, run, folder):
    """The top five of transformers are ours."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from judge import fill_mask
    ours = person.ask("fill-mask", run, SENTENCE, "--top", "5")["masks"]
    theirs = [[token for token, _ in mask] for mask in fill_mask(folder, SENTENCE)]
    mine = [[word["token"] for word in mask] for mask in ours]
    print("top five of ours:        ", mine, "\ntop five of transformers:", theirs)
    assert mine == theirs


def main():
    if os.environ.get("BATCHWISE_TEST_TIER") != "full" and "--always" not in sys.argv:
        skip("runs in the full tier")
    for file in (GENERAL / "test.txt", GENERAL / "valid.txt", OWN):
        if not file.is_file():
            skip(f"there is no {file}")
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            skip(f"there is no {tool}")
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    pictures = pathlib.Path(words[1]).resolve() if len(words) > 1 else None
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        person = Person(pathlib.Path(words[0]).resolve(), folder, pictures)
        with person.window:
            base = train_base(person)
            person.export(folder / "base-model")
            own = continue_base(person, folder / "base-model")
            person.window.click(own["name"])
            person.window.key("ctrl+2")
            person.see("curves")
            person.export(folder / "own-model")
            fresh = train_fresh(person, own, folder / "base-model")
        judge_export(person, own["id"], folder / "own-model")
        losses = {name: {run["name"]: person.series(run["id"], f"eval.{name}.loss") for run in (own, fresh)}
                  for name in ("held_out", "general")}
        tokens = {run["name"]: run["tok"] for run in (base, own, fresh)}
    print("tokens:", tokens)
    for name, text in (("held_out", "Shakespeare"), ("general", "WikiText-2")):
        for run, series in losses[name].items():
            print(f"{text}, {run}: before {series[0]:.3f}, during {series[len(series) // 2]:.3f}, after {series[-1]:.3f}")
    mine, other = losses["held_out"][own["name"]], losses["held_out"][fresh["name"]]
    assert tokens[own["name"]] == tokens[fresh["name"]], "the runs are not equally long"
    assert mine[-1] < other[-1], "the continued model is not better on its text than one from nothing"
    assert mine[-1] < mine[0], "it has learned nothing of its text"
    assert len(losses["general"][own["name"]]) == len(mine) > 3, "forgetting is not measured before, during and after"


if __name__ == "__main__":
    main()
