#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluation loss after equal recipes: Batchwise beside PyTorch + transformers, several seeds each.

Trains `mini` (4 layers, 256 wide, vocabulary of 8,192 trained on the text, sequences of 128, global batches of 32) on one
text and evaluates on another, once per seed with the command-line program and once with transformers' BertForMaskedLM on
the same vocabulary and the same pieces of text. Prints both means, the spread, and the ratio.

  tests/bench/quality_vs_transformers.py --program build/dev/bin/batchwise --train valid.txt --eval test.txt
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

SEQUENCE = 128
BATCH = 32
RATE, BETAS, EPS, DECAY, CLIP = 5e-4, (0.9, 0.98), 1e-6, 0.01, 1.0
WARMUP, FLOOR = 0.06, 0.02
MASKED = 0.15


def config_text(train, evaluate, epochs):
    return f"""version: 1
name: quality
model: {{preset: mini}}
tokenizer: {{train: {{vocab_size: 8192}}}}
data: {{train: ['{train}'], eval: ['{evaluate}'], max_seq_len: {SEQUENCE}}}
max_duration: {epochs}ep
batch: {{global_train_batch_size: {BATCH}}}
optimizer: {{lr: {RATE}, betas: [{BETAS[0]}, {BETAS[1]}], eps: {EPS}, weight_decay: {DECAY}, grad_clip_norm: {CLIP}}}
scheduler: {{name: linear_with_warmup, t_warmup: {WARMUP}dur, alpha_f: {FLOOR}}}
eval: {{interval: 1ep}}
"""


def train_ours(program, config, workspace, seed):
    """Returns (run id, last evaluation loss, seconds)."""
    started = time.monotonic()
    lines = subprocess.run(
        [program, "train", config, "--workspace", workspace, "--name", f"seed-{seed}", "--set", f"seed={seed}", "--json"],
        check=True, capture_output=True, text=True).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    run = next(event["run"] for event in events if event["event"] == "run_started")
    loss = [event["loss"] for event in events if event["event"] == "eval"][-1]
    return run, loss, time.monotonic() - started


def pieces_of(path, tokenizer):
    """Documents (paragraphs between blank lines) as token ids, cut into pieces of SEQUENCE - 2 between [CLS] and [SEP]."""
    pieces, document = [], []
    lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
    for line in lines + [""]:
        if line.strip():
            document.append(line)
            continue
        ids = tokenizer("\n".join(document), add_special_tokens=False).input_ids if document else []
        document = []
        for start in range(0, len(ids), SEQUENCE - 2):
            cut = ids[start:start + SEQUENCE - 2]
            pieces.append([tokenizer.cls_token_id, *cut, tokenizer.sep_token_id])
    return pieces


def batch_of(pieces, tokenizer, generator):
    """Pads to the longest, masks exactly max(1, round(p * L)) positions per piece, 80/10/10."""
    longest = max(map(len, pieces))
    ids = torch.full((len(pieces), longest), tokenizer.pad_token_id)
    labels = torch.full((len(pieces), longest), -100)
    attention = torch.zeros((len(pieces), longest), dtype=torch.long)
    for row, piece in enumerate(pieces):
        ids[row, :len(piece)] = torch.tensor(piece)
        attention[row, :len(piece)] = 1
        inner = len(piece) - 2
        for position in generator.sample(range(1, inner + 1), max(1, int(MASKED * inner + 0.5))):
            labels[row, position] = piece[position]
            draw = generator.random()
            if draw < 0.8:
                ids[row, position] = tokenizer.mask_token_id
            elif draw < 0.9:
                ids[row, position] = generator.randrange(5, len(tokenizer))
    return ids, attention, labels


def evaluate(model, pieces, tokenizer):
    model.eval()
    total, count, generator = 0.0, 0, random.Random(0)
    with torch.no_grad():
        for start in range(0, len(pieces), 64):
            ids, attention, labels = batch_of(pieces[start:start + 64], tokenizer, generator)
            predicted = int((labels != -100).sum())
            total += float(model(ids, attention_mask=attention, labels=labels).loss) * predicted
            count += predicted
    model.train()
    return total / count


def train_theirs(train, test, tokenizer, epochs, seed):
    """Returns (evaluation loss, seconds)."""
    torch.manual_seed(seed)
    generator = random.Random(seed)
    started = time.monotonic()
    model = BertForMaskedLM(BertConfig(
        vocab_size=len(tokenizer), hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024,
        max_position_embeddings=512, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.0))
    decayed = [p for name, p in model.named_parameters() if not (name.endswith("bias") or "LayerNorm" in name)]
    plain = [p for name, p in model.named_parameters() if name.endswith("bias") or "LayerNorm" in name]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": DECAY}, {"params": plain, "weight_decay": 0.0}],
        lr=RATE, betas=BETAS, eps=EPS)
    per_epoch = -(-len(train) // BATCH)
    steps = per_epoch * epochs
    warmup = int(WARMUP * steps)

    def factor(step):
        if step < warmup:
            return step / warmup
        return 1.0 + (FLOOR - 1.0) * min(1.0, (step - warmup) / (steps - warmup))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    model.train()
    for _ in range(epochs):
        order = list(range(len(train)))
        generator.shuffle(order)
        for start in range(0, len(order), BATCH):
            ids, attention, labels = batch_of([train[i] for i in order[start:start + BATCH]], tokenizer, generator)
            loss = model(ids, attention_mask=attention, labels=labels).loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            schedule.step()
    return evaluate(model, test, tokenizer), time.monotonic() - started


def spread(values):
    return f"mean {statistics.mean(values):.4f}, from {min(values):.4f} to {max(values):.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--eval", required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=3, help="how many runs of each")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=0.02, help="largest relative difference of the means")
    options = parser.parse_args()
    train_file, eval_file = (str(pathlib.Path(name).resolve()) for name in (options.train, options.eval))

    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "quality.yaml")
        config.write_text(config_text(train_file, eval_file, options.epochs), encoding="utf-8")
        workspace, exported = f"{folder}/workspace", f"{folder}/exported"
        ours, theirs, tokenizer = [], [], None
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            run, loss, seconds = train_ours(options.program, str(config), workspace, seed)
            ours.append(loss)
            print(f"batchwise     seed {seed}: evaluation loss {loss:.4f} ({seconds:.0f} s)", flush=True)
            if tokenizer is None:  # both sides read the text with the vocabulary that Batchwise trained
                subprocess.run([options.program, "export", run, "--hf", exported, "--workspace", workspace], check=True,
                               stdout=subprocess.DEVNULL)
                tokenizer = BertTokenizerFast.from_pretrained(exported)
                train, test = pieces_of(train_file, tokenizer), pieces_of(eval_file, tokenizer)
            loss, seconds = train_theirs(train, test, tokenizer, options.epochs, seed)
            theirs.append(loss)
            print(f"transformers  seed {seed}: evaluation loss {loss:.4f} ({seconds:.0f} s)", flush=True)

    print(f"batchwise:    {spread(ours)}")
    print(f"transformers: {spread(theirs)}")
    ratio = statistics.mean(ours) / statistics.mean(theirs)
    print(f"ratio of the means: {ratio:.4f} (allowed: {1 - options.limit:.2f} to {1 + options.limit:.2f})")
    return 0 if abs(ratio - 1) <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
