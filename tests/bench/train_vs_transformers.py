# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the same model on the same batches of real text with Batchwise and with transformers + PyTorch, turn by turn, and
prints how many real tokens each computes in a second of the clock, and in a second of processor time (which says the same
on an idle machine, and still says it when other programs take their share).

Both sides: mini BERT (4 layers, 256 wide; hidden dropout 0.1) or with --family modernbert a ModernBERT of 6 layers x 256
(feed-forward 384, 4 heads, no dropout), fp32, equal threads, AdamW, clipping at 1; a step is a global batch of --accumulate
micro-batches of --batch sequences of at most --longest tokens. transformers takes the fastest it has for the CPU:
SDPA attention, fused AdamW. It is three peers:
  padded  pads each micro-batch to its longest sequence (DataCollatorForLanguageModeling), as its users do
  sorted  the same, and sorts each global batch by length before it cuts it into micro-batches
  full    has nothing to pad: documents are joined, so that every sequence has --longest tokens
Batches are masked beforehand for both sides, which get the same micro-batches in the same order. A round in which a side got
less than --least-share of the processors (processor seconds / (seconds of the clock x threads)) is discarded and made again.

Usage: train_vs_transformers.py MODEL_TOOL TEXT [--peer padded|sorted|full] [--threads N] [--steps N] [--rounds N]
       [--batch N] [--accumulate N] [--longest N] [--family bert|modernbert] [--preset P] [--precision fp32|bf16]
       [--least-share S] [--at-least RATIO] [--report FILE.json]
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
TRIES = 3  # for each round, until one is not disturbed

try:
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import (BertConfig, BertForMaskedLM, BertTokenizerFast, DataCollatorForLanguageModeling,
                              ModernBertConfig, ModernBertForMaskedLM)
except ImportError as missing:
    print(f"skipped: {missing}; ./packaging/test installs the judges")
    sys.exit(77)

MODERNBERT = dict(num_hidden_layers=6, hidden_size=256, num_attention_heads=4, intermediate_size=384)
PRESETS = {"tiny": (2, 128, 2), "mini": (4, 256, 4), "small": (4, 512, 8), "base": (12, 768, 12)}


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--peer", default="padded", choices=["padded", "sorted", "full"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--longest", type=int, default=128)
    parser.add_argument("--family", default="bert", choices=["bert", "modernbert"])
    parser.add_argument("--preset", default="mini", choices=PRESETS)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    parser.add_argument("--least-share", type=float, default=0.0)
    parser.add_argument("--at-least", type=float, default=0.0)
    parser.add_argument("--report", type=pathlib.Path)
    return parser.parse_args()


def make_tokenizer(text, folder):
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train([str(text)], vocab_size=8192, show_progress=False)
    trained.save_model(str(folder))
    return BertTokenizerFast(str(folder / "vocab.txt"))


