# SPDX-License-Identifier: GPL-3.0-or-later
"""`judge` scores a folder as scikit-learn and numpy do with the same features, which are those of transformers; planted
effects are found; what was scored is not scored again, also after kill -9.  Usage: judge_test.py BATCHWISE"""
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

from judge import *
from transformers import BertTokenizer

try:
    import numpy
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeCV
    from sklearn.model_selection import KFold
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)

GOOD = "good fine lovely superb charming witty".split()
BAD = "bad poor dull awful boring clumsy".split()
PLAIN = "the a film story actor scene and of with in was is very one".split()
PENALTIES = [10.0 ** power for power in range(-2, 5)]


def write_model(folder, words, seed=1):
    """A fresh BERT with a vocabulary of `words`: features of random weights tell words apart."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n")
    torch.manual_seed(seed)
    fresh("bert", vocab_size=len(tokens), hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96,
          max_position_embeddings=64).save_pretrained(folder)


def sentence(generator):
    """A text and its number of good words less that of bad ones."""
    words = generator.choices(PLAIN, k=generator.randint(4, 14))
    opinions = [generator.choice((GOOD, BAD)) for _ in range(generator.choice((1, 3)))]
    for kind in opinions:
        words.insert(generator.randrange(len(words)), generator.choice(kind))
    return " ".join(words), sum(1 if kind is GOOD else -1 for kind in opinions)


def write_rows(file, rows):
    file.write_text("\n".join(["text\trating\tlabel"] + ["\t".join(map(str, row)) for row in rows]) + "\n")


def split(answer, name):
    return next(score for score in answer["scores"] if score["split"] == name)


def judge(folder, model, task, *more):
    return json.loads(batchwise(folder, "judge", model, "--task", task, "--json", *more))


def standardized(train, rows):
    spread = train.std(0)
    return (rows - train.mean(0)) / numpy.where(spread < 1e-12, 1, spread)


def pooled(folder, texts):
    """Means of the last hidden states of transformers."""
    model = AutoModel.from_pretrained(folder / "model").eval()
    tokenizer = BertTokenizer(vocab=str(folder / "model/vocab.txt"), do_lower_case=True)
    means = []
    for start in range(0, len(texts), 100):
        batch = tokenizer(texts[start:start + 100], return_tensors="pt", padding=True)
        counts = batch["attention_mask"].unsqueeze(2)
        with torch.no_grad():
            means.append((model(**batch).last_hidden_state.double() * counts).sum(1) / counts.sum(1))
    return torch.cat(means).numpy()


def ndcg(order, gains):
    found = sum(gains.get(document, 0) / numpy.log2(rank + 2) for rank, document in enumerate(order[:10]))
    ideal = sum(gain / numpy.log2(rank + 2) for rank, gain in enumerate(sorted(gains.values(), reverse=True)[:10]))
    return found / ideal


def both_good(rows):
    return ["both" if {first[2], second[2]} == {"pos"} else "not" for first, second in zip(rows[::2], rows[1::2])]


def write_tasks(folder):
    generator = random.Random(3)
    rows = [(text, score, "pos" if score > 0 else "neg") for text, score in (sentence(generator) for _ in range(1600))]
    train, valid = rows[:1200], rows[1200:]
    write_rows(folder / "train.tsv", train)
    write_rows(folder / "valid.tsv", valid)
    labels = [row[2] for row in train]
    generator.shuffle(labels)
    write_rows(folder / "shuffled.tsv", [row[:2] + (label,) for row, label in zip(train, labels)])
    common = "validation: valid.tsv\ntext: text\n"
    (folder / "opinion.yaml").write_text(common + "train: train.tsv\nlabel: label\n")
    (folder / "shuffled.yaml").write_text(common + "train: shuffled.tsv\nlabel: label\n")
    (folder / "rating.yaml").write_text(common + "train: train.tsv\nkind: regression\nlabel: rating\n")
    for name, part in (("pairs-train", train), ("pairs-valid", valid)):
        texts = [row[0] for row in part]
        (folder / f"{name}.jsonl").write_text("".join(
            json.dumps({"first": first, "second": second, "label": label}) + "\n"
            for first, second, label in zip(texts[::2], texts[1::2], both_good(part))))
    (folder / "pair.yaml").write_text("kind: pair\ntrain: pairs-train.jsonl\nvalidation: pairs-valid.jsonl\n"
                                      "text: [first, second]\nlabel: label\n")
    lines = [json.dumps({"words": text.split(), "tags": ["OPINION" if w in GOOD + BAD else "O" for w in text.split()]})
             for text, *_ in rows[:300]]
    (folder / "words.jsonl").write_text("\n".join(lines[:200]) + "\n")
    (folder / "words-valid.jsonl").write_text("\n".join(lines[200:]) + "\n")
    (folder / "words.yaml").write_text("kind: token_labels\ntrain: words.jsonl\nvalidation: words-valid.jsonl\n"
                                       "text: words\nlabel: tags\n")
    (folder / "documents.jsonl").write_text("".join(
        json.dumps({"_id": f"d{i}", "text": text}) + "\n" for i, (text, *_) in enumerate(rows[:60])))
    (folder / "queries.jsonl").write_text("".join(
        json.dumps({"_id": f"q{i}", "text": " ".join(rows[i][0].split()[2:])}) + "\n" for i in range(20)))
    gains = {i: {i: 2, (i + 7) % 60: 1} for i in range(20)}
    (folder / "pairs.tsv").write_text("query\tdocument\tscore\n" + "".join(
        f"q{query}\td{document}\t{gain}\n" for query, of in gains.items() for document, gain in of.items()))
    (folder / "find.yaml").write_text("kind: retrieval\nqueries: queries.jsonl\ndocuments: documents.jsonl\n"
                                      "pairs: pairs.tsv\n")
    return train, valid, gains


def as_scikit_learn(checks, name, found, x, labels, held, wanted, unlike):
    """`unlike`: examples that another penalty may decide otherwise."""
    inverses = [1 / penalty for penalty in PENALTIES]
    chosen = LogisticRegressionCV(Cs=inverses, cv=KFold(5, shuffle=True, random_state=0), scoring="neg_log_loss",
                                  max_iter=5000, tol=1e-6).fit(x, labels)
    best = inverses.index(min(inverses, key=lambda inverse: abs(inverse / float(chosen.C_[0]) - 1)))
    # Their folds are others: they may choose the penalty beside ours.
    near = [LogisticRegression(C=inverse, max_iter=5000, tol=1e-6).fit(x, labels).score(held, wanted)
            for inverse in inverses[max(0, best - 1):best + 2]]
    checks.below(f"{name}: accuracy of scikit-learn", min(abs(found - accuracy) for accuracy in near), 1.01 / len(wanted))
    checks.below(f"{name}: accuracy of scikit-learn's own choice", abs(found - near[min(best, 1)]), (unlike + 0.01) / len(wanted))


def against_scikit_learn(checks, folder, train, valid):
    raw, raw_held = (pooled(folder, [row[0] for row in rows]) for rows in (train, valid))
    x, held = standardized(raw, raw), standardized(raw, raw_held)
    answer = judge(folder, "model", "opinion.yaml")
    found = split(answer, "validation")["mean"]
    as_scikit_learn(checks, "opinion", found, x, [row[2] for row in train], held, [row[2] for row in valid], 2)
    checks.below("the opinion is found", 0.85, found)
    checks.equal("values", [value["seed"] for value in split(answer, "validation")["values"]], [0])

    def paired(rows):
        u, v = rows[::2], rows[1::2]
        return numpy.concatenate([u, v, abs(u - v), u * v], 1)

    found = split(judge(folder, "model", "pair.yaml"), "validation")["mean"]
    x_pairs, held_pairs = standardized(paired(raw), paired(raw)), standardized(paired(raw), paired(raw_held))
    as_scikit_learn(checks, "pair", found, x_pairs, both_good(train), held_pairs, both_good(valid), 6)

    answer = judge(folder, "model", "rating.yaml")
    ridge = RidgeCV(alphas=PENALTIES, cv=KFold(5, shuffle=True, random_state=0)).fit(x, [row[1] for row in train])
    pearson = numpy.corrcoef(ridge.predict(held), [row[1] for row in valid])[0, 1]
    checks.below("Pearson of scikit-learn", abs(split(answer, "validation")["mean"] - pearson), 0.005)


def against_numpy(checks, folder, gains):
    answer = judge(folder, "model", "find.yaml")
    queries, documents = (pooled(folder, [json.loads(line)["text"] for line in open(folder / f"{part}.jsonl")])
                          for part in ("queries", "documents"))
    queries, documents = (rows / numpy.linalg.norm(rows, axis=1, keepdims=True) for rows in (queries, documents))
    expected = numpy.mean([ndcg(list(numpy.argsort(-(documents @ queries[q]), kind="stable")), of) for q, of in gains.items()])
    checks.below("nDCG of numpy", abs(split(answer, "test")["mean"] - expected), 1e-6)


def planted(checks, folder):
    good = split(judge(folder, "model", "opinion.yaml"), "validation")["mean"]
    shuffled = split(judge(folder, "model", "shuffled.yaml"), "validation")["mean"]
    checks.below("shuffled labels are worth nothing", abs(shuffled - 0.5), 0.1)
    answer = judge(folder, "other", "opinion.yaml")
    checks.below("another vocabulary is worse", split(answer, "validation")["mean"], good - 0.1)
    checks.equal("and is noted", any("unknown to the tokenizer" in note for note in split(answer, "validation")["notes"]), True)
    words = split(judge(folder, "model", "words.yaml"), "validation")
    checks.equal("metric of words", words["metric"], "f1_micro")
    checks.below("words are told apart", 0.95, words["mean"])


def measured(folder, model):
    """When the scores of the model were measured."""
    with sqlite3.connect(next((folder / "home").rglob("workspace.sqlite"))) as connection:
        return connection.execute("SELECT at_ms FROM score WHERE model LIKE ?", (f"%/{model}",)).fetchall()


def killed(checks, folder):
    """Scores after kills are those of a whole run in another home."""
    command = ["judge", "model", "other", "--task", "opinion.yaml", "--json"]

    def environment(home):
        return dict(os.environ, XDG_DATA_HOME=str(folder / home), XDG_CACHE_HOME=str(folder / "cache"))

    def scores(home):
        done = subprocess.run([sys.argv[1], *command], cwd=folder, env=environment(home), capture_output=True, text=True,
                              check=True, timeout=120)
        return [(one["model"], one["split"], one["mean"]) for one in json.loads(done.stdout)["scores"]]

    began = time.monotonic()
    whole = scores("whole")
    takes = time.monotonic() - began
    killed_at_work = 0  # the first run may have been slower than these
    for share in (0.1, 0.2, 0.4):
        running = subprocess.Popen([sys.argv[1], *command], cwd=folder, env=environment("killed"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(share * takes)
        running.send_signal(signal.SIGKILL)
        killed_at_work += running.wait() == -signal.SIGKILL
    checks.equal("it was killed at work", killed_at_work > 0, True)
    checks.equal("scores after a kill", scores("killed"), whole)
    write_model(folder / "third", GOOD + BAD, seed=5)
    batchwise(folder, "judge", "third", "--task", "opinion.yaml")
    before = measured(folder, "third")
    batchwise(folder, "judge", "third", "--task", "opinion.yaml")
    checks.equal("a stored score is not computed again", measured(folder, "third"), before)
    batchwise(folder, "judge", "third", "--task", "opinion.yaml", "--again")
    checks.equal("unless it is asked for", measured(folder, "third") != before, True)


def refused(checks, folder):
    (folder / "wrong.yaml").write_text("train: train.tsv\nvalidation: valid.tsv\ntext: texts\nlabel: label\n")
    done = subprocess.run([sys.argv[1], "judge", "model", "--task", "wrong.yaml"], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, XDG_DATA_HOME=str(folder / "home")), timeout=60)
    checks.equal("a missing column: exit code", done.returncode, 2)
    checks.equal("a missing column", "there is no column 'texts' (did you mean 'text'?)" in done.stderr, True)


checks = Checks()
with temporary_folder() as place:
    folder = pathlib.Path(place)
    write_model(folder / "model", PLAIN + GOOD + BAD)
    write_model(folder / "other", [word[::-1] + "x" for word in PLAIN + GOOD + BAD])
    train_rows, valid_rows, gains = write_tasks(folder)
    against_scikit_learn(checks, folder, train_rows, valid_rows)
    against_numpy(checks, folder, gains)
    planted(checks, folder)
    killed(checks, folder)
    refused(checks, folder)
checks.finish()
