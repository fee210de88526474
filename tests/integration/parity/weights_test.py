# SPDX-License-Identifier: GPL-3.0-or-later
"""Same weights, same logits, loss and gradients as transformers; folders go both ways.  Usage: weights_test.py MODEL_TOOL"""
from judge import *

# fp32 sums in another order: the judge itself differs by a few 1e-6 between its attention implementations.
LOGITS, LOSS, GRADIENT = 1e-4, 1e-4, 1e-4
# Gradients that are zero in exact arithmetic (a key's bias shifts all scores alike) are rounding noise on both sides.
NOISE = 1e-6


def judged(theirs, one, width=None):
    theirs.zero_grad()
    given = padded(one, width)
    out = theirs(**given)
    out.loss.backward()
    logits = torch.cat([out.logits[r, places] for r, places in enumerate(one["positions"])])
    gradients = {n.replace("decoder.bias", "bias"): p.grad.clone() for n, p in theirs.named_parameters() if p.grad is not None}
    return out.loss.item(), logits.detach(), gradients


def compare(checks, name, theirs, one, ours, loss, width=None):
    their_loss, their_logits, their_gradients = judged(theirs, one, width)
    checks.below(f"{name} logits", float((ours["logits"] - their_logits).abs().max()), LOGITS)
    checks.below(f"{name} loss", abs(loss - their_loss) / their_loss, LOSS)
    largest = max(float(g.abs().max()) for g in their_gradients.values())
    for parameter, gradient in their_gradients.items():
        if float(gradient.abs().max()) < NOISE * largest:
            checks.below(f"{name} no gradient of {parameter}", float(ours["gradient." + parameter].abs().max()), largest * 1e-5)
        else:
            checks.below(f"{name} gradient of {parameter}", relative(ours["gradient." + parameter], gradient), GRADIENT)


def round_trip(checks, name, folder, one, width=None, **changes):
    """Theirs to ours, ours computed, ours back to theirs, computed again."""
    theirs = model(**changes)
    theirs.save_pretrained(folder / "theirs")
    out = folder / "out.safetensors"
    job = {"mode": "gradients", "folder": str(folder / "theirs"), "out": str(out), "export": str(folder / "ours"),
           "steps": [[one]], "tie_word_embeddings": changes.get("tie_word_embeddings", True),
           "hidden_act": changes.get("hidden_act", "gelu")}
    loss = run_tool(job)[0]["loss"]
    ours = load_file(out)
    compare(checks, name, theirs, one, ours, loss, width)
    back, told = BertForMaskedLM.from_pretrained(folder / "ours", output_loading_info=True, attn_implementation="eager")
    checks.equal(f"{name} missing after export", sorted(told["missing_keys"]), [])
    checks.equal(f"{name} unexpected after export", sorted(told["unexpected_keys"]), [])
    compare(checks, name + ", exported,", back.float().train(), one, ours, loss, width)
    for key, value in theirs.state_dict().items():
        checks.equal(f"{name} {key} after both ways", bool(torch.equal(back.state_dict()[key], value)), True)


def old_names(checks, folder):
    """A file as the first BERT releases wrote it: gamma and beta, no "bert." before, pooler, next-sentence head."""
    theirs = model(seed=5)
    theirs.save_pretrained(folder / "new")
    tensors = load_file(folder / "new" / "model.safetensors")
    renamed = {}
    for name, value in tensors.items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        renamed[name.removeprefix("bert.")] = value
    renamed["pooler.dense.weight"] = torch.randn(48, 48)
    renamed["pooler.dense.bias"] = torch.randn(48)
    renamed["cls.seq_relationship.weight"] = torch.randn(2, 48)
    renamed["cls.seq_relationship.bias"] = torch.randn(2)
    (folder / "old").mkdir()
    save_file(renamed, folder / "old" / "model.safetensors")
    (folder / "old" / "config.json").write_text((folder / "new" / "config.json").read_text())
    one = batch([7, 12], 3)
    job = {"mode": "gradients", "folder": str(folder / "old"), "out": str(folder / "old.safetensors"),
           "export": str(folder / "again"), "steps": [[one]]}
    loss = run_tool(job)[0]["loss"]
    compare(checks, "old names", theirs, one, load_file(folder / "old.safetensors"), loss)
    again = load_file(folder / "again" / "model.safetensors")
    for old, new in (("pooler.dense.weight", "bert.pooler.dense.weight"),
                     ("cls.seq_relationship.bias", "cls.seq_relationship.bias")):
        checks.equal(f"{new} kept", bool(new in again and torch.equal(again[new], renamed[old])), True)


checks = Checks()
one = batch([23, 5, 17, 9, 31, 3], 2)
cases = {
    "no padding": dict(one=batch([16, 16, 16], 1)),
    "padded to the longest": dict(one=one),
    "padded far beyond": dict(one=one, width=60),
    "gelu_new": dict(one=one, hidden_act="gelu_new"),
    "relu": dict(one=one, hidden_act="relu"),
    "untied": dict(one=one, tie_word_embeddings=False),
    "one layer": dict(one=one, num_hidden_layers=1),
    "odd sizes": dict(one=one, hidden_size=35, num_attention_heads=5, intermediate_size=77),
}
for name, case in cases.items():
    with temporary_folder() as folder:
        round_trip(checks, name, pathlib.Path(folder), case.pop("one"), case.pop("width", None), **case)
with temporary_folder() as folder:
    old_names(checks, pathlib.Path(folder))
checks.finish()
