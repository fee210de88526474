#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes core/data/bert_tables.h: how BERT's tokenizer treats each Unicode code point.

The reference is the fast tokenizer of Hugging Face (package `tokenizers`), which is asked for every code point: its
normalizer and its splitter carry Unicode tables of their own versions, so those of another library (ICU, Python)
differ from it in several hundred code points, and would differ again after an update of that library.

    .deps/venv/bin/python core/data/tools/make_bert_tables.py > core/data/bert_tables.h
"""
import tokenizers
from tokenizers import normalizers, pre_tokenizers


def bert(**on):
    off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**off, **on})


CLEAN = bert(clean_text=True)
CJK = bert(handle_chinese_chars=True)
FOLD = bert(strip_accents=True, lowercase=True)
SPLIT = pre_tokenizers.BertPreTokenizer()
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xAC00 + 11172)


def kind(c):
    framed = "a" + chr(c) + "b"
    cleaned = CLEAN.normalize_str(framed)
    if cleaned == "ab":
        return "Removed"
    if cleaned == "a b":
        return "Space"
    assert cleaned == framed, hex(c)
    if CJK.normalize_str(chr(c)) != chr(c):
        return "Cjk"
    parts = [text for text, _ in SPLIT.pre_tokenize_str(framed)]
    assert parts in (["a", chr(c), "b"], [framed]), hex(c)
    return "Punctuation" if len(parts) == 3 else "Word"


def fold(text):
    return FOLD.normalize_str("a" + text + "b")[1:-1]


def value_ranges(values):
    """[(first, last, value)] of equal neighbors; `values` maps code points, absent ones break a range."""
    ranges = []
    for c in sorted(values):
        if ranges and ranges[-1][1] == c - 1 and ranges[-1][2] == values[c]:
            ranges[-1][1] = c
        else:
            ranges.append([c, c, values[c]])
    return ranges


def fold_runs(mapping):
    """[(first, last, stride, delta)]: code points first, first + stride, ... last become themselves plus delta."""
    todo = dict(sorted(mapping.items()))
    runs = []
    for c in sorted(mapping):
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
        for x in range(c, last + 1, stride):
            del todo[x]
        runs.append((c, last, stride, delta))
    return runs


def kept_combining(folds):
    """Code points that are reordered by canonical ordering and stay, with a rank that orders them."""
    probe = "\u0334"  # combining class 1, the lowest: it moves before whatever has a class
    nfd = normalizers.NFD()
    moving = [c for c in CODE_POINTS
              if nfd.normalize_str(chr(c)) == chr(c) and nfd.normalize_str(chr(c) + probe) != chr(c) + probe]
    kept = [c for c in moving if folds.get(c, chr(c)) != ""]
    behind = lambda a, b: a != b and nfd.normalize_str(chr(a) + chr(b)) == chr(b) + chr(a)
    rank = {a: sum(behind(a, b) for b in kept) for a in kept}
    assert all(folds.get(c, chr(c)) == chr(c) for c in kept)
    return rank


def is_transparent(c, low, high):
    """Whether combining marks around the vanishing code point c are still put in order."""
    return fold(chr(high) + chr(c) + chr(low)) == chr(low) + chr(high)


def rows(cells, per_line=6):
    lines = [", ".join(cells[i:i + per_line]) for i in range(0, len(cells), per_line)]
    return ",\n    ".join(lines)


def array(kind_name, name, cells):
    return f"inline constexpr {kind_name} {name}[] = {{\n    {rows(cells)}}};\n"


def main():
    kinds = {c: kind(c) for c in CODE_POINTS}
    folds = {}
    for c in CODE_POINTS:
        folded = fold(chr(c))
        if folded != chr(c):
            folds[c] = folded
    for c in HANGUL:  # left to the arithmetic of the Unicode standard, section 3.12
        s = c - 0xAC00
        jamo = [0x1100 + s // 588, 0x1161 + s % 588 // 28] + ([0x11A7 + s % 28] if s % 28 else [])
        assert folds.pop(c) == "".join(map(chr, jamo)), hex(c)
    rank = kept_combining(folds)
    low, high = min(rank, key=rank.get), max(rank, key=rank.get)
    empty = {c: ("true" if is_transparent(c, low, high) else "false") for c, f in folds.items() if f == ""}
    single = {c: ord(f) for c, f in folds.items() if len(f) == 1}
    several = {c: [ord(x) for x in f] + [0] * (3 - len(f)) for c, f in folds.items() if len(f) in (2, 3)}
    assert len(empty) + len(single) + len(several) == len(folds)

    print(f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Made by core/data/tools/make_bert_tables.py from the answers of `tokenizers` {tokenizers.__version__}; do not edit.
// The properties behind them come from the Unicode Character Database (Unicode License V3, unicode.org/license.txt).
#pragma once

#include "core/data/bert_splitter.h"

// clang-format off
namespace batchwise::bert {{

/// What is not CodePointKind::Word.""")
    print(array("KindRange", "kKindRanges",
                [f"{{0x{a:X}, 0x{b:X}, CodePointKind::{v}}}" for a, b, v in
                 value_ranges({c: k for c, k in kinds.items() if k != "Word"})]))
    print("/// Code points that vanish when accents are stripped.")
    print(array("VanishingRange", "kVanishing",
                [f"{{0x{a:X}, 0x{b:X}, {v}}}" for a, b, v in value_ranges(empty)]))
    print("/// Decomposed, accents stripped, lower case: code points that become one other.")
    print(array("FoldRun", "kFoldRuns", [f"{{0x{a:X}, 0x{b:X}, {s}, {d}}}" for a, b, s, d in fold_runs(single)]))
    print("/// The same where two or three remain. Hangul syllables are computed.")
    print(array("FoldSeveral", "kFoldSeveral",
                [f"{{0x{c:X}, {{0x{f[0]:X}, 0x{f[1]:X}, 0x{f[2]:X}}}}}" for c, f in sorted(several.items())]))
    print("/// Combining marks that stay but are put in canonical order: lower ranks first.")
    print(array("CombiningMark", "kKeptCombining", [f"{{0x{c:X}, {r}}}" for c, r in sorted(rank.items())]))
    print("}  // namespace batchwise::bert")


if __name__ == "__main__":
    main()
