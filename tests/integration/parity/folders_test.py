# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of every family go both ways: what transformers saves is read, and what is written loads there without a
warning or a missing key, with equal tensors and equal logits.  Usage: folders_test.py FOLDER_TOOL"""
import contextlib
import io
import logging
import os
import subprocess
import sys
import warnings

from judge import *

SIZES = dict(vocab_size=71, hidden_size=20, num_hidden_layers=5, num_attention_heads=2, intermediate_size=33,
             attn_implementation="eager")
# The ids that the tool's tokenizer has: padding at 0, or at 1 for roberta.
FIRST = dict(pad_token_id=0, bos_token_id=2, eos_token_id=3)
SECOND = dict(pad_token_id=1, bos_token_id=2, eos_token_id=3)


def made(family, **config):
    return filled(fresh(family, **SIZES | config), seed=3).eval()


def bert(**changes):
    return made("bert", max_position_embeddings=40, pad_token_id=0, **changes)


def roberta(family="roberta", **changes):
    return made(family, **SECOND, max_position_embeddings=42, type_vocab_size=1, **changes)


def modernbert(**changes):
    return made("modernbert", **FIRST, cls_token_id=2, sep_token_id=3, local_attention=6, max_position_embeddings=77,
                rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 80000.0},
                                 "sliding_attention": {"rope_type": "default", "rope_theta": 5000.0}}, **changes)


def eurobert(**changes):
    return made("eurobert", **FIRST, mask_token_id=4, num_key_value_heads=1, max_position_embeddings=77,
                rope_parameters={"rope_type": "default", "rope_theta": 9000.0}, **changes)


CASES = {
    "bert": bert,
    "bert, untied": lambda: bert(tie_word_embeddings=False),
    "roberta": roberta,
    "roberta, untied": lambda: roberta(tie_word_embeddings=False),
    "xlm-roberta": lambda: roberta("xlm-roberta"),
    "modernbert": modernbert,
    "modernbert, untied": lambda: modernbert(tie_word_embeddings=False),
    "modernbert, every second layer": lambda: modernbert(layer_types=["full_attention", "sliding_attention"] * 2 +
                                                         ["full_attention"]),
    "eurobert": eurobert,
    "eurobert, tied": lambda: eurobert(tie_word_embeddings=True),
}


def tool(*arguments):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout.splitlines(), done.stderr


@contextlib.contextmanager
def collected():
    """What transformers says while a model loads: logged, warned or printed."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    logger = logging.getLogger("transformers")  # set up when the library was imported
    printing = logger.handlers[:]
    for printed in printing:
        logger.removeHandler(printed)
    logger.addHandler(handler)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield lambda: said.getvalue() + "".join(str(w.message) for w in warned)
    logger.removeHandler(handler)
    for printed in printing:
        logger.addHandler(printed)


def loaded(checks, name, folder):
    with collected() as said:
        made, report = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True, attn_implementation="eager")
    for key in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        checks.equal(f"{name} {key}", sorted(report[key]), [])
    checks.equal(f"{name} warnings", said(), "")
    return made.float().eval()


def logits(made, pad, vocabulary=71):
    torch.manual_seed(4)
    ids = torch.randint(5, vocabulary, (2, 21))
    mask = torch.ones_like(ids)
    ids[1, 15:] = pad
    mask[1, 15:] = 0
    with torch.no_grad():
        return made(input_ids=ids, attention_mask=mask).logits[mask.bool()]


def copied(checks, name, source, target, pad, *more):
    code, notes, error = tool(source, target, pad, *more)
    checks.equal(f"{name} tool", (code, error), (0, ""))
    return notes


def compare(checks, name, theirs, back, pad):
    ours, given = back.state_dict(), theirs.state_dict()
    checks.equal(f"{name} names", sorted(ours), sorted(given))
    for key, value in given.items():
        if key in ours:
            checks.equal(f"{name} {key}", bool(torch.equal(ours[key].float(), value.float())), True)
    checks.below(f"{name} logits", float((logits(back, pad) - logits(theirs, pad)).abs().max()), 1e-5)
    for key in ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size",
                "max_position_embeddings", "layer_types", "rope_parameters", "norm_eps", "rms_norm_eps", "layer_norm_eps",
                "local_attention", "tie_word_embeddings", "hidden_act", "hidden_activation", "pad_token_id", "vocab_size",
                "type_vocab_size", "initializer_range"):
        checks.equal(f"{name} config {key}", getattr(back.config, key, None), getattr(theirs.config, key, None))


