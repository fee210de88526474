# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes small tokenizers with the parts of each published family, trained on given text, as `tokenizers` objects.

    .deps/venv/bin/python tests/integration/parity/tokenizer_kinds.py tests/vectors/tokenizers.json

writes the vectors of tests/text/tokenizer_test.cpp: tokenizers, texts, and the ids that `tokenizers` gives them.
"""
import json
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIZE = 6000
ROBERTA_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def edited(tokenizer, change):
    """The tokenizer after `change` has been applied to its JSON."""
    state = json.loads(tokenizer.to_str())
    change(state)
    return Tokenizer.from_str(json.dumps(state))


def byte_level(lines, special, size=None, normalizer=None, pre_tokenizer=None, **model):
    made = Tokenizer(models.BPE(**model))
    size = size or SIZE
    if normalizer is not None:
        made.normalizer = normalizer
    made.pre_tokenizer = pre_tokenizer or pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    return made


def frame(tokenizer, first, last, separator=None):
    ids = [(name, tokenizer.token_to_id(name)) for name in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", pair=f"{first} $A {last} {separator or ''}$B:1 {last}:1", special_tokens=ids)
    return tokenizer


def roberta(lines):
    made = byte_level(lines, ROBERTA_SPECIAL)
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    return made


def modernbert(lines):
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    made = byte_level(lines, special, normalizer=normalizers.NFC())
    made.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False)])
    made.add_tokens([AddedToken(" " * n, normalized=True, special=False) for n in range(24, 1, -1)])
    made.add_tokens([AddedToken("|||EMAIL_ADDRESS|||", normalized=True), AddedToken("caf\u00e9au", normalized=True),
                     AddedToken("[unused0]", normalized=False), AddedToken("Whole", single_word=True),
                     AddedToken("trail", rstrip=True, normalized=True), AddedToken("around", lstrip=True, rstrip=True)])
    return frame(made, "[CLS]", "[SEP]")


def eurobert(lines):
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|mask|>", "<|reserved_special_token_0|>"]
    made = byte_level(lines, special, pre_tokenizer=pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]))
    dropped = SIZE // 20  # without these merges whole words are tokens that no merge makes

    def ignore_merges(state):
        state["model"]["ignore_merges"] = True
        state["model"]["merges"] = state["model"]["merges"][:-dropped]

    return frame(edited(made, ignore_merges), "<|begin_of_text|>", "<|end_of_text|>")


def qwen(lines):
    special = ["<|begin_of_text|>", "<|end_of_text|>", "<|mask|>"]
    made = byte_level(lines, special, normalizer=normalizers.NFKC(), pre_tokenizer=pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN2), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]))
    return frame(made, "<|begin_of_text|>", "<|end_of_text|>")


def character_bpe(lines, special, bytes_too=True, **options):
    made = Tokenizer(models.BPE(unk_token="<unk>", **options))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    extra = [f"<0x{b:02X}>" for b in range(256)] if bytes_too else []
    made.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=SIZE, special_tokens=special + extra,
                                                        limit_alphabet=200, show_progress=False))

    def plain_bytes(state):
        state["added_tokens"] = [t for t in state["added_tokens"] if t["content"] not in extra]

    return edited(made, plain_bytes)


def mmbert(lines):
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    made = character_bpe(lines, special, byte_fallback=True, fuse_unk=True)
    made.normalizer = normalizers.Replace(" ", "\u2581")
    made.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    made.add_tokens([AddedToken("\n" * n, normalized=False) for n in range(2, 6)])
    made.add_tokens([AddedToken("\u2581" * n, normalized=False) for n in range(2, 9)])
    return frame(made, "<bos>", "<eos>")


def fused_unknown(lines):
    """Characters without byte tokens, where adjacent unknown ones are one token."""
    made = character_bpe(lines, ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"], bytes_too=False, fuse_unk=True)
    made.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    made.pre_tokenizer = None
    return frame(made, "<bos>", "<eos>")


def unigram(lines, normalizer, pre_tokenizer, byte_fallback=False):
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    made.train_from_iterator(lines, trainers.UnigramTrainer(vocab_size=SIZE, special_tokens=special, unk_token="<unk>",
                                                            show_progress=False))

    def finish(state):
        state["model"]["byte_fallback"] = byte_fallback
        if byte_fallback:
            state["model"]["vocab"] += [[f"<0x{b:02X}>", -30.0 - b] for b in range(256)]

    made = edited(made, finish)
    if normalizer is not None:
        made.normalizer = normalizer
    made.pre_tokenizer = pre_tokenizer
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    return frame(made, "<s>", "</s>", "</s> ")


def precompiled(charsmap):
    state = json.loads(Tokenizer(models.Unigram()).to_str())
    state["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    return Tokenizer.from_str(json.dumps(state)).normalizer


def xlm_roberta(lines, charsmap):
    return unigram(lines, precompiled(charsmap), pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]))


def spm_like(lines, charsmap):
    return unigram(lines, normalizers.Sequence([
        precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip(left=False, right=True)]),
        pre_tokenizers.Metaspace(prepend_scheme="always"), byte_fallback=True)


def metaspace_first(lines):
    return unigram(lines, normalizers.NFKD(), pre_tokenizers.Metaspace(prepend_scheme="first"))


def wordpiece(lines, normalizer, pre_tokenizer, special=BERT_SPECIAL):
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizer, pre_tokenizer
    made.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=special,
                                                              limit_alphabet=300, show_progress=False))
    return frame(made, "[CLS]", "[SEP]")


def bert(lines):
    return wordpiece(lines, normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer())


def bert_extended(lines):
    """More added tokens than BERT's five: no vocab.txt says as much."""
    made = wordpiece(lines, normalizers.BertNormalizer(lowercase=False), pre_tokenizers.BertPreTokenizer())
    made.add_tokens([AddedToken("covid-19", single_word=True, normalized=False)])
    return made


