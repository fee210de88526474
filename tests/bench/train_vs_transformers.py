# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the same model on the same batches of real text with Batchwise and with transformers + PyTorch, turn by turn, and
prints how many real tokens each computes in a second of the clock, and in a second of processor time (which says the same
on an idle machine, and still says it when other programs take their share).

Both sides: mini BERT (4 layers, 256 wide), fp32, equal threads, AdamW, clipping at 1, hidden dropout 0.1, 32 paragraphs of
at most 128 tokens. transformers pads each batch to its longest (DataCollatorForLanguageModeling), as its users do, and
takes the fastest it has for the CPU: SDPA attention, fused AdamW. Batches are masked beforehand for both.

Usage: train_vs_transformers.py MODEL_TOOL TEXT [--threads N] [--steps N] [--rounds N] [--batch N] [--preset P]
       [--precision fp32|bf16] [--at-least RATIO] [--report FILE.json]
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

# Both sides wait without spinning, or a busy machine would decide the comparison.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

try:
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast, DataCollatorForLanguageModeling
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)

PRESETS = {"tiny": (2, 128, 2), "mini": (4, 256, 4), "small": (4, 512, 8), "base": (12, 768, 12)}


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--preset", default="mini", choices=PRESETS)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    parser.add_argument("--at-least", type=float, default=0.0)
    parser.add_argument("--report", type=pathlib.Path)
    return parser.parse_args()


def make_tokenizer(text, folder):
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train([str(text)], vocab_size=8192, show_progress=False)
    trained.save_model(str(folder))
    return BertTokenizerFast(str(folder / "vocab.txt"))


def make_batches(tokenizer, text, size, count):
    """Batches of paragraphs (cut at 126 tokens), masked and padded by the collator."""
    pieces = []
    for paragraph in text.read_text().splitlines():
        ids = tokenizer(paragraph, add_special_tokens=False)["input_ids"]
        for first in range(0, len(ids), 126):
            pieces.append([tokenizer.cls_token_id, *ids[first : first + 126], tokenizer.sep_token_id])
    random.Random(1).shuffle(pieces)
    torch.manual_seed(1)
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    batches = []
    while len(batches) < count:
        for first in range(0, len(pieces) - size, size):
            batches.append(collate([{"input_ids": ids} for ids in pieces[first : first + size]]))
    return batches[:count]


def unpadded(one):
    """The same batch as model_tool reads it."""
    made = {"sequences": [], "positions": [], "labels": []}
    for ids, attention, labels in zip(one["input_ids"], one["attention_mask"], one["labels"]):
        length = int(attention.sum())
        places = [p for p in range(length) if labels[p] != -100]
        made["sequences"].append(ids[:length].tolist())
        made["positions"].append(places)
        made["labels"].append([int(labels[p]) for p in places])
    return made


def our_steps(args, batches):
    job = dict(mode="train", preset=args.preset, vocab_size=8192, precision=args.precision, threads=args.threads,
               hidden_dropout_prob=0.1, lr=5e-4, steps=[[unpadded(one)] for one in batches])
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        done = subprocess.run([args.tool, file.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(line["seconds"], line["processor_seconds"]) for line in lines]


class Theirs:
    def __init__(self, args):
        layers, hidden, heads = PRESETS[args.preset]
        torch.set_num_threads(args.threads)
        torch.manual_seed(1)
        self.precision = args.precision
        self.model = BertForMaskedLM(BertConfig(
            vocab_size=8192, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
            intermediate_size=4 * hidden, attention_probs_dropout_prob=0.0, attn_implementation="sdpa")).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=5e-4, betas=(0.9, 0.98), eps=1e-6,
                                           weight_decay=0.01, fused=True)

    def steps(self, batches):
        seconds = []
        for one in batches:
            begin = time.perf_counter(), time.process_time()
            self.optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=self.precision == "bf16"):
                loss = self.model(**one).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            loss.item()
            seconds.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
        return seconds


def main():
    args = parse()
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = make_tokenizer(args.text, pathlib.Path(folder))
        batches = make_batches(tokenizer, args.text, args.batch, args.steps * args.rounds)
    theirs = Theirs(args)
    warm = 2
    rounds = []
    for turn in range(args.rounds):
        part = batches[turn * args.steps : (turn + 1) * args.steps]
        tokens = sum(int(one["attention_mask"].sum()) for one in part)
        sides = {"batchwise": our_steps(args, part[:warm] + part)[warm:],
                 "transformers": theirs.steps(part[:warm] + part)[warm:]}
        rates = {name: [tokens / sum(step[kind] for step in steps) for kind in (0, 1)] for name, steps in sides.items()}
        rounds.append(rates)
        print(f"round {turn + 1}: " + ", ".join(f"{name} {clock:.0f} real tokens/s ({processor:.0f} per processor second)"
                                                for name, (clock, processor) in rates.items()), flush=True)
    ratio, processor_ratio = (statistics.median(one["batchwise"][kind] / one["transformers"][kind] for one in rounds)
                              for kind in (0, 1))
    real = sum(int(one["attention_mask"].sum()) for one in batches)
    fill = real / sum(one["input_ids"].numel() for one in batches)
    print(f"{args.preset}, {args.precision}, {args.threads} threads, batch {args.batch}, fill {fill:.2f}: ratio of real "
          f"tokens/s {ratio:.2f}, by processor time {processor_ratio:.2f} (median of {args.rounds})")
    if args.report:
        args.report.write_text(json.dumps({"ratio": ratio, "processor_ratio": processor_ratio, "fill": fill,
                                           "rounds": rounds}))
    sys.exit(0 if ratio >= args.at_least else 1)


main()
