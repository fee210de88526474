# SPDX-License-Identifier: GPL-3.0-or-later
"""A model of every family that the program trained gives the same top five in transformers as `fill-mask`, also after it
was continued from the exported folder, with WordPiece and byte-level BPE; and a run says what of its folder it does not
use.  Usage: fill_mask_test.py BATCHWISE"""
import sys

from judge import *

TEXT = "the [MASK] of the [MASK] was"
SIZES = "hidden_size: 48, num_attention_heads: 2, num_hidden_layers: 4, intermediate_size: 72"
FAMILIES = ["bert", "roberta", "xlm-roberta", "modernbert", "eurobert"]


def compare(checks, folder, name, checkpoint=()):
    batchwise(folder, "export", name, "--hf", f"{name}-out", "--force", *checkpoint)
    ours = json.loads(batchwise(folder, "fill-mask", name, TEXT, "--top", "5", "--json", *checkpoint))["masks"]
    theirs = fill_mask(folder / f"{name}-out", TEXT)
    checks.equal(f"{name} masks", len(ours), len(theirs))
    for mask, (own, best) in enumerate(zip(ours, theirs)):
        checks.equal(f"{name} top five of mask {mask}", [one["token"] for one in own], [token for token, _ in best])
        checks.below(f"{name} probabilities of mask {mask}",
                     max(abs(one["probability"] - value) for one, (_, value) in zip(own, best)), 1e-6)


def has_vectors(checks, folder, name):
    """The folder for sentence-transformers: its encoder is read without a warning and gives the hidden states of the model."""
    target = folder / f"{name}-vectors"
    batchwise(folder, "export", name, "--sentence-transformers", target)
    encoder, report = AutoModel.from_pretrained(target, output_loading_info=True)
    checks.equal(f"{name}: tensors of the encoder", [sorted(report[key]) for key in (
        "missing_keys", "unexpected_keys", "mismatched_keys")], [[], [], []])
    given = AutoTokenizer.from_pretrained(target)("the cat and the dog", return_tensors="pt")
    whole = AutoModelForMaskedLM.from_pretrained(folder / f"{name}-out").eval()
    with torch.no_grad():
        states = encoder.eval()(**given).last_hidden_state
        checks.below(f"{name}: hidden states", relative(states, whole.base_model(**given).last_hidden_state), 1e-5)
    modules = json.loads((target / "modules.json").read_text())
    checks.equal(f"{name}: modules", [one["path"] for one in modules], ["", "1_Pooling"])
    pooling = json.loads((target / "1_Pooling" / "config.json").read_text())
    checks.equal(f"{name}: pooling", (pooling["word_embedding_dimension"], pooling["pooling_mode_mean_tokens"]), (48, True))
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return
    vector = SentenceTransformer(str(target), device="cpu").encode("the cat and the dog", convert_to_tensor=True)
    checks.below(f"{name}: vector", relative(vector, states[0].mean(0)), 1e-5)


def continued(checks, folder, family):
    """From the export, then from its encoder alone."""
    notes = train(folder, f"{family}-again", f"init_from: {family}-out", " ")
    checks.equal(f"{family} from its export: notes", [n for n in notes if "head" in n or "not used" in n], [])
    compare(checks, folder, f"{family}-again")
    AutoModel.from_pretrained(folder / f"{family}-out").save_pretrained(folder / "encoder")
    notes = train(folder, f"{family}-encoder", "init_from: encoder", f"tokenizer: {{path: {family}-out}}\n")
    checks.equal(f"{family} from its encoder: says what is missing",
                 any("start untrained" in n or "copy of the word embeddings" in n for n in notes), True)


checks = Checks()
for family in sys.argv[2:] or FAMILIES:
    with temporary_folder() as folder:
        folder = pathlib.Path(folder)
        train(folder, family, f"family: {family}, {SIZES}")
        compare(checks, folder, family)
        takes_pairs(checks, family, folder / f"{family}-out")
        has_vectors(checks, folder, family)
        continued(checks, folder, family)
        if family == "modernbert":
            train(folder, "bytes", f"family: {family}, {SIZES}", "tokenizer: {train: {kind: byte_bpe, vocab_size: 400}}\n")
            compare(checks, folder, "bytes")
            takes_pairs(checks, "bytes", folder / "bytes-out")
            averaged = json.loads(batchwise(folder, "checkpoints", "average", family, "--last", "3", "--json"))
            compare(checks, folder, family, ("--checkpoint", averaged["checkpoint"]["id"]))
            train(folder, "larger", f"tile_from: {family}-out, hidden_size: 60, num_attention_heads: 3, "
                  "num_hidden_layers: 7, intermediate_size: 90, pad_vocab_to_multiple_of: 64",
                  f"tokenizer: {{path: {family}-out}}\n")
            compare(checks, folder, "larger")
checks.finish()
