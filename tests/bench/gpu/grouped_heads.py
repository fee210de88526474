# SPDX-License-Identifier: GPL-3.0-or-later
"""Is the gradient of PyTorch's flash attention right for grouped heads where each sequence has one query? It is called as
core/model/cuda_backend.cpp does, told that the longest sequence has two queries, and compared with plain operations in fp32.
Told the truth, one, it swaps groups for queries in the forward pass, and its backward pass does not know: that is shown,
and is no fault of ours. Prints a JSON object for each finding; none without a GPU."""
import json

import torch

SEQUENCES, LENGTH, HEADS, GROUPS, WIDTH = 8, 9, 8, 2, 64
ALLOWED = 2e-2  # relative: bf16 has 8 bits
NAMES = ("output", "gradient of q", "of k", "of v")


def flash(q, k, v, outer, queries, keys, longest):
    a = torch.ops.aten
    scale = WIDTH**-0.5
    out, sums, state, unused, _ = a._flash_attention_forward(q, k, v, queries, keys, longest, LENGTH, 0.0, False, False,
                                                            scale=scale)
    return out, *a._flash_attention_backward(outer, q, k, v, out, sums, queries, keys, longest, LENGTH, 0.0, False, state,
                                             unused, scale=scale)


def plain(q, k, v, outer, queries, keys):
    """In fp32, sequence by sequence, with autograd's gradients."""
    q, k, v = (one.float().requires_grad_() for one in (q, k, v))
    outputs = []
    for sequence in range(SEQUENCES):
        own = slice(queries[sequence], queries[sequence + 1])
        seen = slice(keys[sequence], keys[sequence + 1])
        key, value = (one[seen].repeat_interleave(HEADS // GROUPS, dim=1) for one in (k, v))
        shares = torch.einsum("qhd,khd->hqk", q[own], key).mul(WIDTH**-0.5).softmax(-1)
        outputs.append(torch.einsum("hqk,khd->qhd", shares, value))
    out = torch.cat(outputs)
    out.backward(outer.float())
    return out, q.grad, k.grad, v.grad


def tell(what, bad_is_bad, tensors, truth, counts, longest):
    try:
        found = flash(*tensors, *(torch.tensor(one, dtype=torch.int32, device="cuda") for one in counts), longest)
        apart = [((one.float() - other).norm() / other.norm()).item() for one, other in zip(found, truth)]
        wrong = not all(one <= ALLOWED for one in apart)
        value = f"{max(apart):.4f} apart"
        note = ", ".join(f"{name} {one:.4f}" for name, one in zip(NAMES, apart))
    except RuntimeError as problem:
        wrong, value, note = True, "throws", str(problem).splitlines()[0][:120]
    print(json.dumps(dict(what=what, value=value, note=note, bad=wrong and bad_is_bad)), flush=True)


def main():
    if not torch.cuda.is_available():
        return
    torch.manual_seed(1)
    keys = list(range(0, (SEQUENCES + 1) * LENGTH, LENGTH))
    drawn = lambda rows, heads: torch.randn(rows, heads, WIDTH, device="cuda", dtype=torch.bfloat16)
    k, v = drawn(keys[-1], GROUPS), drawn(keys[-1], GROUPS)
    for longest in (2, 1):  # what may break the GPU comes last
        for name, queries in [("one query each", list(range(SEQUENCES + 1))),
                              ("a sequence has none", [0, 1, 1, *range(2, SEQUENCES)])]:
            tensors = drawn(queries[-1], HEADS), k, v, drawn(queries[-1], HEADS)
            truth = [one.detach() for one in plain(*tensors, queries, keys)]
            tell(f"{name}, told {longest}", longest == 2, tensors, truth, (queries, keys), longest)


main()