def make_pieces(tokenizer, text, joined, longest):
    """Sequences with their special tokens: paragraphs cut to fit, or the whole text cut into equal parts."""
    room = longest - 2
    texts = [tokenizer(paragraph, add_special_tokens=False)["input_ids"] for paragraph in text.read_text().splitlines()]
    if joined:
        together = [token for ids in texts for token in ids]
        texts = [together[: len(together) // room * room]]
    pieces = [[tokenizer.cls_token_id, *ids[first : first + room], tokenizer.sep_token_id]
              for ids in texts for first in range(0, len(ids), room)]
    random.Random(1).shuffle(pieces)
    return pieces


def make_steps(args, tokenizer):
    """Steps of micro-batches, masked and padded by the collator."""
    pieces = make_pieces(tokenizer, args.text, args.peer == "full", args.longest)
    torch.manual_seed(1)
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    size = args.batch * args.accumulate
    steps = []
    for number in range(args.steps * args.rounds):
        chosen = [pieces[(number * size + i) % len(pieces)] for i in range(size)]
        if args.peer == "sorted":
            chosen.sort(key=len)
        steps.append([collate([{"input_ids": ids} for ids in chosen[first : first + args.batch]])
                      for first in range(0, size, args.batch)])
    return steps


def real_tokens(steps):
    return sum(int(one["attention_mask"].sum()) for step in steps for one in step)


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


def our_steps(args, steps):
    model = dict(preset=args.preset, hidden_dropout_prob=0.1)
    if args.family == "modernbert":
        model = dict(preset="tiny", family="modernbert", hidden_dropout_prob=0.0, **MODERNBERT)
    job = dict(mode="train", vocab_size=8192, max_seq_len=args.longest, precision=args.precision, threads=args.threads,
               lr=5e-4, **model, steps=[[unpadded(one) for one in step] for step in steps])
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        done = subprocess.run([args.tool, file.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(line["seconds"], line["processor_seconds"]) for line in lines]


def their_model(args):
    if args.family == "modernbert":
        return ModernBertForMaskedLM(ModernBertConfig(
            vocab_size=8192, pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3,
            attn_implementation="sdpa", **MODERNBERT))
    layers, hidden, heads = PRESETS[args.preset]
    return BertForMaskedLM(BertConfig(
        vocab_size=8192, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * hidden, attention_probs_dropout_prob=0.0, attn_implementation="sdpa",
        max_position_embeddings=max(512, args.longest)))


class Theirs:
    def __init__(self, args):
        torch.set_num_threads(args.threads)
        torch.manual_seed(1)
        self.precision = args.precision
        self.model = their_model(args).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=5e-4, betas=(0.9, 0.98), eps=1e-6,
                                           weight_decay=0.01, fused=True)

    def step(self, micro_batches):
        self.optimizer.zero_grad()
        for one in micro_batches:
            with torch.autocast("cpu", torch.bfloat16, enabled=self.precision == "bf16"):
                given = {key: value for key, value in one.items() if key != "token_type_ids"}
                loss = self.model(**given).loss / len(micro_batches)
            loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        loss.item()

    def steps(self, steps):
        seconds = []
        for micro_batches in steps:
            begin = time.perf_counter(), time.process_time()
            self.step(micro_batches)
            seconds.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
        return seconds


def measure(args, theirs, steps):
    """Real tokens per second of the clock and of the processors, and the share of the processors, of each side."""
    warm = 1
    tokens = real_tokens(steps)
    found = {}
    for name, run in (("batchwise", lambda all: our_steps(args, all)), ("transformers", theirs.steps)):
        clock, processor = (sum(step[kind] for step in run(steps[:warm] + steps)[warm:]) for kind in (0, 1))
        found[name] = {"clock": tokens / clock, "processor": tokens / processor, "share": processor / clock / args.threads}
    return found


def undisturbed(args, theirs, steps):
    for _ in range(TRIES):
        found = measure(args, theirs, steps)
        if min(side["share"] for side in found.values()) >= args.least_share:
            return found
        print(f"discarded: shares of the processors {[round(side['share'], 3) for side in found.values()]}", flush=True)
    return None


def main():
    args = parse()
    with tempfile.TemporaryDirectory() as folder:
        steps = make_steps(args, make_tokenizer(args.text, pathlib.Path(folder)))
    theirs = Theirs(args)
    rounds = []
    for turn in range(args.rounds):
        found = undisturbed(args, theirs, steps[turn * args.steps : (turn + 1) * args.steps])
        if found is None:
            continue
        rounds.append(found)
        print(f"round {turn + 1}: " + ", ".join(
            f"{name} {side['clock']:.0f} real tokens/s ({side['processor']:.0f} per processor second, share "
            f"{side['share']:.3f})" for name, side in found.items()), flush=True)
    if not rounds:
        raise SystemExit("every round was disturbed by other programs")
    ratio, processor_ratio = (statistics.median(one["batchwise"][kind] / one["transformers"][kind] for one in rounds)
                              for kind in ("clock", "processor"))
    fill = real_tokens(steps) / sum(one["input_ids"].numel() for step in steps for one in step)
    name = args.preset if args.family == "bert" else f"{args.family} of 6 layers x 256"
    print(f"{name}, {args.longest} tokens, {args.precision}, {args.threads} threads, {args.peer}: {args.accumulate} micro-batches of "
          f"{args.batch}, fill {fill:.2f}: ratio of real tokens/s {ratio:.2f}, by processor time {processor_ratio:.2f} "
          f"(median of {len(rounds)})")
    if args.report:
        args.report.write_text(json.dumps({"peer": args.peer, "ratio": ratio, "processor_ratio": processor_ratio,
                                           "fill": fill, "rounds": rounds}))
    sys.exit(0 if ratio >= args.at_least else 1)


main()
