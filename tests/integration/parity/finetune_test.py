# SPDX-License-Identifier: GPL-3.0-or-later
"""`judge --method finetune`: transformers reads the exported model of every family and kind of task without a warning and
computes the same; scores are those of fine-tuning with PyTorch and transformers; a killed judge ends with the scores of
one that was not; bad input is said before anything is trained.  Usage: finetune_test.py BATCHWISE [FAMILY...]
The quick tier has every kind of task with one family; BATCHWISE_TEST_TIER=full all families, and film reviews with five
seeds: scores within 1.0 point of transformers, at least twice its samples per second."""
import csv
import math
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

from judge import *
from finetune_judge import *
from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification

FULL = os.environ.get("BATCHWISE_TEST_TIER") == "full"
FAMILIES = {"bert": {}, "roberta": {}, "modernbert": {}, "modernbert, mean": dict(classifier_pooling="mean"), "eurobert": {}}
REVIEWS = pathlib.Path(os.environ.get("BATCHWISE_SHARED", pathlib.Path(__file__).parents[4] / "shared/data")) / "movie-reviews"
CLASSES = ["bad", "good"]


def command(folder, *arguments):
    return [[sys.argv[1], "judge", *map(str, arguments), "--method", "finetune", "--device", "cpu", "--json"]], dict(cwd=folder, env=dict(
                 os.environ, XDG_DATA_HOME=str(folder / "runs"), XDG_CACHE_HOME=str(folder / "cache")))


def judge(folder, *arguments):
    """Scores by part."""
    args, rest = command(folder, *arguments)
    done = subprocess.run(*args, **rest, capture_output=True, text=True, timeout=1800)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return {one["split"]: one for one in json.loads(done.stdout)["scores"]}


def stored(folder):
    """All scores with their predictions, as a reader of the database sees them."""
    files = list((folder / "runs").rglob("workspace.sqlite"))
    if not files:
        return {}
    base = sqlite3.connect(files[0])
    scores = base.execute("SELECT task, split, seed, rate, value, id FROM score WHERE method = 'finetune'").fetchall()
    return {score[:5]: base.execute("SELECT example, label, prediction FROM score_example WHERE score = ? ORDER BY example",
                                    score[5:]).fetchall() for score in scores}