def both_ways(checks, name, make, folder):
    theirs = make()
    pad = theirs.config.pad_token_id
    theirs.save_pretrained(folder / "theirs")
    notes = copied(checks, name, folder / "theirs", folder / "ours", pad)
    checks.equal(f"{name} notes", [n for n in notes if "attention_probs" not in n], [])
    compare(checks, name, theirs, loaded(checks, name, folder / "ours"), pad)

    theirs.save_pretrained(folder / "shards", max_shard_size="20KB")
    checks.equal(f"{name} is in shards", (folder / "shards" / "model.safetensors.index.json").exists(), True)
    copied(checks, f"{name} of shards", folder / "shards", folder / "whole", pad)
    compare(checks, f"{name} of shards", theirs, loaded(checks, name, folder / "whole"), pad)

    for dtype in (torch.bfloat16, torch.float16):
        theirs.to(dtype).save_pretrained(folder / "half")
        half = AutoModelForMaskedLM.from_pretrained(folder / "half", dtype=torch.float32, attn_implementation="eager")
        copied(checks, f"{name} {dtype}", folder / "half", folder / "single", pad)
        compare(checks, f"{name} {dtype}", half.eval(), loaded(checks, name, folder / "single"), pad)


def without_head(checks, name, make, folder):
    theirs = make()
    theirs.save_pretrained(folder / "whole")
    with collected():
        AutoModel.from_pretrained(folder / "whole").save_pretrained(folder / "encoder")
    notes = copied(checks, f"{name} encoder", folder / "encoder", folder / "ours", theirs.config.pad_token_id)
    # A tied eurobert has no head of its own.
    checks.equal(f"{name} tells that the head is missing", any("untrained" in n or "output layer" in n for n in notes),
                 name != "eurobert, tied")
    with collected():
        back, report = AutoModelForMaskedLM.from_pretrained(folder / "ours", output_loading_info=True)
    if hasattr(theirs, "model"):
        encoder, given = back.model.state_dict(), theirs.model.state_dict()
    else:
        encoder, given = back.base_model.state_dict(), theirs.base_model.state_dict()
    for key, value in given.items():
        checks.equal(f"{name} encoder {key}", bool(torch.equal(encoder[key], value)), True)


def extended(checks, name, make, folder):
    theirs = make()
    theirs.save_pretrained(folder / "theirs")
    notes = copied(checks, f"{name} extended", folder / "theirs", folder / "ours", theirs.config.pad_token_id, 80)
    checks.equal(f"{name} tells the new tokens", any("9 new tokens" in n for n in notes), True)
    back = loaded(checks, f"{name} extended", folder / "ours")
    words, given = back.get_input_embeddings().weight.detach(), theirs.get_input_embeddings().weight.detach()
    checks.equal(f"{name} known rows", bool(torch.equal(words[:71], given)), True)
    checks.below(f"{name} new rows", float((words[71:] - given.mean(0)).abs().max()), 1e-6)
    pad = theirs.config.pad_token_id
    checks.below(f"{name} logits of known tokens", float((logits(back, pad)[:, :71] - logits(theirs, pad)).abs().max()), 1e-5)


def roberta_with_another_pad(checks, folder):
    """Positions start after the padding token's id: with another id other rows must hold the same positions."""
    theirs = roberta()
    theirs.save_pretrained(folder / "theirs")
    copied(checks, "roberta, pad 0", folder / "theirs", folder / "ours", 0)
    back = loaded(checks, "roberta, pad 0", folder / "ours")
    torch.manual_seed(4)
    ids = torch.randint(5, 71, (2, 21))
    with torch.no_grad():
        difference = back(input_ids=ids).logits - theirs(input_ids=ids).logits
    checks.below("roberta, pad 0, logits", float(difference.abs().max()), 1e-5)


def old_spellings(checks, folder):
    theirs = modernbert()
    theirs.save_pretrained(folder / "theirs")
    path = folder / "theirs" / "config.json"
    settings = json.loads(path.read_text())
    for key in ("layer_types", "rope_parameters", "dtype"):
        del settings[key]
    settings.update(global_attn_every_n_layers=3, global_rope_theta=80000.0, local_rope_theta=5000.0,
                    torch_dtype="float32", reference_compile=False, layer_norm_eps=1.0)
    path.write_text(json.dumps(settings))
    copied(checks, "old spellings", folder / "theirs", folder / "ours", 0)
    compare(checks, "old spellings", theirs, loaded(checks, "old spellings", folder / "ours"), 0)


