#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/text/unicode_tables.h: what BERT's tokenizer and the parts of a tokenizer.json take each code point for.

The reference is Hugging Face's `tokenizers`, which is asked for every code point: its regular expressions, its normal
forms, its lower case and its BertNormalizer carry Unicode tables of different versions, which no single library has
(ICU, Python). What cannot be asked for directly (the classes behind grapheme clusters) comes from the package `regex`,
corrected by what the reference answers about every pair that it can be asked about. What follows from other tables
(BERT's folding, the pairs of NFC) is only checked here.

    .deps/venv/bin/python core/text/tools/make_unicode_tables.py > core/text/unicode_tables.h
"""
import base64
import json
import struct
import sys

import regex
import tokenizers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

NFD, NFC, NFKD, NFKC = normalizers.NFD(), normalizers.NFC(), normalizers.NFKD(), normalizers.NFKC()
LOWER, STRIP_ACCENTS, STRIP = normalizers.Lowercase(), normalizers.StripAccents(), normalizers.Strip()

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xAC00 + 11172)
# The bits of CharClass; from 256 on stands the class of clusters.
FLAGS = {"Letter": 1, "Number": 2, "Space": 4, "Word": 8, "Numeric": 16, "Punctuation": 32, "Nonspacing": 64,
         "Stripped": 128, "Removed": 0x1000, "Cjk": 0x2000}
CLUSTERS = ["Control", "Extend", "Joiner", "Spacing", "Prepend", "Regional", "L", "V", "T", "LV", "LVT", "Pictographic",
            "Consonant", "Linker", "ConjunctExtend"]  # numbered from 1


def bert(**on):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **on})


CLEAN, CJK, FOLD = bert(clean_text=True), bert(handle_chinese_chars=True), bert(strip_accents=True, lowercase=True)
SPLIT = pre_tokenizers.BertPreTokenizer()


def value_ranges(values):
    """[(first, last, value)] of equal neighbors; `values` maps code points, absent ones break a range."""
    ranges = []
    for c in sorted(values):
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == values[c]:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, values[c]])
    return ranges


def delta_runs(mapping, fewest=1):
    """[(first, last, stride, delta)]: code points first, first + stride, ... last become themselves plus delta. Takes
    those out of `mapping` that are in a run of at least `fewest`."""
    todo = dict(sorted(mapping.items()))
    runs = []
    for c in list(todo):
        if c not in todo:
            continue
        delta = todo[c] - c
        best = (c, 1)
        for stride in (1, 2):
            last = c
            while todo.get(last + stride, -1) - (last + stride) == delta and last + stride in todo:
                last += stride
            if last > best[0]:
                best = (last, stride)
        last, stride = best
        run = range(c, last + 1, stride)
        for x in run:
            del todo[x]
        if len(run) >= fewest:
            runs.append((c, last, stride, delta))
            for x in run:
                del mapping[x]
    return runs


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
        found |= bert_flags(c, found)
        flags[c] = sum(FLAGS[name] for name in found)
    return flags


def bert_flags(c, found):
    """What BertNormalizer has of its own. Its white space and the punctuation of its splitter are those `found`."""
    framed = "a" + chr(c) + "b"
    cleaned = CLEAN.normalize_str(framed)
    flags = {"Stripped"} if fold(chr(c)) == "" else set()
    if cleaned == "ab":
        return flags | {"Removed"}
    assert cleaned == ("a b" if "Space" in found else framed), hex(c)
    if CJK.normalize_str(chr(c)) != chr(c):
        assert "Punctuation" not in found, hex(c)
        return flags | {"Cjk"}
    parts = [text for text, _ in SPLIT.pre_tokenize_str(framed)]
    assert "Space" in found or parts == (["a", chr(c), "b"] if "Punctuation" in found else [framed]), hex(c)
    return flags


def fold(text):
    return FOLD.normalize_str("a" + text + "b")[1:-1]


def check_folding(flags, canonical, lower, ranks):
    """BertNormalizer decomposes, strips accents and lowers case; marks that stay are put in canonical order."""
    stays = lambda c: not flags[c] & FLAGS["Stripped"]
    kept = [c for c in ranks if stays(c)]
    low, high = (chr(choose(kept, key=ranks.get)) for choose in (min, max))
    for c in CODE_POINTS:
        parts = canonical.get(c, [c])
        if c not in HANGUL:
            assert fold(chr(c)) == "".join(lower.get(x, chr(x)) for x in parts if stays(x)), hex(c)
        if not stays(c):  # whether it separates the marks on its two sides
            ordered = fold(high + chr(c) + low) == low + high
            assert ordered == all(x in ranks for x in parts), hex(c)
    assert all(fold(chr(c)) == chr(c) for c in kept)


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


def not_composed(canonical):
    """Code points of several parts that NFC leaves apart. The others follow from their parts, which is checked."""
    apart, pairs = {}, {}
    for c, parts in sorted(canonical.items(), key=lambda item: (len(item[1]), item[0])):
        if len(parts) == 1:
            continue
        first = NFC.normalize_str("".join(map(chr, parts[:-1])))
        if len(first) == 1 and NFC.normalize_str(first + chr(parts[-1])) == chr(c):
            joined = parts[0]
            for part in parts[1:-1]:
                joined = pairs[(joined, part)]
            assert joined == ord(first) and (joined, parts[-1]) not in pairs, hex(c)
            pairs[(joined, parts[-1])] = c
        else:
            assert NFC.normalize_str(chr(c)) != chr(c), hex(c)
            apart[c] = 0
    return [(first, last) for first, last, _ in value_ranges(apart)]


def rows(cells, width=114):
    lines, line = [], ""
    for cell in cells:
        if len(line) + len(cell) + 1 > width:
            lines.append(line)
            line = ""
        line += ("" if not line else " ") + cell + ","
    return "\n    ".join(lines + [line])


def by_value(values):
    """Cells: a value, the number of ranges that have it, the first and last code points of each; value by value."""
    found = {}
    for first, last, value in value_ranges(values):
        found.setdefault(value, []).append((first, last))
    return [cell for value, ranges in found.items() for cell in [hexes([value, len(ranges)]), *map(hexes, ranges)]]


def neighbors(mapping):
    """Cells: a code point, how many follow each other from there with as many parts each, how many parts; their parts."""
    runs = []
    for c, parts in sorted(mapping.items()):
        if not runs or runs[-1][0] + len(runs[-1][1]) != c or len(runs[-1][1][0]) != len(parts):
            runs.append((c, []))
        runs[-1][1].append(parts)
    return [cell for c, all in runs for cell in [hexes([c, len(all), len(all[0])]), *map(hexes, all)]]


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
        if c in HANGUL:  # one row: the reader turns each 28th, which has no last consonant, into LV
            first = (c - HANGUL.start) % 28 == 0
            assert clusters[c] == ("LV" if first else "LVT"), hex(c)
            value += 0x100 if first else 0
        if value:
            classes[c] = value
    canonical, compatible = decompositions(NFD), decompositions(NFKD)
    only_compatible = {c: parts for c, parts in compatible.items() if canonical.get(c) != parts}
    assert set(canonical) <= set(compatible)
    alone = {c: parts[0] for c, parts in only_compatible.items() if len(parts) == 1}
    compatible_runs = delta_runs(alone, fewest=3)
    listed = {c: parts for c, parts in only_compatible.items() if len(parts) > 1 or c in alone}
    ranks = mark_ranks()
    lower = {c: LOWER.normalize_str(chr(c)) for c in CODE_POINTS}
    lower = {c: text for c, text in lower.items() if text != chr(c)}
    single = {c: ord(text) for c, text in lower.items() if len(text) == 1}
    several = {c: text for c, text in lower.items() if len(text) != 1}
    assert list(several) == [0x130], several
    check_folding(flags, canonical, lower, ranks)
    runs = lambda found: [f"{{0x{a:X},0x{b:X},{s},{d}}}" for a, b, s, d in found]
    print(f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Made by core/text/tools/make_unicode_tables.py from the answers of `tokenizers` {tokenizers.__version__}; do not edit.
// The properties behind them come from the Unicode Character Database (Unicode License V3, unicode.org/license.txt).
#pragma once

#include "core/text/unicode.h"

// clang-format off
namespace batchwise::unicode {{

/// Code points by their class: a value, the number of ranges that have it, the first and last code point of each. A
/// value holds the bits of CharClass and a ClusterClass, see clusterClass(). The syllables of Hangul are LVT here; each
/// 28th is LV.""")
    print(array("std::uint32_t", "kClasses", by_value(classes)))
    print("/// Canonical combining classes, as ranks, in the same form.")
    print(array("std::uint32_t", "kMarkRanks", by_value(ranks)))
    print("/// Lower case, as runs of code points with a stride. U+0130, which becomes two, is not among them.")
    print(array("DeltaRun", "kLowerRuns", runs(delta_runs(single))))
    print("/// Decompositions without the syllables of Hangul: a code point, how many follow each other from there with as\n"
          "/// many parts each, how many parts that is; the parts of each.")
    print(array("std::uint32_t", "kCanonicalDecompositions", neighbors(canonical)))
    print("/// As far as they differ from the canonical ones: longer runs of one part each,")
    print(array("DeltaRun", "kCompatibilityRuns", runs(compatible_runs)))
    print("/// and all others.")
    print(array("std::uint32_t", "kCompatibilityDecompositions", neighbors(listed)))
    print("/// Ranges whose parts are not composed again, though they are several.")
    print(array("CodePointRange", "kNotComposed", [f"{{{hexes(r)}}}" for r in not_composed(canonical)]))
    print(f"}}  // namespace batchwise::unicode\n// clang-format on")
    print(f"{corrected} classes of clusters corrected", file=sys.stderr)


if __name__ == "__main__":
    main()
