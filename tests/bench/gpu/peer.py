# SPDX-License-Identifier: GPL-3.0-or-later
"""A peer of gpu_table.py, in a process of its own: BERT of transformers with PyTorch's SDPA, fused AdamW and clipping at 1,
eager or by torch.compile: max-autotune; on the processor, where only the script is tried, its default. Its weights are those
that Batchwise exported; dropout is Batchwise's (0.1 hidden, none in attention). Batches lie on the device, masked, before the
clock starts.

Reads orders from stdin, one JSON object a line: {"tokens": FILE, "steps": N}; answers each with one line. An eager peer pads
each batch to its longest sequence and tells attention so. A compiled one has one shape: it pads to --longest and leaves the
mask out, so that nothing is compiled twice and attention takes its fastest way: real masks could only make it slower.
"""
import argparse
import json
import random
import sys
import time

import torch
from transformers import BertConfig, BertForMaskedLM

MASK, IGNORED = 4, -100


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--longest", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--compiled", action="store_true")
    return parser.parse_args()


class Trainer:
    def __init__(self, options):
        self.options = options
        self.gpu = options.device == "cuda"
        torch.manual_seed(1)
        config = BertConfig.from_pretrained(options.weights, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.0,
                                            attn_implementation="sdpa")
        model = BertForMaskedLM.from_pretrained(options.weights, config=config, dtype=torch.float32)
        self.model = model.to(options.device).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-6,
                                           weight_decay=0.01, fused=True)
        self.loss_of = lambda ids, labels, mask: self.model(input_ids=ids, labels=labels, attention_mask=mask).loss
        if options.compiled:
            self.loss_of = torch.compile(self.loss_of, mode="max-autotune" if self.gpu else "default", dynamic=False)

    def batches(self, file, count):
        """`count` batches in the file's order, over and over: ids, labels, mask of attention, and their real tokens."""
        lines = open(file).read().splitlines()
        rng = random.Random(1)
        for number in range(count):
            chosen = [list(map(int, lines[(number * self.options.batch + i) % len(lines)].split()))
                      for i in range(self.options.batch)]
            yield self.batch(chosen, rng), sum(map(len, chosen))

    def batch(self, chosen, rng):
        longest = self.options.longest if self.options.compiled else max(map(len, chosen))
        ids = torch.zeros(len(chosen), longest, dtype=torch.long)
        labels = torch.full_like(ids, IGNORED)
        mask = torch.zeros_like(ids)
        for place, tokens in enumerate(chosen):
            ids[place, :len(tokens)] = torch.tensor(tokens)
            mask[place, :len(tokens)] = 1
            inner = range(1, len(tokens) - 1)
            for one in rng.sample(inner, max(1, round(0.15 * len(inner)))):
                labels[place, one] = tokens[one]
                ids[place, one] = MASK
        masked = None if self.options.compiled or bool(mask.all()) else mask.to(self.options.device)
        return ids.to(self.options.device), labels.to(self.options.device), masked

    def step(self, batch):
        if self.gpu:
            torch.compiler.cudagraph_mark_step_begin()
        with torch.autocast(self.options.device, torch.bfloat16, enabled=self.gpu):
            loss = self.loss_of(*batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss

    def wait(self):
        if self.gpu:
            torch.cuda.synchronize()

    def measure(self, file, steps, warm=2):
        made = list(self.batches(file, warm + steps))
        losses = [float(self.step(batch)) for batch, _ in made[:warm]]
        self.wait()
        if self.gpu:
            torch.cuda.reset_peak_memory_stats()
        begun = time.perf_counter()
        for batch, _ in made[warm:]:
            loss = self.step(batch)
        self.wait()
        seconds = time.perf_counter() - begun
        return {"tokens_per_sec": sum(tokens for _, tokens in made[warm:]) / seconds, "first_loss": losses[0], "loss": float(loss),
                "peak": torch.cuda.max_memory_allocated() if self.gpu else 0}


def main():
    options = parse()
    begun = time.perf_counter()
    trainer = Trainer(options)
    for line in sys.stdin:
        order = json.loads(line)
        # The first order of a compiled peer compiles; with more steps ahead of the clock for its graphs.
        answer = trainer.measure(order["tokens"], order["steps"], warm=6 if trainer.gpu else 1)
        print(json.dumps(dict(answer, since_start=time.perf_counter() - begun)), flush=True)


main()
