#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a training step of BERT-base takes on a GPU, by arithmetic: the bytes and FLOP of each kernel that a step starts
(core/model/encoder_forward.cpp, core/model/cuda_backend.cpp, core/model/adamw.cpp), each at the speed of memory, of matrix
products or, where a kernel of ours has many, of instructions (as counted in its SASS), whichever is slowest. No kernel has
been timed for it: it ranks what could be saved, and fast.py measures.

Usage: estimate.py [--tokens N] [--length N] [--bandwidth BYTES_PER_SEC] [--matmul FLOP_PER_SEC] [--layers N] ...
"""
import argparse
import collections

PEAK = 989e12  # bf16, dense, one H100 or H200 (NVIDIA's data sheet)
BF16, FP32 = 2, 4


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=65536, help="of a micro-batch, which is a step")
    parser.add_argument("--length", type=int, default=128, help="tokens of a sequence")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=768)
    parser.add_argument("--inner", type=int, default=3072)
    parser.add_argument("--vocabulary", type=int, default=30528)
    parser.add_argument("--predicted", type=float, default=0.15)
    parser.add_argument("--bandwidth", type=float, default=2.85e12, help="85 %% of an H100's 3.35 TB/s")
    parser.add_argument("--issue", type=float, default=132 * 4 * 1.755e9 * 0.75,
                        help="instructions of warps a second: 75 %% of four a cycle on each multiprocessor")
    parser.add_argument("--matmul", type=float, default=590e12, help="60 %% of the peak: large products at the power limit")
    return parser.parse_args()


# Instructions that a warp issues for a row of 768 features (AddNorm with dropout) and for 256 features (gelu), forward and
# backward: now, and as they were with a block for a row and with erff(). sass_test.py holds them.
NORM, GELU = (755, 928), (146, 181)
NORM_BEFORE, GELU_BEFORE = (1900, 1900), (251, 372)

# Of 65,536 tokens on an H100. cuDNN's attention has kernels for compute capability 9.0, which flash attention of LibTorch has
# not; whether its backward pass repeats itself bit for bit is to be shown. cublasLt's heuristics name some algorithms for each
# shape, of which the fastest would be measured at the start and remembered with the run.
GUESSED = {"attention by cuDNN": "2 to 3", "matrix products by the fastest algorithm of each shape": "3 to 4"}


class Step:
    """Kernels of a step. `could`: bytes that a change would leave of a kernel, and the change. `issued`: instructions of its
    warps, now and before a change that is done."""

    def __init__(self, options):
        self.options = options
        self.rows = []  # group, name, seconds, times
        self.savings = collections.OrderedDict()
        self.saved = collections.OrderedDict()
        self.useful = 0.0  # FLOP that count for MFU

    def matmul(self, group, name, rows, inner, columns, times=1, useful=True):
        flop = 2.0 * rows * inner * columns
        moved = BF16 * (rows * inner + inner * columns + rows * columns)
        seconds = max(flop / self.options.matmul, moved / self.options.bandwidth)
        self.rows.append((group, name, seconds * times, times))
        self.useful += flop * times if useful else 0

    def memory(self, group, name, moved, times=1, could=None, issued=(0, 0)):
        now, before = (max(moved / self.options.bandwidth, count / self.options.issue) for count in issued)
        self.rows.append((group, name, now * times, times))
        if before > now:
            self.saved[f"{group}: {name}"] = (before - now) * times
        if could:
            left, change = could
            self.savings[change] = self.savings.get(change, 0.0) + (moved - left) / self.options.bandwidth * times

    def attention(self, group, name, products, moved, times):
        """Attention at half the speed of a large product, `products` of [length, size] with [size, length] for each head."""
        o = self.options
        flop = 2.0 * products * o.tokens * o.length * o.hidden
        self.rows.append((group, name, max(2 * flop / o.matmul, moved / o.bandwidth) * times, times))
        self.useful += flop * times * (1 if products == 2 else 4 / products)  # what flash attention computes again is not

    def linear_backward(self, group, name, rows, inner, columns, times):
        """Gradients of input and weights; those of the weights are added to .grad."""
        self.matmul(group, name + ": input", rows, columns, inner, times)
        self.matmul(group, name + ": weights", inner, rows, columns, times)
        weights = inner * columns * FP32
        self.memory(group, name + ": into .grad", 4 * weights, times,
                    (2 * weights, "weight gradients straight into .grad (beta = 1)"))


def zeroed_sums(options, deterministic):
    """Bytes that the backward pass of flash attention sets to zero in a layer, in which it adds up dq in fp32: whole blocks
    of 128 rows for each sequence. To repeat itself, it has 128 rows more for each, and as many copies as keep the
    multiprocessors busy."""
    block, head, multiprocessors = 128, 64, 132
    sequences = -(-options.tokens // options.length)
    if not deterministic:
        return sequences * -(-options.length // block) * block * options.hidden * FP32
    blocks = sequences * options.hidden // head
    return -(-multiprocessors // blocks) * (options.tokens + block * sequences) * options.hidden * FP32


def layers(step):
    o = step.options
    wide, inner = o.tokens * o.hidden * BF16, o.tokens * o.inner * BF16
    norms, packs = o.tokens * o.hidden / 768, o.tokens * o.inner / 256
    n = o.layers
    f, b = "layers, forward", "layers, backward"
    step.matmul(f, "query, key, value", o.tokens, o.hidden, 3 * o.hidden, n)
    step.attention(f, "attention", 2, 4 * wide, n)
    step.matmul(f, "attention output", o.tokens, o.hidden, o.hidden, n)
    step.memory(f, "bias, dropout, residual, norm", 4 * wide, 2 * n, issued=(norms * NORM[0], norms * NORM_BEFORE[0]))
    step.matmul(f, "inner", o.tokens, o.hidden, o.inner, n)
    step.memory(f, "bias, gelu", 2 * inner, n, issued=(packs * GELU[0], packs * GELU_BEFORE[0]))
    step.matmul(f, "outer", o.tokens, o.inner, o.hidden, n)

    # Of two gradients of the output, but the last one: the head has no residual.
    step.memory(b, "norm, dropout", 5 * wide, 2 * n - 1, issued=(norms * NORM[1], norms * NORM_BEFORE[1]))
    step.memory(b, "last norm, dropout", 4 * wide, 1, issued=(norms * NORM[1], norms * NORM_BEFORE[1]))
    step.linear_backward(b, "outer", o.tokens, o.inner, o.hidden, n)
    step.memory(b, "gelu, bias", 3 * inner, n, issued=(packs * GELU[1], packs * GELU_BEFORE[1]))
    step.linear_backward(b, "inner", o.tokens, o.hidden, o.inner, n)
    step.linear_backward(b, "attention output", o.tokens, o.hidden, o.hidden, n)
    step.memory(b, "attention: sums of dq set to zero", zeroed_sums(o, True), n)
    step.attention(b, "attention", 5, 12 * wide, n)
    # Side by side already, they are still read once for the bias of their product.
    step.memory(b, "join of dq, dk, dv, and bias", 6 * wide, n, (3 * wide, "attention writes dq, dk, dv side by side"))
    step.linear_backward(b, "query, key, value", o.tokens, o.hidden, 3 * o.hidden, n)


def ends(step):
    o = step.options
    fp32 = o.tokens * o.hidden * FP32
    table = o.vocabulary * o.hidden * FP32
    # Rows of words, and the output; positions stay in the cache. Back: gradient and rows of words, the gradient of the sum,
    # which is read again for each of two tables, and that of the words, zero at first.
    step.memory("embeddings", "forward", 1.5 * fp32)
    step.memory("embeddings", "backward: residual addition", 1.5 * fp32, 1,
                (0.5 * fp32, "residual gradient added in that of the embeddings"))
    step.memory("embeddings", "backward: norm, dropout", 2.5 * fp32)
    step.memory("embeddings", "backward: sums by word and position", 2 * fp32 + 2 * table)
    rows = int(o.tokens * o.predicted)
    narrow, logits = rows * o.hidden * BF16, rows * o.vocabulary * BF16
    step.matmul("head", "dense", rows, o.hidden, o.hidden)
    step.memory("head", "gather, gelu, norm and back", 20 * narrow)
    step.linear_backward("head", "dense", rows, o.hidden, o.hidden, 1)
    step.matmul("head", "logits", rows, o.hidden, o.vocabulary)
    # The second reading of a row is out of the cache.
    step.memory("head", "cross-entropy", 2 * logits)
    step.memory("head", "bias of the logits", logits)
    step.linear_backward("head", "logits", rows, o.hidden, o.vocabulary, 1)
    parameters = o.layers * (4 * o.hidden**2 + 2 * o.hidden * o.inner) + o.vocabulary * o.hidden
    # Norm of the gradients; then weights, gradients and two moments read, all but gradients written, and bf16 weights.
    step.memory("optimizer", "AdamW with clipping", parameters * (8 * FP32 + BF16))


def main():
    options = parse()
    step = Step(options)
    layers(step)
    ends(step)
    total = sum(seconds for _, _, seconds, _ in step.rows)
    groups = collections.OrderedDict()
    for group, name, seconds, times in step.rows:
        groups[group] = groups.get(group, 0.0) + seconds
        print(f"{group:18s} {name:42s} {times:4d} x {seconds / times * 1e6:8.1f} us {seconds * 1e3:8.2f} ms")
    print()
    for group, seconds in groups.items():
        print(f"{group:18s} {seconds * 1e3:8.2f} ms {seconds / total:7.1%}")
    print(f"{'step':18s} {total * 1e3:8.2f} ms: {options.tokens / total:,.0f} tokens/s, MFU {step.useful / PEAK / total:.1%}\n")
    saved = options.layers * (zeroed_sums(options, True) - zeroed_sums(options, False)) / options.bandwidth
    print(f"With devices.deterministic: false the attention saves {saved * 1e3:.2f} ms ({saved / total:.1%}).\n")
    print("Done by fewer instructions, and what it saves:")
    for kernel, seconds in sorted(step.saved.items(), key=lambda one: -one[1]):
        print(f"  {kernel:52s} {seconds * 1e3:6.2f} ms {seconds / total:7.1%}")
    print("Not done, and what it would save:")
    for change, seconds in sorted(step.savings.items(), key=lambda one: -one[1]):
        print(f"  {change:52s} {seconds * 1e3:6.2f} ms {seconds / total:7.1%}")
    left = total - sum(step.savings.values())
    print(f"  {'all of them':52s} {(total - left) * 1e3:6.2f} ms: MFU {step.useful / PEAK / left:.1%}")
    print("Not done, and guessed, because it cannot be tried without a GPU:")
    for change, milliseconds in GUESSED.items():
        print(f"  {change:52s} {milliseconds} ms at the default sizes")


if __name__ == "__main__":
    main()
