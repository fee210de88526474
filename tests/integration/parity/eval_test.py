# SPDX-License-Identifier: GPL-3.0-or-later
"""`eval` says of a checkpoint and of its exported folder what transformers says of the same masks: loss and accuracy of
each draw, bits per byte and word-level pseudo-perplexity; and it stores the scores.  Usage: eval_test.py BATCHWISE"""
import math
import random
import sqlite3

from judge import *

SIZES = "hidden_size: 48, num_attention_heads: 2, num_hidden_layers: 4, intermediate_size: 72"
WORDS = "the cat sat on a mat while some river ran under old bridges and nobody knew why café naïve".split()
LIMIT = 1e-4


def write_text(file, documents, seed):
    generator = random.Random(seed)
    lines = [" ".join(generator.choices(WORDS, k=generator.randint(20, 60))) + "." for _ in range(documents)]
    lines[1] += " \U0001F600"  # what WordPiece does not know
    file.write_text("\n".join(lines) + "\n")


def judged(theirs, line):
    """Nats and correct predictions of a line of the masks' file."""
    ids, labels = torch.tensor([line["input_ids"]]), torch.tensor(line["labels"])
    with torch.no_grad():
        logits = theirs(input_ids=ids).logits[0]
    at = labels != -100
    nats = torch.nn.functional.cross_entropy(logits[at].double(), labels[at], reduction="sum")
    return float(nats), int((logits[at].argmax(-1) == labels[at]).sum())


def own_bytes(tokenizer):
    """Bytes that each token spells, by id."""
    spelled = {}
    for token, number in tokenizer.get_vocab().items():
        byte_level = tokenizer.backend_tokenizer.decoder.__class__.__name__ == "ByteLevel"
        spelled[number] = len(token) if byte_level else len(token.removeprefix("##").encode())
    return spelled | {number: 0 for number in tokenizer.all_special_ids}


def pseudo_perplexity(theirs, tokenizer, samples, continues):
    nats = words = 0
    for ids in samples:
        for place in range(1, len(ids) - 1):
            end = place + 1
            while end < len(ids) - 1 and continues(ids[end]):
                end += 1
            hidden = ids[:place] + [tokenizer.mask_token_id] * (end - place) + ids[end:]
            nats += judged(theirs, {"input_ids": hidden,
                                    "labels": [i if p == place else -100 for p, i in enumerate(ids)]})[0]
            words += place == 1 or not continues(ids[place])
    return math.exp(nats / words), words


def compare(checks, name, folder, found, masks, exported):
    theirs = AutoModelForMaskedLM.from_pretrained(exported).float().eval()
    tokenizer = AutoTokenizer.from_pretrained(exported)
    lines = [json.loads(line) for line in masks.read_text().splitlines()]
    sums = {}
    for line in lines:
        nats, correct = judged(theirs, line)
        sum_ = sums.setdefault(line["draw"], [0, 0, 0])
        for i, value in enumerate((nats, correct, sum(label != -100 for label in line["labels"]))):
            sum_[i] += value
    nats, correct, predicted = (sum(one[i] for one in sums.values()) for i in range(3))
    checks.equal(f"{name} draws", sorted(sums), [0, 1])
    checks.equal(f"{name} predicted", found["predicted"], predicted)
    checks.below(f"{name} loss", abs(found["loss"] / (nats / predicted) - 1), LIMIT)
    checks.below(f"{name} accuracy", abs(found["accuracy"] - correct / predicted), 1.5 / predicted)
    losses = [one[0] / one[2] for one in sums.values()]
    checks.below(f"{name} draw error", abs(found["draw_error"] - abs(losses[0] - losses[1]) / 2), 2 * LIMIT * losses[0])

    spelled = own_bytes(tokenizer)
    texts = [[i if label == -100 else label for i, label in zip(line["input_ids"], line["labels"])] for line in lines]
    samples = texts[:found["samples"]]
    all_bytes = sum(spelled[i] for ids in samples for i in ids)
    if name.startswith("bytes"):
        checks.equal(f"{name}: byte-level tokens spell the text", all_bytes, found["text_bytes"])
    under = sum(spelled[label] for line in lines for label in line["labels"] if label != -100)
    under *= found["text_bytes"] / all_bytes
    checks.equal(f"{name} bytes", found["bytes"], round(under))
    checks.below(f"{name} bits per byte", abs(found["bits_per_byte"] / (nats / math.log(2) / under) - 1), LIMIT)

    if not name.startswith("bytes"):
        starts = {number for token, number in tokenizer.get_vocab().items() if token.startswith("##")}
        value, words = pseudo_perplexity(theirs, tokenizer, samples[:50], lambda i: i in starts)
        checks.equal(f"{name} words", found["pseudo_perplexity"]["words"], words)
        checks.below(f"{name} pseudo-perplexity", abs(found["pseudo_perplexity"]["value"] / value - 1), 1e-3)


def stored(folder):
    database = next((folder / "home").rglob("workspace.sqlite"))
    with sqlite3.connect(database) as connection:
        return connection.execute("SELECT run IS NULL, task, metric, examples, value FROM score").fetchall()


checks = Checks()
for name, family, tokenizer in (("bert", "bert", "tokenizer: {train: {vocab_size: 300}}\n"),
                                ("bytes", "modernbert", "tokenizer: {train: {kind: byte_bpe, vocab_size: 400}}\n")):
    with temporary_folder() as folder:
        folder = pathlib.Path(folder)
        write_text(folder / "text.txt", 12, 1)
        train(folder, name, f"family: {family}, {SIZES}", tokenizer)
        batchwise(folder, "export", name, "--hf", "out")
        arguments = ["--data", "text.txt", "--format", "lines", "--draws", "2", "--max-seq-len", "32", "--json"]
        own = json.loads(batchwise(folder, "eval", name, *arguments, "--masks", "masks.jsonl", "--pseudo-perplexity"))
        checks.equal(f"{name} documents", own["documents"], 12)
        compare(checks, name, folder, own, folder / "masks.jsonl", folder / "out")
        exported = json.loads(batchwise(folder, "eval", "out", *arguments))
        checks.below(f"{name}: the folder", abs(exported["loss"] / own["loss"] - 1), 1e-6)
        checks.equal(f"{name}: the folder measures the same", exported["task_hash"], own["task_hash"])
        by_id = json.loads(batchwise(folder, "eval", own["checkpoint"], *arguments, "--limit", "5"))
        checks.equal(f"{name} by checkpoint", (by_id["checkpoint"], by_id["documents"]), (own["checkpoint"], 5))
        arguments[arguments.index("--draws") + 1] = "1"
        batchwise(folder, "eval", name, *arguments, "--masks", "one.jsonl")
        one = (folder / "one.jsonl").read_text()
        checks.equal(f"{name}: draw 0 whatever their number", (folder / "masks.jsonl").read_text().startswith(one), True)
        scores = stored(folder)
        checks.equal(f"{name} stored", sorted({metric for folder_, task, metric, *_ in scores if not folder_}),
                     ["accuracy", "bits_per_byte", "loss", "pseudo_perplexity"])
        checks.equal(f"{name} stored of the folder", any(folder_ and task == "text.txt" for folder_, task, *_ in scores), True)
        checks.equal(f"{name} stored value", (0, "text.txt", "loss", 12, own["loss"]) in scores, True)
checks.finish()
