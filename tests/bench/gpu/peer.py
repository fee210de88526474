# SPDX-License-Identifier: GPL-3.0-or-later
"""A peer of ours, in a process of its own: BERT of transformers with PyTorch's SDPA, fused AdamW and clipping at 1. Its
weights are those that Batchwise exported; dropout is Batchwise's (0.1 hidden, none in attention). Batches lie on the device,
masked, before the clock starts, and are made once for each file and number.

--way eager       as it is
      compiled    torch.compile of the embeddings, of each layer, and of the head with its loss: twelve layers are one graph
      autotuned   the same, with max-autotune (without CUDA graphs, from which steps of this size gain nothing); on the
                  processor, where only the script is tried, it is `compiled`

Reads orders from stdin, one JSON object a line: {"tokens": FILE, "steps": N}; answers each with one line. An eager peer pads
each batch to its longest sequence and tells attention so. A compiled one has one shape: it pads to --longest and leaves the
mask out, so that nothing is compiled twice and attention takes its fastest way: real masks could only make it slower.
"""
import argparse
import json
import pathlib
import sys
import time

import torch
from transformers import BertConfig, BertForMaskedLM

MASK, IGNORED = 4, -100
MODES = {"compiled": "default", "autotuned": "max-autotune-no-cudagraphs"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--longest", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--way", choices=["eager", *MODES], required=True)
    return parser.parse_args()


class Text:
    """The lines of a file of tokens, one after the other."""

    def __init__(self, file):
        lines = pathlib.Path(file).read_text().splitlines()
        self.lengths = torch.tensor([line.count(" ") + 1 for line in lines])
        self.tokens = torch.tensor(list(map(int, " ".join(lines).split(" "))))
        self.starts = self.lengths.cumsum(0) - self.lengths

    def batch(self, number, size, longest, generator):
        """Batch `number` of `size` lines in the file's order, over and over; None for `longest`: that of the batch. Returns
        ids with 15 % of the inner tokens masked, their labels, the mask of attention, and how many tokens are real."""
        chosen = torch.arange(number * size, (number + 1) * size) % len(self.lengths)
        lengths = self.lengths[chosen, None]
        place = torch.arange(longest or int(lengths.max()))[None, :]
        real = place < lengths
        ids = torch.where(real, self.tokens[(self.starts[chosen, None] + place).clamp(max=len(self.tokens) - 1)], 0)
        inner = (place > 0) & (place < lengths - 1)
        wanted = (0.15 * (lengths - 2)).round().clamp(min=1)
        drawn = torch.rand(ids.shape, generator=generator).masked_fill(~inner, 2)
        masked = inner & (drawn.argsort(dim=1).argsort(dim=1) < wanted)
        return ids.masked_fill(masked, MASK), ids.masked_fill(~masked, IGNORED), real.long(), int(lengths.sum())


class Trainer:
    def __init__(self, options):
        self.options = options
        self.gpu = options.device == "cuda"
        self.compiled = options.way != "eager"
        self.made = {}
        torch.manual_seed(1)
        config = BertConfig.from_pretrained(options.weights, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.0,
                                            attn_implementation="sdpa")
        model = BertForMaskedLM.from_pretrained(options.weights, config=config, dtype=torch.float32)
        self.model = model.to(options.device).train()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-6,
                                           weight_decay=0.01, fused=True)
        self.head = self.loss_of_head
        if self.compiled:
            how = dict(mode=MODES[options.way] if self.gpu else "default", dynamic=False)
            self.model.bert.embeddings.compile(**how)
            for layer in self.model.bert.encoder.layer:
                layer.compile(**how)
            self.head = torch.compile(self.loss_of_head, **how)

    def loss_of_head(self, hidden, labels):
        """As BertForMaskedLM computes it."""
        return torch.nn.functional.cross_entropy(self.model.cls(hidden).flatten(0, 1), labels.flatten())

    def batches(self, file, count):
        """`count` batches of the file on the device: ids, labels, mask of attention, and their real tokens."""
        if (file, count) not in self.made:
            text, generator = Text(file), torch.Generator().manual_seed(1)
            made = [text.batch(number, self.options.batch, self.options.longest if self.compiled else None, generator)
                    for number in range(count)]
            self.made[file, count] = [(self.on_device(*tensors), tokens) for *tensors, tokens in made]
        return self.made[file, count]

    def on_device(self, ids, labels, real):
        mask = None if self.compiled or bool(real.all()) else real.to(self.options.device)
        return ids.to(self.options.device), labels.to(self.options.device), mask

    def step(self, ids, labels, mask):
        with torch.autocast(self.options.device, torch.bfloat16, enabled=self.gpu):
            loss = self.head(self.model.bert(input_ids=ids, attention_mask=mask).last_hidden_state, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def wait(self):
        if self.gpu:
            torch.cuda.synchronize()

    def measure(self, file, steps, warm):
        made = self.batches(file, warm + steps)
        first_loss = float(self.step(*made[0][0]))
        for batch, _ in made[1:warm]:
            self.step(*batch)
        self.wait()
        if self.gpu:
            torch.cuda.reset_peak_memory_stats()
        begun = time.perf_counter()
        for batch, _ in made[warm:]:
            loss = self.step(*batch)
        self.wait()
        seconds = time.perf_counter() - begun
        return {"tokens_per_sec": sum(tokens for _, tokens in made[warm:]) / seconds, "first_loss": first_loss,
                "loss": float(loss), "peak": torch.cuda.max_memory_allocated() if self.gpu else 0}


def main():
    options = parse()
    begun = time.perf_counter()
    trainer = Trainer(options)
    for line in sys.stdin:
        order = json.loads(line)
        # The first order of a compiled peer compiles; steps ahead of the clock also fill the caches of memory.
        answer = trainer.measure(order["tokens"], order["steps"], warm=4 if trainer.gpu else 1)
        print(json.dumps(dict(answer, since_start=time.perf_counter() - begun)), flush=True)


if __name__ == "__main__":
    main()
