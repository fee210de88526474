# SPDX-License-Identifier: GPL-3.0-or-later
"""Every family computes what transformers computes, or for NeoBERT what neobert.py does: logits, loss, gradients and 20
steps, at lengths around the window.
Usage: families_test.py MODEL_TOOL"""
import sys

from judge import *
from neobert import NeoBert
from transformers import (EuroBertConfig, EuroBertForMaskedLM, ModernBertConfig, ModernBertForMaskedLM, RobertaConfig,
                          RobertaForMaskedLM, XLMRobertaConfig, XLMRobertaForMaskedLM)

LOGITS, LOSS, GRADIENT, NOISE = 1e-4, 1e-4, 1e-4, 1e-6
STEPS, STEP_LOSS = 20, 1e-4
VOCABULARY, LONGEST = 199, 300
ADAMW = dict(lr=1e-3, beta1=0.9, beta2=0.98, eps=1e-6, weight_decay=0.01)
SIZES = dict(vocab_size=VOCABULARY, hidden_size=48, num_hidden_layers=5, num_attention_heads=4, intermediate_size=77,
             attn_implementation="eager")
# Ids of words never meet them: transformers gives a padding token no gradient as an input.
TOKENS = dict(pad_token_id=0, bos_token_id=1, eos_token_id=2)


def bert(**changes):
    return BertForMaskedLM(config(**{**SIZES, "max_position_embeddings": LONGEST, **changes}))


def roberta(made=RobertaForMaskedLM, of=RobertaConfig, **changes):
    return made(of(**{**SIZES, "max_position_embeddings": LONGEST + 2, "type_vocab_size": 1, "hidden_dropout_prob": 0.0,
                      "attention_probs_dropout_prob": 0.0, "layer_norm_eps": 1e-5, "bos_token_id": 0, "pad_token_id": 1,
                      "eos_token_id": 2, **changes}))


def xlm_roberta(**changes):
    return roberta(XLMRobertaForMaskedLM, XLMRobertaConfig, **changes)


def modernbert(**changes):
    return ModernBertForMaskedLM(ModernBertConfig(**{
        **SIZES, **TOKENS, "cls_token_id": 1, "sep_token_id": 2, "max_position_embeddings": 512, "local_attention": 128,
        "attention_dropout": 0.0, "mlp_dropout": 0.0, "embedding_dropout": 0.0, **changes}))


def eurobert(**changes):
    return EuroBertForMaskedLM(EuroBertConfig(**{
        **SIZES, **TOKENS, "mask_token_id": 4, "num_key_value_heads": 2, "max_position_embeddings": 512,
        "rope_parameters": {"rope_type": "default", "rope_theta": 250000.0}, **changes}))


def neobert(**changes):
    sizes = {name: size for name, size in SIZES.items() if name != "attn_implementation"}
    return NeoBert(**{**sizes, "intermediate_size": 110, **changes})  # 73 features, rounded up to 80


def filled(made, seed=1):
    """Weights large enough for every part to matter."""
    torch.manual_seed(seed)
    made = made.float().train()
    with torch.no_grad():
        for name, weight in made.named_parameters():
            spread = 0.15 if weight.dim() > 1 else 0.1
            weight.copy_(torch.randn_like(weight) * spread + ("norm" in name.lower() and name.endswith("weight")))
        # An untied decoder reads its own bias only; a file may have it under both names.
        for head, bias in (("cls", "predictions"), ("lm_head", None)):
            part = getattr(made, head, None)
            part = getattr(part, bias, part) if bias else part
            if getattr(part, "bias", None) is not None and hasattr(part, "decoder"):
                part.bias.copy_(part.decoder.bias)
    return made


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


def compare(checks, name, folder, theirs, one, width=None):
    theirs.save_pretrained(folder / "start")
    out = folder / "out.safetensors"
    loss = run_tool({"mode": "gradients", "folder": str(folder / "start"), "out": str(out), "steps": [[one]]})[0]["loss"]
    ours = load_file(out)
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


def train(checks, name, folder, theirs):
    theirs.save_pretrained(folder / "start")
    batches = [batch([9, 70, 64, 140, 6, 31], seed) for seed in range(STEPS)]
    ours = run_tool(dict(mode="train", folder=str(folder / "start"), steps=[[one] for one in batches], **ADAMW))
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
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.step()
        checks.below(f"{name} step {number}: {line['loss']} and {loss.item()}",
                     abs(line["loss"] - loss.item()) / loss.item(), STEP_LOSS)


CASES = {
    "bert": bert,
    "roberta": roberta,
    "xlm-roberta": xlm_roberta,
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
checks.finish()