def tiled(checks, folder):
    """A model tiled to its own size is the same; to a larger one it holds the smaller in the middle."""
    theirs = modernbert()
    theirs.save_pretrained(folder / "theirs")
    same = "{hidden_size: 20, num_hidden_layers: 5, num_attention_heads: 2, intermediate_size: 33, " \
           "local_attention: 6, rope_theta: 80000, local_rope_theta: 5000, max_position_embeddings: 77}"
    copied(checks, "tiled to itself", folder / "theirs", folder / "same", 0, 71, same)
    compare(checks, "tiled to itself", theirs, loaded(checks, "tiled to itself", folder / "same"), 0)
    larger = same.replace("hidden_size: 20", "hidden_size: 28").replace("num_hidden_layers: 5", "num_hidden_layers: 7")
    copied(checks, "tiled", folder / "theirs", folder / "larger", 0, 71, larger)
    back = loaded(checks, "tiled", folder / "larger")
    wide, narrow = back.model.layers[6].attn.Wqkv.weight, theirs.model.layers[4].attn.Wqkv.weight
    for part in range(3):
        checks.equal(f"tiled part {part}", bool(torch.equal(wide[part * 28 + 4:part * 28 + 24, 4:24],
                                                            narrow[part * 20:part * 20 + 20])), True)


class Code:
    def __reduce__(self):
        return os.mkdir, ("was-run",)


def pickled(checks, folder):
    """Files of torch.save() are read as what they hold, and refused where that is more than tensors."""
    theirs, source = bert(), folder / "theirs"
    theirs.save_pretrained(source)
    (source / "model.safetensors").unlink()
    state = theirs.state_dict()
    state["bert.embeddings.position_ids"] = torch.arange(40).expand((1, -1))  # as older versions have it
    parts = [{key: value for i, (key, value) in enumerate(state.items()) if i % 2 == part} for part in (0, 1)]

    def read(name, changed, model=theirs, **how):
        torch.save(changed, source / "pytorch_model.bin", **how)
        copied(checks, name, source, folder / "ours", 0)
        compare(checks, name, model, loaded(checks, name, folder / "ours"), 0)

    read("pickle", state)
    read("old pickle", state, _use_new_zipfile_serialization=False)
    read("pickled parameters", dict(theirs.named_parameters()))
    read("pickled views", {key: value.t().contiguous().t() for key, value in theirs.state_dict().items()})
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        narrow = bert().to(dtype)
        read(f"pickled {dtype}", narrow.state_dict(), narrow.float() if dtype != torch.float64 else theirs)
    for what, says in ((theirs, "BertForMaskedLM'"), ({"model": state}, '"model" is no tensor'),
                       ({"a": Code()}, "posix.mkdir'"), ({"a": torch.arange(3).int()}, "torch.IntStorage")):
        for zipped in (True, False):
            torch.save(what, source / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
            code, _, error = tool(source, folder / "ours")
            checks.equal(f"refuses {says}", (code, "pytorch_model.bin" in error, says in error), (1, True, True))
    checks.equal("nothing was run", os.path.exists("was-run"), False)
    (source / "pytorch_model.bin").unlink()
    index = {"metadata": {}, "weight_map": {}}
    for name, part in zip(("pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"), parts):
        torch.save(part, source / name)
        index["weight_map"].update({key: name for key in part})
    (source / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    copied(checks, "pickled shards", source, folder / "ours", 0)
    compare(checks, "pickled shards", theirs, loaded(checks, "pickled shards", folder / "ours"), 0)


def sentence_transformer(checks, folder):
    """Of a sentence-transformers folder the Transformer is read, wherever it lies."""
    theirs = bert().bert
    for place in ("", "0_Transformer"):
        source = folder / f"theirs{place}"
        theirs.save_pretrained(source / place)
        kind = "sentence_transformers.models."
        (source / "modules.json").write_text(json.dumps([
            {"idx": 0, "name": "0", "path": place, "type": kind + "Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": kind + "Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": kind + "Normalize"}]))
        notes = copied(checks, f"sentences {place}", source, folder / "ours", 0)
        checks.equal(f"sentences {place} notes", ["Pooling, Normalize are left out" in notes[0], "untrained" in notes[1]],
                     [True, True])
        with collected():
            back = AutoModel.from_pretrained(folder / "ours", attn_implementation="eager").eval()
        ids = torch.arange(5, 35).reshape(2, 15)
        with torch.no_grad():
            difference = back(ids).last_hidden_state - theirs(ids).last_hidden_state
        checks.below(f"sentences {place} hidden states", float(difference.abs().max()), 1e-5)


checks = Checks()
for name, make in CASES.items():
    with temporary_folder() as folder:
        both_ways(checks, name, make, pathlib.Path(folder))
    with temporary_folder() as folder:
        without_head(checks, name, make, pathlib.Path(folder))
    with temporary_folder() as folder:
        extended(checks, name, make, pathlib.Path(folder))
for part in (roberta_with_another_pad, old_spellings, tiled, pickled, sentence_transformer):
    with temporary_folder() as folder:
        part(checks, pathlib.Path(folder))
checks.finish()
