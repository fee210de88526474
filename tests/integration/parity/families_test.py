# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family computes what transformers computes, or for NeoBERT what neobert.py does: logits, loss, gradients and 20
steps of AdamW, at lengths around the window. A BERT comes back as it was, also from a file of the first releases, and the
parts of a step give the gradient of the whole.  Usage: families_test.py MODEL_TOOL [CASE...]"""
import sys

from judge import *
from neobert import NeoBert

# fp32 sums in another order: the judge itself differs by a few 1e-6 between its attention implementations. Gradients that
# are zero in exact arithmetic (a key's bias shifts all scores alike) are rounding noise on both sides.
LOGITS, LOSS, GRADIENT, NOISE = 1e-4, 1e-4, 1e-4, 1e-6
STEPS, STEP_LOSS, NORM, ACCUMULATION = 20, 1e-4, 1e-3, 1e-5
VOCABULARY, LONGEST = 199, 300
ADAMW = dict(lr=1e-3, beta1=0.9, beta2=0.98, eps=1e-6, weight_decay=0.01)
SIZES = dict(vocab_size=VOCABULARY, hidden_size=48, num_hidden_layers=5, num_attention_heads=4, intermediate_size=77,
             attn_implementation="eager")
NO_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
# Ids of words never meet them: transformers gives a padding token no gradient as an input.
TOKENS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)


def bert(**changes):
    return fresh("bert", **{**SIZES, **NO_DROPOUT, "max_position_embeddings": LONGEST, **changes})


def roberta(family="roberta", **changes):
    return fresh(family, **{**SIZES, **NO_DROPOUT, "max_position_embeddings": LONGEST + 2, "type_vocab_size": 1,
                            "layer_norm_eps": 1e-5, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, **changes})


def modernbert(**changes):
    return fresh("modernbert", **{
        **SIZES, **TOKENS, "cls_token_id": 1, "sep_token_id": 2, "max_position_embeddings": 512, "local_attention": 128,
        "attention_dropout": 0.0, "mlp_dropout": 0.0, "embedding_dropout": 0.0, **changes})


def eurobert(**changes):
    return fresh("eurobert", **{
        **SIZES, **TOKENS, "mask_token_id": 4, "num_key_value_heads": 2, "max_position_embeddings": 512,
        "rope_parameters": {"rope_type": "default", "rope_theta": 250000.0}, **changes})


def neobert(**changes):
    sizes = {name: size for name, size in SIZES.items() if name != "attn_implementation"}
    return NeoBert(**{**sizes, "intermediate_size": 110, **changes})  # 73 features, rounded up to 80


def given(theirs, one, width):
    made = padded(one, width)
    made["input_ids"].masked_fill_(made["attention_mask"] == 0, theirs.config.pad_token_id or 0)
    return made


def our_name(name, theirs):
    names = {"cls.predictions.decoder.bias": "cls.predictions.bias", "lm_head.decoder.bias": "lm_head.bias"}
    if theirs.config.tie_word_embeddings:  # XLM-R lists what is tied under the decoder's name
        names["lm_head.decoder.weight"] = "roberta.embeddings.word_embeddings.weight"
    return names.get(name, name)


def our_rows(name, gradient, theirs):
    """Files of NeoBERT hold query, key and value head by head, a model in memory all queries, all keys, all values."""
    if not name.endswith(".qkv.weight"):
        return gradient
    return gradient.unflatten(0, (theirs.config.num_attention_heads, 3, -1)).transpose(0, 1).flatten(0, 2)


def judged(theirs, one, width=None):
    theirs.zero_grad()
    out = theirs(**given(theirs, one, width))
    out.loss.backward()
    logits = torch.cat([out.logits[r, places] for r, places in enumerate(one["positions"])])
    return out.loss.item(), logits.detach(), {our_name(n, theirs): our_rows(n, p.grad.clone(), theirs)
                                              for n, p in theirs.named_parameters() if p.grad is not None}


def agrees(checks, name, theirs, one, ours, loss, width=None):
    their_loss, their_logits, their_gradients = judged(theirs, one, width)
    checks.below(f"{name} logits", float((ours["logits"] - their_logits).abs().max()), LOGITS)
    checks.below(f"{name} loss", abs(loss - their_loss) / their_loss, LOSS)
    largest = max(float(g.abs().max()) for g in their_gradients.values())
    checks.equal(f"{name} tensors", sorted(n for n in ours if n.startswith("gradient.")),
                 sorted("gradient." + n for n in their_gradients))
    for parameter, gradient in their_gradients.items():
        found = ours.get("gradient." + parameter)
        if found is None:
            continue
        if float(gradient.abs().max()) < NOISE * largest:
            checks.below(f"{name} no gradient of {parameter}", float(found.abs().max()), largest * 1e-5)
        else:
            checks.below(f"{name} gradient of {parameter}", relative(found, gradient), GRADIENT)


def computed(folder, steps, **more):
    """The tensors and the loss of a step of the model in `start`."""
    out = folder / "out.safetensors"
    loss = run_tool({"mode": "gradients", "folder": str(folder / "start"), "out": str(out), "steps": [steps], **more})[0]["loss"]
    return load_file(out), loss


def compare(checks, name, folder, theirs, one, width=None):
    theirs.save_pretrained(folder / "start")
    ours, loss = computed(folder, [one], export=str(folder / "exported"))
    agrees(checks, name, theirs, one, ours, loss, width)
    if not name.startswith("bert"):
        return  # their padding tokens have other ids than the tokenizer of model_tool
    back, told = AutoModelForMaskedLM.from_pretrained(folder / "exported", output_loading_info=True,
                                                      attn_implementation="eager")
    checks.equal(f"{name} after export", (sorted(told["missing_keys"]), sorted(told["unexpected_keys"])), ([], []))
    agrees(checks, name + " exported,", back.float().train(), one, ours, loss, width)
    for key, value in theirs.state_dict().items():
        checks.equal(f"{name} {key} after both ways", bool(torch.equal(back.state_dict()[key], value)), True)


def train(checks, name, folder, theirs, clip=1.0):
    theirs.save_pretrained(folder / "start")
    batches = [batch([9, 70, 64, 140, 6, 31], seed) for seed in range(STEPS)]
    ours = run_tool(dict(mode="train", folder=str(folder / "start"), steps=[[one] for one in batches], grad_clip_norm=clip,
                         **ADAMW))
    named = dict(theirs.named_parameters())
    plain = [p for p in named.values() if p.dim() == 1]
    decayed = [p for p in named.values() if p.dim() > 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": ADAMW["weight_decay"]},
                                   {"params": plain, "weight_decay": 0.0}], lr=ADAMW["lr"],
                                  betas=(ADAMW["beta1"], ADAMW["beta2"]), eps=ADAMW["eps"])
    checks.equal(f"{name} steps made", len(ours), STEPS)
    for number, (line, one) in enumerate(zip(ours, batches)):
        optimizer.zero_grad()
        loss = theirs(**given(theirs, one, None)).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(theirs.parameters(), clip or float("inf")).item()
        optimizer.step()
        what = f"{name}, clip {clip}, step {number}: "
        checks.below(f"{what}{line['loss']} and {loss.item()}", abs(line["loss"] - loss.item()) / loss.item(), STEP_LOSS)
        checks.below(f"{what}norm", abs(line["grad_norm"] - norm) / norm, NORM)


def accumulation(checks, folder):
    """The parts of a step give its gradient. Unequal lengths, so unequal numbers of predicted tokens."""
    filled(bert(), seed=8).save_pretrained(folder / "start")
    whole = batch([5, 30, 12, 41, 8, 3, 22, 17], 4)
    cut = lambda a, b: {**{key: rows[a:b] for key, rows in whole.items()}, "first_place": a}
    for dropout in (0.0, 0.1):
        step = lambda ends: computed(folder, [cut(a, b) for a, b in zip([0, *ends], ends)], hidden_dropout_prob=dropout,
                                     attention_probs_dropout_prob=dropout)
        expected, expected_loss = step([8])
        largest = max(float(g.abs().max()) for n, g in expected.items() if n.startswith("gradient."))
        for ends in ([2, 4, 6, 8], [1, 6, 8]):
            tensors, loss = step(ends)
            checks.below(f"parts to {ends}, dropout {dropout}: loss", abs(loss - expected_loss) / expected_loss, ACCUMULATION)
            for key, value in expected.items():
                if float(value.abs().max()) > 1e-6 * largest:
                    checks.below(f"parts to {ends}, dropout {dropout}: {key}", relative(tensors[key], value), ACCUMULATION)


def old_names(checks, folder):
    """A file as the first BERT releases wrote it: gamma and beta, no "bert." before, pooler, next-sentence head."""
    theirs = filled(bert(), seed=5)
    theirs.save_pretrained(folder / "start")
    renamed = {}
    for name, value in load_file(folder / "start" / "model.safetensors").items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        renamed[name.removeprefix("bert.")] = value
    for part, *shape in (("pooler.dense", 48), ("cls.seq_relationship", 2)):
        renamed[f"{part}.weight"], renamed[f"{part}.bias"] = torch.randn(*shape, 48), torch.randn(*shape)
    save_file(renamed, folder / "start" / "model.safetensors")
    one = batch([7, 12], 3)
    agrees(checks, "old names", theirs, one, *computed(folder, [one], export=str(folder / "again")))
    again = load_file(folder / "again" / "model.safetensors")
    for old, new in (("pooler.dense.weight", "bert.pooler.dense.weight"),
                     ("cls.seq_relationship.bias", "cls.seq_relationship.bias")):
        checks.equal(f"{new} kept", bool(new in again and torch.equal(again[new], renamed[old])), True)


CASES = {
    "bert": bert,
    "roberta": roberta,
    "xlm-roberta": lambda: roberta("xlm-roberta"),
    "modernbert": modernbert,
    "modernbert, odd window": lambda: modernbert(local_attention=7),
    "modernbert, windows in the last layer": lambda: modernbert(num_hidden_layers=3),
    "modernbert, one layer": lambda: modernbert(num_hidden_layers=1),
    "eurobert": eurobert,
    "eurobert, one key head": lambda: eurobert(num_key_value_heads=1),
    "eurobert, tied": lambda: eurobert(tie_word_embeddings=True),
    "neobert": neobert,
    "neobert, other theta and eps": lambda: neobert(rope_theta=700.0, norm_eps=1e-3),
    "roberta, untied": lambda: roberta(tie_word_embeddings=False),
}
# Not trained.
VARIANTS = {
    "bert, gelu_new": dict(hidden_act="gelu_new"),
    "bert, relu": dict(hidden_act="relu"),
    "bert, untied": dict(tie_word_embeddings=False),
    "bert, one layer": dict(num_hidden_layers=1),
    "bert, odd sizes": dict(hidden_size=35, num_attention_heads=5),
}
BATCHES = {
    "around the window": dict(lengths=[63, 64, 65, 127, 128, 129, 300]),
    "of one length": dict(lengths=[129, 129]),
    "padded far beyond": dict(lengths=[65, 5, 31, 3], width=290),
}

checks = Checks()
chosen = sys.argv[2:]
for name, made in CASES.items():
    if chosen and not any(name.startswith(c) for c in chosen):
        continue
    with temporary_folder() as folder:
        folder = pathlib.Path(folder)
        theirs = filled(made())
        for kind, one in BATCHES.items():
            compare(checks, f"{name}, {kind},", folder, theirs, batch(one["lengths"], 2), one.get("width"))
        train(checks, name, folder, theirs)
        if name == "bert":
            train(checks, name, folder, filled(made()), clip=0.0)
for name, changes in VARIANTS.items():
    if chosen and not any(name.startswith(c) for c in chosen):
        continue
    with temporary_folder() as folder:
        compare(checks, name, pathlib.Path(folder), filled(bert(**changes)), batch([23, 5, 17, 9, 31, 3], 2), 60)
for part in (accumulation, old_names):
    with temporary_folder() as folder:
        part(checks, pathlib.Path(folder))
checks.finish()
