# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what a layer with a window costs beside one with attention to all tokens, forward and backward.

Models of two and of six layers differ by four layers, global ones or ones with a window of 128; embeddings, head, optimizer,
the first layer, which is global, and the last, which has fewer queries, are in both. They take turns, --rounds times; seconds are those of the processors, which other programs change
less than those of the clock.

Usage: window_layers.py MODEL_TOOL [--tokens N] [--hidden N] [--threads N] [--steps N] [--rounds N] [--at-least RATIO]
"""
import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile

LAYERS = 4


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--at-least", type=float, default=0.0)
    return parser.parse_args()


def seconds(args, layers, global_every):
    """Processor seconds of each step on one sequence, after one to warm up."""
    drawn = random.Random(1)
    ids = [drawn.randrange(5, 1000) for _ in range(args.tokens)]
    places = list(range(1, args.tokens, 7))
    one = {"sequences": [ids], "positions": [places], "labels": [[ids[p] for p in places]]}
    job = dict(mode="train", family="modernbert", preset="tiny", num_hidden_layers=layers, hidden_size=args.hidden,
               num_attention_heads=args.hidden // 64, intermediate_size=args.hidden * 3 // 2, vocab_size=1000,
               max_seq_len=args.tokens, threads=args.threads, global_attn_every_n_layers=global_every,
               steps=[[one]] * (args.steps + 1))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        done = subprocess.run([args.tool, file.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return [json.loads(line)["processor_seconds"] for line in done.stdout.splitlines()[1:]]


args = parse()
models = [(layers, every) for every in (1, 100) for layers in (2, 2 + LAYERS)]
steps = {model: [] for model in models}
for _ in range(args.rounds):
    for model in models:
        steps[model] += seconds(args, *model)
few, many, few_windows, many_windows = (statistics.median(steps[model]) for model in models)
all_tokens, windows = (many - few) / LAYERS, (many_windows - few_windows) / LAYERS
print(f"{args.tokens} tokens, {args.hidden} features, {args.threads} threads: a global layer takes {all_tokens * 1e3:.1f} ms of "
      f"processor time, one with a window of 128 {windows * 1e3:.1f} ms: {all_tokens / windows:.1f} times as long")
sys.exit(0 if all_tokens / windows >= args.at_least else 1)
