#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Encodes texts with the fast BertTokenizer of Hugging Face, as the reference for core/text/wordpiece.

    wordpiece_judge.py encode VOCAB lower|cased TEXTS IDS    ids of each text, without [CLS] and [SEP]
    wordpiece_judge.py vocabulary lower|cased TEXTS VOCAB    a vocabulary in which every normalized character has ids of
                                                             its own, so that no difference hides behind [UNK]
    wordpiece_judge.py vectors VECTORS                       writes tests/vectors/wordpiece.json

TEXTS and IDS are JSON arrays.
"""
import json
import sys
import tempfile

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VECTOR_PIECES = (
    "the fox ##es run ##s un ##aff ##able want ##ed , . ! ? ' - # ## [ ] ( ) mask ##mask sep caf ##e e ##u ##x a ##a b "
    "##b c ##c i ##i o ##o n ##n ss stra ##ss ##\u00df k \u00e9 caf\u00e9 \u4e2d \u6587 \u1112 ##\u1161 ##\u11ab \uac00 "
    "\u0431 ##\u0438 \u03c3 ##\u03c3 ##\u03c2 \u00bf = \u3002 \u0e01 ##\u0e33 \U0001d538 \U0001f600 T ##he The A ##X 1 "
    "##2 ##3 2 $ + ~ ` ^ | < > unk \u1e9e \u0130 \u00c9").split()
VECTOR_TEXTS = [
    "", " ", "the foxes run.", "The FOX runs!", "unaffable", "unwanted", "UNAffable,wanted", "caf\u00e9", "cafe\u0301",
    "Caf\u00c9s", "stra\u00dfe \u1e9e", "\u0130i I", "\u4e2d\u6587a\u4e2d", "a\u4e2d b", "\ud55c \ud558\ub098", "\uac00",
    "\u00bfthe?", "a\u2260b", "a\u0000b", "a\ufffdb", "a\u200bb", "a\u200db", "a\u00adb", "a\u2028b", "a\u00a0b", "a\u3000b",
    "a\u0085b", "a\tb\nc\rd", "\u03a3\u03c3\u03c2", "\u0431\u0439", "\u212a", "\ufb01", "\u2160", "a" * 100, "a" * 101,
    "b" * 99 + "\u00e9", "\u00e9" * 100, "\u00e9" * 101, "[MASK]", "the [MASK] runs", "a[MASK]b", "[mask]", "[ MASK ]",
    "[CLS]a[SEP]", "[UNK] unk", "a[PAD]", "[[MASK]]", "1 2 $123", "+~`^|<>=", "-#-", "##a", "'t", "\U0001d538",
    "\U0001f600\U0001f600 \U0001f600", "\u0e01\u0e33", "\u1e69", "s\u0323\u0307", "\u0344a", "\u1b44\u302e a",
    "a\u302e\u1b44b", "a\u302e\u0344\u1b44b", "a\u302e\u0903\u1b44b", "\uf900", "\u2f800\u4e00", "\U0002f801", "\U0002b820",
    "\U0001d15e\U0001d165\U0001d16d", "\u0600a", "\u180ea", "\U000e0001a", "\ue000a", "\U0010ffffa", "\u1f600 \u3002",
]


def tokenizer(vocab, case):
    from transformers import BertTokenizerFast
    return BertTokenizerFast(vocab=vocab, do_lower_case=case == "lower")


def encode(tok, texts):
    return [encoding.ids for encoding in tok.backend_tokenizer.encode_batch(texts, add_special_tokens=False)]


def full_vocabulary(case, texts):
    from tokenizers import normalizers
    # None: as lowercase says, which is how BertTokenizer sets it.
    normalizer = normalizers.BertNormalizer(lowercase=case == "lower", strip_accents=None)
    characters = sorted(set("".join(normalizer.normalize_str(text) for text in texts)) - set(" \n"))
    return SPECIAL + characters + ["##" + c for c in characters]


def write_vectors(path):
    vectors = {"fields": {"pieces": "the vocabulary behind the five special tokens [PAD] [UNK] [CLS] [SEP] [MASK]",
                          "lower, cased": "ids of each text with and without lowercase, special tokens in it recognized"},
               "pieces": VECTOR_PIECES, "texts": VECTOR_TEXTS}
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as vocab:
        vocab.write("".join(token + "\n" for token in SPECIAL + VECTOR_PIECES))
        vocab.flush()
        for case in ("lower", "cased"):
            vectors[case] = encode(tokenizer(vocab.name, case), VECTOR_TEXTS)
    with open(path, "w", encoding="ascii") as out:
        json.dump(vectors, out, indent=None, separators=(",", ":"))
        out.write("\n")


def main(argv):
    if argv[0] == "vectors":
        return write_vectors(argv[1])
    if argv[0] == "vocabulary":
        _, case, texts, vocab = argv
        tokens = full_vocabulary(case, json.load(open(texts, encoding="utf-8")))
        with open(vocab, "w", encoding="utf-8", newline="\n") as out:
            out.write("".join(token + "\n" for token in tokens))
        return
    _, vocab, case, texts, ids = argv
    with open(ids, "w", encoding="ascii") as out:
        json.dump(encode(tokenizer(vocab, case), json.load(open(texts, encoding="utf-8"))), out)


if __name__ == "__main__":
    main(sys.argv[1:])