def german_bert(lines):
    made = wordpiece(lines, normalizers.BertNormalizer(lowercase=True, strip_accents=False),
                     pre_tokenizers.BertPreTokenizer())
    made.add_tokens([AddedToken("GmbH & Co", normalized=True)])
    return made


def plain_words(lines):
    return wordpiece(lines, normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.NFD(),
                                                  normalizers.StripAccents(), normalizers.Strip()]),
                     pre_tokenizers.Whitespace())


def digits_apart(lines):
    return wordpiece(lines, normalizers.Replace(Regex(r"\s+"), " "), pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True),
         pre_tokenizers.Punctuation("merged_with_previous")]))


def digits_together(lines):
    return wordpiece(lines, normalizers.NFD(), pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(r"\s+"), "removed"), pre_tokenizers.Digits(individual_digits=False),
         pre_tokenizers.Split("-", "merged_with_next"), pre_tokenizers.Punctuation("contiguous")]))


KINDS = {make.__name__: make for make in (
    roberta, modernbert, eurobert, qwen, mmbert, fused_unknown, bert, bert_extended, german_bert, plain_words,
    digits_apart, digits_together, metaspace_first, xlm_roberta, spm_like)}


def all_kinds(lines, charsmap, wanted=None):
    """(name, tokenizer) of each kind, or of the wanted ones."""
    for name in wanted or KINDS:
        make = KINDS[name]
        more = (charsmap,) if make in (xlm_roberta, spm_like) else ()
        yield name, make(lines, *more)


VECTOR_LINES = ["The quick brown foxes' tails weren't there; they've gone 1,234 times over the lazy dogs.",
                "Ein Gl\u00fcck, da\u00df der caf\u00e9au offen ist! It's 2024-05-17 @ 12:30", "the whole of the text is here, and there"]
VECTOR_TEXTS = VECTOR_LINES + [
    "", " ", "  ", "   a    b", "a\tb\r\n\r\nc", "don't DON'T we'LL '\u017f", "12345 1 22 333", "caf\u00e9 cafe\u0301 \u00c9", "\ufb01 \u2460 \uff21\u3000b",
    "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab", "\u4e2d\u6587\uff0c", "\U0001f468\u200d\U0001f469 \U0001f600", "\u2581a \u2581\u2581b", "a\u00a0b\u2003c", "[MASK] a [MASK]b", "a <mask> b<mask>",
    "x[SEP]</s><eos><|end_of_text|>", "Whole whole Wholes", "a trail  b around c", "|||EMAIL_ADDRESS|||", "GmbH & Co, gmbh & co", "\n\n\n x", "\u0130\u1e9e\u03a3", "\u0600a e\u0301\u0327",
    "q" * 70, "\ufffd\u0000", "--- ... !?", "the-quick-brown 3\u0663\u00bd"]


def write_vectors(path):
    global SIZE
    SIZE = 400
    kinds = {}
    for name, tokenizer in all_kinds(VECTOR_LINES * 3, None, ["roberta", "modernbert", "eurobert", "qwen", "mmbert",
                                                              "fused_unknown", "german_bert", "plain_words",
                                                              "digits_apart", "digits_together", "metaspace_first"]):
        kinds[name] = {"file": json.loads(tokenizer.to_str()),
                       "ids": [e.ids for e in tokenizer.encode_batch(VECTOR_TEXTS, add_special_tokens=False)]}
    with open(path, "w", encoding="ascii") as out:
        json.dump({"fields": {"file": "tokenizer.json", "ids": "of each text, added tokens in it recognized"},
                   "texts": VECTOR_TEXTS, "kinds": kinds}, out, separators=(",", ":"))
        out.write("\n")


if __name__ == "__main__":
    write_vectors(sys.argv[1])