def write_task(folder, name, kind, rows, **more):
    """`rows`: by part, objects with the columns text (or a, b) and label."""
    for part, objects in rows.items():
        (folder / f"{name}-{part}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects))
    lines = dict(dict(name=name, kind=kind, label="label", text="text"), **more,
                 **{part: f"{name}-{part}.jsonl" for part in rows})
    (folder / f"{name}.yaml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return f"{name}.yaml"


def parts_of(make, train=96, other=24):
    return {"train": make(planted(train, 1)), "validation": make(planted(other, 2)), "test": make(planted(other, 3))}


def tasks(folder):
    """Tasks of every kind, with what transformers gets for the examples of the test part."""
    text, draw = lambda words: " ".join(words), random.Random(5)
    plain = parts_of(lambda rows: [dict(text=text(words), label=label) for words, label in rows])
    numbers = parts_of(lambda rows: [dict(text=text(words), label=draw.uniform(-2, 2) + 2 * (label == "good"))
                                     for words, label in rows])
    pairs = parts_of(lambda rows: [dict(a=text(words[:len(words) // 2] or words), b=text(words),
                                        label=len(words) + draw.random()) for words, _ in rows])
    words = parts_of(lambda rows: [dict(text=words, label=["O" if word not in CLASSES else word for word in words])
                                   for words, _ in rows])
    one, sequence = (lambda row: (row["text"],)), AutoModelForSequenceClassification
    return [(write_task(folder, "plain", "classification", plain), plain, one, sequence),
            (write_task(folder, "numbers", "regression", numbers), numbers, one, sequence),
            (write_task(folder, "pairs", "pair", pairs, text="[a, b]", metric="pearson"), pairs,
             lambda row: (row["a"], row["b"]), sequence),
            (write_task(folder, "words", "token_labels", words), words, lambda row: row["text"],
             AutoModelForTokenClassification)]


def same_outputs(checks, folder, family, kinds=("plain", "numbers", "pairs", "words")):
    write_folder(folder / "model", family.split(",")[0], [" ".join(words) for words, _ in planted(96, 1)], scale=2.0,
                 **FAMILIES[family])
    for task, rows, given, kind in tasks(folder):
        if task[:-5] not in kinds:
            continue
        name = f"{family} {task[:-5]}"
        judge(folder, "model", "--task", task, "--rates", "1e-3", "--seeds", "1", "--epochs", "2", "--batch", "16",
              "--max-seq-len", "16", "--export", "out", "--force")
        ours = next(found for key, found in stored(folder).items() if key[0] == task[:-5] and key[1] == "test")
        model, theirs = outputs(folder / "out", kind, [given(row) for row in rows["test"]], 16)
        if model.config.num_labels == 1:
            values = torch.cat(theirs).double()
            found = torch.tensor([float(prediction) for _, _, prediction in ours], dtype=torch.double)
            checks.below(f"{name}: outputs", relative(found, values), 1e-4)
            checks.equal(f"{name}: problem", model.config.problem_type, "regression")
            continue
        rows_of = torch.cat([one.reshape(-1, one.shape[-1]) for one in theirs])
        top = rows_of.topk(2).values
        clear = ((top[:, 0] - top[:, 1]) > 1e-3).tolist()  # of a tie either may win
        labels = [model.config.id2label[int(i)] for i in rows_of.argmax(-1)]
        checks.equal(f"{name}: rows", len(ours), len(labels))
        checks.equal(f"{name}: classes", [got for (_, _, got), sure in zip(ours, clear) if sure],
                     [label for label, sure in zip(labels, clear) if sure])


def same_scores(checks, folder, name, parts, seeds, epochs, rate, batch, most=None, speed=None, **sizes):
    """`most`: difference of the mean accuracies; else three standard errors of it. `speed`: least ratio of samples per second."""
    write_folder(folder / "model", "bert", [text for text, _ in parts[0]], **sizes)
    rows = {part: [dict(text=text, label=label) for text, label in rows]
            for part, rows in zip(("train", "validation", "test"), parts)}
    classes = sorted({label for _, label in parts[0]})
    task = write_task(folder, name, "classification", rows)
    found = judge(folder, "model", "--task", task, "--rates", rate, "--seeds", seeds, "--epochs", epochs, "--batch", batch,
                  "--steps", "100000", "--max-seq-len", "64")["test" if len(parts) > 2 else "validation"]
    ours = [one["value"] for one in found["values"]]
    theirs, speeds = zip(*(fine_tuned(folder / "model", parts[0], parts[1], classes, rate, seed, epochs, batch, 64,
                                      parts[2] if len(parts) > 2 else None) for seed in range(1, seeds + 1)))
    print(f"{name}: ours {[round(x, 4) for x in ours]}, mean {statistics.mean(ours):.4f}, {found['samples_per_sec']:.0f}/s; "
          f"transformers {[round(x, 4) for x in theirs]}, mean {statistics.mean(theirs):.4f}, {statistics.mean(speeds):.0f}/s")
    means = [statistics.mean(ours), statistics.mean(theirs)]
    # Seeds on the same examples; a floor for those that happen to agree.
    error = max(0.01, math.sqrt((statistics.variance(ours) + statistics.variance(theirs)) / seeds))
    checks.equal(f"{name}: seeds", len(ours), seeds)
    checks.below(f"{name}: difference of the mean accuracies", abs(means[0] - means[1]), most or 3 * error)
    if not most:
        checks.equal(f"{name}: neither chance nor certainty: {means}", all(0.6 < mean < 0.97 for mean in means), True)
    if speed:
        checks.equal(f"{name}: samples per second, times {speed}", found["samples_per_sec"] > speed * statistics.mean(speeds),
                     True)


def noisy(count, seed, share=0.15):
    """Planted texts, of which a share has the wrong label: no model is right more often than in the others."""
    draw = random.Random(seed)
    return [(" ".join(words), draw.choice(CLASSES) if draw.random() < 2 * share else label)
            for words, label in planted(count, seed)]


def survives_kill(checks, folder, task):
    settings = ("model", "--task", task, "--rates", "1e-3,3e-4", "--seeds", "2", "--epochs", "6", "--batch", "8",
                "--max-seq-len", "32")
    shutil.rmtree(folder / "runs", ignore_errors=True)
    judge(folder, *settings)
    expected = stored(folder)
    shutil.rmtree(folder / "runs")
    args, rest = command(folder, *settings)
    for wanted in (1, 3):  # scores that are there when it is killed
        child = subprocess.Popen(*args, **rest, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 300
        while child.poll() is None and time.monotonic() < until:
            try:
                if len(stored(folder)) >= wanted:
                    break
            except sqlite3.OperationalError:
                pass  # not yet made
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        checks.equal("it was killed before it ended", child.wait(), -signal.SIGKILL)
        checks.equal(f"scores when it was killed, of {len(expected)}", wanted <= len(stored(folder)) < len(expected), True)
    judge(folder, *settings)
    checks.equal("scores after a kill", stored(folder) == expected, True)


def says_before(checks, folder, what, *arguments):
    args, rest = command(folder, "model", *arguments)
    done = subprocess.run(*args, **rest, capture_output=True, text=True, timeout=120)
    checks.equal(f"{arguments}: exit code", done.returncode, 2)
    checks.equal(f"{arguments}: says '{what}' in {done.stderr[-300:]!r}", what in done.stderr, True)


def refuses(checks, folder, task):
    rows = [dict(text=f"text {i}", label="a") for i in range(12)]
    single = write_task(folder, "single", "classification", {"train": rows, "validation": rows})
    says_before(checks, folder, "class", "--task", single)
    says_before(checks, folder, "at most", "--task", task, "--max-seq-len", "4096")
    says_before(checks, folder, "a number above 0", "--task", task, "--rates", "0")
    says_before(checks, folder, "no effect", "--task", task, "--pooling", "cls")
    for inside in ("model", ".", "model/inner"):
        says_before(checks, folder, "the folder of the model", "--task", task, "--export", inside, "--force")
    (folder / "full").mkdir()
    (folder / "full" / "config.json").write_text("{}")
    says_before(checks, folder, "--force", "--task", task, "--export", "full")
    (folder / "queries.jsonl").write_text('{"id": "1", "text": "one"}\n')
    (folder / "documents.jsonl").write_text('{"id": "7", "text": "two"}\n')
    (folder / "relevant.jsonl").write_text('{"query": "1", "document": "7"}\n')
    (folder / "retrieval.yaml").write_text("name: r\nkind: retrieval\nqueries: queries.jsonl\ndocuments: documents.jsonl\n"
                                           "pairs: relevant.jsonl\n")
    says_before(checks, folder, "probe", "--task", "retrieval.yaml")


def reviews(name):
    with open(REVIEWS / f"{name}.tsv", newline="") as file:
        return [(row["text"], row["label"]) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def knows_its_folder(checks, folder, task):
    """Scores are those of the weights that lie in the folder, whatever its times say and what else is in it."""
    def measured():
        found = judge(folder, "model", "--task", task, "--rates", "1e-3,1e-3", "--seeds", "1", "--epochs", "1",
                      "--max-seq-len", "32")
        base = sqlite3.connect(next((folder / "runs").rglob("workspace.sqlite")))
        return found["test"]["n"], base.execute("SELECT at_ms FROM score ORDER BY id").fetchall()

    shutil.rmtree(folder / "runs")
    trained, before = measured()
    checks.equal("a rate that is given twice is trained once", trained, 1)
    (folder / "model" / "notes.txt").write_text("nothing that is read")
    checks.equal("another file changes nothing", measured()[1], before)
    write_folder(folder / "new", "bert", [" ".join(words) for words, _ in planted(400, 9)], seed=9)
    for file in (folder / "new").iterdir():
        os.utime(file, (1e9, 1e9))
    (folder / "model").rename(folder / "old")
    (folder / "new").rename(folder / "model")
    after = measured()[1]
    checks.equal("another model of the same name is scored anew", len(after) == 2 and not set(after) & set(before), True)


checks = Checks()
for family in sys.argv[2:] or (FAMILIES if FULL else ["bert"]):
    with temporary_folder() as folder:
        same_outputs(checks, pathlib.Path(folder), family)
if not FULL and not sys.argv[2:]:
    with temporary_folder() as folder:
        same_outputs(checks, pathlib.Path(folder), "modernbert, mean", ("pairs", "words"))
with temporary_folder() as folder:
    folder = pathlib.Path(folder)
    same_scores(checks, folder, "noisy", [noisy(count, seed) for count, seed in ((400, 1), (100, 2), (400, 3))], 3, 4, 1e-3,
                16, scale=2.0)
    short = write_task(folder, "short", "classification", {
        part: [dict(text=" ".join(words), label=label) for words, label in planted(count, count)]
        for part, count in (("train", 160), ("validation", 40), ("test", 40))})
    survives_kill(checks, folder, short)
    refuses(checks, folder, short)
    knows_its_folder(checks, folder, short)
if FULL and REVIEWS.exists():
    with temporary_folder() as folder:
        same_scores(checks, pathlib.Path(folder), "movie-reviews", [reviews("train"), reviews("valid")], 5, 3, 3e-4, 32,
                    most=0.01, speed=2, vocabulary=8000, hidden_size=128, num_attention_heads=2, intermediate_size=512)
checks.finish()
