#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/data/unicode_tables.h: what the parts of a tokenizer.json take each Unicode code point for.

The reference is Hugging Face's `tokenizers`, which is asked for every code point: its regular expressions, its normal
forms and its lower case carry Unicode tables of different versions, which no single library has. What cannot be asked
for directly (the classes behind grapheme clusters) comes from the package `regex`, corrected by what the reference
answers about every pair that it can be asked about.

    .deps/venv/bin/python core/data/tools/make_unicode_tables.py > core/data/unicode_tables.h
"""
import base64
import json
import struct
import sys

import regex
import tokenizers
from make_bert_tables import CODE_POINTS, HANGUL, fold_runs, value_ranges
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

NFD, NFC, NFKD, NFKC = normalizers.NFD(), normalizers.NFC(), normalizers.NFKD(), normalizers.NFKC()
LOWER, STRIP_ACCENTS, STRIP = normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Strip()

FLAGS = ["Letter", "Number", "Space", "Word", "Numeric", "Punctuation", "Nonspacing"]
CLUSTERS = ["Control", "Extend", "Joiner", "Spacing", "Prepend", "Regional", "L", "V", "T", "LV", "LVT", "Pictographic",
            "Consonant", "Linker", "ConjunctExtend"]  # numbered from 1


def removes(pattern):
    """Whether a regular expression matches the code point."""
    split = pre_tokenizers.Split(Regex(pattern), "removed")
    return lambda c: [text for text, _ in split.pre_tokenize_str(chr(c))] == []


def pieces(pre_tokenizer):
    return lambda text: [piece for piece, _ in pre_tokenizer.pre_tokenize_str(text)]


def flags_of():
    letter, number, space = removes(r"\p{L}"), removes(r"\p{N}"), removes(r"\s")
    byte_level = pieces(pre_tokenizers.ByteLevel(add_prefix_space=False))
    words, digits = pieces(pre_tokenizers.Whitespace()), pieces(pre_tokenizers.Digits())
    punctuation, white = pieces(pre_tokenizers.Punctuation()), pieces(pre_tokenizers.WhitespaceSplit())
    flags = {}
    for c in CODE_POINTS:
        x = chr(c)
        found = set()
        if letter(c):
            found.add("Letter")
        if number(c):
            found.add("Number")
        if space(c):
            found.add("Space")
        # The pattern of ByteLevel has classes of the same version.
        assert (len(byte_level("a" + x)) == 1) == ("Letter" in found), hex(c)
        assert (len(byte_level("1" + x)) == 1) == ("Number" in found), hex(c)
        assert (white(x) == []) == ("Space" in found), hex(c)
        assert (STRIP.normalize_str(x) == "") == ("Space" in found), hex(c)
        framed = words("a" + x + "b")
        if len(framed) == 1:
            found.add("Word")
        assert len(framed) != 2 or "Space" in found, hex(c)
        if len(digits("a" + x)) == 2:
            found.add("Numeric")
        if len(punctuation("a" + x)) == 2:
            found.add("Punctuation")
        if STRIP_ACCENTS.normalize_str(x) == "":
            found.add("Nonspacing")
        flags[c] = sum(1 << FLAGS.index(name) for name in found)
    return flags


def removing_tail(text):
    """A normalizer of type Precompiled that turns `text`, and clusters of less than six bytes that begin so, into "X"."""
    # A trie of one path as darts-clone lays it out: a child stands at offset ^ label, a value at offset ^ 0.
    path = text.encode()
    units = {0: 256 << 10}
    for depth, byte in enumerate(path):
        offset, below = 256 * (depth + 1), 256 * (depth + 2)
        last = depth == len(path) - 1
        units[offset ^ byte] = byte | (1 << 8 if last else 0) | ((offset ^ byte) ^ below) << 10
        if last:
            units[below] = 1 << 31  # place 0 of the replacements
    size = 256 * (len(path) + 2)
    trie = b"".join(struct.pack("<I", units.get(i, 0)) for i in range(size))
    blob = struct.pack("<I", len(trie)) + trie + b"X\0"
    state = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
             "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(blob).decode()},
             "pre_tokenizer": None, "post_processor": None, "decoder": None,
             "model": {"type": "WordPiece", "unk_token": "u", "continuing_subword_prefix": "##",
                       "max_input_chars_per_word": 100, "vocab": {"u": 0}}}
    return Tokenizer.from_str(json.dumps(state)).normalizer


def clusters_of():
    classes = {}

    def take(name, pattern):
        matches = regex.compile(pattern).match
        for c in CODE_POINTS:
            if c not in classes and matches(chr(c)):
                classes[c] = name

    take("Joiner", r"\p{GCB=ZWJ}")
    take("Linker", r"\p{InCB=Linker}")
    take("Consonant", r"\p{InCB=Consonant}")
    take("Extend", r"\p{GCB=Extend}")
    for name, gcb in (("Control", "Control"), ("Control", "CR"), ("Control", "LF"), ("Spacing", "SpacingMark"),
                      ("Prepend", "Prepend"), ("Regional", "RI"), ("L", "L"), ("V", "V"), ("T", "T"), ("LV", "LV"),
                      ("LVT", "LVT")):
        take(name, rf"\p{{GCB={gcb}}}")
    take("Pictographic", r"\p{Extended_Pictographic}")
    conjunct = regex.compile(r"\p{InCB=Extend}").match
    for c in CODE_POINTS:
        if classes.get(c) == "Extend" and conjunct(chr(c)):
            classes[c] = "ConjunctExtend"
    # The reference turns a cluster of less than six bytes into what its first character becomes: with "a" -> "X", a
    # character that joins "a" disappears, and so does "a" behind one that joins what follows (as far as that is in the
    # table).
    joins = removing_tail("a")
    behind = {}
    for c in CODE_POINTS:
        if len(chr(c).encode()) + 1 < 6 and c > 0x7F:
            behind[c] = joins.normalize_str("a" + chr(c)) == "X"
    names = ("Extend", "ConjunctExtend", "Joiner", "Spacing", "Linker")
    corrected = 0
    for c, joined in behind.items():
        known = classes.get(c) in names
        if joined and not known:
            classes[c] = "Extend"
            corrected += 1
        if not joined and known:
            del classes[c]
            corrected += 1
    for c in [c for c, name in classes.items() if name == "Prepend"]:
        if removing_tail(chr(c)).normalize_str(chr(c) + "a") != "X":
            del classes[c]
            corrected += 1
    return classes, corrected


def mark_ranks():
    """Code points with a canonical combining class, with a rank from 1 that orders them as the classes do."""
    low, high = "\u0334", "\u0345"  # of the lowest and of the highest class
    moves = lambda a, b: a != b and NFD.normalize_str(a + b) == b + a
    marks = [chr(c) for c in CODE_POINTS if NFD.normalize_str(chr(c)) == chr(c)
             and (chr(c) in (low, high) or moves(chr(c), low) or moves(high, chr(c)))]
    counts = {a: sum(moves(a, b) for b in marks) for a in marks}
    dense = {count: rank for rank, count in enumerate(sorted(set(counts.values())), 1)}
    return {ord(a): dense[count] for a, count in counts.items()}


def decompositions(form):
    found = {}
    for c in CODE_POINTS:
        text = form.normalize_str(chr(c))
        if text != chr(c) and c not in HANGUL:
            found[c] = [ord(x) for x in text]
    return found


def compositions(canonical):
    """Pairs of code points that NFC makes one."""
    pairs = {}
    for c, parts in canonical.items():
        if len(parts) < 2:
            continue
        first = NFC.normalize_str("".join(map(chr, parts[:-1])))
        if len(first) == 1 and NFC.normalize_str(first + chr(parts[-1])) == chr(c):
            pairs[(ord(first), parts[-1])] = c
        else:
            assert NFC.normalize_str(chr(c)) != chr(c), hex(c)
    return pairs


def rows(cells, width=114):
    lines, line = [], ""
    for cell in cells:
        if len(line) + len(cell) + 1 > width:
            lines.append(line)
            line = ""
        line += ("" if not line else " ") + cell + ","
    return "\n    ".join(lines + [line])


def array(type_name, name, cells):
    return f"inline constexpr {type_name} {name}[] = {{\n    {rows(cells)}}};\n"


def hexes(values):
    return ",".join(f"0x{v:X}" for v in values)


def main():
    flags = flags_of()
    clusters, corrected = clusters_of()
    classes = {}
    for c in CODE_POINTS:
        value = flags[c] | (CLUSTERS.index(clusters[c]) + 1 if c in clusters else 0) << 8
        if value:
            classes[c] = value
    canonical, compatible = decompositions(NFD), decompositions(NFKD)
    only_compatible = {c: parts for c, parts in compatible.items() if canonical.get(c) != parts}
    assert set(canonical) <= set(compatible)
    pairs = compositions(canonical)
    lower = {c: LOWER.normalize_str(chr(c)) for c in CODE_POINTS}
    lower = {c: text for c, text in lower.items() if text != chr(c)}
    single = {c: ord(text) for c, text in lower.items() if len(text) == 1}
    several = {c: text for c, text in lower.items() if len(text) != 1}
    assert list(several) == [0x130], several
    print(f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Made by core/data/tools/make_unicode_tables.py from the answers of `tokenizers` {tokenizers.__version__}; do not edit.
// The properties behind them come from the Unicode Character Database (Unicode License V3, unicode.org/license.txt).
#pragma once

#include "core/data/unicode.h"

// clang-format off
namespace batchwise::unicode {{

/// Code points that have a class; a value holds the bits of CharClass, and a ClusterClass in its upper byte.""")
    print(array("ClassRange", "kClassRanges", [f"{{{hexes(r)}}}" for r in value_ranges(classes)]))
    print("/// Lower case, as runs of code points with a stride. U+0130, which becomes two, is not among them.")
    print(array("LowerRun", "kLowerRuns", [f"{{0x{a:X},0x{b:X},{s},{d}}}" for a, b, s, d in fold_runs(single)]))
    print("/// Canonical combining classes, as ranks.")
    print(array("MarkRange", "kMarkRanges", [f"{{{hexes(r)}}}" for r in value_ranges(mark_ranks())]))
    print("/// Decompositions one behind the other: code point, length, code points. Without the syllables of Hangul.")
    flat = lambda found: [hexes([c, len(parts)] + parts) for c, parts in sorted(found.items())]
    print(array("std::uint32_t", "kCanonicalDecompositions", flat(canonical)))
    print("/// As far as they differ from the canonical ones.")
    print(array("std::uint32_t", "kCompatibilityDecompositions", flat(only_compatible)))
    print("/// First, second, composed.")
    print(array("std::uint32_t", "kCompositions", [hexes([*pair, c]) for pair, c in sorted(pairs.items())]))
    print(f"}}  // namespace batchwise::unicode\n// clang-format on")
    print(f"{corrected} classes of clusters corrected", file=sys.stderr)


if __name__ == "__main__":
    main()
