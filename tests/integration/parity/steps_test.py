# SPDX-License-Identifier: GPL-3.0-or-later
"""20 AdamW steps from equal weights on equal batches give the losses of PyTorch and transformers, and accumulation gives
the gradient of the whole batch.  Usage: steps_test.py MODEL_TOOL"""
from judge import *

STEPS, LOSS, NORM, ACCUMULATION = 20, 1e-4, 1e-3, 1e-5
ADAMW = dict(lr=1e-3, beta1=0.9, beta2=0.98, eps=1e-6, weight_decay=0.01)


def their_groups(theirs):
    plain = [p for n, p in theirs.named_parameters() if n.endswith(".bias") or "LayerNorm" in n]
    decayed = [p for n, p in theirs.named_parameters() if not (n.endswith(".bias") or "LayerNorm" in n)]
    return [{"params": decayed, "weight_decay": ADAMW["weight_decay"]}, {"params": plain, "weight_decay": 0.0}]


def their_training(theirs, batches, clip):
    optimizer = torch.optim.AdamW(their_groups(theirs), lr=ADAMW["lr"], betas=(ADAMW["beta1"], ADAMW["beta2"]),
                                  eps=ADAMW["eps"])
    lines = []
    for one in batches:
        optimizer.zero_grad()
        loss = theirs(**padded(one)).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(theirs.parameters(), clip if clip > 0 else float("inf"))
        optimizer.step()
        lines.append((loss.item(), norm.item()))
    return lines


def training(checks, folder, clip):
    theirs = model(seed=7)
    theirs.save_pretrained(folder / "start")
    batches = [batch([9, 21, 14, 30, 6, 11], seed) for seed in range(STEPS)]
    job = dict(mode="train", folder=str(folder / "start"), steps=[[one] for one in batches], grad_clip_norm=clip, **ADAMW)
    ours = run_tool(job)
    checks.equal("steps made", len(ours), STEPS)
    for number, (line, (loss, norm)) in enumerate(zip(ours, their_training(theirs, batches, clip))):
        checks.below(f"clip {clip}, step {number}: loss {line['loss']} and {loss}", abs(line["loss"] - loss) / loss, LOSS)
        checks.below(f"clip {clip}, step {number}: norm", abs(line["grad_norm"] - norm) / norm, NORM)


def accumulation(checks, folder):
    """Unequal lengths, so unequal numbers of predicted tokens."""
    model(seed=8).save_pretrained(folder / "start")
    whole = batch([5, 30, 12, 41, 8, 3, 22, 17], 4)
    cut = lambda a, b: {**{key: rows[a:b] for key, rows in whole.items()}, "first_place": a}
    results = []
    for name, parts in (("whole", [cut(0, 8)]), ("parts", [cut(0, 2), cut(2, 4), cut(4, 6), cut(6, 8)]),
                        ("uneven", [cut(0, 1), cut(1, 6), cut(6, 8)])):
        for dropout in (0.0, 0.1):
            out = folder / f"{name}{dropout}.safetensors"
            loss = run_tool(dict(mode="gradients", folder=str(folder / "start"), out=str(out), steps=[parts],
                                 hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout))[0]["loss"]
            results.append((name, dropout, loss, load_file(out)))
    for name, dropout, loss, tensors in results[2:]:
        _, _, whole_loss, whole_tensors = results[0 if dropout == 0 else 1]
        checks.below(f"{name}, dropout {dropout}: loss", abs(loss - whole_loss) / whole_loss, ACCUMULATION)
        largest = max(float(g.abs().max()) for n, g in whole_tensors.items() if n.startswith("gradient."))
        for key, value in whole_tensors.items():
            if float(value.abs().max()) > 1e-6 * largest:
                checks.below(f"{name}, dropout {dropout}: {key}", relative(tensors[key], value), ACCUMULATION)


checks = Checks()
for clip in (0.0, 1.0):
    with temporary_folder() as folder:
        training(checks, pathlib.Path(folder), clip)
with temporary_folder() as folder:
    accumulation(checks, pathlib.Path(folder))
checks.finish()
