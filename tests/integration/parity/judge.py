# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parity tests share: small models and batches made with transformers, and calls of model_tool.

A test that cannot find its libraries exits with 77, which CTest shows as skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
try:
    import torch
    from safetensors.torch import load_file, save_file
    import transformers
    from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM, AutoTokenizer
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)

torch.set_num_threads(2)
transformers.utils.logging.disable_progress_bar()
PAD, MASK, FIRST_WORD = 0, 4, 5


def fresh(family, **config):
    """A new model of a family that transformers has."""
    return AutoModelForMaskedLM.from_config(AutoConfig.for_model(family, **config))


def filled(made, seed=1, spread=0.15):
    """The model with weights large enough for every part to matter."""
    torch.manual_seed(seed)
    made = made.float().train()
    with torch.no_grad():
        for name, weight in made.named_parameters():
            scale = spread if weight.dim() > 1 else 0.1
            weight.copy_(torch.randn_like(weight) * scale + ("norm" in name.lower() and name.endswith("weight")))
        # An untied decoder reads its own bias only; a file may have it under both names.
        for head in (getattr(made, "cls", None), getattr(made, "lm_head", None)):
            part = getattr(head, "predictions", head)
            if getattr(part, "bias", None) is not None and hasattr(part, "decoder"):
                part.bias.copy_(part.decoder.bias)
    return made


def batch(lengths, seed, vocabulary=199, share=0.25):
    """Sequences with some tokens hidden, as lists: what model_tool reads."""
    generator = torch.Generator().manual_seed(seed)
    made = {"sequences": [], "positions": [], "labels": []}
    for length in lengths:
        ids = torch.randint(FIRST_WORD, vocabulary, (length,), generator=generator).tolist()
        count = max(1, round(share * length))
        places = sorted(torch.randperm(length, generator=generator)[:count].tolist())
        made["positions"].append(places)
        made["labels"].append([ids[p] for p in places])
        for p in places:
            ids[p] = MASK
        made["sequences"].append(ids)
    return made


def padded(one, width=None):
    """The batch as transformers takes it: padded to the longest, or to `width`, with labels of -100 where nothing is
    predicted."""
    width = width or max(len(s) for s in one["sequences"])
    rows = len(one["sequences"])
    ids = torch.full((rows, width), PAD)
    attention = torch.zeros((rows, width), dtype=torch.long)
    labels = torch.full((rows, width), -100)
    for r, sequence in enumerate(one["sequences"]):
        ids[r, : len(sequence)] = torch.tensor(sequence)
        attention[r, : len(sequence)] = 1
        labels[r, one["positions"][r]] = torch.tensor(one["labels"][r])
    return {"input_ids": ids, "attention_mask": attention, "labels": labels}


def run_tool(job):
    """Runs model_tool on a job and returns the objects it printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        done = subprocess.run([sys.argv[1], file.name], capture_output=True, text=True, timeout=280)
    if done.returncode != 0:
        raise AssertionError(f"model_tool failed: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def relative(ours, theirs):
    """Largest difference over the largest value of the judge."""
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp_min(1e-12))


class Checks:
    """Collects what does not hold, so that one run shows all of it."""

    def __init__(self):
        self.failures = []
        self.count = 0

    def below(self, what, value, limit):
        self.count += 1
        if not value <= limit:
            self.failures.append(f"{what}: {value:.3g} is above {limit:.3g}")

    def equal(self, what, found, expected):
        self.count += 1
        if found != expected:
            self.failures.append(f"{what}: {found!r} is not {expected!r}")

    def finish(self):
        for failure in self.failures:
            print("FAILED", failure)
        print(f"{self.count - len(self.failures)} of {self.count} checks hold")
        sys.exit(1 if self.failures or self.count == 0 else 0)


def fill_mask(folder, text, top=5):
    """What transformers predicts for each [MASK] of a text from an exported folder: lists of (token, probability), with
    the token as `fill-mask` shows it (" the", not "Ġthe").  Fails if a tensor of the folder is missing or unused."""
    made, report = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    wrong = {key: sorted(report[key]) for key in ("missing_keys", "unexpected_keys", "mismatched_keys") if report[key]}
    if wrong:
        raise AssertionError(f"{folder}: {wrong}")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    given = tokenizer(text.replace("[MASK]", tokenizer.mask_token), return_tensors="pt")
    with torch.no_grad():
        masks = made.eval()(**given).logits[0].softmax(-1)[given["input_ids"][0] == tokenizer.mask_token_id]
    masks[:, tokenizer.all_special_ids] = -1  # as `fill-mask`, which leaves them out of its answers
    return [[(shown(tokenizer, token), float(value)) for value, token in zip(*(t.tolist() for t in mask.topk(top)))]
            for mask in masks]


def shown(tokenizer, token):
    """The text of a token; its spelling in the vocabulary if its bytes are not whole characters."""
    text = tokenizer.decode([token], clean_up_tokenization_spaces=False)
    return tokenizer.convert_ids_to_tokens(token) if "\ufffd" in text else text


def batchwise(folder, *arguments):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=280,
                          env=dict(os.environ, XDG_DATA_HOME=str(folder / "home"), XDG_CACHE_HOME=str(folder / "cache")))
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def train(folder, name, model, rest=""):
    """Trains three global batches; returns the notes of the run."""
    (folder / f"{name}.yaml").write_text(
        f"version: 1\nname: {name}\nmodel: {{{model}}}\n"
        "data: {format: demo, max_seq_len: 32, holdout: 0}\nmax_duration: 3ba\nbatch: {global_train_batch_size: 4}\n"
        "checkpoint: {interval: 1ba}\ndevices: {use: cpu, threads: 1}\n"
        + (rest or "tokenizer: {train: {vocab_size: 300}}\n"))
    lines = batchwise(folder, "train", f"{name}.yaml", "--json").splitlines()
    return [event.get("text", event.get("message", "")) for event in map(json.loads, lines) if event["event"] == "note"]


def takes_pairs(checks, name, exported):
    """A pair of texts, as for a sentence-pair task, goes from the exported tokenizer through the exported model."""
    pair = AutoTokenizer.from_pretrained(exported)("the fox", "the dog", return_tensors="pt")
    logits = AutoModelForMaskedLM.from_pretrained(exported)(**pair).logits
    checks.equal(f"{name}: logits of a pair", logits.shape[1], pair["input_ids"].shape[1])


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="batchwise-parity-")


__all__ = ["AutoModel", "AutoModelForMaskedLM", "AutoTokenizer", "Checks", "batch", "batchwise", "fill_mask", "filled", "fresh",
           "json", "load_file", "padded", "pathlib", "relative", "run_tool", "save_file", "shown", "takes_pairs",
           "temporary_folder", "torch", "train"]
